"""From a move of the context slider to the bar painted anew, on real planners; dry runs go on meanwhile.

    QT_QPA_PLATFORM=offscreen python tests/benchmarks/bench_load_dialog.py

`while measuring` are the moves made while the measuring process was at work: they must not wait for it.
"""

from __future__ import annotations

import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication

from app.engine.config import ModelConfig
from app.engine.dry_run import DryRuns
from app.settings import LoadSettings
from app.telemetry.planner import Planner
from tests.benchmarks.yardstick import model_file, percentile, spread, table
from tests.sparse_model import write_sparse_model
from ui.dialogs.load.dialog import MEASURE, LoadSettingsDialog
from ui.planner_worker import PlannerWorker
from ui.theme import Scheme, Theme

MOVES = 120
LIMIT_MS = 100.0


@dataclass
class NoModel:
    """What the dialog asks of the `ModelController`."""

    model: None = None
    holds_servers: bool = False


class Painted(QObject):
    """Notes when a widget was painted last."""

    at_s = 0.0

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint:
            self.at_s = time.perf_counter()
        return False


def run(application: QApplication, theme: Theme, path: Path, folder: Path) -> tuple[list[float], list[float]]:
    """Return seconds per move, and of those the ones made while a dry run was under way."""
    measuring = DryRuns(folder)
    worker = PlannerWorker(lambda: (Planner(measuring.twin()), Planner(measuring)))
    dialog = LoadSettingsDialog(
        theme, LoadSettings(n_ctx=4096), path, lambda load: ModelConfig(path, **asdict(load)), worker, NoModel()
    )
    dialog.show()
    while not dialog.outcome.bars:
        application.processEvents()
    painted = Painted()
    dialog.outcome.bars[0].installEventFilter(painted)
    slider = dialog.form.context.slider
    times, busy = [], []
    for move in range(MOVES):
        config = dialog._make_config(dialog.value())
        if move % 4 == 0:  # a dry run begins right before the move
            worker.measure(MEASURE, config, dialog._devices, lambda _plan: None)
        begin = time.perf_counter()
        slider.setValue((slider.value() + 7) % slider.maximum())
        wanted = dialog.value().n_ctx  # a multiple of 256, so not padded
        while dialog.outcome.plan.n_ctx != wanted or painted.at_s < begin:
            application.processEvents()
        times.append(painted.at_s - begin)
        if move % 4 == 0:
            busy.append(times[-1])
    dialog.reject()
    worker.shutdown()
    return times, busy


def main() -> int:
    """Print the times; the exit status tells whether the slowest twentieth is within the limit."""
    application = QApplication.instance() or QApplication(sys.argv[:1])
    theme = Theme(application, Scheme.LIGHT)
    worst = 0.0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        huge = write_sparse_model(folder / "huge.gguf", model_file())
        for title, path in (("starter model", model_file()), ("70B, 68 GiB", huge)):
            times, busy = run(application, theme, path, folder / path.stem)
            p95 = percentile(times, 95) * 1000
            worst = max(worst, p95)
            rows = [
                ("every move", spread(times, " ms", 1000)),
                ("while measuring", spread(busy, " ms", 1000)),
                ("p95", f"{p95:.3g} ms (limit {LIMIT_MS:g})"),
            ]
            table(f"Slider to bar: {title}", rows)
    return int(worst > LIMIT_MS)


if __name__ == "__main__":
    sys.exit(main())
