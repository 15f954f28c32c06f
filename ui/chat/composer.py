"""The box the user writes in, with Send and Stop."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPoint, QRect, QRectF, Qt, Signal, Slot
from PySide6.QtGui import QColor, QFontInfo, QPainter, QPalette, QPen
from PySide6.QtWidgets import (
    QHBoxLayout,
    QPushButton,
    QSizePolicy,
    QStackedWidget,
    QToolTip,
    QWidget,
)

from ui.chat.editor import Editor
from ui.chat.geometry import INSET, column_width
from ui.chat.style import READING_POINTS
from ui.chat.tooltip import plain_tooltip
from ui.icons import keep_icon
from ui.panels.labels import ElidedLabel

if TYPE_CHECKING:
    from PySide6.QtCore import QObject
    from PySide6.QtGui import QMouseEvent, QPaintEvent, QResizeEvent

    from ui.theme import Theme

MARGIN = 12


class Composer(QWidget):
    """Takes the next message.

    Signals:
        submitted: a message that is not blank, as written.
        stop_requested: Stop or Escape while an answer is written.
        draft_changed: the text is another now.
    """

    submitted = Signal(str)
    stop_requested = Signal()
    draft_changed = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._is_generating = False
        self._is_blank = True
        self._may_send = True
        self._reason = ""
        self._em = 16
        self._below = MARGIN
        self.editor = Editor(self)
        self.editor.setObjectName("composer")
        self.send_button = QPushButton(self)
        self.send_button.setObjectName("send_button")
        self.send_button.setProperty("role", "primary")
        keep_icon(self.send_button, "send", theme, "on_accent")
        self.stop_button = QPushButton(self)
        self.stop_button.setObjectName("stop_button")
        keep_icon(self.stop_button, "stop", theme)
        self.forecast = ElidedLabel(self)
        self.forecast.setObjectName("forecast_label")
        self.forecast.setProperty("role", "muted")
        self.setBackgroundRole(QPalette.ColorRole.Base)
        self.setAutoFillBackground(True)
        layout = self._row = QHBoxLayout(self)
        layout.setSpacing(8)
        layout.addWidget(self.editor, 1)
        self._buttons = QStackedWidget(self)
        self._buttons.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._buttons.addWidget(self.send_button)
        self._buttons.addWidget(self.stop_button)
        layout.addWidget(self._buttons, 0, Qt.AlignmentFlag.AlignBottom)
        self.editor.installEventFilter(self)
        theme.changed.connect(self._on_theme_changed)
        self._take_theme()
        self.editor.send_requested.connect(self._on_send_requested)
        self.editor.stop_requested.connect(self._on_stop_requested)
        self.editor.textChanged.connect(self._on_text_changed)
        self.send_button.clicked.connect(self._on_send_requested)
        self.stop_button.clicked.connect(self._on_stop_requested)
        self._retranslate()
        self._refresh()

    def text(self) -> str:
        """What has been written."""
        return self.editor.text()

    def set_text(self, text: str) -> None:
        """Replace what has been written."""
        self.editor.set_text(text)

    def clear(self) -> None:
        """Empty the box."""
        self.editor.clear()

    def focus_editor(self) -> None:
        """Let the user write."""
        self.editor.setFocus(Qt.FocusReason.OtherFocusReason)

    def set_generating(self, generating: bool) -> None:
        """Put Stop in Send's place while an answer is written."""
        self._is_generating = generating
        self._refresh()

    def set_enabled_to_send(self, enabled: bool, reason: str = "") -> None:
        """Allow sending, or say why not."""
        self._may_send = enabled
        self._reason = reason
        self._refresh()

    def set_forecast(self, text: str, explanation: str = "") -> None:
        """Say what sending will cost; empty says nothing."""
        self.forecast.setText(text)
        self.forecast.setToolTip(plain_tooltip(f"{text}\n{explanation}" if text else ""))
        self.forecast.setAccessibleDescription(explanation)
        self.send_button.setAccessibleDescription(text)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._centre()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.FocusIn, QEvent.Type.FocusOut):
            self.update()
        return super().eventFilter(watched, event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.focus_editor()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        colours = self._theme.colours
        focused = self.editor.hasFocus()
        painter.setPen(QPen(QColor(colours.accent if focused else colours.border), 1.5 if focused else 1))
        painter.setBrush(QColor(colours.window))
        painter.drawRoundedRect(QRectF(self._card()).adjusted(1, 1, -1, -1), 12, 12)
        painter.end()

    def _card(self) -> QRect:
        width = column_width(self.width(), self._em) - 2 * INSET
        return QRect((self.width() - width) // 2, 0, width, self.height() - self._below)

    def _centre(self) -> None:
        """Keep to the messages' column."""
        side = self._card().left()
        self._row.setContentsMargins(side + 12, 8, side + 8, 8 + self._below)
        height = self.forecast.sizeHint().height()
        top = self.height() - self._below + max((self._below - height) // 2, 0)
        self.forecast.setGeometry(side + 12, top, max(self._card().width() - 20, 0), height)

    @Slot()
    def _on_theme_changed(self) -> None:
        self._take_theme()
        # What the placeholder is written with follows the editor only before it is shown.
        self.editor.viewport().setFont(self.editor.font())

    def _take_theme(self) -> None:
        self._em = QFontInfo(self._theme.font(delta_points=READING_POINTS)).pixelSize()
        self.editor.setFont(self._theme.font(delta_points=READING_POINTS))
        font = self._theme.font(delta_points=-1)
        self.forecast.setFont(font)
        # The line of what sending will cost has its place before there is one, so that nothing jumps.
        self._below = max(MARGIN, QFontInfo(font).pixelSize() + 10)
        self._centre()
        self.update()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def _retranslate(self) -> None:
        self.editor.setAccessibleName(self.tr("Message"))
        self.forecast.setAccessibleName(self.tr("What sending will cost"))
        self.editor.setPlaceholderText(self.tr("Write a message"))
        self.editor.setToolTip(self.tr("Enter sends, Shift+Enter breaks the line"))
        self.send_button.setText(self.tr("Send"))
        self.send_button.setAccessibleName(self.tr("Send"))
        self.stop_button.setText(self.tr("Stop"))
        self.stop_button.setAccessibleName(self.tr("Stop"))
        self.stop_button.setToolTip(self.tr("Stop the answer (Esc)"))

    @Slot()
    def _on_send_requested(self) -> None:
        text = self.text()
        if self._is_generating or not text.strip():
            return
        if self._may_send:
            self.submitted.emit(text)
        elif self._reason:
            above = self.send_button.mapToGlobal(QPoint(0, -40))
            QToolTip.showText(above, plain_tooltip(self._reason), self.send_button)

    @Slot()
    def _on_stop_requested(self) -> None:
        if self._is_generating:
            self.stop_requested.emit()

    @Slot()
    def _on_text_changed(self) -> None:
        text = self.text()
        self._is_blank = not text.strip()
        self._refresh()
        self.draft_changed.emit(text)

    def _refresh(self) -> None:
        had_focus = self.send_button.hasFocus() or self.stop_button.hasFocus()
        self._buttons.setCurrentWidget(self.stop_button if self._is_generating else self.send_button)
        if had_focus:
            self.focus_editor()
        self.send_button.setEnabled(self._may_send and not self._is_blank)
        self.send_button.setToolTip("" if self._may_send else plain_tooltip(self._reason))
