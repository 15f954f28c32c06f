"""What the widgets of all kinds of items have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QRectF, Qt, QUrl, Signal, Slot
from PySide6.QtGui import QColor, QPainter, QPalette, QPen
from PySide6.QtWidgets import QApplication, QWidget

from ui.chat.foot import ErrorFrame, Foot

if TYPE_CHECKING:
    from PySide6.QtCore import QEvent
    from PySide6.QtGui import QContextMenuEvent, QEnterEvent, QKeyEvent, QPaintEvent, QResizeEvent

    from ui.chat.item import Channel, Item, ViewState
    from ui.chat.style import Style

MENU_BUTTONS = ("menu", "regenerate_menu", "versions")
"""Actions that open a menu."""


VEIL_ALPHA = 0.35
"""As much as leaves dimmed text a contrast of 4.5 : 1 in both themes, which WCAG 2 asks of text."""


class Veil(QWidget):
    """Lies over a message and dims it; the pointer reaches through."""

    def __init__(self, style: Style, parent: QWidget) -> None:
        super().__init__(parent)
        self._colour = QColor(style.colours.base)
        self._colour.setAlphaF(VEIL_ALPHA)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(event.rect(), self._colour)
        painter.end()


class ItemView(QWidget):
    """One item of the transcript at a given width.

    Signals:
        action_triggered: (item id, action id).
        link_activated: a safe link; nothing has been opened.
        resized: the height is another now; with True when that was the user's doing.
        hovered: with the item's id.
        left: with the item's id, the user wants back to the list.
        menu_requested: (item id, which menu, where on the screen).
        edit_ended: (item id, the new text, or None when the change was given up).
        edit_changed: (item id, the text that stands there now).
    """

    menu_requested = Signal(str, str, QPoint)
    edit_ended = Signal(str, object)
    edit_changed = Signal(str, object)

    is_quiet = False
    """Whether the buttons are only shown where the pointer or the keyboard is."""

    action_triggered = Signal(str, str)
    link_activated = Signal(QUrl)
    resized = Signal(bool)
    hovered = Signal(str)
    left = Signal(str)

    def __init__(self, item: Item, style: Style, state: ViewState, parent: QWidget) -> None:
        super().__init__(parent)
        # What is opaque and stays at the upper edge is moved and lengthened without being painted anew.
        self.setBackgroundRole(QPalette.ColorRole.Base)
        self.setAutoFillBackground(True)
        self.setAttribute(Qt.WidgetAttribute.WA_StaticContents)
        self.item = item
        self.state = state
        self._style = style
        self._is_current = False
        self._is_hovered = False
        self._foot: Foot | None = None
        self._error: ErrorFrame | None = None
        self._veil: Veil | None = None

    def arrange(self, width: int) -> int:
        """Place the parts in this width; return the height."""
        raise NotImplementedError

    def stops(self) -> list[QWidget]:
        """The parts that take the keyboard, in order."""
        return []

    def append(self, channel: Channel, text: str) -> None:
        """Take more text; only answers grow."""

    def finish(self) -> None:
        """The text is complete."""

    def source(self) -> str:
        """The text that Copy gives."""
        return self.item.text

    def show_foot(self, item: Item) -> None:
        """Make the error frame and the foot anew from the item."""
        self.item = item
        for part in (self._foot, self._error):
            if part is not None:
                part.hide()
                part.deleteLater()
        self._error = ErrorFrame(item, self._style, self) if item.error else None
        self._foot = Foot(item, self.source if self.can_copy() else None, self._style, self, self.is_quiet)
        for part in (self._foot, self._error):
            if part is not None:
                part.action_triggered.connect(self._on_action)
                part.show()
        self._show_veil()
        self.update_marks()

    def show_cost(self, item: Item) -> None:
        """Show another cost of the same item; nothing is made anew."""
        self.item = item
        if self._foot is not None:
            self._foot.set_cost(item)
        self.setAccessibleDescription(item.cost)
        self.update_marks()

    def _show_veil(self) -> None:
        """Dim what the model does not see; parts made later must not come before the veil."""
        if self.item.is_out_of_view and self._veil is None:
            self._veil = Veil(self._style, self)
            self._veil.resize(self.size())
            self._veil.show()
        elif not self.item.is_out_of_view and self._veil is not None:
            self._veil.hide()
            self._veil.deleteLater()
            self._veil = None
        if self._veil is not None:
            self._veil.raise_()

    def can_copy(self) -> bool:
        """Whether the foot offers Copy."""
        return bool(self.item.text)

    def set_current(self, current: bool) -> None:
        """Show or hide the mark of the message the keyboard is at."""
        if current != self._is_current:
            self._is_current = current
            self.update_marks()
            self.update()

    def is_marked(self) -> bool:
        """Whether the pointer or the keyboard is here."""
        return self._is_current or self._is_hovered

    def update_marks(self) -> None:
        """Show what is shown only where the pointer or the keyboard is."""
        if self._foot is not None:
            self._foot.show_marked(self.is_marked())

    def enter(self) -> None:
        """Give the keyboard to the first part."""
        for stop in self.stops():
            stop.setFocus(Qt.FocusReason.TabFocusReason)
            return

    def foot_stops(self) -> list[QWidget]:
        """The buttons below the text."""
        parts = [part for part in (self._error, self._foot) if part is not None]
        return [button for part in parts for button in part.buttons]

    def focusNextPrevChild(self, forward: bool) -> bool:
        stops = [stop for stop in self.stops() if stop.isEnabled()]
        focused = QApplication.focusWidget()
        if focused in stops:
            target = stops.index(focused) + (1 if forward else -1)
            if 0 <= target < len(stops):
                reason = Qt.FocusReason.TabFocusReason if forward else Qt.FocusReason.BacktabFocusReason
                stops[target].setFocus(reason)
                return True
        return super().focusNextPrevChild(forward)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and QApplication.focusWidget() is not self:
            self.left.emit(self.item.id)
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if self.item.has_menu:
            self.menu_requested.emit(self.item.id, "menu", event.globalPos())
        else:
            super().contextMenuEvent(event)

    def enterEvent(self, event: QEnterEvent) -> None:
        super().enterEvent(event)
        self._is_hovered = True
        self.update_marks()
        self.hovered.emit(self.item.id)

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._is_hovered = False
        self.update_marks()
        self.hovered.emit("")

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._veil is not None:
            self._veil.resize(self.size())
        if self._is_current:
            self.update()  # the mark goes all around

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._is_current:
            painter = QPainter(self)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(QColor(self._style.colours.accent), 1.5))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 8, 8)
            painter.end()

    @Slot()
    def _on_body_resized(self) -> None:
        self.resized.emit(False)

    @Slot(str)
    def _on_action(self, action_id: str) -> None:
        if action_id in MENU_BUTTONS:
            button = next(each for each in self.foot_stops() if each.objectName() == action_id)
            self.menu_requested.emit(self.item.id, action_id, button.mapToGlobal(button.rect().bottomLeft()))
            return
        self.action_triggered.emit(self.item.id, action_id)
