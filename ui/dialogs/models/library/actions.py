"""What can be done with the chosen models: one action each for buttons, the context menu and the keyboard."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QSize, Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu, QPushButton, QWidget

from ui.icons import SIZE_PX, keep_icon
from ui.style_sheet import set_role

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.hub.library import LibraryModel
    from ui.theme import Theme

MOST_COMPARED = 6
"""Side by side in a window of 1,000 pixels."""
SHORTCUTS = {
    "show": "Ctrl+I",
    "compare": "Ctrl+D",
    "verify": "Ctrl+E",
    "reveal": "Ctrl+Shift+R",
    "copy_path": "Ctrl+Shift+C",
    "remove": "Delete",
    "refresh": "F5",
}
ICONS = {
    "load": "power",
    "load_settings": "sliders-horizontal",
    "show": "info",
    "compare": "panel-right",
    "verify": "check",
    "reveal": "folder-open",
    "copy_path": "copy",
    "remove": "trash",
    "refresh": "refresh",
}
MENU = ("load", "load_settings", "", "show", "compare", "verify", "", "reveal", "copy_path", "", "remove")
BUTTONS = ("load", "show", "compare", "verify", "reveal", "remove")
LOADABLE = ("chat",)


class LibraryActions(QObject):
    """One `QAction` per name in `MENU` and `refresh`; `actions["load"]` is that action."""

    def __init__(self, theme: Theme, page: QWidget) -> None:
        super().__init__(page)
        self._page = page
        self._actions: dict[str, QAction] = {}
        for name, icon in ICONS.items():
            action = self._actions[name] = QAction(page)
            action.setObjectName(f"library_{name}")
            action.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            if shortcut := SHORTCUTS.get(name):
                action.setShortcut(QKeySequence(shortcut))
            keep_icon(action, icon, theme)
            page.addAction(action)
        self._buttons: dict[str, QPushButton] = {
            name: ActionButton(self._actions[name], theme, page) for name in BUTTONS
        }
        self.lead_to_load(True)
        self.retranslate()
        self.offer((), None, is_busy=False)

    def __getitem__(self, name: str) -> QAction:
        return self._actions[name]

    def retranslate(self) -> None:
        """Set every text in the present language."""
        texts = {
            "load": self.tr("&Load"),
            "load_settings": self.tr("Load with &settings…"),
            "show": self.tr("Look &inside…"),
            "compare": self.tr("&Compare…"),
            "verify": self.tr("&Verify"),
            "reveal": self.tr("Show in &folder"),
            "copy_path": self.tr("Co&py the path"),
            "remove": self.tr("&Remove…"),
            "refresh": self.tr("Look again"),
        }
        for name, text in texts.items():
            self._actions[name].setText(text)

    def offer(self, chosen: Sequence[LibraryModel], loaded: object, *, is_busy: bool) -> None:
        """Offer only what can be done with these.

        Args:
            loaded: path of the model in use, None without one.
            is_busy: whether a file is being read whole.
        """
        one = chosen[0] if len(chosen) == 1 else None
        reasons = {
            "load": self._why_not_loaded(one, loaded),
            "load_settings": self._why_not_loaded(one, None),
            "show": "" if one is not None else self._one_needed(),
            "compare": ""
            if 2 <= len(chosen) <= MOST_COMPARED
            else self.tr("Choose two to six models: Ctrl+click adds one."),
            "verify": self.tr("Another model is being read.") if is_busy else "" if one else self._one_needed(),
            "reveal": "" if one is not None else self._one_needed(),
            "copy_path": "" if one is not None else self._one_needed(),
            "remove": "" if one is not None else self._one_needed(),
        }
        for name, reason in reasons.items():
            action = self._actions[name]
            action.setEnabled(not reason)
            shortcut = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
            action.setToolTip(reason or " ".join(filter(None, (self._meaning(name), shortcut and f"({shortcut})"))))

    def menu(self) -> QMenu:
        """Return the context menu; the caller shows it."""
        menu = QMenu(self._page)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.setToolTipsVisible(True)
        for name in MENU:
            if name:
                menu.addAction(self._actions[name])
            else:
                menu.addSeparator()
        menu.setDefaultAction(self._actions["load"])
        return menu

    def buttons(self) -> list[QPushButton]:
        """Return a button for each of the commonest; they follow their actions."""
        return list(self._buttons.values())

    def lead_to_load(self, is_next: bool) -> None:
        """Make loading the thing to do next, or one thing among the others."""
        set_role(self._buttons["load"], "primary" if is_next else "")

    def _meaning(self, name: str) -> str:
        return {
            "load": self.tr("Load it with the settings kept for it (Enter)"),
            "load_settings": self.tr("See what it would take, choose settings, and load it"),
            "show": self.tr("Every key of the file, its chat template and its tensors"),
            "compare": self.tr("What differs, what each takes of the memory, and whether it fits"),
            "verify": self.tr("Read every byte, and compare it with what is known of the file"),
            "reveal": self.tr("Show the file in the system's file manager"),
            "copy_path": self.tr("Copy the path of the file"),
            "remove": self.tr("Move it to the trash"),
        }[name]

    def _one_needed(self) -> str:
        return self.tr("Choose one model.")

    def _why_not_loaded(self, model: LibraryModel | None, loaded: object) -> str:
        if model is None:
            return self._one_needed()
        if model.problem:
            return self.tr("It is damaged or incomplete.")
        if model.kind not in LOADABLE:
            return self.tr("Only models that chat can be loaded.")
        return self.tr("It is loaded.") if model.path == loaded else ""


class ActionButton(QPushButton):
    """A push button that is its action: text, icon, tooltip, and whether it can be done."""

    def __init__(self, action: QAction, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._action = action
        self._theme = theme
        self.setObjectName(f"{action.objectName()}_button")
        self.setAutoDefault(False)
        action.changed.connect(self._follow)
        self.clicked.connect(action.trigger)
        self._follow()

    def _follow(self) -> None:
        self.setText(self._action.text())
        self.setAccessibleName(self._action.text().replace("&", "").rstrip("…"))
        self.setEnabled(self._action.isEnabled())
        self.setToolTip(self._action.toolTip())
        if self._action.objectName() != "library_load":
            side = round(SIZE_PX * self._theme.zoom)
            self.setIcon(self._action.icon())
            self.setIconSize(QSize(side, side))
