"""`tokometer bench`: llama-bench's tests, tables and field names, by this program's engine."""

from __future__ import annotations

import signal
import sys
from typing import TYPE_CHECKING, Any

from app.bench.ceilings import ceilings_of, improved, measure_memory_read
from app.bench.markdown import Table, document
from app.bench.plan import make_plan
from app.bench.report import csv_text, fields, json_line, json_text
from app.bench.runner import BenchRun, RowMeasured, RunFinished, RunProgressed, RunRefused
from app.chat.message import new_id
from app.cli.bench_options import bench_grid
from app.cli.telling import tell
from app.engine.factory import make_engine
from app.engine.model_file import check_model_file
from app.errors import BadInputError, EngineError, StorageError
from app.paths import paths
from app.storage.store import Store

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from app.bench.plan import BenchGrid
    from app.bench.row import BenchRow
    from app.telemetry.ceilings import Ceiling

_INTERRUPTED = 130


def run(options: argparse.Namespace) -> int:
    """Measure, print and keep the results; returns the exit status."""
    if options.ceilings:
        return _show_ceiling(options.output)
    grid = bench_grid(options)
    plan = make_plan(grid)
    for model in grid.models:
        check_model_file(model)
    engine = make_engine(paths().data)
    bench = BenchRun(engine, plan, grid.repetitions, grid.warm_up)
    previous = signal.signal(signal.SIGINT, lambda *_: bench.cancel())
    output = _Output(options.output, grid)
    status = 0
    try:
        for event in bench.run():
            _Progress.show(event)
            match event:
                case RowMeasured(row):
                    output.add(row)
                case RunRefused():
                    _complain(event)
                    status = max(
                        status, BadInputError.exit_status if event.fault == "bad_input" else EngineError.exit_status
                    )
                case RunFinished(cancelled=True):
                    status = _INTERRUPTED
    finally:
        engine.close()
        signal.signal(signal.SIGINT, previous)
    output.end()
    _keep(output.rows)
    return status


def _complain(event: RunRefused) -> None:
    about = [] if event.model.name in event.reason else [event.model.name]
    about += [event.test.name] if event.test is not None else []
    tell(": ".join([*about, event.reason]))


class _Output:
    """Prints each result as soon as the format allows."""

    def __init__(self, form: str, grid: BenchGrid) -> None:
        self._form = form
        self._grid = grid
        self._table: Table | None = None
        self.rows: list[BenchRow] = []

    def add(self, row: BenchRow) -> None:
        """Take one result."""
        self.rows.append(row)
        if self._form == "jsonl":
            print(json_line(fields(row)), end="", flush=True)
        elif self._form == "md" and row.method == "llama-bench":
            if self._table is None:
                self._table = Table(self._grid, row.subject.environment.backends)
                print(self._table.header(), end="")
            print(self._table.line(row), end="", flush=True)

    def end(self) -> None:
        """Print what had to wait for all results."""
        if self._form == "json":
            print(json_text(fields(row) for row in self.rows), end="")
        elif self._form == "csv":
            print(csv_text(fields(row) for row in self.rows), end="")
        elif self._form == "md" and self.rows:
            print(document(self.rows, self._grid, first_is_printed=self._table is not None), end="")
        sys.stdout.flush()


class _Progress:
    """What is being done, on standard error, when that is a terminal."""

    @staticmethod
    def show(event: object) -> None:
        """Rewrite the line, or clear it before something else is printed."""
        if not sys.stderr.isatty():
            return
        text = ""
        if isinstance(event, RunProgressed):
            text = f"[{event.done + 1}/{event.total}] {event.model.name} {event.step.replace('_', ' ')}"
            if event.test is not None:
                text += f" {event.test.name}" + (f", {event.repetition}" if event.repetition else "")
            if event.seconds_left is not None:
                text += f", about {event.seconds_left:.0f} s left"
        print(f"\r\033[K{text[:100]}", end="", file=sys.stderr, flush=True)


def _keep(rows: Sequence[BenchRow]) -> None:
    """Put the results and the ceilings they raise into the store; without one the results are printed all the same."""
    if not rows:
        return
    try:
        store = Store(paths().database_file)
    except StorageError as error:
        tell(f"the results are not kept: {error}")
        return
    try:
        store.add_bench_results(new_id(), [fields(row) for row in rows])
        known = store.ceilings(rows[0].subject.machine)
        store.set_ceilings(improved(known, ceilings_of(rows)))
    except StorageError as error:
        tell(f"the results are not kept: {error}")
    finally:
        store.close()


def _show_ceiling(form: str) -> int:
    """Measure how fast memory is read; print that beside what else is known of this machine's ceilings."""
    measured = measure_memory_read()
    known = [measured]
    try:
        store = Store(paths().database_file)
        try:
            store.set_ceilings([measured])
            known = store.ceilings(measured.machine)
        finally:
            store.close()
    except StorageError as error:
        tell(f"the result is not kept: {error}")
    if form == "md":
        for each in known:
            unit = "GFLOP/s" if each.kind == "prefill" else "GB/s"
            print(f"{each.kind:<12} {each.device:<6} {each.value / 1e9:10.2f} {unit:<7}", end="  ")
            print(f"{each.measured_at:%Y-%m-%d}  {each.source}")
        return 0
    values = [_ceiling_fields(each) for each in known]
    if form == "jsonl":
        print("".join(json_line(each) for each in values), end="")
    else:
        print(json_text(values) if form == "json" else csv_text(values), end="")
    return 0


def _ceiling_fields(ceiling: Ceiling) -> dict[str, Any]:
    return {
        "kind": ceiling.kind,
        "device": ceiling.device,
        "value": round(ceiling.value),
        "unit": "FLOP/s" if ceiling.kind == "prefill" else "bytes/s",
        "measured_at": ceiling.measured_at.isoformat(timespec="seconds"),
        "machine": ceiling.machine,
        "source": ceiling.source,
    }
