"""The SQLite store: conversations, turns with their raw instants, a journal of the answer being written, benches."""

from app.storage.store import BenchResult, ConversationRow, Store, Turn, open_store

__all__ = ["BenchResult", "ConversationRow", "Store", "Turn", "open_store"]
