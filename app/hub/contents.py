"""Everything a model's header holds, as text to look at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.engine.gguf import Array, read_array
from app.engine.gguf_reader import STRING
from app.engine.model_file import read_file_header
from app.errors import ModelFileError, Sentence
from app.hub.file_types import tensor_type
from app.reasons import reason_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from app.engine.gguf import Value
    from app.engine.gguf_reader import Scalar
    from app.hub.library import LibraryModel

_CHAT_TEMPLATE = "tokenizer.chat_template"
_MOST_SHOWN = 128


@dataclass(frozen=True, slots=True)
class TensorRow:
    """One tensor: `n_bytes` is None for a type that is not known; `file` is the part that holds it."""

    name: str
    shape: tuple[int, ...]
    type_name: str
    n_bytes: int | None
    file: str


@dataclass(frozen=True, slots=True)
class Contents:
    """What the files say.

    Attributes:
        metadata: key and value, in the file's order; long lists are counted, not shown.
        chat_template: Jinja; empty when there is none.
        values: the same values as they are in the file, by key.
    """

    metadata: tuple[tuple[str, str], ...]
    tensors: tuple[TensorRow, ...]
    chat_template: str
    values: Mapping[str, Value]

    def is_cut(self, key: str) -> bool:
        """Whether the value's text is not all of it: `whole_value` is."""
        value = self.values[key]
        return isinstance(value, Array) or (isinstance(value, tuple) and len(value) > _MOST_SHOWN)

    def plain(self, key: str) -> object:
        """Return a value for JSON: a list that was only counted as an object with its type and length."""
        value = self.values[key]
        if isinstance(value, Array):
            return {"type": _element_name(value), "length": value.length}
        return list(value) if isinstance(value, tuple) else value


def read_contents(model: LibraryModel) -> Contents:
    """Return what the headers of all parts hold; keys of the first part alone.

    Raises:
        ModelFileError: a part cannot be read.
    """
    headers = [(part, read_file_header(part)) for part in model.parts or (model.path,)]
    path, metadata = headers[0][0], dict(headers[0][1].metadata)
    for key, value in metadata.items():
        if isinstance(value, Array) and value.length <= _MOST_SHOWN:  # a few texts, such as languages and tags
            metadata[key] = _array(path, key)
    template = metadata.get(_CHAT_TEMPLATE, "")
    return Contents(
        tuple((key, _text(value)) for key, value in metadata.items()),
        tuple(
            TensorRow(tensor.name, tensor.shape, tensor_type(tensor.type_id), tensor.n_bytes, part.name)
            for part, header in headers
            for tensor in header.tensors
        ),
        template if isinstance(template, str) else "",
        metadata,
    )


def whole_value(model: LibraryModel, key: str) -> tuple[str, ...]:
    """Return every element of a list in the metadata as text.

    Raises:
        ModelFileError: the file cannot be read.
    """
    return tuple(map(_scalar, _array(model.path, key)))


def _array(path: Path, key: str) -> tuple[Scalar, ...]:
    try:
        return read_array(path, key)
    except OSError as error:
        raise ModelFileError(Sentence("{path} cannot be read: {error}.", path=path, error=reason_of(error))) from None


def differing_keys(all_contents: Sequence[Contents]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return the keys whose values are not the same in all, each with its text in every one; empty where it is not."""
    texts = [dict(contents.metadata) for contents in all_contents]
    keys = dict.fromkeys(key for each in texts for key in each)
    rows = ((key, tuple(each.get(key, "") for each in texts)) for key in keys)
    return tuple((key, values) for key, values in rows if len(set(values)) > 1)


def _text(value: Value) -> str:
    if isinstance(value, Array):
        return f"{value.length:,} {_element_name(value)}"
    if isinstance(value, tuple):
        shown = ", ".join(map(_scalar, value[:_MOST_SHOWN]))
        return f"{shown}, ... ({len(value):,} numbers)" if len(value) > _MOST_SHOWN else shown
    return _scalar(value)


def _element_name(array: Array) -> str:
    return "texts" if array.element_type == STRING else "numbers"


def _scalar(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:.7g}" if isinstance(value, float) else str(value)
