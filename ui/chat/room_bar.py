"""Above the composer: why a message was not sent, with the ways to make it fit as buttons."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt, Signal, Slot
from PySide6.QtGui import QFontInfo, QPalette
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from ui.button_row import ButtonRow
from ui.chat.geometry import GAP, INSET, column_width
from ui.chat.style import READING_POINTS
from ui.icons import keep_icon

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtGui import QKeyEvent

    from ui.theme import Theme


MAX_WIDTH = 16_777_215
"""Qt's own: as wide as the column allows."""
MOST_OF_IT = 1000
"""A stretch beside which that of the margins counts only when the frame wants no more."""


@dataclass(frozen=True, slots=True)
class Way:
    """What can be done, in the words of its button and of the button's tooltip."""

    id: str
    label: str
    tooltip: str


@dataclass(frozen=True, slots=True)
class Offer:
    """A sentence with the ways out; the first is the one to take next."""

    sentence: str
    ways: tuple[Way, ...]


class RoomBar(QWidget):
    """Hidden until a message does not fit.

    Signals:
        chosen: id of a way.
        dismissed: the user closed it.
    """

    chosen = Signal(str)
    dismissed = Signal()

    def __init__(self, theme: Theme, after: QWidget, parent: QWidget | None = None) -> None:
        """`after` is where the keyboard is when the bar appears: Tab leads from there to the ways."""
        super().__init__(parent)
        self._after = after
        self._say: Callable[[], Offer] | None = None
        self.setObjectName("room_bar")
        self.setBackgroundRole(QPalette.ColorRole.Base)
        self.setAutoFillBackground(True)
        self._frame = QFrame(self)
        self._frame.setProperty("role", "warning")
        self._label = QLabel(wordWrap=True)
        self._label.setTextFormat(Qt.TextFormat.PlainText)
        self._label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._close_button = QToolButton()
        self._close_button.setObjectName("room_bar_close")
        keep_icon(self._close_button, "x", theme, "muted")
        self._row = ButtonRow(self._frame)
        top = QHBoxLayout()
        top.setSpacing(GAP)
        top.addWidget(self._label, 1)
        top.addWidget(self._close_button, 0, Qt.AlignmentFlag.AlignTop)
        layout = QVBoxLayout(self._frame)
        layout.setContentsMargins(12, 8, 8, 8)
        layout.setSpacing(GAP)
        layout.addLayout(top)
        layout.addWidget(self._row)
        middle = QHBoxLayout(self)
        middle.setContentsMargins(INSET, 0, INSET, GAP)
        middle.addStretch(1)
        middle.addWidget(self._frame, MOST_OF_IT)
        middle.addStretch(1)
        self._close_button.clicked.connect(self._on_closed)
        self._theme = theme
        theme.changed.connect(self._on_theme_changed)
        self._on_theme_changed()
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

    def offer(self, say: Callable[[], Offer]) -> None:
        """Show an offer; it is asked for again when the language changes."""
        self._row.clear()
        for number, way in enumerate(say().ways):
            button = QPushButton(self._row)
            button.setObjectName(f"room_{way.id}")
            _show_way(button, way)
            button.setProperty("role", "primary" if number == 0 else "")
            button.clicked.connect(self._on_clicked)
            self._row.add(button)
        stops = [self._after, *self._row.buttons, self._close_button]
        for first, second in pairwise(stops):
            QWidget.setTabOrder(first, second)
        self._say = say
        self._retranslate()
        self.show()

    def dismiss(self) -> None:
        """Say nothing."""
        self._say = None
        self._row.clear()
        self._label.clear()
        self.hide()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self._on_closed()
        else:
            super().keyPressEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    @Slot()
    def _on_theme_changed(self) -> None:
        """Keep to the messages' column."""
        em = QFontInfo(self._theme.font(delta_points=READING_POINTS)).pixelSize()
        self._frame.setMaximumWidth(column_width(MAX_WIDTH, em) - 2 * INSET)

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
        if self._say is None:
            return
        offer = self._say()
        self._label.setText(offer.sentence)
        self.setAccessibleName(offer.sentence)
        for button, way in zip(self._row.buttons, offer.ways, strict=True):
            _show_way(button, way)


def _show_way(button: QPushButton, way: Way) -> None:
    button.setText(way.label.replace("&", "&&"))
    button.setAccessibleName(way.label)
    button.setToolTip(way.tooltip)
