"""One try to have something answered, before it is sent."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.chat.conversation import Conversation, OnFull, Summary
    from app.chat.policy import Cut
    from ui.session import Session


@dataclass(slots=True, eq=False)
class Attempt:
    """One try to have something answered.

    Attributes:
        base: what the model would be asked, when it is asked for, before a summary was made for it.
        go: has it answered; is told whether the context may grow for it (`may_grow`), and for one `at` a message the
            `summary` that is laid before it and the last message that leaves the view for it (`dropped_until`).
        at: id of the message it changes or answers anew; empty: it goes on at the end of the path.
        text: of the message that is sent; empty: none is, the model is only asked.
        summary: that one, once it is written.
        on_full: what is done where it does not fit.
        can_grow: false when there turned out to be no memory for a larger context.
        may_summarise: false when that was tried.
        cut: the turns that would leave the view for it, once that is known.
    """

    session: Session
    base: Callable[[], Conversation]
    go: Callable[..., None]
    on_full: OnFull
    text: str = ""
    at: str = ""
    summary: Summary | None = None
    can_grow: bool = True
    may_summarise: bool = True
    cut: Cut | None = None

    @property
    def edits(self) -> str:
        """Id of the message in whose place the text is to stand; empty: it is the composer's, or there is none."""
        return self.at if self.text else ""

    def conversation(self) -> Conversation:
        """Return what the model would be asked."""
        base = self.base()
        return base if self.summary is None else base.with_summary(self.summary)


def before(conversation: Conversation, message_id: str) -> Conversation:
    """Return a conversation up to a message, without it."""
    return replace(conversation, messages=conversation.up_to(message_id).messages[:-1])


def answered(conversation: Conversation) -> Conversation:
    """Return a conversation up to its last answer."""
    last = max((i for i, each in enumerate(conversation.messages, 1) if each.role == "assistant"), default=0)
    return replace(conversation, messages=conversation.messages[:last])
