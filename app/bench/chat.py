"""What a chat really gets: whole answers through template, tokenizer, prefill, sampler and text, timed as turns are."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

from app.bench.row import BenchRow
from app.chat.message import Message
from app.engine.request import GenerationRequest
from app.engine.sampling import Sampling
from app.errors import TokometerError
from app.telemetry.recorder import TurnRecorder

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.bench.row import Subject
    from app.engine.base import Engine
    from app.engine.bench import BenchTest
    from app.engine.events import LoadedModel
    from app.telemetry.timings import TurnStats

_TASK = "Continue this story with as many details as you can."
_SENTENCE = " The ferry left the harbour at dusk, and the lights of the town grew small behind it."
_SEED = 1


class ChatTest:
    """Answers of about `test.n_gen` tokens to a prompt of about `test.n_prompt`, each into an empty KV cache.

    Attributes:
        answers: the stats of those that count, in order.
        error: one sentence once an answer failed.
    """

    def __init__(self, engine: Engine, test: BenchTest, is_cancelled: Callable[[], bool] = lambda: False) -> None:
        self._engine = engine
        self._is_cancelled = is_cancelled
        self._test = test
        self.answers: list[TurnStats] = []
        self.error = ""
        try:
            self._messages = self._prompt()
        except TokometerError as error:
            self.error = str(error)

    def _prompt(self) -> tuple[Message, ...]:
        """The longest text of whole sentences whose prompt is not longer than asked; one sentence at least."""
        low, high = 1, max(self._test.n_prompt // 8, 1)
        while low < high:
            middle = (low + high + 1) // 2
            if self._engine.count_tokens(_story(middle)) <= self._test.n_prompt:
                low = middle
            else:
                high = middle - 1
        return _story(low)

    def answer(self, *, keep: bool) -> TurnStats | None:
        """Get one answer; `keep` tells a warm-up from one that counts. One that was cancelled never counts.

        Returns its stats, None when it was cancelled before it began.
        """
        self._engine.forget()
        request = GenerationRequest(
            self._messages, time.perf_counter_ns(), Sampling(seed=_SEED), max_tokens=self._test.n_gen
        )
        if self._is_cancelled():  # a later cancel finds a request that is older than it
            return None
        recorder = TurnRecorder(request.submitted_ns)
        for event in self._engine.generate(request):
            recorder.observe(event)
        stats = recorder.stats
        if stats.error:
            self.error = stats.error
        elif keep and stats.finish_reason != "cancelled" and stats.e2e_s is not None:
            self.answers.append(stats)
        return stats

    def row(self, subject: Subject, loaded: LoadedModel, began: str) -> BenchRow:
        """Return the answers as a result; its `n_prompt` is what the prompt really had."""
        answers, test = self.answers, self._test
        return BenchRow(
            method="end-to-end",
            subject=subject,
            test=replace(test, n_prompt=answers[0].prompt_tokens or 0) if answers else test,
            samples_ns=tuple(round((stats.e2e_s or 0.0) * 1e9) for stats in answers),
            sample_tokens=tuple((stats.prompt_tokens or 0) + stats.completion_tokens for stats in answers),
            n_threads=loaded.n_threads,
            n_ctx=loaded.n_ctx,
            test_time=began,
            ttft_s=tuple(stats.ttft_s for stats in answers),
            tpot_s=tuple(stats.tpot_s for stats in answers),
        )


def _story(sentences: int) -> tuple[Message, ...]:
    return (Message("user", _TASK + _SENTENCE * sentences),)
