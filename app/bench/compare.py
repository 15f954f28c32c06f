"""Results side by side: a row per test, a column per model and settings, each speed against the first column's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

TEST_FIELDS = ("method", "test")
SETTING_FIELDS = (
    "run_id", "model_filename", "quantisation", "n_gpu_layers", "n_threads", "n_batch", "n_ubatch", "type_k", "type_v",
    "flash_attn", "backends", "library", "repack", "machine",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Cell:
    """One result in the table.

    Attributes:
        ratio: its speed over that of the first column that has this test; None in that column itself.
        beyond_spread: whether the two differ by more than their standard deviations together.
    """

    values: Mapping[str, Any]
    ratio: float | None
    beyond_spread: bool


@dataclass(frozen=True, slots=True)
class Comparison:
    """Results side by side.

    Attributes:
        tests: (method, test) of each row, in the order met.
        columns: of each column the settings in which the columns differ.
        cells: one row per test; None where a column lacks it. Of a test measured twice the last counts.
    """

    tests: tuple[tuple[str, str], ...]
    columns: tuple[Mapping[str, Any], ...]
    cells: tuple[tuple[Cell | None, ...], ...]

    @property
    def names(self) -> list[str]:
        """The tests' names; whole answers, which may be named like a pair timed together, say what they are."""
        return [f"{test} (end-to-end)" if method == "end-to-end" else test for method, test in self.tests]


def compare(results: Sequence[Mapping[str, Any]]) -> Comparison:
    """Return results, as `report.fields` gives them (`run_id` may be added), side by side."""
    tests = list(dict.fromkeys(_test(values) for values in results))
    settings = list(dict.fromkeys(_settings(values) for values in results))
    by_place = {(_test(values), _settings(values)): values for values in results}
    differing = [i for i in range(len(SETTING_FIELDS)) if len({each[i] for each in settings}) > 1]
    rows = []
    for test in tests:
        found = [by_place.get((test, each)) for each in settings]
        first = next(values for values in found if values is not None)
        rows.append(tuple(None if values is None else _cell(values, first) for values in found))
    return Comparison(
        tests=tuple((test[0], test[1]) for test in tests),
        columns=tuple({SETTING_FIELDS[i]: each[i] for i in differing} for each in settings),
        cells=tuple(rows),
    )


def _test(values: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(str(values.get(name)) for name in TEST_FIELDS)


def _settings(values: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(values.get(name) for name in SETTING_FIELDS)


def _cell(values: Mapping[str, Any], first: Mapping[str, Any]) -> Cell:
    speed, reference = float(values["avg_ts"]), float(first["avg_ts"])
    if values is first or not reference:
        return Cell(values, None, beyond_spread=False)
    spread = float(values["stddev_ts"]) + float(first["stddev_ts"])
    return Cell(values, speed / reference, beyond_spread=abs(speed - reference) > spread)


def cell_text(cell: Cell | None) -> str:
    """Return `84.10 ± 0.40  +12.3%`; in parentheses a difference that the deviations explain; empty for None."""
    if cell is None:
        return ""
    text = f"{float(cell.values['avg_ts']):.2f} ± {float(cell.values['stddev_ts']):.2f}"
    if cell.ratio is None:
        return text
    difference = f"{(cell.ratio - 1) * 100:+.1f}%".replace("-", "−")
    return f"{text}  {difference}" if cell.beyond_spread else f"{text}  ({difference})"


def comparison_markdown(comparison: Comparison, headings: Sequence[str]) -> str:
    """Return the comparison as a table; `headings` name its columns."""
    lines = ["| test | " + " | ".join(headings) + " |", "| --- |" + " ---: |" * len(headings)]
    for test, cells in zip(comparison.names, comparison.cells, strict=True):
        lines.append(f"| {test} | " + " | ".join(map(cell_text, cells)) + " |")
    return "\n".join(lines) + "\n"
