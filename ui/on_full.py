"""What is done where the next turn would not fit: the words for it, and the menu to choose from."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QCoreApplication, Signal, Slot
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMenu

from app.settings import ON_FULL

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from app.chat.conversation import OnFull


def on_full_text(on_full: OnFull) -> str:
    """Return what is done, in words."""
    return {
        "grow": QCoreApplication.translate("on_full", "Let it grow, then summarise"),
        "summarise": QCoreApplication.translate("on_full", "Summarise the older turns"),
        "drop": QCoreApplication.translate("on_full", "Take the oldest turns out of view"),
        "ask": QCoreApplication.translate("on_full", "Ask me"),
        "stop": QCoreApplication.translate("on_full", "Send nothing more"),
    }[on_full]


def on_full_explained(on_full: OnFull) -> str:
    """Return what that means for the conversation."""
    return {
        "grow": QCoreApplication.translate(
            "on_full",
            "The context becomes larger as long as memory holds it; at its limit the older turns are summarised.",
        ),
        "summarise": QCoreApplication.translate(
            "on_full", "The context keeps its size: a summary takes the place of the older turns. Can be undone."
        ),
        "drop": QCoreApplication.translate(
            "on_full",
            "The context keeps its size: the model does not see the oldest turns any more. They stay in the "
            "conversation, and can be brought back.",
        ),
        "ask": QCoreApplication.translate("on_full", "The message waits until you have chosen what is to be done."),
        "stop": QCoreApplication.translate("on_full", "A message that does not fit is not sent."),
    }[on_full]


class OnFullMenu(QMenu):
    """One of the ways, or the preferences' own; with a heading where nothing else says what it is about.

    Signals:
        chosen: an `OnFull`, or None for what the preferences say.
    """

    chosen = Signal(object)

    def __init__(
        self, present: OnFull | None, default: OnFull, parent: QWidget | None = None, *, has_heading: bool = False
    ) -> None:
        super().__init__(parent)
        self.setObjectName("on_full_menu")
        self.setTitle(self.tr("When the context is full"))
        self.setToolTipsVisible(True)
        self._group = QActionGroup(self)
        if has_heading:
            self.addAction(self.title()).setEnabled(False)
        as_set = self.tr("As in the preferences: {}").format(on_full_text(default))
        self._add(as_set, on_full_explained(default), "", is_checked=present is None)
        self.addSeparator()
        for name in ON_FULL:
            on_full = cast("OnFull", name)
            self._add(on_full_text(on_full), on_full_explained(on_full), on_full, is_checked=on_full == present)
        self.triggered.connect(self._on_triggered)

    def _add(self, text: str, explanation: str, value: str, *, is_checked: bool) -> None:
        action = self.addAction(text)
        action.setObjectName(f"on_full_{value or 'default'}")
        action.setToolTip(explanation)
        action.setData(value)
        action.setCheckable(True)
        action.setChecked(is_checked)
        self._group.addAction(action)

    @Slot(QAction)
    def _on_triggered(self, action: QAction) -> None:
        self.chosen.emit(action.data() or None)
