"""A process that writes an answer and dies; started by the tests with: database, where to die.

It prints a line whenever something is on disk, so that the test knows what must be found again.
"""

from __future__ import annotations

import sys
from pathlib import Path

import psutil

from app.chat.conversation import Conversation
from app.chat.message import Message
from app.storage import journal
from app.storage.store import Store, Turn
from app.telemetry.timings import TurnStats

PIECES = 5
STATS = TurnStats(1_000, 2_000, 3_000, 4_000, 9_000, prompt_tokens=40, cached_tokens=30, n_ctx=4096)


def piece(number: int) -> tuple[str, str, list[int]]:
    """What arrives between two calls: text, thinking, instants. Half a character at each end."""
    first = 10_000 + 2_000 * number
    return f"\udc00text {number} 模型\ud83d", f"thought {number};", [first, first + 1_000]


def die() -> None:
    """End at once, with no chance to tidy up."""
    psutil.Process().kill()


def main(path: Path, where: str) -> None:
    """Write until the point where to die; "wait" stays alive, "never" writes on and on."""
    store = Store(path)
    store.create(Conversation(id="c", title="Ferry"))
    store.add_message("c", Message("user", "Why?", id="q"))
    if where == "before_begin":
        die()
    store.begin_answer("c", Message("assistant", "", id="a", model="SmolLM2", state="streaming"), Turn("a", STATS))
    print("begun", flush=True)
    if where == "after_begin":
        die()
    number = 0
    while number < PIECES or where == "never":
        store.journal("a", *piece(number), STATS)
        print(number, flush=True)
        number += 1
    if where == "after_journal":
        die()
    if where == "wait":
        sys.stdin.read()
    # The writes below are all made, but the transaction has not ended.
    for name in ("append", "finish"):
        write = getattr(journal, name)
        setattr(journal, name, lambda *values, write=write: (write(*values), die()))
    if where == "in_journal":
        store.journal("a", *piece(number), STATS)
    store.finish_answer(Message("assistant", "all of it", id="a"), Turn("a", STATS))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
