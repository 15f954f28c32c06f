"""How long the rest of a bench will take, from how long its parts took so far."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from app.engine.bench import BenchPhase, BenchTest
    from app.telemetry.timings import TurnStats

_FIRST_GUESS = 4.0
"""Decoding a token against reading one, until both were seen; replaced by the first of them."""


@dataclass(frozen=True, slots=True)
class Work:
    """What is left to be done with one model.

    Attributes:
        tests: tests and whole answers, in order.
        loads: how often it will be loaded for them.
        model_bytes: of its files; 0 when that is not known.
    """

    tests: tuple[BenchTest, ...]
    loads: int = 0
    model_bytes: int = 0


class TimeLeft:
    """Seconds per load, per token read and per step decoded, of the model that is being measured.

    Those of another model are taken to be in proportion to its files until it was seen itself.
    """

    def __init__(self, repetitions: int, warm_up: bool) -> None:
        self._runs = repetitions + (1 if warm_up else 0)
        self._load_s: float | None = None
        self._read_s: float | None = None
        self._step_s: float | None = None
        self._bytes = 0

    def begin(self, model_bytes: int) -> None:
        """From now on this model is measured."""
        factor = self._factor(model_bytes)
        self._load_s, self._read_s, self._step_s = (
            None if seconds is None else seconds * factor for seconds in (self._load_s, self._read_s, self._step_s)
        )
        self._bytes = model_bytes

    def observe_load(self, elapsed_ns: int) -> None:
        """Take note of how long a load took."""
        self._load_s = elapsed_ns / 1e9

    def observe(self, test: BenchTest, phase: BenchPhase, elapsed_ns: int) -> None:
        """Take note of how long a part took."""
        elapsed_s = elapsed_ns / 1e9
        if phase == "depth":
            self._read_s = elapsed_s / test.n_depth
        elif phase == "warm_up" and (test.n_gen or test.n_parallel):
            return  # reads the prompt and decodes one token, or 16 tokens: tells neither
        elif not test.n_gen:
            self._read_s = elapsed_s / test.n_prompt
        elif not test.n_prompt:
            self._step_s = elapsed_s / test.n_gen

    def observe_answer(self, stats: TurnStats) -> None:
        """Take note of how long a whole answer took."""
        if rate := stats.prefill_tokens_per_s:
            self._read_s = 1 / rate
        if stats.tpot_s is not None:
            self._step_s = stats.tpot_s

    def seconds(self, works: Iterable[Work], runs_done: int = 0) -> float | None:
        """Return how long all of this takes; None when nothing was seen yet.

        Args:
            works: that of the model under way first.
            runs_done: how many runs of its first test are done.
        """
        read_s, step_s = self._read_s, self._step_s
        if read_s is None and step_s is None:
            return None
        if read_s is None:
            read_s = (step_s or 0.0) / _FIRST_GUESS
        if step_s is None:
            step_s = read_s * _FIRST_GUESS
        total = 0.0
        for work in works:
            seconds = work.loads * (self._load_s or 0.0)
            depth = 0
            for test in work.tests:
                runs, runs_done = self._runs - runs_done, 0
                seconds += runs * (test.n_prompt * max(test.n_parallel, 1) * read_s + test.n_gen * step_s)
                if test.n_depth not in (0, depth):
                    seconds += test.n_depth * read_s
                    depth = test.n_depth
            total += seconds * self._factor(work.model_bytes)
        return total

    def _factor(self, model_bytes: int) -> float:
        """How much longer a model of that size takes than the present one."""
        return model_bytes / self._bytes if model_bytes and self._bytes else 1.0
