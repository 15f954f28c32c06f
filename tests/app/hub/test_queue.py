"""The queue: progress, pause, resume, cancel, and what survives a kill."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from app.hub.digests import Digests
from app.hub.download import DownloadQueue
from app.hub.names import local_path
from app.hub.partial import Partial, RemoteFile, _lock
from app.hub.transfer import Transfer
from tests.downloads import DATA, HALF, NAME, REPO, fetch, left_over, remote, until_half
from tests.hub_server import Fault
from tests.model_stores import write

ROOT = Path(__file__).resolve().parents[3]


def test_what_is_here_already_is_checked_and_not_fetched(hub, queue):
    fetch(queue, remote(hub))
    sent = hub.body_bytes_sent
    assert fetch(queue, remote(hub)).state == "done"
    assert hub.body_bytes_sent == sent


def test_a_killed_process_leaves_half_and_only_the_rest_is_fetched(hub, tmp_path):
    file = remote(hub)
    hub.faults.append(Fault(hold_at=HALF))
    folder = tmp_path / "models"
    script = (
        "import sys\nfrom pathlib import Path\n"
        "from app.hub.download import DownloadQueue\nfrom app.hub.partial import RemoteFile\n"
        f"queue = DownloadQueue(Path({str(folder)!r}))\n"
        f"number = queue.add(RemoteFile({REPO!r}, {NAME!r}))\n"
        f"while queue.downloads()[0].done_bytes < {HALF}: queue.wait(0.02)\n"
        "print('half', flush=True)\nqueue.wait()"
    )
    child = subprocess.Popen([sys.executable, "-c", script], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    try:
        assert child.stdout.readline() == "half\n"
    finally:
        child.kill()
        child.wait()
        child.stdout.close()
    assert left_over(folder) == [f"{NAME}.part", f"{NAME}.part.json"]
    hub.released.set()
    before = hub.body_bytes_sent
    assert before == HALF
    queue = DownloadQueue(folder)
    queue.restore()
    (paused,) = queue.downloads()
    assert (paused.state, paused.done_bytes, paused.total_bytes) == ("paused", HALF, len(DATA))
    assert paused.file.sha256 == file.sha256
    hub.faults.clear()
    queue.resume(paused.number)
    assert queue.wait(60)
    assert queue.downloads()[0].state == "done"
    assert paused.target.read_bytes() == DATA
    ranges = [headers.get("Range") for _, headers in hub.cdn_requests]
    assert ranges == [None, f"bytes={HALF}-"]


def test_what_was_checked_is_not_read_again_until_it_changes(hub, tmp_path, monkeypatch):
    queue = DownloadQueue(tmp_path / "models", digests=Digests(tmp_path / "digests.json"))
    file = remote(hub)
    target = fetch(queue, file).target
    read = []
    monkeypatch.setattr(Transfer, "_hash", lambda *_: read.append(1) or hashlib.sha256(DATA))
    assert fetch(queue, file).state == "done"
    assert read == []
    os.utime(target, ns=(1, 1))
    assert fetch(queue, file).state == "done"
    assert read == [1]
    (tmp_path / "digests.json").write_text("[[")
    assert fetch(queue, file).state == "done"
    assert read == [1, 1]


@pytest.mark.parametrize("is_cancelled", [False, True])
def test_what_a_kill_left_of_writing_the_note_goes_with_it(hub, queue, tmp_path, is_cancelled):
    target = local_path(tmp_path / "models", REPO, NAME)
    target.parent.mkdir(parents=True)
    target.with_name(f".{NAME}.part.json.k1ll3d_x").write_text('{"repo"')
    if is_cancelled:
        hub.faults.append(Fault(hold_at=HALF))
        number = queue.add(remote(hub))
        assert hub.reached.wait(30)
        queue.cancel(number)
        hub.released.set()
        assert queue.wait(30)
    else:
        fetch(queue, remote(hub))
    assert left_over(tmp_path / "models") == ([] if is_cancelled else [NAME])


def test_ten_cancels_leave_nothing(hub, queue, tmp_path):
    for number in range(10):
        hub.reached.clear()
        hub.released.clear()
        hub.faults.append(Fault(hold_at=HALF))
        download = queue.add(remote(hub, name=f"sub/{number}.gguf"))
        assert hub.reached.wait(30)
        queue.cancel(download)
        hub.released.set()
        assert queue.wait(30)
    assert {download.state for download in queue.downloads()} == {"cancelled"}
    assert list((tmp_path / "models").iterdir()) == []


def test_one_that_became_whole_while_it_was_cancelled_is_not_there(hub, queue, tmp_path, monkeypatch):
    finish = Transfer._finish

    def cancel_before(transfer, part):
        queue.cancel(1)
        finish(transfer, part)

    monkeypatch.setattr(Transfer, "_finish", cancel_before)
    assert fetch(queue, remote(hub)).state == "cancelled"
    assert list((tmp_path / "models").iterdir()) == []


def test_a_cancelled_successor_leaves_the_older_file(hub, queue, tmp_path):
    file = remote(hub)
    target = local_path(tmp_path / "models", REPO, NAME)
    target.parent.mkdir(parents=True)
    target.write_bytes(b"GGUF, an older one")
    hub.faults.append(Fault(hold_at=HALF))
    number = queue.add(file)
    assert hub.reached.wait(30)
    queue.cancel(number)
    hub.released.set()
    assert queue.wait(30)
    assert left_over(tmp_path / "models") == [NAME]


def test_the_parts_of_a_model_are_cancelled_together(hub, queue, tmp_path):
    first = fetch(queue, remote(hub, name="a-00001-of-00002.gguf"))
    hub.faults.append(Fault(hold_at=HALF))
    second = queue.add(remote(hub, name="a-00002-of-00002.gguf"))
    assert hub.reached.wait(30)
    queue.cancel_together((first.number, second))
    hub.released.set()
    assert queue.wait(30)
    assert list((tmp_path / "models").iterdir()) == []


def test_a_split_model_is_not_begun_where_not_all_of_it_has_room(hub, tmp_path):
    """Hours of the first parts would be for nothing; what is here of the others takes no more room."""
    free = [2 * len(DATA) + 64 * 1024**2]
    queue = DownloadQueue(tmp_path / "models", free=lambda _: free[0])
    files = [remote(hub, name=f"a-0000{number}-of-00003.gguf") for number in (1, 2, 3)]
    other = remote(hub, name="other.gguf")
    queue.add_together([*files, other])
    assert queue.wait(60)
    assert [download.state for download in queue.downloads()] == ["failed", "failed", "failed", "done"]
    assert "a needs 6.00 MiB more and 64.0 MiB must stay free" in queue.downloads()[0].sentence
    assert [download.done_bytes for download in queue.downloads()[:3]] == [0, 0, 0]
    write(queue.downloads()[1].target, DATA)
    for number in (1, 2, 3):
        queue.resume(number)
    assert queue.wait(60)
    assert {download.state for download in queue.downloads()} == {"done"}


def test_what_waits_for_its_turn_is_found_by_the_next_process(hub, queue, tmp_path):
    hub.faults.append(Fault(hold_at=HALF))
    for name in ("a.gguf", "b.gguf"):
        queue.add(remote(hub, name=name))
    assert hub.reached.wait(30)
    queue.close()
    again = DownloadQueue(tmp_path / "models")
    again.restore()
    assert [(each.file.name, each.state) for each in again.downloads()] == [("a.gguf", "paused"), ("b.gguf", "paused")]
    hub.released.set()


def test_what_the_hub_does_not_have_is_not_found_again(hub, queue, tmp_path):
    remote(hub)
    assert fetch(queue, remote(hub, name="gone.gguf")).state == "done"
    del hub.files[REPO]["gone.gguf"]
    queue.downloads()[0].target.unlink()
    assert fetch(queue, RemoteFile(REPO, "gone.gguf")).state == "failed"
    assert left_over(tmp_path / "models") == []


def test_pause_ends_a_connection_that_is_silent_and_resume_fetches_the_rest(hub, queue):
    hub.faults.append(Fault(hold_at=HALF))
    number = queue.add(remote(hub))
    until_half(queue)
    queue.pause(number)
    assert queue.wait(10)  # the server still holds the line
    (paused,) = queue.downloads()
    assert paused.state == "paused"
    queue.resume(number)
    assert queue.wait(60)
    assert paused.target.read_bytes() == DATA
    assert hub.cdn_requests[-1][1]["Range"] == f"bytes={HALF}-"


def test_the_next_starts_when_one_is_paused(hub, queue):
    hub.faults.append(Fault(hold_at=HALF))
    first, second = queue.add(remote(hub)), queue.add(remote(hub, name="second.gguf"))
    until_half(queue)
    assert [download.state for download in queue.downloads()] == ["downloading", "waiting"]
    queue.pause(first)
    assert queue.wait(30)
    assert [download.state for download in queue.downloads()] == ["paused", "done"]
    queue.cancel(first)
    queue.forget(second)
    queue.forget(first)
    assert queue.downloads() == ()


def test_speed_and_time_left(hub, tmp_path):
    instants = iter(range(1_000_000))
    queue = DownloadQueue(tmp_path / "models", clock=lambda: float(next(instants)))  # a second per look at it
    hub.faults.append(Fault(hold_at=HALF))
    number = queue.add(remote(hub))
    download = until_half(queue)
    assert 0 < download.bytes_per_s <= 256 * 1024
    assert download.seconds_left == pytest.approx(HALF / download.bytes_per_s)
    queue.cancel(number)
    queue.close()


def test_another_process_is_not_joined(hub, queue, tmp_path):
    hub.faults.append(Fault(hold_at=HALF))
    file = remote(hub)
    queue.add(file)
    assert hub.reached.wait(30)
    other = DownloadQueue(tmp_path / "models")
    assert "already being downloaded" in fetch(other, file).sentence
    hub.released.set()
    assert queue.wait(30)
    assert queue.downloads()[0].state == "done"


def test_what_another_process_made_whole_in_that_moment_is_not_begun_anew(hub, tmp_path, monkeypatch):
    """The file that waits for the lock may be the whole model once it has it."""
    file = remote(hub)
    other = Partial(local_path(tmp_path / "models", REPO, NAME))
    other.open()
    other.remember(file)
    other.file.write(DATA)

    def complete_then_lock(opened):
        monkeypatch.undo()
        other.complete()
        return _lock(opened)

    monkeypatch.setattr("app.hub.partial._lock", complete_then_lock)
    done = fetch(DownloadQueue(tmp_path / "models"), file)
    assert (done.state, done.target.read_bytes()) == ("done", DATA)
    assert hub.body_bytes_sent == 0
    assert left_over(tmp_path / "models") == [NAME]


def test_a_disk_that_gives_its_files_other_numbers_each_time_takes_downloads(hub, queue, monkeypatch):
    monkeypatch.setattr("app.hub.partial.os.path.samestat", lambda *_: False)
    assert fetch(queue, remote(hub)).target.read_bytes() == DATA


def test_what_another_process_fetches_is_not_deleted(hub, queue, tmp_path):
    hub.faults.append(Fault(hold_at=HALF))
    queue.add(remote(hub))
    until_half(queue)
    other = DownloadQueue(tmp_path / "models")
    other.restore()
    other.cancel(other.downloads()[0].number)
    assert left_over(tmp_path / "models") == [f"{NAME}.part", f"{NAME}.part.json"]
    hub.released.set()
    assert queue.wait(30)
    assert queue.downloads()[0].target.read_bytes() == DATA


def test_the_queue_is_safe_from_many_threads(hub, queue):
    files = [remote(hub, b"GGUF" + bytes([n]) * 1000, name=f"{n}.gguf") for n in range(8)]
    threads = [threading.Thread(target=queue.add, args=(file,)) for file in files for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert queue.wait(60)
    assert {download.state for download in queue.downloads()} == {"done"}
    assert {download.file.name for download in queue.downloads()} == {file.name for file in files}
