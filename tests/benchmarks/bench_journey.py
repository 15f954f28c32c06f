"""Hundreds of turns in the whole window, with growth, summaries, branches and switches between conversations.

    python -m tests.benchmarks.bench_journey [TURNS]

After every turn what the engine was given is compared with the view made anew from the store. Printed are how often
they differed (goal: never), how far TTFT and TPOT were from what was foretold before the turn, and whether the engine's
process, at the same length of the context, grew between the first and the last time it had that length.
"""

from __future__ import annotations

import os
import random
import sys
import tempfile
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from app.chat.conversation import prompt_messages
from tests.benchmarks.loop import wait, wait_until
from tests.benchmarks.yardstick import model_file, spread, table
from ui.application import create
from ui.parts import Parts

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.engine.request import GenerationRequest
    from app.storage.store import Store
    from app.telemetry.timings import TurnStats

T = TypeVar("T")
TURNS = 300
CONVERSATIONS = 3
ANSWER_TOKENS = 12
WORDS = ("the", "ferry", "leaves", "at", "dusk", "while", "lights", "of", "town", "grow", "small", "and", "rain")
SIZES = (8, 30, 120, 250)


class Journey:
    """A user who is never content with one conversation."""

    def __init__(self, parts: Parts) -> None:
        self.parts = parts
        self.chance = random.Random(9)
        self.done: Counter[str] = Counter()
        self.differences = 0
        self.ttft: list[float] = []
        self.tpot: list[float] = []
        self.process: dict[int, list[int]] = {}
        self.requests: list[GenerationRequest] = []
        self._generate = parts.engine.generate
        parts.engine.generate = self._watched  # type: ignore[method-assign]

    def _watched(self, request: GenerationRequest, observe: object) -> object:
        if request.purpose == "answer":
            self.requests.append(request)
        return self._generate(request, observe)  # type: ignore[arg-type]

    def stored(self, read: Callable[[Store], T]) -> T:
        """What the store says, once all that was asked of it before is done."""
        found: list[T] = []
        self.parts.store.read(read, found.append)
        wait_until(lambda: bool(found))
        return found[0]

    def idle(self) -> None:
        parts = self.parts
        wait_until(lambda: parts.chat.can_answer and not parts.summaries.is_running)
        wait(20)  # the fits are made in a thread of their own

    def turn(self) -> None:
        """One question or another, and what came of it."""
        speed = self.parts.speed.speed
        self.requests.clear()
        step = self.chance.choices(
            (self.send, self.regenerate, self.edit, self.step_back, self.switch), (12, 1, 1, 1, 2)
        )[0]
        if not self.parts.chat.session.conversation.messages:
            step = self.send
        step()
        self.idle()
        self.done[step.__name__] += 1
        session = self.parts.chat.session
        stored = self.stored(lambda store: store.conversation(session.id)) if self.requests else None
        last = session.last_answer
        if stored is None or last is None or last.id not in session.turns:
            return
        before = replace(stored, messages=stored.messages[:-1])
        given = [(message.role, message.content) for message in self.requests[-1].messages]
        self.differences += given != [(message.role, message.content) for message in prompt_messages(before)]
        self.compare(session.turns[last.id].stats, speed)

    def compare(self, stats: TurnStats, speed: object) -> None:
        model = self.parts.models.model
        process_bytes = self.parts.chat.session.series.process_bytes
        if model is not None and process_bytes is not None:
            self.process.setdefault(model.n_ctx, []).append(process_bytes)
        uncached = (stats.prompt_tokens or 0) - (stats.cached_tokens or 0)
        ttft, tpot = getattr(speed, "ttft", None), getattr(speed, "tpot", None)
        if ttft is not None and hasattr(ttft, "at") and stats.ttft_s and not stats.restored_tokens:
            self.ttft.append(abs(ttft.at(uncached, stats.cached_tokens or 0).value / stats.ttft_s - 1))
        if tpot is not None and hasattr(tpot, "at") and stats.tpot_s and stats.context_tokens:
            self.tpot.append(abs(tpot.at(stats.context_tokens).value / stats.tpot_s - 1))

    def send(self) -> None:
        text = " ".join(self.chance.choices(WORDS, k=self.chance.choice(SIZES)))
        self.parts.room.send(f"Remember locker {len(self.ttft)}. {text}?")
        wait_until(lambda: self.requests or self.parts.summaries.is_running)
        wait_until(lambda: bool(self.requests))

    def regenerate(self) -> None:
        self.parts.room.regenerate_last()

    def edit(self) -> None:
        asked = [m for m in self.parts.chat.session.conversation.in_view() if m.role == "user"]
        if asked:
            self.parts.branches.edit(self.chance.choice(asked).id, "And " + " ".join(self.chance.choices(WORDS, k=20)))

    def step_back(self) -> None:
        self.parts.branches.step_last(-1)

    def switch(self) -> None:
        rows = self.stored(lambda store: store.conversations())
        if len(rows) < CONVERSATIONS:
            self.parts.chat.new()
            return
        row = self.chance.choice(rows)
        self.parts.library.open(row.id)
        wait_until(lambda: self.parts.chat.session.id == row.id)


def errors(found: list[float]) -> str:
    """Errors in percent, once there was something to foretell from."""
    return spread([100 * error for error in found], " %") if found else "n/a"


def main() -> None:
    """Go on the journey and print the table."""
    turns = int(sys.argv[1]) if len(sys.argv) > 1 else TURNS
    _application, window = create(["tokometer", "-m", str(model_file())])
    window.resize(1360, 860)
    window.show()
    parts = window.findChild(Parts)
    assert parts is not None
    parts.settings.set(replace(parts.settings.value, max_tokens=ANSWER_TOKENS))
    wait_until(lambda: parts.models.model is not None)
    journey = Journey(parts)
    for _ in range(turns):
        journey.turn()
    summaries = journey.stored(
        lambda store: sum(len(store.conversation(row.id).summaries) for row in store.conversations())
    )
    window.close()
    drift = [(n_ctx, seen[-1] / seen[0]) for n_ctx, seen in sorted(journey.process.items()) if len(seen) > 1]
    table(
        f"A journey of {turns} turns",
        [
            ("what was done", ", ".join(f"{name} {count}" for name, count in journey.done.most_common())),
            ("summaries laid", str(summaries)),
            ("prompts that were not the view in the store (goal: 0)", str(journey.differences)),
            ("error of the TTFT foretold", errors(journey.ttft)),
            ("error of the TPOT foretold", errors(journey.tpot)),
            ("process, last / first time at each n_ctx", ", ".join(f"{n:,}: {ratio:.3f}" for n, ratio in drift)),
        ],
    )


if __name__ == "__main__":
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    with tempfile.TemporaryDirectory() as home:
        os.environ["TOKOMETER_HOME"] = home
        main()
