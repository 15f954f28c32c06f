"""The pyqtgraph widget of one chart, styled by the theme; pyqtgraph is imported when the first one is made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, QObject, QPointF, QRectF, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QColor, QFontMetricsF, QPen
from PySide6.QtWidgets import QGraphicsSimpleTextItem, QWidget

from ui.panels.stacked import GridLines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ui.panels.marks import Mark
    from ui.panels.stacked import PixelItem
    from ui.panels.ticks import Tick
    from ui.theme import Theme

_HOVER_INTERVAL_MS = 33
_USUAL_LEFT_LABEL, _USUAL_BOTTOM_LABEL = "888 MiB", "8,888"
_MARGIN = 1e-3
_OVERHANG = 60
"""How many pixels a label may stand out beyond its axis; `_make_room` leaves room for it."""


class Canvas(QObject):
    """A plot whose ranges and ticks are set from outside, so that nothing moves unless it must.

    Positions in signals are in the data's coordinates.
    """

    hovered = Signal(float, float)
    left = Signal()
    clicked = Signal(float, float)
    double_clicked = Signal()
    scrolled = Signal()
    resized = Signal()

    def __init__(self, theme: Theme, x_caption: str, can_scroll: bool, parent: QWidget) -> None:
        import pyqtgraph as pg

        super().__init__(parent)
        self._pg = pg
        self._theme = theme
        self._curves: list[tuple[Any, Mark]] = []
        self._pixel_items: list[PixelItem] = []
        self._ranges: tuple[tuple[float, float], tuple[float, float]] | None = None
        self._ticks: dict[str, Sequence[Tick]] = {}
        self.widget = pg.PlotWidget(parent)
        self.widget.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.widget.setCacheMode(self.widget.CacheModeFlag.CacheNone)  # else the background is a picture in an SVG
        self.widget.setFrameShape(self.widget.Shape.NoFrame)
        self._plot = self.widget.getPlotItem()
        self._view = self._plot.getViewBox()
        self._left, self._bottom = self._plot.getAxis("left"), self._plot.getAxis("bottom")
        self._caption = QGraphicsSimpleTextItem(x_caption, self._bottom)
        self._grid = GridLines(theme)
        self._cross_hair = pg.InfiniteLine(angle=90, movable=False)
        self._prepare(can_scroll)
        self._hover_position = QPointF()
        self._hover_timer = QTimer(self, singleShot=True, interval=_HOVER_INTERVAL_MS)
        self._hover_timer.timeout.connect(self._on_hover_due)
        self.widget.installEventFilter(self)
        scene = self.widget.scene()
        scene.sigMouseMoved.connect(self._on_mouse_moved)
        scene.sigMouseClicked.connect(self._on_mouse_clicked)
        self._view.sigRangeChangedManually.connect(self._on_scrolled)
        self._view.sigResized.connect(self._on_resized)
        self.restyle()

    def _prepare(self, can_scroll: bool) -> None:
        self._plot.hideButtons()
        self._plot.setMenuEnabled(False)
        self._plot.layout.setSpacing(0)
        self._view.disableAutoRange()
        self._view.setMouseEnabled(x=can_scroll, y=False)
        self._view.setDefaultPadding(0)
        self._left.setStyle(tickLength=0, tickAlpha=0, tickTextOffset=6, autoExpandTextSpace=False)
        self._bottom.setStyle(
            tickLength=3, tickTextOffset=1, autoExpandTextSpace=False, hideOverlappingLabels=_OVERHANG
        )
        self.add_pixel_item(self._grid)
        self._cross_hair.setVisible(False)
        self._cross_hair.setZValue(1)
        self._plot.addItem(self._cross_hair, ignoreBounds=True)

    def add_pixel_item(self, item: PixelItem) -> None:
        """Add an item that knows its own look."""
        self._pixel_items.append(item)
        self._plot.addItem(item, ignoreBounds=True)

    def add_curve(self, mark: Mark) -> Any:
        """Add and return an empty curve (pyqtgraph's PlotCurveItem)."""
        curve = self._pg.PlotCurveItem(skipFiniteCheck=True)
        return self._keep(curve, mark)

    def add_line(self, mark: Mark, angle: int) -> Any:
        """Add and return a hidden line across the whole chart: angle 0 horizontal, 90 vertical."""
        line = self._pg.InfiniteLine(angle=angle, movable=False)
        line.setVisible(False)
        return self._keep(line, mark)

    def set_ranges(self, x: tuple[float, float], y: tuple[float, float]) -> None:
        """Show this part of the plane."""
        if (x, y) == self._ranges:
            return
        self._ranges = (x, y)
        # A hair more than the last tick, which pyqtgraph may else take for one outside.
        self._view.setRange(xRange=x, yRange=(y[0], y[1] * (1 + _MARGIN)), padding=0, disableAutoRange=True)
        for item in self._pixel_items:
            item.set_bounds(QRectF(self._view.viewRect()))

    def set_caption(self, text: str) -> None:
        """Say what the x axis counts."""
        self._caption.setText(text)
        self._caption.setPos(-QFontMetricsF(self._caption.font()).horizontalAdvance(text) - 10, 3)

    def set_limits(self, first_x: float, last_x: float, narrowest: float) -> None:
        """Let the user scroll and zoom no further than this."""
        self._view.setLimits(xMin=first_x, xMax=last_x, minXRange=min(narrowest, last_x - first_x))

    def set_ticks(self, axis: str, ticks: Sequence[Tick]) -> None:
        """Label an axis, `left` or `bottom`."""
        if self._ticks.get(axis) == ticks:
            return
        self._ticks[axis] = ticks
        self._plot.getAxis(axis).setTicks([list(ticks)])
        if axis == "left":
            self._grid.set_heights([height for height, _ in ticks[1:]])
        self._make_room()

    def ticks(self, axis: str) -> list[Tick]:
        """Return how an axis is labelled."""
        return list(self._ticks.get(axis, ()))

    @property
    def axes(self) -> tuple[Any, Any]:
        """The left and the bottom axis (pyqtgraph's AxisItems)."""
        return self._left, self._bottom

    @property
    def x_range(self) -> tuple[float, float]:
        """What part of the x axis is shown."""
        first, last = self._view.viewRange()[0]
        return float(first), float(last)

    @property
    def top(self) -> float:
        """The end of the y axis."""
        return self._ranges[1][1] if self._ranges is not None else 0.0

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of the plane on the screen, in pixels."""
        return max(self._view.width(), 1.0), max(self._view.height(), 1.0)

    def elided(self, text: str, width: float) -> str:
        """Return a label that takes no more pixels than this."""
        return QFontMetricsF(self._theme.font(delta_points=-1)).elidedText(text, Qt.TextElideMode.ElideMiddle, width)

    def show_cross_hair(self, x: float | None) -> None:
        """Mark a place on the x axis, or none."""
        self._cross_hair.setVisible(x is not None)
        if x is not None:
            self._cross_hair.setValue(x)

    def to_widget(self, x: float, y: float) -> QPointF:
        """Return a point's place in `widget`."""
        return QPointF(self.widget.mapFromScene(self._view.mapViewToScene(QPointF(x, y))))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Leave:
            self._hover_timer.stop()
            self.left.emit()
        return super().eventFilter(watched, event)

    def restyle(self) -> None:
        """Take colours and fonts from the theme."""
        colours, font = self._theme.colours, self._theme.font(delta_points=-1)
        metrics = QFontMetricsF(font)
        self.widget.setBackground(QColor(colours.base))
        for axis in (self._left, self._bottom):
            axis.setTickFont(font)
            axis.setTextPen(QColor(colours.muted))
        self._left.setPen(QPen(Qt.PenStyle.NoPen))
        self._bottom.setPen(_thin(colours.muted))
        self._bottom.setTickPen(_thin(colours.muted))
        self._bottom.setHeight(round(metrics.height()) + 6)
        self._caption.setFont(font)
        self._caption.setBrush(QColor(colours.muted))
        self.set_caption(self._caption.text())
        self._cross_hair.setPen(_thin(colours.muted, Qt.PenStyle.DashLine))
        for item, mark in self._curves:
            item.setPen(mark.pen(colours))
        self._make_room()

    def _keep(self, item: Any, mark: Mark) -> Any:
        self._curves.append((item, mark))
        item.setPen(mark.pen(self._theme.colours))
        self._plot.addItem(item, ignoreBounds=True)
        return item

    def _make_room(self) -> None:
        """Leave room for the labels: the same for all usual ones, so that charts line up and nothing jumps."""
        metrics = QFontMetricsF(self._theme.font(delta_points=-1))
        left = [_USUAL_LEFT_LABEL, *(text for _, text in self.ticks("left"))]
        bottom = [_USUAL_BOTTOM_LABEL, *(text for _, text in self.ticks("bottom")[-1:])]
        self._left.setWidth(round(max(map(metrics.horizontalAdvance, left))) + 8)
        half_a_label = round(max(map(metrics.horizontalAdvance, bottom)) / 2) + 2
        self._plot.layout.setContentsMargins(0, round(metrics.height() / 2) + 2, half_a_label, 0)

    @Slot(object)
    def _on_mouse_moved(self, position: QPointF) -> None:
        self._hover_position = position
        if not self._hover_timer.isActive():
            self._hover_timer.start()

    @Slot()
    def _on_hover_due(self) -> None:
        if not self._view.sceneBoundingRect().contains(self._hover_position):
            self.left.emit()
            return
        point = self._view.mapSceneToView(self._hover_position)
        self.hovered.emit(point.x(), point.y())

    @Slot(object)
    def _on_mouse_clicked(self, event: Any) -> None:
        if event.button() != Qt.MouseButton.LeftButton or not self._view.sceneBoundingRect().contains(event.scenePos()):
            return
        if event.double():
            self.double_clicked.emit()
            return
        point = self._view.mapSceneToView(event.scenePos())
        self.clicked.emit(point.x(), point.y())

    @Slot(object)
    def _on_scrolled(self, _enabled: object) -> None:
        self._ranges = None
        self.scrolled.emit()

    @Slot(object)
    def _on_resized(self, _view: object) -> None:
        self.resized.emit()


def _thin(colour: str, style: Qt.PenStyle = Qt.PenStyle.SolidLine) -> QPen:
    pen = QPen(QColor(colour), 1, style)
    pen.setCosmetic(True)
    return pen
