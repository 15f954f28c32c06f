"""Hands that change a conversation's tree, and what must be true after each change."""

from __future__ import annotations

from tests.fakes import Answer, ScriptedEngine

WORDS = ("One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight")


def counting_engine():
    """An engine whose answers are One, Two, Three..."""
    return ScriptedEngine(*(Answer(pieces=(word,)) for word in WORDS))


def session_of(desk):
    return desk.parts.chat.session


def ids(desk):
    return [message.id for message in session_of(desk).conversation.messages]


def act(desk, item_id, action):
    desk.window.transcript.action_triggered.emit(item_id, action)
    desk.wait_until_idle()


def edit(desk, item_id, text):
    desk.window.transcript.item_edited.emit(item_id, text)
    desk.wait_until_idle()


def check(desk):
    """What is shown is what is stored; what was asked last is what the model's view was."""
    session = session_of(desk)
    conversation = session.conversation
    stored, tree, others = desk.stored(
        lambda store: (store.conversation(session.id), store.tree(session.id), store.superseded(session.id))
    )
    assert (stored.messages, stored.summaries) == (conversation.messages, conversation.summaries)
    assert stored.dropped_until == conversation.dropped_until
    assert [(node.id, node.parent_id, node.is_deleted) for node in tree] == [
        (node.id, node.parent_id, node.is_deleted) for node in session.tree
    ]
    assert tree.path() == session.tree.path()
    assert tree == session.tree
    assert {message.id for message, _ in others} | set(ids(desk)) == set(session.messages)
    shown = [(item.id, item.text) for item in desk.items() if item.id in session.messages]
    assert shown == [(message.id, message.content) for message in conversation.messages]
    assert [turn.message_id for turn in session.series.turns] == [
        message.id for message in conversation.messages for _ in session.turns_of(message.id)
    ]


def asked(desk):
    return [message.content for message in desk.engine.requests[-1].messages]


def versions(desk):
    return [(item.version, item.versions) for item in desk.items()]
