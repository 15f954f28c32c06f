"""The real window on the starter model in its child process."""

import time
from contextlib import closing

import psutil
import pytest

from app.engine.events import PromptTokenised
from app.paths import paths
from app.settings import SamplingSettings
from app.starter import starter_model
from app.storage.store import Store
from app.telemetry.waiting import MOST_DIFFERENCE_NS, wait_of
from ui.arguments import Arguments
from ui.chat.transcript import State

pytestmark = [
    pytest.mark.model,
    pytest.mark.skipif(starter_model() is None, reason="the starter model is not installed"),
]

SLOW_MACHINE_MS = 120_000
LONG_PROMPT = "The quick brown fox jumps over the lazy dog. " * 250


@pytest.fixture
def parts(request, open_real_window):
    return open_real_window(Arguments(starter_model(), {"n_ctx": getattr(request, "param", 4096), "n_threads": 1}))


@pytest.fixture
def loaded(qtbot, parts):
    qtbot.waitUntil(lambda: parts.models.model is not None, timeout=SLOW_MACHINE_MS)
    parts.settings.set(parts.settings.value.__class__(max_tokens=24, sampling=SamplingSettings(temperature=0)))
    return parts


def wait_until_idle(qtbot, parts):
    qtbot.waitUntil(lambda: parts.chat.running is None, timeout=SLOW_MACHINE_MS)


def test_two_turns_with_true_numbers(qtbot, loaded):
    for question in ("What is the capital of France?", "And of Italy?"):
        loaded.chat.send(question)
        wait_until_idle(qtbot, loaded)
    first, second = (turn.stats for turn in loaded.chat.session.turns.values())
    assert first.cached_tokens == 0
    assert second.cached_tokens > first.prompt_tokens
    assert 0 < second.ttft_s < second.e2e_s
    assert second.completion_tokens <= 24
    assert second.e2e_s == pytest.approx(second.ttft_s + (second.completion_tokens - 1) * second.tpot_s)
    series = loaded.chat.session.series
    assert series.context_tokens == second.context_tokens
    assert series.process_bytes > loaded.models.model.memory.total_bytes("weights") / 2
    assert all(item.state is State.COMPLETE for item in loaded.window.transcript.items())


def test_parts_that_have_grown_are_small_again_and_nothing_is_read_twice(qtbot, open_real_window):
    parts = open_real_window(Arguments(starter_model(), {"n_parallel": 2, "n_ctx_start": 512, "n_threads": 1}))
    qtbot.waitUntil(lambda: parts.models.model is not None, timeout=SLOW_MACHINE_MS)
    parts.settings.set(parts.settings.value.__class__(max_tokens=4, sampling=SamplingSettings(temperature=0)))
    first = parts.models.model.n_ctx
    parts.chat.send("The quick brown fox jumps over the lazy dog. " * 60)
    wait_until_idle(qtbot, parts)
    long, held = parts.chat.session.id, parts.chat.session.series.context_tokens
    assert parts.models.model.n_ctx > held > first
    parts.commands.new()
    qtbot.waitUntil(lambda: parts.models.model.n_ctx == first, timeout=SLOW_MACHINE_MS)
    parts.library.open(long)
    qtbot.waitUntil(lambda: parts.chat.session.id == long, timeout=SLOW_MACHINE_MS)
    parts.chat.send("And then?")
    wait_until_idle(qtbot, parts)
    stats = list(parts.chat.session.turns.values())[-1].stats
    assert stats.finish_reason in ("stop", "length")
    assert stats.cached_tokens == pytest.approx(held, abs=8)


def test_stop_works_while_the_prompt_is_read(qtbot, loaded):
    loaded.chat.send(LONG_PROMPT)
    qtbot.waitUntil(lambda: loaded.chat.running.recorder.prefill_total_tokens > 0, timeout=SLOW_MACHINE_MS)
    loaded.chat.stop()
    wait_until_idle(qtbot, loaded)
    (turn,) = loaded.chat.session.turns.values()
    assert turn.stats.finish_reason == "cancelled"
    assert turn.stats.completion_tokens == 0


