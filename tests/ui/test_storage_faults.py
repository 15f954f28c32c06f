"""What the window says and keeps when settings or conversations cannot be written."""

from contextlib import closing

import pytest
from PySide6.QtWidgets import QMessageBox

from app.engine.events import LoadFailed
from app.errors import StorageError
from app.paths import paths
from app.storage.store import Store
from tests.fakes import ScriptedEngine


@pytest.fixture
def full_disk(monkeypatch):
    """A disk that takes no message, and has room again when `undo` is called."""
    with monkeypatch.context() as patch:
        patch.setattr(Store, "add_message", lambda *_: (_ for _ in ()).throw(StorageError("The disk is full.")))
        yield patch


def test_storage_faults_are_said_and_can_be_tried_again(desk, full_disk):
    desk.ask("Hello")
    desk.qtbot.waitUntil(lambda: desk.window.notice_bar.isVisible())
    assert "The disk is full." in desk.window.notice_bar.sentence
    assert desk.texts() == ["Hello", "Hello world"]
    desk.click("notice_bar_button")
    assert desk.window.notice_bar.sentence == ""
    desk.qtbot.waitUntil(lambda: "The disk is full." in desk.window.notice_bar.sentence)
    full_disk.undo()
    desk.click("notice_bar_button")
    conversation = desk.stored(lambda store: store.conversation(desk.parts.chat.session.id))
    assert [message.content for message in conversation.messages] == ["Hello", "Hello world"]


def test_messages_are_stored_where_settings_cannot_be(open_desk):
    paths().config.parent.mkdir(parents=True)
    paths().config.touch()  # a file in the place of the folder
    desk = open_desk()
    desk.window.menu_actions["zoom_in"].trigger()
    desk.qtbot.waitUntil(lambda: "The settings cannot be written" in desk.window.notice_bar.sentence)
    desk.ask("Hello")
    desk.window.close()
    with closing(Store(paths().database_file)) as store:
        (row,) = store.conversations()
        assert [message.content for message in store.conversation(row.id).messages] == ["Hello", "Hello world"]


def test_where_nothing_can_be_kept_all_of_it_is_said(desk_without_home):
    desk = desk_without_home
    assert "Conversations are not kept when the window is closed." in desk.window.notice_bar.sentence
    desk.ask("Hello")
    assert desk.titles() == ["Hello"]


def test_damaged_settings_are_said_before_what_can_wait(open_desk, monkeypatch, tmp_path):
    starter = tmp_path / "starter.gguf"
    starter.touch()
    monkeypatch.setattr("ui.parts.starter_model", lambda: starter)
    paths().config.mkdir(parents=True)
    paths().settings_file.write_text("no [ toml", encoding="utf-8")
    bar = open_desk(model=None).window.notice_bar
    assert "settings.damaged-" in bar.sentence
    bar.dismiss()
    assert "This is the starter model" in bar.sentence
    bar.dismiss()
    assert bar.sentence == ""


def test_a_model_that_cannot_be_loaded_covers_no_storage_fault_for_good(open_desk):
    paths().settings_file.parent.mkdir(parents=True)
    paths().settings_file.write_text("no [ toml", encoding="utf-8")
    engine = ScriptedEngine()
    engine.loads.append(LoadFailed("fake.gguf is not a GGUF file.", "bad_input"))
    desk = open_desk(engine, load=False)
    bar = desk.window.notice_bar
    desk.qtbot.waitUntil(lambda: bar.sentence == "fake.gguf is not a GGUF file.")
    bar.dismiss()
    assert "settings.damaged-" in bar.sentence


def test_closing_asks_before_what_could_not_be_stored_is_lost(desk, full_disk, monkeypatch):
    asked = []

    def exec_(box):
        asked.append(box.text())
        return QMessageBox.StandardButton.Cancel

    monkeypatch.setattr(QMessageBox, "exec", exec_)
    desk.ask("Hello")
    desk.qtbot.waitUntil(lambda: desk.window.notice_bar.isVisible())
    desk.window.close()
    assert asked == ["The disk is full."]
    assert desk.window.isVisible()
    assert not desk.parts.has_ended
    full_disk.undo()
    desk.window.close()
    assert len(asked) == 1
    assert desk.parts.has_ended
    with closing(Store(paths().database_file)) as store:
        (row,) = store.conversations()
        assert [message.content for message in store.conversation(row.id).messages] == ["Hello", "Hello world"]


def test_what_could_not_be_stored_may_be_given_up(desk, full_disk, monkeypatch):
    monkeypatch.setattr(QMessageBox, "exec", lambda _: QMessageBox.StandardButton.Discard)
    desk.ask("Hello")
    desk.qtbot.waitUntil(lambda: desk.window.notice_bar.isVisible())
    desk.window.close()
    assert desk.parts.has_ended
