"""The engine in its child process, on the real starter model: answers, cancel, death at any moment, and its end."""

from __future__ import annotations

import os
import signal
import threading
import time
from dataclasses import replace
from typing import TYPE_CHECKING

import psutil
import pytest

from app.chat.message import Message
from app.engine.channel import Channel, Load
from app.engine.child_process import ChildProcess
from app.engine.config import ModelConfig
from app.engine.events import (
    GenerationEvent,
    GenerationFinished,
    LoadFailed,
    LoadProgressed,
    MemorySampled,
    ModelLoaded,
    PrefillProgressed,
    PromptTokenised,
    TokensGenerated,
)
from app.engine.process import EngineProcess
from app.engine.request import GenerationRequest
from app.engine.sampling import Sampling
from app.engine.self_test import SelfTests
from app.errors import EngineCrashedError, EngineError
from app.telemetry.recorder import TurnRecorder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

pytestmark = pytest.mark.model
LONG = "Tell me about the sea. " * 250


def request(*texts: str, **changes: object) -> GenerationRequest:
    roles = ("user", "assistant")
    messages = tuple(Message(roles[i % 2], text) for i, text in enumerate(texts))
    base = GenerationRequest(messages, time.perf_counter_ns(), Sampling(temperature=0), max_tokens=12)
    return replace(base, **changes)


def text_of(events: Iterable[GenerationEvent]) -> str:
    return "".join(piece.text for event in events if isinstance(event, TokensGenerated) for piece in event.pieces)


def only(kind: type, events: Iterable[GenerationEvent]) -> list:
    return [event for event in events if isinstance(event, kind)]


@pytest.fixture
def fresh(starter: Path, self_tests: SelfTests) -> Iterator[EngineProcess]:
    """A child of its own, for tests that kill it."""
    engine = EngineProcess(self_tests)
    assert isinstance(list(engine.load(ModelConfig(starter, n_ctx=2048)))[-1], ModelLoaded)
    yield engine
    engine.close()


def test_reports_what_was_loaded(engine: EngineProcess) -> None:
    model = engine.model
    assert model is not None
    assert (model.info.architecture, model.info.quantisation, model.info.n_layer) == ("llama", "Q4_1", 30)
    assert (model.info.n_head, model.info.n_head_kv, model.info.head_dim_k) == (9, 3, 64)
    assert model.info.n_params == 134_515_008
    assert model.n_ctx == 2048
    assert (model.layers_offloaded, model.layers_total, model.backend) == (0, 31, "CPU")
    assert model.flash_attention
    # 30 layers x 3 KV heads x (64 + 64) x 2 bytes
    assert model.memory.kv_caches[0].bytes_per_cell == 23_040
    assert model.memory.total_bytes("kv") == 2048 * 23_040
    assert model.memory.kv_used_bytes(1204) == 1204 * 23_040
    assert model.memory.total_bytes("weights") == pytest.approx(92.10 * 1024**2, rel=1e-3)
    assert model.process_bytes is not None
    assert model.process_bytes > model.memory.total_bytes("kv")


def test_an_answer_is_a_whole_stream_of_events(engine: EngineProcess) -> None:
    asked = request("What is the capital of France?")
    events = list(engine.generate(asked))
    (prompt,) = only(PromptTokenised, events)
    prefill = only(PrefillProgressed, events)
    assert asked.submitted_ns <= prompt.started_ns <= prompt.tokenised_ns <= prefill[0].at_ns
    assert prefill[0].done_tokens == 0
    assert prefill[-1].done_tokens == prefill[-1].total_tokens == prompt.prompt_tokens - prompt.cached_tokens
    tokens = [instant for batch in only(TokensGenerated, events) for instant in batch.sampled_ns]
    assert tokens == sorted(tokens)
    assert len(tokens) == 12
    assert tokens[0] >= prefill[-1].at_ns
    finish = events[-1]
    assert isinstance(finish, GenerationFinished)
    assert finish.finish_reason == "length"
    assert finish.context_tokens == prompt.prompt_tokens + 12 - 1  # the last token is not in the KV cache
    assert only(MemorySampled, events)
    assert text_of(events).strip()


