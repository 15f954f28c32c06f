"""What a window that will be killed says to `bench_kills`, one JSON object a line; its engine says every word."""

from __future__ import annotations

import json
import sys
import time
from collections import deque
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QEventLoop

from app.chat.conversation import Conversation, prompt_messages
from app.engine.events import TokensGenerated
from tests.fakes import Answer, ScriptedEngine, fake_model

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterator

    from app.engine.events import GenerationEvent
    from app.engine.request import GenerationRequest

    View = dict[str, list[list[object]]]

N_CTX = 2048
TOKEN_S = 0.004
TIMEOUT_S = 60


def say(**values: object) -> None:
    """Tell the parent."""
    print(json.dumps(values), flush=True)


def seen(conversation: Conversation) -> View:
    """What is shown, and what the model is given."""
    return {
        "path": [[message.role, message.content, message.pinned] for message in conversation.messages],
        "prompt": [[message.role, message.content] for message in prompt_messages(conversation)],
    }


class TimedEngine(ScriptedEngine):
    """Answers with numbered words, and says of each when it was given away."""

    def __init__(self, chance: random.Random) -> None:
        super().__init__(model=None)
        self._next_model = fake_model(n_ctx=N_CTX)
        self.chance = chance
        self.next_answer: tuple[str, ...] = ()

    def generate(self, request: GenerationRequest) -> Iterator[GenerationEvent]:
        if request.purpose == "answer":
            reason = self.chance.choice(("stop", "length"))
            answer = Answer(self.next_answer, finish_reason=reason, delay_s=TOKEN_S, prompt_tokens=100)
        else:
            pieces = (f"- {self.chance.random()} ", *("ferries ",) * 9)
            answer = Answer(pieces, delay_s=TOKEN_S, prompt_tokens=100)
        self.answers = deque([answer])
        for event in super().generate(request):
            if request.purpose == "answer" and isinstance(event, TokensGenerated):
                say(at=time.monotonic_ns(), word="".join(piece.text for piece in event.pieces))
            yield event


def until(condition: Callable[[], bool]) -> None:
    """Run the event loop until something has happened."""
    deadline = time.monotonic() + TIMEOUT_S
    while not condition():
        if time.monotonic() > deadline:
            sys.exit(f"not within {TIMEOUT_S} s")
        QCoreApplication.processEvents(QEventLoop.ProcessEventsFlag.AllEvents, 5)
        time.sleep(0.0005)
