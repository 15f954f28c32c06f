"""The SQLite store: conversations, turns with their raw instants, a journal of the answer being written, benches."""
