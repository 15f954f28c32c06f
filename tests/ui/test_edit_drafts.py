"""What is written in a message's place and not saved is kept with its conversation, like the composer's draft."""

from __future__ import annotations

import pytest

from tests.ui.branches import act, check, counting_engine, ids, session_of

TEXT = "Changed, but not yet as it should be"


@pytest.fixture
def edited(open_desk):
    """Two turns, the first question being edited."""
    desk = open_desk(counting_engine())
    desk.ask("A")
    desk.ask("B")
    desk.window.transcript.edit_item(ids(desk)[0])
    desk.find("edit_box").setPlainText(TEXT)
    return desk


def reopen(desk, conversation_id):
    desk.parts.library.open(conversation_id)
    desk.qtbot.waitUntil(lambda: session_of(desk).id == conversation_id)


def test_it_is_there_when_the_conversation_is_opened_again(edited):
    first, message_id = session_of(edited).id, ids(edited)[0]
    edited.click("new_conversation_button")
    assert edited.window.transcript.edited_item == ""
    edited.ask("Elsewhere")
    reopen(edited, first)
    assert edited.window.transcript.edited_item == message_id
    assert edited.find("edit_box").toPlainText() == TEXT
    edited.find("save_edit").click()
    edited.wait_until_idle()
    assert edited.texts() == [TEXT, "Four"]
    assert edited.stored(lambda store: store.edits(first)) == {}
    act(edited, ids(edited)[0], "previous_version")
    assert edited.texts() == ["A", "One", "B", "Two"]
    assert edited.window.transcript.edited_item == ""
    check(edited)


def test_it_is_there_after_a_restart(edited, open_desk):
    first, message_id = session_of(edited).id, ids(edited)[0]
    edited.window.close()
    again = open_desk(counting_engine())
    reopen(again, first)
    assert again.window.transcript.edited_item == message_id
    assert again.find("edit_box").toPlainText() == TEXT
    again.find("cancel_edit").click()
    assert again.window.transcript.edited_item == ""
    again.window.close()
    third = open_desk(counting_engine())
    reopen(third, first)
    assert third.window.transcript.edited_item == ""
    assert third.texts() == ["A", "One", "B", "Two"]


def test_it_is_written_while_one_pauses(edited):
    edited.qtbot.waitUntil(
        lambda: edited.stored(lambda store: store.edits(session_of(edited).id)) == {ids(edited)[0]: TEXT}
    )


def test_every_message_has_its_own_and_it_waits_while_another_version_is_shown(edited):
    second = ids(edited)[2]
    act(edited, ids(edited)[3], "regenerate")
    edited.window.transcript.edit_item(second)
    box = edited.window.focusWidget()
    box.setPlainText("Another")
    edited.parts.branches.branch_from(ids(edited)[1])
    assert edited.window.transcript.edited_item == ids(edited)[0]
    assert session_of(edited).edits == {ids(edited)[0]: TEXT, second: "Another"}
    edited.parts.branches.show(session_of(edited).tree.newest_leaf(second))
    first = session_of(edited).id
    edited.click("new_conversation_button")
    reopen(edited, first)
    edited.window.transcript.edit_item(second)
    assert edited.window.focusWidget().toPlainText() == "Another"
    check(edited)


def test_one_that_is_erased_with_its_message_is_gone(edited):
    session, message_id = session_of(edited), ids(edited)[0]
    edited.parts.library.save_draft()
    act(edited, message_id, "delete_message")
    edited.stored(lambda store: store.purge_deleted() or True)
    assert edited.stored(lambda store: [store.edits(session.id)]) == [{}]