def test_the_numbers_add_up(engine: EngineProcess) -> None:
    asked = request("Count to five.")
    recorder = TurnRecorder(asked.submitted_ns)
    for event in engine.generate(asked):
        recorder.observe(event)
    stats = recorder.stats
    assert stats.completion_tokens == 12
    assert stats.ttft_s is not None
    assert stats.tpot_s is not None
    assert stats.e2e_s == pytest.approx(stats.ttft_s + 11 * stats.tpot_s, abs=1e-9)
    assert stats.queue_s + stats.tokenise_s + stats.prefill_s <= stats.ttft_s
    assert sum(stats.itl_s) == pytest.approx(11 * stats.tpot_s, abs=1e-9)


def test_the_second_turn_reads_only_what_is_new(engine: EngineProcess) -> None:
    engine.forget()
    first = list(engine.generate(request("Name three rivers.", max_tokens=30)))
    again = list(engine.generate(request("Name three rivers.", text_of(first), "And one lake?")))
    (before,), (after,) = only(PromptTokenised, first), only(PromptTokenised, again)
    assert before.cached_tokens == 0
    # The cache holds the first prompt and all of the answer but its last token.
    assert after.cached_tokens == before.prompt_tokens + 30 - 1
    assert after.cache_miss == ""
    assert only(PrefillProgressed, again)[0].total_tokens == after.prompt_tokens - after.cached_tokens


def test_a_changed_history_says_why_its_cache_was_lost(engine: EngineProcess) -> None:
    list(engine.generate(request("Name three rivers.", max_tokens=10)))
    (prompt,) = only(PromptTokenised, list(engine.generate(request("Name four mountains.", "Yes.", "Go on."))))
    assert 0 < prompt.cached_tokens < prompt.prompt_tokens
    assert "A message differs" in prompt.cache_miss


def test_what_a_summary_asked_meanwhile_is_no_changed_history(engine: EngineProcess) -> None:
    said = ("Name three rivers.", text_of(list(engine.generate(request("Name three rivers.", max_tokens=10)))))
    list(engine.generate(request(*said, "Summarise that.", max_tokens=10, purpose="summary")))
    (prompt,) = only(PromptTokenised, list(engine.generate(request(*said, "And one lake?"))))
    assert prompt.cached_tokens > 10
    assert prompt.cache_miss == ""


def test_the_same_prompt_again_decodes_one_token_only(engine: EngineProcess) -> None:
    asked = "What is the capital of Italy?"
    first, second = (list(engine.generate(request(asked))) for _ in range(2))
    (prompt,) = only(PromptTokenised, second)
    assert prompt.cached_tokens == prompt.prompt_tokens - 1
    assert prompt.cache_miss == ""
    assert text_of(first) == text_of(second)


def test_forget_empties_the_cache(engine: EngineProcess) -> None:
    list(engine.generate(request("Hello")))
    engine.forget()
    (prompt,) = only(PromptTokenised, list(engine.generate(request("Hello"))))
    assert prompt.cached_tokens == 0


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"max_tokens": 5}, "length"),
        ({"max_tokens": None, "stop": ("e",)}, "stop_string"),
        ({"max_tokens": 200}, "stop"),
    ],
)
def test_the_finish_reason_says_why(engine: EngineProcess, changes: dict[str, object], reason: str) -> None:
    events = list(engine.generate(request("What is 2 plus 2? Answer in one word.", **changes)))
    assert events[-1].finish_reason == reason
    if reason == "stop_string":
        assert "e" not in text_of(events)


def test_a_seed_makes_sampling_repeatable_and_none_draws_one(engine: EngineProcess) -> None:
    def answer(seed: int | None) -> tuple[str, int | None]:
        events = list(engine.generate(request("Tell a story.", sampling=Sampling(1.2, seed=seed), max_tokens=20)))
        return text_of(events), events[-1].seed

    assert answer(11) == answer(11)
    assert answer(11)[1] == 11
    assert answer(None)[1] != answer(None)[1]


def test_a_prompt_longer_than_the_context_is_refused_with_a_sentence(engine: EngineProcess) -> None:
    events = list(engine.generate(request(LONG * 3)))
    assert [type(event) for event in events] == [MemorySampled, GenerationFinished]
    assert events[-1].finish_reason == "context"
    assert "2,048" in events[-1].error


