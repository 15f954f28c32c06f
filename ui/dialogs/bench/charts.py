"""Reading and writing speed as bars, a group per test, a colour per model and settings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from app.bench.row import phase_speeds
from app.bench.stored import row_from
from ui.dialogs.bench.bars import GROUP_WIDTH, SERIES, Bar, ErrorBars
from ui.formatting import Unit
from ui.panels.canvas import Canvas
from ui.panels.legend import Entry, Legend
from ui.panels.looks import MISSING
from ui.panels.ticks import value_axis
from ui.translation import localised

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.bench.compare import Comparison
    from ui.theme import Theme

Phase = Literal["pp", "tg"]
_HEADROOM = 1.12
_BETWEEN_NAMES = 6
"""Pixels at least between the names below two groups."""


class PhaseChart(QFrame):
    """One phase of every test that tells it."""

    def __init__(self, theme: Theme, phase: Phase, title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(f"bench_{phase}_chart")
        self.setProperty("role", "plot")
        self._phase = phase
        self._title = title
        heading = QLabel(title)
        heading.setTextFormat(Qt.TextFormat.PlainText)
        self.reading = QLabel()
        self.reading.setTextFormat(Qt.TextFormat.PlainText)
        self.reading.setProperty("role", "muted")
        self.canvas = Canvas(theme, "", can_scroll=False, parent=self)
        self.bars = ErrorBars(theme, MISSING)
        self.canvas.add_pixel_item(self.bars)
        self._largest = 0.0
        self._names: tuple[str, ...] = ()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 6, 8, 6)
        layout.setSpacing(2)
        layout.addWidget(heading)
        layout.addWidget(self.canvas.widget, 1)
        layout.addWidget(self.reading)
        self.canvas.hovered.connect(self._on_hovered)
        self.canvas.left.connect(self._on_left)
        self.canvas.resized.connect(self._show_ranges)
        theme.changed.connect(self._restyle)

    def show_comparison(self, comparison: Comparison, headings: Sequence[str]) -> None:
        """Draw the bars."""
        groups: list[tuple[str, list[Bar]]] = []
        width = GROUP_WIDTH / max(len(headings), 1)
        for name, cells in zip(comparison.names, comparison.cells, strict=True):
            middle, bars = len(groups) + 1, []
            for index, (cell, heading) in enumerate(zip(cells, headings, strict=True)):
                row = row_from(cell.values) if cell is not None else None
                speed = phase_speeds(row).get(self._phase) if row is not None else None
                if row is None or speed is None:
                    continue
                place = index - (len(headings) - 1) / 2
                about = f"{name}, {heading}" if len(headings) > 1 else name
                text = f"{about}: {speed[0]:.2f} ± {speed[1]:.2f} t/s. {localised(row.disturbance)}".rstrip(". ") + "."
                bars.append(Bar(middle, place, width, *speed, SERIES[index % len(SERIES)], bool(row.disturbance), text))
            if bars:
                groups.append((name, bars))
        shown = [bar for _, bars in groups for bar in bars]
        self.bars.set_bars(shown)
        self._largest = max((bar.height + bar.deviation for bar in shown), default=0.0)
        self._names = tuple(name for name, _ in groups)
        self.setAccessibleName(self._title)
        self.setAccessibleDescription(" ".join(bar.text for bar in shown))
        self.setVisible(bool(shown))
        self._on_left()
        self._show_ranges()

    @Slot()
    def _restyle(self) -> None:
        self.canvas.restyle()
        self._show_ranges()

    @Slot()
    def _show_ranges(self) -> None:
        unit = Unit(1.0, self.tr("t/s"))
        top, ticks = value_axis(self._largest * _HEADROOM, self.canvas.size[1], lambda _largest: unit)
        groups = max(len(self._names), 1)
        self.canvas.set_ranges((0.5, groups + 0.5), (0.0, top))
        self.canvas.set_ticks("left", ticks)
        room = self.canvas.size[0] / groups - _BETWEEN_NAMES
        shown = [self.canvas.elided(name, room) for name in self._names]
        self.canvas.set_ticks("bottom", [(float(place), name) for place, name in enumerate(shown, 1)])

    @Slot(float, float)
    def _on_hovered(self, x: float, _y: float) -> None:
        bar = self.bars.bar_at(x)
        self.reading.setText(bar.text if bar is not None else "")

    @Slot()
    def _on_left(self) -> None:
        self.reading.setText(self.tr("Whiskers: standard deviation. Crosses: disturbed."))


class BenchCharts(QWidget):
    """Both phases beside each other; their scales have nothing in common."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.prefill = PhaseChart(theme, "pp", self.tr("Reading prompts (pp), tokens per second"))
        self.decode = PhaseChart(theme, "tg", self.tr("Writing (tg), tokens per second"))
        self.legend = Legend(theme)
        charts = QHBoxLayout()
        charts.setSpacing(8)
        charts.addWidget(self.prefill, 1)
        charts.addWidget(self.decode, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addLayout(charts, 1)
        layout.addWidget(self.legend)

    def show_comparison(self, comparison: Comparison, headings: Sequence[str]) -> None:
        """Draw this."""
        for chart in (self.prefill, self.decode):
            chart.show_comparison(comparison, headings)
        several = len(headings) > 1
        marks = [SERIES[index % len(SERIES)] for index in range(len(headings))]
        entries = [Entry(mark, heading) for mark, heading in zip(marks, headings, strict=True)]
        self.legend.set_entries(entries if several else ())
