"""The journal of an answer under way: what arrived is appended, so that a kill loses only what came after."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from app.errors import Sentence, StorageRefusedError
from app.storage.packing import pack_integers, unpack_integers, unpack_text
from app.storage.turns import Turn, last_turn, write_turn

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence

    from app.chat.message import Message
    from app.storage.database import Database
    from app.telemetry.timings import TurnStats


def append(database: Database, message_id: str, text: str, thinking: str, token_ns: Sequence[int]) -> None:
    """Write what came since the last call."""
    database.execute(
        "INSERT INTO journal (message_id, text, thinking, token_ns) VALUES (?, ?, ?, ?)",
        message_id,
        text,
        thinking,
        pack_integers(token_ns),
    )


def note_prompt(database: Database, message_id: str, stats: TurnStats) -> None:
    """Keep what is known of the turn so far; the instants of its tokens are in the journal already."""
    turn = last_turn(database, message_id) or Turn(message_id, stats)
    write_turn(database, replace(turn, stats=replace(stats, token_ns=())))


def finish(database: Database, message: Message, turn: Turn) -> None:
    """Write the whole answer with its turn and drop its journal."""
    changed = database.execute(
        "UPDATE messages SET content = ?, thinking = ?, model = ?, state = ? WHERE id = ?",
        message.content,
        message.thinking,
        message.model,
        message.state,
        message.id,
    )
    if not changed:
        raise StorageRefusedError(
            Sentence("The answer's conversation is not in the database any more; the answer was not saved.")
        )
    write_turn(database, turn)
    database.execute("DELETE FROM journal WHERE message_id = ?", message.id)


def recover(database: Database) -> list[str]:
    """Give every answer that is still streaming its journaled text, thinking and instants; return their ids."""
    answers = database.rows("SELECT id, content, thinking FROM messages WHERE state = 'streaming' ORDER BY sequence")
    for answer in answers:
        _recover_answer(database, answer)
    database.execute("DELETE FROM journal")
    return [answer["id"] for answer in answers]


def _recover_answer(database: Database, answer: sqlite3.Row) -> None:
    message_id = answer["id"]
    pieces = database.rows("SELECT * FROM journal WHERE message_id = ? ORDER BY sequence", message_id)
    database.execute(
        "UPDATE messages SET content = ?, thinking = ?, state = 'interrupted' WHERE id = ?",
        "".join(unpack_text(text) for text in (answer["content"], *(piece["text"] for piece in pieces))),
        "".join(unpack_text(text) for text in (answer["thinking"], *(piece["thinking"] for piece in pieces))),
        message_id,
    )
    turn = last_turn(database, message_id)
    if turn is not None:
        instants = tuple(instant for piece in pieces for instant in unpack_integers(piece["token_ns"]))
        stats = replace(turn.stats, token_ns=instants, finish_reason="interrupted")
        write_turn(database, replace(turn, stats=stats))
