"""Above the composer: why a message was not sent, with the ways to make it fit as buttons."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QSize, Qt, Signal, Slot
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from ui.icons import keep_icon

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QResizeEvent

    from ui.chat.item import Action
    from ui.theme import Theme


GAP = 8


class _ButtonRow(QWidget):
    """Buttons from left to right, in further rows where they do not fit."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.buttons: list[QPushButton] = []
        policy = QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def add(self, button: QPushButton) -> None:
        """Append a button."""
        self.buttons.append(button)
        button.show()
        self._adapt()

    def clear(self) -> None:
        """Take all buttons away."""
        for button in self.buttons:
            button.hide()
            button.deleteLater()
        self.buttons.clear()
        self._adapt()

    def sizeHint(self) -> QSize:
        return QSize(self.width(), self.heightForWidth(self.width()))

    def heightForWidth(self, width: int) -> int:
        return self._place(width, is_trial=True)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place(self.width())

    def _adapt(self) -> None:
        self._place(self.width())
        self.updateGeometry()

    def _place(self, width: int, *, is_trial: bool = False) -> int:
        """Return the height."""
        x = y = bottom = 0
        for button in self.buttons:
            size = button.sizeHint().boundedTo(QSize(max(width, 1), 1000))
            if x and x + size.width() > width:
                x, y = 0, bottom + GAP
            if not is_trial:
                button.setGeometry(x, y, size.width(), size.height())
            x += size.width() + GAP
            bottom = y + size.height()
        return bottom


class RoomBar(QFrame):
    """Hidden until a message does not fit.

    Signals:
        chosen: id of a way.
        dismissed: the user closed it.
    """

    chosen = Signal(str)
    dismissed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("room_bar")
        self.setProperty("role", "warning")
        self._label = QLabel(wordWrap=True)
        self._label.setTextFormat(Qt.TextFormat.PlainText)
        self._label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._close_button = QToolButton()
        self._close_button.setObjectName("room_bar_close")
        keep_icon(self._close_button, "x", theme, "muted")
        self._row = _ButtonRow(self)
        top = QHBoxLayout()
        top.setSpacing(GAP)
        top.addWidget(self._label, 1)
        top.addWidget(self._close_button, 0, Qt.AlignmentFlag.AlignTop)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 8, 8, 8)
        layout.setSpacing(GAP)
        layout.addLayout(top)
        layout.addWidget(self._row)
        self._close_button.clicked.connect(self._on_closed)
        self._retranslate()
        self.hide()

    @property
    def sentence(self) -> str:
        """What is said; empty when hidden."""
        return self._label.text()

    @property
    def ways(self) -> list[str]:
        """The ids of the ways that are offered, in order."""
        return [button.objectName().removeprefix("room_") for button in self._row.buttons]

    def offer(self, sentence: str, ways: Sequence[Action], tooltips: Sequence[str] = ()) -> None:
        """Say a sentence; the first way is the one to take next."""
        self._row.clear()
        self._label.setText(sentence)
        self.setAccessibleName(sentence)
        for number, way in enumerate(ways):
            button = QPushButton(way.label.replace("&", "&&"), self._row)
            button.setObjectName(f"room_{way.id}")
            button.setAccessibleName(way.label)
            button.setToolTip(tooltips[number] if number < len(tooltips) else "")
            button.setProperty("role", "primary" if number == 0 else "")
            button.clicked.connect(self._on_clicked)
            self._row.add(button)
        self.show()

    def dismiss(self) -> None:
        """Say nothing."""
        self._row.clear()
        self._label.clear()
        self.hide()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    @Slot()
    def _on_clicked(self) -> None:
        self.chosen.emit(self.sender().objectName().removeprefix("room_"))

    @Slot()
    def _on_closed(self) -> None:
        self.dismiss()
        self.dismissed.emit()

    def _retranslate(self) -> None:
        self._close_button.setAccessibleName(self.tr("Close"))
        self._close_button.setToolTip(self.tr("Close"))
