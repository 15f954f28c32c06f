"""What the transcript shows, as plain values."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Literal

Channel = Literal["answer", "thinking"]


class Kind(Enum):
    """Who or what an item comes from."""

    USER = "user"
    ASSISTANT = "assistant"
    SUMMARY = "summary"
    NOTICE = "notice"


class State(Enum):
    """How far an item has come."""

    COMPLETE = "complete"
    STREAMING = "streaming"
    STOPPED = "stopped"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Action:
    """A button in an item's foot."""

    id: str
    label: str


@dataclass(frozen=True, slots=True)
class Item:
    """One entry of the transcript.

    Attributes:
        text: markdown for answers and summaries, plain text for the user's messages and notices.
        footer: the turn's figures, already formatted.
        error: one sentence shown in a frame below the text, never as the model's words.
        actions: buttons in the foot; with an error they stand in its frame.
        cost: what the message takes of the context, already formatted; shown where the pointer or the keyboard is.
        frees: what becomes free when the message goes.
    """

    id: str
    kind: Kind
    author: str = ""
    text: str = ""
    thinking: str = ""
    footer: str = ""
    footer_tooltip: str = ""
    state: State = State.COMPLETE
    error: str = ""
    actions: tuple[Action, ...] = ()
    cost: str = ""
    frees: str = ""


@dataclass(slots=True)
class ViewState:
    """What the user did to a message and shall find again when its widget is made anew."""

    is_open: bool = False
    is_expanded: bool = False
