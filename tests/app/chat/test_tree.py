"""The tree of a conversation: versions, branches, deletions."""

from __future__ import annotations

import pytest

from app.chat.tree import MessageTree, Node


@pytest.fixture
def tree() -> MessageTree:
    """Two questions with answers; the first was answered twice, the second asked anew."""
    tree = MessageTree()
    tree.append("q1", "user")
    tree.append("a1", "assistant")
    tree.append("q2", "user")
    tree.append("a2", "assistant")
    tree.show("a1", 1)
    tree.append("q2b", "user")
    tree.append("a2b", "assistant")
    tree.show("q1", 2)
    tree.append("a1b", "assistant")
    return tree


def test_the_path_is_the_line_to_the_leaf(tree: MessageTree) -> None:
    assert tree.path() == ["q1", "a1b"]
    tree.show("a2", 3)
    assert tree.path() == ["q1", "a1", "q2", "a2"]
    tree.show("", 4)
    assert tree.path() == []


def test_versions_stand_in_the_same_place(tree: MessageTree) -> None:
    assert tree.versions("a1b") == ["a1", "a1b"]
    assert tree.versions("q2b") == ["q2", "q2b"]
    assert tree.versions("q1") == ["q1"]


def test_a_version_is_shown_with_what_followed_it_last(tree: MessageTree) -> None:
    assert tree.newest_leaf("a1") == "a2b"
    tree.show("a2", 3)
    tree.show("a1b", 4)
    assert tree.newest_leaf("a1") == "a2"


def test_a_question_after_a_question_is_no_version_of_an_answer(tree: MessageTree) -> None:
    tree.show("q1", 3)
    tree.append("q1b", "user")
    assert tree.versions("q1b") == ["q1b"]
    assert tree.versions("a1") == ["a1", "a1b"]


def test_a_deleted_message_leaves_its_place(tree: MessageTree) -> None:
    tree.show("a2", 3)
    tree.set_deleted(["q2"], True)
    assert tree.path() == ["q1", "a1", "a2"]
    assert tree.versions("q2b") == ["q2b"]
    tree.set_deleted(["q2"], False)
    assert tree.path() == ["q1", "a1", "q2", "a2"]


def test_what_follows_a_deleted_end_finds_its_place_when_that_comes_back(tree: MessageTree) -> None:
    tree.set_deleted(["a1b"], True)
    tree.append("q3", "user")
    assert tree.path() == ["q1", "q3"]
    tree.set_deleted(["a1b"], False)
    assert tree.path() == ["q1", "a1b", "q3"]


def test_every_branch_has_an_end(tree: MessageTree) -> None:
    assert tree.ends() == ["a2", "a2b", "a1b"]
    tree.show("a1", 3)
    assert tree.ends() == ["a1", "a2", "a2b", "a1b"]
    tree.set_deleted(["a2", "q2"], True)
    assert tree.ends() == ["a1", "a2b", "a1b"]
    assert MessageTree().ends() == []


def test_a_tree_is_made_again_from_its_nodes(tree: MessageTree) -> None:
    again = MessageTree(tree)
    assert again == tree
    assert again.leaf_id == tree.leaf_id == "a1b"
    assert Node("q1", "", "user") in list(again)


def test_a_summary_has_a_place_and_what_stood_there_is_a_branch(tree: MessageTree) -> None:
    tree.show("a2", 3)
    tree.lay("s")
    tree.append("q3", "user")
    assert tree.path() == ["q1", "a1", "q2", "a2", "q3"]
    assert tree.summaries() == ["s"]
    assert tree.ends() == ["a2", "a2b", "a1b", "q3"]
    assert tree.original_leaf("s", laid_us=3) == "a2"
    tree.show("a2", 4)
    assert tree.summaries() == []
    assert tree.summarised_after("a2") == ["s"]
    tree.append("q3b", "user")
    assert tree.versions("q3b") == ["q3", "q3b"]
    assert tree.ends() == ["a2b", "a1b", "q3", "q3b"]
    tree.show("q3", 5)
    assert tree.original_leaf("s", laid_us=3) == "q3b"
    assert tree.summarised_after("a2") == []


def test_what_was_left_before_a_summary_is_not_its_original(tree: MessageTree) -> None:
    tree.show("a1", 5)  # a2b was left at 2, a2 at 1
    tree.lay("s")
    assert tree.original_leaf("s", laid_us=6) == "a1"


def test_a_summary_that_is_carried_over_counts_there_too(tree: MessageTree) -> None:
    tree.show("a2", 3)
    tree.lay("s")
    tree.show("q2", 4)
    tree.lay("s", "s2")
    tree.append("a2c", "assistant")
    assert tree.summaries() == ["s"]
    assert tree.summaries(after="q2") == ["s"]
    assert tree.summaries(after="s2") == []
    assert tree.versions("a2c") == ["a2", "a2c"]
    assert tree.newest_leaf("a2") == "s"
    assert not tree.is_followed("a2c")
    assert tree.is_followed("q2")
    assert MessageTree(tree) == tree


def test_every_branch_has_a_view_of_its_own(tree: MessageTree) -> None:
    tree.drop("q1")
    assert tree.dropped_until == "q1"
    tree.append("q4", "user")
    tree.lay("s")
    assert tree.dropped_until == "q1"
    tree.show("a2b", 3)
    assert tree.dropped_until == ""
    tree.drop("a1")
    tree.show("a2", 4)
    assert tree.dropped_until == ""
    tree.drop("a1", "q1")  # the path goes through it
    tree.drop("", "a1b")
    assert tree.dropped_until == "a1"
    tree.show("s", 5)
    assert tree.dropped_until == ""
    tree.show("a2b", 6)
    assert tree.dropped_until == "a1"
    assert MessageTree(tree) == tree


def test_a_path_that_ends_where_others_go_on_has_a_view_of_its_own(tree: MessageTree) -> None:
    tree.show("a1", 3)
    tree.drop("q1", "a1")
    assert tree.dropped_until == "q1"
    tree.show("a2", 4)
    assert tree.dropped_until == ""


def test_where_the_end_of_what_was_dropped_is_deleted_the_view_begins_after_what_stands_before(
    tree: MessageTree,
) -> None:
    tree.show("a2", 3)
    tree.drop("q2")
    tree.set_deleted(["q2"], True)
    assert tree.dropped_until == "a1"
    tree.set_deleted(["q1", "a1"], True)
    assert tree.dropped_until == ""
    tree.set_deleted(["q2"], False)
    assert tree.dropped_until == "q2"
