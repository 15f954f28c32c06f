"""What a diagnosis says: a sentence with its evidence, and remedies with the effect they promise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from app.errors import Sentence

Severity = Literal["problem", "warning", "notice"]
"""Worst first. `problem`: set wrong or failing; `warning`: slower or fuller than it need be; `notice`: how it is."""

Action = Literal[
    "new_conversation", "summarise", "kv_type", "kv_offload", "context", "gpu_layers", "threads", "batch_size",
    "smaller_quant",
]  # fmt: skip
Metric = Literal["ttft_s", "tpot_s", "memory_bytes"]
Unit = Literal["s", "tokens", "bytes", "bytes/s", "tokens/s", "share", "times", "count", ""]


class Evidence(NamedTuple):
    """One number behind a finding. `name` is a `Sentence`, `value` is in `unit`; a share is 0 to 1."""

    name: str
    value: float | str
    unit: Unit


@dataclass(frozen=True, slots=True)
class Effect:
    """What a remedy should change; `after` is None where no model can say."""

    metric: Metric
    before: float
    after: float | None


@dataclass(frozen=True, slots=True)
class Remedy:
    """Something the product can do with one click.

    Attributes:
        value: what to set, such as a number of threads, a KV type, a context length or a model's path.
    """

    action: Action
    sentence: Sentence
    expected: Effect
    value: int | str | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """One cause, with its numbers."""

    key: str
    severity: Severity
    sentence: Sentence
    evidence: tuple[Evidence, ...]
    remedies: tuple[Remedy, ...] = ()
