"""Downloads against a hub that misbehaves: what arrives is whole and the hub's, or there is no file."""

from __future__ import annotations

import hashlib
import json
import logging
import tracemalloc
from dataclasses import asdict
from pathlib import Path

import pytest

from app.errors import Sentence
from app.hub.download import DownloadQueue
from app.hub.names import local_path
from app.hub.partial import Partial, RemoteFile
from tests.downloads import DATA, HALF, NAME, REPO, fetch, left_over, remote, until_half
from tests.hub_server import Fault, StoredFile


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


def test_a_file_of_the_same_length_with_other_bytes_is_fetched(hub, queue):
    file = remote(hub)
    target = local_path(queue._folder, REPO, NAME)
    target.parent.mkdir(parents=True)
    target.write_bytes(b"GGUF" + bytes(len(DATA) - 4))
    assert fetch(queue, file).target.read_bytes() == DATA


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
    assert "ended before" in failed.sentence
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


def test_what_is_checked_again_counts_from_nothing(hub, queue):
    hub.faults.append(Fault(hold_at=HALF))
    number = queue.add(remote(hub))
    until_half(queue)
    queue.pause(number)
    hub.released.set()
    assert queue.wait(30)
    with queue._changed:  # the thread has reported nothing yet
        queue.resume(number)
        (checking,) = queue.downloads()
    assert (checking.state, checking.done_bytes) == ("checking", 0)
    assert queue.wait(60)


def test_a_file_that_became_shorter_than_what_is_here_begins_anew(hub, queue, waits):
    hub.faults.append(Fault(hold_at=HALF))
    number = queue.add(remote(hub, size=None, sha256=""))
    until_half(queue)
    queue.pause(number)
    hub.released.set()
    assert queue.wait(30)
    hub.add(REPO, NAME, DATA[:1000])
    queue.resume(number)
    assert queue.wait(60)
    (done,) = queue.downloads()
    assert (done.state, done.total_bytes) == ("done", 1000)
    assert done.target.read_bytes() == DATA[:1000]


@pytest.mark.parametrize("changes", [False, True])
def test_a_mirror_without_checksums_is_held_to_its_etag(hub, queue, changes):
    hub.is_plain = True
    hub.faults.append(Fault(cut_at=HALF, hold_at=HALF - 1))
    queue.add(remote(hub, size=None, sha256=""))
    assert hub.reached.wait(30)
    wanted = DATA[::-1].replace(DATA[::-1][:4], b"GGUF", 1) if changes else DATA
    hub.add(REPO, NAME, wanted)
    hub.released.set()
    assert queue.wait(60)
    (done,) = queue.downloads()
    assert (done.state, done.target.read_bytes() == wanted) == ("done", True)
    assert hub.cdn_requests[1][1]["If-Range"] == f'"cdn-{hashlib.sha256(DATA).hexdigest()[:8]}"'
    assert hub.body_bytes_sent == len(DATA) + (HALF if changes else 0)


@pytest.mark.parametrize("variable", ["http_proxy", "ALL_PROXY"])
@pytest.mark.parametrize("scheme", ["http://", "HTTP://", ""])
def test_a_proxy_is_used_when_one_is_named(hub, queue, monkeypatch, variable, scheme):
    monkeypatch.setenv("HF_ENDPOINT", "http://hub.invalid")
    monkeypatch.setenv(variable, hub.endpoint.replace("http://", scheme))
    assert fetch(queue, remote(hub)).state == "done"
    assert hub.hub_requests[0][0].startswith("http://hub.invalid/")


def test_503_twice_waits_as_long_as_the_server_says(hub, queue, waits):
    hub.faults += [Fault(status=503, headers={"Retry_After": "7"}), Fault(status=429, headers={"Retry_After": "3"})]
    assert fetch(queue, remote(hub)).state == "done"
    assert waits == [7.0, 3.0]


def test_while_it_tries_again_by_itself_the_user_is_not_told_to(hub, tmp_path):
    said = []
    queue = DownloadQueue(tmp_path, wait=lambda *_: bool(said.append(queue.downloads()[0].sentence)))
    hub.faults += [Fault(status=503)] * 6
    failed = fetch(queue, remote(hub))
    assert said == ["127.0.0.1 is busy (HTTP 503)."] * 5
    assert failed.sentence == "127.0.0.1 is busy (HTTP 503): try again later."


def test_a_wait_of_hours_is_said_instead(hub, queue, waits):
    hub.faults.append(Fault(status=429, headers={"Retry_After": "7200"}))
    failed = fetch(queue, remote(hub))
    assert "120 minutes" in failed.sentence
    assert waits == []


@pytest.mark.parametrize("page_type", ["text/html; charset=utf-8", "application/octet-stream"])
def test_a_login_page_is_not_a_model_and_costs_nothing_that_is_there(hub, queue, page_type):
    hub.faults += [Fault(cut_at=HALF), Fault(page=True, page_type=page_type)]
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


def test_a_network_that_wants_a_login_first_says_so(hub, queue):
    hub.faults.append(Fault(status=511))
    assert "log in to this network in a browser" in fetch(queue, remote(hub)).sentence


