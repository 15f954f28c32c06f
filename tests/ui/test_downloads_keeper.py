"""The downloads as the window knows them."""

from __future__ import annotations

from app.paths import paths
from tests.downloads import REPO, remote
from ui.downloads_keeper import DownloadsKeeper


def test_what_was_begun_before_leftovers_are_looked_for_stays(hub, qtbot, qapp):
    keeper = DownloadsKeeper(paths(), qapp)
    restored, answered = [], []
    keeper.restored.connect(restored.append)
    file = remote(hub)
    hub.files[REPO].clear()  # it fails, and leaves nothing behind
    keeper.add((file,))
    qtbot.waitUntil(lambda: [batch.state for batch in keeper.batches] == ["failed"], timeout=10_000)
    keeper.begin()
    keeper._thread.run_job(lambda _: None, answered.append)
    qtbot.waitUntil(lambda: answered == [None])
    assert [batch.state for batch in keeper.batches] == ["failed"]
    assert restored == []
    assert keeper.shutdown()
