"""The tree that edits, other answers and branches make of a conversation: what follows what, and the path shown."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from app.chat.message import Role


@dataclass(frozen=True, slots=True)
class Node:
    """A message's place in the tree.

    Attributes:
        parent_id: the message before it; empty: it begins the conversation.
        left_us: when it was last taken off the path, in microseconds since 1970; None: it is on the path.
        is_deleted: the user took it out; its place stays, so that it can come back and what follows keeps its own.
    """

    id: str
    parent_id: str
    role: Role
    left_us: int | None = None
    is_deleted: bool = False


class MessageTree:
    """The places of all messages of a conversation, and which of them make the path. Nothing is ever taken out.

    Attributes:
        leaf_id: the last message of the path, deleted or not; empty: the path has none.
    """

    def __init__(self, nodes: Iterable[Node] = ()) -> None:
        """Take nodes in the order in which the messages were made: each after its parent."""
        self._nodes: dict[str, Node] = {}
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
        self._children.setdefault(node.parent_id, []).append(node.id)
        if node.left_us is None:
            self.leaf_id = node.id

    def append(self, message_id: str, role: Role) -> None:
        """Put a new message at the end of the path."""
        self._insert(Node(message_id, self.leaf_id, role))

    def line(self, message_id: str) -> list[str]:
        """Return the ids from the beginning to a message, deleted ones too; none for an empty id."""
        found: list[str] = []
        while message_id:
            found.append(message_id)
            message_id = self._nodes[message_id].parent_id
        return found[::-1]

    def path(self) -> list[str]:
        """Return the ids of what is shown, oldest first."""
        return [message_id for message_id in self.line(self.leaf_id) if not self._nodes[message_id].is_deleted]

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
        """Return the messages of the same role in the same place, oldest first, this one among them."""
        node = self._nodes[message_id]
        return [
            each
            for each in self._children[node.parent_id]
            if each == message_id or (self._nodes[each].role == node.role and not self._nodes[each].is_deleted)
        ]

    def newest_leaf(self, message_id: str) -> str:
        """Return the end of the line through a message that was shown last."""
        while children := self._children.get(message_id):
            message_id = max(children, key=self._shown_last)
        return message_id

    def _shown_last(self, message_id: str) -> float:
        left_us = self._nodes[message_id].left_us
        return float("inf") if left_us is None else left_us

    def ends(self) -> list[str]:
        """Return the end of every branch and of the path, as far as it is not deleted; in the order they were made."""
        found = {each for each in self._nodes if each not in self._children} | {self.leaf_id}
        shown = {self._last_shown(each) for each in found}
        return [each for each in self._nodes if each in shown]

    def _last_shown(self, message_id: str) -> str:
        while message_id and self._nodes[message_id].is_deleted:
            message_id = self._nodes[message_id].parent_id
        return message_id
