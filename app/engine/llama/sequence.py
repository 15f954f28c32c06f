"""One of several sequences of a context, and what stands in its KV cache."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.engine.llama.library import lib
from app.errors import Sentence

if TYPE_CHECKING:
    from collections.abc import Sequence as Tokens

    from app.engine.llama.context import LlamaContext


class Sequence:
    """A conversation's share of the KV cache. It is a cache of its own: no other can take its cells.

    Attributes:
        number: llama.cpp's id of it.
        tokens: ids whose K and V are in the cache, in order.
        undecoded: the last sampled token, when an answer ended before it was put into the cache.
        conversation_id: whose tokens they are; empty when that is not known.
        used_ns: when it was last written for.
    """

    def __init__(self, context: LlamaContext, number: int) -> None:
        self._context = context
        self.number = number
        self.tokens: list[int] = []
        self.undecoded: int | None = None
        self.conversation_id = ""
        self.used_ns = 0

    def common_prefix(self, prompt: Tokens[int]) -> int:
        """Return with how many of the tokens held a prompt begins."""
        held = self.tokens
        limit = min(len(held), len(prompt))
        common = 0
        while common < limit and held[common] == prompt[common]:
            common += 1
        return common

    def reuse_prefix(self, prompt: Tokens[int]) -> tuple[int, str]:
        """Keep what can be used for a prompt, drop the rest. See `LlamaContext.reuse_prefix`."""
        self.undecoded = None
        held, common = len(self.tokens), min(self.common_prefix(prompt), len(prompt) - 1)
        if common == held:
            return held, ""
        reason = Sentence("The conversation's earlier text changed.") if common < len(prompt) - 1 else ""
        if common and not self._context.window_allows(common, self.number):
            common, reason = 0, Sentence("The change lies further back than this model's sliding window keeps.")
        if common and not lib.llama_memory_seq_rm(self._context.memory, self.number, common, -1):
            common, reason = 0, Sentence("This model's recurrent state cannot step back, so everything was read again.")
        if common == 0:
            self.clear()
        else:
            del self.tokens[common:]
        return common, reason

    def reusable(self, prompt: Tokens[int]) -> int:
        """Return how many tokens `reuse_prefix` would keep."""
        common = min(self.common_prefix(prompt), len(prompt) - 1)
        steps_back = self._context.steps_back and self._context.window_allows(common, self.number)
        return common if common == len(self.tokens) or steps_back else 0

    def beginnings(self) -> tuple[list[int], ...]:
        """Return the token ids that a prompt may begin with."""
        undecoded = [] if self.undecoded is None else [self.undecoded]
        return self.tokens + undecoded, self.tokens

    def clear(self) -> None:
        """Give its cells back."""
        lib.llama_memory_seq_rm(self._context.memory, self.number, -1, -1)
        self.forget()

    def forget(self) -> None:
        """The cache was emptied: nothing is held any more."""
        self.tokens = []
        self.undecoded = None
        self.conversation_id = ""

    def keep_decoded(self, wanted: Tokens[int]) -> int:
        """After a decode of these tokens that ended early, take over what is in the cache; return how many are."""
        before = len(self.tokens)
        kept = max(int(lib.llama_memory_seq_pos_max(self._context.memory, self.number)) + 1, 0)
        self.tokens = [*self.tokens, *wanted][:kept]
        return max(len(self.tokens) - before, 0)

    def step_back(self) -> None:
        """Take the last token out again."""
        self.tokens.pop()
        lib.llama_memory_seq_rm(self._context.memory, self.number, len(self.tokens), -1)


def choose_sequence(
    idle: Tokens[Sequence], prompt: Tokens[int], conversation_id: str, busy: frozenset[int]
) -> Sequence:
    """Return the idle sequence for a prompt: the one that holds its conversation, or where least is lost.

    llama-server's rule (get_available_slot): the longest common prefix, else the one not used for longest. A foreign
    conversation is only cut back where most of it stays. Empty ones beside busy ones go first: llama.cpp computes
    neighbours together, and what is apart in turn (llama_batch_allocr::split_equal).
    """
    own = [each for each in idle if conversation_id and each.conversation_id == conversation_id]
    if own:
        return max(own, key=lambda each: each.common_prefix(prompt))
    sharing = [each for each in idle if each.tokens and 2 * each.common_prefix(prompt) > len(each.tokens)]
    if sharing:
        return max(sharing, key=lambda each: each.common_prefix(prompt))
    empty = [each for each in idle if not each.tokens]
    if empty:
        return min(empty, key=lambda each: min((abs(each.number - number) for number in busy), default=0))
    return min(idle, key=lambda each: each.used_ns)
