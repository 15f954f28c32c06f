"""How full the context is: a bar with its numbers, in the window's head."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QBrush, QColor, QFontMetricsF, QPainter, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from ui.formatting import count, definition, memory, percent, tokens

if TYPE_CHECKING:
    from PySide6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent, QPaintEvent

    from app.telemetry.answer_room import AnswerRoom
    from ui.theme import Theme

NEARLY_FULL, FULL = 0.80, 0.95
"""From these fractions on the bar changes its colour and the text says so in words."""

_BAR_WIDTH, _BAR_HEIGHT, _GAP = 96.0, 8.0, 8.0


class ContextGauge(QWidget):
    """`context [####------] 1,204 / 4,096  26.5 MiB  room 2,892 · 63.5 MiB`; a narrow one leaves out the end first.

    Signals:
        menu_requested: by a click or a key; where, on the screen, the menu of what happens at the edge belongs.
    """

    menu_requested = Signal(QPoint)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("context_gauge")
        self._theme = theme
        self._used_tokens: int | None = None
        self._n_ctx: int | None = None
        self._kv_used_bytes: int | None = None
        self._is_expected = False
        self._n_ctx_max: int | None = None
        self._room: AnswerRoom | None = None
        self._hints = (QSize(), QSize())
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self._restyle)
        self._describe()

    @property
    def fraction(self) -> float | None:
        """Cells in use of the context, None when either is unknown."""
        if self._used_tokens is None or not self._n_ctx:
            return None
        return self._used_tokens / self._n_ctx

    @property
    def can_grow(self) -> bool:
        """Whether a full context becomes a larger one; then it is no reason to warn."""
        return self._n_ctx is not None and self._n_ctx_max is not None and self._n_ctx < self._n_ctx_max

    @property
    def limit_fraction(self) -> float | None:
        """Cells in use of those the context can grow to, None when either is unknown."""
        limit = self._n_ctx_max or self._n_ctx
        return None if self._used_tokens is None or not limit else self._used_tokens / limit

    def set_usage(
        self, used_tokens: int | None, n_ctx: int | None, kv_used_bytes: int | None, n_ctx_max: int | None = None
    ) -> None:
        """Show these numbers; None where unknown, and for the limit of a context that cannot grow."""
        usage = (used_tokens, n_ctx, kv_used_bytes, n_ctx_max)
        if usage == (self._used_tokens, self._n_ctx, self._kv_used_bytes, self._n_ctx_max):
            return
        self._used_tokens, self._n_ctx, self._kv_used_bytes, self._n_ctx_max = usage
        self._show()

    def set_expected(self, expected: bool) -> None:
        """Whether the numbers are those to come with the next turn, because the cache holds nothing now."""
        if expected != self._is_expected:
            self._is_expected = expected
            self._show()

    def set_room(self, room: AnswerRoom | None) -> None:
        """Show how much of the context the next answer has; None where unknown."""
        if room != self._room:
            self._room = room
            self._show()

    @property
    def room_text(self) -> str:
        """The room in words, empty where unknown."""
        if self._room is None:
            return ""
        return self.tr("room {tokens} · {memory}").format(
            tokens=count(self._room.tokens), memory=memory(self._room.kv_bytes)
        )

    @property
    def text(self) -> str:
        """The numbers beside the bar."""
        usage = self.tr("{used} / {limit}").format(used=count(self._used_tokens), limit=count(self._n_ctx))
        words = [self.tr("expected") if self._is_expected else "", self._warning()]
        return " ".join([usage, *filter(None, words)])

    @property
    def colour(self) -> str:
        """The bar's colour by the limit that cannot grow any more: quiet, a warning, an alarm."""
        colours, fraction = self._theme.colours, self.limit_fraction
        if fraction is None or fraction < NEARLY_FULL:
            return colours.kv_used
        return colours.warning if fraction < FULL else colours.error

    def sizeHint(self) -> QSize:
        return QSize(round(self._width(self._parts(True, True, True))), self._height())

    def minimumSizeHint(self) -> QSize:
        return QSize(round(self._width(self._parts(False, False, False))), self._height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        caption, usage, *rest = self._fitting()
        colours, metrics = self._theme.colours, QFontMetricsF(self.font())
        baseline = (self.height() + metrics.ascent() - metrics.descent()) / 2
        x = 0.0
        if caption:
            painter.setPen(QColor(colours.muted))
            painter.drawText(QPointF(x, baseline), caption)
            x += metrics.horizontalAdvance(caption) + _GAP
        self._draw_bar(painter, QRectF(x, (self.height() - _BAR_HEIGHT) / 2, _BAR_WIDTH, _BAR_HEIGHT))
        x += _BAR_WIDTH + _GAP
        painter.setPen(QColor(self.colour if self._warning() else colours.text))
        painter.drawText(QPointF(x, baseline), usage)
        x += metrics.horizontalAdvance(usage) + _GAP
        painter.setPen(QColor(colours.muted))
        for text in filter(None, rest):
            painter.drawText(QPointF(x, baseline), text)
            x += metrics.horizontalAdvance(text) + _GAP
        if self.hasFocus():
            painter.setPen(QPen(QColor(colours.accent), 1))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self.menu_requested.emit(self.mapToGlobal(QPoint(0, self.height())))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Menu):
            self.menu_requested.emit(self.mapToGlobal(QPoint(0, self.height())))
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.update()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self._describe()
            self._restyle()

    def _draw_bar(self, painter: QPainter, box: QRectF) -> None:
        colours, radius = self._theme.colours, _BAR_HEIGHT / 2
        painter.setPen(QPen(QColor(colours.muted), 1))
        painter.setBrush(QColor(colours.base))
        painter.drawRoundedRect(box, radius, radius)
        painter.setPen(Qt.PenStyle.NoPen)
        if self.fraction:
            filled = QRectF(box)
            filled.setWidth(max(_BAR_HEIGHT, box.width() * min(self.fraction, 1.0)))
            colour = QColor(self.colour)
            painter.setBrush(QBrush(colour, Qt.BrushStyle.BDiagPattern) if self._is_expected else colour)
            painter.drawRoundedRect(filled, radius, radius)
        painter.setPen(QPen(QColor(colours.muted), 1))
        for limit in () if self.can_grow else (NEARLY_FULL, FULL):
            x = round(box.left() + box.width() * limit) + 0.5
            painter.drawLine(QPointF(x, box.top() - 2), QPointF(x, box.bottom() + 2))

    def _warning(self) -> str:
        fraction = self.limit_fraction
        if fraction is None or fraction < NEARLY_FULL:
            return ""
        return self.tr("nearly full") if fraction < FULL else self.tr("full")

    def _parts(self, with_caption: bool, with_memory: bool, with_room: bool) -> tuple[str, ...]:
        caption = self.tr("context") if with_caption else ""
        memory_text = memory(self._kv_used_bytes) if with_memory and self._kv_used_bytes is not None else ""
        return caption, self.text, memory_text, self.room_text if with_room else ""

    def _fitting(self) -> tuple[str, ...]:
        """Return the fullest text that the present width has room for."""
        choices = [(True, True, True), (True, True, False), (True, False, False), (False, False, False)]
        parts = [self._parts(*choice) for choice in choices]
        return next((part for part in parts if self._width(part) <= self.width()), parts[-1])

    def _width(self, parts: tuple[str, ...]) -> float:
        metrics = QFontMetricsF(self.font())
        return _BAR_WIDTH + sum(metrics.horizontalAdvance(text) + _GAP for text in parts if text)

    def _height(self) -> int:
        return round(max(QFontMetricsF(self.font()).height(), _BAR_HEIGHT) + 4)

    def _show(self) -> None:
        """Show the numbers as they are now; the window is laid out anew only when they need more or less room."""
        self._describe()
        hints = (self.sizeHint(), self.minimumSizeHint())
        if hints != self._hints:
            self._hints = hints
            self.updateGeometry()
        self.update()

    def _describe(self) -> None:
        text = self.tr("{used} of {limit} tokens, {percent}, {memory} of the KV cache in use")
        if self._is_expected:
            text = self.tr(
                "The KV cache holds nothing of this conversation. The next turn takes at least {used} of {limit} "
                "tokens, {percent}, {memory} of the KV cache"
            )
        text = text.format(
            used=count(self._used_tokens),
            limit=count(self._n_ctx),
            percent=percent(self.fraction),
            memory=memory(self._kv_used_bytes),
        )
        if self.can_grow:
            grows = self.tr("the context grows as needed, to at most {} tokens").format(count(self._n_ctx_max))
            text = self.tr("{usage}; {grows}").format(usage=text, grows=grows)
        if self._room is not None:
            left = self.tr("the next message and its answer have room for {tokens}, {memory}").format(
                tokens=tokens(self._room.tokens), memory=memory(self._room.kv_bytes)
            )
            text = self.tr("{usage}; {grows}").format(usage=text, grows=left)
        self.setAccessibleName(self.tr("Context in use"))
        self.setAccessibleDescription(text)
        hint = self.tr("Click to choose what happens when it is full.")
        self.setToolTip("\n".join((text, definition("context"), definition("kv_used"), hint)))

    @Slot()
    def _restyle(self) -> None:
        self.updateGeometry()
        self.update()
