"""The schema as numbered steps, oldest first: append to the list, never edit a step that was released."""

from __future__ import annotations

from contextlib import suppress
from itertools import groupby
from typing import TYPE_CHECKING

from app.errors import Sentence, StorageError
from app.storage.packing import UNKNOWN, pack_integers, unpack_integers

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from app.storage.database import Database


def m001_conversations(database: Database) -> None:
    """Conversations, messages, turns, summaries and the journal.

    Free text may hold bytes instead of text (`packing.pack_text`). `*_us` are microseconds since 1970, UTC;
    `*_ns` are `perf_counter_ns` of the run that wrote them: only differences within one turn mean something.
    """
    database.execute(
        """CREATE TABLE conversations (
            id TEXT PRIMARY KEY NOT NULL,
            title TEXT NOT NULL,
            title_folded TEXT NOT NULL,
            system_prompt TEXT NOT NULL,
            draft TEXT NOT NULL,
            created_at_us INTEGER NOT NULL,
            updated_at_us INTEGER NOT NULL,
            deleted_at_us INTEGER
        )"""
    )
    database.execute(
        """CREATE TABLE messages (
            sequence INTEGER PRIMARY KEY,
            id TEXT UNIQUE NOT NULL,
            conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
            role TEXT NOT NULL,
            content TEXT NOT NULL,
            thinking TEXT NOT NULL,
            created_at_us INTEGER NOT NULL,
            model TEXT NOT NULL,
            state TEXT NOT NULL,
            superseded_at_us INTEGER
        )"""
    )
    database.execute("CREATE INDEX messages_of_conversation ON messages (conversation_id, superseded_at_us)")
    database.execute("CREATE INDEX messages_streaming ON messages (sequence) WHERE state = 'streaming'")
    database.execute(
        """CREATE TABLE turns (
            message_id TEXT PRIMARY KEY NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
            submitted_ns INTEGER NOT NULL,
            started_ns INTEGER,
            tokenised_ns INTEGER,
            prefill_started_ns INTEGER,
            prefill_done_ns INTEGER,
            token_ns BLOB NOT NULL,
            finished_ns INTEGER,
            prompt_tokens INTEGER,
            cached_tokens INTEGER,
            completion_tokens INTEGER NOT NULL,
            cache_miss TEXT NOT NULL,
            context_tokens INTEGER,
            n_ctx INTEGER,
            finish_reason TEXT,
            error TEXT NOT NULL,
            seed INTEGER,
            ttft_s REAL,
            tpot_s REAL,
            memory BLOB NOT NULL,
            model_name TEXT NOT NULL,
            model_path TEXT NOT NULL,
            settings_json TEXT NOT NULL
        )"""
    )
    database.execute(
        """CREATE TABLE summaries (
            sequence INTEGER PRIMARY KEY,
            id TEXT UNIQUE NOT NULL,
            conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
            text TEXT NOT NULL,
            covers_until TEXT NOT NULL,
            tokens_before INTEGER,
            tokens_after INTEGER,
            created_at_us INTEGER NOT NULL,
            undone INTEGER NOT NULL
        )"""
    )
    database.execute("CREATE INDEX summaries_of_conversation ON summaries (conversation_id)")
    database.execute(
        """CREATE TABLE journal (
            sequence INTEGER PRIMARY KEY,
            message_id TEXT NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
            text TEXT NOT NULL,
            thinking TEXT NOT NULL,
            token_ns BLOB NOT NULL
        )"""
    )
    database.execute("CREATE INDEX journal_of_message ON journal (message_id)")


def m002_context_growths(database: Database) -> None:
    """When the context grew during a turn: packed rows of `packing.GROWTH_COLUMNS`, no bytes for none."""
    database.execute("ALTER TABLE turns ADD COLUMN context_growths BLOB NOT NULL DEFAULT X''")


def m003_benches(database: Database) -> None:
    """Results of benches and the machine's ceilings; `values_json` is what `bench -o json` prints."""
    database.execute(
        """CREATE TABLE bench_results (
            sequence INTEGER PRIMARY KEY,
            id TEXT UNIQUE NOT NULL,
            run_id TEXT NOT NULL,
            measured_at_us INTEGER NOT NULL,
            model_filename TEXT NOT NULL,
            model_fingerprint TEXT NOT NULL,
            machine TEXT NOT NULL,
            method TEXT NOT NULL,
            test TEXT NOT NULL,
            values_json TEXT NOT NULL
        )"""
    )
    database.execute("CREATE INDEX bench_results_of_run ON bench_results (run_id)")
    database.execute(
        """CREATE TABLE ceilings (
            machine TEXT NOT NULL,
            kind TEXT NOT NULL,
            device TEXT NOT NULL,
            value REAL NOT NULL,
            measured_at_us INTEGER NOT NULL,
            source TEXT NOT NULL,
            PRIMARY KEY (machine, kind, device)
        )"""
    )


