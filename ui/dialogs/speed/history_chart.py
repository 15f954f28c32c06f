"""Times of many turns against a length, with the curve fitted to them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QEvent, Qt, Signal, Slot
from PySide6.QtWidgets import QFrame, QLabel, QStackedWidget, QVBoxLayout, QWidget

from ui.formatting import duration, duration_unit, labelled, tokens
from ui.panels.band import BandItem
from ui.panels.canvas import Canvas
from ui.panels.empty import EmptyState
from ui.panels.marks import Mark, Shape
from ui.panels.stacked import Points
from ui.panels.ticks import value_axis, whole_ticks

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from PySide6.QtGui import QKeyEvent

    from app.telemetry.speed import Band
    from ui.theme import Theme

FIRST = Mark("prefill", Shape.DOT)
SECOND = Mark("compute", Shape.DIAMOND)
FITTED = Mark("text", Shape.LINE, dash=Qt.PenStyle.DashDotLine)
_PIXELS_PER_LABEL = 64
_USUAL_PERCENT = 99.0
"""A machine that slept in the middle of an answer must not flatten all others."""


class HistoryChart(QFrame):
    """Dots and diamonds: two runs; a line with its ground: what is expected of the first.

    Signals:
        told: what is under the pointer or the keyboard's cursor; empty for nothing.
    """

    told = Signal(str)

    def __init__(self, theme: Theme, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setProperty("role", "plot")
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._title = QLabel()
        self._title.setProperty("role", "title")
        self._empty = EmptyState()
        self.canvas = Canvas(theme, "", can_scroll=False, parent=self)
        self.band = BandItem(theme, FITTED)
        self.first = Points(theme, FIRST)
        self.second = Points(theme, SECOND)
        for item in (self.band, self.first, self.second):
            self.canvas.add_pixel_item(item)
        self.curve = self.canvas.add_curve(FITTED)
        self.canvas.hovered.connect(self._on_hovered)
        self.canvas.left.connect(self._on_left)
        self._pages = QStackedWidget()
        self._pages.addWidget(self._empty)
        self._pages.addWidget(self.canvas.widget)
        rows = QVBoxLayout(self)
        rows.setContentsMargins(4, 4, 4, 4)
        rows.addWidget(self._title)
        rows.addWidget(self._pages, 1)
        self.setMinimumHeight(140)
        theme.changed.connect(self._restyle)

    def set_words(self, title: str, x_caption: str, nothing: str) -> None:
        """Say what is drawn, what the x axis counts, and what an empty chart waits for."""
        self._title.setText(title)
        self.setAccessibleName(title)
        self.canvas.set_caption(x_caption)
        self._empty.set_text(nothing)

    def draw(
        self,
        first: tuple[NDArray[np.float64], NDArray[np.float64]],
        second: tuple[NDArray[np.float64], NDArray[np.float64]],
        band: Band | None,
    ) -> None:
        """Show two runs, each as tokens and seconds of shape (k,), and the curve of the first."""
        xs, ys = np.concatenate([first[0], second[0]]), np.concatenate([first[1], second[1]])
        self._pages.setCurrentIndex(1 if len(xs) else 0)
        if not len(xs):
            return
        width, height = self.canvas.size
        end = float(max(xs.max() * 1.05, 16.0))
        top, ticks = value_axis(float(np.percentile(ys, _USUAL_PERCENT)) * 1.1, height, duration_unit)
        self.canvas.set_ranges((0.0, end), (0.0, top))
        self.canvas.set_ticks("left", ticks)
        self.canvas.set_ticks("bottom", labelled(whole_ticks(0, end, int(width // _PIXELS_PER_LABEL))))
        self.first.set_points(*first)
        self.second.set_points(*second)
        nothing = np.empty(0)
        if band is None:
            self.curve.setData(nothing, nothing)
            self.band.set_band(nothing, nothing, nothing)
        else:
            self.curve.setData(band.tokens, band.value_s, skipFiniteCheck=True)
            self.band.set_band(band.tokens, band.low_s, band.high_s)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        keys = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
        if event.key() not in keys or not len(self.first.xs):
            super().keyPressEvent(event)
            return
        order = np.argsort(self.first.xs, kind="stable")
        self._cursor = (self._cursor + keys[Qt.Key(event.key())]) % len(order) if self._cursor >= 0 else 0
        self._tell(self.first, int(order[self._cursor]))

    _cursor = -1

    @Slot(float, float)
    def _on_hovered(self, x: float, y: float) -> None:
        nearest = None
        end, top = self.canvas.x_range[1], self.canvas.top or 1.0
        for item in (self.first, self.second):
            if len(item.xs):
                distances = ((item.xs - x) / end) ** 2 + ((item.ys - y) / top) ** 2
                index = int(np.argmin(distances))
                if nearest is None or distances[index] < nearest[0]:
                    nearest = (float(distances[index]), item, index)
        if nearest is not None:
            self._tell(nearest[1], nearest[2])

    def _tell(self, item: Points, index: int) -> None:
        x, y = float(item.xs[index]), float(item.ys[index])
        self.canvas.show_cross_hair(x)
        self.told.emit(self.tr("{tokens}: {time}").format(tokens=tokens(round(x)), time=duration(y)))

    @Slot()
    def _on_left(self) -> None:
        self.canvas.show_cross_hair(None)
        self.told.emit("")

    @Slot()
    def _restyle(self) -> None:
        self.canvas.restyle()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.FocusOut:
            self._on_left()
        return super().event(event)