@pytest.mark.parametrize(
    "location", ["http://[::1", "http://a..b/file", f"http://{'a' * 300}.example/file", "http://\xfc\x80.example/file"]
)
def test_an_address_that_is_none_is_said_and_nothing_is_lost(hub, queue, location):
    hub.faults += [Fault(cut_at=HALF), Fault(status=302, headers={"Location": location})]
    failed = fetch(queue, remote(hub))
    assert (failed.state, failed.done_bytes) == ("failed", HALF)
    assert "is no address in the network" in failed.sentence
    assert len(failed.sentence) < 300
    queue.resume(failed.number)
    assert queue.wait(60)
    assert hub.body_bytes_sent == len(DATA)


def test_a_token_that_is_none_is_said(hub, queue, monkeypatch):
    monkeypatch.setenv("HF_TOKEN", "hf_\u6f22")
    failed = fetch(queue, remote(hub))
    assert failed.sentence.endswith(f"copy it again from {hub.endpoint}/settings/tokens.")
    assert hub.hub_requests == []


@pytest.mark.parametrize(
    ("token", "said"),
    [
        ("", "{hub}/settings/tokens, and give it in the environment variable HF_TOKEN or with “hf auth login”."),
        ("hf_of_another", "allow the token to read gated repositories at {hub}/settings/tokens."),
    ],
)
def test_a_gated_model_says_where_to_accept_and_how_to_give_a_token(hub, queue, monkeypatch, token, said, tmp_path):
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    monkeypatch.setenv("HF_TOKEN", token)
    hub.gated.add(REPO)
    failed = fetch(queue, remote(hub))
    assert failed.sentence.startswith(f"{REPO} is gated")
    assert f"accept its licence at {hub.endpoint}/{REPO}, " in failed.sentence
    assert failed.sentence.endswith(said.format(hub=hub.endpoint))
    monkeypatch.setenv("HF_TOKEN", "hf_good")
    queue.resume(failed.number)
    assert queue.wait(60)
    assert queue.downloads()[0].state == "done"


def test_a_file_that_is_not_there(hub, queue):
    remote(hub)
    failed = fetch(queue, RemoteFile(REPO, "other.gguf"))
    assert failed.sentence.endswith(
        "other.gguf is not on 127.0.0.1: it may have been renamed or removed, or it is private and needs a token "
        "(HF_TOKEN)."
    )


def test_offline_by_choice_and_by_the_network(hub, queue, monkeypatch, waits):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    assert "HF_HUB_OFFLINE" in fetch(queue, remote(hub)).sentence
    monkeypatch.delenv("HF_HUB_OFFLINE")
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    failed = fetch(queue, remote(hub, name="second.gguf"))
    assert "cannot be reached" in failed.sentence
    assert len(waits) == 5
    for address in ("nowhere", "http://[", "http://127.0.0.1:99999"):
        monkeypatch.setenv("HF_ENDPOINT", address)
        assert f"HF_ENDPOINT is {address}" in fetch(queue, remote(hub, name="third.gguf")).sentence


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
    assert "needs 2.00 MiB more and 64.0 MiB must stay free" in failed.sentence
    assert failed.sentence.count("2.00 MiB") == 2
    assert failed.done_bytes == 0
    assert not failed.target.exists()


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


@pytest.mark.parametrize("changes", [{"repo": 3}, {"size": -5}, {"size": 0}])
def test_a_damaged_note_begins_anew(hub, queue, changes):
    file = remote(hub, size=None, sha256="")
    target = local_path(queue._folder, REPO, NAME)
    target.parent.mkdir(parents=True)
    target.with_name(f"{NAME}.part").write_bytes(b"GGUF and what was there")
    target.with_name(f"{NAME}.part.json").write_text(json.dumps(asdict(file) | changes))
    assert fetch(queue, file).target.read_bytes() == DATA


def test_a_disk_that_fills_up_meanwhile_keeps_what_is_there(hub, tmp_path, monkeypatch):
    monkeypatch.setattr("app.hub.transfer._DISK_CHECK_BYTES", HALF)
    free = [10**12, 1000]
    queue = DownloadQueue(tmp_path / "models", free=lambda _: free.pop(0) if len(free) > 1 else free[0])
    failed = fetch(queue, remote(hub))
    assert "make room" in failed.sentence
    assert HALF < failed.done_bytes <= len(DATA)
    assert left_over(tmp_path / "models") == [f"{NAME}.part", f"{NAME}.part.json"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a disk that is always full")
def test_what_a_full_disk_did_not_take_is_said_once(tmp_path):
    part = Partial(tmp_path / NAME)
    part.path.symlink_to("/dev/full")
    part.open()
    part.file.write(b"GGUF")
    with pytest.raises(OSError, match="No space left"):
        part.file.flush()
    part.close()  # tries again to write it: that must not take the place of the sentence


def test_a_folder_that_cannot_be_made_is_said(hub, tmp_path):
    (tmp_path / "models").write_text("a file")
    failed = fetch(DownloadQueue(tmp_path / "models"), remote(hub))
    assert failed.state == "failed"
    assert "cannot be written to" in failed.sentence
    assert isinstance(failed.sentence.values["error"], Sentence)


def test_no_name_steers_the_terminal(hub, queue):
    assert "\x1b" not in fetch(queue, RemoteFile(REPO, "\x1b[2Jx.gguf")).sentence
