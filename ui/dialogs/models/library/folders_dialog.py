"""Where models are looked for: the user's own folders, and those that are found by themselves."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QSize, Qt, Slot
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from app.errors import Sentence
from ui.dialogs.models.library import words
from ui.icons import SIZE_PX, icon, keep_icon
from ui.translation import localised

if TYPE_CHECKING:
    from ui.library_keeper import LibraryKeeper
    from ui.settings_keeper import SettingsKeeper
    from ui.theme import Theme


class FoldersDialog(QDialog):
    """Every change counts at once."""

    def __init__(
        self, theme: Theme, keeper: LibraryKeeper, settings: SettingsKeeper, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setObjectName("folders_dialog")
        self.setWindowTitle(self.tr("Folders to look in"))
        self._theme = theme
        self._keeper = keeper
        self._settings = settings
        self.added = self._list("folders_added", self.tr("Folders you added"))
        self.found = self._list("folders_found", self.tr("Folders found automatically"))
        self.found.setSelectionMode(QListWidget.SelectionMode.NoSelection)
        self.add_button = QPushButton(self.tr("&Add a folder…"))
        self.add_button.setObjectName("folders_add")
        keep_icon(self.add_button, "plus", theme)
        self.remove_button = QPushButton(self.tr("Stop &looking there"))
        self.remove_button.setObjectName("folders_remove")
        for button in (self.add_button, self.remove_button):
            button.setAutoDefault(False)
        self._lay_out()
        self.resize(640, 440)
        self.add_button.clicked.connect(self._ask)
        self.remove_button.clicked.connect(self._remove)
        self.added.itemSelectionChanged.connect(self._offer)
        keeper.progressed.connect(self._show)
        settings.changed.connect(self._show)
        theme.changed.connect(self._show)
        self._show()

    def add(self, path: str) -> None:
        """Look in this folder, and in those below it, from now on."""
        folder = str(Path(path).absolute())
        folders = self._settings.value.model_folders
        if path and folder not in folders:
            self._settings.set(replace(self._settings.value, model_folders=(*folders, folder)))

    def _lay_out(self) -> None:
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        buttons.addWidget(self.add_button)
        buttons.addWidget(self.remove_button)
        buttons.addStretch(1)
        close = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        close.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.setSpacing(8)
        layout.addWidget(_title(self.tr("Yours, with all folders below them")))
        layout.addWidget(self.added, 1)
        layout.addLayout(buttons)
        layout.addSpacing(8)
        layout.addWidget(_title(self.tr("Found automatically")))
        layout.addWidget(self.found, 1)
        layout.addWidget(close)

    @Slot()
    def _show(self) -> None:
        chosen = {item.text() for item in self.added.selectedItems()}
        folders = self._settings.value.model_folders
        self.added.clear()
        for folder in folders:
            item = QListWidgetItem(folder)
            notes = [localised(note) for note in self._keeper.notes if _is_about(note, folder)]
            item.setToolTip(_plain("\n".join([folder, *notes])))
            if notes:
                item.setIcon(icon("alert-triangle", self._theme, self._theme.colours.warning))
                item.setData(Qt.ItemDataRole.AccessibleDescriptionRole, "\n".join(notes))
            self.added.addItem(item)
            item.setSelected(folder in chosen)
        if not folders:
            nothing = QListWidgetItem(self.tr("None yet: add the folder you keep your models in."))
            nothing.setFlags(Qt.ItemFlag.NoItemFlags)
            self.added.addItem(nothing)
        self.found.clear()
        roots = [root for root in self._keeper.roots if str(root.path) not in folders]
        names = {str(root.path): words.source(root.source) for root in roots}
        names[str(self._keeper.own_folder)] = self.tr("Tokometer's own")
        for path, name in names.items():
            item = QListWidgetItem(f"{name} · {path}")
            item.setToolTip(_plain(path))
            item.setFlags(Qt.ItemFlag.ItemIsEnabled)
            self.found.addItem(item)
        self._offer()

    @Slot()
    def _offer(self) -> None:
        self.remove_button.setEnabled(bool(self.added.selectedItems()))

    @Slot()
    def _ask(self) -> None:
        dialog = QFileDialog(self, self.tr("Add a folder"), str(Path.home()))
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self.add)
        dialog.open()

    @Slot()
    def _remove(self) -> None:
        gone = {item.text() for item in self.added.selectedItems()}
        kept = tuple(folder for folder in self._settings.value.model_folders if folder not in gone)
        self._settings.set(replace(self._settings.value, model_folders=kept))

    def _list(self, name: str, accessible_name: str) -> QListWidget:
        rows = QListWidget()
        rows.setObjectName(name)
        rows.setAccessibleName(accessible_name)
        rows.setProperty("role", "box")
        rows.setItemDelegate(_Elided(rows))
        side = round(SIZE_PX * self._theme.zoom)
        rows.setIconSize(QSize(side, side))
        rows.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        rows.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        return rows


class _Elided(QStyledItemDelegate):
    """Lines as wide as the list: a long path is cut in its middle."""

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(0, super().sizeHint(option, index).height())


def _is_about(note: str, folder: str) -> bool:
    return isinstance(note, Sentence) and note.values.get("path") == folder


def _title(text: str) -> QLabel:
    label = QLabel(text)
    label.setProperty("role", "title")
    return label


def _plain(text: str) -> str:
    """Return text for a tooltip that must not be taken for markup."""
    return text.replace("&", "&amp;").replace("<", "&lt;")
