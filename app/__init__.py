"""Tokometer without its window: importable, testable and useful with PySide6 uninstalled.

Rooms, lowest first; each may import those above it in this list, never those below:

    paths settings errors reasons log files checks   leaves, importable by all
    chat         conversations, the GGUF's chat template, what fits into a context, summaries
    engine       one protocol, two engines: llama.cpp in this process, or in a spawned child (the default)
    telemetry    a fold over the engine's events: raw instants -> TTFT, TPOT, memory, series for charts
    bench        llama-bench's tests and tables, the machine's ceilings; knows nothing of storage
    hub          models on this disk: found, described, verified, removed; on the Hugging Face hub: searched,
                 planned for, downloaded; knows nothing of storage or bench
    storage      SQLite: conversations, messages, turns, journal, benches; knows nothing of bench
    cli          the terminal; opens the window lazily

The window lives in `ui`, which imports `app` and is never imported by it, except lazily by `app.cli`.
"""

__version__ = "0.1.0"
