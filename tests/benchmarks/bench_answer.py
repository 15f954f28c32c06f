"""Decode speed of a real answer through the whole window, against a bare `llama_decode` loop, in turns, in one run.

    python -m tests.benchmarks.bench_answer

The window is the real one with its engine process, transcript, charts and store; the starter model samples as by
default. Its speed is that of the finished turn, as the charts show it. Goal: at least 0.95 of the bare loop's.
"""

from __future__ import annotations

import os
import tempfile
from dataclasses import replace
from typing import TYPE_CHECKING

from tests.benchmarks.loop import wait, wait_until
from tests.benchmarks.yardstick import N_CTX, BareLoop, model_file, spread, table
from ui.application import create
from ui.parts import Parts

if TYPE_CHECKING:
    from app.telemetry.timings import TurnStats

ROUNDS = 7
NEW_TOKENS = 96
STORY = "Tell me a very long story about a ferry that crosses the sea at night."
SIZE = (1600, 1000)


def answer(parts: Parts) -> TurnStats:
    """One answer in a new conversation."""
    parts.chat.new()
    parts.chat.send(STORY)
    assert parts.chat.running is not None
    wait_until(lambda: parts.chat.running is None)
    (turn,) = parts.chat.session.turns.values()
    return turn.stats


def main() -> None:
    """Print the table."""
    _application, window = create(["tokometer", "-m", str(model_file()), "-c", str(N_CTX)])
    window.resize(*SIZE)
    window.show()
    parts = window.findChild(Parts)
    parts.settings.set(replace(parts.settings.value, max_tokens=NEW_TOKENS))
    wait_until(lambda: parts.models.model is not None)
    bare = BareLoop(repack=parts.models.model.use_extra_bufts)
    answer(parts)
    ratios, rates = [], []
    for _ in range(ROUNDS):
        stats = answer(parts)
        wait(200)  # the window's last work on the answer must not slow the bare loop
        assert stats.tpot_s is not None
        assert stats.prompt_tokens is not None
        steps = stats.completion_tokens - 1
        ratios.append(bare.run(stats.prompt_tokens, steps)[1] / steps / stats.tpot_s)
        rates.append(1 / stats.tpot_s)
    table(
        "Decode through the whole window as a share of the bare loop's (pairs measured in turns)",
        [
            ("share (goal: at least 0.95)", spread(ratios)),
            (f"tokens/s of answers of {NEW_TOKENS} tokens", spread(rates)),
        ],
    )
    bare.close()
    window.close()


if __name__ == "__main__":
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    with tempfile.TemporaryDirectory() as home:
        os.environ["TOKOMETER_HOME"] = home
        main()
