"""What a message that is not sent yet will cost, and what a longer conversation would."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.errors import Sentence
from app.telemetry.speed import NotYet

if TYPE_CHECKING:
    from app.telemetry.robust import Estimate
    from app.telemetry.speed import TpotLine, TtftCurve


@dataclass(frozen=True, slots=True)
class Outlook:
    """The line beside Send.

    Attributes:
        new_tokens: of the prompt, those not in the KV cache.
        ttft: in seconds, None until there is data; `missing` then says what is.
        context_tokens, context_tokens_then: now, and when the prompt has been read.
        fits: whether the prompt leaves room for an answer.
    """

    new_tokens: int
    ttft: Estimate | None
    context_tokens: int
    context_tokens_then: int
    n_ctx: int
    missing: NotYet | None = None

    @property
    def fits(self) -> bool:
        """Whether the prompt leaves room for a token."""
        return self.context_tokens_then < self.n_ctx

    @property
    def sentence(self) -> str:
        """The same in words."""
        values = {
            "tokens": self.new_tokens,
            "now": self.context_tokens / self.n_ctx,
            "then": self.context_tokens_then / self.n_ctx,
        }
        if not self.fits:
            return Sentence("{tokens:,} new tokens do not fit: context {now:.0%} → {then:.0%}", **values)
        if self.ttft is None:
            return Sentence("{tokens:,} new tokens, context {now:.0%} → {then:.0%}", **values)
        return Sentence(
            "{tokens:,} new tokens, about {ttft:.2g} s to the first token ({low:.2g} to {high:.2g} s), context "
            "{now:.0%} → {then:.0%}",
            **values,
            ttft=self.ttft.value,
            low=self.ttft.low,
            high=self.ttft.high,
        )


def outlook(
    prompt_tokens: int, cached_tokens: int, context_tokens: int, n_ctx: int, curve: TtftCurve | NotYet
) -> Outlook:
    """Return what sending a prompt will cost.

    Args:
        prompt_tokens: of the whole prompt, as the engine counts it.
        cached_tokens: of these, what the KV cache will still hold: all of the conversation, unless it was changed.
        context_tokens: cells in use now.
    """
    new_tokens = max(prompt_tokens - cached_tokens, 1)
    return Outlook(
        new_tokens=new_tokens,
        ttft=None if isinstance(curve, NotYet) else curve.at(new_tokens, cached_tokens),
        context_tokens=context_tokens,
        context_tokens_then=prompt_tokens,
        n_ctx=n_ctx,
        missing=curve if isinstance(curve, NotYet) else None,
    )


@dataclass(frozen=True, slots=True)
class ContextCost:
    """What a token takes now and at twice the context, in seconds.

    Attributes:
        is_extrapolated: twice the context is longer than any answer the line was fitted to.
    """

    context_tokens: int
    now: Estimate
    doubled_context_tokens: int
    doubled: Estimate
    is_extrapolated: bool

    @property
    def slower(self) -> float:
        """How much longer a token takes then: 0.3 is 30 % more."""
        return self.doubled.value / self.now.value - 1 if self.now.value else 0.0


def doubled_context(line: TpotLine, context_tokens: int) -> ContextCost:
    """Return what twice this context will cost."""
    twice = 2 * context_tokens
    return ContextCost(context_tokens, line.at(context_tokens), twice, line.at(twice), twice > line.longest_context)
