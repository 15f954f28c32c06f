"""What a diagnosis looks at: one turn, with all that is known of how it was made."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from app.telemetry.ceilings import UNKNOWN_CEILINGS, Ceilings
from app.telemetry.roofline import PhasePoint, decode_point
from app.telemetry.speed import TpotLine, TtftCurve

if TYPE_CHECKING:
    from collections.abc import Mapping

    from app.engine.config import ModelConfig
    from app.engine.events import Device, LoadedModel
    from app.telemetry.speed import NotYet
    from app.telemetry.system_state import SystemState
    from app.telemetry.timings import TurnStats
    from app.telemetry.work import ModelWork

SLOW_TTFT_S = 1.0
"""From here on a first token is waited for (Nielsen 1993: 1 s is the limit of an uninterrupted train of thought)."""

SLOW_TPOT_S = 0.1
"""Ten tokens a second: about seven English words, somewhat faster than people read."""

NOTICEABLE = 1.25
"""A time that is a quarter longer than expected is not scatter."""


@dataclass(frozen=True, slots=True)
class Quantisation:
    """Another file of the same model in the library. `path` is what loads it."""

    name: str
    path: str
    file_bytes: int


@dataclass(frozen=True)
class Case:
    """One turn and its circumstances; what is left out is unknown, and the rules that need it stay silent.

    Attributes:
        config: the load settings as they were asked for; model: as they became.
        devices: with their memory now, while the model is loaded.
        system: of the time of the turn.
        work: of the loaded model with its context and KV types.
        ttft, tpot: fitted to earlier turns with this model and these settings.
        previous_context_tokens: cells the conversation held when the turn began.
        message_tokens: of the user's new message alone.
        turns_since_load: answers of this model before this one.
        cores: physical cores the engine may use.
        gpu_layers_that_fit, n_ctx_that_fits: of a plan of memory.
        quantisations: of the same model, in the library.
        requests_waiting: answers asked for while this one was written.
        sweep: batch size -> measured tokens/s of all sequences together.
    """

    stats: TurnStats
    model: LoadedModel
    config: ModelConfig
    devices: tuple[Device, ...] = ()
    ceilings: Ceilings = UNKNOWN_CEILINGS
    system: SystemState | None = None
    work: ModelWork | None = None
    ttft: TtftCurve | NotYet | None = None
    tpot: TpotLine | NotYet | None = None
    previous_context_tokens: int = 0
    message_tokens: int | None = None
    turns_since_load: int = 1
    cores: int | None = None
    gpu_layers_that_fit: int | None = None
    n_ctx_that_fits: int | None = None
    quantisations: tuple[Quantisation, ...] = ()
    requests_waiting: int = 0
    sweep: Mapping[int, float] = field(default_factory=dict)

    @property
    def curve(self) -> TtftCurve | None:
        """The TTFT curve once there is one."""
        return self.ttft if isinstance(self.ttft, TtftCurve) else None

    @property
    def line(self) -> TpotLine | None:
        """The TPOT line once there is one."""
        return self.tpot if isinstance(self.tpot, TpotLine) else None

    @property
    def uncached_tokens(self) -> int:
        """Tokens of the prompt that were read; 0 when unknown."""
        return (self.stats.prompt_tokens or 0) - (self.stats.cached_tokens or 0)

    @property
    def context_tokens(self) -> float:
        """Context in the middle of the answer."""
        return (self.stats.prompt_tokens or 0) + self.stats.completion_tokens / 2

    @property
    def gpus(self) -> tuple[Device, ...]:
        """GPUs of this machine and its RPC servers."""
        return tuple(device for device in self.devices if device.kind in ("gpu", "igpu"))

    @cached_property
    def decode(self) -> PhasePoint | None:
        """The decode on the roofline; None where the model's work is not known."""
        return decode_point(self.work, self.ceilings, self.stats) if self.work is not None else None

    @property
    def first_token_is_slow(self) -> bool:
        """Whether the user waited for it."""
        return (self.stats.ttft_s or 0.0) >= SLOW_TTFT_S

    @property
    def writing_is_slow(self) -> bool:
        """Whether the answer came slower than it is read."""
        return (self.stats.tpot_s or 0.0) >= SLOW_TPOT_S

    @property
    def prefill_dominates(self) -> bool:
        """Whether at least half of the wait for the first token was reading."""
        return bool(self.stats.ttft_s and (self.stats.prefill_s or 0.0) >= self.stats.ttft_s / 2)

    @property
    def times_slower(self) -> float | None:
        """TPOT against what earlier turns foretell at this context; None without a line or an answer."""
        if self.line is None or self.stats.tpot_s is None:
            return None
        expected = self.line.at(self.context_tokens).value
        return self.stats.tpot_s / expected if expected else None

    @property
    def writing_is_slower_than_expected(self) -> bool:
        """Noticeably slower than foretold, beyond the scatter of the turns; without a forecast, slow at all."""
        times = self.times_slower
        if times is None or self.line is None or self.stats.tpot_s is None:
            return self.writing_is_slow
        return times >= NOTICEABLE and self.stats.tpot_s > self.line.at(self.context_tokens).high
