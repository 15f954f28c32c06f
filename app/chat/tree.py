"""The tree that edits, other answers, branches and summaries make of a conversation: what follows what, what is shown.

A summary has a place in it like a message: it counts for what follows it, and what stood there without it is a branch.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from app.chat.message import Role


@dataclass(frozen=True, slots=True)
class Node:
    """A message's place in the tree, or a summary's.

    Attributes:
        id: the message's; a summary's own where it was laid, another where it was carried over to another branch.
        parent_id: what stands before it; empty: it begins the conversation.
        left_us: when it was last taken off the path, in microseconds since 1970; None: it is on the path.
        is_deleted: the user took it out; its place stays, so that it can come back and what follows keeps its own.
        summary_id: of the summary that counts from here on; empty: this is a message.
        dropped_until: id of the last message that is out of the model's view, with all before it, where the path ends
            here; empty: none was dropped.
    """

    id: str
    parent_id: str
    role: Role
    left_us: int | None = None
    is_deleted: bool = False
    summary_id: str = ""
    dropped_until: str = ""

    @property
    def is_first_place(self) -> bool:
        """Whether a summary was laid here."""
        return bool(self.summary_id) and self.id == self.summary_id


class MessageTree:
    """The places of all messages and summaries of a conversation, and which of them make the path. All stay for ever.

    Attributes:
        leaf_id: the last place of the path, deleted or not; empty: the path has none.
    """

    def __init__(self, nodes: Iterable[Node] = ()) -> None:
        """Take nodes in the order in which they were made: each after its parent."""
        self._nodes: dict[str, Node] = {}
        self._numbers: dict[str, int] = {}
        self._children: dict[str, list[str]] = {}
        self.leaf_id = ""
        for node in nodes:
            self._insert(node)

    def __iter__(self) -> Iterator[Node]:
        return iter(self._nodes.values())

    def __contains__(self, message_id: str) -> bool:
        return message_id in self._nodes

    def __getitem__(self, message_id: str) -> Node:
        return self._nodes[message_id]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, MessageTree) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    def _insert(self, node: Node) -> None:
        self._nodes[node.id] = node
        self._numbers[node.id] = len(self._numbers)
        self._children.setdefault(node.parent_id, []).append(node.id)
        if node.left_us is None:
            self.leaf_id = node.id

    def append(self, message_id: str, role: Role) -> None:
        """Put a new message at the end of the path; the model's view begins where it did."""
        self._insert(Node(message_id, self.leaf_id, role, dropped_until=self._edge))

    def lay(self, summary_id: str, place_id: str = "") -> None:
        """Let a summary count from the end of the path on; `place_id`: where it is carried over from another branch."""
        place_id = place_id or summary_id
        self._insert(Node(place_id, self.leaf_id, "system", summary_id=summary_id, dropped_until=self._edge))

    def drop(self, until: str, place_id: str = "") -> None:
        """Take a message and all before it out of the model's view; an empty id brings all back.

        Args:
            place_id: in the branch through this place that is shown or was last; empty: in the path.
        """
        end = self.end_through(place_id) if place_id else self.leaf_id
        if end:
            self._nodes[end] = replace(self._nodes[end], dropped_until=until)

    @property
    def dropped_until(self) -> str:
        """Id of the last message of the path that was dropped from the model's view; empty: none was."""
        line = self.line(self.leaf_id)
        dropped = self.messages(self._edge) if self._edge in line else []
        return dropped[-1] if dropped else ""

    @property
    def _edge(self) -> str:
        """What was dropped last from the path, whether it was deleted since or not."""
        return self._nodes[self.leaf_id].dropped_until if self.leaf_id else ""

    def line(self, message_id: str) -> list[str]:
        """Return the ids from the beginning to a place, deleted ones and summaries too; none for an empty id."""
        found: list[str] = []
        while message_id:
            found.append(message_id)
            message_id = self._nodes[message_id].parent_id
        return found[::-1]

    def path(self) -> list[str]:
        """Return the ids of the messages that are shown, oldest first."""
        return self.messages(self.leaf_id)

    def messages(self, leaf_id: str) -> list[str]:
        """Return the ids of the messages that are shown where this place is the last."""
        nodes = (self._nodes[each] for each in self.line(leaf_id))
        return [node.id for node in nodes if not (node.is_deleted or node.summary_id)]

    def summaries(self, after: str = "") -> list[str]:
        """Return the ids of the summaries on the path, in the order they were laid; those `after` a place alone."""
        line = self.line(self.leaf_id)
        first = line.index(after) + 1 if after in line else 0
        return [summary_id for each in line[first:] if (summary_id := self._nodes[each].summary_id)]

    def is_followed(self, message_id: str) -> bool:
        """Whether a message of the path has others after it, deleted or not."""
        line = self.line(self.leaf_id)
        return any(not self._nodes[each].summary_id for each in line[line.index(message_id) + 1 :])

    def show(self, leaf_id: str, at_us: int) -> None:
        """Make the line to a message the path; an empty id empties it. `at_us`: now."""
        former, path = self.line(self.leaf_id), self.line(leaf_id)
        kept = set(path)
        for message_id in former:
            if message_id not in kept:
                self._nodes[message_id] = replace(self._nodes[message_id], left_us=at_us)
        for message_id in path:
            self._nodes[message_id] = replace(self._nodes[message_id], left_us=None)
        self.leaf_id = leaf_id

    def set_deleted(self, message_ids: Iterable[str], is_deleted: bool) -> None:
        """Take messages out of whatever path they are on, or put them back."""
        for message_id in message_ids:
            self._nodes[message_id] = replace(self._nodes[message_id], is_deleted=is_deleted)

    def versions(self, message_id: str) -> list[str]:
        """Return the messages of the same role after the same one, oldest first, this one among them.

        Whether a summary was laid between the two makes no difference.
        """
        node = self._nodes[message_id]
        before = node.parent_id
        while before and self._nodes[before].summary_id:
            before = self._nodes[before].parent_id
        return [
            each
            for each in sorted(self._following(before), key=self._numbers.__getitem__)
            if each == message_id or (self._nodes[each].role == node.role and not self._nodes[each].is_deleted)
        ]

    def _following(self, place_id: str) -> Iterator[str]:
        """Yield the messages after a place, with or without a summary between."""
        for each in self._children.get(place_id, ()):
            if self._nodes[each].summary_id:
                yield from self._following(each)
            else:
                yield each

    def newest_leaf(self, message_id: str) -> str:
        """Return the end of the line through a message that was shown last."""
        while children := self._children.get(message_id):
            message_id = max(children, key=self._shown_last)
        return message_id

    def end_through(self, place_id: str) -> str:
        """Return the end of the path where it goes through a place, else `newest_leaf`."""
        return self.leaf_id if self._nodes[place_id].left_us is None else self.newest_leaf(place_id)

    def original_leaf(self, summary_id: str, laid_us: int) -> str:
        """Return the end of the branch without a summary: what stood there, or what was said there since.

        Args:
            laid_us: when it was laid, in microseconds since 1970; what was left before that is another branch.
        """
        before = self._nodes[summary_id].parent_id
        others = [
            each
            for each in self._children[before]
            if not self._nodes[each].summary_id and self._shown_last(each) > laid_us
        ]
        return self.newest_leaf(max(others, key=self._shown_last)) if others else before

    def summarised_after(self, message_id: str) -> list[str]:
        """Return the summaries that were laid after a message in branches that are not shown, oldest first."""
        found: list[str] = []
        for node in (self._nodes[each] for each in self._children.get(message_id, ())):
            if node.is_first_place and node.left_us is not None:
                found.append(node.id)
            elif node.summary_id and node.left_us is None:
                found.extend(self.summarised_after(node.id))
        return found

    def _shown_last(self, message_id: str) -> float:
        left_us = self._nodes[message_id].left_us
        return float("inf") if left_us is None else left_us

    def ends(self) -> list[str]:
        """Return the end of every branch and of the path, as far as it is not deleted; in the order they were made.

        What a summary was laid over is a branch of its own.
        """
        found = {self.leaf_id}
        for node in self._nodes.values():
            if node.id not in self._children and (node.is_first_place or not node.summary_id):
                found.add(node.id)
            if node.is_first_place and all(self._nodes[each].summary_id for each in self._children[node.parent_id]):
                found.add(node.parent_id)
        shown = {self._last_kept(each) for each in found}
        return [each for each in self._nodes if each in shown]

    @property
    def last_shown(self) -> str:
        """The end of the path as `ends` has it: its last place that is not deleted."""
        return self._last_kept(self.leaf_id)

    def _last_kept(self, message_id: str) -> str:
        while message_id and self._nodes[message_id].is_deleted:
            message_id = self._nodes[message_id].parent_id
        return message_id
