"""What isolation, sampling and telemetry cost: our answers against a bare `llama_decode` loop, in turns, in one run.

    python -m tests.benchmarks.bench_engine

Goals: decode at least 0.95 of the bare loop, prefill of 512 tokens at least 0.97, in-process against child 0.98.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from app.chat.message import Message
from app.engine.config import ModelConfig
from app.engine.events import ModelLoaded
from app.engine.llama.in_process import InProcessEngine
from app.engine.process import EngineProcess
from app.engine.request import GenerationRequest
from app.engine.sampling import Sampling
from app.telemetry.recorder import TurnRecorder
from tests.benchmarks.yardstick import N_CTX, BareLoop, model_file, self_tests, spread, table

if TYPE_CHECKING:
    from app.engine.base import Engine
    from app.telemetry.timings import TurnStats

ROUNDS = 7
NEW_TOKENS = 96
STORY = "Tell me a very long story about a ferry that crosses the sea at night."


def answer(engine: Engine, text: str, max_tokens: int) -> TurnStats:
    """One fresh answer, default sampling."""
    engine.forget()
    request = GenerationRequest(
        (Message("user", text),), time.perf_counter_ns(), Sampling(seed=3), max_tokens=max_tokens
    )
    recorder = TurnRecorder(request.submitted_ns)
    for event in engine.generate(request):
        recorder.observe(event)
    return recorder.stats


def loaded(engine: Engine) -> Engine:
    last = list(engine.load(ModelConfig(model_file(), n_ctx=N_CTX)))[-1]
    assert isinstance(last, ModelLoaded), last
    return engine


def prompt_of(engine: Engine, tokens: int) -> str:
    """A user message whose rendered prompt has about so many tokens."""
    words = "sea "
    while engine.count_tokens([Message("user", words)]) < tokens:
        words += "sea "
    return words


def main() -> None:
    child, inside = loaded(EngineProcess(self_tests())), loaded(InProcessEngine(self_tests()))
    assert child.model is not None
    bare = BareLoop(repack=child.model.use_extra_bufts)
    long_prompt = prompt_of(child, 512)
    decode: dict[str, list[float]] = {"child": [], "inside": []}
    prefill: list[float] = []
    for _ in range(ROUNDS):
        stats = answer(child, STORY, NEW_TOKENS)
        assert stats.tpot_s is not None
        assert stats.prompt_tokens is not None
        steps = stats.completion_tokens - 1
        bare_tpot = bare.run(stats.prompt_tokens, steps)[1] / steps
        decode["child"].append(bare_tpot / stats.tpot_s)
        inside_tpot = answer(inside, STORY, NEW_TOKENS).tpot_s
        assert inside_tpot is not None
        decode["inside"].append(stats.tpot_s / inside_tpot)
        reading = answer(child, long_prompt, 1)
        assert reading.prefill_s is not None
        assert reading.prompt_tokens is not None
        prefill.append(bare.run(reading.prompt_tokens, 0)[0] / reading.prefill_s)
    table(
        "Speed as a share of the bare loop's (pairs measured in turns)",
        [
            ("decode, child process with sampling (goal 0.95)", spread(decode["child"])),
            ("prefill of 512 tokens, child process (goal 0.97)", spread(prefill)),
            ("decode, in this process over child (child: 1/x; goal 0.98)", spread(decode["inside"])),
        ],
    )
    bare.close()
    child.close()
    inside.close()


if __name__ == "__main__":
    main()
