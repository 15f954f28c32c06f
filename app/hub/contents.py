"""Everything a model's header holds, as text to look at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.engine.gguf import Array
from app.engine.gguf_reader import STRING
from app.engine.model_file import read_file_header
from app.hub.file_types import tensor_type

if TYPE_CHECKING:
    from app.engine.gguf import Value
    from app.hub.library import LibraryModel

_CHAT_TEMPLATE = "tokenizer.chat_template"
_MOST_NUMBERS_SHOWN = 128


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
    """

    metadata: tuple[tuple[str, str], ...]
    tensors: tuple[TensorRow, ...]
    chat_template: str


def read_contents(model: LibraryModel) -> Contents:
    """Return what the headers of all parts hold; keys of the first part alone.

    Raises:
        ModelFileError: a part cannot be read.
    """
    headers = [(part, read_file_header(part)) for part in model.parts or (model.path,)]
    metadata = headers[0][1].metadata
    template = metadata.get(_CHAT_TEMPLATE, "")
    return Contents(
        tuple((key, _text(value)) for key, value in metadata.items()),
        tuple(
            TensorRow(tensor.name, tensor.shape, tensor_type(tensor.type_id), tensor.n_bytes, part.name)
            for part, header in headers
            for tensor in header.tensors
        ),
        template if isinstance(template, str) else "",
    )


def _text(value: Value) -> str:
    if isinstance(value, Array):
        return f"{value.length:,} {'texts' if value.element_type == STRING else 'numbers'}"
    if isinstance(value, tuple):
        shown = ", ".join(map(_scalar, value[:_MOST_NUMBERS_SHOWN]))
        return f"{shown}, ... ({len(value):,} numbers)" if len(value) > _MOST_NUMBERS_SHOWN else shown
    return _scalar(value)


def _scalar(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:.7g}" if isinstance(value, float) else str(value)
