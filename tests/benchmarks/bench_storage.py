"""What the store costs, as a table; `python tests/benchmarks/bench_storage.py [folder]` takes about ten seconds."""

from __future__ import annotations

import json
import random
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from app.chat.conversation import Conversation
from app.chat.message import Message
from app.storage.export import export
from app.storage.store import Store, Turn
from app.telemetry.series import MemoryPoint
from app.telemetry.timings import TurnStats

if TYPE_CHECKING:
    from collections.abc import Callable

TOKENS = 2000
MS = 1_000_000


def turn_of(message_id: str, tokens: int, chance: random.Random) -> Turn:
    """A turn whose tokens come every 12 ms, give or take 2."""
    instants, now = [], 10**15
    for _ in range(tokens):
        now += int(chance.gauss(12 * MS, 2 * MS))
        instants.append(now)
    stats = TurnStats(10**15, 10**15 + MS, token_ns=tuple(instants), prompt_tokens=500, finish_reason="stop")
    memory = tuple(MemoryPoint(k, 10**8, 23_040 * k, 10**8, 0, 10**7, 10**8 + 4096 * k) for k in range(0, tokens, 4))
    return Turn(message_id, stats, memory, "SmolLM2 135M", "/models/smollm2.gguf", json.dumps({"n_ctx": 4096}))


def answer(tokens: int, chance: random.Random, state: str = "complete") -> Message:
    """An answer of about four characters a token."""
    text = " ".join(chance.choice(("lorem", "ipsum", "dolor", "schön", "模型")) for _ in range(tokens * 2 // 3))
    return Message("assistant", text if state == "complete" else "", model="SmolLM2", state=state)


def timed(repeats: int, operation: Callable[[int], object]) -> tuple[float, float]:
    """Return median and worst duration in ms."""
    durations = []
    for number in range(repeats):
        start = time.perf_counter_ns()
        operation(number)
        durations.append((time.perf_counter_ns() - start) / MS)
    return statistics.median(durations), max(durations)


def run(folder: Path) -> list[tuple[str, float, float, str]]:
    """Return rows of (what, median ms, worst ms, goal)."""
    chance = random.Random(1)
    path = folder / "conversations.db"
    rows = []
    store = Store(path)

    conversation = Conversation(title="Bench")
    store.create(conversation)
    questions = [Message("user", "Why? " * 50) for _ in range(50)]
    started = [answer(TOKENS, chance, "streaming") for _ in questions]
    ended = [answer(TOKENS, chance) for _ in questions]
    ended = [Message("assistant", e.content, id=s.id, model=e.model) for s, e in zip(started, ended, strict=True)]
    turns = [turn_of(s.id, TOKENS, chance) for s in started]
    for message in started:
        store.begin_answer(conversation.id, message)

    def turn(number: int) -> None:
        store.add_message(conversation.id, questions[number])
        store.finish_answer(ended[number], turns[number])

    rows.append((f"add_message + finish_answer, {TOKENS:,} tokens", *timed(50, turn), "< 10"))

    live = answer(TOKENS, chance, "streaming")
    store.begin_answer(conversation.id, live)
    piece, instants = "lorem ipsum " * 3, [10**15 + 12 * MS * k for k in range(20)]
    rows.append(("journal, 20 tokens", *timed(400, lambda _: store.journal(live.id, piece, "", instants)), "< 5"))
    rows.append(("recover, 400 journal entries", *timed(1, lambda _: store.recover()), ""))

    long = Conversation(title="Long")
    store.create(long)
    for _ in range(250):
        store.add_message(long.id, Message("user", "Why? " * 50))
        begun, done = answer(200, chance, "streaming"), answer(200, chance)
        store.begin_answer(long.id, begun)
        store.finish_answer(Message("assistant", done.content, id=begun.id), turn_of(begun.id, 200, chance))
    rows.append(("conversation of 500 messages", *timed(20, lambda _: store.conversation(long.id)), "< 50"))
    rows.append(("turns of 500 messages, 200 tokens each", *timed(5, lambda _: store.turns(long.id)), ""))
    rows.append(("export as JSON, 500 messages", *timed(3, lambda _: export(store, long.id, "json")), ""))

    for number in range(2000):
        store.create(Conversation(title=f"Gespräch {number}", messages=(Message("user", "x"), Message("user", "y"))))
    rows.append(("list of 2,000 conversations", *timed(10, lambda _: store.conversations()), ""))
    rows.append(("search in 2,000 titles", *timed(10, lambda _: store.conversations("SPRÄCH 19")), ""))
    rows.append(("close", *timed(1, lambda _: store.close()), ""))
    size = f"{path.stat().st_size / 2**20:.1f} MiB"
    rows.append((f"open and check, {size}", *timed(5, lambda _: Store(path).close()), ""))
    return rows


def main() -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory(dir=sys.argv[1] if len(sys.argv) > 1 else None) as folder:
        rows = run(Path(folder))
    print(f"{'':46} {'median ms':>10} {'worst ms':>10}  goal")
    for what, median, worst, goal in rows:
        print(f"{what:46} {median:10.2f} {worst:10.2f}  {goal}")


if __name__ == "__main__":
    main()
