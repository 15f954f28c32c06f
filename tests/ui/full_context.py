"""A conversation that fills its context, for tests of what is done then."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tests.fakes import Answer, ScriptedEngine, fake_model
from ui.chat.transcript import Kind

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.ui.conftest import Desk

N_CTX = 512
"""The scripted engine counts four tokens for a message and one for each word; the answer's room is 128."""
ANSWER = Answer(pieces=("word ",) * 40)
SUMMARY = Answer(pieces=("Goal: ", "ferries"), prompt_tokens=200)


def question(number: int, words: int = 40) -> str:
    """A question of so many tokens; as few words as bytes would make the fast way certain."""
    return f"Question {number} " + "about-the-ferries-to-the-islands " * (words - 2)


def full_context(
    open_desk: Callable[[ScriptedEngine], Desk],
    on_full: str,
    *answers: Answer,
    n_ctx_max: int | None = None,
    turns: int = 4,
) -> Desk:
    """Return a window on a conversation of turns of 88 tokens: after four, the next one does not fit."""
    engine = ScriptedEngine(*[ANSWER] * turns, *(answers or (Answer(pieces=("After",)),)))
    engine._model = engine._next_model = fake_model(n_ctx=N_CTX, n_ctx_max=n_ctx_max)
    desk = open_desk(engine)
    settings = desk.parts.settings
    settings.set(replace(settings.value, on_full="drop"))
    for number in range(1, turns + 1):
        send(desk, question(number))
    settings.set(replace(settings.value, on_full=on_full))
    return desk


def send(desk, text: str) -> None:
    """Send, and wait until it is answered."""
    before = len(desk.engine.requests)
    desk.type_and_send(text)
    desk.qtbot.waitUntil(lambda: len(desk.engine.requests) > before)
    desk.wait_until_idle()


def conversation_of(desk):
    return desk.stored(lambda store: store.conversation(desk.parts.chat.session.id))


def edges(desk):
    return [item for item in desk.items() if item.kind is Kind.EDGE]


def out_of_view(desk) -> list[str]:
    return [item.text for item in desk.items() if item.is_out_of_view]


def asked(desk, index: int = -1) -> str:
    return " ".join(message.content for message in desk.engine.requests[index].messages)


def held(desk, text: str) -> None:
    """Send what does not fit, and wait until that is said."""
    desk.type_and_send(text)
    desk.qtbot.waitUntil(lambda: bool(desk.window.room_bar.sentence))