def kill_the_engine_while_it_writes(qtbot, loaded) -> None:
    loaded.settings.set(loaded.settings.value.__class__())
    loaded.chat.send("Tell me a very long story.")
    qtbot.waitUntil(lambda: bool(loaded.chat.running.text), timeout=SLOW_MACHINE_MS)
    (child,) = psutil.Process().children()
    child.kill()
    wait_until_idle(qtbot, loaded)


def test_a_killed_engine_is_said_and_loaded_again_with_one_click(qtbot, loaded):
    kill_the_engine_while_it_writes(qtbot, loaded)
    item = loaded.window.transcript.items()[-1]
    assert item.text
    assert item.error
    assert loaded.models.model is None
    loaded.window.transcript.action_triggered.emit(item.id, item.actions[0].id)
    qtbot.waitUntil(lambda: loaded.models.model is not None, timeout=SLOW_MACHINE_MS)


def test_a_new_conversation_after_a_kill_is_empty_and_loads_the_model_again_with_one_click(qtbot, loaded):
    kill_the_engine_while_it_writes(qtbot, loaded)
    loaded.commands.new()
    assert not loaded.window.welcome.isVisible()
    (notice,) = loaded.window.transcript.items()
    assert starter_model().name in notice.text
    loaded.window.transcript.action_triggered.emit(notice.id, notice.actions[0].id)
    qtbot.waitUntil(lambda: loaded.models.model is not None, timeout=SLOW_MACHINE_MS)
    assert loaded.window.transcript.items() == ()
    assert loaded.chat.can_answer


def begin(qtbot, parts, moment):
    """Bring the window to a moment of its work; what it has shown by then is returned."""
    qtbot.waitUntil(lambda: parts.models.loading_fraction is not None, timeout=SLOW_MACHINE_MS)
    if moment == "load":
        return ()
    qtbot.waitUntil(lambda: parts.models.model is not None, timeout=SLOW_MACHINE_MS)
    if moment == "summary":
        parts.settings.set(parts.settings.value.__class__(max_tokens=8))
        for question in ("Say something about ferries and the sea. " * 90, "And more.", "And more."):
            parts.chat.send(question)
            wait_until_idle(qtbot, parts)
        parts.summaries.start()
        qtbot.waitUntil(lambda: parts.summaries.recorder is not None, timeout=SLOW_MACHINE_MS)
        summary = parts.summaries.recorder
        qtbot.waitUntil(lambda: summary.completion_tokens > 0, timeout=SLOW_MACHINE_MS)
    else:
        parts.chat.send(LONG_PROMPT if moment == "prefill" else "Tell me a long story.")
        running = parts.chat.running
        if moment == "prefill":
            qtbot.waitUntil(lambda: running.recorder.prefill_total_tokens > 0, timeout=SLOW_MACHINE_MS)
        else:
            qtbot.waitUntil(lambda: bool(running.text), timeout=SLOW_MACHINE_MS)
    return tuple((item.id, item.text) for item in parts.window.transcript.items())


@pytest.mark.parametrize("moment", ["load", "prefill", "decode", "summary"])
def test_closing_ends_in_three_seconds_and_loses_no_text(qtbot, parts, moment):
    """That no process is left is seen by the fixture that opened the window."""
    shown = begin(qtbot, parts, moment)
    started = time.monotonic()
    parts.window.close()
    assert time.monotonic() - started < 3
    assert parts.has_ended
    with closing(Store(paths().database_file)) as store:
        stored = {
            message.id: message.content
            for row in store.conversations()
            for message in store.conversation(row.id).messages
        }
    assert len(stored) == len(shown)
    for item_id, text in shown:
        assert stored[item_id].startswith(text)


