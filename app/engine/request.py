"""What the engine is asked to write."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from app.chat.message import new_id
from app.engine.sampling import Sampling
from app.engine.states import StateBudget

if TYPE_CHECKING:
    from collections.abc import Mapping

    from app.chat.message import Message

Purpose = Literal["answer", "summary"]
"""An `answer` is what the user waits for; anything else is written in the background and gives way to it."""


@dataclass(frozen=True, slots=True)
class GenerationRequest:
    """One answer to be written.

    Attributes:
        messages: what the model is given, system prompt first if there is one.
        submitted_ns: t0, `time.perf_counter_ns()` when Send was pressed.
        max_tokens: the most tokens to sample; None: until the model stops or the context is full.
        stop: strings that end the answer; they are cut from the text.
        continues: an answer to be written on, which is not among `messages`: the prompt ends inside it.
        template_kwargs: extra variables for the chat template, such as `enable_thinking`.
        conversation_id: whose KV cache this goes on with, and under what name it is saved; empty: it is not saved.
        states: how much is kept of KV caches that others take the place of.
        may_grow: whether a context that can grow may do so for this answer; else what it holds now is its limit.
        id: tells its events from those of others.
    """

    messages: tuple[Message, ...]
    submitted_ns: int
    sampling: Sampling = field(default_factory=Sampling)
    max_tokens: int | None = None
    stop: tuple[str, ...] = ()
    template_kwargs: Mapping[str, Any] = field(default_factory=dict)
    purpose: Purpose = "answer"
    continues: Message | None = None
    conversation_id: str = ""
    states: StateBudget = field(default_factory=StateBudget)
    may_grow: bool = True
    id: str = field(default_factory=new_id, compare=False)

    @property
    def is_background(self) -> bool:
        """Whether nobody waits for it."""
        return self.purpose != "answer"


@dataclass(frozen=True, slots=True)
class Foreseen:
    """What a request would find now.

    Attributes:
        prompt_tokens: of the whole prompt.
        cached_tokens: of these, what need not be read: it is in the KV cache, or in a saved state.
    """

    prompt_tokens: int
    cached_tokens: int
