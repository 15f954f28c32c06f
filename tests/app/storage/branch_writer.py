"""A process that changes the tree of a conversation until it is killed; started by the tests with: database, seed.

It prints what it is about to do and, when that is on disk, what the path is then.
"""

from __future__ import annotations

import json
import random
import sys
from dataclasses import replace
from pathlib import Path

from app.chat.conversation import Conversation, Summary
from app.chat.message import Message
from app.chat.tree import MessageTree
from app.storage.store import Store, Turn
from app.telemetry.timings import TurnStats


def say(**values: object) -> None:
    """Tell the test."""
    print(json.dumps(values), flush=True)


def _state(tree: MessageTree) -> list[str]:
    return [*tree.path(), *tree.summaries(), tree.dropped_until]


def main(path: Path, seed: int) -> None:
    """Branch, summarise, show, delete, restore and continue at random, for ever."""
    chance, store, number = random.Random(seed), Store(path), 0
    if not store.conversations():
        store.create(Conversation(id="c", messages=(Message("user", "Why?", id=f"q{seed}"),)))
    tree = store.tree("c")
    say(path=_state(tree))
    while True:
        number += 1
        every = [node.id for node in tree]
        one = chance.choice(every)
        ends_at = next(node.id for node in tree if not node.summary_id)
        after = MessageTree(tree)
        step = chance.choice(("branch", "summarise", "drop", "show", "delete", "restore", "continue"))
        if step == "branch":
            question = Message("user", "And?", id=f"q{seed}-{number}")
            answer = Message("assistant", "Half", id=f"a{seed}-{number}", state="streaming")
            carried = [(f"p{seed}-{number}-{i}", each) for i, each in enumerate(after.summaries(after=one))]
            summary = Summary("Short.", ends_at, id=f"t{seed}-{number}") if chance.random() < 0.3 else None
            dropped_until = chance.choice(("", one))
            after.show(one, number)
            after.drop(dropped_until)
            for place_id, summary_id in carried:
                after.lay(summary_id, place_id)
            if summary is not None:
                after.lay(summary.id)
            after.append(question.id, "user")
            after.append(answer.id, "assistant")
            say(next=_state(after))
            store.branch(
                "c",
                one,
                [question, answer],
                Turn(answer.id, TurnStats(1)),
                carried=carried,
                summary=summary,
                dropped_until=dropped_until,
            )
        elif step == "summarise":
            after.lay(f"s{seed}-{number}")
            say(next=_state(after))
            store.add_summary("c", Summary("Short.", ends_at, id=f"s{seed}-{number}"))
        elif step == "drop":
            until = chance.choice(("", *after.line(after.leaf_id)))
            after.drop(until, one)
            say(next=_state(after))
            store.set_dropped_until("c", until, one)
        elif step == "show":
            after.show(one, number)
            say(next=_state(after))
            store.show_path("c", one)
        elif step in ("delete", "restore"):
            some = chance.sample(every, min(3, len(every)))
            after.set_deleted(some, step == "delete")
            say(next=_state(after))
            store.set_deleted("c", some, step == "delete")
        else:
            parts = [turn.part for turn in store.turns("c") if turn.message_id == one]
            say(next=_state(after))
            if parts:
                store.continue_answer("c", one, replace(Turn(one, TurnStats(1)), part=len(parts)))
        tree = after
        say(path=_state(tree))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
