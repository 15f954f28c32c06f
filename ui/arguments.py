"""The window's command line; flags are llama.cpp's own where it has one."""

from __future__ import annotations

import argparse
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class Arguments:
    """What the window was started with.

    Attributes:
        model: absolute path of the model to load; None: the last good one, else the starter.
        load: fields of `ModelConfig` that were given.
        in_process: run llama.cpp in the window's own process.
    """

    model: Path | None = None
    load: dict[str, Any] = field(default_factory=dict)
    in_process: bool = False


def parse(argv: Sequence[str]) -> Arguments:
    """Read `argv`, program name first. Exits with status 2 and one line when it cannot be understood."""
    parser = argparse.ArgumentParser(prog="tokometer", description="Open the window.")
    parser.add_argument("-m", "--model", type=Path, help="GGUF file to load")
    parser.add_argument("--in-process", action="store_true", help="run llama.cpp in the window's process")
    load = parser.add_argument_group("how the model is loaded")
    load.add_argument("-c", "--ctx-size", dest="n_ctx", type=int, metavar="N")
    load.add_argument("-ngl", "--n-gpu-layers", dest="n_gpu_layers", type=_gpu_layers, metavar="N|auto|all")
    load.add_argument("-t", "--threads", dest="n_threads", type=int, metavar="N")
    load.add_argument("-ctk", "--cache-type-k", dest="type_k", metavar="TYPE")
    load.add_argument("-ctv", "--cache-type-v", dest="type_v", metavar="TYPE")
    load.add_argument("-fa", "--flash-attn", dest="flash_attention", choices=("auto", "on", "off"))
    values = vars(parser.parse_args(argv[1:]))
    model, in_process = values.pop("model"), values.pop("in_process")
    given = {name: value for name, value in values.items() if value is not None}
    return Arguments(model.expanduser().absolute() if model is not None else None, given, in_process)


def _gpu_layers(text: str) -> int | Literal["auto", "all"]:
    if text in ("auto", "all"):
        return text  # type: ignore[return-value]  # narrowed by the line above, which mypy does not follow
    return int(text)
