"""`tokometer models`: its table, its JSON and what it removes."""

from __future__ import annotations

import hashlib
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from app.cli import main
from app.errors import EngineCrashedError
from app.hub.sources import model_roots
from app.paths import paths
from app.settings import Settings, save_settings
from tests.model_stores import LLAMA, gguf, write, write_split

ROOT = Path(__file__).parents[3]
pytestmark = pytest.mark.usefixtures("user_home")


@pytest.fixture
def models(capsys: pytest.CaptureFixture[str]):
    def run(*arguments: object) -> tuple[int, str, str]:
        status = main(["models", *map(str, arguments)])
        out, err = capsys.readouterr()
        return status, out, err

    return run


def test_json_is_one_array_by_name(models, tmp_path: Path, starter: Path) -> None:
    write(tmp_path / "more/a.gguf", gguf())
    parts = write_split(tmp_path / "more", "b")
    parts[1].unlink()
    status, out, err = models("list", "--json", "--folder", tmp_path / "more")
    assert (status, err) == (0, "")
    first, second, third = json.loads(out)
    assert [row["name"] for row in (first, second, third)] == ["a", "b", starter.stem]
    assert first.keys() == {
        "name", "path", "source", "kind", "arch", "n_params", "quantisation", "bits_per_weight", "file_bytes",
        "n_ctx_train", "kv_bytes_per_token", "licence", "parts", "missing", "problem", "fits", "max_n_ctx_that_fits",
        "fits_reason",
    }  # fmt: skip
    assert (second["missing"], second["fits"]) == ([parts[1].name], "unknown")
    assert (third["source"], third["kv_bytes_per_token"], third["max_n_ctx_that_fits"]) == ("starter", 23_040, 8192)


def test_a_table_for_people(models, tmp_path: Path, starter: Path) -> None:
    write(tmp_path / "more/broken.gguf", b"GGUF")
    write_split(tmp_path / "more", "two")[1].unlink()
    status, out, _ = models("list", "--folder", tmp_path / "more")
    lines = out.splitlines()
    two = next(line for line in lines if line.startswith("two "))
    assert "incomplete" in two
    assert two.endswith("apache-2.0  folder")
    assert status == 0
    assert lines[0].split()[:3] == ["name", "kind", "architecture"]
    assert lines[1].split()[0] == "broken"
    assert "damaged" in lines[1]
    assert lines[2].split()[0] == starter.stem
    for words in ("134.5M", "Q4_1", "8,192", "23,040"):
        assert words in lines[2]
    assert "broken.gguf is cut off" in lines[-2]
    assert "two-00002-of-00002.gguf is missing" in lines[-1]


def test_folders_of_the_settings_are_looked_through(models, tmp_path: Path) -> None:
    write(tmp_path / "mine/model.gguf", gguf())
    folders = (str(tmp_path / "mine"), str(tmp_path / "unplugged"))
    save_settings(paths().settings_file, Settings(model_folders=folders))
    status, out, err = models("list", "--json")
    assert status == 0
    assert "model" in [row["name"] for row in json.loads(out)]
    assert err.count("\n") == 1
    assert "unplugged" in err