def test_a_full_context_ends_the_answer(starter: Path, self_tests: SelfTests) -> None:
    engine = EngineProcess(self_tests)
    list(engine.load(ModelConfig(starter, n_ctx=256)))
    events = list(engine.generate(request("Write a very long story.", max_tokens=None, stop=("\0",))))
    engine.close()
    finish = events[-1]
    assert finish.finish_reason == "context"
    assert finish.context_tokens == 256


def test_count_tokens_is_the_size_of_the_prompt(engine: EngineProcess) -> None:
    messages = [Message("user", "Grüße, 世界 🙂")]
    counted = engine.count_tokens(messages)
    (prompt,) = only(PromptTokenised, list(engine.generate(request("Grüße, 世界 🙂"))))
    assert prompt.prompt_tokens == counted


def in_a_moment(action: Callable[[], None], seconds: float) -> threading.Timer:
    timer = threading.Timer(seconds, action)
    timer.start()
    return timer


@pytest.mark.parametrize("moment", [PrefillProgressed, TokensGenerated])
def test_cancel_ends_prefill_and_decode(engine: EngineProcess, moment: type) -> None:
    engine.forget()
    asked = request(LONG, max_tokens=None) if moment is PrefillProgressed else request("Tell a story.", max_tokens=None)
    seen = []
    for event in engine.generate(asked):
        if isinstance(event, moment) and not any(isinstance(one, moment) for one in seen):
            engine.cancel()
        seen.append(event)
    assert seen[-1].finish_reason == "cancelled"
    if moment is PrefillProgressed:
        assert not only(TokensGenerated, seen)
    assert engine._child is not None
    assert engine._child.last_line() == ""  # llama.cpp's complaint would be the last words of a later death
    after = list(engine.generate(request("What is the capital of France?")))
    engine.forget()
    assert text_of(after) == text_of(engine.generate(request("What is the capital of France?")))


def test_cancel_reaches_a_request_that_was_not_begun(engine: EngineProcess) -> None:
    early = request("Hello")
    engine.cancel()
    late = request("Hello")
    assert list(engine.generate(early))[-1].finish_reason == "cancelled"
    assert list(engine.generate(late))[-1].finish_reason == "length"


def test_cancel_during_the_load(starter: Path, self_tests: SelfTests) -> None:
    engine = EngineProcess(self_tests)
    last = None
    for event in engine.load(ModelConfig(starter)):
        if isinstance(event, LoadProgressed):
            engine.cancel()
        last = event
    assert isinstance(last, LoadFailed)
    assert last.kind == "cancelled"
    assert engine.pid is None
    assert isinstance(list(engine.load(ModelConfig(starter, n_ctx=256)))[-1], ModelLoaded)
    engine.close()


@pytest.mark.parametrize("moment", ["while the child is started", "before the child listens"])
def test_cancel_before_the_first_event_of_a_load(
    starter: Path, self_tests: SelfTests, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    engine, send = EngineProcess(self_tests), Channel.send
    started: list[ChildProcess] = []

    class Started(ChildProcess):
        def __init__(self) -> None:
            super().__init__()
            started.append(self)
            if moment == "while the child is started":
                engine.cancel()

    def send_and_cancel(channel: Channel, message: object) -> None:
        send(channel, message)
        if isinstance(message, Load):
            engine.cancel()

    with monkeypatch.context() as patch:
        patch.setattr("app.engine.process.ChildProcess", Started)
        patch.setattr(Channel, "send", send_and_cancel)
        (last,) = engine.load(ModelConfig(starter, n_ctx=256))
    assert isinstance(last, LoadFailed)
    assert last.kind == "cancelled"
    assert engine.pid is None
    assert [child._process.poll() for child in started] != [0]  # it was ended, not waited for
    assert isinstance(list(engine.load(ModelConfig(starter, n_ctx=256)))[-1], ModelLoaded)
    engine.close()


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="Windows has no SIGKILL")
@pytest.mark.parametrize("moment", [PromptTokenised, PrefillProgressed, TokensGenerated])
def test_the_child_may_die_at_any_moment(fresh: EngineProcess, starter: Path, moment: type) -> None:
    seen = []
    for event in fresh.generate(request("Tell a long story.", max_tokens=None)):
        if isinstance(event, moment) and not seen:
            assert fresh.pid is not None
            os.kill(fresh.pid, signal.SIGKILL)
            seen.append(event)
        last = event
    assert isinstance(last, GenerationFinished)
    assert last.finish_reason == "crashed"
    assert "SIGKILL" in last.error
    assert fresh.model is None
    assert list(fresh.generate(request("Hello")))[-1].finish_reason == "failed"
    with pytest.raises(EngineError):
        fresh.count_tokens([Message("user", "x")])
    assert isinstance(list(fresh.load(ModelConfig(starter, n_ctx=256)))[-1], ModelLoaded)
    assert list(fresh.generate(request("Hello")))[-1].finish_reason == "length"


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="Windows has no SIGKILL")
def test_forgetting_does_not_hide_that_the_child_died(fresh: EngineProcess) -> None:
    assert fresh.pid is not None
    os.kill(fresh.pid, signal.SIGKILL)
    fresh.forget()
    assert list(fresh.generate(request("Hello")))[-1].finish_reason == "crashed"


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="Windows has no SIGKILL")
def test_a_child_that_dies_while_idle_is_noticed_by_the_next_question(fresh: EngineProcess) -> None:
    assert fresh.pid is not None
    os.kill(fresh.pid, signal.SIGKILL)
    with pytest.raises(EngineCrashedError, match="SIGKILL"):
        fresh.count_tokens([Message("user", "x")])


