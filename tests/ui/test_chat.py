"""A message's whole path: typed, answered, drawn, measured, stored."""

import sqlite3
import time
from contextlib import closing
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt

from app.engine.events import GenerationFinished, PrefillProgressed, PromptTokenised, TextPiece, TokensGenerated
from tests.fakes import MS, Answer, ScriptedEngine, fake_model, grown
from ui.chat.transcript import Kind, State


def test_a_message_is_answered_drawn_measured_and_stored(desk):
    desk.ask("Why is the sky blue?")
    user, answer = desk.items()
    assert (user.kind, user.text) == (Kind.USER, "Why is the sky blue?")
    assert (answer.kind, answer.text, answer.state) == (Kind.ASSISTANT, "Hello world", State.COMPLETE)
    assert answer.author == "Fake 135M"
    assert "TTFT 108 ms" in answer.footer
    assert "20 + 3 tokens" in answer.footer
    (row,) = desk.stored(lambda store: store.conversations())
    assert row.title == "Why is the sky blue?"
    conversation = desk.stored(lambda store: store.conversation(row.id))
    assert [(m.role, m.content, m.state) for m in conversation.messages] == [
        ("user", "Why is the sky blue?", "complete"),
        ("assistant", "Hello world", "complete"),
    ]
    (turn,) = desk.stored(lambda store: store.turns(row.id))
    assert turn.message_id == answer.id
    assert turn.stats.ttft_s == 0.108
    assert turn.stats.tpot_s == 0.01
    assert turn.stats.finish_reason == "stop"
    assert turn.memory[-1].context_tokens == 22
    assert turn.memory[-1].kv_used_bytes == 22 * 23_040


def slow(*pieces: str, **fields) -> Answer:
    return Answer(pieces=pieces or ("word ",) * 500, delay_s=0.01, **fields)


def wait_for_text(desk, text="word"):
    desk.qtbot.waitUntil(lambda: text in desk.items()[-1].text)


def conversation_of(desk):
    return desk.stored(lambda store: store.conversation(desk.parts.chat.session.id))


def turns_of(desk):
    return desk.stored(lambda store: store.turns(desk.parts.chat.session.id))


@pytest.mark.parametrize("text", ["", "  ", "\n\n\t"])
def test_blank_input_sends_nothing(desk, text):
    desk.type_and_send(text)
    assert desk.items() == ()
    assert desk.engine.requests == []
    assert desk.titles() == []


def test_question_and_answer_begin_in_one_transaction_with_the_conversation(desk, monkeypatch):
    seen, write = [], desk.parts.store.write

    def look(store):
        rows = [store.conversation(row.id) for row in store.conversations()]
        return [([message.role for message in row.messages], row.draft) for row in rows]

    def write_and_look(operation):
        write(operation)
        desk.parts.store.read(look, seen.append)

    monkeypatch.setattr(desk.parts.store, "write", write_and_look)
    desk.ask("First")
    desk.ask("Second")
    desk.stored(look)
    known = [found for i, found in enumerate(seen) if found not in seen[:i]]
    assert known == [[(["user", "assistant"] * turns, "")] for turns in (1, 2)]


def test_a_kill_costs_at_most_a_quarter_of_a_second_also_where_another_answer_begins(open_desk):
    desk = open_desk(ScriptedEngine(slow()))
    under_way, ticks = desk.parts.chat.under_way, []
    tick = under_way._tick
    assert 1.05 * tick.interval() < 220  # a coarse timer may be late, and the write takes its time
    desk.type_and_send("One")
    wait_for_text(desk)
    desk.qtbot.waitUntil(lambda: tick.remainingTime() < tick.interval() / 2)
    under_way.ticked.connect(lambda: ticks.append(True))
    desk.click("new_conversation_button")
    desk.type_and_send("Two")
    assert ticks or tick.remainingTime() < tick.interval() / 2


def test_the_user_message_is_stored_before_the_engine_answers(open_desk):
    desk = open_desk(ScriptedEngine(slow()))
    desk.type_and_send("Keep this")
    wait_for_text(desk)
    user, answer = conversation_of(desk).messages
    assert (user.content, user.state) == ("Keep this", "complete")
    assert answer.state == "streaming"


