"""Downloads against a hub that misbehaves: what arrives is whole and the hub's, or there is no file."""

from __future__ import annotations

import hashlib
import json
import logging
import subprocess
import sys
import threading
import tracemalloc
from pathlib import Path

import pytest

from app.hub.download import DownloadQueue
from app.hub.names import local_path
from app.hub.partial import RemoteFile
from tests.hub_server import Fault, HubServer, StoredFile

REPO = "maker/model-GGUF"
NAME = "model-Q4_K_M.gguf"
ROOT = Path(__file__).resolve().parents[3]
DATA = b"GGUF" + bytes(range(256)) * 8192  # 2 MiB
HALF = len(DATA) // 2


def remote(hub: HubServer, data: bytes = DATA, name: str = NAME, **changes) -> RemoteFile:
    stored = hub.add(REPO, name, data)
    return RemoteFile(REPO, name, **{"size": stored.size, "sha256": stored.sha256, **changes})


def fetch(queue: DownloadQueue, file: RemoteFile):
    number = queue.add(file)
    assert queue.wait(60)
    return next(download for download in queue.downloads() if download.number == number)


def until_half(queue: DownloadQueue):
    while (download := queue.downloads()[0]).done_bytes < HALF:
        assert not queue.wait(0.01)
    return download


def left_over(queue_folder: Path) -> list[str]:
    return sorted(path.name for path in queue_folder.rglob("*") if path.is_file())


def test_a_file_arrives_whole_under_its_own_name_alone(hub, queue, tmp_path):
    done = fetch(queue, remote(hub))
    assert (done.state, done.sentence, done.done_bytes) == ("done", "", len(DATA))
    assert done.target == tmp_path / "models" / "maker" / "model-GGUF" / NAME
    assert done.target.read_bytes() == DATA
    assert left_over(tmp_path / "models") == [NAME]
    assert hub.body_bytes_sent == len(DATA)


def test_size_and_checksum_come_from_the_hub_when_nobody_said_them(hub, queue):
    done = fetch(queue, remote(hub, size=None, sha256=""))
    assert done.file.sha256 == hashlib.sha256(DATA).hexdigest()
    assert (done.state, done.total_bytes) == ("done", len(DATA))


def test_what_is_here_already_is_checked_and_not_fetched(hub, queue):
    fetch(queue, remote(hub))
    sent = hub.body_bytes_sent
    assert fetch(queue, remote(hub)).state == "done"
    assert hub.body_bytes_sent == sent


def test_a_file_of_the_same_length_with_other_bytes_is_fetched(hub, queue):
    file = remote(hub)
    target = local_path(queue._folder, REPO, NAME)
    target.parent.mkdir(parents=True)
    target.write_bytes(b"GGUF" + bytes(len(DATA) - 4))
    assert fetch(queue, file).target.read_bytes() == DATA


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


def test_a_dropped_connection_goes_on_by_itself(hub, queue, waits):
    hub.faults += [Fault(cut_at=HALF), Fault(cut_at=1000)]
    done = fetch(queue, remote(hub))
    assert (done.state, done.target.read_bytes() == DATA) == ("done", True)
    assert hub.body_bytes_sent == len(DATA)
    assert waits == [1.0, 1.0]  # every byte of progress starts the count anew


def test_it_gives_up_after_some_attempts_without_progress_and_can_be_resumed(hub, queue, waits):
    hub.faults += [Fault(cut_at=HALF), *[Fault(cut_at=0)] * 5]
    failed = fetch(queue, remote(hub))
    assert (failed.state, failed.done_bytes) == ("failed", HALF)
    assert "ended within" in failed.sentence
    assert waits == [1, 2, 4, 8, 16]
    queue.resume(failed.number)
    assert queue.wait(60)
    assert queue.downloads()[0].state == "done"
    assert hub.body_bytes_sent == len(DATA)


def test_a_flipped_byte_never_becomes_a_model(hub, queue, tmp_path):
    hub.faults.append(Fault(flip_at=HALF))
    failed = fetch(queue, remote(hub))
    assert failed.state == "failed"
    assert "SHA-256" in failed.sentence
    assert left_over(tmp_path / "models") == []
    queue.resume(failed.number)
    assert queue.wait(60)
    assert failed.target.read_bytes() == DATA


@pytest.mark.parametrize("claims", [len(DATA) + 100, len(DATA) - 100])
def test_a_file_of_the_wrong_length_never_becomes_a_model(hub, queue, tmp_path, claims):
    hub.faults += [Fault(claims=claims)] * 8
    failed = fetch(queue, remote(hub, size=None, sha256=""))
    assert failed.state == "failed"
    assert not failed.target.exists()


def test_bytes_of_an_older_file_are_thrown_away_when_it_changed(hub, queue):
    hub.faults.append(Fault(hold_at=HALF))
    number = queue.add(remote(hub, size=None, sha256=""))
    until_half(queue)
    queue.pause(number)
    hub.released.set()
    assert queue.wait(30)
    newer = b"GGUF" + bytes(reversed(range(256))) * 8192
    hub.add(REPO, NAME, newer)
    queue.resume(number)
    assert queue.wait(60)
    (done,) = queue.downloads()
    assert done.state == "done"
    assert done.target.read_bytes() == newer


