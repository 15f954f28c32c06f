"""How long the rest of a bench will take, from how long its parts took so far."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from app.engine.bench import BenchPhase, BenchTest

_FIRST_GUESS = 4.0
"""Decoding a token against reading one, until both were seen; replaced by the first of them."""


class TimeLeft:
    """Seconds per token read and per step decoded, of the model that is being measured."""

    def __init__(self, repetitions: int, warm_up: bool) -> None:
        self._runs = repetitions + (1 if warm_up else 0)
        self._read_s: float | None = None
        self._step_s: float | None = None

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

    def seconds(self, tests: Iterable[BenchTest], runs_done: int = 0) -> float | None:
        """Return how long these tests take, of which the first has done some runs; None when nothing was seen yet."""
        read_s, step_s = self._read_s, self._step_s
        if read_s is None and step_s is None:
            return None
        if read_s is None:
            read_s = (step_s or 0.0) / _FIRST_GUESS
        if step_s is None:
            step_s = read_s * _FIRST_GUESS
        total = 0.0
        depth = 0
        for test in tests:
            runs, runs_done = self._runs - runs_done, 0
            total += runs * (test.n_prompt * max(test.n_parallel, 1) * read_s + test.n_gen * step_s)
            if test.n_depth not in (0, depth):
                total += test.n_depth * read_s
                depth = test.n_depth
        return total