def m004_speed_explained(database: Database) -> None:
    """Instants that tell what the template and the window took, and what an answer was made with."""
    for column in ("rendered_ns", "first_received_ns", "received_ns", "shown_ns"):
        database.execute(f"ALTER TABLE turns ADD COLUMN {column} INTEGER")
    database.execute("ALTER TABLE turns ADD COLUMN environment_json TEXT NOT NULL DEFAULT ''")


def m005_views(database: Database) -> None:
    """What the model sees of a conversation: pinned messages, dropped turns, and what is done when it is full."""
    database.execute("ALTER TABLE messages ADD COLUMN pinned INTEGER NOT NULL DEFAULT 0")
    database.execute("ALTER TABLE conversations ADD COLUMN on_full TEXT")
    database.execute("ALTER TABLE conversations ADD COLUMN dropped_until TEXT NOT NULL DEFAULT ''")


def m006_message_tree(database: Database) -> None:
    """What follows what, answers the user changed, deleted messages, and answers written in several parts.

    A message is on the conversation's present path while `superseded_at_us` is NULL; it says when it left it.
    """
    database.execute("ALTER TABLE messages ADD COLUMN parent_id TEXT NOT NULL DEFAULT ''")
    database.execute("ALTER TABLE messages ADD COLUMN edited INTEGER NOT NULL DEFAULT 0")
    database.execute("ALTER TABLE messages ADD COLUMN deleted_at_us INTEGER")
    rows = database.rows(
        "SELECT id, conversation_id, role, superseded_at_us FROM messages ORDER BY conversation_id, sequence"
    )
    for _, group in groupby(rows, key=lambda row: row["conversation_id"]):
        places = [(row["id"], row["role"], row["superseded_at_us"]) for row in group]
        for message_id, parent_id in parents_of(places).items():
            if parent_id:
                database.execute("UPDATE messages SET parent_id = ? WHERE id = ?", parent_id, message_id)
    columns = ", ".join(row["name"] for row in database.rows("PRAGMA table_info(turns)"))
    (made,) = database.rows("SELECT sql FROM sqlite_schema WHERE name = 'turns'")
    several = str(made["sql"]).replace("message_id TEXT PRIMARY KEY NOT NULL", "message_id TEXT NOT NULL")
    several = f"{several.rstrip().removesuffix(')')}, part INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (message_id, part))"
    database.execute("ALTER TABLE turns RENAME TO whole_turns")
    database.execute(several)
    database.execute(f"INSERT INTO turns ({columns}) SELECT {columns} FROM whole_turns ORDER BY rowid")
    database.execute("DROP TABLE whole_turns")


def parents_of(places: Sequence[tuple[str, str, int | None]]) -> dict[str, str]:
    """Return the parent of each message of a conversation that was kept as a list; empty for the first.

    Messages were taken out with all that stood after them. So what is still on the path when a message comes was taken
    out no sooner than that message: the last such one before it is its parent. An answer follows no answer, unless
    both are still there: clocks can be set back.

    Args:
        places: (id, role, when it was taken out or None) in the order in which they were written.
    """
    parents: dict[str, str] = {}
    line: list[tuple[str, str, float]] = []
    for message_id, role, left_us in places:
        left = float("inf") if left_us is None else left_us
        while line and line[-1][2] < left:
            line.pop()
        before = list(line)
        while left_us is not None and before and before[-1][1] == role == "assistant":
            before.pop()
        parents[message_id] = before[-1][0] if before else ""
        line.append((message_id, role, left))
    return parents


def m007_restored_states(database: Database) -> None:
    """Where a turn's KV cache was brought back from, how many tokens were in it and what that took."""
    database.execute("ALTER TABLE turns ADD COLUMN restored_from TEXT NOT NULL DEFAULT ''")
    for column in ("restored_tokens", "restore_ns"):
        database.execute(f"ALTER TABLE turns ADD COLUMN {column} INTEGER NOT NULL DEFAULT 0")


