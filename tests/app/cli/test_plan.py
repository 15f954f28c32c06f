"""`tokometer plan`: the contract of its JSON, what it says to people, and what is an error."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from app.cli import main

if TYPE_CHECKING:
    from pathlib import Path

CONTRACT = {
    "arch", "n_params", "n_ctx", "weights_bytes", "kv_bytes", "recurrent_bytes", "compute_bytes", "output_bytes",
    "total_bytes", "kv_bytes_per_token", "kv_class", "max_n_ctx_that_fits", "n_gpu_layers", "devices",
}  # fmt: skip


@pytest.fixture
def plan(capsys: pytest.CaptureFixture[str]):
    def run(*arguments: object) -> tuple[int, str, str]:
        status = main(["plan", *map(str, arguments)])
        out, err = capsys.readouterr()
        return status, out, err

    return run


def test_json_is_the_contract(plan, starter: Path) -> None:
    status, out, err = plan(starter, "-c", 2000, "--json", "-ngl", 0)
    report = json.loads(out)
    assert (status, err) == (0, "")
    assert report.keys() >= CONTRACT
    assert (report["arch"], report["n_params"], report["n_ctx"]) == ("llama", 134_515_008, 2048)
    assert report["kv_bytes"] == 2048 * 23_040
    assert report["kv_bytes_per_token"] == 23_040
    assert report["total_bytes"] == sum(
        report[f"{kind}_bytes"] for kind in ("weights", "kv", "recurrent", "compute", "output")
    )
    (cpu,) = report["devices"]
    assert cpu.keys() >= {"name", "kind", "total_bytes", "free_bytes", "used_bytes"}
    assert (cpu["name"], cpu["kind"], cpu["used_bytes"]) == ("CPU", "cpu", report["total_bytes"])


def test_without_a_length_the_model_is_planned_as_trained(plan, starter: Path) -> None:
    report = json.loads(plan(starter, "--json")[1])
    assert report["n_ctx"] == report["n_ctx_train"] == 8192


def test_llama_cpps_flags_change_the_plan(plan, architectures: Path) -> None:
    path = architectures / "gemma3-dense.gguf"
    usual = json.loads(plan(path, "-c", 4096, "--json")[1])
    whole = json.loads(plan(path, "-c", 4096, "--json", "--swa-full")[1])
    small = json.loads(plan(path, "-c", 4096, "--json", "--ubatch", 128, "-ctk", "q8_0", "-ctv", "q8_0")[1])
    assert whole["kv_bytes"] > usual["kv_bytes"] > small["kv_bytes"]
    assert small["compute_bytes"] < usual["compute_bytes"]


def test_a_table_for_people(plan, starter: Path) -> None:
    status, out, _ = plan(starter, "-c", 4096)
    assert status == 0
    assert "92.10 MiB  90.00 MiB" in out
    for words in ("full attention", "23,040 bytes per token", "It fits", "measured by a dry run", "8,192"):
        assert words in out


def test_several_files_are_compared(plan, architectures: Path) -> None:
    paths = [architectures / f"{name}.gguf" for name in ("llama-dense", "mamba-dense", "deepseek4-moe")]
    _, out, _ = plan(*paths, "-c", 1024)
    assert [line.split()[0] for line in out.splitlines()[1:4]] == [path.name for path in paths]
    reports = json.loads(plan(*paths, "-c", 1024, "--json")[1])
    assert [report["arch"] for report in reports] == ["llama", "mamba", "deepseek4"]


def test_the_largest_context_per_type(plan, architectures: Path) -> None:
    path = architectures / "deepseek2-moe.gguf"
    assert json.loads(plan(path, "--max", "--json")[1])["max_n_ctx_by_kv_type"]["q8_0"] == 256
    assert "q4_0" in plan(path, "--max")[1]


def test_what_does_not_fit_is_no_error(plan, starter: Path) -> None:
    status, out, _ = plan(starter, "-c", 3_000_000)
    assert status == 0
    assert "does not fit" in out
    assert "missing" in out


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (("-ctv", "q8_0", "-fa", "off"), "flash attention"),
        (("-dev", "CUDA9"), "CUDA9"),
        (("--rpc", "127.0.0.1:1"), ":1"),
    ],
)
def test_what_cannot_be_is_one_line(plan, arguments: tuple[str, ...], word: str, starter: Path) -> None:
    status, out, err = plan(starter, "-c", 512, *arguments)
    assert status == (3 if "--rpc" in arguments else 2)
    assert out == ""
    assert err.count("\n") == 1
    assert word in err


def test_a_bad_file_is_one_line(plan, tmp_path: Path) -> None:
    path = tmp_path / "bad.gguf"
    path.write_bytes(b"GGUF")
    status, out, err = plan(path)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert "bad.gguf" in err
