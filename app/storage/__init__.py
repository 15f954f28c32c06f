"""The SQLite store: conversations, turns with their raw instants, a journal of the answer being written."""

from app.storage.store import ConversationRow, Store, Turn, open_store

__all__ = ["ConversationRow", "Store", "Turn", "open_store"]
