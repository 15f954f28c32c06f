"""Decode speed of a real answer through the whole window, against a bare `llama_decode` loop, in turns, in one run.

    python -m tests.benchmarks.bench_answer

The window is the real one with its engine process, transcript, charts and store; the starter model samples as by
default. Its speed is that of the finished turn, as the charts show it. Goal: at least 0.95 of the bare loop's.

Three windows in turn, each against a bare loop of as many threads. Every core decodes, so that all the window does is
taken from decoding: once hidden, which is the path of the events alone, and once shown, which paints too. And shown
with one core left to the window.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from dataclasses import replace
from typing import TYPE_CHECKING

from app.engine.cores import usable_cores
from tests.benchmarks.loop import wait, wait_until
from tests.benchmarks.yardstick import N_CTX, BareLoop, model_file, spread, table
from ui.application import create
from ui.garbage import GarbageCollector
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


def measure(n_threads: int, is_shown: bool) -> tuple[str, str]:
    """Return share and rate of one window, as text."""
    _application, window = create(["tokometer", "-m", str(model_file()), "-c", str(N_CTX), "-t", str(n_threads)])
    window.resize(*SIZE)
    window.findChild(Parts).begun.connect(GarbageCollector(window).begin)
    window.show()
    parts = window.findChild(Parts)
    parts.settings.set(replace(parts.settings.value, max_tokens=NEW_TOKENS))
    wait_until(lambda: parts.models.model is not None)
    bare = BareLoop(repack=parts.models.model.use_extra_bufts, n_threads=n_threads)
    answer(parts)
    if not is_shown:
        window.hide()
    ratios, rates = [], []
    for _ in range(ROUNDS):
        stats = answer(parts)
        wait(200)  # the window's last work on the answer must not slow the bare loop
        assert stats.tpot_s is not None
        assert stats.prompt_tokens is not None
        steps = stats.completion_tokens - 1
        ratios.append(bare.run(stats.prompt_tokens, steps)[1] / steps / stats.tpot_s)
        rates.append(1 / stats.tpot_s)
    bare.close()
    window.close()
    return spread(ratios), spread(rates)


def main() -> None:
    """Measure one window, in a process of its own, or all and print the table."""
    if len(sys.argv) == 3:
        print(*measure(int(sys.argv[1]), sys.argv[2] == "shown"), sep="\n")
        return
    cores = usable_cores()
    rows = []
    for name, n_threads, state in (
        (f"every core decodes ({cores} threads), hidden", cores, "hidden"),
        (f"every core decodes ({cores} threads), shown", cores, "shown"),
        (f"a core for the window ({max(cores - 1, 1)} threads), shown", max(cores - 1, 1), "shown"),
    ):
        command = [sys.executable, "-m", "tests.benchmarks.bench_answer", str(n_threads), state]
        share, rate = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()[-2:]
        rows += [(f"{name}: share (goal: 0.95)", share), ("    tokens/s", rate)]
    table(f"Decode through the whole window against a bare loop, answers of {NEW_TOKENS} tokens, in turns", rows)


if __name__ == "__main__":
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    with tempfile.TemporaryDirectory() as home:
        os.environ["TOKOMETER_HOME"] = home
        main()