def test_while_streaming_stop_is_in_the_place_of_send(open_desk):
    desk = open_desk(ScriptedEngine(slow()))
    assert desk.find("send_button").isVisible()
    assert not desk.find("stop_button").isVisible()
    desk.type_and_send("Go")
    assert desk.find("stop_button").isVisible()
    assert not desk.find("send_button").isVisible()
    assert desk.window.status_line.accessibleName()


def test_a_stopped_answer_is_shown_measured_and_stored(open_desk):
    desk = open_desk(ScriptedEngine(slow()))
    desk.type_and_send("Go")
    wait_for_text(desk)
    desk.click("stop_button")
    desk.wait_until_idle()
    item = desk.items()[-1]
    assert item.state is State.STOPPED
    assert "stopped by you" in item.footer
    answer = conversation_of(desk).messages[-1]
    assert (answer.content, answer.state) == (item.text, "complete")
    (turn,) = turns_of(desk)
    assert turn.stats.finish_reason == "cancelled"
    assert turn.stats.completion_tokens == item.text.count("word")


def test_a_context_that_grows_is_seen_measured_and_stored(open_desk):
    model = fake_model(n_ctx=1024, n_ctx_max=4096)
    now = time.perf_counter_ns()
    events = (
        PromptTokenised(now, now, 1000, 0),
        PrefillProgressed(0, 1000, now),
        PrefillProgressed(1000, 1000, now + 10 * MS),
        TokensGenerated((now + 20 * MS, now + 30 * MS), (TextPiece("answer", "one "),), 1024),
        grown(model, 1024),
        TokensGenerated((now + 140 * MS,), (TextPiece("answer", "two"),), 1025),
        GenerationFinished("stop", now + 150 * MS, 1025),
    )
    desk = open_desk(ScriptedEngine(Answer(events=events), model=model))
    small = desk.parts.models.model
    desk.ask("Go on")
    assert desk.items()[-1].text == "one two"
    larger = desk.parts.models.model
    assert (larger.n_ctx, larger.n_ctx_max) == (2048, 4096)
    assert desk.window.gauge.text == "1,025 / 2,048"
    assert desk.parts.chat.session.series.model is larger
    (turn,) = turns_of(desk)
    (growth,) = turn.stats.context_growths
    assert (growth.previous_n_ctx, growth.n_ctx, growth.sampled_tokens) == (1024, 2048, 2)
    assert turn.stats.n_ctx == 2048
    assert {point.kv_reserved_bytes for point in turn.memory} >= {2048 * 23_040}
    assert "context grew from 1,024 to 2,048 tokens" in desk.items()[-1].footer_tooltip
    desk.click("new_conversation_button")
    desk.qtbot.waitUntil(lambda: desk.parts.models.model.n_ctx == 1024)
    assert desk.parts.models.model.info is small.info
    assert desk.window.gauge.text == "0 / 1,024"


def test_growth_without_memory_keeps_the_text_and_offers_what_helps(open_desk):
    sentence = "The context holds 4,096 tokens and cannot grow."
    desk = open_desk(ScriptedEngine(Answer(finish_reason="context", error=sentence)))
    desk.ask("Go on")
    item = desk.items()[-1]
    assert (item.text, item.state, item.error) == ("Hello world", State.COMPLETE, sentence)
    assert [action.label for action in item.actions] == [
        "Summarise",
        "Take the oldest turns out of view",
        "New conversation",
        "Load settings…",
        "Regenerate",
        "Regenerate otherwise",
        "Continue",
    ]
    assert conversation_of(desk).messages[-1].state == "complete"


def test_escape_stops(open_desk):
    desk = open_desk(ScriptedEngine(slow()))
    desk.type_and_send("Go")
    wait_for_text(desk)
    desk.qtbot.keyClick(desk.find("composer"), Qt.Key.Key_Escape)
    desk.wait_until_idle()
    assert desk.items()[-1].state is State.STOPPED


def test_a_second_message_gets_the_whole_conversation(desk):
    desk.ask("One")
    desk.ask("Two")
    roles = [message.role for message in desk.engine.requests[1].messages]
    assert roles == ["user", "assistant", "user"]
    assert [turn.stats.ttft_s for turn in turns_of(desk)] == [0.108, 0.108]
    assert len(desk.parts.chat.session.series.turns) == 2
    assert [bool(item.actions) for item in desk.items()] == [False, False, False, True]


