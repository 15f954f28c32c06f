"""A long conversation with the turns behind its answers, and an engine that streams at a steady pace."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING

from app.chat.conversation import Conversation
from app.chat.message import Message
from app.engine.events import (
    GenerationFinished,
    MemorySampled,
    PrefillProgressed,
    PromptTokenised,
    TextPiece,
    TokensGenerated,
)
from app.storage.turns import Turn
from app.telemetry.series import ConversationSeries
from tests.fakes import MIB, Answer, ScriptedEngine, fake_model
from tests.turns import recorded
from tests.ui.chat.samples import ANSWER

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.engine.events import GenerationEvent
    from app.engine.request import GenerationRequest

N_CTX = 131_072
TOKENS = re.findall(r"[\u3000-\uffff]|\s?[^\s\u3000-\uffff]{1,4}|\s", ANSWER)
"""About four Latin letters or one Chinese character each."""
BATCH_S = 0.016
MEMORY_EVERY_NS = 250_000_000


def conversation(messages: int) -> tuple[Conversation, list[Turn]]:
    """Return questions and answers in turn, the answers with headings, lists, code, a table, Chinese, Arabic."""
    pairs = [
        (Message("user", f"Question {number}: why is that so?"), Message("assistant", ANSWER, model="Fake 135M"))
        for number in range(messages // 2)
    ]
    series = ConversationSeries(model=fake_model(n_ctx=N_CTX))
    turns, context = [], 0
    for number, (_, answer) in enumerate(pairs):
        script = Answer(pieces=tuple(TOKENS), prompt_tokens=context + 20, cached_tokens=context, itl_ms=10 + number % 5)
        stats = recorded(script, n_ctx=N_CTX).stats
        context += 20 + len(TOKENS)
        series.process_bytes = 150 * MIB + context * 23_040
        series.context_tokens = context
        turns.append(Turn(answer.id, stats, (series.memory_point(),)))
    return Conversation(title="Long", messages=tuple(message for pair in pairs for message in pair)), turns


class PacingEngine(ScriptedEngine):
    """Writes at `rate` tokens per second for `seconds`, in batches like those of the real engine's process."""

    def __init__(self) -> None:
        super().__init__(model=None)
        self.rate, self.seconds = 200, 8.0
        self._next_model = fake_model(n_ctx=N_CTX)

    def generate(self, request: GenerationRequest) -> Iterator[GenerationEvent]:
        self._cancelled.clear()
        prompt = sum(len(message.content) // 4 for message in request.messages)
        cached = max(0, prompt - 20)
        started = time.perf_counter_ns()
        yield PromptTokenised(started, started, prompt, cached)
        yield PrefillProgressed(0, prompt - cached, started)
        begin = time.perf_counter_ns()
        yield PrefillProgressed(prompt - cached, prompt - cached, begin)
        period_ns, total, written, sampled = 10**9 / self.rate, round(self.rate * self.seconds), 0, 0
        while written < total and not self._cancelled.wait(BATCH_S):
            now = time.perf_counter_ns()
            due = range(written, min(total, int((now - begin) / period_ns)))
            if not due:
                continue
            written = due.stop
            text = "".join(TOKENS[number % len(TOKENS)] for number in due)
            instants = tuple(begin + round(number * period_ns) for number in due)
            yield TokensGenerated(instants, (TextPiece("answer", text),), prompt + written)
            if now - sampled > MEMORY_EVERY_NS:
                sampled = now
                yield MemorySampled(150 * MIB + (prompt + written) * 23_040, now)
        yield GenerationFinished("length", time.perf_counter_ns(), prompt + written)
