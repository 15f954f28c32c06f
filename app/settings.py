"""What the user chose, as one tree of values with its defaults; kept in TOML that can be edited by hand.

Reading forgives: a damaged file is set aside, a single wrong value falls back to its default, and each is said in a
sentence. Keys this version does not know stay in the file when it is written, so that a newer version's settings
survive an older one: a key never changes its meaning, a new meaning gets a new key. Comments do not survive.
"""

from __future__ import annotations

import os
import tomllib
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from app import checks
from app.errors import Sentence, StorageError, joined
from app.files import set_aside, write_atomically
from app.reasons import reason_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

SCHEMA = 1
MAX_RECENT_MODELS = 10
THEMES = ("system", "light", "dark")
FLASH_ATTENTION = ("auto", "on", "off")
ON_FULL = ("grow", "summarise", "drop", "ask", "stop")
"""`app.chat.conversation.OnFull`, which a leaf may not import; a test holds the two together."""
KV_TYPES = ("f16", "bf16", "f32", "q8_0", "q5_1", "q5_0", "q4_1", "q4_0", "iq4_nl")
MOST_PARALLEL = 8
"""The engine's own, which a leaf may not import; a test holds them together."""

T = TypeVar("T")


def _setting(default: T, check: checks.Check) -> T:
    """A field whose default needs no check and whose stored value does."""
    value: T = field(default=default, metadata={"check": check})
    return value


@dataclass(frozen=True, slots=True)
class SamplingSettings:
    """How the next token is chosen, unless a conversation says otherwise; fields of `app.engine.request.Sampling`."""

    temperature: float = _setting(0.8, checks.number(0, 10))
    top_k: int = _setting(40, checks.whole_number(0, 1_000_000))
    top_p: float = _setting(0.95, checks.number(0, 1))
    min_p: float = _setting(0.05, checks.number(0, 1))
    repeat_penalty: float = _setting(1.0, checks.number(0.01, 10))
    presence_penalty: float = _setting(0.0, checks.number(-10, 10))
    frequency_penalty: float = _setting(0.0, checks.number(-10, 10))
    penalty_last_n: int = _setting(64, checks.whole_number(-1, 1_000_000))
    seed: int | None = _setting(None, checks.whole_number(0, 2**32 - 1))


@dataclass(frozen=True, slots=True)
class AnswerSettings:
    """How a model answers.

    Attributes:
        max_tokens: the most tokens of an answer; None: until the model stops or the context is full.
    """

    max_tokens: int | None = _setting(None, checks.whole_number(1, 100_000_000))
    sampling: SamplingSettings = SamplingSettings()


