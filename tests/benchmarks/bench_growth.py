"""What a larger context costs: carrying 4,000 tokens over against reading them again, in turns, in one run.

    python -m tests.benchmarks.bench_growth

Goal: carrying over takes less than 1/20 of reading again.
"""

from __future__ import annotations

import time

from app.chat.message import Message
from app.engine.config import ModelConfig
from app.engine.events import ContextGrown, ModelLoaded, PrefillProgressed
from app.engine.process import EngineProcess
from app.engine.request import GenerationRequest
from app.engine.sampling import Sampling
from tests.benchmarks.yardstick import model_file, self_tests, spread, table

ROUNDS = 5
HELD_TOKENS = 4000


def message(engine: EngineProcess, tokens: int) -> Message:
    """A user message whose rendered prompt has about so many tokens."""
    words = tokens
    while engine.count_tokens([Message("user", "sea " * words)]) > tokens:
        words -= 20
    return Message("user", "sea " * words)


def answer(engine: EngineProcess, messages: list[Message], max_tokens: int) -> tuple[float, ContextGrown | None]:
    """Return the seconds of prefill, and the growth if there was one."""
    request = GenerationRequest(
        tuple(messages), time.perf_counter_ns(), Sampling(temperature=0), max_tokens=max_tokens, stop=("\0",)
    )
    events = list(engine.generate(request))
    instants = [event.at_ns for event in events if isinstance(event, PrefillProgressed)]
    grown = [event for event in events if isinstance(event, ContextGrown)]
    return (instants[-1] - instants[0]) / 1e9, grown[0] if grown else None


def main() -> None:
    engine = EngineProcess(self_tests())
    last = list(engine.load(ModelConfig(model_file())))[-1]
    assert isinstance(last, ModelLoaded), last
    question = message(engine, HELD_TOKENS)
    more = [question, Message("assistant", "Yes."), Message("user", "Go on. " * 100)]
    carried: list[float] = []
    read: list[float] = []
    for _ in range(ROUNDS):
        engine.forget()
        seconds, grown = answer(engine, [question], 1)
        assert grown is None
        read.append(seconds)
        _, grown = answer(engine, more, 1)
        assert grown is not None
        assert grown.carried_tokens > HELD_TOKENS - 200
        carried.append(grown.took_ns / 1e9)
    engine.close()
    shares = [over / again for over, again in zip(carried, read, strict=True)]
    table(
        f"A context of 4,096 tokens becomes one of {grown.n_ctx:,} with {grown.carried_tokens:,} tokens in it",
        [
            ("carrying them over", spread(carried, " ms", 1000)),
            ("reading them again", spread(read, " ms", 1000)),
            ("carrying over / reading again (goal under 0.05)", spread(shares)),
        ],
    )


if __name__ == "__main__":
    main()
