"""The store: everything the window keeps, behind one class."""

from __future__ import annotations

from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from app.errors import Sentence, StorageDamagedError, StorageError, joined
from app.storage import benches, conversations, history, journal, turns
from app.storage.benches import BenchResult
from app.storage.conversations import ConversationRow
from app.storage.database import Database, lock_of, set_aside_database
from app.storage.migrations import migrate
from app.storage.packing import fold, pack_time
from app.storage.turns import Turn

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from app.chat.conversation import Conversation, OnFull, PromptCost, Summary
    from app.chat.message import Message
    from app.chat.tree import MessageTree
    from app.telemetry.ceilings import Ceiling
    from app.telemetry.history import HistoryTurn
    from app.telemetry.timings import TurnStats

__all__ = ["BenchResult", "ConversationRow", "Store", "Turn", "open_store"]


class Store:
    """Conversations in one SQLite file; opens ready. Synchronous; may change threads, but never serves two at once.

    Every method that writes does so in one transaction: after a StorageError (disk full, no permission, locked by
    another program) nothing of the call was written, and the same call can be made again; after a StorageRefusedError
    (what it names is gone, or there already) that is useless.

    Attributes:
        path: the file; None: in memory, gone when it is closed.
        is_owner: no other process had the file open; only the owner may recover.
    """

    def __init__(self, path: Path | None) -> None:
        """Open or create the file and bring it to the newest schema.

        Raises:
            StorageDamagedError: the file is no sound database.
            StorageError: it cannot be opened or written, or a newer program wrote it.
        """
        self.path = path
        self._lock = lock_of(path) if path else None
        self.is_owner = self._lock.acquire() if self._lock else True
        try:
            self._database = Database(path)
            try:
                self._database.check()
                migrate(self._database)
            except BaseException:
                self._database.close()
                raise
        except BaseException:
            self._release()
            raise

    @contextmanager
    def together(self) -> Iterator[None]:
        """Make the calls inside one transaction: all of them are written, or none."""
        with self._database.transaction():
            yield

    def conversations(self, search: str = "") -> list[ConversationRow]:
        """Return the list, newest first, without deleted ones; `search` is looked for in titles, ignoring case."""
        return conversations.list_conversations(self._database, search)

    def create(self, conversation: Conversation) -> None:
        """Write a new conversation with all it holds."""
        with self._database.transaction():
            conversations.insert_conversation(self._database, conversation)

    def conversation(self, conversation_id: str) -> Conversation:
        """Return a conversation, deleted or not. Raises StorageRefusedError when it is not there."""
        return conversations.load_conversation(self._database, conversation_id)

    def rename(self, conversation_id: str, title: str) -> None:
        """Give a conversation another title."""
        self._change(conversation_id, title=title, title_folded=fold(title))

    def set_system_prompt(self, conversation_id: str, text: str) -> None:
        """Change what the model is told before the conversation."""
        self._change(conversation_id, system_prompt=text)

    def set_draft(self, conversation_id: str, text: str) -> None:
        """Keep what is typed but not sent."""
        self._change(conversation_id, draft=text)

    def set_edit(self, conversation_id: str, message_id: str, text: str | None) -> None:
        """Keep what is written in a message's place but not saved; None: nothing."""
        with self._database.transaction():
            conversations.set_edit(self._database, conversation_id, message_id, text)

    def edits(self, conversation_id: str) -> dict[str, str]:
        """Return what is written in messages' places but not saved, by their ids."""
        return conversations.edits_of(self._database, conversation_id)

    def set_on_full(self, conversation_id: str, on_full: OnFull | None) -> None:
        """Change what is done where the next turn would not fit; None: what the settings say."""
        self._change(conversation_id, on_full=on_full)

    def set_dropped_until(self, conversation_id: str, message_id: str, place_id: str = "") -> None:
        """Drop a message and all before it from the model's view, which loses nothing; empty: drop none.

        Args:
            place_id: in the branch through this place that is shown or was last; empty: in the path.
        """
        with self._database.transaction():
            conversations.set_dropped_until(self._database, conversation_id, message_id, place_id)

    def set_pinned(self, conversation_id: str, message_id: str, pinned: bool) -> None:
        """Keep a message in the model's view whatever covers it, or no longer."""
        with self._database.transaction():
            conversations.set_message_pinned(self._database, conversation_id, message_id, pinned)

    def delete(self, conversation_id: str) -> None:
        """Take a conversation out of the list; `restore` brings it back until `purge_deleted`."""
        self._change(conversation_id, deleted_at_us=pack_time(datetime.now(UTC)))

    def restore(self, conversation_id: str) -> None:
        """Undo `delete`."""
        self._change(conversation_id, deleted_at_us=None)

    def purge_deleted(self) -> None:
        """Erase deleted conversations for good, with everything that belongs to them, and the text of deleted messages.

        Of these the place in the tree and the figures stay.
        """
        with self._database.transaction():
            self._database.execute("DELETE FROM conversations WHERE deleted_at_us IS NOT NULL")
            self._database.execute(
                "UPDATE messages SET content = '', thinking = '', edit = NULL WHERE deleted_at_us IS NOT NULL"
            )

    def add_message(self, conversation_id: str, message: Message) -> None:
        """Append a message that is complete: the user's, when it is sent."""
        with self._database.transaction():
            conversations.touch_conversation(self._database, conversation_id, message.created_at)
            conversations.insert_message(self._database, conversation_id, message)

    def begin_answer(self, conversation_id: str, message: Message, turn: Turn | None = None) -> None:
        """Append an answer in state `streaming`, before its first token.

        `turn`, with what is known when Send is pressed, is what a recovered answer gets its numbers from.
        """
        with self._database.transaction():
            conversations.touch_conversation(self._database, conversation_id, message.created_at)
            conversations.insert_message(self._database, conversation_id, message)
            if turn is not None:
                turns.write_turn(self._database, turn)

    def journal(
        self,
        message_id: str,
        text: str,
        thinking: str,
        token_ns: Sequence[int],
        stats: TurnStats | None = None,
    ) -> None:
        """Append what came since the last call; at most every 180 ms.

        `stats` as they stand, given when they are others than the last time, keep prompt tokens and prefill time for a
        recovered answer; its token instants come from the journal.
        """
        with self._database.transaction():
            journal.append(self._database, message_id, text, thinking, token_ns)
            if stats is not None:
                journal.note_prompt(self._database, message_id, stats)

    def finish_answer(self, message: Message, turn: Turn) -> None:
        """Write the final text, state, stats and memory, and drop the journal. May be repeated."""
        with self._database.transaction():
            journal.finish(self._database, message, turn)

    def note_shown(self, message_id: str, shown_ns: int) -> None:
        """Add to a finished answer's turn when its end was drawn, which is after it was written."""
        with self._database.transaction():
            turns.note_shown(self._database, message_id, shown_ns)

    def branch(
        self,
        conversation_id: str,
        parent_id: str,
        messages: Sequence[Message],
        turn: Turn | None = None,
        time: datetime | None = None,
        carried: Sequence[tuple[str, str]] = (),
        summary: Summary | None = None,
        edited: str = "",
        dropped_until: str = "",
    ) -> None:
        """Let the path go on after a place with these; what followed it stays as another branch.

        Args:
            parent_id: where the branch begins; empty: at the beginning.
            turn: of the last message, an answer that has begun.
            time: when the former path was left; None: now.
            carried: summaries of the former path that count for the branch too, each with the id of its place there.
            summary: one that is laid before the messages.
            edited: id of a message; what was written in its place is saved so, and not kept any more.
            dropped_until: id of the last message that is dropped from the branch's view; empty: none is.
        """
        with self._database.transaction():
            time = time or datetime.now(UTC)
            conversations.show_path(self._database, conversation_id, parent_id, time)
            conversations.set_dropped_until(self._database, conversation_id, dropped_until)
            for place_id, summary_id in carried:
                conversations.insert_place(self._database, conversation_id, place_id, summary_id, time)
            if summary is not None:
                self._lay(conversation_id, summary)
            for message in messages:
                conversations.touch_conversation(self._database, conversation_id, message.created_at)
                conversations.insert_message(self._database, conversation_id, message)
            if turn is not None:
                turns.write_turn(self._database, turn)
            if edited:
                conversations.set_edit(self._database, conversation_id, edited, None)

    def show_path(self, conversation_id: str, leaf_id: str, time: datetime | None = None) -> None:
        """Make the line to a message the conversation; an empty id leaves it without messages."""
        with self._database.transaction():
            conversations.show_path(self._database, conversation_id, leaf_id, time or datetime.now(UTC))

    def set_deleted(self, conversation_id: str, message_ids: Sequence[str], deleted: bool) -> None:
        """Take messages out of the conversation, or put them back."""
        with self._database.transaction():
            time = datetime.now(UTC) if deleted else None
            conversations.set_messages_deleted(self._database, conversation_id, message_ids, time)

    def continue_answer(self, conversation_id: str, message_id: str, turn: Turn) -> None:
        """Let an answer be written on: its text stays, `turn` is a further part of it."""
        with self._database.transaction():
            conversations.touch_conversation(self._database, conversation_id, datetime.now(UTC))
            conversations.reopen_answer(self._database, conversation_id, message_id)
            turns.write_turn(self._database, turn)

    def tree(self, conversation_id: str) -> MessageTree:
        """Return the places of all messages and summaries of a conversation."""
        return conversations.tree_of(self._database, conversation_id)

    def turns(self, conversation_id: str) -> list[Turn]:
        """Return the turns of the answers in a conversation, oldest first; a continued answer has several."""
        return turns.turns_of(self._database, conversation_id)

    def history(self, model_file: str | None = None, settings: str | None = None) -> list[HistoryTurn]:
        """Return the figures of the turns of all conversations, oldest first; see `app.storage.history`."""
        return history.history(self._database, model_file, settings)

    def all_turns(self) -> Iterator[tuple[str, datetime, Turn]]:
        """Yield every turn with its conversation's id and its message's time, oldest first."""
        return history.all_turns(self._database)

    def superseded(self, conversation_id: str) -> list[tuple[Message, Turn | None]]:
        """Return the messages off the path and the deleted ones, with the last turns of answers, oldest first."""
        by_message = {turn.message_id: turn for turn in self.superseded_turns(conversation_id)}
        return [(message, by_message.get(message.id)) for message in self.superseded_messages(conversation_id)]

    def superseded_messages(self, conversation_id: str) -> list[Message]:
        """Return the messages off the path and the deleted ones, oldest first."""
        return conversations.messages_of(self._database, conversation_id, shown=False)

    def superseded_turns(self, conversation_id: str) -> list[Turn]:
        """Return the turns of the answers off the path and of the deleted ones, oldest first."""
        return turns.turns_of(self._database, conversation_id, shown=False)

    def add_summary(self, conversation_id: str, summary: Summary) -> None:
        """Lay a summary at the end of the path; the newest there that is not undone is in use."""
        with self._database.transaction():
            self._lay(conversation_id, summary)

    def summaries(self, conversation_id: str) -> list[Summary]:
        """Return the summaries of all branches, oldest first; a conversation has those of its path."""
        return conversations.summaries_of(self._database, conversation_id)

    def set_summary_undone(self, conversation_id: str, summary_id: str, undone: bool) -> None:
        """Take a summary back, or use it again."""
        with self._database.transaction():
            conversations.set_summary_undone(self._database, conversation_id, summary_id, undone)

    def set_summary_measured(self, conversation_id: str, summary_id: str, measured: PromptCost) -> None:
        """Add to a summary what the first answer after it took."""
        with self._database.transaction():
            conversations.set_summary_measured(self._database, conversation_id, summary_id, measured)

    def add_bench_results(self, run_id: str, results: Sequence[Mapping[str, Any]]) -> None:
        """Append what one run measured, as `app.bench.report.fields` gives it."""
        with self._database.transaction():
            benches.insert_results(self._database, run_id, datetime.now(UTC), results)

    def bench_results(
        self, run_ids: Sequence[str] = (), model_fingerprint: str = "", machine: str = ""
    ) -> list[BenchResult]:
        """Return results, oldest first, of these runs, this model and this machine; empty: of all."""
        return benches.results(self._database, run_ids, model_fingerprint, machine)

    def delete_bench_results(self, ids: Sequence[str] = (), run_ids: Sequence[str] = ()) -> None:
        """Delete single results and whole runs."""
        with self._database.transaction():
            benches.delete_results(self._database, ids, run_ids)

    def set_ceilings(self, ceilings: Sequence[Ceiling]) -> None:
        """Keep each in the place of the older one of its kind, machine and device."""
        with self._database.transaction():
            for ceiling in ceilings:
                benches.write_ceiling(self._database, ceiling)

    def ceilings(self, machine: str) -> list[Ceiling]:
        """Return what is known of a machine."""
        return benches.ceilings(self._database, machine)

    def recover(self) -> list[str]:
        """Give answers that a killed window left streaming their journaled text, state `interrupted`; return their ids.

        Does nothing when another process has the file open: its answers are alive.
        """
        if not self.is_owner:
            return []
        with self._database.transaction():
            return journal.recover(self._database)

    def close(self) -> None:
        """Close the file. May be called twice."""
        self._database.close()
        self._release()

    def _lay(self, conversation_id: str, summary: Summary) -> None:
        conversations.insert_summary(self._database, conversation_id, summary)
        conversations.insert_place(self._database, conversation_id, summary.id, summary.id, summary.created_at)

    def _change(self, conversation_id: str, **columns: str | int | None) -> None:
        with self._database.transaction():
            conversations.change_conversation(self._database, conversation_id, **columns)

    def _release(self) -> None:
        if self._lock is not None:
            self._lock.release()


def open_store(path: Path) -> tuple[Store, str]:
    """Open the store whatever state its file is in; return it and one sentence for the user, empty when all is well.

    A damaged file is set aside and a fresh one is made. Where none can be used (no permission, disk full, written by
    a newer program) the store is in memory, so that the window can be used, and the sentence says so.
    """
    try:
        try:
            return Store(path), ""
        except StorageDamagedError:
            aside = set_aside_database(path)
            return Store(path), (
                Sentence(
                    "The conversations in {file} were damaged; the file was kept as {kept} and a new one begun.",
                    file=path.name,
                    kept=aside.name,
                )
            )
    except StorageError as error:
        return Store(None), joined([str(error), Sentence("Conversations are not kept when the window is closed.")])
