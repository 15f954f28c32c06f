"""Summaries cancelled, failing and killed at random points: the view is the old one or the new one, never between."""

import random

import pytest
from PySide6.QtCore import QCoreApplication, QEventLoop

from tests.fakes import Answer, ScriptedEngine

LONG = ("word ",) * 60
SUMMARIES = (
    Answer(pieces=("- First ferries, ", "Second ferries."), prompt_tokens=200),
    Answer(pieces=("- First ferries: ", *("ferries, ",) * 8, "Second ferries."), delay_s=0.0005, prompt_tokens=200),
    Answer(pieces=("",), prompt_tokens=200),
    Answer(pieces=(), finish_reason="failed", error="The template refuses this."),
    Answer(pieces=("- First",), finish_reason="cancelled"),
)
ROUNDS = 200
WINDOWS = 12


class Dice:
    """A seeded source of points in time."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def wait(self) -> None:
        """Let the window do a few things."""
        for _ in range(self._random.choice((0, 1, 2, 4, 8, 16, 32))):
            QCoreApplication.processEvents(QEventLoop.ProcessEventsFlag.AllEvents, 1)

    def choose(self, *choices):
        return self._random.choice(choices)


@pytest.fixture
def talk(open_desk):
    engine = ScriptedEngine(*[Answer(pieces=LONG)] * 4)
    desk = open_desk(engine)
    for number in ("First", "Second", "Third", "Fourth"):
        desk.ask(f"{number} ferries " * 10)
    return desk


def stored(desk, conversation_id: str):
    return desk.stored(lambda store: store.conversation(conversation_id))


def views(conversation) -> set[tuple[str, ...]]:
    """The views the model may be given: the whole, or what a whole summary leaves."""
    ids = [message.id for message in conversation.messages]
    ends = {0, *(ids.index(summary.covers_until) + 1 for summary in conversation.summaries)}
    return {tuple(ids[end:]) for end in ends}


def test_two_hundred_cancelled_at_random_points(talk):
    desk, dice = talk, Dice(6)
    summaries, session = desk.parts.summaries, desk.parts.chat.session
    messages = session.conversation.messages
    laid = 0
    for _ in range(ROUNDS):
        before = session.conversation.summaries
        answers = [dice.choose(*SUMMARIES) for _ in range(3)]
        desk.engine.answers.clear()
        desk.engine.answers.extend(answers)
        kind = dice.choose("room", "background", "preview")
        ends = []
        if kind == "room":
            summaries.start_for_room(ends.append)
        elif kind == "background":
            summaries.start_in_background(ends.append)
        else:
            desk.parts.preview.open()
        dice.wait()
        dice.choose(summaries.cancel, summaries.give_way, desk.parts.commands.stop, lambda: None)()
        desk.qtbot.waitUntil(lambda: not summaries.is_running)
        if desk.parts.preview.is_open:
            dialog = desk.parts.preview._opened()
            dice.choose(dialog.accept, dialog.reject)()
            dice.wait()
        if desk.parts.preview.is_open:
            desk.parts.preview._opened().reject()
        assert len(ends) == (0 if kind == "preview" else 1)
        after = session.conversation.summaries
        assert after[: len(before)] == before
        assert len(after) - len(before) in (0, 1)
        if ends:
            assert ends == [len(after) > len(before)]
        assert session.conversation.messages == messages
        shown = tuple(message.id for message in session.conversation.in_view())
        assert shown in views(session.conversation)
        kept = stored(desk, session.id)
        assert (kept.messages, kept.summaries) == (messages, after)
        assert desk.parts.chat.can_answer
        if len(after) > len(before):
            laid += 1
            summaries.undo(session.id, after[-1].id)
    assert 10 < laid < ROUNDS


def test_windows_closed_at_random_points_leave_the_database_whole(talk, open_desk):
    desk, dice = talk, Dice(7)
    session = desk.parts.chat.session
    conversation_id, messages = session.id, session.conversation.messages
    for _ in range(WINDOWS):
        desk.engine.answers.clear()
        desk.engine.answers.extend(dice.choose(*SUMMARIES) for _ in range(3))
        desk.parts.summaries.start()
        dice.wait()
        desk.window.close()
        assert desk.parts.has_ended
        desk = open_desk(ScriptedEngine(*SUMMARIES))
        conversation = stored(desk, conversation_id)
        assert conversation.messages == messages
        assert tuple(message.id for message in conversation.in_view()) in views(conversation)
        desk.parts.library.open(conversation_id)
        desk.qtbot.waitUntil(lambda desk=desk: desk.parts.chat.session.id == conversation_id)
        for summary in conversation.summaries:
            if not summary.undone:
                desk.parts.summaries.undo(conversation_id, summary.id)
