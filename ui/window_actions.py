"""The window's menus and shortcuts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QAction, QKeySequence

if TYPE_CHECKING:
    from PySide6.QtWidgets import QMainWindow, QMenu

SHORTCUTS: dict[str, tuple[str, ...]] = {
    "new": ("Ctrl+N",),
    "open_model": ("Ctrl+O",),
    "open_with_settings": ("Ctrl+Shift+O",),
    "load_settings": ("Ctrl+Shift+L",),
    "models": ("Ctrl+Shift+M",),
    "memory_details": ("Ctrl+M",),
    "quit": ("Ctrl+Q",),
    "undo": ("Ctrl+Z",),
    "search": ("Ctrl+F",),
    "preferences": ("Ctrl+,",),
    "stop": ("Esc",),
    "regenerate": ("Ctrl+R",),
    "continue": ("Ctrl+Shift+R",),
    "edit_last": ("F2",),
    "former_version": ("Alt+Left",),
    "later_version": ("Alt+Right",),
    "branches": ("Ctrl+J",),
    "delete_turn": ("Ctrl+Shift+D",),
    "system_prompt": ("Ctrl+P",),
    "summarise": ("Ctrl+Shift+S",),
    "bench": ("F9",),
    "sidebar": ("Ctrl+B",),
    "panels": ("Ctrl+Shift+B",),
    "zoom_in": ("Ctrl++", "Ctrl+="),
    "zoom_out": ("Ctrl+-",),
    "zoom_reset": ("Ctrl+0",),
    "composer": ("Ctrl+L",),
    "speed_explained": ("Ctrl+T",),
    "about_numbers": ("F1",),
}

MENUS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        "file",
        (
            "new",
            "",
            "open_model",
            "open_with_settings",
            "load_settings",
            "unload",
            "models",
            "memory_details",
            "",
            "preferences",
            "",
            "quit",
        ),
    ),
    (
        "conversation",
        (
            *("stop", "regenerate", "continue", "edit_last", "delete_turn", ""),
            *("former_version", "later_version", "branches", "", "system_prompt", "summarise", "copy_conversation", ""),
            *("undo", "search", "composer"),
        ),
    ),
    ("view", ("sidebar", "panels", "", "speed_explained", "bench", "", "zoom_in", "zoom_out", "zoom_reset")),
    ("help", ("about_numbers", "about")),
)


class WindowActions(QObject):
    """One `QAction` per name in `MENUS`, in the window's menu bar; `actions["new"]` is that action."""

    def __init__(self, window: QMainWindow) -> None:
        super().__init__(window)
        self._actions: dict[str, QAction] = {}
        self._menus: dict[str, QMenu] = {}
        for menu_name, names in MENUS:
            menu = self._menus[menu_name] = window.menuBar().addMenu("")
            for name in names:
                if name:
                    menu.addAction(self._make(name, window))
                else:
                    menu.addSeparator()
        self["quit"].setMenuRole(QAction.MenuRole.QuitRole)
        self["preferences"].setMenuRole(QAction.MenuRole.PreferencesRole)
        self["about"].setMenuRole(QAction.MenuRole.AboutRole)
        for name in ("sidebar", "panels"):
            self[name].setCheckable(True)
        self.retranslate()

    def __getitem__(self, name: str) -> QAction:
        return self._actions[name]

    def retranslate(self) -> None:
        """Set every text in the present language."""
        menus = {
            "file": self.tr("&File"),
            "conversation": self.tr("&Conversation"),
            "view": self.tr("&View"),
            "help": self.tr("&Help"),
        }
        texts = {
            "new": self.tr("&New conversation"),
            "open_model": self.tr("&Open a model file…"),
            "open_with_settings": self.tr("Open a model file with &settings…"),
            "load_settings": self.tr("&Load settings…"),
            "unload": self.tr("&Unload the model"),
            "models": self.tr("Mo&dels…"),
            "memory_details": self.tr("&Memory details…"),
            "preferences": self.tr("&Preferences…"),
            "quit": self.tr("&Quit"),
            "stop": self.tr("&Stop"),
            "regenerate": self.tr("&Regenerate the last answer"),
            "continue": self.tr("Continue the &last answer"),
            "edit_last": self.tr("Edi&t the message"),
            "delete_turn": self.tr("&Delete the last question and answer"),
            "former_version": self.tr("Pre&vious version"),
            "later_version": self.tr("Ne&xt version"),
            "branches": self.tr("Branc&hes"),
            "system_prompt": self.tr("System &prompt…"),
            "summarise": self.tr("Su&mmarise"),
            "copy_conversation": self.tr("&Copy the conversation"),
            "undo": self.tr("&Undo"),
            "search": self.tr("S&earch conversations"),
            "composer": self.tr("&Write a message"),
            "sidebar": self.tr("Show the &conversations"),
            "panels": self.tr("Show the c&harts"),
            "bench": self.tr("&Bench…"),
            "zoom_in": self.tr("&Larger text"),
            "zoom_out": self.tr("&Smaller text"),
            "zoom_reset": self.tr("&Normal text"),
            "speed_explained": self.tr("Speed &explained…"),
            "about_numbers": self.tr("About the &numbers"),
            "about": self.tr("&About Tokometer"),
        }
        for name, text in menus.items():
            self._menus[name].setTitle(text)
        for name, text in texts.items():
            self._actions[name].setText(text)

    def _make(self, name: str, window: QMainWindow) -> QAction:
        action = QAction(window)
        action.setObjectName(f"action_{name}")
        action.setShortcuts([QKeySequence(shortcut) for shortcut in SHORTCUTS.get(name, ())])
        action.setShortcutContext(Qt.ShortcutContext.WindowShortcut)
        self._actions[name] = action
        return action
