"""Whatever is done to a conversation, in whatever order: window, store and prompt agree."""

from __future__ import annotations

import random
from dataclasses import replace

from app.chat.conversation import prompt_messages
from tests.fakes import Answer, ScriptedEngine
from tests.ui.branches import check, ids, session_of


def random_step(desk, chance):
    """Do one thing that a user could do; return what it was."""
    branches, session = desk.parts.branches, session_of(desk)
    shown = ids(desk)
    if not shown:
        desk.ask(f"New {chance.random()}")
        return "send"
    one = chance.choice(shown)
    step = chance.choice(
        (
            "send",
            "edit",
            "delete",
            "delete_turn",
            "undo",
            "regenerate",
            "branch",
            "step",
            "show",
            "continue",
            "pin",
            "reopen",
        )
    )
    if step == "send":
        desk.ask(f"Said {chance.random()}")
    elif step == "edit":
        branches.edit(one, f"Edited {chance.random()}")
    elif step == "delete":
        branches.delete([one])
    elif step == "delete_turn":
        branches.delete(branches.turn_of(one))
    elif step == "undo":
        gone = [node.id for node in session.tree if node.is_deleted]
        branches.restore(session.id, gone[: chance.randrange(3)])
    elif step == "regenerate":
        branches.regenerate(one)
    elif step == "branch":
        branches.branch_from(one)
    elif step == "step":
        branches.step(one, chance.choice((-1, 1)))
    elif step == "show":
        branches.show(chance.choice(session.tree.ends() or [""]))
    elif step == "continue":
        branches.continue_last()
    elif step == "pin":
        branches.pin(one, chance.random() < 0.5)
    else:
        desk.parts.chat.show_empty()
        desk.parts.library.open(session.id)
        desk.qtbot.waitUntil(lambda: session_of(desk).id == session.id)
    return step


def test_three_hundred_random_steps(open_desk):
    chance = random.Random(11)
    engine = ScriptedEngine()
    engine.answers.clear()
    desk = open_desk_with_random_answers(open_desk, engine, chance)
    begun = []
    desk.parts.chat.answer_begun.connect(begun.append)
    for _ in range(300):
        requests = len(engine.requests)
        random_step(desk, chance)
        desk.wait_until_idle()
        check(desk)
        if len(engine.requests) > requests:
            request, conversation = engine.requests[-1], session_of(desk).conversation
            before = replace(conversation, messages=conversation.messages[:-1])
            assert list(request.messages) == prompt_messages(before)
            assert conversation.messages[-1].id == begun[-1].message.id


def open_desk_with_random_answers(open_desk, engine, chance):
    reasons = ("stop", "length", "cancelled")
    engine.answers.extend(
        Answer(pieces=(f"Word {number}", "."), finish_reason=chance.choice(reasons)) for number in range(400)
    )
    return open_desk(engine)
