"""Bytes moved and operations done per token: what a model asks of a machine, at any length of context.

    W(B)   = bytes of attention, norms, router, shared experts, dense feed-forward + output head
             + experts_bytes x E_touched/E,  E_touched = E x (1 - (1 - k/E)^B), one token: k
             + B x row bytes of the embeddings (the whole matrix counts only when tied as output head)
    KVr(n) = sum over caches (bytes per cell x cells read);  cells read = min(n padded to 256, cells of the cache)
    bytes per decode step   = W(B) + B x (KVr(n) + KVw + 2 x recurrent state)
    operations per token    = 2 x active weights + sum over layers 2 x heads x (head_k + head_v) x tokens attended to
    bytes of a prefill      = sum over its micro-batches (W(n_ubatch) + KVr) + KVw x tokens

Sources: llama-kv-cache.cpp (get_n_kv pads to 256), llama-graph.cpp (build_moe_ffn, build_attn); E_touched is the
expectation of k experts drawn out of E for each of B tokens. Left out, being small: norms, RoPE, softmax, the scores
of a sparse indexer, and activations, which stay in the caches.
"""

from __future__ import annotations

from dataclasses import dataclass

_CELLS_STEP = 256
_STATE_OPERATIONS = 4
"""Per value of a recurrent state and token: decay, update and read, a multiply-add counted as two."""

_STATE_VALUE_BYTES = 4


@dataclass(frozen=True, slots=True)
class CacheRead:
    """A KV cache as attention reads it.

    Attributes:
        bytes_per_cell: of all layers that read it; layers that share another's cache read it again.
        written_bytes_per_cell: of the layers that own it.
        tokens_per_cell: more than 1 in a compressed cache.
    """

    cells: int
    bytes_per_cell: int
    written_bytes_per_cell: int
    tokens_per_cell: int = 1

    def read_bytes(self, context_tokens: float) -> float:
        """What one token reads of it."""
        used = context_tokens / self.tokens_per_cell
        padded = -(-used // _CELLS_STEP) * _CELLS_STEP
        return min(padded, self.cells) * self.bytes_per_cell


@dataclass(frozen=True, slots=True)
class Attention:
    """Layers that look back equally far. `operations` per pair of a token and one it attends to, all of them together.

    Attributes:
        window: how many tokens back; None: all.
        tokens_per_cell: tokens that one pair stands for in a compressed cache.
    """

    operations: int
    window: int | None
    tokens_per_cell: int = 1

    def pairs(self, past_tokens: float, tokens: float) -> float:
        """Pairs when `tokens` are read onto `past_tokens`: the i-th attends to past + i, at most the window."""
        if self.window is None:
            return tokens * (past_tokens + (tokens + 1) / 2) / self.tokens_per_cell
        growing = min(max(self.window - past_tokens, 0.0), tokens)
        return growing * (past_tokens + (growing + 1) / 2) + (tokens - growing) * self.window


@dataclass(frozen=True, slots=True)
class ModelWork:
    """What one model with one kind of KV cache asks for.

    Attributes:
        dense_bytes: weights that every step reads, without embeddings, experts and head.
        head_bytes: the output matrix.
        experts_bytes: all experts together; experts, experts_used: how many there are and how many a token uses.
        embedding_row_bytes: the rows one token looks up.
        dense_weights, head_weights, experts_weights: values in the matrices.
        recurrent_bytes: state of one sequence.
    """

    dense_bytes: int
    head_bytes: int
    experts_bytes: int
    embedding_row_bytes: int
    dense_weights: int
    head_weights: int
    experts_weights: int
    experts: int
    experts_used: int
    caches: tuple[CacheRead, ...]
    attention: tuple[Attention, ...]
    recurrent_bytes: int

    def weights_bytes(self, batch: float = 1, *, with_head: bool = True) -> float:
        """W(B): weights that a step of so many tokens reads."""
        head = self.head_bytes if with_head else 0
        return self.dense_bytes + head + self.experts_bytes * self._touched(batch) + batch * self.embedding_row_bytes

    def kv_read_bytes(self, context_tokens: float) -> float:
        """KVr(n): KV cache that one token reads at this length."""
        return sum(cache.read_bytes(context_tokens) for cache in self.caches)

    @property
    def kv_written_bytes(self) -> float:
        """KVw: KV cache that one token writes."""
        return sum(cache.written_bytes_per_cell / cache.tokens_per_cell for cache in self.caches)

    def sequence_bytes(self, context_tokens: float) -> float:
        """What each sequence of a step moves beside the weights."""
        return self.kv_read_bytes(context_tokens) + self.kv_written_bytes + 2 * self.recurrent_bytes

    def step_bytes(self, context_tokens: float, batch: float = 1) -> float:
        """Bytes moved by one decode step of `batch` sequences at this length."""
        return self.weights_bytes(batch) + batch * self.sequence_bytes(context_tokens)

    def token_operations(self, context_tokens: float) -> float:
        """Operations of one decoded token at this length, the output head included."""
        return self._body_operations(context_tokens, 1) + 2 * self.head_weights

    def prefill_operations(self, past_tokens: float, tokens: float) -> float:
        """Operations of reading `tokens` onto `past_tokens`; the head counts for the last one only."""
        return self._body_operations(past_tokens, tokens) + 2 * self.head_weights if tokens else 0.0

    def prefill_bytes(self, past_tokens: int, tokens: int, n_ubatch: int) -> float:
        """Bytes moved by reading `tokens` onto `past_tokens` in micro-batches of `n_ubatch`."""
        moved = 0.0
        for start in range(0, tokens, n_ubatch):
            size = min(n_ubatch, tokens - start)
            is_last = start + size == tokens
            moved += self.weights_bytes(size, with_head=is_last) + self.kv_read_bytes(past_tokens + start + size)
            moved += size * self.kv_written_bytes + 2 * self.recurrent_bytes
        return moved

    def _body_operations(self, past_tokens: float, tokens: float) -> float:
        active = self.dense_weights + self.experts_weights * self._touched(1)
        state = _STATE_OPERATIONS * self.recurrent_bytes / _STATE_VALUE_BYTES
        attended = sum(each.operations * each.pairs(past_tokens, tokens) for each in self.attention)
        return tokens * (2 * active + state) + attended

    def _touched(self, batch: float) -> float:
        """Share of the experts that a step reads."""
        if not self.experts:
            return 0.0
        untouched: float = (1 - min(self.experts_used / self.experts, 1.0)) ** batch
        return 1 - untouched
