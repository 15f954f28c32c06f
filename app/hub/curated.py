"""The models to begin with: resources/models.toml, read and checked."""

from __future__ import annotations

import tomllib
from dataclasses import MISSING, dataclass, field, fields
from typing import TYPE_CHECKING, Any

import resources
from app import checks
from app.errors import BadInputError, Sentence, TokometerError
from app.hub.names import printable
from app.hub.reference import parse_reference
from app.reasons import reason_of

if TYPE_CHECKING:
    from pathlib import Path


SCHEMA = 1
PURPOSES: dict[str, Sentence] = {
    "smallest": Sentence("Short answers on any computer; it knows little and is quick."),
    "light": Sentence("Simple questions, short summaries and translations on a small computer."),
    "open": Sentence("Conversation in six European languages; how it was trained is open as well."),
    "direct": Sentence("Direct answers without long thinking, best in English."),
    "everyday": Sentence("Everyday questions, writing and summaries; good for its size, in Chinese and English too."),
    "languages": Sentence("Writing and conversation in well over a hundred languages."),
    "allround": Sentence("All-round work: questions, writing, code and long texts."),
    "reasoning": Sentence("Problems that need thought: mathematics, code, planning."),
    "experts": Sentence("Answers of a large model at the pace of a small one; takes much memory."),
    "thorough": Sentence("Careful, well-worded answers; wants a large graphics card."),
    "largest": Sentence("The most capable of these; for workstations with a great deal of memory."),
}
_LARGEST_FILE = 2**50
_FEWEST_PARAMETERS = 1e-3
_MOST_PARAMETERS = 1e5
"""Billions; beyond the largest model by far."""
_MOST_TOKENS = 100_000_000


def _name(value: object) -> object:
    if not isinstance(value, str) or not value.strip() or value != printable(value):
        raise checks.WrongValueError(Sentence("a name"))
    return value


def _value(check: checks.Check, default: Any = MISSING) -> Any:
    return field(default=default, metadata={"check": check})


@dataclass(frozen=True, slots=True, kw_only=True)
class CuratedModel:
    """One model of the list, as the file's first lines describe it.

    Attributes:
        purpose: a key of `PURPOSES`.
        parameters, active_parameters: billions; all of them work on each token where the second is None.
    """

    name: str = _value(_name)
    repo: str = _value(_name)
    quantisation: str = _value(_name)
    licence: str = _value(_name)
    purpose: str = _value(checks.one_of(*PURPOSES))
    parameters: float = _value(checks.number(_FEWEST_PARAMETERS, _MOST_PARAMETERS))
    n_ctx_train: int = _value(checks.whole_number(1, _MOST_TOKENS))
    file: str = _value(checks.text, "")
    size_bytes: int | None = _value(checks.whole_number(1, _LARGEST_FILE), None)
    active_parameters: float | None = _value(checks.number(_FEWEST_PARAMETERS, _MOST_PARAMETERS), None)
    kv_bytes_per_token: int | None = _value(checks.whole_number(0, _LARGEST_FILE), None)

    @property
    def reference(self) -> str:
        """`owner/name:QUANT`."""
        return f"{self.repo}:{self.quantisation}"

    @property
    def active_share(self) -> float:
        """How much of the weights works on each token, 0 to 1."""
        return 1.0 if self.active_parameters is None else min(self.active_parameters / self.parameters, 1.0)


def curated_models(file: Path | None = None) -> tuple[CuratedModel, ...]:
    """Return the models from the least to the most capable.

    Args:
        file: another one than that which ships.

    Raises:
        BadInputError: it cannot be read or says something impossible, in one sentence.
    """
    file = file or resources.FOLDER / "models.toml"
    try:
        table = tomllib.loads(file.read_text(encoding="utf-8"))
        if table.get("schema") != SCHEMA:
            raise checks.WrongValueError(Sentence("its schema must be {schema}", schema=SCHEMA))
        entries = table.get("model")
        if not isinstance(entries, list) or not entries:
            raise checks.WrongValueError(Sentence("it lists no models"))
        models = tuple(_model(number, entry) for number, entry in enumerate(entries, 1))
        _check_repetitions(models)
    except OSError as error:
        raise _unusable(file.name, reason_of(error)) from None
    except checks.WrongValueError as error:
        raise _unusable(file.name, error.args[0]) from None
    except (ValueError, RecursionError) as error:
        raise _unusable(file.name, str(error) or type(error).__name__) from None
    return models


def _model(number: int, entry: object) -> CuratedModel:
    if not isinstance(entry, dict):
        raise checks.WrongValueError(
            Sentence("model {number} must be {error}", number=number, error=Sentence("a table"))
        )
    values: dict[str, Any] = {}
    for each in fields(CuratedModel):
        if each.name not in entry:
            if each.default is MISSING:
                raise checks.WrongValueError(Sentence("model {number} lacks {key}", number=number, key=each.name))
            continue
        try:
            values[each.name] = each.metadata["check"](entry[each.name])
        except checks.WrongValueError as error:
            raise checks.WrongValueError(
                Sentence("{key} of model {number} must be {error}", key=each.name, number=number, error=error.args[0])
            ) from None
    if unknown := sorted(entry.keys() - {each.name for each in fields(CuratedModel)}):
        raise checks.WrongValueError(Sentence("model {number} has an unknown key {key}", number=number, key=unknown[0]))
    model = CuratedModel(**values)
    try:
        parse_reference(model.reference)
    except TokometerError as error:
        raise checks.WrongValueError(error.args[0]) from None
    return model


def _check_repetitions(models: tuple[CuratedModel, ...]) -> None:
    seen: set[str] = set()
    for model in models:
        if model.reference in seen:
            raise checks.WrongValueError(Sentence("it lists {model} twice", model=model.reference))
        seen.add(model.reference)


def _unusable(name: str, problem: str) -> BadInputError:
    return BadInputError(
        Sentence("The list of recommended models in {file} cannot be used: {problem}.", file=name, problem=problem)
    )