def test_503_twice_waits_as_long_as_the_server_says(hub, queue, waits):
    hub.faults += [Fault(status=503, headers={"Retry_After": "7"}), Fault(status=429, headers={"Retry_After": "3"})]
    assert fetch(queue, remote(hub)).state == "done"
    assert waits == [7.0, 3.0]


def test_a_wait_of_hours_is_said_instead(hub, queue, waits):
    hub.faults.append(Fault(status=429, headers={"Retry_After": "7200"}))
    failed = fetch(queue, remote(hub))
    assert "120 minutes" in failed.sentence
    assert waits == []


def test_a_login_page_is_not_a_model_and_costs_nothing_that_is_there(hub, queue, tmp_path):
    hub.faults += [Fault(cut_at=HALF), Fault(page=True)]
    failed = fetch(queue, remote(hub))
    assert failed.state == "failed"
    assert "web page" in failed.sentence
    assert failed.done_bytes == HALF
    queue.resume(failed.number)
    assert queue.wait(60)
    assert hub.body_bytes_sent == len(DATA)


def test_a_file_that_is_no_gguf_is_refused_at_its_first_bytes(hub, queue):
    failed = fetch(queue, remote(hub, b"ggml" + bytes(5_000_000)))
    assert failed.state == "failed"
    assert "not a GGUF" in failed.sentence


@pytest.mark.parametrize("token", ["", "hf_of_another"])
def test_a_gated_model_says_where_to_accept_and_how_to_give_a_token(hub, queue, monkeypatch, token, tmp_path):
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    monkeypatch.setenv("HF_TOKEN", token)
    hub.gated.add(REPO)
    failed = fetch(queue, remote(hub))
    assert f"{hub.endpoint}/{REPO}" in failed.sentence
    assert "HF_TOKEN" in failed.sentence
    monkeypatch.setenv("HF_TOKEN", "hf_good")
    queue.resume(failed.number)
    assert queue.wait(60)
    assert queue.downloads()[0].state == "done"


def test_a_file_that_is_not_there(hub, queue):
    remote(hub)
    failed = fetch(queue, RemoteFile(REPO, "other.gguf"))
    assert "other.gguf is not on" in failed.sentence


def test_offline_by_choice_and_by_the_network(hub, queue, monkeypatch, waits):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    assert "HF_HUB_OFFLINE" in fetch(queue, remote(hub)).sentence
    monkeypatch.delenv("HF_HUB_OFFLINE")
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    failed = fetch(queue, remote(hub, name="second.gguf"))
    assert "cannot be reached" in failed.sentence
    assert len(waits) == 5
    monkeypatch.setenv("HF_ENDPOINT", "nowhere")
    assert "HF_ENDPOINT is nowhere" in fetch(queue, remote(hub, name="third.gguf")).sentence


def test_the_token_goes_to_the_hub_and_nowhere_else(hub, queue, tmp_path, caplog):
    caplog.set_level(logging.DEBUG)
    hub.faults.append(Fault(cut_at=HALF))
    assert fetch(queue, remote(hub)).state == "done"
    assert {headers.get("Authorization") for _, headers in hub.hub_requests} == {"Bearer hf_secret"}
    assert len(hub.cdn_requests) == 2
    assert "hf_secret" not in json.dumps([hub.cdn_requests, caplog.text])


def test_a_disk_without_room_is_found_before_and_during(hub, tmp_path):
    free = [len(DATA)]
    queue = DownloadQueue(tmp_path / "models", free=lambda _: free[0])
    failed = fetch(queue, remote(hub, size=None, sha256=""))
    assert failed.state == "failed"
    assert "make room" in failed.sentence
    assert failed.done_bytes == 0
    assert not failed.target.exists()


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


def test_memory_stays_flat(hub, queue):
    size, block = 300 * 1024**2, b"GGUF" + bytes(65532)
    hasher = hashlib.sha256()
    for _ in range(size // len(block)):
        hasher.update(block)
    hub.files[REPO] = {NAME: StoredFile(size, hasher.hexdigest(), lambda a, b: block[: b - a])}
    tracemalloc.start()
    try:
        done = fetch(queue, RemoteFile(REPO, NAME))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert done.state == "done"
    assert done.target.stat().st_size == size
    assert peak < 12 * 1024**2


def test_a_damaged_note_begins_anew(hub, queue):
    file = remote(hub, size=None, sha256="")
    target = local_path(queue._folder, REPO, NAME)
    target.parent.mkdir(parents=True)
    target.with_name(f"{NAME}.part").write_bytes(b"GGUF and what was there")
    target.with_name(f"{NAME}.part.json").write_text('{"repo": 3}')
    assert fetch(queue, file).target.read_bytes() == DATA


@pytest.mark.parametrize(
    "name",
    ["../../../etc/passwd", "/etc/passwd", "..\\..\\evil.gguf", "a/../../b.gguf", "con.gguf", "x\x1b[2J\n.gguf",
     "\u202efugg.exe", "é" * 500 + ".gguf", "/".join(["deep"] * 200) + "/m.gguf", "..", "", "c:\\windows\\m.gguf"],
)  # fmt: skip
def test_no_name_leads_out_of_the_folder(tmp_path, name):
    path = local_path(tmp_path, "../..", name)
    assert tmp_path in path.resolve().parents
    assert ".." not in path.parts
    assert path.name.isprintable()
    assert all(len(part.encode()) <= 200 for part in path.relative_to(tmp_path).parts)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"harmless")


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
