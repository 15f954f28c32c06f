"""One conversation as the window holds it: messages, the turns behind the answers, and what the charts draw."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from app.chat.conversation import Conversation
from app.telemetry.series import ConversationSeries

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from app.chat.conversation import OnFull, PromptCost, Summary
    from app.chat.message import Message
    from app.engine.events import LoadedModel
    from app.storage.store import Turn
    from app.telemetry.ledger import Ledger


@dataclass(slots=True)
class Session:
    """Changed by the controllers only; every change of `conversation` is a new value.

    Attributes:
        turns: the finished turns of the answers in `conversation`, by message id.
        is_stored: false until there is a message or a draft; an empty conversation is not kept.
        is_named: the user gave the title.
        ledger: tokens of each message, None while they are not counted.
        namesakes: ids of the answers that another file of the same name inside wrote than the one before.
        cache_note: why the next turn will find nothing in the KV cache; empty when nothing is known to prevent it.
    """

    conversation: Conversation = field(default_factory=Conversation)
    turns: dict[str, Turn] = field(default_factory=dict)
    series: ConversationSeries = field(default_factory=ConversationSeries)
    is_stored: bool = False
    is_named: bool = False
    cache_note: str = ""
    ledger: Ledger | None = None
    _before_view: tuple[Conversation | None, frozenset[str]] = (None, frozenset())
    namesakes: set[str] = field(default_factory=set)
    _last_turn: Turn | None = None

    @classmethod
    def reopened(
        cls, conversation: Conversation, turns: Iterable[Turn], model: LoadedModel | None, is_cached: bool = False
    ) -> Session:
        """Return a stored conversation with its numbers and charts; `is_cached`: the KV cache still holds it."""
        shown = {message.id for message in conversation.messages}
        by_id = {turn.message_id: turn for turn in turns if turn.message_id in shown}
        session = cls(conversation, by_id, is_stored=True)
        session.series.set_model(model)
        session.redraw_turns()
        if not is_cached and session.series.context_tokens:
            session.series.lose_cache(session.series.context_tokens)
        return session

    @property
    def id(self) -> str:
        """The conversation's id."""
        return self.conversation.id

    @property
    def last_answer(self) -> Message | None:
        """The answer that ends the conversation, None when it ends otherwise."""
        last = self.conversation.messages[-1] if self.conversation.messages else None
        return last if last is not None and last.role == "assistant" else None

    def retitle(self, title: str) -> None:
        """Give the conversation another title."""
        self.conversation = replace(self.conversation, title=title)

    def set_draft(self, text: str) -> None:
        """Keep what is typed but not sent."""
        self.conversation = replace(self.conversation, draft=text)

    def set_system_prompt(self, text: str) -> None:
        """Change what the model is told before the conversation."""
        self.conversation = replace(self.conversation, system_prompt=text)

    def set_on_full(self, on_full: OnFull | None) -> None:
        """Change what is done where the next turn would not fit; None: what the settings say."""
        self.conversation = replace(self.conversation, on_full=on_full)

    def set_dropped_until(self, message_id: str) -> None:
        """Drop a message and all before it from the model's view; empty: drop none."""
        self.conversation = replace(self.conversation, dropped_until=message_id)

    def is_before_view(self, message_id: str) -> bool:
        """Tell whether a message stands before those that the model sees."""
        if self._before_view[0] is not self.conversation:
            before = self.conversation.messages[: self.conversation.view_start]
            self._before_view = (self.conversation, frozenset(message.id for message in before))
        return message_id in self._before_view[1]

    def put(self, message: Message) -> None:
        """Append a message, or put it in the place of the one with its id."""
        messages = self.conversation.messages
        if any(known.id == message.id for known in messages):
            messages = tuple(message if known.id == message.id else known for known in messages)
        else:
            messages = (*messages, message)
        self.conversation = replace(self.conversation, messages=messages)

    def remove_from(self, message_id: str) -> None:
        """Take a message and all after it out of view."""
        ids = [message.id for message in self.conversation.messages]
        kept = self.conversation.messages[: ids.index(message_id)]
        for gone in ids[len(kept) :]:
            self.turns.pop(gone, None)
        self.conversation = replace(self.conversation, messages=kept)
        self.redraw_turns()

    def add_summary(self, summary: Summary) -> None:
        """Lay one more summary over the conversation."""
        self.conversation = self.conversation.with_summary(summary)

    def measure_summary(self, summary_id: str, measured: PromptCost) -> None:
        """Add what the first answer after a summary took."""
        self.conversation = self.conversation.with_summary_measured(summary_id, measured)

    def undo_summary(self, summary_id: str, undone: bool) -> None:
        """Take a summary back, or use it again."""
        self.conversation = self.conversation.with_summary_undone(summary_id, undone)

    def add_turn(self, turn: Turn) -> None:
        """An answer ended."""
        self.turns[turn.message_id] = turn
        self._note_model(turn)
        self.series.add_turn(turn.message_id, turn.stats)

    def redraw_turns(self) -> None:
        """Make the charts' series anew from the turns of the messages in view."""
        self.series.clear()
        self.namesakes.clear()
        self._last_turn = None
        for message in self.conversation.messages:
            if turn := self.turns.get(message.id):
                self._note_model(turn)
                self.series.add_turn(turn.message_id, turn.stats)
                self.series.add_memory(turn.memory)

    def former_model(self, path: Path) -> str | None:
        """Return the name of the model that wrote the last answer, None when it was this one or there is no answer."""
        last = self._last_turn
        return last.model_name if last is not None and last.model_path != str(path) else None

    def _note_model(self, turn: Turn) -> None:
        last = self._last_turn
        if last is not None and last.model_path != turn.model_path and last.model_name == turn.model_name:
            self.namesakes.add(turn.message_id)
        self._last_turn = turn
