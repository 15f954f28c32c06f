"""The errors a user can meet, and the sentences that say what happened, to what, and what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable


class Sentence(str):
    """English for the user, with what the window needs to say it in another language.

    Attributes:
        template: the text that `str.format` fills with `values`; a literal in the source, where lupdate finds it.
        values: by name; one that is a `Sentence` itself has a translation of its own.
    """

    __slots__ = ("template", "values")
    template: str
    values: dict[str, Any]

    def __new__(cls, template: str, /, **values: Any) -> Sentence:
        """Fill the values in; without any the template is the text, braces and all."""
        self = super().__new__(cls, template.format(**values) if values else template)
        self.template = template
        self.values = {
            name: value if isinstance(value, int | float | Sentence) else str(value) for name, value in values.items()
        }
        return self

    def __str__(self) -> str:
        """Stay what it is when it passes through an exception."""
        return self

    def __getnewargs__(self) -> tuple[str]:
        """Make unpickling take the text as it is: a template from another process is never formatted."""
        return (super().__str__(),)


def joined(sentences: Iterable[str]) -> str:
    """Return sentences one after the other, each still with its translation."""
    text = ""
    for sentence in sentences:
        text = Sentence("{text} {sentence}", text=text, sentence=sentence) if text else sentence
    return text


class TokometerError(Exception):
    """Base of all expected errors; `str(error)` is one sentence for the user."""

    exit_status = 3


class BadInputError(TokometerError):
    """The user gave something that cannot be used: a file, a setting, an argument."""

    exit_status = 2


class ModelFileError(BadInputError):
    """A model file is missing, unreadable, damaged or of a kind that cannot chat."""


class UnknownArchitectureError(TokometerError):
    """The memory of this model cannot be calculated from its header: llama.cpp itself must be asked."""


class TemplateError(BadInputError):
    """The model's chat template cannot be rendered for this conversation."""


class ContextFullError(BadInputError):
    """The prompt does not fit into the context."""


class EngineError(TokometerError):
    """The engine failed although the input was good."""


class EngineCrashedError(EngineError):
    """The engine's process ended: a signal, an abort in native code, or the system's out-of-memory killer."""


class HubError(TokometerError):
    """The hub could not be reached, or did not give what was asked of it."""


class NotOnHubError(HubError):
    """The hub has no such repository or file, or not for this user."""

    exit_status = 2


class StorageError(TokometerError):
    """The database or a settings file cannot be read or written."""


class StorageDamagedError(StorageError):
    """A file is not what it should be: its bytes were changed or cut off."""


class StorageRefusedError(StorageError):
    """What a call names is gone, or there already: unlike other storage errors it is useless to try again."""