@dataclass(frozen=True, slots=True)
class LoadSettings:
    """How one model is loaded; fields of `app.engine.config.ModelConfig` that a user sets. None: the engine chooses."""

    n_ctx: int | None = _setting(None, checks.whole_number(16, 100_000_000))
    type_k: str = _setting("f16", checks.one_of(*KV_TYPES))
    type_v: str = _setting("f16", checks.one_of(*KV_TYPES))
    flash_attention: Literal["auto", "on", "off"] = _setting("auto", checks.one_of(*FLASH_ATTENTION))
    n_gpu_layers: int | Literal["auto", "all"] = _setting("auto", checks.whole_number(0, 10_000, "auto", "all"))
    n_threads: int | None = _setting(None, checks.whole_number(1, 4096))
    n_ubatch: int = _setting(512, checks.whole_number(1, 65_536))
    swa_full: bool = _setting(False, checks.flag)
    offload_kqv: bool = _setting(True, checks.flag)
    devices: tuple[str, ...] = _setting((), checks.list_of_text)
    tensor_split: tuple[float, ...] = _setting((), checks.list_of_shares)
    n_cpu_moe: int = _setting(0, checks.whole_number(0, 10_000))
    n_parallel: int = _setting(1, checks.whole_number(1, MOST_PARALLEL))


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that outlives a window, except its geometry.

    Attributes:
        language: a locale such as zh_CN; empty: the system's.
        zoom: factor on all font sizes.
        last_model: path of the model that was loaded last; empty: none.
        recent_models: paths, newest first.
        model_folders: where models are looked for, besides the folders that are known by themselves.
        unsafe_models: paths of models that killed the engine; they are not loaded by themselves.
        autoload: load `last_model` at start.
        system_prompt: what a new conversation begins with.
        max_tokens, sampling: how models answer that have no settings of their own in `answers`.
        summarise_at: percent of the context from which older turns are summarised by themselves; 0: never.
        on_full: what is done where the next turn would not fit, unless a conversation says otherwise.
        reserve_mib: what "as many as fit" leaves free on every device, for the desktop and for other programs.
        rpc_servers: `host:port` of llama.cpp RPC servers whose devices are used in every load.
        kv_memory_mib, kv_disk_mib: how much is kept of the KV caches of conversations that are not being answered.
        models: load settings by path of the model.
        answers: how models answer that have settings of their own, by path.
    """

    language: str = _setting("", checks.text)
    theme: Literal["system", "light", "dark"] = _setting("system", checks.one_of(*THEMES))
    zoom: float = _setting(1.0, checks.number(0.5, 4))
    autoload: bool = _setting(True, checks.flag)
    last_model: str = _setting("", checks.text)
    recent_models: tuple[str, ...] = _setting((), checks.list_of_text)
    model_folders: tuple[str, ...] = _setting((), checks.list_of_text)
    unsafe_models: tuple[str, ...] = _setting((), checks.list_of_text)
    system_prompt: str = _setting("", checks.text)
    max_tokens: int | None = _setting(None, checks.whole_number(1, 100_000_000))
    summarise_at: int = _setting(0, checks.whole_number(0, 100))
    on_full: Literal["grow", "summarise", "drop", "ask", "stop"] = _setting("grow", checks.one_of(*ON_FULL))
    reserve_mib: int = _setting(1024, checks.whole_number(0, 1_048_576))
    rpc_servers: tuple[str, ...] = _setting((), checks.list_of_endpoints)
    kv_memory_mib: int = _setting(1024, checks.whole_number(0, 1_048_576))
    kv_disk_mib: int = _setting(4096, checks.whole_number(0, 16_777_216))
    sampling: SamplingSettings = SamplingSettings()
    models: Mapping[str, LoadSettings] = field(default_factory=dict)
    answers: Mapping[str, AnswerSettings] = field(default_factory=dict)

    @property
    def model_to_autoload(self) -> str:
        """Path of the model to load at start, empty for none."""
        return self.last_model if self.autoload and self.last_model not in self.unsafe_models else ""

    def load_settings(self, model: str | os.PathLike[str]) -> LoadSettings:
        """Return how this model is to be loaded."""
        return self.models.get(os.fspath(model), LoadSettings())

    def with_load_settings(self, model: str | os.PathLike[str], load: LoadSettings) -> Settings:
        """Return settings that load this model so."""
        return replace(self, models={**self.models, os.fspath(model): load})

    def answer_settings(self, model: str | os.PathLike[str]) -> AnswerSettings:
        """Return how this model answers: by its own settings, else by those for all."""
        own = self.answers.get(os.fspath(model))
        return AnswerSettings(self.max_tokens, self.sampling) if own is None else own

    def with_answer_settings(self, model: str | os.PathLike[str], answer: AnswerSettings | None) -> Settings:
        """Return settings with which this model answers so; None: as those without settings of their own."""
        path = os.fspath(model)
        others = {other: own for other, own in self.answers.items() if other != path}
        return replace(self, answers=others if answer is None else {**others, path: answer})

    def with_model_loaded(self, model: str | os.PathLike[str]) -> Settings:
        """Return settings in which this model was loaded well: the last, the most recent, and safe again."""
        path = os.fspath(model)
        recent = (path, *(other for other in self.recent_models if other != path))[:MAX_RECENT_MODELS]
        unsafe = tuple(other for other in self.unsafe_models if other != path)
        return replace(self, last_model=path, recent_models=recent, unsafe_models=unsafe)

    def with_unsafe_model(self, model: str | os.PathLike[str]) -> Settings:
        """Return settings in which this model killed the engine."""
        path = os.fspath(model)
        return replace(self, unsafe_models=(path, *(other for other in self.unsafe_models if other != path)))


def load_settings(path: Path) -> tuple[Settings, str]:
    """Read the settings; return them and what the user should know, empty when all is well. Never raises."""
    try:
        table = _parse(path)
    except FileNotFoundError:
        return Settings(), ""
    except OSError as error:
        return Settings(), Sentence(
            "The settings in {path} cannot be read ({error}); the defaults are used.", path=path, error=reason_of(error)
        )
    except (ValueError, RecursionError):
        try:
            kept = Sentence("the file was kept as {file}", file=set_aside(path).name)
        except OSError as error:
            kept = Sentence("the file cannot be renamed ({error})", error=reason_of(error))
        return Settings(), Sentence(
            "The settings in {file} were damaged; {kept} and the defaults are used.", file=path.name, kept=kept
        )
    problems: list[str] = []
    settings = _read(Settings, table, "", problems)
    settings = replace(settings, recent_models=settings.recent_models[:MAX_RECENT_MODELS])
    return settings, joined(
        Sentence("In {file}, {problem}; the default is used.", file=path.name, problem=problem) for problem in problems
    )


def save_settings(path: Path, settings: Settings) -> None:
    """Replace the file in one step.

    Raises:
        StorageError: it cannot be written; the old file is as it was.
    """
    try:
        table = _merge(_present(path), settings)
        table["schema"] = max(SCHEMA, _schema(table))
        import tomli_w  # not above: nothing slow is imported before the first frame

        write_atomically(path, tomli_w.dumps(table).encode("utf-8", "surrogatepass"))
    except OSError as error:
        raise StorageError(
            Sentence(
                "The settings cannot be written to {path} ({error}); check its permissions and the disk's room.",
                path=path,
                error=reason_of(error),
            )
        ) from error


def _parse(path: Path) -> dict[str, Any]:
    # Paths that are not valid Unicode hold lone surrogates; some editors begin a file with a byte order mark.
    return tomllib.loads(
        path.read_bytes().decode("utf-8", "surrogatepass").removeprefix("\ufeff").replace("\r\n", "\n")
    )


def _present(path: Path) -> dict[str, Any]:
    """Return what is in the file now; what was damaged since it was read is set aside."""
    try:
        return _parse(path)
    except FileNotFoundError:
        return {}
    except (ValueError, RecursionError):
        set_aside(path)
        return {}


def _schema(table: Mapping[str, Any]) -> int:
    schema = table.get("schema")
    return schema if isinstance(schema, int) else 0


def _read(kind: type[T], table: Mapping[str, Any], prefix: str, problems: list[str]) -> T:
    """Return a settings object from a table; what is wrong keeps its default and is added to `problems`."""
    values: dict[str, Any] = {}
    for each in fields(kind):  # type: ignore[arg-type]  # T is one of the dataclasses above
        name = f"{prefix}{each.name}"
        if each.name not in table:
            continue
        value = table[each.name]
        try:
            if check := each.metadata.get("check"):
                values[each.name] = check(value)
            elif not isinstance(value, dict):
                raise checks.WrongValueError(Sentence("a table"))
            elif each.name == "sampling":
                values[each.name] = _read(SamplingSettings, value, f"{name}.", problems)
            elif each.name == "answers":
                values[each.name] = _read_models(AnswerSettings, value, f"{name}.", problems)
            else:
                values[each.name] = _read_models(LoadSettings, value, f"{name}.", problems)
        except checks.WrongValueError as error:
            problems.append(Sentence("{name} must be {error}", name=name, error=error))
    return kind(**values)


def _read_models(kind: type[T], table: Mapping[str, Any], prefix: str, problems: list[str]) -> dict[str, T]:
    models = {}
    for path, value in table.items():
        if isinstance(value, dict):
            models[path] = _read(kind, value, f"{prefix}{path}.", problems)
        else:
            problems.append(Sentence("{name} must be {error}", name=prefix + path, error=Sentence("a table")))
    return models


def _merge(present: object, settings: Any) -> dict[str, Any]:
    """Return the table to write: all settings that have a value, and the unknown keys that are there at present."""
    known = {each.name: getattr(settings, each.name) for each in fields(settings)}
    old = present if isinstance(present, dict) else {}
    table = {key: value for key, value in old.items() if key not in known}
    for name, value in known.items():
        if is_dataclass(value):
            table[name] = _merge(old.get(name), value)
        elif name in ("models", "answers"):
            models = old.get(name)
            table[name] = {
                path: _merge(models.get(path) if isinstance(models, dict) else None, of_model)
                for path, of_model in value.items()
            }
        elif value is not None:
            table[name] = list(value) if isinstance(value, tuple) else value
    return table
