"""Which conversations the engine's KV cache holds, as far as the window knows."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.engine.events import LoadedModel, ModelInfo


class CachedConversations:
    """The last that was answered, or as many of the last as the model answers at once."""

    def __init__(self) -> None:
        self._held: dict[str, ModelInfo] = {}

    def note(self, conversation_id: str, model: LoadedModel) -> None:
        """A conversation was answered by this model."""
        self._held.pop(conversation_id, None)
        self._held[conversation_id] = model.info
        for forgotten in list(self._held)[: -model.n_parallel]:
            del self._held[forgotten]

    def holds(self, conversation_id: str, model: LoadedModel | None) -> bool:
        """Whether the cache of the loaded model holds it."""
        return model is not None and self._held.get(conversation_id) == model.info

    def clear(self) -> None:
        """The cache was emptied."""
        self._held.clear()
