"""Several connections for one file: used when they help, given up when they do not, resumed like one."""

from __future__ import annotations

import hashlib
import tracemalloc

import pytest

from app.hub.download import DownloadQueue
from app.hub.partial import Partial, RemoteFile
from app.hub.width import Width
from tests.downloads import NAME, REPO, fetch, left_over, remote
from tests.hub_server import Fault, StoredFile

MIB = 1024**2
BLOCK = MIB // 4
DATA = b"GGUF" + b"".join(hashlib.sha256(bytes([n % 256, n // 256])).digest() * 512 for n in range(1024))  # 16 MiB
SLACK = 40 * 64 * 1024
"""What the server has sent on connections that were closed before their end."""


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    monkeypatch.setattr("app.hub.parts.BLOCK_BYTES", BLOCK)
    monkeypatch.setattr("app.hub.transfer._WORTH_PARTS_BYTES", 4 * BLOCK)
    monkeypatch.setattr("app.hub.width.SETTLE_S", 0.1)
    monkeypatch.setattr("app.hub.width.MEASURE_S", 0.3)


def slow(hub) -> RemoteFile:
    """A file that one connection would fetch in four seconds."""
    hub.bytes_per_s = 4 * MIB
    return remote(hub, DATA)


def block_files(folder) -> list[str]:
    return [name for name in left_over(folder) if ".part." in name and not name.endswith(".json")]


def until_blocks(hub, queue) -> None:
    """Wait until several connections are under way."""
    while hub.most_sending < 4:
        assert not queue.wait(0.01)


def test_more_connections_are_used_where_each_is_slow(hub, queue, tmp_path):
    done = fetch(queue, slow(hub))
    assert (done.state, done.sentence) == ("done", "")
    assert done.target.read_bytes() == DATA
    assert hub.most_sending >= 4
    assert left_over(tmp_path / "models") == [NAME]
    assert len(DATA) <= hub.body_bytes_sent <= len(DATA) + SLACK


def test_where_the_line_is_the_limit_one_connection_goes_on(hub, queue, tmp_path):
    hub.shares_line = True
    done = fetch(queue, slow(hub))
    assert done.target.read_bytes() == DATA
    blocks = [path for path, headers in hub.cdn_requests if not headers.get("Range", "-").endswith("-")]
    assert 0 < len(blocks) < len(DATA) // BLOCK // 2
    assert hub.cdn_requests[-1][1]["Range"].endswith("-")  # the rest in one request
    assert left_over(tmp_path / "models") == [NAME]


def test_a_server_that_sends_files_only_whole_is_given_one_connection(hub, queue, tmp_path):
    hub.sends_parts = False
    file = slow(hub)
    done = fetch(queue, file)
    assert done.target.read_bytes() == DATA
    assert left_over(tmp_path / "models") == [NAME]


def test_pause_and_the_next_process_fetch_only_what_is_missing(hub, queue, tmp_path):
    number = queue.add(slow(hub))
    until_blocks(hub, queue)
    queue.pause(number)
    assert queue.wait(30)
    folder = tmp_path / "models"
    assert block_files(folder)
    (paused,) = queue.downloads()
    assert paused.state == "paused"
    assert paused.done_bytes == sum(path.stat().st_size for path in folder.rglob("*.part*") if path.suffix != ".json")
    sent = hub.body_bytes_sent
    again = DownloadQueue(folder)
    again.restore()
    (restored,) = again.downloads()
    assert restored.done_bytes == paused.done_bytes
    hub.bytes_per_s = None
    again.resume(restored.number)
    assert again.wait(60)
    assert restored.target.read_bytes() == DATA
    assert left_over(folder) == [NAME]
    assert hub.body_bytes_sent - sent <= len(DATA) - paused.done_bytes + SLACK


def test_a_block_that_was_half_put_together_is_taken_up(hub, queue, tmp_path):
    file = remote(hub, DATA)
    part = Partial(tmp_path / "models" / REPO / NAME)
    part.open()
    part.remember(file)
    part.file.write(DATA[: BLOCK + 1000])
    part.close()
    for start in (0, BLOCK, 3 * BLOCK):  # the first is stale, one before the last is missing
        block = part.block(start, start + BLOCK)
        block.path.write_bytes(DATA[block.start : block.end])
    assert fetch(queue, file).target.read_bytes() == DATA
    assert left_over(tmp_path / "models") == [NAME]
    assert hub.body_bytes_sent <= len(DATA) - 3 * BLOCK + 1000 + SLACK


def test_cancel_leaves_nothing(hub, queue, tmp_path):
    number = queue.add(slow(hub))
    until_blocks(hub, queue)
    queue.cancel(number)
    assert queue.wait(30)
    assert list((tmp_path / "models").iterdir()) == []


def test_a_dropped_part_is_fetched_again(hub, queue, waits):
    queue.add(slow(hub))
    until_blocks(hub, queue)
    hub.faults += [Fault(cut_at=1000), Fault(status=503)]
    assert queue.wait(60)
    (done,) = queue.downloads()
    assert (done.state, done.target.read_bytes() == DATA) == ("done", True)
    assert waits


def test_a_flipped_byte_in_a_part_never_becomes_a_model(hub, queue, tmp_path):
    queue.add(slow(hub))
    until_blocks(hub, queue)
    hub.faults.append(Fault(flip_at=100))
    assert queue.wait(60)
    (failed,) = queue.downloads()
    assert failed.state == "failed"
    assert "SHA-256" in failed.sentence
    assert left_over(tmp_path / "models") == []


def test_a_file_that_changes_meanwhile_begins_anew(hub, queue):
    queue.add(slow(hub))
    until_blocks(hub, queue)
    hub.bytes_per_s = None
    newer = b"GGUF" + DATA[:3:-1]
    hub.add(REPO, NAME, newer)
    assert queue.wait(60)
    (done,) = queue.downloads()
    assert (done.state, done.target.read_bytes() == newer) == ("done", True)


def test_memory_stays_flat(hub, queue):
    size, block = 64 * MIB, bytes(65536)
    hasher = hashlib.sha256(b"GGUF")
    hasher.update(bytes(size - 4))

    def read(start: int, end: int) -> bytes:
        return (b"GGUF" + block[4:])[: end - start] if start == 0 else block[: end - start]

    stored = StoredFile(size, hasher.hexdigest(), read)
    hub.files[REPO] = {NAME: stored}
    hub.bytes_per_s = 16 * MIB
    tracemalloc.start()
    try:
        done = fetch(queue, RemoteFile(REPO, NAME))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert done.state == "done"
    assert hub.most_sending > 1
    assert peak < 16 * MIB


def test_connections_are_doubled_as_long_as_that_helps():
    width = Width(10.0)
    width.learn(19.0)
    assert width.count == 4
    width.learn(20.0)
    assert (width.count, width.is_settled) == (2, True)
    width.learn(1.0)
    assert width.count == 2
    width = Width(10.0)
    width.learn(11.0)
    assert (width.count, width.is_settled) == (1, True)
