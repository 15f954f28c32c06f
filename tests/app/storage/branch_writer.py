"""A process that changes the tree of a conversation until it is killed; started by the tests with: database, seed.

It prints what it is about to do and, when that is on disk, what the path is then.
"""

from __future__ import annotations

import json
import random
import sys
from dataclasses import replace
from pathlib import Path

from app.chat.conversation import Conversation
from app.chat.message import Message
from app.chat.tree import MessageTree
from app.storage.store import Store, Turn
from app.telemetry.timings import TurnStats


def say(**values: object) -> None:
    """Tell the test."""
    print(json.dumps(values), flush=True)


def main(path: Path, seed: int) -> None:
    """Branch, show, delete, restore and continue at random, for ever."""
    chance, store, number = random.Random(seed), Store(path), 0
    if not store.conversations():
        store.create(Conversation(id="c", messages=(Message("user", "Why?", id=f"q{seed}"),)))
    tree = store.tree("c")
    say(path=tree.path())
    while True:
        number += 1
        every = [node.id for node in tree]
        one = chance.choice(every)
        after = MessageTree(tree)
        step = chance.choice(("branch", "show", "delete", "restore", "continue"))
        if step == "branch":
            question = Message("user", "And?", id=f"q{seed}-{number}")
            answer = Message("assistant", "Half", id=f"a{seed}-{number}", state="streaming")
            after.show(one, number)
            after.append(question.id, "user")
            after.append(answer.id, "assistant")
            say(next=after.path())
            store.branch("c", one, [question, answer], Turn(answer.id, TurnStats(1)))
        elif step == "show":
            after.show(one, number)
            say(next=after.path())
            store.show_path("c", one)
        elif step in ("delete", "restore"):
            some = chance.sample(every, min(3, len(every)))
            after.set_deleted(some, step == "delete")
            say(next=after.path())
            store.set_deleted("c", some, step == "delete")
        else:
            parts = [turn.part for turn in store.turns("c") if turn.message_id == one]
            say(next=after.path())
            if parts:
                store.continue_answer("c", one, replace(Turn(one, TurnStats(1)), part=len(parts)))
        tree = after
        say(path=tree.path())


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
