"""`tokometer chat` and `doctor` on the real model: results on stdout, one line for what is wrong on stderr."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from app.cli import main
from app.paths import paths

pytestmark = pytest.mark.usefixtures("known_self_test")

ROOT = Path(__file__).parents[3]
TIMES = ("ttft_s", "queue_s", "tokenise_s", "prefill_s", "tpot_s", "e2e_s")


def chat(starter: Path, *arguments: str) -> int:
    return main(["chat", "-m", str(starter), "-c", "1024", "--temp", "0", *arguments])


@pytest.mark.model
def test_json_has_every_number_of_every_turn(starter: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert chat(starter, "-p", "Name a river.", "-p", "And a lake?", "-n", "16", "--system", "Be brief.", "--json") == 0
    first, second = (json.loads(line) for line in capsys.readouterr().out.splitlines())
    for turn in (first, second):
        assert all(turn[name] is not None and turn[name] >= 0 for name in TIMES)
        assert turn["queue_s"] + turn["tokenise_s"] + turn["prefill_s"] <= turn["ttft_s"]
        assert turn["e2e_s"] == pytest.approx(turn["ttft_s"] + (turn["completion_tokens"] - 1) * turn["tpot_s"])
        assert len(turn["itl_s"]) == turn["completion_tokens"] - 1
        assert turn["decode_tokens_per_s"] == pytest.approx(1 / turn["tpot_s"])
        assert turn["context_tokens_used"] == turn["prompt_tokens"] + turn["completion_tokens"] - 1
        assert (turn["n_ctx"], turn["n_ctx_max"], turn["context_growths"]) == (1024, 1024, [])
        assert turn["text"]
        memory = turn["memory"]
        assert memory["kv_reserved_bytes"] == 1024 * 23_040
        assert memory["kv_used_bytes"] == turn["context_tokens_used"] * 23_040
        assert memory["process_bytes"] > memory["kv_reserved_bytes"]
        assert memory["weights_bytes"] > 90 * 1024**2
        assert memory["recurrent_bytes"] == 0
    assert first["cached_tokens"] == 0
    # A turn that ended by itself ends with a token that is sampled but not kept.
    assert second["cached_tokens"] == first["context_tokens_used"]


@pytest.mark.model
def test_without_a_number_the_context_grows_as_needed(starter: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["chat", "-m", str(starter), "--temp", "0", "--json", "-n", "4", "-p", "Hello."]) == 0
    turn = json.loads(capsys.readouterr().out)
    assert (turn["n_ctx"], turn["n_ctx_max"], turn["context_growths"]) == (4096, 8192, [])
    assert turn["memory"]["kv_reserved_bytes"] == 4096 * 23_040


@pytest.mark.model
def test_text_is_the_answer_alone(starter: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert chat(starter, "-p", "Say hello.", "-n", "12") == 0
    plain = capsys.readouterr()
    assert chat(starter, "-p", "Say hello.", "-n", "12", "--json") == 0
    assert plain.out == json.loads(capsys.readouterr().out)["text"] + "\n"


@pytest.mark.model
def test_in_process_answers_the_same(starter: Path) -> None:
    """In a process of its own: native code must not be able to end the tests."""
    texts = []
    for extra in ([], ["--in-process"]):
        command = [sys.executable, "-m", "app", "chat", "-m", str(starter), "-p", "Count.", "-n", "8", "--temp", "0"]
        texts.append(subprocess.run([*command, *extra], cwd=ROOT, capture_output=True, check=True, text=True).stdout)
    assert texts[0] == texts[1] != ""


@pytest.mark.model
def test_a_prompt_from_a_pipe(starter: Path) -> None:
    command = [sys.executable, "-m", "app", "chat", "-m", str(starter), "-n", "4", "--json"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, check=True, text=True, input="Grüße, 世界 🙂")
    assert json.loads(done.stdout)["completion_tokens"] == 4


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["-m", "no such file.gguf", "-p", "x"], "does not exist"),
        (["-m", ".", "-p", "x"], "is a folder"),
        (["-p", "  "], "empty"),
        (["-p", "x", "-ctv", "q8_0", "-fa", "off"], "needs flash attention"),
        (["-p", "x", "-c", "99999999"], "choose at most"),
        (["-p", "word " * 2000, "-c", "512"], "the context holds 512"),
    ],
)
def test_bad_input_is_status_2_and_one_line(
    arguments: list[str], said: str, starter: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["chat", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out.strip() == ""
    (line,) = [line for line in err.splitlines() if "repacks weights" not in line]
    assert said in line


def test_an_architecture_llama_cpp_does_not_know(
    starter: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    strange = tmp_path / "strange.gguf"
    strange.write_bytes(starter.read_bytes().replace(b"llama", b"lmaxx"))
    assert main(["chat", "-m", str(strange), "-p", "x"]) == 2
    assert "architecture this llama.cpp does not know" in capsys.readouterr().err


@pytest.mark.model
@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
def test_an_engine_that_dies_is_status_3(starter: Path, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(
        "import os, sys\n"
        "if 'app.engine.llama.child' in sys.orig_argv:\n"
        "    from app.engine.llama.context import LlamaContext\n"
        "    LlamaContext.decode_one = lambda *_: os.abort()\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "app", "chat", "-m", str(starter), "-p", "Tell a story."],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        check=False,
    )
    assert done.returncode == 3
    assert "SIGABRT" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.model
@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
def test_interrupt_ends_the_answer_and_keeps_it(starter: Path) -> None:
    command = [sys.executable, "-m", "app", "chat", "-m", str(starter), "-p", "Tell a very long story.", "--seed", "1"]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    begun = process.stdout.read(20)
    process.send_signal(signal.SIGINT)
    rest, errors = process.communicate(timeout=30)
    assert process.returncode == 130
    assert (begun + rest).strip()
    assert b"Traceback" not in errors


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="a display is always there")
def test_without_a_display_the_window_names_the_terminal() -> None:
    environment = {
        name: value
        for name, value in os.environ.items()
        if name not in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    }
    for display in ({}, {"DISPLAY": ":4711"}):
        done = subprocess.run(
            [sys.executable, "-m", "app"],
            cwd=ROOT,
            capture_output=True,
            text=True,
            env={**environment, **display},
            check=False,
        )
        assert done.returncode == 2
        assert done.stderr.count("\n") == 1
        assert "tokometer chat" in done.stderr


@pytest.mark.model
def test_doctor_reports_versions_devices_self_test_and_folders(
    starter: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["doctor", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["versions"]["llama_cpp_python"]
    assert any(device["kind"] == "cpu" and device["total_bytes"] > 0 for device in report["devices"])
    assert "CPU" in report["backends"]
    assert report["self_test"]["passed"] is True
    assert report["self_test"]["weight_repacking_is_safe"] in (True, False)
    assert report["paths"]["data"] == str(paths().data)
    assert main(["doctor"]) == 0
    assert "Self test" in capsys.readouterr().out
