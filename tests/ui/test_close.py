"""Closing at any moment: in time, nothing running, nothing lost."""

import time

import pytest

from tests.fakes import Answer, ScriptedEngine

LIMIT_S = 3


def close(desk) -> float:
    before = time.monotonic()
    desk.window.close()
    return time.monotonic() - before


def test_closing_an_idle_window_ends_both_threads(desk):
    assert close(desk) < LIMIT_S
    assert not desk.parts.engine.isRunning()
    assert not desk.parts.store.isRunning()
    assert desk.engine.closed
    assert desk.parts.has_ended


def test_closing_while_loading(open_desk):
    engine = ScriptedEngine()
    engine.load_delay_s = 60
    desk = open_desk(engine, load=False)
    desk.qtbot.waitUntil(lambda: bool(engine.load_configs))
    assert close(desk) < LIMIT_S
    assert engine.closed


def test_closing_while_streaming_keeps_all_that_came(open_desk):
    desk = open_desk(ScriptedEngine(Answer(pieces=tuple(f"w{n} " for n in range(500)), delay_s=0.005)))
    desk.type_and_send("Go")
    desk.qtbot.waitUntil(lambda: "w5 " in desk.items()[-1].text)
    shown = desk.items()[-1].text
    assert close(desk) < LIMIT_S
    again = open_desk()
    (row,) = again.stored(lambda store: store.conversations())
    answer = again.stored(lambda store: store.conversation(row.id)).messages[-1]
    assert answer.content.startswith(shown)
    assert answer.state == "interrupted"
    (turn,) = again.stored(lambda store: store.turns(row.id))
    assert turn.stats.finish_reason == "interrupted"
    assert turn.stats.completion_tokens == len(answer.content.split())


def test_closing_keeps_the_draft_and_the_settings(open_desk):
    desk = open_desk()
    desk.find("composer").setPlainText("not sent")
    desk.window.menu_actions["zoom_in"].trigger()
    close(desk)
    again = open_desk()
    assert again.titles() == ["not sent"]
    assert again.parts.settings.value.zoom == pytest.approx(1.1)


def test_closing_twice_is_harmless(desk):
    close(desk)
    assert close(desk) < LIMIT_S


def test_a_killed_window_leaves_its_answer_as_interrupted(open_desk):
    """The row and the journal of a window that never closed are recovered by the next start."""
    desk = open_desk(ScriptedEngine(Answer(pieces=("word ",) * 500, delay_s=0.01)))
    desk.type_and_send("Go")
    desk.qtbot.waitUntil(lambda: desk.items()[-1].text.count("word") > 40)
    desk.parts.chat._finish = lambda running: None  # as if killed: nothing is finished
    close(desk)
    again = open_desk()
    (row,) = again.stored(lambda store: store.conversations())
    answer = again.stored(lambda store: store.conversation(row.id)).messages[-1]
    assert answer.state == "interrupted"
    assert answer.content.startswith("word ")