def test_regenerate_replaces_the_last_answer_and_keeps_the_old_row(open_desk, tokometer_home):
    desk = open_desk(ScriptedEngine(Answer(pieces=("First",)), Answer(pieces=("Second",))))
    desk.ask("Say something")
    old = desk.items()[-1].id
    desk.window.transcript.action_triggered.emit(old, "regenerate")
    desk.wait_until_idle()
    assert desk.texts() == ["Say something", "Second"]
    assert [message.content for message in conversation_of(desk).messages] == ["Say something", "Second"]
    assert [turn.message_id for turn in turns_of(desk)] == [desk.items()[-1].id]
    assert [turn.message_id for turn in desk.parts.chat.session.series.turns] == [desk.items()[-1].id]
    assert [message.content for message in desk.engine.requests[1].messages] == ["Say something"]
    desk.window.close()
    with closing(sqlite3.connect(tokometer_home / "data" / "conversations.db")) as database:
        rows = database.execute("SELECT content FROM messages WHERE id = ?", (old,)).fetchall()
    assert rows == [("First",)]


def test_thinking_is_kept_apart_from_the_answer(open_desk):
    desk = open_desk(ScriptedEngine(Answer(pieces=("Yes.",), thinking=("Hmm, ", "well."))))
    desk.ask("Sure?")
    item = desk.items()[-1]
    assert (item.thinking, item.text) == ("Hmm, well.", "Yes.")
    message = conversation_of(desk).messages[-1]
    assert (message.thinking, message.content) == ("Hmm, well.", "Yes.")


def test_a_failed_answer_says_why_in_its_own_frame(open_desk):
    desk = open_desk(ScriptedEngine(Answer(pieces=(), finish_reason="failed", error="The template refuses this.")))
    desk.ask("Hello")
    item = desk.items()[-1]
    assert (item.state, item.text, item.error) == (State.FAILED, "", "The template refuses this.")
    assert conversation_of(desk).messages[-1].state == "failed"
    (turn,) = turns_of(desk)
    assert (turn.stats.finish_reason, turn.stats.error) == ("failed", "The template refuses this.")


def test_a_full_context_offers_to_summarise_or_begin_anew(open_desk):
    desk = open_desk(ScriptedEngine(Answer(finish_reason="context")))
    desk.ask("Hello")
    item = desk.items()[-1]
    assert "full" in item.error
    assert [action.id for action in item.actions][:5] == [
        "summarise",
        "drop",
        "new_conversation",
        "load_settings",
        "regenerate",
    ]


def test_text_is_journaled_while_it_streams(open_desk, tokometer_home):
    desk = open_desk(ScriptedEngine(slow()))
    desk.type_and_send("Go")
    wait_for_text(desk, "word word")
    path = tokometer_home / "data" / "conversations.db"

    def journaled():
        with closing(sqlite3.connect(path)) as database:
            return "word" in "".join(str(row) for row in database.execute("SELECT text FROM journal"))

    desk.qtbot.waitUntil(journaled)


def test_sampling_settings_reach_the_engine(desk):
    settings = desk.parts.settings
    value = settings.value
    settings.set(replace(value, max_tokens=7, sampling=replace(value.sampling, temperature=0.0, seed=5)))
    desk.ask("Hi")
    request = desk.engine.requests[-1]
    assert (request.max_tokens, request.sampling.temperature, request.sampling.seed) == (7, 0.0, 5)


def test_the_system_prompt_stands_first(desk):
    desk.parts.settings.set(replace(desk.parts.settings.value, system_prompt="Be brief."))
    desk.ask("Hi")
    first = desk.engine.requests[-1].messages[0]
    assert (first.role, first.content) == ("system", "Be brief.")
    assert conversation_of(desk).system_prompt == "Be brief."


def test_nothing_is_sent_without_a_model(open_desk):
    desk = open_desk(model=None, load=False)
    desk.parts.models.unload()
    desk.type_and_send("Hello?")
    assert desk.items() == ()
    assert desk.find("composer").toPlainText() == "Hello?"
    assert not desk.find("send_button").isEnabled()


def test_a_fast_answer_leaves_the_window_responsive(open_desk):
    desk = open_desk(ScriptedEngine(Answer(pieces=("word ",) * 20_000)))
    desk.ask("Flood")
    assert desk.items()[-1].text == "word " * 20_000
    (turn,) = turns_of(desk)
    assert turn.stats.completion_tokens == 20_000
