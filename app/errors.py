"""The errors a user can meet; each message says what happened, to what, and what to do."""


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


class StorageError(TokometerError):
    """The database or a settings file cannot be read or written."""


class StorageDamagedError(StorageError):
    """A file is not what it should be: its bytes were changed or cut off."""


class StorageRefusedError(StorageError):
    """What a call names is gone, or there already: unlike other storage errors it is useless to try again."""