def test_unload_ends_the_child(fresh: EngineProcess) -> None:
    child = psutil.Process(fresh.pid)
    fresh.unload()
    assert not child.is_running()
    assert fresh.model is None


def test_the_child_ends_when_its_pipe_closes(fresh: EngineProcess) -> None:
    assert fresh._child is not None
    child = psutil.Process(fresh.pid)
    fresh._child.channel.close()
    assert child.wait(timeout=5) is not None or not child.is_running()


def test_a_child_that_died_in_its_warm_up_is_started_again_without_repacking(
    starter: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The crash is simulated where the build is sound: the child ends itself in its first warm-up with repacking on."""
    site = tmp_path / "site"
    site.mkdir()
    (site / "sitecustomize.py").write_text(
        "import os, signal, sys\n"
        "if 'app.engine.llama.child' in sys.orig_argv:\n"
        "    import app.engine.llama.engine as engine\n"
        "    warm_up = engine.LlamaEngine._warm_up\n"
        "    def die(self, session):\n"
        "        if session.loaded.use_extra_bufts:\n"
        "            self._before_warm_up()\n"
        "            os.abort()\n"
        "        warm_up(self, session)\n"
        "    engine.LlamaEngine._warm_up = die\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(site))
    memory = SelfTests(tmp_path / "self_test.json")
    for expected_notes in (1, 0):
        engine = EngineProcess(memory)
        loaded = list(engine.load(ModelConfig(starter, n_ctx=256)))[-1]
        assert isinstance(loaded, ModelLoaded)
        assert loaded.model.use_extra_bufts is False
        assert len(loaded.model.notes) == expected_notes  # said once, remembered after
        assert list(engine.generate(request("Hello")))[-1].finish_reason == "length"
        engine.close()
    verdict = memory.verdict()
    assert verdict is not None
    assert not verdict.repacking_is_safe


def test_devices_without_a_model(self_tests: SelfTests) -> None:
    engine = EngineProcess(self_tests)
    devices = engine.devices()
    cpu = next(device for device in devices if device.kind == "cpu")
    assert cpu.total_bytes == psutil.virtual_memory().total
    assert engine.pid is None


def test_a_bad_file_is_bad_input(tmp_path: Path, self_tests: SelfTests) -> None:
    engine = EngineProcess(self_tests)
    failed = list(engine.load(ModelConfig(tmp_path / "nothing.gguf")))[-1]
    assert isinstance(failed, LoadFailed)
    assert failed.kind == "bad_input"
    assert "nothing.gguf" in failed.reason
    assert engine.pid is None


def test_a_name_with_spaces_chinese_and_emoji_is_loaded(starter: Path, tmp_path: Path, self_tests: SelfTests) -> None:
    path = tmp_path / "模型 Ж é 🙂" / "mo del 🙂.gguf"
    path.parent.mkdir()
    path.symlink_to(starter)
    engine = EngineProcess(self_tests)
    loaded = list(engine.load(ModelConfig(path, n_ctx=256)))[-1]
    engine.close()
    assert isinstance(loaded, ModelLoaded)
    assert loaded.model.info.path == path
