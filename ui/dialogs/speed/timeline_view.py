"""A turn drawn as time: before, prefill, decode, after, with a line per token."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QHelpEvent, QPainter, QPen
from PySide6.QtWidgets import QToolTip, QWidget

from ui.chat.tooltip import plain_tooltip
from ui.formatting import axis_labels, duration, duration_unit
from ui.panels.ticks import nice_step
from ui.waits import LOOKS, part_name, part_text

if TYPE_CHECKING:
    from PySide6.QtGui import QPaintEvent

    from app.telemetry.waiting import Wait
    from app.telemetry.words.timeline import Phase, Span, Timeline
    from ui.theme import Theme

_PHASES: tuple[Phase, ...] = ("prefill", "decode")
_TICKS = 6


class TimelineView(QWidget):
    """Spans as bars on one axis of time; brackets name the two phases, thin lines are tokens.

    The reach of the axis is the turn's own; what is too short to be seen is said under the pointer and in the table.
    """

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("timeline_view")
        self._theme = theme
        self._timeline: Timeline | None = None
        self._wait: Wait | None = None
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        theme.changed.connect(self._restyle)
        self._restyle()

    def show_turn(self, timeline: Timeline | None, wait: Wait | None) -> None:
        """Draw a turn, or none."""
        self._timeline, self._wait = timeline, wait
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(640, round(7 * self._line()))

    def minimumSizeHint(self) -> QSize:
        return QSize(240, round(7 * self._line()))

    def boxes(self) -> list[tuple[Span, QRectF]]:
        """Return the spans and where they are drawn."""
        if self._timeline is None or not self._timeline.end_s:
            return []
        top, height = 1.6 * self._line(), 2.4 * self._line()
        return [
            (span, QRectF(self._x(span.start_s), top, self._x(span.end_s) - self._x(span.start_s), height))
            for span in self._timeline.spans
        ]

    def text_at(self, x: float) -> str:
        """Return what happened at a place on the axis."""
        if self._wait is None:
            return ""
        found = [span for span, box in self.boxes() if box.left() - 1 <= x <= box.right() + 1]
        return "\n".join(part_text(self._wait, span.part) for span in found)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), plain_tooltip(self.text_at(event.pos().x())), self)
            return True
        return super().event(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        timeline = self._timeline
        if timeline is None or not timeline.end_s:
            return
        painter = QPainter(self)
        colours = self._theme.colours
        boxes = self.boxes()
        for span, box in boxes:
            LOOKS[span.part].fill(painter, box, colours)
        self._draw_tokens(painter, timeline, boxes)
        for phase in _PHASES:
            self._draw_bracket(painter, phase, [box for span, box in boxes if span.phase == phase])
        self._draw_axis(painter, timeline)
        if self.hasFocus():
            painter.setPen(QPen(QColor(colours.accent), 1))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)

    def _draw_tokens(self, painter: QPainter, timeline: Timeline, boxes: list[tuple[Span, QRectF]]) -> None:
        """Every token is a line of the ground's colour; where there are more than pixels they would be a grey mass."""
        decode = next((box for span, box in boxes if span.phase == "decode"), None)
        if decode is None or decode.width() < 3 * len(timeline.token_s):
            return
        painter.setPen(QPen(QColor(self._theme.colours.base), 1))
        for at in timeline.token_s[1:-1]:
            x = round(self._x(at)) + 0.5
            painter.drawLine(round(x), round(decode.top()), round(x), round(decode.bottom()))

    def _draw_bracket(self, painter: QPainter, phase: Phase, boxes: list[QRectF]) -> None:
        if not boxes:
            return
        left, right, line = boxes[0].left(), boxes[-1].right(), self._line()
        name = self.tr("prefill: the prompt at once") if phase == "prefill" else self.tr("decode: token by token")
        metrics = QFontMetricsF(self.font())
        room = right - left
        if metrics.horizontalAdvance(name) > room:
            name = part_name("prefill" if phase == "prefill" else "decode")
        text = metrics.elidedText(name, Qt.TextElideMode.ElideRight, room)
        painter.setPen(QColor(self._theme.colours.text))
        painter.drawText(QRectF(left, 0, room, line), Qt.AlignmentFlag.AlignLeft, text)
        painter.setPen(QColor(self._theme.colours.muted))
        y = round(1.3 * line)
        painter.drawLine(round(left), y, round(right), y)
        for x in (left, right):
            painter.drawLine(round(x), y, round(x), y + 4)

    def _draw_axis(self, painter: QPainter, timeline: Timeline) -> None:
        colours, line = self._theme.colours, self._line()
        y = round(4.2 * line)
        painter.setPen(QColor(colours.muted))
        painter.drawLine(round(self._x(0)), y, round(self._x(timeline.end_s)), y)
        unit = duration_unit(timeline.end_s)
        step = nice_step(timeline.end_s / unit.size, _TICKS)
        values = [number * step for number in range(int(timeline.end_s / unit.size / step) + 1)]
        for value, label in zip(values, axis_labels(values, unit), strict=True):
            x = self._x(value * unit.size)
            painter.drawLine(round(x), y, round(x), y + 4)
            width = QFontMetricsF(self.font()).horizontalAdvance(label)
            left = min(max(x - width / 2, 0), self.width() - width)
            painter.drawText(QRectF(left, y + 5, width + 2, line), Qt.AlignmentFlag.AlignLeft, label)
        text = self.tr("From Send until the whole answer is on screen: {time}").format(time=duration(timeline.end_s))
        painter.setPen(QColor(colours.text))
        painter.drawText(QRectF(self._x(0), y + 5 + 1.2 * line, self.width(), line), Qt.AlignmentFlag.AlignLeft, text)

    def _x(self, at_s: float) -> float:
        end = self._timeline.end_s if self._timeline is not None else 1.0
        return 8 + (self.width() - 16) * at_s / end

    def _line(self) -> float:
        return QFontMetricsF(self.font()).height()

    def _restyle(self) -> None:
        self.setFont(self._theme.font(delta_points=-1))
        self.updateGeometry()
        self.update()
