"""What saving a KV cache costs and spares: TTFT of the next turn warm, from memory, from disk and read anew.

python -m tests.benchmarks.bench_states [tokens ...]      1,000 and 4,000 by default
"""

from __future__ import annotations

import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path

from app.chat.message import Message
from app.engine.config import ModelConfig
from app.engine.events import LoadFailed, TokensGenerated
from app.engine.kv_state import KvState, Origin, StateKey
from app.engine.llama.context import LlamaContext
from app.engine.llama.library import initialise
from app.engine.llama.log_capture import log_capture
from app.engine.llama.model import LlamaModel
from app.engine.llama.state import put_state, take_state
from app.engine.process import EngineProcess
from app.engine.request import GenerationRequest
from app.engine.sampling import Sampling
from app.engine.self_test import SelfTests
from app.engine.state_file import read_state, write_state
from app.engine.states import StateBudget, StateFolder
from app.starter import starter_model
from app.telemetry.recorder import TurnRecorder

MIB = 1024**2
GIB = 1024**3
SENTENCE = "The ferry leaves the island every morning at half past six and takes forty minutes. "
TOKENS_OF_SENTENCE = 17


class Talk:
    """One conversation with an engine, answered greedily."""

    def __init__(self, engine: EngineProcess, budget: StateBudget, tokens: int) -> None:
        self._engine = engine
        self._budget = budget
        self.messages = [Message("user", SENTENCE * (tokens // TOKENS_OF_SENTENCE))]

    def ask(self, engine: EngineProcess | None = None, max_tokens: int = 16, name: str = "talk") -> TurnRecorder:
        """Answer the messages; return the turn."""
        request = GenerationRequest(
            tuple(self.messages),
            time.perf_counter_ns(),
            Sampling(temperature=0),
            max_tokens,
            conversation_id=name,
            states=self._budget,
        )
        recorder = TurnRecorder(request.submitted_ns)
        self.answer = ""
        for event in (engine or self._engine).generate(request):
            recorder.observe(event)
            if isinstance(event, TokensGenerated):
                self.answer += "".join(piece.text for piece in event.pieces)
        return recorder

    def go_on(self) -> None:
        """Append the answer and the next question."""
        self.messages += [Message("assistant", self.answer), Message("user", "Say that again in other words.")]


def load(self_tests: SelfTests) -> EngineProcess:
    """Return an engine with the starter model at 8,192 tokens."""
    path = starter_model()
    assert path is not None
    engine = EngineProcess(self_tests)
    for event in engine.load(ModelConfig(path, n_ctx=8192)):
        assert not isinstance(event, LoadFailed), event
    return engine


def other_conversation(engine: EngineProcess, budget: StateBudget) -> None:
    """Answer something short in between."""
    Talk(engine, budget, TOKENS_OF_SENTENCE).ask(max_tokens=2, name="another")


def resume(tokens: int, self_tests: SelfTests) -> None:
    """Print TTFT of the same next turn in four situations."""
    with tempfile.TemporaryDirectory() as folder:
        budget = StateBudget(Path(folder), GIB, 4 * GIB)
        engine = load(self_tests)
        talk = Talk(engine, budget, tokens)
        talk.ask()
        talk.go_on()
        rows = {"warm": talk.ask()}
        del talk.messages[-2:]  # the state as it was before that turn
        engine.forget()
        talk.ask()
        talk.go_on()
        other_conversation(engine, budget)
        rows["from memory"] = talk.ask()
        del talk.messages[-2:]
        engine.forget()
        talk.ask()
        talk.go_on()
        started = time.perf_counter()
        engine.close()
        closed_s = time.perf_counter() - started
        size = StateFolder(Path(folder)).total_bytes("talk")
        engine = load(self_tests)
        rows["from disk"] = talk.ask(engine)
        engine.close()
        engine = load(self_tests)
        rows["read anew"] = Talk.ask(talk, engine, name="cold")
        engine.close()
    print(f"\n{tokens:,} tokens: state {size / MIB:.1f} MiB on disk, engine closed in {closed_s:.2f} s")
    for name, recorder in rows.items():
        stats = recorder.stats
        print(
            f"  {name:12} TTFT {stats.ttft_s:7.3f} s   cached {stats.cached_tokens:5,} of {stats.prompt_tokens:5,}   "
            f"brought back in {stats.restore_ns / 1e6:6.1f} ms   {stats.restored_from or '-'} {stats.cache_miss}"
        )


def parts(tokens: int) -> None:
    """Print what each step of saving and bringing back takes."""
    path = starter_model()
    assert path is not None
    initialise()
    log = log_capture()
    config = ModelConfig(path, n_gpu_layers=0)
    model = LlamaModel(config, use_extra_bufts=False, on_progress=lambda _: True, errors=log.errors)
    context = LlamaContext(model, config, 8192, 2)
    ids = [100 + i % 1000 for i in range(tokens)]
    for first in range(0, tokens, 512):
        context.decode(ids[first : first + 512])
    key = StateKey("m", "m", "t", "l", "f16", "f16", True, False)
    assert context.handle is not None
    with tempfile.TemporaryDirectory() as folder:
        file = StateFolder(Path(folder)).file("a", key.digest)
        times = []
        for _ in range(5):
            marks = [time.perf_counter()]
            data = take_state(context.handle)
            assert data is not None
            marks.append(time.perf_counter())
            write_state(file, KvState(tuple(ids), None, Origin(), data), key, "a", lambda: False)
            marks.append(time.perf_counter())
            _, state = read_state(file, lambda: False)
            marks.append(time.perf_counter())
            assert put_state(context.handle, state.data)
            marks.append(time.perf_counter())
            times.append([1000 * (b - a) for a, b in pairwise(marks)])
        taken, written, read, put = (min(column) for column in zip(*times, strict=True))
        print(
            f"{tokens:,} tokens, {file.stat().st_size / MIB:.1f} MiB, best of 5: taken {taken:.0f} ms, written with "
            f"check and fsync {written:.0f} ms, read and checked {read:.0f} ms, put {put:.0f} ms"
        )
    context.free()
    model.free()


def main() -> None:
    """Print both tables."""
    sizes = [int(argument) for argument in sys.argv[1:]] or [1000, 4000]
    with tempfile.TemporaryDirectory() as folder:
        self_tests = SelfTests(Path(folder) / "self_test.json")
        for tokens in sizes:
            parts(tokens)
        for tokens in sizes:
            resume(tokens, self_tests)


if __name__ == "__main__":
    main()
