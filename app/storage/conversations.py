"""Conversations, their messages and summaries as rows."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.chat.conversation import Conversation, PromptCost, Receipt, Summary
from app.chat.message import Message
from app.chat.tree import MessageTree, Node
from app.errors import Sentence, StorageRefusedError
from app.storage.packing import fold, pack_time, unpack_text, unpack_time

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable
    from datetime import datetime

    from app.chat.conversation import OnFull
    from app.storage.database import Database

GONE = "This conversation is not in the database any more."
MESSAGE_GONE = Sentence("This message is not in the database any more.")

SHOWN = "(messages.superseded_at_us IS NULL AND messages.deleted_at_us IS NULL)"
"""What is said of a row that is shown: it is on the conversation's present path and not deleted."""

IS_MESSAGE = "messages.summary_id = ''"
"""What is said of a message's row; the others are the places of summaries."""


@dataclass(frozen=True, slots=True)
class ConversationRow:
    """A conversation in the list."""

    id: str
    title: str
    updated_at: datetime
    message_count: int
    on_full: OnFull | None = None


def list_conversations(database: Database, search: str) -> list[ConversationRow]:
    """Return the conversations whose title contains `search`, newest first, without the deleted ones."""
    rows = database.rows(
        f"""SELECT id, title, updated_at_us, on_full, (
               SELECT count(*) FROM messages
               WHERE messages.conversation_id = conversations.id AND {SHOWN} AND {IS_MESSAGE}
           ) AS message_count
           FROM conversations WHERE deleted_at_us IS NULL AND instr(title_folded, ?) > 0
           ORDER BY updated_at_us DESC, conversations.rowid DESC""",
        fold(search),
    )
    return [
        ConversationRow(
            row["id"],
            unpack_text(row["title"]),
            unpack_time(row["updated_at_us"]),
            row["message_count"],
            row["on_full"],
        )
        for row in rows
    ]


def insert_conversation(database: Database, conversation: Conversation) -> None:
    """Write a conversation with all it holds."""
    database.execute(
        """INSERT INTO conversations
           (id, title, title_folded, system_prompt, draft, created_at_us, updated_at_us, on_full)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?)""",
        conversation.id,
        conversation.title,
        fold(conversation.title),
        conversation.system_prompt,
        conversation.draft,
        pack_time(conversation.created_at),
        pack_time(conversation.updated_at),
        conversation.on_full,
    )
    for message in conversation.messages:
        insert_message(database, conversation.id, message)
    set_dropped_until(database, conversation.id, conversation.dropped_until)
    for summary in conversation.summaries:
        insert_summary(database, conversation.id, summary)


def load_conversation(database: Database, conversation_id: str) -> Conversation:
    """Return a conversation as it stands. Raises StorageRefusedError when it is not there."""
    row = database.row("SELECT * FROM conversations WHERE id = ?", conversation_id)
    if row is None:
        raise StorageRefusedError(GONE)
    tree = tree_of(database, conversation_id)
    return Conversation(
        id=row["id"],
        title=unpack_text(row["title"]),
        system_prompt=unpack_text(row["system_prompt"]),
        messages=tuple(messages_of(database, conversation_id)),
        summaries=tuple(_summaries_of_path(database, conversation_id, tree)),
        draft=unpack_text(row["draft"]),
        on_full=row["on_full"],
        dropped_until=tree.dropped_until,
        created_at=unpack_time(row["created_at_us"]),
        updated_at=unpack_time(row["updated_at_us"]),
    )


def change_conversation(database: Database, conversation_id: str, **columns: str | int | None) -> None:
    """Set columns of a conversation. Raises StorageRefusedError when it is not there."""
    assignments = ", ".join(f"{name} = ?" for name in columns)
    if not database.execute(f"UPDATE conversations SET {assignments} WHERE id = ?", *columns.values(), conversation_id):
        raise StorageRefusedError(GONE)


def touch_conversation(database: Database, conversation_id: str, time: datetime) -> None:
    """Note that something was said. The clock may have been set back; the list never goes back with it."""
    sql = "UPDATE conversations SET updated_at_us = max(updated_at_us, ?) WHERE id = ?"
    if not database.execute(sql, pack_time(time), conversation_id):
        raise StorageRefusedError(GONE)


