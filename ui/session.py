"""One conversation as the window holds it: messages, the turns behind the answers, and what the charts draw."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from app.chat.conversation import Conversation
from app.chat.message import new_id
from app.chat.tree import MessageTree
from app.telemetry.series import ConversationSeries

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
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
        messages, summaries: all by id, those of other versions and branches too; `conversation` has the path shown.
        tree: the places of all of them.
        edits: what is written in messages' places but not saved, by their ids.
        turns: the last finished turn of each answer, by message id.
        earlier_turns: of answers that were continued, the turns before that, oldest first.
        is_stored: false until there is a message or a draft; an empty conversation is not kept.
        is_named: the user gave the title.
        ledger: tokens of each message, None while they are not counted.
        namesakes: ids of the answers that another file of the same name inside wrote than the one before.
        cache_note: why the next turn will find nothing in the KV cache; empty when nothing is known to prevent it.
    """

    conversation: Conversation = field(default_factory=Conversation)
    messages: dict[str, Message] = field(default_factory=dict)
    summaries: dict[str, Summary] = field(default_factory=dict)
    tree: MessageTree = field(default_factory=MessageTree)
    edits: dict[str, str] = field(default_factory=dict)
    turns: dict[str, Turn] = field(default_factory=dict)
    earlier_turns: dict[str, list[Turn]] = field(default_factory=dict)
    series: ConversationSeries = field(default_factory=ConversationSeries)
    is_stored: bool = False
    is_named: bool = False
    cache_note: str = ""
    ledger: Ledger | None = None
    _before_view: tuple[Conversation | None, frozenset[str]] = (None, frozenset())
    namesakes: set[str] = field(default_factory=set)
    _last_turn: Turn | None = None

    def __post_init__(self) -> None:
        """A conversation that comes without its tree has one path."""
        is_without = not self.tree.leaf_id
        for message in self.conversation.messages:
            self.messages[message.id] = message
            if is_without:
                self.tree.append(message.id, message.role)
        if is_without:
            self.tree.drop(self.conversation.dropped_until)
        for summary in self.conversation.summaries:
            self.summaries.setdefault(summary.id, summary)

    @classmethod
    def reopened(
        cls,
        conversation: Conversation,
        turns: Iterable[Turn],
        model: LoadedModel | None,
        is_cached: bool = False,
        tree: MessageTree | None = None,
        others: Iterable[Message] = (),
        summaries: Iterable[Summary] = (),
        edits: Mapping[str, str] | None = None,
    ) -> Session:
        """Return a stored conversation with its numbers and charts.

        Args:
            is_cached: the KV cache still holds it.
            tree: the places of its messages and summaries, of `others` and of all `summaries`, which are not shown.
        """
        messages = {message.id: message for message in others}
        known = {summary.id: summary for summary in summaries}
        tree = tree if tree is not None else MessageTree()
        session = cls(conversation, messages, known, tree, dict(edits or {}), is_stored=True)
        for turn in turns:
            session._keep_turn(turn)
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

    @property
    def summary_id(self) -> str:
        """Id of the summary in use, empty without one."""
        summary = self.conversation.active_summary
        return summary.id if summary is not None else ""

    def shows(self, message_id: str) -> bool:
        """Tell whether a message is on the path."""
        return any(message.id == message_id for message in self.conversation.messages)

    def retitle(self, title: str) -> None:
        """Give the conversation another title."""
        self.conversation = replace(self.conversation, title=title)

    def set_draft(self, text: str) -> None:
        """Keep what is typed but not sent."""
        self.conversation = replace(self.conversation, draft=text)

    def set_edit(self, message_id: str, text: str | None) -> None:
        """Keep what is written in a message's place but not saved; None: nothing."""
        if text is None:
            self.edits.pop(message_id, None)
        else:
            self.edits[message_id] = text

    def set_system_prompt(self, text: str) -> None:
        """Change what the model is told before the conversation."""
        self.conversation = replace(self.conversation, system_prompt=text)

    def set_on_full(self, on_full: OnFull | None) -> None:
        """Change what is done where the next turn would not fit; None: what the settings say."""
        self.conversation = replace(self.conversation, on_full=on_full)

    def set_dropped_until(self, message_id: str, place_id: str = "") -> None:
        """Drop a message and all before it from the model's view, or bring all back; see `MessageTree.drop`."""
        self.tree.drop(message_id, place_id)
        self.conversation = replace(self.conversation, dropped_until=self.tree.dropped_until)

    def is_before_view(self, message_id: str) -> bool:
        """Tell whether a message stands before those that the model sees."""
        if self._before_view[0] is not self.conversation:
            before = self.conversation.messages[: self.conversation.view_start]
            self._before_view = (self.conversation, frozenset(message.id for message in before))
        return message_id in self._before_view[1]

    def put(self, message: Message) -> None:
        """Append a message to the path, or put it in the place of the one with its id."""
        messages = self.conversation.messages
        self.messages[message.id] = message
        if message.id in self.tree:
            messages = tuple(message if known.id == message.id else known for known in messages)
        else:
            self.tree.append(message.id, message.role)
            messages = (*messages, message)
        self.conversation = replace(self.conversation, messages=messages)

    def show_path(self, leaf_id: str, at_us: int) -> None:
        """Make the line to a place the conversation; `at_us`: now, in microseconds since 1970."""
        self.tree.show(leaf_id, at_us)
        self._take_path()

    def part_after(self, parent_id: str, at_us: int, dropped_until: str = "") -> list[tuple[str, str]]:
        """End the path at a place; the model's view of what is left stays, or begins after `dropped_until`.

        Returns:
            The summaries that count on, each after the id of the place it is carried over to.
        """
        carried = [(new_id(), each) for each in self.tree.summaries(after=parent_id)] if parent_id else []
        left = set(self.tree.messages(parent_id))
        carried = [(place, each) for place, each in carried if self.summaries[each].covers_until in left]
        dropped_until = dropped_until or self.conversation.dropped_until
        self.tree.show(parent_id, at_us)
        self.tree.drop(dropped_until if dropped_until in left else "")
        for place_id, summary_id in carried:
            self.tree.lay(summary_id, place_id)
        self._take_path()
        return carried

    def set_deleted(self, message_ids: Iterable[str], is_deleted: bool) -> None:
        """Take messages out of the conversation, or put them back."""
        self.tree.set_deleted(message_ids, is_deleted)
        self._take_path()

    def _take_path(self) -> None:
        """Show the tree's path; of the KV cache only what stands before the first other message is of use now."""
        before, shown = self.conversation, self.tree.path()
        messages = tuple(self.messages[each] for each in shown)
        self.conversation = replace(before, messages=messages, dropped_until=self.tree.dropped_until)
        self._take_summaries()
        if self.series.live_message_id:  # put back while an answer is written: its charts go on
            return
        held = min(self.series.context_tokens, self._held_tokens(before))
        self.redraw_turns()
        self.series.cut_cache(held)

    def set_pinned(self, message: Message, *, pinned: bool) -> None:
        """Keep a message in the model's view, or no longer; of the KV cache what stands before it is of use then."""
        before = self.conversation
        self.put(replace(message, pinned=pinned))
        if _ids(before.in_view()) != _ids(self.conversation.in_view()):
            self.series.cut_cache(min(self.series.context_tokens, self._held_tokens(before)))

    def _held_tokens(self, before: Conversation) -> int:
        """Return how many tokens the prompt of the conversation as it was has before what is another message now."""
        now = self.conversation
        if not before.view_start and not now.view_start:
            shown = _ids(now.messages)
            pairs = enumerate(zip(before.messages, shown, strict=False))
            most = min(len(before.messages), len(shown))
            common = next((i for i, (old, new) in pairs if old.id != new), most)
            kept = next((self.turns[each] for each in reversed(shown[:common]) if each in self.turns), None)
            return (kept.stats.context_tokens or 0) if kept is not None else 0
        # What a turn took is of no use where others have left the view since.
        if before.active_summary != now.active_summary:
            return 0
        seen, former = _ids(now.in_view()), enumerate(_ids(before.in_view()))
        parted = next((message_id for i, message_id in former if seen[i : i + 1] != [message_id]), None)
        if parted is None:
            return self.series.context_tokens
        entry = self.ledger.entry(parted) if self.ledger is not None else None
        return entry.start_tokens if entry is not None else 0

    def add_summary(self, summary: Summary) -> None:
        """Lay one more summary over the conversation as it is shown."""
        self.tree.lay(summary.id)
        self._keep_summaries(self._with_all_summaries().with_summary(summary))

    def measure_summary(self, summary_id: str, measured: PromptCost) -> None:
        """Add what the first answer after a summary took."""
        self._keep_summaries(self._with_all_summaries().with_summary_measured(summary_id, measured))

    def undo_summary(self, summary_id: str, undone: bool) -> None:
        """Take a summary back, or use it again."""
        self._keep_summaries(self._with_all_summaries().with_summary_undone(summary_id, undone))

    def _with_all_summaries(self) -> Conversation:
        return replace(self.conversation, summaries=tuple(self.summaries.values()))

    def _keep_summaries(self, whole: Conversation) -> None:
        self.summaries = {summary.id: summary for summary in whole.summaries}
        self._take_summaries()

    def _take_summaries(self) -> None:
        """Use the summaries of the path, and before them those that have no place."""
        placed = {node.summary_id for node in self.tree}
        ids = [*(each for each in self.summaries if each not in placed), *self.tree.summaries()]
        self.conversation = replace(self.conversation, summaries=tuple(self.summaries[each] for each in ids))

    def add_turn(self, turn: Turn) -> None:
        """An answer ended."""
        self._keep_turn(turn)
        self._note_model(turn)
        self.series.add_turn(turn.message_id, turn.stats)

    def redraw_turns(self) -> None:
        """Make the charts' series show the turns of the path; those it begins with and shows already stay."""
        self.namesakes.clear()
        self._last_turn = None
        turns = [turn for message in self.conversation.messages for turn in self.turns_of(message.id)]
        pairs = enumerate(zip(self.series.turns, turns, strict=False))
        most = min(len(self.series.turns), len(turns))
        kept = next((i for i, (known, turn) in pairs if known.message_id != turn.message_id), most)
        self.series.keep_turns(kept)
        for number, turn in enumerate(turns):
            self._note_model(turn)
            if number >= kept:
                self.series.add_turn(turn.message_id, turn.stats)
                self.series.add_memory(turn.memory)

    def turns_of(self, message_id: str) -> list[Turn]:
        """Return the finished turns of an answer, oldest first; one that was continued has several."""
        last = self.turns.get(message_id)
        return [] if last is None else [*self.earlier_turns.get(message_id, ()), last]

    def _keep_turn(self, turn: Turn) -> None:
        former = self.turns.get(turn.message_id)
        if former is not None and former.part < turn.part:
            self.earlier_turns.setdefault(turn.message_id, []).append(former)
        self.turns[turn.message_id] = turn

    def former_model(self, path: Path) -> str | None:
        """Return the name of the model that wrote the last answer, None when it was this one or there is no answer."""
        last = self._last_turn
        return last.model_name if last is not None and last.model_path != str(path) else None

    def _note_model(self, turn: Turn) -> None:
        last = self._last_turn
        if last is not None and last.model_path != turn.model_path and last.model_name == turn.model_name:
            self.namesakes.add(turn.message_id)
        self._last_turn = turn


def _ids(messages: Iterable[Message]) -> list[str]:
    return [message.id for message in messages]
