"""`tokometer models search` and `download`, and -hf, against a hub on this machine."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from app.cli import main
from app.cli.options import fetch_hub_model, parse
from app.starter import starter_model
from tests.hub_server import Fault, HubServer

REPO = "maker/smol-GGUF"
STARTER = starter_model()
ROOT = Path(__file__).resolve().parents[3]
INTERRUPTIBLE = """
import signal, sys
from app.cli import main
signal.signal(signal.SIGINT, signal.default_int_handler)  # what a shell starts in the background ignores it
sys.exit(main(sys.argv[1:]))
"""


@pytest.fixture
def hub(monkeypatch, tmp_path):
    server = HubServer()
    monkeypatch.setenv("HF_ENDPOINT", server.endpoint)
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("TOKOMETER_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    yield server
    server.close()


def test_search_lists_as_table_and_json(hub, capsys):
    hub.add(REPO, "a-Q4_0.gguf", b"GGUF")
    assert main(["models", "search", "smol", "--sort", "recent"]) == 0
    assert REPO in capsys.readouterr().out
    assert main(["models", "search", "smol", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["repo"] == REPO
    assert main(["models", "search", "none"]) == 0
    assert "no GGUF models" in capsys.readouterr().out


@pytest.mark.model
def test_search_for_one_model_shows_what_fits(hub, capsys):
    hub.add(REPO, "smol-Q4_K_M.gguf", STARTER.read_bytes())
    hub.cards[REPO] = "A small model."
    assert main(["models", "search", REPO, "-c", "1024", "--json"]) == 0
    (variant,) = json.loads(capsys.readouterr().out)["variants"]
    assert (variant["quantisation"], variant["recommended"]) == ("Q4_K_M", True)
    assert variant["fits"] in ("cpu", "gpu")
    assert main(["models", "search", REPO]) == 0
    out = capsys.readouterr().out
    assert "A small model." in out
    assert "recommended" in out


def test_more_files_than_are_shown_and_names_without_end_leave_the_table_whole(hub, capsys):
    for number in range(70):
        hub.add(REPO, f"{number:02d}{'a' * 300 * (number == 1)}{chr(10) * (number == 2)}-Q4_0.gguf", b"GGUF")
    assert main(["models", "search", REPO]) == 0
    lines = capsys.readouterr().out.splitlines()
    table = [line for line in lines if "0.00 MiB" in line]
    assert (len(table), max(map(len, table)) < 200) == (64, True)
    assert any(line.startswith(f"{REPO}/02 -Q4_0.gguf is not on 127.0.0.1: ") for line in lines)
    assert "6 more are not shown: raise --limit." in lines
    assert main(["models", "search", REPO, "--limit", "69", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert (len(report["variants"]), report["variants_not_shown"]) == (69, 1)


def test_what_fits_is_said_without_a_card_too(hub, capsys):
    hub.add(REPO, "a-Q4_0.gguf", b"GGUF")
    hub.add(REPO, "README.md", b"")
    hub.faults.extend([Fault(status=404), Fault(status=503)])
    assert main(["models", "search", REPO]) == 0
    captured = capsys.readouterr()
    assert "Q4_0" in captured.out
    assert captured.err == "tokometer: 127.0.0.1 is busy (HTTP 503): try again later.\n"


def test_download_says_where_it_is_and_twice_fetches_once(hub, capsys, tmp_path):
    hub.add(REPO, "b-Q8_0-00001-of-00002.gguf", b"GGUF1")
    hub.add(REPO, "b-Q8_0-00002-of-00002.gguf", b"GGUF22")
    hub.add(REPO, "a-Q2_K.gguf", b"GGUF333")
    assert main(["models", "download", f"{REPO}:q8_0"]) == 0
    path = Path(capsys.readouterr().out.strip())
    assert path == tmp_path / "home/models" / REPO / "b-Q8_0-00001-of-00002.gguf"
    assert path.with_name("b-Q8_0-00002-of-00002.gguf").read_bytes() == b"GGUF22"
    sent = hub.body_bytes_sent
    assert main(["models", "download", f"{REPO}:q8_0", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["model"], report["size_bytes"]) == (str(path), 11)
    assert hub.body_bytes_sent == sent
    assert main(["models", "download", REPO, "--file", "a-Q2_K.gguf"]) == 0
    assert capsys.readouterr().out.strip().endswith("a-Q2_K.gguf")


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (["download", "nonsense"], 2, "names no model"),
        (["download", "maker/none"], 2, "maker/none is not on"),
        (["download", f"{REPO}:Q3_K_S"], 2, "has no Q3_K_S; it has Q4_0"),
        (["search", "maker/none"], 2, "maker/none is not on"),
        (["search", f"{REPO}:Q3_K_S"], 2, "has no Q3_K_S; it has Q4_0"),
        (["search", "other/thing"], 2, "other/thing has no GGUF files: look for a conversion of this model."),
    ],
)
def test_what_is_wrong_is_one_line(hub, capsys, arguments, status, said):
    hub.add(REPO, "a-Q4_0.gguf", b"GGUF")
    hub.add("other/thing", "model.safetensors", b"")
    assert main(["models", *arguments]) == status
    captured = capsys.readouterr()
    assert captured.out == ""
    assert said in captured.err
    assert captured.err.count("\n") == 1


def test_a_damaged_download_ends_with_status_3_and_no_file(hub, capsys, tmp_path):
    hub.add(REPO, "a-Q4_0.gguf", b"GGUF and more")
    hub.faults.append(Fault(flip_at=6))
    assert main(["models", "download", REPO]) == 3
    assert "SHA-256" in capsys.readouterr().err
    assert not [path for path in (tmp_path / "home/models").rglob("*") if path.is_file()]


@pytest.mark.model
def test_hf_works_where_m_does(hub, capsys):
    hub.add(REPO, "smol-Q4_K_M.gguf", STARTER.read_bytes())
    assert main(["chat", "-hf", REPO, "-c", "512", "-n", "2", "--temp", "0", "-p", "Hi", "--json", "--in-process"]) == 0
    assert json.loads(capsys.readouterr().out)["completion_tokens"] == 2
    sent = hub.body_bytes_sent
    assert main(["plan", "-hf", f"{REPO}:Q4_K_M", "-c", "512", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["model"].endswith("smol-Q4_K_M.gguf")
    assert hub.body_bytes_sent == sent


@pytest.mark.parametrize(
    ("command", "name", "value"),
    [
        ("-hf", "model", lambda path: path),
        ("chat -hf", "model", lambda path: path),
        ("bench -m a.gguf -hf", "model", lambda path: [Path("a.gguf"), path]),
        ("bench -hf", "model", lambda path: [path]),
        ("plan a.gguf -hf", "files", lambda path: [Path("a.gguf"), path]),
    ],
)
def test_hf_stands_where_m_does(hub, tmp_path, command, name, value):
    hub.add(REPO, "a-Q4_0.gguf", b"GGUF and more")
    options = parse([*command.split(), f"{REPO}:Q4_0"])
    fetch_hub_model(options)
    assert getattr(options, name) == value(tmp_path / "home/models" / REPO / "a-Q4_0.gguf")


@pytest.mark.model
def test_hf_without_a_network_uses_what_is_here(hub, capsys, monkeypatch):
    hub.add(REPO, "smol-Q4_K_M.gguf", STARTER.read_bytes())
    assert main(["models", "download", REPO]) == 0
    path = capsys.readouterr().out.strip()
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    assert main(["plan", "-hf", REPO, "-c", "512", "--json"]) == 0
    captured = capsys.readouterr()
    assert json.loads(captured.out)["model"] == path
    assert "is here and is used" in captured.err
    assert main(["plan", "-hf", f"{REPO}:Q8_0"]) == 3
    monkeypatch.delenv("HF_HUB_OFFLINE")
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    assert main(["plan", "-hf", "maker/other"]) == 3
    assert "cannot be reached" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("fault", "why"),
    [(Fault(page=True), "with a web page"), (Fault(status=403), "gated"), (None, "is not on")],
)
def test_hf_where_the_hub_does_not_give_it_uses_what_is_here(hub, capsys, tmp_path, fault, why):
    """In a hotel's network, gated since, or removed."""
    hub.add(REPO, "a-Q4_0.gguf", b"GGUF and more")
    assert main(["models", "download", REPO]) == 0
    path = Path(capsys.readouterr().out.strip())
    if fault is None:
        del hub.files[REPO]
    else:
        hub.api_faults.append(fault)
    options = parse(["plan", "-hf", REPO])
    fetch_hub_model(options)
    assert options.files == [path]
    said = capsys.readouterr().err
    assert why in said
    assert said.endswith("a-Q4_0.gguf is here and is used.\n")


def test_an_interrupted_download_goes_on_with_the_same_command(hub, capsys, tmp_path):
    data = b"GGUF" + bytes(1_000_000)
    hub.add(REPO, "a-Q4_0.gguf", data)
    hub.faults.append(Fault(hold_at=500_000))
    command = [sys.executable, "-c", INTERRUPTIBLE, "models", "download", REPO]
    child = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    part = tmp_path / "home/models" / REPO / "a-Q4_0.gguf.part"
    while not part.exists() or part.stat().st_size < 500_000:
        with pytest.raises(subprocess.TimeoutExpired):
            child.wait(0.02)
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=60)
    assert (child.returncode, out) == (130, "")
    assert "goes on where it stopped" in err
    hub.released.set()
    assert main(["models", "download", REPO]) == 0
    assert Path(capsys.readouterr().out.strip()).read_bytes() == data
    assert hub.cdn_requests[-1][1]["Range"] == "bytes=500000-"
