"""Labels for a narrow column and for numbers that change all the time."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QFontMetrics, QFontMetricsF, QHelpEvent, QPainter, QPalette
from PySide6.QtWidgets import QLabel, QPushButton, QSizePolicy, QToolTip, QWidget

from ui.chat.tooltip import plain_tooltip

if TYPE_CHECKING:
    from PySide6.QtGui import QPaintEvent, QResizeEvent


class PlainLabel(QLabel):
    """Plain text in one line that asks for another place only when it needs more or less of it.

    QLabel has the whole window laid out whenever its text changes, which numbers do all the time while an answer is
    written.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._text = ""

    def text(self) -> str:
        return self._text

    def setText(self, text: str) -> None:
        if text == self._text:
            return
        former_hint, former, self._text = self.sizeHint(), self._text, text
        if self.accessibleName() in ("", former):
            self.setAccessibleName(text)
        if self.sizeHint() != former_hint:
            self.updateGeometry()
        self.update()

    @property
    def shown_text(self) -> str:
        """The text as it is painted."""
        return " ".join(self._text.split())

    def sizeHint(self) -> QSize:
        metrics, margins = QFontMetricsF(self.font()), self.contentsMargins()
        width = metrics.horizontalAdvance(" ".join(self._text.split()))
        return QSize(math.ceil(width), math.ceil(metrics.height())).grownBy(margins)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setPen(self.palette().color(QPalette.ColorRole.WindowText))
        painter.drawText(self.contentsRect(), self.alignment(), self.shown_text)


class ElidedLabel(PlainLabel):
    """Plain text in one line, cut with an ellipsis; the whole text is its tooltip then.

    `all_or_nothing` leaves the text out when it does not fit, for what is said elsewhere too; `mode` says where it is
    cut.
    """

    def __init__(
        self,
        parent: QWidget | None = None,
        all_or_nothing: bool = False,
        mode: Qt.TextElideMode = Qt.TextElideMode.ElideRight,
    ) -> None:
        super().__init__(parent)
        self._all_or_nothing = all_or_nothing
        self._mode = mode
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def minimumSizeHint(self) -> QSize:
        return QSize(0, super().minimumSizeHint().height())

    @property
    def shown_text(self) -> str:
        """The text as it is painted."""
        text, metrics = super().shown_text, QFontMetrics(self.font())
        if self._all_or_nothing:
            return text if metrics.horizontalAdvance(text) <= self.contentsRect().width() else ""
        return metrics.elidedText(text, self._mode, self.contentsRect().width())

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent) and not self.toolTip():
            is_cut = self.shown_text != self.text()
            QToolTip.showText(event.globalPos(), plain_tooltip(self.text()) if is_cut else "", self)
            return True
        return super().event(event)


class ElidedButton(QPushButton):
    """A button as wide as its place, with one line of text from the left, cut with an ellipsis."""

    def __init__(self, text: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._whole = " ".join(text.split())
        self.setAccessibleName(text)
        self.setProperty("role", "row")
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        room = self.width() - 2 * self.fontMetrics().averageCharWidth() - 8
        text = self.fontMetrics().elidedText(self._whole, Qt.TextElideMode.ElideRight, room)
        self.setText(text.replace("&", "&&"))