def test_the_wait_is_split_and_the_next_one_foretold(qtbot, loaded):
    chat = loaded.chat
    chat.send("What is the capital of France?")
    wait_until_idle(qtbot, loaded)
    qtbot.waitUntil(lambda: chat.wait_check.answers == 1)
    (turn,) = chat.session.turns.values()
    wait = wait_of(turn.stats)
    assert wait.difference_ns == 0
    assert chat.wait_check.worst_ns < MOST_DIFFERENCE_NS
    for name in ("template", "tokenise", "prefill", "first_sample", "decode", "window"):
        assert wait.part(name).ns > 0, name
    loaded.window.composer.set_text("And of Italy?")
    qtbot.waitUntil(lambda: loaded.forecast.outlook is not None, timeout=SLOW_MACHINE_MS)
    outlook = loaded.forecast.outlook
    chat.send("And of Italy?")
    wait_until_idle(qtbot, loaded)
    second = [*chat.session.turns.values()][1].stats
    assert outlook.context_tokens_then == second.prompt_tokens
    assert abs(outlook.new_tokens - (second.prompt_tokens - second.cached_tokens)) <= 2
    qtbot.waitUntil(lambda: loaded.speed.speed is not None and loaded.speed.speed.work is not None)
    assert loaded.speed.speed.work.dense_bytes > 0


def test_a_cut_answer_goes_on_and_another_version_is_read_from_where_they_part(qtbot, loaded):
    chat, branches = loaded.chat, loaded.branches
    chat.send("Tell me all about ferries.")
    wait_until_idle(qtbot, loaded)
    answer = chat.session.last_answer
    branches.continue_last()
    wait_until_idle(qtbot, loaded)
    first, second = (turn.stats for turn in chat.session.turns_of(answer.id))
    assert first.finish_reason == "length"
    assert second.prompt_tokens - second.cached_tokens == 1
    assert len(chat.session.last_answer.content) > len(answer.content)
    branches.regenerate(sampling=SamplingSettings(temperature=1.5, seed=5))
    wait_until_idle(qtbot, loaded)
    branches.step(chat.session.last_answer.id, -1)
    assert chat.session.last_answer.id == answer.id
    chat.send("And what do they cost?")
    wait_until_idle(qtbot, loaded)
    stats = chat.session.turns[chat.session.last_answer.id].stats
    assert stats.cached_tokens >= first.prompt_tokens
    assert stats.cached_tokens < stats.prompt_tokens


@pytest.mark.parametrize("parts", [1024], indirect=True)  # where a summary is short
def test_a_summary_reads_the_conversation_from_the_cache_and_its_receipt_is_measured(qtbot, loaded):
    chat, summaries = loaded.chat, loaded.summaries
    for number in range(4):
        chat.send(f"Remember that locker {number} is green. " + "The ferry to Bergen leaves early in June. " * 8)
        wait_until_idle(qtbot, loaded)
    questions, ends = [], []
    generate = loaded.engine.generate

    def watch(request, observe):
        events = []
        questions.append(events)
        return generate(request, lambda event: (events.append(event), observe(event)))

    loaded.engine.generate = watch
    held = chat.session.series.context_tokens
    summaries.start_for_room(ends.append)
    qtbot.waitUntil(lambda: bool(ends), timeout=SLOW_MACHINE_MS)
    loaded.engine.generate = generate
    assert ends == [True]
    first = next(event for event in questions[0] if isinstance(event, PromptTokenised))
    assert 0.98 * held <= first.cached_tokens <= held
    assert first.prompt_tokens - first.cached_tokens < 250
    (summary,) = chat.session.conversation.summaries
    assert "Remember that locker 0 is green" in summary.text
    assert summary.tokens_after < summary.tokens_before
    chat.send("And now?")
    wait_until_idle(qtbot, loaded)
    (summary,) = chat.session.conversation.summaries
    turn = list(chat.session.turns.values())[-1].stats
    assert summary.tokens_after < turn.prompt_tokens < summary.tokens_after + 40
    measured = summary.receipt.measured
    assert measured.tokens == turn.prompt_tokens
    assert measured.ttft_s == pytest.approx(turn.ttft_s - turn.queue_s)
    assert measured.tpot_s == turn.tpot_s
    assert measured.kv_bytes < summary.receipt.before.kv_bytes
