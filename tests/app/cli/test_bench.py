"""`tokometer bench` on the real model: formats, exit status, the store, Ctrl+C."""

from __future__ import annotations

import csv
import io
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from app.cli import main
from app.cli.bench_options import bench_grid
from app.cli.options import parse
from app.paths import paths
from app.storage.store import Store

pytestmark = pytest.mark.usefixtures("known_self_test")

ROOT = Path(__file__).parents[3]
SMALL = ("-p", "16", "-n", "4", "-r", "2")


def bench(starter: Path, *arguments: str) -> int:
    return main(["bench", "-m", str(starter), *arguments])


@pytest.mark.model
def test_json_has_a_result_for_every_test(starter: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert bench(starter, *SMALL, "-npl", "1,2", "-pg", "8,2", "-d", "0,32", "--e2e", "-o", "json") == 0
    results = json.loads(capsys.readouterr().out)
    assert [each["test"] for each in results[:-1]] == [
        "pp16", "tg4", "pp8+tg2", "pp16 @ d32", "tg4 @ d32", "pp8+tg2 @ d32", "pp16+tg4 x 1", "pp16+tg4 x 2",
    ]  # fmt: skip
    for each in results:
        assert each["model_filename"] == str(starter)
        assert each["model_type"] == "llama 256M Q4_1"
        assert len(each["samples_ns"]) == len(each["samples_ts"]) == 2
        assert each["avg_ts"] == pytest.approx(sum(each["samples_ts"]) / 2)
        assert each["n_threads"] >= 1
    one, two = results[6:8]
    assert (one["pl"], two["pl"]) == (1, 2)
    assert two["speed_tg_per_request"] == pytest.approx(two["speed_tg"] / 2)
    chat = results[-1]
    assert chat["method"] == "end-to-end"
    assert chat["n_gen"] == 4
    assert chat["tpot_s"] > 0
    assert chat["ttft_s"] > 0


@pytest.mark.model
def test_results_are_kept_with_the_machine(starter: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert bench(starter, *SMALL, "-o", "jsonl") == 0
    printed = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    store = Store(paths().database_file)
    kept = store.bench_results()
    store.close()
    assert [each.values for each in kept] == printed
    assert len({each.run_id for each in kept}) == 1


@pytest.mark.model
def test_a_table_on_standard_output_alone(starter: Path) -> None:
    command = [sys.executable, "-m", "app", "bench", "-m", str(starter), *SMALL, "-npl", "2"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, check=True, text=True, encoding="utf-8")
    lines = done.stdout.splitlines()
    assert lines[0].startswith("| model                          |       size |     params | backend    | threads |")
    assert lines[0].endswith("            test |                  t/s |")
    assert [line.split("|")[6].strip() for line in lines[2:4]] == ["pp16", "tg4"]
    assert any(line.startswith("|    PP |     TG |    B |   N_KV |") for line in lines)
    assert lines[-1].startswith("build: ")
    assert done.stderr == ""  # progress is for terminals


@pytest.mark.model
def test_csv(starter: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert bench(starter, "-p", "8", "-n", "0", "-r", "1", "-o", "csv") == 0
    (only,) = csv.DictReader(io.StringIO(capsys.readouterr().out))
    assert (only["n_prompt"], only["n_gen"], only["flash_attn"]) == ("8", "0", "-1")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["-m", "no such file.gguf"], "does not exist"),
        (["-m", "."], "is a folder"),
        (["-p", "0", "-n", "0"], "nothing to measure"),
        (["-npl", "2", "-n", "0"], "-npl"),
        (["-p", "8", "-n", "0", "-r", "1", "-ctv", "q8_0", "-fa", "0"], "could not make a context"),
    ],
)
def test_bad_input_is_status_2_and_one_line(
    arguments: list[str], said: str, starter: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["bench", *arguments]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert said in err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["-p", "x"], "x is neither a number nor a range"),
        (["-p", "1-9*1"], "does not end"),
        (["-p", "9-1"], "is empty"),
        (["-p", ""], "128-512+128, is missing"),
        (["-ctk", "f17"], "f17 is not a KV cache type"),
        (["-fa", "maybe"], "neither auto, on nor off"),
        (["-pg", "5"], "not a pair"),
        (["-r", "0"], "not a positive whole number"),
        (["-o", "xml"], "invalid choice"),
    ],
)
def test_bad_flags_are_status_2_and_one_line(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as left:
        parse(["bench", *arguments])
    assert left.value.code == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert said in err


FLAGS = (
    "bench -m a.gguf,b.gguf -m c.gguf -p 64-256*2 -p 512 -n 1-7+3 -pg 512,128 -pg 8,8 -d 0,1024 -npl 1,2,4 -t 1-2 "
    "-b 1024 -ub 128,256 -ngl 0,all -ngl -1 -ctk f16,q8_0 -ctv q8_0 -fa 0,1,auto -r 3 --no-warmup --e2e"
)


def test_llama_benchs_lists_ranges_and_repeated_flags() -> None:
    grid = bench_grid(parse(FLAGS.split()))
    assert [path.name for path in grid.models] == ["a.gguf", "b.gguf", "c.gguf"]
    assert grid.n_prompt == (64, 128, 256, 512)
    assert grid.n_gen == (1, 4, 7)
    assert grid.n_pg == ((512, 128), (8, 8))
    assert (grid.n_depth, grid.n_parallel, grid.n_threads) == ((0, 1024), (1, 2, 4), (1, 2))
    assert (grid.n_batch, grid.n_ubatch, grid.n_gpu_layers) == ((1024,), (128, 256), (0, "all", -1))
    assert (grid.type_k, grid.type_v) == (("f16", "q8_0"), ("q8_0",))
    assert grid.flash_attention == ("off", "on", "auto")
    assert (grid.repetitions, grid.warm_up, grid.end_to_end) == (3, False, True)


@pytest.mark.model
@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
def test_interrupt_prints_what_was_measured(starter: Path) -> None:
    command = [sys.executable, "-m", "app", "bench", "-m", str(starter), "-p", "8", "-n", "4000", "-r", "2"]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")
    assert process.stdout is not None
    begun = [process.stdout.readline() for _ in range(3)]  # heading, rule, pp8
    process.send_signal(signal.SIGINT)
    rest, errors = process.communicate(timeout=30)
    assert process.returncode == 130
    assert " pp8 |" in begun[2]
    assert "build: " in rest
    assert " tg4000 |" not in rest
    assert errors == ""


@pytest.mark.model
@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
def test_an_engine_that_dies_is_status_3_and_one_line(starter: Path, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(
        "import os, sys\n"
        "if 'app.engine.llama.child' in sys.orig_argv:\n"
        "    from app.engine.llama.bench_context import BenchContext\n"
        "    BenchContext.clear = lambda _: os.abort()\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "app", "bench", "-m", str(starter), *SMALL],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        check=False,
    )
    assert done.returncode == 3
    assert done.stderr.count("\n") == 1
    assert "SIGABRT" in done.stderr
    assert done.stdout == ""


def test_ceilings_are_measured_kept_and_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "--ceilings", "-o", "json"]) == 0
    (only,) = json.loads(capsys.readouterr().out)
    assert (only["kind"], only["device"], only["unit"]) == ("memory_read", "CPU", "bytes/s")
    store = Store(paths().database_file)
    (kept,) = store.ceilings(only["machine"])
    store.close()
    assert round(kept.value) == only["value"]
    assert main(["bench", "--ceilings"]) == 0
    assert "GB/s" in capsys.readouterr().out