def test_nothing_is_said_so(models, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.hub.sources.starter_model", lambda: None)
    assert model_roots(paths().models) == ()
    status, out, _ = models("list")
    assert (status, "No models" in out) == (0, True)
    assert json.loads(models("list", "--json")[1]) == []


def test_without_devices_the_rest_is_listed(models, monkeypatch: pytest.MonkeyPatch, starter: Path) -> None:
    def devices(*_: object) -> None:
        raise EngineCrashedError("The process ended.")

    monkeypatch.setattr("app.engine.dry_run.DryRuns.devices", devices)
    status, out, err = models("list", "--json")
    (row,) = json.loads(out)
    assert (status, err, row["name"], row["fits"]) == (0, "tokometer: The process ended.\n", starter.stem, "unknown")


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the trash is the user's own")
@pytest.mark.parametrize("by", ["name", "path"])
def test_removing_moves_to_the_trash(by: str, tmp_path: Path) -> None:
    parts = write_split(paths().models, "two parts")
    command = [sys.executable, "-m", "app", "models", "remove", "two parts" if by == "name" else str(parts[1]), "--yes"]
    environment = {**os.environ, "XDG_DATA_HOME": str(tmp_path / "data")}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "2 files to the trash" in done.stdout
    assert "0.02 MiB" in done.stdout or "0.03 MiB" in done.stdout
    assert not any(part.exists() for part in parts)
    trashed = {path.name for path in tmp_path.rglob("files/*")}
    assert trashed == {part.name for part in parts}


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the trash is the user's own")
def test_what_was_removed_is_one_json_object(tmp_path: Path) -> None:
    path = write(paths().models / "model.gguf", gguf())
    size = path.stat().st_size
    command = [sys.executable, "-m", "app", "models", "remove", "model", "--json"]
    environment = {**os.environ, "XDG_DATA_HOME": str(tmp_path / "data")}
    done = subprocess.run(command, cwd=ROOT, env=environment, input="y\n", capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert json.loads(done.stdout) == {"name": "model", "removed": [str(path)], "frees_bytes": size}
    assert not path.exists()


def test_a_link_is_said_to_free_nothing(models, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths().models.mkdir(parents=True)
    (paths().models / "link.gguf").symlink_to(write(tmp_path / "elsewhere/model.gguf", gguf()))
    monkeypatch.setattr("sys.stdin", io.StringIO("n\n"))
    status, _, question = models("remove", "link")
    assert status == 130
    assert "frees nothing: it is a link" in question


@pytest.mark.parametrize("answer", ["n\n", "\n", ""])
def test_without_a_yes_nothing_is_removed(answer: str, models, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(paths().models / "model.gguf", gguf())
    monkeypatch.setattr("sys.stdin", io.StringIO(answer))
    status, out, question = models("remove", "model")
    assert (status, out) == (130, "Nothing was removed.\n")
    assert str(path) in question
    monkeypatch.setattr("sys.stdin", io.StringIO(answer))
    status, out, _ = models("remove", "model", "--json")
    assert (status, json.loads(out)) == (130, {"name": "model", "removed": [], "frees_bytes": 0})
    assert path.exists()


def test_what_cannot_be_removed_is_one_line(models, tmp_path: Path, starter: Path) -> None:
    for folder in ("a", "b"):
        write(tmp_path / folder / "same.gguf", gguf())
    for name, word in (("nothing", "No model"), ("same", "give the path"), (starter.stem, "pip uninstall")):
        status, out, err = models("remove", name, "--yes", "--folder", tmp_path / "a", tmp_path / "b")
        assert (status, out, err.count("\n")) == (2, "", 1)
        assert word in err
    assert starter.exists()


@pytest.mark.parametrize("arguments", [(), ("sell",), ("list", "extra"), ("remove",)])
def test_wrong_arguments_are_one_line(arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["models", *arguments])
    assert caught.value.code == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_showing_says_everything_the_header_does(models, starter: Path) -> None:
    status, out, err = models("show", starter.stem)
    assert (status, err) == (0, "")
    assert "llama.context_length" in out
    assert "49,152 texts" in out
    assert "272 tensors" in out
    assert "blk.0.attn_q.weight" not in out
    assert "blk.0.attn_q.weight" in models("show", starter.stem, "--tensors")[1]


def test_showing_as_json_keeps_numbers_and_lists(models, starter: Path) -> None:
    report = json.loads(models("show", starter, "--json", "--tensors")[1])
    assert (report["metadata"]["llama.block_count"], report["n_tensors"], report["problem"]) == (30, 272, "")
    assert report["metadata"]["tokenizer.ggml.tokens"] == {"type": "texts", "length": 49_152}
    assert report["tensors"][0] == {
        "name": "token_embd.weight", "shape": [576, 49_152], "type": "Q8_0", "n_bytes": 30_081_024, "file": starter.name
    }  # fmt: skip


def test_one_value_is_shown_whole(models, starter: Path) -> None:
    assert models("show", starter, "--key", "llama.block_count")[1] == "30\n"
    assert models("show", starter, "--key", "llama.block_count", "--json")[1] == "30\n"
    assert len(models("show", starter, "--key", "tokenizer.ggml.tokens")[1].splitlines()) >= 49_152
    assert len(json.loads(models("show", starter, "--key", "tokenizer.ggml.tokens", "--json")[1])) == 49_152
    assert models("show", starter, "--template")[1].startswith("{% for message in messages %}")
    status, out, err = models("show", starter, "--key", "nothing")
    assert (status, out, "has no key nothing" in err) == (2, "", True)


def test_what_steers_a_terminal_is_left_out(models, tmp_path: Path) -> None:
    write(tmp_path / "more/a.gguf", gguf({**LLAMA, "general.name": "\x1b[31mred"}))
    out = models("show", "a", "--folder", tmp_path / "more")[1]
    assert "\x1b" not in out
    assert "[31mred" in out
    write(tmp_path / "more/b.gguf", gguf({"general.architecture": "\x1b[2J\n" + 1_000_000 * "b"}))
    write(tmp_path / "more/\x1b[2J\nc.gguf", b"GGUF")
    out = models("list", "--folder", tmp_path / "more")[1]
    assert "\x1b" not in out
    assert [line.split()[0] for line in out.splitlines()[1:4]] == ["[2J", "a", "b"]
    assert max(map(len, out.splitlines())) < 500


def test_verifying_prints_the_digest_and_what_is_known(models, tmp_path: Path) -> None:
    path = write(tmp_path / "more/a.gguf", gguf())
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    status, out, err = models("verify", path, "--folder", tmp_path / "more")
    assert (status, err) == (0, "")
    assert out.splitlines()[0] == f"{digest}  {path}"
    assert "What its SHA-256 should be is not known" in out
    report = json.loads(models("verify", "a", "--json", "--folder", tmp_path / "more")[1])
    assert report["whole"] is True
    assert report["files"] == [{"path": str(path), "sha256": digest, "expected": digest, "known_by": "earlier"}]


def test_what_verifying_finds_is_listed_from_then_on(models, tmp_path: Path) -> None:
    path = write(tmp_path / "more/a.gguf", gguf())
    models("verify", path, "--folder", tmp_path / "more")
    status = path.stat()
    path.write_bytes(gguf()[:-1] + b"\1")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))  # as a failing disk does: without a new time
    assert models("verify", path, "--folder", tmp_path / "more")[0] == 2
    out = models("list", "--folder", tmp_path / "more")[1]
    assert "  damaged  " in next(line for line in out.splitlines() if line.startswith("a "))
    assert "a.gguf is damaged: its SHA-256 is not what it was" in out
    rows = json.loads(models("list", "--json", "--folder", tmp_path / "more")[1])
    assert [row["problem"][:17] for row in rows if row["name"] == "a"] == ["a.gguf is damaged"]


def test_verifying_what_is_damaged_is_one_line_and_status_2(models, tmp_path: Path) -> None:
    write(tmp_path / "more/a.gguf", gguf()[:-100])
    status, out, err = models("verify", "a", "--folder", tmp_path / "more")
    assert (status, out.count("\n"), err.count("\n")) == (2, 1, 1)
    assert "cut off" in err
    status, out, _ = models("verify", "a", "--json", "--folder", tmp_path / "more")
    assert (status, json.loads(out)["whole"]) == (2, False)


def test_a_file_outside_the_folders_is_not_said_to_be_missing(models, tmp_path: Path) -> None:
    empty = tmp_path / "elsewhere/empty.gguf"
    empty.parent.mkdir()
    empty.touch()
    status, out, err = models("verify", empty)
    assert (status, out) == (2, "")
    assert f"{empty} lies in none of the folders looked through" in err
    status, _, err = models("verify", empty, "--folder", empty.parent)
    assert status == 2
    assert "empty.gguf is empty (0 bytes)" in err
