"""What the settings of a load depend on, read from the header of a model file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.engine.gguf import read_header
from app.engine.model_file import check_model_file, model_name

if TYPE_CHECKING:
    from pathlib import Path

    from app.engine.gguf import Header


@dataclass(frozen=True, slots=True)
class ModelTraits:
    """A model before it is loaded; 0 and empty where the file does not say.

    Attributes:
        n_experts: experts per layer, 0 without a mixture of experts.
        n_swa: tokens a sliding-window layer sees, 0 without such layers.
    """

    name: str
    architecture: str
    n_ctx_train: int
    n_layer: int
    n_experts: int
    n_swa: int


def read_traits(path: Path) -> ModelTraits:
    """Return the traits of a model file. Raises ModelFileError."""
    header = read_header(check_model_file(path))
    return ModelTraits(
        name=model_name(path),
        architecture=header.architecture,
        n_ctx_train=_number(header, "context_length"),
        n_layer=_number(header, "block_count"),
        n_experts=_number(header, "expert_count"),
        n_swa=_number(header, "attention.sliding_window"),
    )


def _number(header: Header, key: str) -> int:
    value = header.of_architecture(key)
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0
