"""What holds a conversation in a context's KV cache: all of the context, or one of its sequences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.engine.llama.checkpoints import Checkpoints
    from app.errors import Sentence


class Cache(Protocol):
    """A conversation's share of the KV cache.

    Attributes:
        number: llama.cpp's id of its sequence.
        tokens: ids whose K and V are in the cache, in order.
        undecoded: the last sampled token, when an answer ended before it was put into the cache.
        checkpoints: what lets a cache that cannot step back do it.
    """

    number: int
    tokens: list[int]
    undecoded: int | None
    checkpoints: Checkpoints

    @property
    def handle(self) -> int | None:
        """llama.cpp's context; None once it was freed."""

    @property
    def n_ctx(self) -> int:
        """Cells that it has."""

    @property
    def cancelled(self) -> bool:
        """Whether what the context does now is to end soon."""

    def clear(self) -> None:
        """Empty it."""

    def reuse_prefix(self, prompt: Sequence[int]) -> tuple[int, Sentence | str]:
        """Keep what can be used for a prompt, drop the rest. See `LlamaContext.reuse_prefix`."""

    def reusable(self, prompt: Sequence[int]) -> int:
        """Return how many tokens `reuse_prefix` would keep."""

    def reusable_of(self, tokens: Sequence[int], checkpoints: Sequence[int], prompt: Sequence[int]) -> int:
        """Return the same of a saved state of these tokens, with checkpoints after so many of them."""

    def read(self, tokens: Sequence[int]) -> None:
        """Decode tokens into the empty cache, for its sake alone. Raises EngineError."""
