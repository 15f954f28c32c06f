"""What the transcript shows, as plain values."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

if TYPE_CHECKING:
    from ui.panels.marks import Mark

Channel = Literal["answer", "thinking"]


class Kind(Enum):
    """Who or what an item comes from."""

    USER = "user"
    ASSISTANT = "assistant"
    SUMMARY = "summary"
    EDGE = "edge"
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
class Segment:
    """A part of a stacked bar: its look, how much of the bar it takes, and its words."""

    mark: Mark
    amount: float
    text: str


class Bar(Protocol):
    """What a stacked bar shows; asked only when it is in sight."""

    def segments(self) -> tuple[Segment, ...]:
        """Return the parts from left to right, without those that are nothing."""

    def text(self) -> str:
        """Return all of it in words, a line each."""


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
        is_out_of_view: the model does not see it; it is shown dimmed.
        wait: where the wait for the answer went; None where that is not known.
        version, versions: which of the messages in the same place this is, from 1, and how many there are.
        is_pinned: the model always sees it word for word.
        has_menu: it can be edited and has a menu.
        edit: what is written in place of the text; None: it is not being edited. Counts when the item is shown first.
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
    wait: Bar | None = None
    is_out_of_view: bool = False
    version: int = 1
    versions: int = 1
    is_pinned: bool = False
    has_menu: bool = False
    edit: str | None = field(default=None, compare=False)


class Costs(NamedTuple):
    """Of the item with this id what is known only once it was counted, or drawn; see `Item`."""

    id: str
    cost: str
    frees: str = ""
    wait: Bar | None = None


@dataclass(slots=True)
class ViewState:
    """What the user did to a message and shall find again when its widget is made anew."""

    is_open: bool = False
    is_expanded: bool = False
    draft: str | None = None
    """What is written in place of the message's text while it is edited."""