def m008_summary_receipts(database: Database) -> None:
    """How a summary was written, what the prompts without and with it should cost, and what the first answer took."""
    database.execute("ALTER TABLE summaries ADD COLUMN method TEXT NOT NULL DEFAULT 'model'")
    database.execute("ALTER TABLE summaries ADD COLUMN is_edited INTEGER NOT NULL DEFAULT 0")
    database.execute("ALTER TABLE summaries ADD COLUMN measured_tokens INTEGER")
    for which in ("before", "after", "measured"):
        database.execute(f"ALTER TABLE summaries ADD COLUMN {which}_kv_bytes INTEGER")
        database.execute(f"ALTER TABLE summaries ADD COLUMN {which}_ttft_s REAL")
        database.execute(f"ALTER TABLE summaries ADD COLUMN {which}_tpot_s REAL")


def m009_answers_at_once(database: Database) -> None:
    """How many answers shared the steps of a turn, and how many tokens they sampled together."""
    database.execute("ALTER TABLE turns ADD COLUMN sequences INTEGER NOT NULL DEFAULT 1")
    database.execute("ALTER TABLE turns ADD COLUMN together_tokens INTEGER")


def m010_places_of_summaries(database: Database) -> None:
    """Where in the tree a summary counts from: a row among the messages that has its id and no text.

    A summary without a place was laid before there were any: it counts wherever the message that it ends at is shown.
    """
    database.execute("ALTER TABLE messages ADD COLUMN summary_id TEXT NOT NULL DEFAULT ''")


def m011_edits(database: Database) -> None:
    """What the user wrote in a message's place and did not save yet; NULL: nothing."""
    database.execute("ALTER TABLE messages ADD COLUMN edit TEXT")


def m012_views_of_branches(database: Database) -> None:
    """What was dropped where the path ends at a message or a place: every branch has a view of its own.

    What was dropped from a conversation was dropped from all its branches that have the message it was dropped until.
    """
    database.execute("ALTER TABLE messages ADD COLUMN dropped_until TEXT NOT NULL DEFAULT ''")
    for dropped in database.rows("SELECT id, dropped_until FROM conversations WHERE dropped_until != ''"):
        places = database.rows(
            "SELECT id, parent_id FROM messages WHERE conversation_id = ? ORDER BY sequence", dropped["id"]
        )
        found: set[str] = set()
        for place in places:
            if place["id"] == dropped["dropped_until"] or place["parent_id"] in found:
                found.add(place["id"])
                database.execute(
                    "UPDATE messages SET dropped_until = ? WHERE id = ?", dropped["dropped_until"], place["id"]
                )
    database.execute("ALTER TABLE conversations DROP COLUMN dropped_until")


def m013_saved_caches(database: Database) -> None:
    """What copies of KV caches take of a measured process: an eighth column of `turns.memory`, unknown until now."""
    for turn in database.rows("SELECT rowid, memory FROM turns"):
        with suppress(StorageError):  # damaged: it stays as it is
            values = unpack_integers(turn["memory"])
            values += [UNKNOWN] * (len(values) // 7)
            database.execute("UPDATE turns SET memory = ? WHERE rowid = ?", pack_integers(values), turn["rowid"])


MIGRATIONS: tuple[Callable[[Database], None], ...] = (
    m001_conversations,
    m002_context_growths,
    m003_benches,
    m004_speed_explained,
    m005_views,
    m006_message_tree,
    m007_restored_states,
    m008_summary_receipts,
    m009_answers_at_once,
    m010_places_of_summaries,
    m011_edits,
    m012_views_of_branches,
    m013_saved_caches,
)


def migrate(database: Database, migrations: Sequence[Callable[[Database], None]] = MIGRATIONS) -> None:
    """Bring the file to the newest schema, in one transaction.

    Raises:
        StorageError: the file was written by a newer program; it is left as it is.
    """
    newest = len(migrations)
    if _version(database) == newest:
        return
    with database.transaction():
        # Read again under the lock: another process may have migrated meanwhile.
        version = _version(database)
        if version > newest:
            raise StorageError(
                Sentence(
                    "The database {path} was written by a newer Tokometer (schema {version}, this one knows "
                    "{newest}); install the newer version to open it.",
                    path=database.path,
                    version=version,
                    newest=newest,
                )
            )
        for migration in migrations[version:]:
            migration(database)
        database.execute(f"PRAGMA user_version = {newest}")


def _version(database: Database) -> int:
    return int(database.rows("PRAGMA user_version")[0][0])