def insert_message(database: Database, conversation_id: str, message: Message) -> None:
    """Append a message to the path of a conversation; the model's view begins where it did."""
    leaf_id, dropped_until = _end_of(database, conversation_id)
    database.execute(
        """INSERT INTO messages
           (id, conversation_id, parent_id, role, content, thinking, created_at_us, model, state, pinned, edited,
            dropped_until)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
        message.id,
        conversation_id,
        leaf_id,
        message.role,
        message.content,
        message.thinking,
        pack_time(message.created_at),
        message.model,
        message.state,
        int(message.pinned),
        int(message.edited),
        dropped_until,
    )


def _end_of(database: Database, conversation_id: str) -> tuple[str, str]:
    """Return the last place of the path, deleted or not, and what was dropped there; empty without one."""
    row = database.row(
        """SELECT id, dropped_until FROM messages WHERE conversation_id = ? AND superseded_at_us IS NULL
           ORDER BY sequence DESC LIMIT 1""",
        conversation_id,
    )
    return (row["id"], row["dropped_until"]) if row is not None else ("", "")


def set_dropped_until(database: Database, conversation_id: str, message_id: str, place_id: str = "") -> None:
    """Drop a message and all before it from the model's view; see `MessageTree.drop`."""
    end, _ = _end_of(database, conversation_id)
    if place_id:
        tree = tree_of(database, conversation_id)
        if place_id not in tree:
            raise StorageRefusedError(MESSAGE_GONE)
        end = tree.end_through(place_id)
    if end:
        _change_message(database, conversation_id, end, dropped_until=message_id)


def show_path(database: Database, conversation_id: str, leaf_id: str, time: datetime) -> None:
    """Make the line to a message the path; an empty id empties it. Raises StorageRefusedError when it is not there."""
    line = [
        row["id"]
        for row in database.rows(
            """WITH RECURSIVE line (id, parent_id) AS (
                   SELECT id, parent_id FROM messages WHERE id = ? AND conversation_id = ?
                   UNION SELECT messages.id, messages.parent_id FROM messages JOIN line ON messages.id = line.parent_id
               ) SELECT id FROM line""",
            leaf_id,
            conversation_id,
        )
    ]
    if leaf_id and not line:
        raise StorageRefusedError(MESSAGE_GONE)
    on_line = "id IN (SELECT value FROM json_each(?))"
    database.execute(
        f"""UPDATE messages SET superseded_at_us = ?
            WHERE conversation_id = ? AND superseded_at_us IS NULL AND NOT {on_line}""",
        pack_time(time),
        conversation_id,
        json.dumps(line),
    )
    database.execute(
        f"UPDATE messages SET superseded_at_us = NULL WHERE superseded_at_us IS NOT NULL AND {on_line}",
        json.dumps(line),
    )


def set_messages_deleted(
    database: Database, conversation_id: str, message_ids: Iterable[str], time: datetime | None
) -> None:
    """Take messages out of whatever path they are on; without a time put them back."""
    for message_id in message_ids:
        _change_message(
            database, conversation_id, message_id, deleted_at_us=pack_time(time) if time is not None else None
        )


def messages_of(database: Database, conversation_id: str, shown: bool = True) -> list[Message]:
    """Return the messages of a conversation's path, or all its others, oldest first."""
    rows = database.rows(
        f"SELECT * FROM messages WHERE conversation_id = ? AND {SHOWN} = ? AND {IS_MESSAGE} ORDER BY sequence",
        conversation_id,
        int(shown),
    )
    return [_read_message(row) for row in rows]


def tree_of(database: Database, conversation_id: str) -> MessageTree:
    """Return the places of all messages and summaries."""
    rows = database.rows(
        """SELECT id, parent_id, role, superseded_at_us, deleted_at_us, summary_id, dropped_until FROM messages
           WHERE conversation_id = ? ORDER BY sequence""",
        conversation_id,
    )
    return MessageTree(
        Node(
            row["id"],
            row["parent_id"],
            row["role"],
            row["superseded_at_us"],
            row["deleted_at_us"] is not None,
            row["summary_id"],
            row["dropped_until"],
        )
        for row in rows
    )


def set_message_pinned(database: Database, conversation_id: str, message_id: str, pinned: bool) -> None:
    """Pin a message or let it go. Raises StorageRefusedError when it is not there."""
    _change_message(database, conversation_id, message_id, pinned=int(pinned))


def set_edit(database: Database, conversation_id: str, message_id: str, text: str | None) -> None:
    """Keep what is written in a message's place; None: nothing. Raises StorageRefusedError when it is not there."""
    _change_message(database, conversation_id, message_id, edit=text)


def edits_of(database: Database, conversation_id: str) -> dict[str, str]:
    """Return what is written in messages' places, by their ids."""
    sql = "SELECT id, edit FROM messages WHERE conversation_id = ? AND edit IS NOT NULL"
    return {row["id"]: unpack_text(row["edit"]) for row in database.rows(sql, conversation_id)}


def reopen_answer(database: Database, conversation_id: str, message_id: str) -> None:
    """Let an answer be written on; what it has so far stays. Raises StorageRefusedError when it is not there."""
    _change_message(database, conversation_id, message_id, state="streaming")


def _change_message(database: Database, conversation_id: str, message_id: str, **columns: str | int | None) -> None:
    assignments = ", ".join(f"{name} = ?" for name in columns)
    sql = f"UPDATE messages SET {assignments} WHERE id = ? AND conversation_id = ?"
    if not database.execute(sql, *columns.values(), message_id, conversation_id):
        raise StorageRefusedError(MESSAGE_GONE)


def insert_summary(database: Database, conversation_id: str, summary: Summary) -> None:
    """Append a summary that counts wherever the message that it ends at is shown, until it is given a place."""
    receipt = summary.receipt or Receipt()
    columns = {
        "id": summary.id,
        "conversation_id": conversation_id,
        "text": summary.text,
        "covers_until": summary.covers_until,
        "tokens_before": summary.tokens_before,
        "tokens_after": summary.tokens_after,
        "created_at_us": pack_time(summary.created_at),
        "undone": int(summary.undone),
        "method": summary.method,
        "is_edited": int(summary.is_edited),
        **_cost_columns("before", receipt.before),
        **_cost_columns("after", receipt.after),
        **_measured_columns(receipt.measured),
    }
    sql = f"INSERT INTO summaries ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"
    database.execute(sql, *columns.values())


def insert_place(database: Database, conversation_id: str, place_id: str, summary_id: str, time: datetime) -> None:
    """Let a summary count from the end of the path on."""
    leaf_id, dropped_until = _end_of(database, conversation_id)
    database.execute(
        """INSERT INTO messages
           (id, conversation_id, parent_id, role, content, thinking, created_at_us, model, state, summary_id,
            dropped_until)
           VALUES (?, ?, ?, 'system', '', '', ?, '', 'complete', ?, ?)""",
        place_id,
        conversation_id,
        leaf_id,
        pack_time(time),
        summary_id,
        dropped_until,
    )


def summaries_of(database: Database, conversation_id: str) -> list[Summary]:
    """Return the summaries of all branches, oldest first."""
    rows = database.rows("SELECT * FROM summaries WHERE conversation_id = ? ORDER BY sequence", conversation_id)
    return [_read_summary(row) for row in rows]


def _summaries_of_path(database: Database, conversation_id: str, tree: MessageTree) -> list[Summary]:
    """Return those that have no place, then those on the path, each oldest first."""
    summaries = {summary.id: summary for summary in summaries_of(database, conversation_id)}
    placed = {node.summary_id for node in tree}
    return [summaries[each] for each in [*(each for each in summaries if each not in placed), *tree.summaries()]]


def set_summary_measured(database: Database, conversation_id: str, summary_id: str, measured: PromptCost) -> None:
    """Add what the first answer after a summary took. One that is gone meanwhile needs it no more."""
    columns = _measured_columns(measured)
    assignments = ", ".join(f"{name} = ?" for name in columns)
    sql = f"UPDATE summaries SET {assignments} WHERE id = ? AND conversation_id = ?"
    database.execute(sql, *columns.values(), summary_id, conversation_id)


def set_summary_undone(database: Database, conversation_id: str, summary_id: str, undone: bool) -> None:
    """Take a summary back or use it again. Raises StorageRefusedError when it is not there."""
    sql = "UPDATE summaries SET undone = ? WHERE id = ? AND conversation_id = ?"
    if not database.execute(sql, int(undone), summary_id, conversation_id):
        raise StorageRefusedError(Sentence("This summary is not in the database any more."))


def _read_message(row: sqlite3.Row) -> Message:
    return Message(
        role=row["role"],
        content=unpack_text(row["content"]),
        thinking=unpack_text(row["thinking"]),
        id=row["id"],
        created_at=unpack_time(row["created_at_us"]),
        model=unpack_text(row["model"]),
        state=row["state"],
        pinned=bool(row["pinned"]),
        edited=bool(row["edited"]),
    )


def _read_summary(row: sqlite3.Row) -> Summary:
    before, after = (_read_cost(row, which, row[f"tokens_{which}"]) for which in ("before", "after"))
    measured = _read_cost(row, "measured", row["measured_tokens"])
    is_kept = any(_is_priced(cost) for cost in (before, after)) or measured != PromptCost()
    return Summary(
        text=unpack_text(row["text"]),
        covers_until=row["covers_until"],
        tokens_before=row["tokens_before"],
        tokens_after=row["tokens_after"],
        id=row["id"],
        created_at=unpack_time(row["created_at_us"]),
        undone=bool(row["undone"]),
        method=row["method"],
        is_edited=bool(row["is_edited"]),
        receipt=Receipt(before, after, measured if measured != PromptCost() else None) if is_kept else None,
    )


def _cost_columns(which: str, cost: PromptCost) -> dict[str, float | int | None]:
    return {f"{which}_kv_bytes": cost.kv_bytes, f"{which}_ttft_s": cost.ttft_s, f"{which}_tpot_s": cost.tpot_s}


def _measured_columns(cost: PromptCost | None) -> dict[str, float | int | None]:
    cost = cost or PromptCost()
    return {"measured_tokens": cost.tokens, **_cost_columns("measured", cost)}


def _read_cost(row: sqlite3.Row, which: str, tokens: int | None) -> PromptCost:
    return PromptCost(tokens, row[f"{which}_kv_bytes"], row[f"{which}_ttft_s"], row[f"{which}_tpot_s"])


def _is_priced(cost: PromptCost) -> bool:
    return any(value is not None for value in (cost.kv_bytes, cost.ttft_s, cost.tpot_s))
