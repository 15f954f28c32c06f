"""A window that is used at random until it is killed; started by `bench_kills` with: seed.

Everything is real but the model. Before each operation it says what the conversation is to become; after it, what the
store has.
"""

from __future__ import annotations

import os
import random
import sys
import time
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtWidgets import QApplication, QDialog, QPushButton

from app.chat.message import Message
from app.chat.policy import Cut, Drop, Hold, Limits, decide, measure
from app.chat.tree import MessageTree
from app.paths import paths
from tests.benchmarks.telling import N_CTX, TimedEngine, say, seen, until
from tests.planners import scripted_planners
from ui.arguments import Arguments
from ui.garbage import GarbageCollector
from ui.parts import Parts, compose

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.chat.conversation import Conversation
    from app.storage.store import Store

T = TypeVar("T")
CONVERSATIONS = 3


@dataclass(frozen=True, slots=True)
class Plan:
    """One operation.

    Attributes:
        views: what the conversation is to become, one after the other; None: that is said when it is known.
        streams: its last message may stop anywhere.
    """

    act: Callable[[], None]
    views: list[Conversation] | None = field(default_factory=list)
    streams: bool = False
    name: str = ""


class User:
    """Plans one thing after another, and does it."""

    def __init__(self, parts: Parts, engine: TimedEngine, chance: random.Random) -> None:
        self.parts, self.engine, self.chance = parts, engine, chance
        self.deleted: list[str] = []
        self.numbers = count(1)
        self.is_watching = False
        self._write = parts.store.write
        parts.store.write = self._watched  # type: ignore[method-assign]
        self.steps = (
            *(self.send, self.send, self.send_and_stop, self.edit, self.edit_answer, self.regenerate, self.go_on),
            *(self.step, self.step, self.branch, self.delete, self.delete_turn, self.undelete, self.pin, self.pin),
            *(self.summarise, self.preview, self.look, self.undo_summary, self.undo_summary, self.drop, self.restore),
            *(self.new, self.open),
        )

    def _watched(self, operation: Callable[[Store], object]) -> None:
        if self.is_watching:
            say(next=seen(self.conversation))
        self._write(operation)

    @property
    def conversation(self) -> Conversation:
        return self.parts.chat.session.conversation

    def stored(self, read: Callable[[Store], T]) -> T:
        found: list[T] = []
        self.parts.store.read(read, found.append)
        until(lambda: bool(found))
        return found[0]

    def is_idle(self) -> bool:
        parts = self.parts
        return parts.chat.can_answer and not parts.summaries.is_running and not parts.preview.is_open

    def do_something(self) -> None:
        """Plan, tell, do, and tell what came of it."""
        step = self.chance.choice(self.steps) if self.conversation.messages else self.send
        self.engine.next_answer = self.words("a", self.chance.choice((5, 60, 150)))
        plan = step()
        if plan is None:
            return
        views = [seen(view) for view in plan.views or ()]
        say(begin=plan.name or step.__name__, id=self.conversation.id, views=views, streams=plan.streams)
        self.is_watching = plan.views is None
        plan.act()
        until(self.is_idle)
        self.is_watching = False
        session = self.parts.chat.session
        say(end=seen(self.stored(lambda store: store.conversation(session.id))), shown=seen(session.conversation))

    def words(self, kind: str, number: int) -> tuple[str, ...]:
        """Words that no other message has."""
        name = f"{kind}{next(self.numbers)}.{self.chance.randrange(10**6)}"
        return tuple(f"{name}-{word} " for word in range(number))

    def answer(self) -> Message:
        return Message("assistant", "".join(self.engine.next_answer))

    def asked(self, act: Callable[[], None]) -> Callable[[], None]:
        """Wait until what was asked is under way."""
        requests = len(self.engine.requests)

        def ask() -> None:
            act()
            until(lambda: len(self.engine.requests) > requests)

        return ask

    def one(self, role: str = "") -> int | None:
        """The index of some message."""
        found = [i for i, message in enumerate(self.conversation.messages) if role in ("", message.role)]
        return self.chance.choice(found) if found else None

    def tree(self) -> MessageTree:
        return MessageTree(self.parts.chat.session.tree)

    def along(self, tree: MessageTree) -> Conversation:
        """The conversation with another tree."""
        session = self.parts.chat.session
        placed = {node.summary_id for node in tree}
        ids = [*(each for each in session.summaries if each not in placed), *tree.summaries()]
        return replace(
            self.conversation,
            dropped_until=tree.dropped_until,
            messages=tuple(session.messages[each] for each in tree.path()),
            summaries=tuple(session.summaries[each] for each in ids),
        )

    def extended(self, conversation: Conversation, *messages: Message) -> Conversation:
        return replace(conversation, messages=(*conversation.messages, *messages))

    def cut_at(self, index: int, *messages: Message) -> Conversation:
        return self.extended(replace(self.conversation, messages=self.conversation.messages[:index]), *messages)

    # -- what asks the model ------------------------------------------------------------------------------------------

    def send(self) -> Plan | None:
        question = Message("user", "".join(self.words("q", self.chance.choice((3, 30, 200)))).strip())
        before = self.conversation
        turn = measure(self.extended(before, question), self.engine.count_tokens, Limits.of(N_CTX, N_CTX, "drop"))
        decision, views, name = decide(turn, "drop"), [], "send"
        if isinstance(decision, Hold):
            return None
        if isinstance(decision, Drop):
            before = replace(before, dropped_until=decision.cut.until)
            views, name = [before], "policy drop and send"
        views.append(self.extended(before, question, self.answer()))
        return Plan(self.asked(lambda: self.parts.room.send(question.content)), views, streams=True, name=name)

    def send_and_stop(self) -> Plan | None:
        plan = self.send()
        if plan is None:
            return None

        def act() -> None:
            plan.act()
            until_ns = time.monotonic_ns() + int(self.chance.uniform(0, 0.3) * 1e9)
            until(lambda: time.monotonic_ns() > until_ns)
            self.parts.chat.stop()

        return replace(plan, act=act, name=f"{plan.name}, stopped")

    def edit(self) -> Plan | None:
        index = self.one("user")
        if index is None:
            return None
        former, text = self.conversation.messages[index], " ".join(self.words("e", 5)).strip()
        view = self.cut_at(index, replace(former, content=text), self.answer())
        act = self.asked(lambda: self.parts.branches.edit(former.id, text))
        return Plan(act, [self.with_new_ids(view, index)], streams=True)

    def with_new_ids(self, conversation: Conversation, index: int) -> Conversation:
        """What is written anew is another message: no summary ends at it."""
        messages = conversation.messages
        return replace(
            conversation,
            messages=(*messages[:index], *(replace(each, id=f"new {each.id}") for each in messages[index:])),
        )

    def edit_answer(self) -> Plan | None:
        index = self.one("assistant")
        if index is None:
            return None
        former, text = self.conversation.messages[index], " ".join(self.words("e", 5)).strip()
        view = self.with_new_ids(self.cut_at(index, replace(former, content=text)), index)
        return Plan(lambda: self.parts.branches.edit(former.id, text), [view])

    def regenerate(self) -> Plan | None:
        index = self.one()
        assert index is not None
        former = self.conversation.messages[index]
        view = self.cut_at(index if former.role == "assistant" else index + 1, self.answer())
        return Plan(self.asked(lambda: self.parts.branches.regenerate(former.id)), [view], streams=True)

    def go_on(self) -> Plan | None:
        if not self.parts.branches.is_continuable:
            return None
        last = self.conversation.messages[-1]
        longer = replace(last, content=last.content + "".join(self.engine.next_answer))
        view = self.cut_at(len(self.conversation.messages) - 1, longer)
        return Plan(self.asked(self.parts.branches.continue_last), [view], streams=True)

    # -- what shows something else ------------------------------------------------------------------------------------

    def step(self) -> Plan | None:
        tree = self.tree()
        several = [message.id for message in self.conversation.messages if len(tree.versions(message.id)) > 1]
        if not several:
            return None
        one = self.chance.choice(several)
        versions = tree.versions(one)
        here = versions.index(one)
        by = self.chance.choice([by for by in (-1, 1) if 0 <= here + by < len(versions)])
        tree.show(tree.newest_leaf(versions[here + by]), 0)
        return Plan(lambda: self.parts.branches.step(one, by), [self.along(tree)])

    def branch(self) -> Plan | None:
        index = self.one()
        assert index is not None
        one = self.conversation.messages[index].id
        return Plan(lambda: self.parts.branches.branch_from(one), [self.cut_at(index + 1)])

    def new(self) -> Plan | None:
        if len(self.stored(lambda store: store.conversations())) < CONVERSATIONS:
            self.deleted.clear()
            self.parts.chat.new()
        return None

    def open(self) -> Plan | None:
        row = self.chance.choice(self.stored(lambda store: store.conversations()))
        self.open_id(row.id)
        return None

    def open_id(self, conversation_id: str) -> None:
        self.deleted.clear()
        self.parts.library.open(conversation_id)
        until(lambda: self.parts.chat.session.id == conversation_id)

    # -- what changes the view ----------------------------------------------------------------------------------------

    def delete(self) -> Plan | None:
        index = self.one()
        assert index is not None
        return self._deleting([self.conversation.messages[index].id])

    def delete_turn(self) -> Plan | None:
        index = self.one()
        assert index is not None
        return self._deleting(self.parts.branches.turn_of(self.conversation.messages[index].id))

    def _deleting(self, ids: list[str]) -> Plan | None:
        ends = {summary.covers_until for summary in self.conversation.summaries if not summary.undone}
        if ends & set(ids):
            return None
        tree = self.tree()
        tree.set_deleted(ids, True)
        self.deleted = ids
        return Plan(lambda: self.parts.branches.delete(ids), [self.along(tree)])

    def undelete(self) -> Plan | None:
        ids, self.deleted = self.deleted, []
        if not ids:
            return None
        tree, session = self.tree(), self.parts.chat.session
        tree.set_deleted(ids, False)
        return Plan(lambda: self.parts.branches.restore(session.id, ids), [self.along(tree)])

    def pin(self) -> Plan | None:
        index = self.one()
        assert index is not None
        messages = self.conversation.messages
        one = messages[index]
        pinned = replace(one, pinned=not one.pinned and self.chance.random() < 0.3)
        view = replace(self.conversation, messages=(*messages[:index], pinned, *messages[index + 1 :]))
        return Plan(lambda: self.parts.branches.pin(one.id, pinned.pinned), [view])

    def drop(self) -> Plan | None:
        index, session = self.one(), self.parts.chat.session
        assert index is not None
        one = self.conversation.messages[index].id
        view = replace(self.conversation, dropped_until=one)
        return Plan(lambda: self.parts.view.drop(session, Cut(one, 1, 1)), [view])

    def restore(self) -> Plan | None:
        return Plan(self.parts.view.restore, [replace(self.conversation, dropped_until="")])

    def summarise(self) -> Plan | None:
        return Plan(self.parts.summaries.start, None)

    def preview(self) -> Plan | None:
        return Plan(lambda: self._look(is_wanted=True), None, name="preview, accepted if it saves")

    def look(self) -> Plan | None:
        return Plan(lambda: self._look(is_wanted=False), None, name="preview, cancelled")

    def _look(self, *, is_wanted: bool) -> None:
        preview = self.parts.preview
        preview.open()
        if not preview.is_open:
            return
        (dialog,) = (each for each in self.parts.window.findChildren(QDialog, "summary_dialog") if each.isVisible())
        if not is_wanted:
            until_ns = time.monotonic_ns() + int(self.chance.uniform(0, 0.1) * 1e9)
            until(lambda: time.monotonic_ns() > until_ns)
            dialog.reject()
            return
        until(lambda: not self.parts.summaries.is_running)
        dialog.accept()  # does nothing where nothing is there that would save something
        until(lambda: not preview.is_open or dialog.findChild(QPushButton, "summary_again").isEnabled())
        if preview.is_open:
            dialog.reject()

    def undo_summary(self) -> Plan | None:
        if not self.conversation.summaries:
            return None
        summary, session = self.chance.choice(self.conversation.summaries), self.parts.chat.session
        view = self.conversation.with_summary_undone(summary.id, not summary.undone)
        return Plan(lambda: self.parts.summaries.undo(session.id, summary.id, undone=not summary.undone), [view])


def main(seed: int) -> None:
    """Open the window on what is there, and use it for ever."""
    chance = random.Random(seed)
    engine = TimedEngine(random.Random(seed))
    application = QApplication(["tokometer"])
    window = compose(application, Arguments(Path("fake.gguf").absolute()), paths(), lambda: engine, scripted_planners)
    parts = window.findChild(Parts)
    assert parts is not None
    parts.begun.connect(GarbageCollector(window).begin)
    window.show()
    until(lambda: parts.models.model is not None)
    parts.settings.set(replace(parts.settings.value, on_full="drop"))
    user = User(parts, engine, chance)
    if rows := user.stored(lambda store: store.conversations()):
        user.open_id(chance.choice(rows).id)
    say(ready=True)
    while True:
        user.do_something()


if __name__ == "__main__":
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    main(int(sys.argv[1]))
