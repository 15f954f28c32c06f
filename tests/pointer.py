"""A mouse on a chart: places given in the data's coordinates, events as the system would send them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

if TYPE_CHECKING:
    from ui.panels.plot import PlotPanel


def place(panel: PlotPanel, x: float, y: float = 0.0) -> QPoint:
    """Return a point of the chart in its canvas' widget."""
    assert panel.canvas is not None
    return panel.canvas.to_widget(x, y).toPoint()


def click(panel: PlotPanel, x: float, y: float) -> None:
    """Click the left button at a point of the chart."""
    assert panel.canvas is not None
    viewport = panel.canvas.widget.viewport()
    QTest.mouseClick(viewport, Qt.MouseButton.LeftButton, pos=place(panel, x, y))


def hover(panel: PlotPanel, x: float, y: float) -> None:
    """Move the pointer to a point of the chart."""
    assert panel.canvas is not None
    QTest.mouseMove(panel.canvas.widget.viewport(), place(panel, x, y))


def turn_wheel(panel: PlotPanel, x: float, y: float, steps: int) -> None:
    """Turn the wheel over a point of the chart; up is positive."""
    assert panel.canvas is not None
    viewport = panel.canvas.widget.viewport()
    position = QPointF(place(panel, x, y))
    event = QWheelEvent(
        position,
        QPointF(viewport.mapToGlobal(position.toPoint())),
        QPoint(),
        QPoint(0, 120 * steps),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(viewport, event)
