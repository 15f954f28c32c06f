"""The other quantisations of a model that are on this disk."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from app.engine.model_file import model_name
from app.hub.variants import without_quantisation
from app.telemetry.diagnosis import Quantisation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.engine.events import ModelInfo
    from app.hub.library import LibraryModel

_MOST = 3
"""Each becomes a button; the largest of them cost the least quality."""
_SEPARATORS = re.compile(r"[-._ ]+")


def smaller_quantisations(models: Sequence[LibraryModel], loaded: ModelInfo) -> tuple[Quantisation, ...]:
    """Return whole models that differ from the loaded one only in that their weights take fewer bits, largest first.

    The same architecture with as many parameters is not enough, as fine-tunes share both: the names must agree too,
    up to the quantisation in them.
    """
    listed = (model.name for model in models if loaded.path in model.parts)
    name = _base(next(listed, "") or model_name(loaded.path))
    found = [
        model
        for model in models
        if model.kind == "chat"
        and not model.problem
        and model.path != loaded.path
        and model.architecture == loaded.architecture
        and model.n_params == loaded.n_params
        and model.file_bytes < loaded.file_bytes
        and _base(model.name) == name
    ]
    found.sort(key=lambda model: (-model.file_bytes, str(model.path)))
    return tuple(
        Quantisation(model.quantisation or model.name, str(model.path), model.file_bytes) for model in found[:_MOST]
    )


def _base(name: str) -> str:
    return _SEPARATORS.sub("-", without_quantisation(name)).strip("-").casefold()
