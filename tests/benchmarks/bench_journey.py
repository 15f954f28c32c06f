"""Hundreds of turns in the whole window: growth, summaries, branches, versions and switches between conversations.

    python -m tests.benchmarks.bench_journey [ANSWERS [SEED]]          Ctrl+C ends it earlier

Three conversations take turns; one lets its context grow, one has its older turns summarised, one drops them. After
every turn what the engine was given is compared with the view made anew from the store, and the tokens it read with
what that view counts. Before every message that is sent, the line beside Send is read, and held against what came.
The engine's process is compared with what was foretold of it, early and late, saved KV caches included; the window and
its event loop with themselves.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import tempfile
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import psutil
from PySide6.QtWidgets import QApplication

from app.chat.conversation import prompt_messages
from app.chat.view import view_of
from app.engine.dry_run import DryRuns
from app.engine.factory import make_engine
from app.paths import paths
from app.telemetry.memory import memory_rows, settled
from app.telemetry.planner import Planner
from app.telemetry.speed import sample_of
from tests.benchmarks.journey_figures import Figures, Sent, Turned
from tests.benchmarks.loop import Gaps, wait, wait_until
from tests.benchmarks.yardstick import model_file
from ui.arguments import Arguments
from ui.parts import Parts, compose

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.chat.conversation import Conversation
    from app.chat.message import Message
    from app.engine.request import GenerationRequest
    from app.storage.store import Store

T = TypeVar("T")
TURNS = 300
SEED = 9
POLICIES = ("grow", "summarise", "drop")
LOAD = {"n_ctx_start": 512, "n_threads": 1}
"""A context that is soon full; one thread, which other programs delay least."""
ANSWER_TOKENS = 10
WORDS = ("the", "ferry", "leaves", "at", "dusk", "while", "lights", "of", "town", "grow", "small", "and", "rain")
SIZES = (3, 10, 25, 50)
FORECAST_MS = 3000


class Journey:
    """A user who is never content with one conversation."""

    def __init__(self, parts: Parts, figures: Figures, seed: int) -> None:
        self.parts = parts
        self.figures = figures
        self.chance = random.Random(seed)
        self.requests: list[GenerationRequest] = []
        self.deleted: list[str] = []
        self.last: list[str] = []
        self.weights: dict[Callable[[], None], float] = {
            self.send: 12,
            self.regenerate: 1,
            self.edit: 1,
            self.go_on: 1,
            self.step_back: 1,
            self.branch: 0.5,
            self.delete: 0.5,
            self.undelete: 0.5,
            self.pin: 0.5,
            self.summarise: 0.7,
            self.undo_summary: 0.3,
            self.switch: 2,
        }
        self._generate = parts.engine.generate
        parts.engine.generate = self._watched  # type: ignore[method-assign]

    def _watched(self, request: GenerationRequest, observe: object) -> object:
        if request.purpose == "answer":
            self.requests.append(request)
        return self._generate(request, observe)  # type: ignore[arg-type]

    @property
    def conversation(self) -> Conversation:
        return self.parts.chat.session.conversation

    def stored(self, read: Callable[[Store], T]) -> T:
        """What the store says, once all that was asked of it before is done."""
        found: list[T] = []
        self.parts.store.read(read, found.append)
        wait_until(lambda: bool(found))
        return found[0]

    def counted(self, messages: list[Message]) -> int | None:
        """Tokens of a rendered prompt."""
        found: list[int | None] = []
        self.parts.engine.ask(lambda engine: engine.count_tokens(messages), found.append)
        wait_until(lambda: bool(found))
        return found[0]

    def idle(self) -> None:
        parts = self.parts
        wait_until(lambda: parts.chat.can_answer and not parts.summaries.is_running)
        wait(20)  # the fits are made in a thread of their own

    def turn(self) -> None:
        """One question or another, and what came of it."""
        self.requests.clear()
        self.figures.sent = None
        steps = list(self.weights)
        step = self.chance.choices(steps, list(self.weights.values()))[0] if self.conversation.messages else self.send
        speed = self.parts.speed.speed
        step()
        self.idle()
        self.figures.done[step.__name__] += 1
        self.last = [*self.last[-3:], step.__name__]
        if model := self.parts.models.model:
            self.figures.models[model.n_ctx] = model
        last = self.parts.chat.session.last_answer
        if self.requests and last is not None and last.id in self.parts.chat.session.turns:
            self.check()
            self.compare(speed)

    def check(self) -> None:
        """Hold what was asked against the store."""
        session, request = self.parts.chat.session, self.requests[-1]
        stored = self.stored(lambda store: store.conversation(session.id))
        before = prompt_messages(replace(stored, messages=stored.messages[:-1]))
        given = [(message.role, message.content) for message in request.messages]
        is_same = given == [(message.role, message.content) for message in before]
        if request.continues is not None:
            is_same = is_same and stored.messages[-1].content.startswith(request.continues.content)
        stats = session.turns[stored.messages[-1].id].stats
        self.figures.checked += 1
        self.figures.differences += not is_same
        if request.continues is None:
            self.figures.resampled.append((stats.prompt_tokens or 0) - (self.counted(before) or 0))
        self.figures.unseen += view_of(stored).turns_out_of_view > 0
        if not is_same:
            print(f"given {given}, stored {[message.content for message in before]}", file=sys.stderr)

    def compare(self, speed: object) -> None:
        """Keep what the turn took beside what was foretold."""
        session = self.parts.chat.session
        stats = session.turns[session.conversation.messages[-1].id].stats
        sample = sample_of(stats)
        curve, line = getattr(speed, "ttft", None), getattr(speed, "tpot", None)
        ttft = tpot = None
        if hasattr(curve, "at") and sample.uncached_tokens and not stats.restored_tokens:
            ttft = curve.at(sample.uncached_tokens, sample.cached_tokens or 0)
        if hasattr(line, "at") and sample.tpot_s and sample.context_tokens:
            tpot = line.at(sample.context_tokens)
        window = psutil.Process().memory_info().rss
        sent = self.figures.sent
        if sent is not None and sent.new_tokens != sample.uncached_tokens:
            came = f"{stats.prompt_tokens} tokens, {stats.cached_tokens} of them cached"
            print(f"foretold {sent}, came {came}; {stats.cache_miss} After {self.last}", file=sys.stderr)
        process, saved = session.series.process_bytes, session.series.saved_bytes
        self.figures.turns.append(Turned(stats, sample, ttft, tpot, process, saved, window, self.figures.sent))
        self.figures.growths += len(stats.context_growths)

    # -- what asks the model ------------------------------------------------------------------------------------------

    def send(self) -> None:
        number = len(self.figures.turns)
        text = f"Remember locker {number}. {' '.join(self.chance.choices(WORDS, k=self.chance.choice(SIZES)))}?"
        parts, before = self.parts, self.conversation
        composer = parts.window.composer
        composer.set_text(text)
        waited = 0
        while (outlook := parts.forecast.outlook) is None and waited < FORECAST_MS:
            wait(50)
            waited += 50
        parts.room.send(text)
        wait_until(lambda: bool(self.requests) or bool(parts.window.room_bar.sentence))
        if parts.window.room_bar.sentence:
            self.figures.done["held"] += 1
            parts.room.cancel()
            composer.set_text("")
            return
        after = self.conversation
        is_as_foretold = (before.summaries, before.dropped_until) == (after.summaries, after.dropped_until)
        if not is_as_foretold:
            self.figures.done["summarised for room" if before.summaries != after.summaries else "dropped for room"] += 1
        elif outlook is not None:
            self.figures.sent = Sent(outlook.new_tokens, outlook.context_tokens_then, outlook.ttft)

    def regenerate(self) -> None:
        self.parts.room.regenerate_last()
        self._until_asked()

    def edit(self) -> None:
        asked = [message for message in self.conversation.in_view() if message.role == "user"]
        if asked:
            self.parts.room.edit(self.chance.choice(asked).id, "And " + " ".join(self.chance.choices(WORDS, k=20)))
            self._until_asked()

    def go_on(self) -> None:
        self.parts.room.go_on()
        self._until_asked()

    def _until_asked(self) -> None:
        """It is counted first, and room may be made; or nothing comes of it."""
        room = self.parts.room
        wait_until(lambda: bool(self.requests) or not room.is_trying or bool(self.parts.window.room_bar.sentence))
        if self.parts.window.room_bar.sentence:
            self.figures.done["held"] += 1
            room.cancel()

    # -- what shows something else, or changes the view ---------------------------------------------------------------

    def one(self) -> str:
        return self.chance.choice(self.conversation.messages).id

    def step_back(self) -> None:
        self.parts.branches.step_last(-1)

    def branch(self) -> None:
        self.parts.branches.branch_from(self.chance.choice(self.conversation.messages[-6:]).id)

    def delete(self) -> None:
        self.deleted = self.parts.branches.turn_of(self.one())
        self.parts.branches.delete(self.deleted)

    def undelete(self) -> None:
        with suppress(KeyError):  # of another conversation
            self.parts.branches.restore(self.conversation.id, [each for each in self.deleted if self._is_here(each)])

    def _is_here(self, message_id: str) -> bool:
        return message_id in self.parts.chat.session.tree

    def pin(self) -> None:
        pinned = [message.id for message in self.conversation.messages if message.pinned]
        if len(pinned) > 1:
            self.parts.branches.pin(pinned[0], pinned=False)
        else:
            self.parts.branches.pin(self.one(), pinned=True)

    def summarise(self) -> None:
        self.parts.summaries.start()

    def undo_summary(self) -> None:
        if summary := self.conversation.active_summary:
            self.parts.summaries.undo(self.conversation.id, summary.id)

    def switch(self) -> None:
        rows = self.stored(lambda store: store.conversations())
        if len(rows) < len(POLICIES):
            self.parts.chat.new()
            self.parts.view.set_on_full(self.conversation.id, POLICIES[len(rows)])
            return
        row = self.chance.choice(rows)
        self.parts.library.open(row.id)
        wait_until(lambda: self.parts.chat.session.id == row.id)


def main(home: Path) -> None:
    """Go on the journey and print the table."""
    turns = int(sys.argv[1]) if len(sys.argv) > 1 else TURNS
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else SEED
    arguments = Arguments(model_file(), LOAD)
    window = compose(QApplication(["tokometer"]), arguments, paths(), lambda: make_engine(home))
    window.resize(1360, 860)
    window.show()
    parts = window.findChild(Parts)
    assert parts is not None
    parts.settings.set(replace(parts.settings.value, max_tokens=ANSWER_TOKENS))
    wait_until(lambda: parts.models.model is not None)
    loaded = parts.models.model
    figures, gaps = Figures(), Gaps()
    journey = Journey(parts, figures, seed)
    stopped: list[int] = []
    signal.signal(signal.SIGINT, lambda number, _frame: stopped.append(number))
    gaps.start()
    while len(figures.turns) < turns and not stopped:
        journey.turn()
        figures.ticks.append(len(gaps.busy_ms))
        print(f"{len(figures.turns)} answers, {dict(figures.done)}", file=sys.stderr)
    gaps.stop()
    stored = journey.stored(lambda store: [store.conversation(row.id) for row in store.conversations()])
    methods = Counter(summary.method for conversation in stored for summary in conversation.summaries)
    config = parts.models.config
    window.close()
    assert config is not None
    assert loaded is not None
    before_bytes = (loaded.process_bytes or 0) - (loaded.grown_bytes or 0)
    planner = Planner(DryRuns(home))
    for n_ctx, model in figures.models.items():
        plan = planner.plan(settled(config, model))
        figures.unforeseen[n_ctx] = sum(abs(row.difference_bytes or 0) for row in memory_rows(plan, model))
        figures.foretold[n_ctx] = before_bytes + (plan.process_bytes or 0)
    planner.close()
    figures.print(methods, gaps)


if __name__ == "__main__":
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TOKOMETER_HOME"] = folder
        main(Path(folder))
