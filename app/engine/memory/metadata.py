"""Values of a GGUF's metadata, each within the bounds llama.cpp sets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.engine.gguf import Array
from app.errors import ModelFileError

if TYPE_CHECKING:
    from app.engine.gguf import Header, Value

MAX_LAYERS = 512
"""LLAMA_MAX_LAYERS, llama-hparams.h."""

_MOST = 2**24
"""No count or width of a real model comes near; products of several stay far from 64 bits."""


class Metadata:
    """The keys below the architecture's name. Raises ModelFileError for a value no model has."""

    def __init__(self, header: Header, file_name: str = "The model file") -> None:
        self._header = header
        self.file_name = file_name
        self.architecture = header.architecture

    def integer(self, key: str, default: int | None = None, most: int = _MOST) -> int:
        """Return a count or width; the default when the key is missing.

        Raises:
            ModelFileError: it is missing without a default, no number, negative, or larger than `most`.
        """
        value = self._header.of_architecture(key)
        if value is None:
            if default is None:
                raise ModelFileError(
                    f"{self.file_name} lacks {self.architecture}.{key}, which its architecture needs: choose another "
                    "conversion of this model."
                )
            return default
        return self._checked(key, value, most)

    def has(self, key: str) -> bool:
        """Whether the key is there."""
        return self._header.of_architecture(key) is not None

    def per_layer(self, key: str, n_layer: int, default: int | tuple[int, ...]) -> tuple[int, ...]:
        """Return one value per layer: an array, or a scalar for all of them (llama_model_loader::get_key_or_arr)."""
        value = self._header.of_architecture(key)
        if value is None:
            return default if isinstance(default, tuple) else (default,) * n_layer
        if isinstance(value, tuple):
            if len(value) != n_layer:
                raise ModelFileError(
                    f"{self.file_name} is damaged: {self.architecture}.{key} has {len(value):,} values for {n_layer} "
                    "layers. Download it again."
                )
            return tuple(self._checked(key, each, _MOST) for each in value)
        return (self._checked(key, value, _MOST),) * n_layer

    def array(self, key: str, n_layer: int) -> tuple[int, ...] | None:
        """Return an array as it is, filled with 0 or cut to one value per layer (llama_model_loader::get_arr).

        None when the key is missing or holds a scalar.
        """
        value = self._header.of_architecture(key)
        if isinstance(value, Array):
            raise ModelFileError(
                f"{self.file_name} is damaged: {self.architecture}.{key} has {value.length:,} values. "
                "Download it again."
            )
        if not isinstance(value, tuple):
            return None
        values = [self._checked(key, each, _MOST) for each in value[:n_layer]]
        return tuple(values + [0] * (n_layer - len(values)))

    def _checked(self, key: str, value: Value, most: int) -> int:
        if not isinstance(value, int) or not 0 <= value <= most:
            shown = f"{value:,}" if isinstance(value, int) else "no number"
            raise ModelFileError(
                f"{self.file_name} is damaged: {self.architecture}.{key} is {shown}. Download it again, or choose "
                "another conversion of this model."
            )
        return int(value)
