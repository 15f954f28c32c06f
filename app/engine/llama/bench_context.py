"""A llama.cpp context for one test of a bench: prompts and tokens at random, nothing sampled, nothing read."""

from __future__ import annotations

import ctypes
import random
import time
from typing import TYPE_CHECKING

from app.engine.llama.context import ABORTED, FLASH_ATTENTION_IDS, GGML_TYPE_IDS
from app.engine.llama.library import lib, strlen_as_abort_callback
from app.engine.llama.threadpool import Threadpool
from app.errors import EngineError, Sentence, TokometerError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from app.engine.bench import BenchTest
    from app.engine.llama.model import LlamaModel

N_CTX_STEP = 256
"""llama.cpp pads every sequence's share of a context to a multiple of this (llama-context.cpp)."""


class BenchCancelledError(TokometerError):
    """The user stopped the bench."""


def n_ctx_of(test: BenchTest) -> int:
    """Return the context a test is given: llama-bench's sum, or room for every sequence of a batch."""
    if not test.n_parallel:
        return test.n_prompt + test.n_gen + test.n_depth
    return test.n_parallel * -(-(test.n_prompt + test.n_gen) // N_CTX_STEP) * N_CTX_STEP


class BenchContext:
    """One context and the tokens to feed it.

    Tokens are drawn before the clock starts: what is timed is llama.cpp and one call of it per batch or token.

    Args:
        cancel_flag: two bytes, the first of which another thread may set to end a running decode.
    """

    def __init__(self, model: LlamaModel, test: BenchTest, n_threads: int, cancel_flag: ctypes.Array[Any]) -> None:
        parameters = lib.llama_context_default_params()
        parameters.n_ctx = n_ctx_of(test)
        parameters.n_batch = test.n_batch
        parameters.n_ubatch = test.n_ubatch
        parameters.n_threads = n_threads
        parameters.n_threads_batch = n_threads
        parameters.type_k = GGML_TYPE_IDS[test.type_k]
        parameters.type_v = GGML_TYPE_IDS[test.type_v]
        parameters.flash_attn_type = FLASH_ATTENTION_IDS[test.flash_attention]
        parameters.swa_full = False
        parameters.n_seq_max = max(test.n_parallel, 1)
        self.handle = lib.llama_init_from_model(model.handle, parameters)
        if not self.handle:
            raise EngineError(
                Sentence(
                    "llama.cpp could not make a context of {n_ctx:,} tokens (K {type_k}, V {type_v}, flash attention "
                    "{flash_attention}): choose a smaller one, or f16 for K and V.",
                    n_ctx=n_ctx_of(test),
                    type_k=test.type_k,
                    type_v=test.type_v,
                    flash_attention=test.flash_attention,
                )
            )
        self.n_ctx = lib.llama_n_ctx(self.handle)
        self._test = test
        self._memory = lib.llama_get_memory(self.handle)
        self._abort_callback = strlen_as_abort_callback()
        self._cancel_flag = cancel_flag
        lib.llama_set_abort_callback(self.handle, self._abort_callback, ctypes.cast(cancel_flag, ctypes.c_void_p))
        # llama-bench attaches a pool, llama-batched-bench does not.
        self._threadpool = None if test.n_parallel else Threadpool(self.handle, n_threads)
        self._n_vocab = lib.llama_vocab_n_tokens(model.vocab)
        self._bos = lib.llama_vocab_bos(model.vocab) if lib.llama_vocab_get_add_bos(model.vocab) else None
        self._chance = random.Random(1)

    def free(self) -> None:
        """Free the context, then its threads."""
        lib.llama_free(self.handle)
        if self._threadpool is not None:
            self._threadpool.free()

    def clear(self) -> None:
        """Empty the KV cache."""
        lib.llama_memory_clear(self._memory, False)

    def draw(self, count: int, *, first: bool = False) -> list[int]:
        """Return random tokens; with `first` the first is the one that begins a text, where the model wants it."""
        n_vocab = self._n_vocab
        tokens = [int(self._chance.random() * n_vocab) for _ in range(count)]
        if first and tokens and self._bos is not None:
            tokens[0] = self._bos
        return tokens

    # -- llama-bench ---------------------------------------------------------------------------------------------------

    def time_one(self, n_prompt: int, n_gen: int) -> int:
        """Read a prompt in batches, decode tokens one by one; return the nanoseconds both took."""
        batches = self._batches(n_prompt)
        tokens = self.draw(n_gen, first=True)
        one = (lib.llama_token * 1)()
        batch_of_one = lib.llama_batch_get_one(one, 1)
        handle, decode, synchronise = self.handle, lib.llama_decode, lib.llama_synchronize
        started = time.perf_counter_ns()
        for batch in batches:
            self._check(decode(handle, batch))
        if batches:
            synchronise(handle)
        for token in tokens:
            one[0] = token
            if status := decode(handle, batch_of_one):
                self._check(status)
            synchronise(handle)
        return time.perf_counter_ns() - started

    def _batches(self, n_prompt: int) -> list[Any]:
        tokens = self.draw(n_prompt, first=True)
        size = self._test.n_batch
        parts = [tokens[at : at + size] for at in range(0, n_prompt, size)]
        self._held = [(lib.llama_token * len(part))(*part) for part in parts]
        return [lib.llama_batch_get_one(array, len(array)) for array in self._held]

    # -- llama-batched-bench -------------------------------------------------------------------------------------------

    def warm_up_batched(self) -> None:
        """Decode 16 tokens of one sequence, as llama-batched-bench does once."""
        rows = [(i, 0, False) for i in range(min(16, self.n_ctx // max(self._test.n_parallel, 1)))]
        self._check(lib.llama_decode(self.handle, _Batch(self.draw(len(rows)), rows).batch))
        lib.llama_synchronize(self.handle)

    def time_batched(self) -> tuple[int, int]:
        """Read every sequence's prompt, then decode one token of each per step; return the nanoseconds of both."""
        test, handle = self._test, self.handle
        n_prompt, n_parallel = test.n_prompt, test.n_parallel
        rows = [(i, sequence, i == n_prompt - 1) for sequence in range(n_parallel) for i in range(n_prompt)]
        prompt = self.draw(len(rows))
        size = test.n_batch
        batches = [_Batch(prompt[at : at + size], rows[at : at + size]) for at in range(0, len(rows), size)]
        step = _Batch([0] * n_parallel, [(0, sequence, True) for sequence in range(n_parallel)])
        tokens = [self.draw(n_parallel) for _ in range(test.n_gen)]
        started = time.perf_counter_ns()
        for batch in batches:
            self._check(lib.llama_decode(handle, batch.batch))
        lib.llama_synchronize(handle)
        read = time.perf_counter_ns()
        for number, drawn in enumerate(tokens):
            step.tokens[:] = drawn
            step.positions[:] = [n_prompt + number] * n_parallel
            self._check(lib.llama_decode(handle, step.batch))
            lib.llama_synchronize(handle)
        return read - started, time.perf_counter_ns() - read

    # -- state ---------------------------------------------------------------------------------------------------------

    def save(self) -> ctypes.Array[Any]:
        """Return the state of the KV cache."""
        size = lib.llama_state_seq_get_size(self.handle, 0)
        state: ctypes.Array[Any] = (ctypes.c_uint8 * size)()
        lib.llama_state_seq_get_data(self.handle, state, size, 0)
        return state

    def restore(self, state: ctypes.Array[Any]) -> bool:
        """Put a state back; False when it does not fit this context."""
        if lib.llama_state_seq_set_data(self.handle, state, len(state), 0):
            return True
        self.clear()
        return False

    def _check(self, status: int) -> None:
        if status == 0:
            return
        if status == ABORTED or self._cancel_flag[0] != b"\0":
            raise BenchCancelledError(Sentence("The bench was cancelled."))
        raise EngineError(
            Sentence("llama.cpp could not compute the next tokens (llama_decode returned {status}).", status=status)
        )


class _Batch:
    """A llama_batch of tokens with (position, sequence, whether its logits are wanted) for each."""

    def __init__(self, tokens: Sequence[int], rows: Sequence[tuple[int, int, bool]]) -> None:
        count = len(rows)
        self.tokens = (lib.llama_token * count)(*tokens)
        self.positions = (lib.llama_pos * count)(*(row[0] for row in rows))
        ids = [(lib.llama_seq_id * 1)(row[1]) for row in rows]
        pointer = ctypes.POINTER(lib.llama_seq_id)
        self.batch = lib.llama_batch(
            n_tokens=count,
            token=self.tokens,
            pos=self.positions,
            n_seq_id=(ctypes.c_int32 * count)(*([1] * count)),
            seq_id=(pointer * count)(*(ctypes.cast(each, pointer) for each in ids)),
            logits=(ctypes.c_int8 * count)(*(int(row[2]) for row in rows)),
        )
