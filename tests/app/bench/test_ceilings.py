"""Ceilings: what they are made of, when they are refused, and that the best one stays."""

from __future__ import annotations

from collections import namedtuple
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import psutil
import pytest

from app.bench import ceilings
from app.bench.caches import ASSUMED_BYTES, last_level_cache_bytes
from app.bench.ceilings import ceilings_from, improved, measure_memory_read
from app.bench.fingerprint import machine_key, usable_cpus
from app.engine.bench import BenchTest
from app.engine.fingerprint import model_fingerprint
from app.engine.gguf import read_header
from app.errors import BadInputError
from app.telemetry.ceilings import Ceiling
from tests.app.bench.rows import SUBJECT, row
from tests.fakes import FAKE_ENVIRONMENT

if TYPE_CHECKING:
    from pathlib import Path

Battery = namedtuple("Battery", "percent secsleft power_plugged")
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
GPU = replace(SUBJECT, environment=replace(FAKE_ENVIRONMENT, backends="CUDA", n_gpu_layers=-1))


def on_battery(monkeypatch: pytest.MonkeyPatch, battery: Battery | None) -> None:
    monkeypatch.setattr(psutil, "sensors_battery", lambda: battery, raising=False)


def ceiling(value: float, kind: str = "prefill", device: str = "CPU") -> Ceiling:
    return Ceiling(kind, "machine", device, value, NOON, "")


def test_memory_is_read_faster_than_a_disk_and_slower_than_registers(monkeypatch: pytest.MonkeyPatch) -> None:
    on_battery(monkeypatch, None)
    measured = measure_memory_read()
    assert (measured.kind, measured.device, measured.machine) == ("memory_read", "CPU", machine_key())
    assert 2e8 < measured.value < 5e12


def test_a_low_battery_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    on_battery(monkeypatch, Battery(12.0, 600, False))
    with pytest.raises(BadInputError, match="battery with 12% left"):
        measure_memory_read()


@pytest.mark.parametrize("battery", [Battery(12.0, 600, True), Battery(80.0, 6000, False), None])
def test_a_charging_or_full_battery_is_not(monkeypatch: pytest.MonkeyPatch, battery: Battery | None) -> None:
    on_battery(monkeypatch, battery)
    ceilings.check_battery()


def test_buffers_are_four_caches_and_at_most_a_quarter_of_what_is_free() -> None:
    gib = 1024**3
    assert ceilings._buffer_bytes(4, gib, 16 * gib) * 4 == 4 * gib
    with pytest.raises(BadInputError, match=r"needs 4\.0 GiB"):
        ceilings._buffer_bytes(4, gib, 15 * gib)


def cache(folder: Path, level: int, kind: str, shared_by: str, size: str) -> None:
    folder.mkdir(parents=True)
    for name, text in (("level", level), ("type", kind), ("shared_cpu_list", shared_by), ("size", size)):
        (folder / name).write_text(f"{text}\n")


def test_last_level_caches_are_added_up_and_each_counted_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.bench.caches.usable_cpus", lambda: (0, 1, 2))
    for number, shared_by in enumerate(("0-1", "0-1", "2-3")):
        folder = tmp_path / f"cpu{number}" / "cache"
        cache(folder / "index0", 1, "Data", str(number), "48K")
        cache(folder / "index1", 1, "Instruction", str(number), "64K")
        cache(folder / "index3", 3, "Unified", shared_by, "32768K")
    assert last_level_cache_bytes(tmp_path) == 2 * 32 * 1024**2


def test_where_the_system_does_not_say_a_large_cache_is_assumed(tmp_path: Path) -> None:
    assert last_level_cache_bytes(tmp_path) == ASSUMED_BYTES


def test_a_machine_is_known_by_its_usable_cpus(monkeypatch: pytest.MonkeyPatch) -> None:
    before = machine_key()
    assert before == machine_key()
    monkeypatch.setattr("app.bench.fingerprint.usable_cpus", lambda: (*usable_cpus(), 99))
    assert machine_key() != before


def test_a_file_is_known_by_its_content(tmp_path: Path) -> None:
    first, second, longer = (tmp_path / name for name in "abc")
    first.write_bytes(bytes(9_000_000))
    second.write_bytes(bytes(8_999_999) + b"x")
    longer.write_bytes(bytes(9_000_001))
    prints = [model_fingerprint(path) for path in (first, second, longer)]
    assert len(set(prints)) == 3
    renamed = first.rename(tmp_path / "d")
    assert model_fingerprint(renamed) == prints[0]


def test_prefill_gives_flop_per_second_of_the_fastest_repetition(starter: Path) -> None:
    header = read_header(starter)
    (found,) = ceilings_from(row(BenchTest(512), 2_000_000_000, 2_050_000_000), header)
    assert (found.kind, found.device, found.measured_at) == ("prefill", "CPU", NOON)
    # Matrices without the tied embedding, the output matrix once, attention over half the prompt; in two seconds.
    operations = 2 * 106.2e6 * 512 + 2 * 49152 * 576 + 4 * 30 * 576 * 512 * 513 / 2
    assert found.value == pytest.approx(operations / 2, rel=1e-3)
    assert "pp512 of llama 135M Q4_1" in found.source


def test_a_gpus_decode_gives_the_bytes_it_read(starter: Path) -> None:
    header = read_header(starter)
    (found,) = ceilings_from(row(BenchTest(0, 128), 1_000_000_000, subject=GPU), header)
    assert (found.kind, found.device) == ("device_read", "CUDA")
    assert found.value == pytest.approx(128 * 92.10 * 1024**2, rel=1e-3)


@pytest.mark.parametrize(
    "nothing",
    [
        row(BenchTest(0, 128), 1_000_000_000),  # the CPU's memory is measured, not inferred
        row(BenchTest(512, 128), 1_000_000_000),
        row(BenchTest(512, 0, 1024), 1_000_000_000),
        row(BenchTest(512), 1_000_000_000, 2_000_000_000),
        row(BenchTest(512), 1_000_000_000, others_cpu=0.9),
        row(BenchTest(64, 8, n_parallel=2), 1_000_000_000, method="llama-batched-bench"),
        row(BenchTest(0, 8), 1_000_000_000, subject=replace(GPU, environment=replace(GPU.environment, n_gpu_layers=9))),
    ],
)
def test_other_results_say_nothing_of_a_ceiling(nothing: object, starter: Path) -> None:
    assert ceilings_from(nothing, read_header(starter)) == []


def test_only_a_better_figure_takes_the_place_of_an_old_one() -> None:
    known = [ceiling(100.0), ceiling(5.0, device="CUDA")]
    found = [ceiling(90.0), ceiling(7.0, device="CUDA"), ceiling(9.0, device="CUDA"), ceiling(1.0, "device_read")]
    assert improved(known, found) == [found[2], found[3]]
