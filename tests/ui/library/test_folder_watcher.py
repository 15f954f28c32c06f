"""What the system watches, what is looked at from time to time, and when it is told."""

import pytest

from ui import folder_watcher
from ui.folder_watcher import FolderWatcher

LONG_MS = 20_000


@pytest.fixture
def watcher(qtbot, monkeypatch):
    monkeypatch.setattr(folder_watcher, "QUIET_MS", 1)
    made = FolderWatcher(poll_ms=20)
    yield made
    made.stop()
    made.deleteLater()


def test_a_change_in_a_folder_or_a_file_is_told(qtbot, watcher, tmp_path):
    file = tmp_path / "a.gguf"
    file.write_bytes(b"1")
    watcher.watch([str(tmp_path), str(file)])
    qtbot.waitUntil(lambda: watcher.watched() == {str(tmp_path), str(file)}, timeout=LONG_MS)
    assert not watcher._poll.isActive()
    with qtbot.waitSignal(watcher.changed, timeout=LONG_MS):
        file.write_bytes(b"22")
    with qtbot.waitSignal(watcher.changed, timeout=LONG_MS):
        (tmp_path / "b.gguf").write_bytes(b"")


def test_other_paths_take_the_place_of_the_former(qtbot, watcher, tmp_path):
    for name in "ab":
        (tmp_path / name).mkdir()
    watcher.watch([str(tmp_path / "a")])
    qtbot.waitUntil(lambda: watcher.watched() == {str(tmp_path / "a")}, timeout=LONG_MS)
    watcher.watch([str(tmp_path / "b")])
    qtbot.waitUntil(lambda: watcher.watched() == {str(tmp_path / "b")}, timeout=LONG_MS)
    watcher.stop()
    assert watcher.watched() == set()


def test_what_cannot_be_watched_is_looked_at_again_and_again(qtbot, watcher, tmp_path):
    watcher.watch([str(tmp_path), str(tmp_path / "not there")])
    with qtbot.waitSignals([watcher.changed, watcher.changed], timeout=LONG_MS):
        pass
    assert watcher.unwatched == {str(tmp_path / "not there")}
    watcher.stop()
    assert not watcher._poll.isActive()


def test_too_many_paths_are_not_watched(qtbot, watcher, tmp_path, monkeypatch):
    monkeypatch.setattr(folder_watcher, "MOST_PATHS", 2)
    folders = [tmp_path / name for name in "abc"]
    for folder in folders:
        folder.mkdir()
    watcher.watch(map(str, folders))
    qtbot.waitUntil(lambda: watcher.watched() == set(map(str, folders[:2])), timeout=LONG_MS)
    assert watcher.unwatched == {str(folders[2])}
    assert watcher._poll.isActive()


def test_a_file_that_changes_all_the_time_is_told_meanwhile(qtbot, watcher, monkeypatch):
    watcher._quiet.setInterval(10_000)
    monkeypatch.setattr(folder_watcher, "LATEST_MS", -1)
    told = []
    watcher.changed.connect(lambda: told.append(True))
    watcher._on_changed()
    first_left = watcher._quiet.remainingTime()
    watcher._on_changed()
    assert 0 < watcher._quiet.remainingTime() <= first_left  # not begun anew: it was time to tell
