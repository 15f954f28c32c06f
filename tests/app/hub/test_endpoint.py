"""Whose token is sent, and that nothing else is done for it."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from app.errors import BadInputError
from app.hub.endpoint import token
from app.hub.search import search

if TYPE_CHECKING:
    from pathlib import Path

REPO = "maker/model-GGUF"
ASKS_FOR_ALL = f"""
from app.hub.search import card_summary, repository, search
search("model"), repository({REPO!r}), card_summary({REPO!r})
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


def test_the_token_of_the_environment_comes_first_then_the_stored_one(home, monkeypatch):
    assert token() == ""
    (home / "token").write_text("hf_stored\n", encoding="utf-8")
    assert token() == "hf_stored"
    monkeypatch.setenv("HUGGING_FACE_HUB_TOKEN", "hf_old")
    assert token() == "hf_old"
    monkeypatch.setenv("HF_TOKEN", " hf_new\r\n")
    assert token() == "hf_new"
    monkeypatch.setenv("HF_HUB_DISABLE_IMPLICIT_TOKEN", "1")
    assert token() == ""


def test_the_stored_token_is_where_the_library_puts_it(home, monkeypatch, tmp_path):
    (tmp_path / "huggingface").mkdir()
    (tmp_path / "huggingface" / "token").write_text("hf_of_the_cache", encoding="utf-8")
    (tmp_path / "other").write_text("hf_of_a_path", encoding="utf-8")
    monkeypatch.setenv("HF_TOKEN_PATH", str(tmp_path / "other"))
    assert token() == "hf_of_a_path"
    monkeypatch.delenv("HF_TOKEN_PATH")
    monkeypatch.delenv("HF_HOME")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert token() == "hf_of_the_cache"


def test_a_token_that_cannot_be_read_is_none(hub, home, monkeypatch):
    (home / "token").mkdir()
    assert [found.repo for found in search("model")] == [REPO]
    monkeypatch.setenv("HF_HOME", str(home / "token" / "not there"))
    assert [found.repo for found in search("model")] == [REPO]
    assert all("Authorization" not in headers for _, headers in hub.hub_requests)


@pytest.mark.parametrize("data", [b"\xff\xfe\x00", b"hf_\x00x", b"hf_a\nhf_b\x1b", "hf_\u6f22".encode()])
def test_a_stored_token_that_is_damaged_is_said(home, data):
    (home / "token").write_bytes(data)
    with pytest.raises(BadInputError, match="characters that no token has"):
        token()


def test_a_login_that_the_library_would_renew_is_used_as_it_is(hub, home, monkeypatch):
    soon = int(time.time()) + 100
    stored = {
        "token": "hf_login",
        "stored_tokens": f"[me]\nhf_token = hf_login\nrefresh_token = again\nexpires_at = {soon}\n",
    }
    for name, text in stored.items():
        (home / name).write_text(text, encoding="utf-8")
    for name in ("HF_OIDC_RESOURCE", "HF_OIDC_ID_TOKEN"):
        monkeypatch.setenv(name, "x")
    assert asked_for_all() == ""
    assert [path.partition("?")[0] for path, _ in hub.hub_requests] == [
        "/api/models", f"/api/models/{REPO}", f"/{REPO}/resolve/main/README.md",
    ]  # fmt: skip
    assert {headers["Authorization"] for _, headers in hub.hub_requests} == {"Bearer hf_login"}
    assert {path.name: path.read_text(encoding="utf-8") for path in home.iterdir()} == stored


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
    assert asked_for_all() == ""
    assert [path.name for path in home.iterdir()] == ["stored_tokens"]


def asked_for_all() -> str:
    """Ask the hub for everything in a process of its own, and return what that printed."""
    done = subprocess.run([sys.executable, "-c", ASKS_FOR_ALL], capture_output=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return (done.stdout + done.stderr).decode()
