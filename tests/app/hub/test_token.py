"""Whose token is sent, and that nothing else is done for it."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
from typing import TYPE_CHECKING
from urllib.parse import parse_qs

import pytest

if TYPE_CHECKING:
    from pathlib import Path

REPO = "maker/model-GGUF"
ASK_FOR_ALL = f"""
from app.hub.search import card_summary, repository, search
search("model"), repository({REPO!r}), card_summary({REPO!r})
"""
TELL_THE_TOKEN = """
from app.errors import BadInputError
from app.hub.api import token
try:
    print("token", token())
except BadInputError as error:
    print(error)
"""
ASK_AND_END = """
import threading, time
from app.hub.connection import Abort, StoppedError
from app.hub.search import search
abort, begun = Abort(), time.monotonic()
threading.Timer(1, abort.set).start()
try:
    search("model", abort=abort)
except StoppedError:
    print("ended" if time.monotonic() - begun < 10 else "waited")
"""


@pytest.fixture
def home(hub, monkeypatch, tmp_path) -> Path:
    """Where the hub library keeps its things, empty; a hub with a model, and no token in the environment."""
    hub.add(REPO, "m-Q4_0.gguf", b"GGUF")
    for name in ("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN", "HF_TOKEN_PATH", "HF_HUB_DISABLE_IMPLICIT_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
    (tmp_path / "hf").mkdir()
    return tmp_path / "hf"


def said(script: str) -> str:
    """Run it in a process of its own, which reads the environment anew; return all it printed."""
    done = subprocess.run(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60, check=False
    )
    assert done.returncode == 0, done.stdout
    return done.stdout.decode().strip()


def log_in(home: Path, seconds_left: int) -> dict[str, str]:
    """Leave what `hf auth login` leaves; return it by file name."""
    expires_at = int(time.time()) + seconds_left
    stored = {
        "token": "hf_login",
        "stored_tokens": f"[me]\nhf_token = hf_login\nrefresh_token = again\nexpires_at = {expires_at}\n",
    }
    for name, text in stored.items():
        (home / name).write_text(text, encoding="utf-8")
    return stored


def test_the_token_of_the_environment_comes_first_then_the_stored_one(home, monkeypatch):
    assert said(TELL_THE_TOKEN) == "token"
    (home / "token").write_text("hf_stored\n", encoding="utf-8")
    assert said(TELL_THE_TOKEN) == "token hf_stored"
    monkeypatch.setenv("HUGGING_FACE_HUB_TOKEN", "hf_old")
    assert said(TELL_THE_TOKEN) == "token hf_old"
    monkeypatch.setenv("HF_TOKEN", " hf_new\r\n")
    assert said(TELL_THE_TOKEN) == "token hf_new"
    monkeypatch.setenv("HF_HUB_DISABLE_IMPLICIT_TOKEN", "1")
    assert said(TELL_THE_TOKEN) == "token"


def test_a_stored_token_that_cannot_be_read_is_none(hub, home, monkeypatch):
    (home / "token").mkdir()
    assert said(ASK_FOR_ALL) == ""
    monkeypatch.setenv("HF_HOME", str(home / "token" / "not there"))
    assert said(ASK_FOR_ALL) == ""
    assert len(hub.hub_requests) == 6
    assert all("Authorization" not in headers for _, headers in hub.hub_requests)


@pytest.mark.parametrize("data", [b"\xff\xfe\x00", b"hf_\x00x", b"hf_a\nhf_b\x1b", "hf_\u6f22".encode()])
def test_a_stored_token_that_is_damaged_is_said(home, data):
    (home / "token").write_bytes(data)
    assert "has characters that no token has" in said(TELL_THE_TOKEN)


def test_a_login_that_is_valid_for_long_is_used_as_it_is(hub, home):
    stored = log_in(home, 30 * 24 * 3600)
    assert said(ASK_FOR_ALL) == ""
    assert [path.partition("?")[0] for path, _ in hub.hub_requests] == [
        "/api/models", f"/api/models/{REPO}", f"/{REPO}/resolve/main/README.md",
    ]  # fmt: skip
    assert {headers["Authorization"] for _, headers in hub.hub_requests} == {"Bearer hf_login"}
    assert {path.name: path.read_text(encoding="utf-8") for path in home.iterdir()} == stored


def test_a_login_that_is_about_to_expire_is_renewed_once(hub, home):
    log_in(home, 100)
    hub.renewed = {"access_token": "hf_renewed", "expires_in": 30 * 24 * 3600, "refresh_token": "later"}
    assert said(ASK_FOR_ALL) == ""
    ((path, form, headers),) = hub.renewals
    assert path == "/oauth/token"
    assert parse_qs(form)["refresh_token"] == ["again"]
    assert "Authorization" not in headers
    assert {headers["Authorization"] for _, headers in hub.hub_requests} == {"Bearer hf_renewed"}
    assert (home / "token").read_text(encoding="utf-8") == "hf_renewed"


def test_a_login_that_cannot_be_renewed_is_used_as_it_is(hub, home):
    log_in(home, 100)
    assert said(ASK_FOR_ALL) == ""
    assert len(hub.renewals) == 1
    assert {headers["Authorization"] for _, headers in hub.hub_requests} == {"Bearer hf_login"}


def test_a_question_is_ended_while_the_login_is_renewed(home, monkeypatch):
    log_in(home, 100)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{silent.getsockname()[1]}")
        assert said(ASK_AND_END) == "ended"
        line = silent.accept()[0]
        assert line.recv(100).startswith(b"POST /oauth/token ")
        line.close()


def test_a_token_of_a_service_that_gives_none_is_said(home, monkeypatch):
    monkeypatch.setenv("HF_OIDC_RESOURCE", "models/a/b")
    monkeypatch.delenv("HF_OIDC_ID_TOKEN", raising=False)
    assert said(TELL_THE_TOKEN).endswith("unset HF_OIDC_RESOURCE.")


def test_the_library_prints_and_keeps_nothing(hub, home, monkeypatch):
    card = {"model-index": [{"\x1b[2J": 1}], "eval_results": 7, "model_name": "m"}
    monkeypatch.setattr(
        hub.hub.RequestHandlerClass,
        "info",
        lambda handler, repo: handler.answer(200, json.dumps({"id": repo, "siblings": [], "cardData": card}).encode()),
    )
    (home / "stored_tokens").write_bytes(b"\xff[[[")
    for name in ("HF_DEBUG", "HF_HUB_VERBOSITY"):
        monkeypatch.setenv(name, "debug" if "VERBOSITY" in name else "1")
    assert said(ASK_FOR_ALL) == ""
    assert [path.name for path in home.iterdir()] == ["stored_tokens"]
