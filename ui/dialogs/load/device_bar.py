"""One device's memory as a stacked bar: others, weights, KV, recurrent, compute, free; what does not fit sticks out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from ui.formatting import memory
from ui.panels.looks import COMPUTE, KV_USED, OTHERS, OVER, RECURRENT, WEIGHTS

if TYPE_CHECKING:
    from PySide6.QtGui import QFont, QPaintEvent

    from app.telemetry.pools import Pool
    from ui.panels.marks import Mark
    from ui.theme import Theme

_BAR_HEIGHT = 18
_GAP = 4


class DeviceBar(QWidget):
    """A line of text over a bar, both of one pool of memory; the same in words for screen readers and as a tooltip."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.pool: Pool | None = None
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)

    def set_pool(self, pool: Pool) -> None:
        """Show this."""
        if pool == self.pool:
            return
        self.pool = pool
        self.setAccessibleName(self.tr("Memory of {}").format(pool.name))
        self.setAccessibleDescription(self.description())
        self.setToolTip(self.description())
        self.update()

    def description(self) -> str:
        """Return the bar in words."""
        pool = self.pool
        assert pool is not None
        parts = [
            (self.tr("used by others {}"), pool.others_bytes),
            (self.tr("weights {}"), pool.weights_bytes),
            (self.tr("KV cache {}"), pool.kv_bytes),
            (self.tr("recurrent state {}"), pool.recurrent_bytes),
            (self.tr("compute and output {}"), pool.compute_output_bytes),
        ]
        words = [text.format(memory(size)) for text, size in parts if size]
        return f"{pool.name}: {', '.join([*words, self._state()])}"

    def _state(self) -> str:
        pool = self.pool
        assert pool is not None
        if pool.left_bytes is None:
            return self.tr("{} taken; this device does not say how much it has").format(memory(pool.used_bytes))
        if pool.left_bytes < 0:
            return self.tr("{missing} more than there is, of {total}").format(
                missing=memory(-pool.left_bytes), total=memory(pool.total_bytes)
            )
        return self.tr("{left} left of {total}").format(left=memory(pool.left_bytes), total=memory(pool.total_bytes))

    def segments(self) -> list[tuple[Mark, int]]:
        """Return the stack from the left, in bytes."""
        pool = self.pool
        assert pool is not None
        return [
            (OTHERS, pool.others_bytes or 0),
            (WEIGHTS, pool.weights_bytes),
            (KV_USED, pool.kv_bytes),
            (RECURRENT, pool.recurrent_bytes),
            (COMPUTE, pool.compute_output_bytes),
        ]

    def sizeHint(self) -> QSize:
        return QSize(240, round(QFontMetricsF(self._small_font()).height()) + _GAP + _BAR_HEIGHT + 4)

    def minimumSizeHint(self) -> QSize:
        return QSize(120, self.sizeHint().height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        if self.pool is None:
            return
        painter = QPainter(self)
        colours, pool = self._theme.colours, self.pool
        painter.setFont(self._small_font())
        metrics = QFontMetricsF(painter.font())
        state = self._state()
        is_over = pool.left_bytes is not None and pool.left_bytes < 0
        state_width = metrics.horizontalAdvance(state)
        baseline = metrics.ascent() + 1
        painter.setPen(QColor(colours.error if is_over else colours.text))
        painter.drawText(round(self.width() - state_width - 2), round(baseline), state)
        room = self.width() - state_width - 12
        name = metrics.elidedText(pool.name, Qt.TextElideMode.ElideMiddle, room)
        painter.setPen(QColor(colours.text))
        painter.drawText(2, round(baseline), name)
        box = QRectF(1.5, round(metrics.height()) + _GAP + 0.5, self.width() - 3, _BAR_HEIGHT)
        self._draw_bar(painter, box)
        if self.hasFocus():
            painter.setPen(QPen(QColor(colours.accent), 1))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(box.adjusted(-1, -1, 1, 1))

    def _draw_bar(self, painter: QPainter, box: QRectF) -> None:
        pool, colours = self.pool, self._theme.colours
        assert pool is not None
        taken = sum(size for _, size in self.segments())
        total = pool.total_bytes or max(taken, 1)
        scale = box.width() / max(total, taken)
        edge = box.left() + total * scale
        painter.fillRect(QRectF(box.left(), box.top(), edge - box.left(), box.height()), QColor(colours.base))
        painter.save()
        painter.setClipRect(box)
        x = box.left()
        for mark, size in self.segments():
            width = size * scale
            if size:
                mark.fill(painter, QRectF(x, box.top(), max(width, 1.0), box.height()), colours)
            x += width
        if x > edge:
            OVER.fill(painter, QRectF(edge, box.top(), x - edge, box.height()), colours)
        painter.restore()
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(colours.muted), 1))
        painter.drawRect(QRectF(box.left(), box.top(), edge - box.left(), box.height()))
        if x > edge:
            painter.setPen(QPen(QColor(colours.limit), 2))
            painter.drawLine(QPointF(edge, box.top() - 2), QPointF(edge, box.bottom() + 2))

    def _small_font(self) -> QFont:
        return self._theme.font(delta_points=-1)
