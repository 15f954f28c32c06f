"""The legend: how its entries wrap, and that what is kept of that follows values, width and font."""

from __future__ import annotations

from PySide6.QtCore import QPointF
from PySide6.QtGui import QFontMetricsF

from ui.panels.legend import Entry, Legend
from ui.panels.looks import KV_USED, WEIGHTS


def shown(qtbot, theme, entries: list[Entry]) -> Legend:
    legend = Legend(theme)
    qtbot.addWidget(legend)
    legend.resize(240, 40)
    legend.set_entries(entries)
    return legend


def test_longer_values_take_another_row(qtbot, theme) -> None:
    legend = shown(qtbot, theme, [Entry(WEIGHTS, "weights", "1"), Entry(KV_USED, "KV", "1")])
    line = legend.heightForWidth(240)
    assert legend.entry_at(QPointF(239, line / 2)).label == "KV"
    legend.set_entries([Entry(WEIGHTS, "weights", "123.456.789 MiB"), Entry(KV_USED, "KV", "123.456.789 MiB")])
    assert legend.heightForWidth(240) == 2 * line
    assert legend.entry_at(QPointF(239, line / 2)).label == "weights"
    assert legend.entry_at(QPointF(1, 1.5 * line)).label == "KV"
    assert legend.heightForWidth(1000) == line


def test_a_larger_font_wraps_anew(qtbot, theme) -> None:
    legend = shown(qtbot, theme, [Entry(WEIGHTS, "weights", "12 MiB"), Entry(KV_USED, "KV used", "13 MiB")])
    assert legend.heightForWidth(240) == round(QFontMetricsF(legend.font()).height() + 1)
    theme.set_zoom(2.0)
    assert legend.heightForWidth(240) == round(2 * (QFontMetricsF(legend.font()).height() + 1))


def test_only_another_number_of_rows_asks_for_a_layout(qtbot, theme) -> None:
    class Counted(Legend):
        asked = 0

        def updateGeometry(self) -> None:
            self.asked += 1
            super().updateGeometry()

    legend = Counted(theme)
    qtbot.addWidget(legend)
    legend.resize(240, 40)
    legend.set_entries([Entry(WEIGHTS, "weights", "1 MiB")])
    asked = legend.asked
    legend.set_entries([Entry(WEIGHTS, "weights", "2 MiB")])
    assert legend.asked == asked
    legend.set_entries([])
    assert legend.asked == asked + 1
