"""What stands below a message: its figures, its buttons, and what went wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, Signal, Slot
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QPushButton, QWidget

from ui.chat.controls import CopyButton, FlatButton, PlainLabel, ToolButton
from ui.chat.geometry import GAP
from ui.chat.tooltip import plain_tooltip
from ui.chat.wait_bar import HEIGHT, WIDEST, WaitBar

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtGui import QPaintEvent

    from ui.chat.item import Action, Item
    from ui.chat.style import Style

REMOVING = ("regenerate", "regenerate_menu")
"""Actions that take their message out of the conversation."""

EXPLAIN_WAIT = "explain_wait"
"""The action of the bar."""

ICONS = {
    "regenerate": "refresh",
    "retry": "refresh",
    "reload_model": "refresh",
    "undo_summary": "undo",
    "continue": "play",
    "regenerate_menu": "chevron-down",
    "redo_summary": "refresh",
    "bring_back": "undo",
}
ICON_ONLY = ("regenerate_menu",)


def _place(buttons: list[QPushButton], x: int, y: int, width: int) -> int:
    """Place buttons from left to right, in further rows where they do not fit; return the bottom."""
    left, bottom = x, y
    for button in buttons:
        size = button.sizeHint()
        if left > x and left + size.width() > x + width:
            left, y = x, bottom + GAP // 2
        button.setGeometry(left, y, min(size.width(), width), size.height())
        left += size.width() + GAP // 2
        bottom = max(bottom, y + size.height())
    return bottom


class Actions(QWidget):
    """Base of the parts with buttons.

    Signals:
        action_triggered: with the action's id.
    """

    action_triggered = Signal(str)

    def __init__(self, style: Style, parent: QWidget) -> None:
        super().__init__(parent)
        self._style = style
        self.buttons: list[QPushButton] = []

    def add_actions(self, actions: tuple[Action, ...], emphasise: bool = False) -> None:
        """Append a button per action; the first may be the one thing to do next."""
        for number, action in enumerate(actions):
            primary = emphasise and number == 0
            icon = ICONS.get(action.id, "")
            if action.id in ICON_ONLY:
                button: FlatButton = ToolButton(icon, action.label, self._style, self)
            else:
                button = FlatButton(action.label, self._style, self, icon, primary)
            button.setObjectName(action.id)
            button.clicked.connect(self._on_clicked)
            self.buttons.append(button)

    @Slot()
    def _on_clicked(self) -> None:
        self.action_triggered.emit(self.sender().objectName())


class Foot(Actions):
    """One muted line of figures, Copy, the item's actions, its versions, and what can be done with it.

    Args:
        is_quiet: nothing but what says something is shown where neither the pointer nor the keyboard is.
    """

    def __init__(
        self, item: Item, copy: Callable[[], str] | None, style: Style, parent: QWidget, is_quiet: bool = False
    ) -> None:
        super().__init__(style, parent)
        self._hidden: list[QPushButton] = []
        self._label = PlainLabel(item.footer, self, "muted", item.footer_tooltip)
        self._label.setFont(style.small_font)
        self._label.setVisible(bool(item.footer))
        if copy is not None:
            self.buttons.append(CopyButton(copy, style, self, self.tr("Copy message")))
        if is_quiet:
            self._hidden += self.buttons
        if not item.error:
            self.add_actions(item.actions)
        if item.has_menu and is_quiet:  # at the right of the column: what stays is at its edge
            self._add_tools()
            self._add_marks(item)
        elif item.has_menu:
            self._add_marks(item)
            self._add_tools()
        self._item = item
        self.bar = WaitBar(style, self)
        self.bar.clicked.connect(self._on_bar_clicked)
        self.set_cost(item)

    def set_cost(self, item: Item) -> None:
        """Say what the message takes: in the tooltip of its figures, or in their place where there are none."""
        self._item = item
        self.bar.show_bar(item.wait)
        if item.footer:
            self._label.setToolTip(plain_tooltip("\n".join(filter(None, (item.cost, item.footer_tooltip)))))
        else:
            self._label.setText(item.cost)
        for button in self.buttons:
            if button.objectName() in REMOVING:
                button.setToolTip(plain_tooltip(item.frees))
                button.setAccessibleDescription(item.frees)

    def show_marked(self, is_marked: bool) -> None:
        """Show what is shown only where the pointer or the keyboard is."""
        self._label.setVisible(bool(self._item.footer) or (is_marked and bool(self._item.cost)))
        for button in self._hidden:
            button.setVisible(is_marked)

    def _add_tools(self) -> None:
        self._hidden.append(self._tool("pencil", "edit", self.tr("Edit (F2)")))
        self._hidden.append(self._tool("ellipsis", "menu", self.tr("More")))

    def _add_marks(self, item: Item) -> None:
        if item.is_pinned:
            self._tool("pin", "unpin", self.tr("Pinned: the model always sees this word for word. Press to unpin."))
        if item.versions > 1:
            former = self._tool("chevron-left", "previous_version", self.tr("Previous version"))
            former.setEnabled(item.version > 1)
            of = FlatButton(f"{item.version} / {item.versions}", self._style, self)
            of.setObjectName("versions")
            of.setAccessibleName(
                self.tr("Version {version} of {versions}").format(version=item.version, versions=item.versions)
            )
            of.setToolTip(plain_tooltip(self.tr("All branches of the conversation")))
            of.clicked.connect(self._on_clicked)
            self.buttons.append(of)
            later = self._tool("chevron-right", "next_version", self.tr("Next version"))
            later.setEnabled(item.version < item.versions)

    def _tool(self, icon: str, action_id: str, name: str) -> ToolButton:
        button = ToolButton(icon, name, self._style, self)
        button.setObjectName(action_id)
        button.clicked.connect(self._on_clicked)
        self.buttons.append(button)
        return button

    def natural_width(self) -> int:
        """Return the width that everything beside each other takes."""
        self._label.setWordWrap(False)
        label = self._label.sizeHint().width() + GAP if self._label.text() else 0
        return label + sum(button.sizeHint().width() + GAP // 2 for button in self.buttons)

    def arrange(self, width: int) -> int:
        """Put the bar below the figures and the buttons."""
        height = self._arrange_line(width)
        if not self.bar.segments:
            return height
        self.bar.setGeometry(0, height + GAP // 2, min(width, WIDEST), HEIGHT)
        return height + GAP // 2 + HEIGHT

    def _arrange_line(self, width: int) -> int:
        """Put the buttons beside the figures, or below them when there is no room."""
        if not self.buttons and not self._label.text():
            return 0
        fits = self.natural_width() <= width
        label = self._label.sizeHint() if self._label.text() else None
        row = max((button.sizeHint().height() for button in self.buttons), default=0)
        if label is None:
            return _place(self.buttons, 0, 0, width)
        if fits:
            height = max(row, label.height())
            self._label.setGeometry(0, (height - label.height()) // 2, label.width(), label.height())
            _place(self.buttons, label.width() + GAP, (height - row) // 2, width - label.width() - GAP)
            return height
        self._label.setWordWrap(True)
        label_height = self._label.heightForWidth(width)
        self._label.setGeometry(0, 0, width, label_height)
        return _place(self.buttons, 0, label_height + GAP // 2, width)

    @Slot()
    def _on_bar_clicked(self) -> None:
        self.action_triggered.emit(EXPLAIN_WAIT)


class ErrorFrame(Actions):
    """A framed sentence about what went wrong, with the next step as a button."""

    def __init__(self, item: Item, style: Style, parent: QWidget) -> None:
        super().__init__(style, parent)
        self._label = PlainLabel(item.error, self)
        self._label.setWordWrap(True)
        self._label.setFont(style.interface_font)
        self.setAccessibleName(self.tr("Error"))
        self.setAccessibleDescription(item.error)
        self.add_actions(item.actions, emphasise=True)

    def arrange(self, width: int) -> int:
        """Put the buttons below the sentence."""
        inner = max(40, width - 4 * GAP)
        height = self._label.heightForWidth(inner)
        self._label.setGeometry(2 * GAP, GAP + 4, inner, height)
        y = GAP + 4 + height
        if self.buttons:
            y = _place(self.buttons, 2 * GAP, y + GAP, inner)
        return y + GAP + 4

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        colour = QColor(self._style.colours.error)
        painter.setPen(QPen(colour, 1))
        ground = QColor(colour)
        ground.setAlphaF(0.07)
        painter.setBrush(ground)
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 8, 8)
        painter.end()
