"""One message of a conversation, as a pure value."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Literal

Role = Literal["system", "user", "assistant"]
MessageState = Literal["complete", "streaming", "interrupted", "failed"]


def new_id() -> str:
    """Return an identifier that is unique across processes and machines."""
    return os.urandom(16).hex()


@dataclass(frozen=True, slots=True)
class Message:
    """What one side said.

    Attributes:
        role: who said it.
        content: the text; for an answer without its thinking.
        thinking: the model's reasoning before the answer; never sent back to the model.
        id: stable identity, used by the store, the transcript and the charts.
        created_at: wall-clock time in UTC.
        model: name of the model that answered; empty for other roles.
        state: `interrupted` is an answer whose window or engine died or was closed while it was written.
        pinned: the model always sees it word for word, also where a summary or a cut covers it.
        edited: the user wrote or changed this answer; the model's own stands beside it as another version.
    """

    role: Role
    content: str
    thinking: str = ""
    id: str = field(default_factory=new_id)
    created_at: datetime = field(default_factory=lambda: datetime.now(UTC))
    model: str = ""
    state: MessageState = "complete"
    pinned: bool = False
    edited: bool = False
