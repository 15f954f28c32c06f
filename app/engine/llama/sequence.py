"""One of several sequences of a context, and what stands in its KV cache."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.engine.llama.batch import Batch
from app.engine.llama.checkpoints import Checkpoints
from app.engine.llama.context import ABORTED, not_computed
from app.engine.llama.library import lib
from app.engine.llama.reuse import common_prefix
from app.errors import EngineError, Sentence

if TYPE_CHECKING:
    from collections.abc import Sequence as Tokens

    from app.engine.llama.context import LlamaContext


class Sequence:
    """A conversation's share of the KV cache. It is a cache of its own: no other can take its cells.

    Attributes:
        number: llama.cpp's id of it.
        tokens: ids whose K and V are in the cache, in order.
        undecoded: the last sampled token, when an answer ended before it was put into the cache.
        checkpoints: none are taken where several are written at once.
        conversation_id: who had it last; empty when that is not known.
        used_ns: when it was last written for.
    """

    def __init__(self, context: LlamaContext, number: int) -> None:
        self._context = context
        self.number = number
        self.tokens: list[int] = []
        self.undecoded: int | None = None
        self.checkpoints = Checkpoints(number)
        self.conversation_id = ""
        self.used_ns = 0

    @property
    def handle(self) -> int | None:
        """llama.cpp's context; None once it was freed."""
        return self._context.handle

    @property
    def n_ctx(self) -> int:
        """Cells that it has."""
        return self._context.n_ctx

    @property
    def cancelled(self) -> bool:
        """Whether what the context does now is to end soon."""
        return self._context.cancelled

    def common_prefix(self, prompt: Tokens[int]) -> int:
        """Return with how many of the tokens held a prompt begins."""
        return common_prefix(self.tokens, prompt)

    def reuse_prefix(self, prompt: Tokens[int]) -> tuple[int, Sentence | str]:
        """Keep what can be used for a prompt, drop the rest. See `LlamaContext.reuse_prefix`."""
        self.undecoded = None
        held, common = len(self.tokens), min(self.common_prefix(prompt), len(prompt) - 1)
        if common == held:
            return held, ""
        reason: Sentence | str = (
            Sentence("The conversation's earlier text changed.") if common < len(prompt) - 1 else ""
        )
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

    def reusable_of(self, tokens: Tokens[int], checkpoints: Tokens[int], prompt: Tokens[int]) -> int:
        """Return the same of a saved state; checkpoints are of no use here."""
        common = min(common_prefix(tokens, prompt), len(prompt) - 1)
        return common if common == len(tokens) or not self._context.needs_checkpoints else 0

    def clear(self) -> None:
        """Give its cells back."""
        lib.llama_memory_seq_rm(self._context.memory, self.number, -1, -1)
        self.checkpoints.keep(0)
        self.tokens = []
        self.undecoded = None

    def read(self, tokens: Tokens[int]) -> None:
        """Decode tokens for the sake of the cache alone. Raises EngineError.

        All of them, also where that is cancelled: it may be another answer that is to end.
        """
        size = self._context.n_ubatch
        batch = Batch(size, self.number + 1)
        while len(self.tokens) < len(tokens):
            held = len(self.tokens)
            chunk = tokens[held : held + size]
            batch.clear()
            batch.add(chunk, held, self.number, wants_logits=False)
            status = batch.decode(self.handle)
            if status not in (0, ABORTED):
                raise EngineError(not_computed(status))
            self.keep_decoded(chunk)
            self._context.clear_cancel()

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
