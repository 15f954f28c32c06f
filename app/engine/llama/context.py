"""A llama.cpp context: decode, cancel, and what stands in its KV cache."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

from app.engine.llama.checkpoints import Checkpoints
from app.engine.llama.library import lib, strlen_as_abort_callback
from app.engine.llama.reuse import common_prefix
from app.errors import EngineError, Sentence

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.engine.config import ModelConfig
    from app.engine.llama.model import LlamaModel

GGML_TYPE_IDS = {
    "f32": 0, "f16": 1, "q4_0": 2, "q4_1": 3, "q5_0": 6, "q5_1": 7, "q8_0": 8, "iq4_nl": 20, "bf16": 30,
}  # fmt: skip
"""enum ggml_type of ggml.h, for the types a KV cache can have."""

FLASH_ATTENTION_IDS = {"auto": -1, "off": 0, "on": 1}
"""enum llama_flash_attn_type of llama.h."""

ABORTED = 2
"""What llama_decode returns when the abort callback ended it."""
_NO_KV_SLOT = 1


class LlamaContext:
    """A context and, where it has one sequence only, the `Cache` of that.

    Attributes:
        handle: llama.cpp's context; None once it was freed.
        memory: its KV cache and recurrent state.
        n_ctx: cells of one sequence; n_batch, n_ubatch: what llama.cpp made of the settings.
        tokens: ids whose K and V are in the cache, in order.
        undecoded: the last sampled token, when an answer ended before it was put into the cache.
        steps_back: whether its cache can be cut back to any of its tokens, as far as a sliding window reaches.
        checkpoints: what lets a cache that cannot step back do it; needs_checkpoints: whether this one is such a cache.
        swa_full: sliding-window layers keep the whole context.
    """

    def __init__(self, model: LlamaModel, config: ModelConfig, n_ctx: int, n_threads: int) -> None:
        self._model, self._config, self._n_threads = model, config, n_threads
        self._n_swa = lib.llama_model_n_swa(model.handle)
        is_recurrent = lib.llama_model_is_recurrent(model.handle) or lib.llama_model_is_hybrid(model.handle)
        self.swa_full = config.swa_full
        self.steps_back = not is_recurrent
        self.needs_checkpoints = bool(is_recurrent or (self._n_swa and not config.swa_full))
        self.checkpoints = Checkpoints()
        self._cancel_flag = ctypes.create_string_buffer(2)
        self._abort_callback = strlen_as_abort_callback()
        self._one_token = (lib.llama_token * 1)()
        self._one_token_batch = lib.llama_batch_get_one(self._one_token, 1)
        self.number = 0
        self.tokens: list[int] = []
        self.undecoded: int | None = None
        self.handle: int | None = None
        self.adopt(self.make(n_ctx))

    def make(self, n_ctx: int) -> int:
        """Return a new, empty llama_context with this one's settings but its own size; `adopt` or free it.

        Raises EngineError.
        """
        config = self._config
        parameters = lib.llama_context_default_params()
        parameters.n_ctx = n_ctx * config.n_parallel
        parameters.n_batch = config.n_batch
        parameters.n_ubatch = config.n_ubatch
        parameters.n_seq_max = parameters.n_outputs_max = config.n_parallel
        parameters.n_threads = self._n_threads
        parameters.n_threads_batch = self._n_threads
        parameters.type_k = GGML_TYPE_IDS[config.type_k]
        parameters.type_v = GGML_TYPE_IDS[config.type_v]
        parameters.flash_attn_type = FLASH_ATTENTION_IDS[config.flash_attention]
        parameters.swa_full = config.swa_full
        parameters.offload_kqv = config.offload_kqv
        handle: int | None = lib.llama_init_from_model(self._model.handle, parameters)
        if not handle:
            raise EngineError(Sentence("llama.cpp could not make a context of {n_ctx:,} tokens.", n_ctx=n_ctx))
        lib.llama_set_abort_callback(handle, self._abort_callback, ctypes.cast(self._cancel_flag, ctypes.c_void_p))
        return handle

    def adopt(self, handle: int) -> None:
        """Go on with another llama_context of `make`, in place of the present one, which is freed.

        What `tokens` says must then be true of the new one.
        """
        self.free()
        self.handle = handle
        self.n_ctx: int = lib.llama_n_ctx_seq(handle)
        self.n_batch = lib.llama_n_batch(handle)
        self.n_ubatch = lib.llama_n_ubatch(handle)
        self.memory = lib.llama_get_memory(handle)

    def free(self) -> None:
        """Free the context and its KV cache."""
        if self.handle:
            lib.llama_free(self.handle)
            self.handle = None

    def cancel(self) -> None:
        """Make a running decode return soon. The only method another thread may call."""
        self._cancel_flag[0] = b"x"

    def clear_cancel(self) -> None:
        """Take `cancel` back before new work."""
        self._cancel_flag[0] = b"\0"

    @property
    def cancelled(self) -> bool:
        """Whether `cancel` was called since `clear_cancel`."""
        return bool(self._cancel_flag[0] != b"\0")

    def decode(self, tokens: Sequence[int]) -> bool:
        """Append tokens (at most n_batch) to the KV cache and wait for the logits of the last.

        Returns False when it was cancelled; what was finished stays in the cache. Raises EngineError.
        """
        array = (lib.llama_token * len(tokens))(*tokens)
        status = lib.llama_decode(self.handle, lib.llama_batch_get_one(array, len(tokens)))
        lib.llama_synchronize(self.handle)
        return self._after(status, tokens)

    def read(self, tokens: Sequence[int]) -> None:
        """Decode tokens for the sake of the cache alone, as far as it is not cancelled."""
        for first in range(0, len(tokens), self.n_ubatch):
            if not self.decode(tokens[first : first + self.n_ubatch]):
                return

    def decode_one(self, token: int) -> bool:
        """`decode` for one token, without building a batch."""
        self._one_token[0] = token
        status = lib.llama_decode(self.handle, self._one_token_batch)
        if status:
            return self._after(status, (token,))
        self.tokens.append(token)
        return True

    def _after(self, status: int, tokens: Sequence[int]) -> bool:
        if status == 0:
            self.tokens.extend(tokens)
            return True
        kept = lib.llama_memory_seq_pos_max(self.memory, 0) + 1
        self.tokens = (self.tokens + list(tokens))[: max(kept, 0)]
        if status == ABORTED:
            return False
        if status == _NO_KV_SLOT:
            raise EngineError(
                Sentence("The KV cache has no room for the next tokens: start a new conversation or summarise.")
            )
        raise EngineError(not_computed(status))

    def clear(self) -> None:
        """Empty the KV cache."""
        lib.llama_memory_clear(self.memory, False)
        self.checkpoints.keep(0)
        self.tokens = []
        self.undecoded = None

    def reuse_prefix(self, prompt: Sequence[int]) -> tuple[int, str]:
        """Keep the longest usable common prefix of the cache and `prompt`, drop the rest.

        At least one token is always left to decode, for its logits. Returns how many tokens are kept, and why fewer
        than the cache held could be, in one sentence; empty when all of them were.
        """
        self.undecoded = None
        held = len(self.tokens)
        limit = min(held, len(prompt) - 1)
        common = min(common_prefix(self.tokens, prompt), limit)
        if common == held:
            return held, ""
        reason = Sentence("The conversation's earlier text changed.") if common < limit else ""
        kept = common
        if common and not self.window_allows(common):
            kept = self._back_to_checkpoint(common)
            if not kept:
                reason = Sentence("The change lies further back than this model's sliding window keeps.")
        elif common and not lib.llama_memory_seq_rm(self.memory, 0, common, -1):
            kept = self._back_to_checkpoint(common)
            if not kept:
                reason = Sentence("This model's recurrent state cannot step back, so everything was read again.")
        if 0 < kept < common:
            reason = Sentence("This model can step back to checkpoints only, so more was read again than had changed.")
        if kept == 0:
            self.clear()
        else:
            del self.tokens[kept:]
            self.checkpoints.keep(kept)
        return kept, reason

    def reusable(self, prompt: Sequence[int]) -> int:
        """Return how many tokens `reuse_prefix` would keep."""
        common = min(common_prefix(self.tokens, prompt), len(prompt) - 1)
        if self.steps_back and common and self.window_allows(common):
            return common
        return self.reusable_of(self.tokens, [point.tokens for point in self.checkpoints.points], prompt)

    def reusable_of(self, tokens: Sequence[int], checkpoints: Sequence[int], prompt: Sequence[int]) -> int:
        """Return the same of a saved state of these tokens, with checkpoints after so many of them."""
        common = min(common_prefix(tokens, prompt), len(prompt) - 1)
        if common == len(tokens) or not self.needs_checkpoints:
            return common
        return max((each for each in checkpoints if each <= common), default=0)

    def take_checkpoint(self) -> None:
        """Make it possible to step back to what the cache holds now, where that is not possible anyway."""
        if self.needs_checkpoints and self.handle is not None:
            self.checkpoints.take(self.handle, len(self.tokens))

    def _back_to_checkpoint(self, common: int) -> int:
        """Return how many tokens the cache holds then; 0: there is no checkpoint, so it must be cleared."""
        assert self.handle is not None
        kept = self.checkpoints.restore(self.handle, common)
        return kept if kept and lib.llama_memory_seq_rm(self.memory, 0, kept, -1) else 0

    def window_allows(self, kept: int, sequence: int = 0) -> bool:
        """Whether the sliding window of the last kept token is still whole (llama.cpp's server-context.cpp)."""
        if not self._n_swa:
            return True
        oldest = lib.llama_memory_seq_pos_min(self.memory, sequence)
        return bool(oldest == 0 or oldest < max(0, kept - self._n_swa - 1))


def not_computed(status: int) -> Sentence:
    """Return what is said of a `status` of llama_decode that means an error."""
    return Sentence("llama.cpp could not compute the next tokens (llama_decode returned {status}).", status=status)
