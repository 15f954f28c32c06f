"""The hub library's questions, carried by our connection."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
import threading
import time
from datetime import UTC, datetime
from urllib.parse import parse_qs, urlsplit

import pytest

from app.errors import HubError, NotOnHubError
from app.hub.connection import Abort, StoppedError
from app.hub.search import repository, search
from tests.hub_server import COMMIT, Fault

REPO = "maker/model-GGUF"
ODD_LISTS = [
    "[", "null", "7", '"x"', "[1]", "[[]]", "[{}]", "[" * 100_000, "1" * 5_000,
    '[{"id": "a/b", "lastModified": "yesterday"}]', '[{"id": "a/b", "lastModified": 7}]',
    '[{"id": "a/b", "inferenceProviderMapping": 7}]', '[{"id": "a/b", "self": 7}]', "\xff",
]  # fmt: skip
ODD_REPOSITORIES = [
    "[]", "7", "{}", '{"id": "a/b", "siblings": 7}', '{"id": "a/b", "siblings": [7]}',
    '{"id": "a/b", "siblings": [{"size": 1}]}', '{"id": "a/b", "siblings": [{"rfilename": "x.gguf", "lfs": 7}]}',
    '{"id": "a/b", "siblings": [{"rfilename": "x.gguf", "lfs": {"size": 7}}]}',
    '{"id": "a/b", "cardData": {"self": 7}}', '{"id": "a/b", "cardData": {"tags": 7}}',
    '{"id": "a/b", "safetensors": 7}',
]  # fmt: skip


def put(hub, *repos: str) -> None:
    for repo in repos or (REPO,):
        hub.add(repo, "m-Q4_0.gguf", b"GGUF")


def answer_with(hub, monkeypatch, text: str) -> None:
    body = text.encode("latin-1")
    monkeypatch.setattr(hub.hub.RequestHandlerClass, "listing", lambda *_: body)
    monkeypatch.setattr(
        hub.hub.RequestHandlerClass, "info", lambda handler, _: handler.answer(200, body, Content_Type="text/plain")
    )


def test_one_search_is_one_request_of_the_library_and_nothing_else(hub, tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    put(hub)
    search("model", "recent", 7)
    ((path, headers),) = hub.hub_requests
    assert parse_qs(urlsplit(path).query) == {
        "filter": ["gguf"],
        "search": ["model"],
        "sort": ["lastModified"],
        "limit": ["7"],
        "expand": ["downloads", "likes", "lastModified", "gated", "gguf"],
    }
    assert headers["User-Agent"].startswith("tokometer/")
    assert headers["Authorization"] == "Bearer hf_secret"
    repository(REPO)
    assert [path for path, _ in hub.hub_requests[1:]] == [f"/api/models/{REPO}?blobs=true"]


def test_the_library_says_nothing_of_the_machine_and_asks_for_no_list_of_programs(hub):
    from huggingface_hub import HfApi, constants

    from app.hub.api import asking

    put(hub)
    with asking("x") as api:
        api.model_info(REPO)
        assert isinstance(api, HfApi)
    assert constants.HF_HUB_DISABLE_TELEMETRY
    assert len(hub.hub_requests) == 1


def test_what_is_looked_for_is_not_logged(hub, caplog):
    put(hub)
    with caplog.at_level(logging.INFO):
        search("a secret")
        repository(REPO)
    assert caplog.records == []


def test_a_list_in_pages_is_followed_as_far_as_is_asked(hub):
    put(hub, *(f"maker/model{number}" for number in range(7)))
    hub.page_size = 3
    assert [found.repo[-1] for found in search("model", limit=5)] == list("65432")
    assert len(hub.hub_requests) == 2
    assert {headers["Authorization"] for _, headers in hub.hub_requests} == {"Bearer hf_secret"}
    assert len(search("model", limit=50)) == 7
    assert len(hub.hub_requests) == 2 + 3


def test_a_list_that_goes_on_elsewhere_is_not_followed(hub):
    put(hub)
    hub.page_size = 3
    for address in (f"{hub.cdn_address}/x/y/z", "/api/models", "file:///etc/passwd", "http://[", "http://é\xff"):
        hub.next_page = address
        assert [found.repo for found in search("model")] == [REPO]
    assert hub.cdn_requests == []
    assert len(hub.hub_requests) == 5


def test_a_hub_that_has_moved_is_followed_without_the_token(hub):
    hub.add("x/y", "list", b'[{"id": "a/b"}]')
    hub.api_faults.append(Fault(status=307, headers={"Location": f"{hub.cdn_address}/x/y/list"}))
    assert [found.repo for found in search("model")] == ["a/b"]
    ((_, headers),) = hub.cdn_requests
    assert "Authorization" not in headers
    assert "hf_secret" not in str(headers)


def test_a_list_without_end_is_given_up(hub):
    put(hub)
    hub.page_size, hub.next_page = 0, f"{hub.endpoint}/api/models"
    with pytest.raises(HubError, match="too long a list"):
        search("model")
    assert len(hub.hub_requests) < 40


def test_an_answer_without_end_is_given_up(hub, monkeypatch):
    answer_with(hub, monkeypatch, '[{"id": "' + "x" * 17 * 1024**2)
    with pytest.raises(HubError, match="too long a list"):
        search("model")
    with pytest.raises(HubError, match="too long a list"):
        repository(REPO)


def test_an_answer_of_too_many_values_is_not_parsed_and_one_of_ten_thousand_files_is(hub, monkeypatch):
    for values in ("{}," * 250_000, ("[" * 500 + "]" * 500 + ",") * 1000, "1," * 500_000):
        answer_with(hub, monkeypatch, f'[{{"id": "a/b", "x": [{values}1]}}]')
        with pytest.raises(HubError, match="too long a list"):
            search("model")
    lfs = {"size": 7, "sha256": "a" * 64, "pointerSize": 134}
    files = [
        {"rfilename": f"{'folder ' * 20}/model-{number:05d}-Q4_K_M.gguf", "size": 7, "blobId": "b" * 40, "lfs": lfs}
        for number in range(10_000)
    ]
    answer_with(hub, monkeypatch, json.dumps({"id": REPO, "siblings": files}))
    assert len(repository(REPO).variants) == 10_000


@pytest.mark.parametrize("text", ODD_LISTS, ids=lambda text: text[:40])
def test_a_list_of_another_shape_is_one_sentence(hub, monkeypatch, capfd, text):
    answer_with(hub, monkeypatch, text)
    with pytest.raises(HubError, match="does not answer as the hub does") as raised:
        search("model")
    assert len(str(raised.value)) < 400
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("text", ODD_REPOSITORIES, ids=lambda text: text[-40:])
def test_a_repository_of_another_shape_is_one_sentence(hub, monkeypatch, capfd, text):
    answer_with(hub, monkeypatch, text)
    with pytest.raises(HubError, match="does not answer as the hub does"):
        repository(REPO)
    assert capfd.readouterr() == ("", "")


def test_values_that_are_none_are_left_out(hub, monkeypatch, capfd):
    model = {"id": "a/b", "downloads": -1, "likes": 2**60, "gguf": {"total": "7"}, "gated": None}
    others = [{"id": name} for name in (None, 7, [], "../x", "a/../b", "a/b/c", "", "a b", "x" * 200, "文/件", "a/b\n")]
    answer_with(hub, monkeypatch, json.dumps([*others, model]))
    (found,) = search("model")
    assert (found.repo, found.downloads, found.likes, found.modified, found.gated, found.n_params) == (
        "a/b", 0, 0, None, False, None,
    )  # fmt: skip
    files = [
        {"rfilename": "a-Q4_0.gguf", "size": -1, "lfs": None},
        {"rfilename": "b-Q4_0.gguf", "size": 3, "lfs": {"size": 2**70, "sha256": "no", "pointerSize": 1}},
        {"rfilename": 7},
    ]
    card = {"license": ["mit", "x"], "model-index": [{"\x1b": 1}], "eval_results": 7}
    answer_with(hub, monkeypatch, json.dumps({"id": "a/b", "sha": 7, "siblings": files, "cardData": card}))
    got = repository("a/b")
    assert (got.commit, got.licence, got.likes) == ("main", "mit", 0)
    assert [(file.size, file.sha256) for variant in got.variants for file in variant.files] == [(None, "")] * 2
    assert capfd.readouterr() == ("", "")


def test_what_the_hub_says_of_a_model_is_read(hub):
    put(hub)
    hub.about[REPO] = {"gguf": {"total": 7_000_000_000}, "lastModified": "2025-01-02T03:04:05.000Z"}
    (found,) = search("model")
    assert found.n_params == 7_000_000_000
    assert found.modified == datetime(2025, 1, 2, 3, 4, 5, tzinfo=UTC)
    assert repository(REPO).commit == COMMIT


@pytest.mark.parametrize("name", ["a--b/c", "a/b..c", "a/b.git", "-a/b", "a/.b", "a/b/c", "a b", ""])
def test_a_name_that_no_repository_has_is_not_asked_for(hub, name):
    with pytest.raises(NotOnHubError, match="no name of a repository"):
        repository(name)
    assert hub.hub_requests == []


def test_two_ask_at_once_and_one_is_ended(hub):
    put(hub)
    hub.api_held = threading.Event()
    aborts, ends = [Abort(), Abort()], {}

    def ask(number: int) -> None:
        try:
            ends[number] = search("model", abort=aborts[number])
        except StoppedError:
            ends[number] = time.monotonic()

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    while len(hub.hub_requests) < 2:
        time.sleep(0.005)
    aborts[0].set()
    threads[0].join(10)
    assert (threads[0].is_alive(), threads[1].is_alive()) == (False, True)
    hub.api_held.set()
    threads[1].join(10)
    assert [found.repo for found in ends[1]] == [REPO]
    assert isinstance(ends[0], float)


def test_a_setting_that_the_library_stumbles_over_is_one_sentence(hub):
    script = "import sys\nfrom app.cli import main\nsys.exit(main(['models', 'search', 'x']))"
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "HF_HUB_ETAG_TIMEOUT": "soon"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.startswith("tokometer: The library huggingface_hub cannot be used (")
    assert done.stderr.count("\n") == 1
