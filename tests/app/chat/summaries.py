"""A scripted model that summarises, and talks to be summarised.

A token is a word here, and a message costs three more, as the template's marks would.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.chat.conversation import Conversation
from app.chat.message import Message
from app.chat.summary import NotSummarised, Question, Summarised, summarise

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

N_CTX = 4096
GOOD = "Goal:\nPlan a ferry trip to Norway in June.\nFacts:\n- The ferry leaves Bergen."


def count(messages: Sequence[Message]) -> int:
    return sum(len(message.content.split()) + 3 for message in messages)


def contents(messages: Sequence[Message]) -> list[str]:
    return [message.content for message in messages]


def conversation(turns: int = 6, words: int = 60, system_prompt: str = "Be brief.") -> Conversation:
    """A talk about a ferry trip; every question and answer has so many words."""
    filler = "Norway in June has long days and the ferry trip along the coast leaves Bergen early. "
    messages: list[Message] = []
    for number in range(turns):
        question = f"Question {number}: what about stop {number}? " + filler * words
        answer = f"Answer {number}: stop {number} is worth it. " + filler * words
        messages.append(Message("user", " ".join(question.split()[:words]), id=f"u{number}"))
        messages.append(Message("assistant", " ".join(answer.split()[:words]), thinking="hm", id=f"a{number}"))
    return Conversation(system_prompt=system_prompt, messages=tuple(messages))


def run(
    talk: Conversation, *answers: str, n_ctx: int = N_CTX, counter: Callable[[Sequence[Message]], int] = count
) -> tuple[Summarised | NotSummarised, list[Question]]:
    """Put every question to a model that gives these answers, the last one again and again."""
    steps = summarise(talk, counter, n_ctx)
    questions: list[Question] = []
    try:
        questions.append(next(steps))
        while True:
            questions.append(steps.send(answers[min(len(questions), len(answers)) - 1]))
    except StopIteration as stop:
        return stop.value, questions


def summarised(talk: Conversation, *answers: str, n_ctx: int = N_CTX) -> tuple[Summarised, list[Question]]:
    result, questions = run(talk, *answers, n_ctx=n_ctx)
    assert isinstance(result, Summarised)
    return result, questions
