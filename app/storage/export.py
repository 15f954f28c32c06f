"""A conversation as text for other programs: Markdown to read, JSON with every instant, CSV with a line per turn."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal

from app.storage.packing import MEMORY_COLUMNS
from app.storage.turns import STATS_COLUMNS

if TYPE_CHECKING:
    from app.chat.conversation import Conversation, Summary
    from app.chat.message import Message
    from app.chat.tree import MessageTree
    from app.storage.store import Store
    from app.storage.turns import Turn
    from app.telemetry.timings import TurnStats

Format = Literal["markdown", "json", "csv"]
Turns = dict[str, list["Turn"]]
"""By message: a continued answer has several."""
JSON_VERSION = 1

DERIVED = (
    *("completion_tokens", "queue_s", "template_s", "tokenise_s", "prefill_s", "ttft_s", "tpot_s", "e2e_s"),
    *("prefill_tokens_per_s", "decode_tokens_per_s"),
)
COUNTS = ("prompt_tokens", "cached_tokens", "context_tokens", "n_ctx", "seed", "finish_reason", "cache_miss", "error")

LONE_SURROGATE = re.compile("[\ud800-\udfff]")
FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")


def export(store: Store, conversation_id: str, kind: Format) -> str:
    """Return a conversation in one of the formats; the text can always be encoded as UTF-8.

    Raises:
        StorageError: it is not in the store.
    """
    conversation = store.conversation(conversation_id)
    turns = _by_message(store.turns(conversation_id))
    if kind == "csv":
        return LONE_SURROGATE.sub("\ufffd", to_csv(conversation, turns))
    if kind == "markdown":
        return LONE_SURROGATE.sub("\ufffd", to_markdown(conversation, turns))
    # In JSON they can be written without loss.
    others = store.superseded_messages(conversation_id)
    turns |= _by_message(store.superseded_turns(conversation_id))
    text = to_json(conversation, turns, others, store.tree(conversation_id), store.summaries(conversation_id))
    return LONE_SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def to_json(
    conversation: Conversation,
    turns: Turns,
    superseded: list[Message],
    tree: MessageTree,
    summaries: list[Summary],
) -> str:
    """Return everything that is known: instants in ns, sizes in bytes, derived values beside their raw ones.

    `messages` is the path that is shown; `superseded` has all others, of other versions and branches and deleted ones.
    Each names what stands before it, a message or the place of a summary, so that with `summary_places` they are the
    whole tree. `summaries` are those of all branches.
    """
    document = {
        "format": "tokometer-conversation",
        "version": JSON_VERSION,
        **asdict(conversation),
        "messages": [_message(message, turns, tree) for message in conversation.messages],
        "superseded": [_message(message, turns, tree) for message in superseded],
        "summaries": [asdict(summary) for summary in summaries],
        "summary_places": [
            {
                "id": node.id,
                "parent_id": node.parent_id,
                "summary_id": node.summary_id,
                "dropped_until": node.dropped_until,
            }
            for node in tree
            if node.summary_id
        ],
    }
    return json.dumps(document, ensure_ascii=False, default=datetime.isoformat) + "\n"


def to_csv(conversation: Conversation, turns: Turns) -> str:
    """Return a line per turn with a heading; an unknown value is an empty cell."""
    output = io.StringIO()
    writer = csv.writer(output)
    writer.writerow(("message_id", "created_at", "model_name", *DERIVED, "itl_p50_s", "itl_p95_s", *COUNTS))
    for message in conversation.messages:
        for turn in turns.get(message.id, ()):
            stats = turn.stats
            values = (
                *(turn.message_id, message.created_at.isoformat(), turn.model_name),
                *(getattr(stats, name) for name in DERIVED),
                *(stats.itl_percentile_s(50), stats.itl_percentile_s(95)),
                *(getattr(stats, name) for name in COUNTS),
            )
            writer.writerow([safe_cell(value) for value in values])
    return output.getvalue()


def to_markdown(conversation: Conversation, turns: Turns) -> str:
    """Return the conversation to be read: thinking folded, summaries where they begin, numbers under the answers."""
    parts = [f"# {_line(conversation.title) or 'Conversation'}"]
    if conversation.system_prompt:
        parts.append(f"## System prompt\n\n{_closed(conversation.system_prompt)}")
    for message in conversation.messages:
        author = "You" if message.role == "user" else _line(message.model) or "Assistant"
        parts.append(f"## {author}")
        if message.thinking:
            parts.append(f"<details><summary>Thinking</summary>\n\n{_closed(message.thinking)}\n\n</details>")
        if message.content:
            parts.append(_closed(message.content))
        if message.edited:
            parts.append("*(edited)*")
        if message.state != "complete":
            parts.append(f"*({message.state})*")
        parts.extend(f"*{_numbers(turn.stats)}*" for turn in turns.get(message.id, ()))
        parts.extend(
            f"---\n\n**Summary of everything above**\n\n{_closed(summary.text)}\n\n---"
            for summary in conversation.summaries
            if summary.covers_until == message.id and not summary.undone
        )
    return "\n\n".join(parts) + "\n"


def _by_message(turns: list[Turn]) -> Turns:
    found: Turns = {}
    for turn in turns:
        found.setdefault(turn.message_id, []).append(turn)
    return found


def _message(message: Message, turns: Turns, tree: MessageTree) -> dict[str, Any]:
    node, parts = tree[message.id], [turn_values(turn) for turn in turns.get(message.id, ())]
    return {
        **asdict(message),
        "parent_id": node.parent_id,
        "deleted": node.is_deleted,
        "dropped_until": node.dropped_until,
        "turn": parts[-1] if parts else None,
        "earlier_turns": parts[:-1],
    }


def turn_values(turn: Turn) -> dict[str, Any]:
    """Return a turn as JSON holds it: raw and derived numbers, memory by column, what it was made with."""
    # Not asdict(), which copies every instant and sample one by one.
    stats = {name: getattr(turn.stats, name) for name in (*STATS_COLUMNS, *DERIVED)}
    stats["context_growths"] = [asdict(growth) for growth in turn.stats.context_growths]
    memory = {name: [getattr(point, name) for point in turn.memory] for name in MEMORY_COLUMNS}
    own = {name: getattr(turn, name) for name in ("model_name", "model_path", "settings_json", "environment_json")}
    return {"stats": stats, "memory": memory, **own}


def safe_cell(value: object) -> object:
    """Return what a spreadsheet will show and not run: names in GGUF files are anybody's text."""
    return f"'{value}" if isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t", "\r")) else value


def _numbers(stats: TurnStats) -> str:
    ttft = "n/a" if stats.ttft_s is None else f"{stats.ttft_s:.3f} s"
    tpot = "n/a" if stats.tpot_s is None else f"{stats.tpot_s * 1000:.2f} ms"
    prompt = "n/a" if stats.prompt_tokens is None else f"{stats.prompt_tokens} tokens"
    cached = "n/a" if stats.cached_tokens is None else str(stats.cached_tokens)
    return (
        f"TTFT {ttft}, TPOT {tpot}, prompt {prompt} ({cached} cached), answer {stats.completion_tokens} tokens, "
        f"finish reason {stats.finish_reason or 'n/a'}"
    )


def _line(text: str) -> str:
    return " ".join(text.split())


def _closed(text: str) -> str:
    """Return Markdown whose last code fence is closed: an interrupted answer must not swallow the ones after it."""
    fence = ""
    for line in text.splitlines():
        if match := FENCE.match(line):
            mark = match[1]
            if not fence:
                fence = mark
            elif mark[0] == fence[0] and len(mark) >= len(fence) and line.strip() == mark:
                fence = ""
    return f"{text}\n{fence}" if fence else text
