"""Searching a hub and planning for what is not here."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace

import pytest

from app.engine.config import ModelConfig
from app.engine.dry_run import DryRuns
from app.engine.gguf import read_header
from app.errors import HubError, ModelFileError, NotOnHubError
from app.hub.connection import Abort
from app.hub.fits import Placing
from app.hub.offers import Offer, offer, recommended
from app.hub.partial import RemoteFile
from app.hub.ranges import RangeFile, fetch_headers
from app.hub.search import card_summary, repository, search
from app.hub.variants import Variant
from app.starter import starter_model
from app.telemetry.planner import Planner
from tests.gguf_files import header_bytes
from tests.hub_server import COMMIT, PAGE, StoredFile

REPO = "maker/model-GGUF"
STARTER = starter_model()


def serve_starter(hub, name: str = "smol-Q4_K_M.gguf") -> StoredFile:
    def read(start: int, end: int) -> bytes:
        with STARTER.open("rb") as file:
            file.seek(start)
            return file.read(end - start)

    stored = StoredFile(STARTER.stat().st_size, "0" * 64, read)
    hub.files.setdefault(REPO, {})[name] = stored
    return stored


def test_search_asks_the_hub_that_hf_endpoint_names(hub):
    hub.add(REPO, "a-Q4_0.gguf", b"GGUF")
    hub.add("other/thing", "b.gguf", b"GGUF")
    hub.gated.add(REPO)
    (hit,) = search("MODEL", "likes", 5)
    assert (hit.repo, hit.downloads, hit.likes, hit.gated) == (REPO, 10, 1, True)
    assert hit.modified.year == 2026
    path, headers = hub.hub_requests[-1]
    assert "search=MODEL" in path
    assert "filter=gguf" in path
    assert "sort=likes" in path
    assert headers["Authorization"] == "Bearer hf_secret"
    assert search("nothing like it") == ()


def test_a_repository_has_variants_with_sizes_and_checksums(hub):
    stored = hub.add(REPO, "a-Q4_0.gguf", b"GGUF1234")
    hub.add(REPO, "mmproj-a.gguf", b"GGUF")
    hub.add(REPO, "../../evil\x1b.gguf", b"GGUF")
    hub.add(REPO, "half a character \ud800.gguf", b"GGUF")
    hub.add(REPO, "without end" * 1000 + ".gguf", b"GGUF")
    found = repository(REPO)
    assert (found.commit, found.licence, found.likes) == (COMMIT, "mit", 3)
    variant = next(each for each in found.variants if each.quantisation == "Q4_0")
    assert variant.files == (RemoteFile(REPO, "a-Q4_0.gguf", COMMIT, 8, stored.sha256),)
    assert [file.name for file in found.projectors] == ["mmproj-a.gguf"]
    assert sorted(each.name for each in found.variants) == ["a-Q4_0", "evil\x1b"]


def test_what_the_hub_does_not_have_is_said(hub, monkeypatch):
    with pytest.raises(NotOnHubError, match="maker/none is not on"):
        repository("maker/none")
    with pytest.raises(NotOnHubError, match="no name of a repository"):
        repository("a/b/c")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(HubError, match="HF_HUB_OFFLINE"):
        search("x")


def test_a_hub_that_cannot_be_reached_is_said(monkeypatch, hub):
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(HubError, match=r"cannot be reached \(the connection was refused\)"):
        search("x")


def test_a_login_page_instead_of_the_hub_is_said(hub, monkeypatch):
    monkeypatch.setattr(hub.hub.RequestHandlerClass, "listing", lambda *_: PAGE)
    monkeypatch.setattr(hub.hub.RequestHandlerClass, "listing_type", "text/html; charset=utf-8")
    with pytest.raises(HubError, match="web page"):
        search("x")


def test_a_card_is_fetched_as_text(hub):
    hub.cards[REPO] = "---\nlicense: mit\n---\nA **small** model."
    assert card_summary(REPO) == "A small model."
    assert card_summary("maker/none") == ""


def test_what_is_no_card_is_not_shown(hub, monkeypatch):
    def resolve(body: bytes, **headers: str) -> None:
        monkeypatch.setattr(
            hub.hub.RequestHandlerClass, "resolve", lambda handler, *_: handler.answer(200, body, **headers)
        )

    resolve(PAGE, Content_Type="text/html; charset=utf-8")
    with pytest.raises(HubError, match="answered with a web page instead of maker/model-GGUF"):
        card_summary(REPO)
    resolve(gzip.compress(b"A **small** model."), Content_Type="text/plain", Content_Encoding="gzip")
    assert card_summary(REPO) == ""


def test_what_a_repository_says_of_itself_is_short_and_can_be_asked_for(hub, monkeypatch):
    about = {"id": REPO, "sha": "half \ud800", "siblings": [{"rfilename": "a-Q4_0.gguf"}]}
    about["cardData"] = {"license": "other", "license_name": "own\n\x1b[2J licence " * 10_000}
    monkeypatch.setattr(
        hub.hub.RequestHandlerClass, "info", lambda handler, _: handler.answer(200, json.dumps(about).encode())
    )
    found = repository(REPO)
    assert (found.commit, found.licence[:16], len(found.licence)) == ("main", "own [2J licence ", 100)
    assert "\n" not in found.licence
    with pytest.raises(NotOnHubError):
        fetch_headers([found.variants[0].files[0]], Abort())


@pytest.mark.parametrize("text", ["\ud800", "x" * 100_000, "\0\x1b\n#&?%"])
def test_any_text_can_be_looked_for(hub, text):
    hub.add(REPO, "a-Q4_0.gguf", b"GGUF")
    assert search(text) == ()
    (path, _) = hub.hub_requests[-1]
    assert len(path) < 1000


def test_a_server_that_sends_another_piece_than_was_asked_for_is_refused(hub, monkeypatch):
    serve_starter(hub)
    file = RemoteFile(REPO, "smol-Q4_K_M.gguf")

    def send(start: int, body: bytes) -> None:
        monkeypatch.setattr(
            hub.hub.RequestHandlerClass,
            "resolve",
            lambda handler, *_: handler.answer(206, body, Content_Range=f"bytes {start}-{start + 9}/1000000000"),
        )

    send(7, b"GGUF" + bytes(6))
    with pytest.raises(HubError, match="sends files only whole"):
        fetch_headers([file], Abort())
    head = header_bytes({"general.architecture": "llama"}, [("w", (1024, 1024))])

    def send_one_byte(handler, *_) -> None:
        start = int(handler.headers["Range"].removeprefix("bytes=").partition("-")[0])
        handler.answer(206, head[start : start + 1], Content_Range=f"bytes {start}-{start}/1000000000")

    monkeypatch.setattr(hub.hub.RequestHandlerClass, "resolve", send_one_byte)
    asked = len(hub.hub_requests)
    with pytest.raises(HubError, match="longer header"):
        fetch_headers([file], Abort())
    assert len(hub.hub_requests) - asked < 30


def test_a_header_is_read_from_ranges_alone(hub):
    stored = serve_starter(hub)
    (header,) = fetch_headers([RemoteFile(REPO, "smol-Q4_K_M.gguf")], Abort())
    assert header == read_header(STARTER)
    assert hub.body_bytes_sent < 6 * 1024**2 < stored.size
    assert "hf_secret" not in str(hub.cdn_requests)


def test_what_is_no_model_and_what_has_no_end_are_refused(hub):
    hub.add(REPO, "page.gguf", b"<html>" + bytes(1000))
    with pytest.raises(ModelFileError, match="not a GGUF"):
        fetch_headers([RemoteFile(REPO, "page.gguf")], Abort())
    endless = b"GGUF" + (3).to_bytes(4, "little") + (1).to_bytes(8, "little") + (1).to_bytes(8, "little")
    endless += (1).to_bytes(8, "little") + b"k" + (9).to_bytes(4, "little") + (8).to_bytes(4, "little")
    endless += (2_000_000).to_bytes(8, "little")
    word = (1000).to_bytes(8, "little") + bytes(1000)
    size = 3 * 10**9

    def read(start: int, end: int) -> bytes:
        text = endless if start < len(endless) else b""
        place = (max(start, len(endless)) - len(endless)) % len(word)
        return (text[start:] + (word * ((end - start) // len(word) + 2))[place:])[: end - start]

    hub.files[REPO]["endless.gguf"] = StoredFile(size, "0" * 64, read)
    with pytest.raises(HubError, match="longer header"):
        fetch_headers([RemoteFile(REPO, "endless.gguf")], Abort())
    assert hub.body_bytes_sent < 70 * 1024**2


def test_of_the_parts_of_a_model_little_is_fetched_however_many_they_are(hub):
    head = header_bytes({"general.architecture": "llama"}, [("w", (1024, 1024 * 1024))])
    part = StoredFile(2**32 + len(head), "", lambda start, end: head[start:end].ljust(end - start, b"\0"))
    files = [RemoteFile(REPO, f"m-Q8_0-{number:05d}-of-09999.gguf") for number in range(1, 10_000)]
    hub.files[REPO] = {file.name: part for file in files}
    headers = fetch_headers(files[:40], Abort())
    assert [header.tensors[0].name for header in headers] == ["w"] * 40
    assert hub.body_bytes_sent < 4 * 1024**2
    with pytest.raises(HubError, match="longer header"):
        fetch_headers(files, Abort())
    assert hub.body_bytes_sent < 70 * 1024**2


def test_ranges_read_as_a_file_does(hub):
    data = b"GGUF" + bytes(range(256)) * 20_000
    hub.add(REPO, "x.gguf", data)
    file = RangeFile(RemoteFile(REPO, "x.gguf"), Abort(), 1_000, 10**8)
    file.seek(1_000_000)
    assert file.read(100_000) == data[1_000_000:1_100_000]
    file.seek(len(data) - 3)
    assert (file.read(10), file.tell(), file.read(1)) == (data[-3:], len(data), b"")


@pytest.mark.model
def test_the_label_before_the_download_is_that_of_the_plan_after(hub, tmp_path):
    serve_starter(hub)
    found = repository(REPO)
    planner = Planner(DryRuns(tmp_path))
    config = ModelConfig(STARTER, n_ctx=2048)
    try:
        got = offer(found.variants[0], planner, config, tmp_path, Abort())
        plan = planner.plan(config, accuracy="estimate")
    finally:
        planner.close()
    assert got.placing.n_ctx == plan.max_n_ctx_that_fits
    assert (got.placing.place == "no") is not plan.fits
    assert 4 < got.bits_per_weight < 9


def test_a_variant_whose_header_cannot_be_had_says_why(hub, tmp_path):
    hub.add(REPO, "a-Q4_0.gguf", b"<html>")
    planner = Planner(DryRuns(tmp_path))
    try:
        got = offer(repository(REPO).variants[0], planner, ModelConfig(tmp_path), tmp_path, Abort())
    finally:
        planner.close()
    assert got.placing.place == "unknown"
    assert "not a GGUF" in got.placing.reason


def test_the_best_that_fits_wholly_is_recommended():
    def one(place, bits, *, is_whole=True) -> Offer:
        file = RemoteFile(REPO, f"{bits}.gguf", size=int(bits * 100))
        return Offer(Variant(f"{bits}", "", (file,), is_whole), bits, Placing(place))

    q8, q6, q4 = one("partly", 8.5), one("gpu", 6.6), one("gpu", 4.8)
    assert recommended([q4, q6, q8]) is q6
    assert recommended([q4, replace(q8, placing=Placing("cpu"))]) is q4
    assert recommended([one("cpu", 4.8), one("cpu", 6.6), one("no", 8.5)]).bits_per_weight == 6.6
    assert recommended([one("cpu", 8.6), q8]) is q8
    assert recommended([one("no", 4.8), q8]) is q8
    assert recommended([one("no", 4.8), one("cpu", 2.0, is_whole=False)]) is None
    assert recommended([]) is None
