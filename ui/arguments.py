"""What the window was started with."""

from __future__ import annotations

import argparse
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.cli.options import model_config, parse
from app.engine.config import ModelConfig

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class Arguments:
    """The command line, as far as the window is concerned.

    Attributes:
        model: absolute path of the model to load; None: the last good one, else the starter.
        load: fields of `ModelConfig` that differ from their defaults; they hold for this window only.
        in_process: run llama.cpp in the window's own process.
    """

    model: Path | None = None
    load: dict[str, Any] = field(default_factory=dict)
    in_process: bool = False

    @classmethod
    def of(cls, options: argparse.Namespace) -> Arguments:
        """Take what `app.cli.options.parse` returned."""
        model = options.model.expanduser().absolute() if options.model is not None else None
        given = model_config(argparse.Namespace(**{**vars(options), "model": model or Path()}))
        default = ModelConfig(given.path)
        names = [field.name for field in fields(given) if getattr(given, field.name) != getattr(default, field.name)]
        return cls(model, {name: getattr(given, name) for name in names}, options.in_process)

    @classmethod
    def parse(cls, argv: Sequence[str]) -> Arguments:
        """Read `argv`, program name first. Exits with status 2 and one line when it cannot be understood."""
        return cls.of(parse(list(argv[1:])))
