"""Several conversations at once, one answer at a time: the others wait in a queue that is seen."""

import time
from dataclasses import replace

import pytest

from app.engine.events import GenerationFinished, PrefillProgressed, PromptTokenised, TextPiece, TokensGenerated
from tests.fakes import MS, Answer, ScriptedEngine, fake_model, grown
from ui.chat.transcript import State

SHARED = Answer(
    events=(
        PromptTokenised(1 * MS, 2 * MS, 10, 0),
        PrefillProgressed(0, 10, 2 * MS),
        PrefillProgressed(10, 10, 50 * MS),
        TokensGenerated((60 * MS,), (TextPiece("answer", "Hello"),), 10, 2, 0),
        TokensGenerated((80 * MS, 100 * MS), (TextPiece("answer", " world"),), 12, 3, 8),
        GenerationFinished("stop", 100 * MS, 12),
    )
)
"""Three tokens, 20 ms apart, while three answers sampled eight together in 40 ms."""

SLOW = Answer(pieces=("word ",) * 1000, delay_s=0.01)


@pytest.fixture
def queued(open_desk):
    """One conversation is answered slowly, another waits; the second is open."""
    desk = open_desk(ScriptedEngine(SLOW, Answer()))
    desk.type_and_send("First question")
    desk.qtbot.waitUntil(lambda: "word" in desk.items()[-1].text)
    desk.click("new_conversation_button")
    desk.type_and_send("Second question")
    return desk


def sessions(desk):
    return [running.session for running in desk.parts.chat.answers]


def test_the_one_that_waits_is_seen_to_wait(queued):
    answer = queued.items()[-1]
    assert answer.state is State.STREAMING
    assert answer.footer == "waiting, 1 answer before it"
    queued.qtbot.waitUntil(lambda: queued.window.status_line.activity == "waiting, 1 answer before it")
    assert queued.find("stop_button").isVisible()
    queued.parts.commands.stop()


def test_its_wait_is_the_queue_part_of_its_ttft(queued):
    first, second = sessions(queued)
    submitted_ns = queued.parts.chat.answers[1].recorder.stats.submitted_ns
    queued.parts.chat.stop_in(first)
    queued.wait_until_idle()
    (turn,) = second.turns.values()
    assert turn.stats.finish_reason == "stop"
    assert turn.stats.submitted_ns == submitted_ns
    assert queued.items()[-1].footer.startswith("TTFT")


def test_stop_takes_it_out_of_the_queue_and_leaves_the_other_going(queued):
    first, second = sessions(queued)
    queued.click("stop_button")
    queued.qtbot.waitUntil(lambda: second not in sessions(queued))
    assert sessions(queued) == [first]
    (turn,) = queued.stored(lambda store: store.turns(second.id))
    assert (turn.stats.finish_reason, turn.stats.completion_tokens) == ("cancelled", 0)
    assert len(queued.engine.requests) == 1
    assert queued.find("send_button").isVisible()
    queued.parts.chat.stop_in(first)


def test_stopping_the_first_lets_the_second_begin(queued):
    first, second = sessions(queued)
    queued.parts.chat.show(first)
    queued.click("stop_button")
    queued.wait_until_idle()
    (turn,) = queued.stored(lambda store: store.turns(first.id))
    assert turn.stats.finish_reason == "cancelled"
    (turn,) = queued.stored(lambda store: store.turns(second.id))
    assert turn.stats.finish_reason == "stop"
    queued.parts.chat.show(second)
    assert queued.texts() == ["Second question", "Hello world"]


def test_a_third_says_how_many_are_before_it_and_counts_down(queued):
    first, second = sessions(queued)
    queued.click("new_conversation_button")
    queued.type_and_send("Third question")
    assert queued.items()[-1].footer == "waiting, 2 answers before it"
    queued.parts.chat.stop_in(second)
    queued.qtbot.waitUntil(lambda: queued.items()[-1].footer == "waiting, 1 answer before it")
    queued.parts.chat.stop_in(first)
    queued.wait_until_idle()
    assert queued.items()[-1].text == "Hello world"


def test_a_conversation_that_waits_takes_no_second_message(queued):
    queued.type_and_send("Another one")
    assert "Another one" not in queued.texts()
    assert len(sessions(queued)) == 2
    for session in sessions(queued):
        queued.parts.chat.stop_in(session)


def test_a_crash_ends_all_with_a_sentence_and_loses_nothing(open_desk):
    crash = Answer(events=(GenerationFinished("crashed", 2, 0, "The engine's process ended."),))
    desk = open_desk(ScriptedEngine(SLOW, crash))
    desk.type_and_send("First question")
    desk.qtbot.waitUntil(lambda: "word" in desk.items()[-1].text)
    first = desk.parts.chat.session
    desk.click("new_conversation_button")
    desk.type_and_send("Second question")
    second = desk.parts.chat.session
    desk.parts.chat.stop_in(first)
    desk.wait_until_idle()
    assert desk.items()[-1].error == "The engine's process ended."
    messages = desk.stored(lambda store: store.conversation(first.id)).messages
    assert messages[-1].content.startswith("word ")
    assert [message.content for message in desk.stored(lambda store: store.conversation(second.id)).messages] == [
        "Second question",
        "",
    ]


def test_closing_keeps_what_came_and_what_waited(queued):
    first, second = sessions(queued)
    queued.window.close()
    assert first.last_answer.content.startswith("word ")
    assert (first.last_answer.state, second.last_answer.state) == ("interrupted", "interrupted")


def test_a_new_conversation_makes_parts_that_have_grown_small_again(open_desk):
    model = replace(fake_model(n_ctx=1024, n_ctx_max=4096), n_parallel=2)
    now = time.perf_counter_ns()
    growing = (PromptTokenised(now, now, 9, 0), grown(model, 9), GenerationFinished("stop", now + MS, 9))
    desk = open_desk(ScriptedEngine(Answer(), Answer(events=growing), model=model))
    desk.ask("Hello")
    desk.click("new_conversation_button")
    desk.ask("Go on")
    assert desk.engine.forgotten == 0  # the first one keeps its part
    assert desk.parts.models.model.n_ctx == 2048
    desk.click("new_conversation_button")
    desk.qtbot.waitUntil(lambda: desk.parts.models.model.n_ctx == 1024)
    assert desk.engine.forgotten == 1


def test_an_answer_that_shared_its_steps_says_with_how_many_and_how_fast_together(open_desk):
    desk = open_desk(ScriptedEngine(SHARED))
    desk.ask("Hello")
    assert "3 at once, 200 tok/s together" in desk.items()[-1].footer
    (turn,) = desk.stored(lambda store: store.turns(desk.parts.chat.session.id))
    assert (turn.stats.sequences, turn.stats.together_tokens) == (3, 8)
    (past,) = desk.stored(lambda store: store.history())
    assert past.sample.tpot_s is None  # it says nothing of the speed of one alone
    assert past.sample.ttft_s is None
    desk.qtbot.waitUntil(lambda: "3 at once" in desk.window.tpot_panel.heading.detail)
