"""Which models are shown: by words, by kind, and by whether they fit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt, Signal, Slot
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QPushButton, QToolButton, QWidget

from ui.dialogs.models.library import words
from ui.dialogs.models.library.filter import DAMAGED, FITS
from ui.dialogs.models.words import place
from ui.icons import keep_icon
from ui.search_field import SearchField

if TYPE_CHECKING:
    from app.hub.fits import Place
    from ui.theme import Theme

_PLACES: tuple[Place, ...] = ("gpu", "partly", "cpu", "no")


class FilterBar(QWidget):
    """Three filters, and beside them what concerns the whole list.

    Signals:
        text_changed, kind_changed, place_changed: as `LibraryFilter` takes them.
        folders_requested, refresh_requested.
        rows_requested: the user goes on from the words to the rows.
        columns_requested: where the menu of columns is wanted, on the screen.
    """

    text_changed = Signal(str)
    kind_changed = Signal(str)
    place_changed = Signal(str)
    folders_requested = Signal()
    refresh_requested = Signal()
    rows_requested = Signal()
    columns_requested = Signal(QPoint)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.search = SearchField(theme)
        self.search.setObjectName("library_search")
        self.search.setPlaceholderText(self.tr("Name, architecture, type, licence, folder"))
        self.search.setAccessibleName(self.tr("Filter the models"))
        self.kind = QComboBox()
        self.kind.setObjectName("library_kind")
        self.kind.setAccessibleName(self.tr("Kind of model"))
        self.kind.addItem(self.tr("All kinds"), "")
        for name in ("chat", "projector", "embedding", "draft", "other"):
            self.kind.addItem(words.kind(name), name)
        self.kind.addItem(self.tr("damaged or incomplete"), DAMAGED)
        self.place = QComboBox()
        self.place.setObjectName("library_place")
        self.place.setAccessibleName(self.tr("Whether it fits"))
        self.place.addItem(self.tr("Fits or not"), "")
        self.place.addItem(self.tr("fits"), FITS)
        for name in _PLACES:
            self.place.addItem(place(name), name)
        self.place.addItem(self.tr("not known"), "unknown")
        self._folders = QPushButton(self.tr("Folders…"))
        self._folders.setObjectName("library_folders")
        self._folders.setAccessibleName(self.tr("Folders to look in"))
        self._folders.setToolTip(self.tr("Where models are looked for"))
        self._folders.setAutoDefault(False)
        self._columns = self._tool("library_columns", "settings", self.tr("Columns"), theme)
        self._refresh = self._tool("library_look_again", "refresh", self.tr("Look again (F5)"), theme)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        layout.addWidget(self.search, 1)
        for widget in (self.kind, self.place, self._folders, self._columns, self._refresh):
            layout.addWidget(widget)
        self.search.textChanged.connect(self.text_changed)
        self.kind.currentIndexChanged.connect(self._on_kind_changed)
        self.place.currentIndexChanged.connect(self._on_place_changed)
        self._folders.clicked.connect(self.folders_requested)
        self._refresh.clicked.connect(self.refresh_requested)
        self._columns.clicked.connect(self._on_columns_clicked)
        down = QShortcut(QKeySequence(Qt.Key.Key_Down), self.search)
        down.setContext(Qt.ShortcutContext.WidgetShortcut)
        down.activated.connect(self.rows_requested)
        self.search.returnPressed.connect(self.rows_requested)
        find = QShortcut(QKeySequence(QKeySequence.StandardKey.Find), self)
        find.setContext(Qt.ShortcutContext.WindowShortcut)
        find.activated.connect(self._focus_search)

    def filters(self) -> list[str]:
        """Return those that are set, each as what a model must match."""
        texts = [self.tr("all of these words")] if self.search.text().strip() else []
        for box, text in ((self.kind, self.tr("the kind “{}”")), (self.place, self.tr("the place “{}”"))):
            if box.currentData():
                texts.append(text.format(box.currentText()))
        return texts

    @Slot()
    def clear(self) -> None:
        """Show everything."""
        self.search.clear()
        self.kind.setCurrentIndex(0)
        self.place.setCurrentIndex(0)

    def _tool(self, name: str, icon: str, text: str, theme: Theme) -> QToolButton:
        button = QToolButton()
        button.setObjectName(name)
        button.setToolTip(text)
        button.setAccessibleName(text)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        keep_icon(button, icon, theme)
        return button

    @Slot()
    def _focus_search(self) -> None:
        self.search.setFocus()
        self.search.selectAll()

    @Slot()
    def _on_kind_changed(self) -> None:
        self.kind_changed.emit(self.kind.currentData())

    @Slot()
    def _on_place_changed(self) -> None:
        self.place_changed.emit(self.place.currentData())

    @Slot()
    def _on_columns_clicked(self) -> None:
        self.columns_requested.emit(self._columns.mapToGlobal(QPoint(0, self._columns.height())))
