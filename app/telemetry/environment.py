"""What an answer was made with, as it is kept with its turn: when speed changes, this says what changed."""

from __future__ import annotations

import json
import platform
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app import __version__
from app.engine.self_test import cpu_fingerprint, library_fingerprint
from app.errors import Sentence

if TYPE_CHECKING:
    from collections.abc import Mapping

    from app.engine.events import LoadedModel

_NVIDIA_DRIVER = Path("/proc/driver/nvidia/version")
_NOT_SPEED = ("path", "n_ctx")
"""Settings that tell two loads apart but not their speed at a given context."""


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that was different; `name` is a `Sentence`."""

    name: str
    before: str
    after: str


def environment_json(model: LoadedModel) -> str:
    """Return application, library build, driver, machine, and the settings as they became, as JSON with sorted keys."""
    values: dict[str, Any] = {
        **_machine(),
        "backend": model.backend,
        "model_file_bytes": model.info.file_bytes,
        "quantisation": model.info.quantisation,
        "n_batch": model.n_batch,
        "n_ubatch": model.n_ubatch,
        "n_threads": model.n_threads,
        "layers_offloaded": model.layers_offloaded,
        "flash_attention": model.flash_attention,
        "type_k": model.type_k,
        "type_v": model.type_v,
        "use_extra_bufts": model.use_extra_bufts,
    }
    return json.dumps(values, sort_keys=True)


@lru_cache(maxsize=1)
def _machine() -> dict[str, str]:
    try:
        driver = _NVIDIA_DRIVER.read_text(errors="replace").partition("\n")[0].strip()
    except OSError:
        driver = ""
    return {
        "tokometer": __version__,
        "library": library_fingerprint(),
        "system": f"{platform.system()} {platform.release()}",
        "driver": driver,
        "cpu": cpu_fingerprint(),
    }


@lru_cache(maxsize=256)
def settings_key(settings_json: str) -> str:
    """Return what makes two turns' load settings the same for speed: all but the file and the length of the context.

    Empty when the settings are unknown.
    """
    try:
        load = {name: value for name, value in json.loads(settings_json)["load"].items() if name not in _NOT_SPEED}
        if load.get("n_parallel") == 1:
            del load["n_parallel"]  # turns from before the setting was there were made so
        return json.dumps(load, sort_keys=True)
    except (ValueError, TypeError, KeyError, AttributeError):
        return ""


@lru_cache(maxsize=256)
def _parsed(text: str) -> Mapping[str, Any]:
    try:
        found = json.loads(text)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def changes(before_json: str, after_json: str) -> tuple[Change, ...]:
    """Return what differs between two environments, those that most often change speed first."""
    before, after = _parsed(before_json), _parsed(after_json)
    return tuple(
        Change(name, str(before[key]), str(after[key]))
        for key, name in _names().items()
        if key in before and key in after and before[key] != after[key]
    )


def _names() -> dict[str, str]:
    return {
        "library": Sentence("build of llama.cpp"),
        "driver": Sentence("GPU driver"),
        "backend": Sentence("backend"),
        "layers_offloaded": Sentence("layers on GPUs"),
        "n_threads": Sentence("threads"),
        "type_k": Sentence("type of K"),
        "type_v": Sentence("type of V"),
        "flash_attention": Sentence("flash attention"),
        "use_extra_bufts": Sentence("weight repacking"),
        "n_ubatch": Sentence("micro-batch"),
        "n_batch": Sentence("batch"),
        "cpu": Sentence("processor"),
        "system": Sentence("operating system"),
        "model_file_bytes": Sentence("model file"),
        "quantisation": Sentence("quantisation"),
        "tokometer": Sentence("Tokometer"),
    }
