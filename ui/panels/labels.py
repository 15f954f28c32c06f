"""Labels for a narrow column: one that elides its text, one that steps aside when there is no room."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QFontMetrics, QHelpEvent, QPainter, QPalette
from PySide6.QtWidgets import QLabel, QPushButton, QSizePolicy, QToolTip, QWidget

from ui.chat.tooltip import plain_tooltip

if TYPE_CHECKING:
    from PySide6.QtGui import QPaintEvent, QResizeEvent


class ElidedLabel(QLabel):
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
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def minimumSizeHint(self) -> QSize:
        return QSize(0, super().minimumSizeHint().height())

    @property
    def shown_text(self) -> str:
        """The text as it is painted."""
        text = " ".join(self.text().split())
        metrics = QFontMetrics(self.font())
        if self._all_or_nothing:
            return text if metrics.horizontalAdvance(text) <= self.contentsRect().width() else ""
        return metrics.elidedText(text, self._mode, self.contentsRect().width())

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent) and not self.toolTip():
            is_cut = self.shown_text != self.text()
            QToolTip.showText(event.globalPos(), plain_tooltip(self.text()) if is_cut else "", self)
            return True
        return super().event(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setPen(self.palette().color(QPalette.ColorRole.WindowText))
        painter.drawText(self.contentsRect(), self.alignment(), self.shown_text)


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
