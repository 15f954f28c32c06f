"""The charts of the bench window: names below the bars that can be told apart."""

from dataclasses import replace

from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QApplication

from app.engine.bench import BenchTest
from tests.app.bench.rows import row
from tests.ui.test_bench import MS, desk, keep, model, open_bench
from ui.dialogs.form_area import FormArea

__all__ = ["desk", "model"]  # fixtures

TESTS = [BenchTest(n_prompt=100, n_depth=depth) for depth in (0, *range(1024, 8192, 1024))]


def test_names_stand_beside_each_other_at_every_size(desk):
    keep(desk, "first", *[row(test, 100 * MS) for test in TESTS])
    dialog = open_bench(desk)
    desk.qtbot.waitUntil(lambda: dialog.results.runs.topLevelItemCount() == 1)
    chart = dialog.results.charts.prefill
    for size in ((1000, 700), (3000, 900)):
        dialog.resize(*size)
        QApplication.processEvents()
        ticks = chart.canvas.ticks("bottom")
        metrics = QFontMetricsF(desk.parts.theme.font(delta_points=-1))
        between = chart.canvas.size[0] / len(TESTS)
        assert len({text for _, text in ticks}) == len(TESTS)
        assert all(metrics.horizontalAdvance(text) < between for _, text in ticks)
    assert [text for _, text in ticks] == ["pp100", *(f"pp100 @ d{test.n_depth}" for test in TESTS[1:])]


def test_the_form_is_whole_beside_results_with_larger_text(desk):
    keep(desk, "first", *[row(test, 100 * MS) for test in TESTS])
    dialog = open_bench(desk)
    desk.qtbot.waitUntil(lambda: dialog.results.runs.topLevelItemCount() == 1)
    area, settings = dialog.findChild(FormArea), desk.parts.settings
    for zoom in (1.5, 1.0):
        settings.set(replace(settings.value, zoom=zoom))
        QApplication.processEvents()
        dialog.resize(dialog.minimumSizeHint())
        desk.qtbot.waitUntil(lambda: area.widget().width() <= area.viewport().width())
