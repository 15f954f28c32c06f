"""Everything a model's header says: its keys, its chat template and its tensors."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QLabel,
    QSplitter,
    QStackedWidget,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from app.hub.names import printable
from app.hub.order import natural_key
from ui import formatting
from ui.dialogs.models.empty import EmptyPage
from ui.dialogs.models.library.plain_view import PlainView
from ui.dialogs.models.library.text_table import Cell, TextTable
from ui.job_thread import NotKnown
from ui.search_field import SearchField
from ui.translation import localised

if TYPE_CHECKING:
    from app.hub.contents import Contents
    from app.hub.library import LibraryModel
    from ui.library_keeper import LibraryKeeper
    from ui.theme import Theme

LONGEST_CELL = 200


class ContentsDialog(QDialog):
    """Read in the background; everything is shown as plain text."""

    def __init__(self, theme: Theme, keeper: LibraryKeeper, model: LibraryModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("contents_dialog")
        self.setWindowTitle(self.tr("Inside {}").format(model.name))
        self.setAccessibleName(self.tr("Inside {}").format(model.name))
        self.setWindowFlag(Qt.WindowType.WindowMaximizeButtonHint)
        self._keeper = keeper
        self._model = model
        self._contents: Contents | None = None
        self._is_over = False
        self._path = QLabel(str(model.path), wordWrap=True)
        self._path.setTextFormat(Qt.TextFormat.PlainText)
        self._path.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.empty = EmptyPage("contents_empty")
        self.empty.wait(self.tr("Reading the file…"))
        self.keys = TextTable("contents_keys", self.tr("Keys"), (self.tr("Key"), self.tr("Value")), 2)
        self._theme = theme
        self.value = PlainView(theme, "contents_value")
        self.template = PlainView(theme, "contents_template")
        titles = (self.tr("Tensor"), self.tr("File"), self.tr("Type"), self.tr("Shape"), self.tr("Size"))
        self.tensors = TextTable("contents_tensors", self.tr("Tensors"), titles, 3)
        self.tabs = QTabWidget()
        self.tabs.setAccessibleName(self.tr("Parts of the file"))
        self._places = QStackedWidget()
        self._lay_out()
        self.resize(860, 620)
        self.keys.selectionModel().currentChanged.connect(self._show_value)
        self.value.whole_requested.connect(self._read_whole)
        keeper.files.run_job(partial(_read, model), self._on_read)

    def done(self, result: int) -> None:
        """Close; what is being read is not waited for."""
        self._is_over = True
        super().done(result)

    def _lay_out(self) -> None:
        halves = QSplitter(Qt.Orientation.Vertical, childrenCollapsible=False)
        halves.addWidget(self.keys)
        halves.addWidget(self.value)
        halves.setStretchFactor(0, 3)
        halves.setStretchFactor(1, 2)
        self.tabs.addTab(self._filtered(self.keys, halves, self.tr("Filter the keys")), self.tr("Keys"))
        self.tabs.addTab(self.template, self.tr("Chat template"))
        self.tabs.addTab(self._filtered(self.tensors, self.tensors, self.tr("Filter the tensors")), self.tr("Tensors"))
        self.tabs.setEnabled(False)
        self._places.addWidget(self.empty)
        self._places.addWidget(self.tabs)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.setSpacing(8)
        layout.addWidget(self._path)
        layout.addWidget(self._places, 1)
        layout.addWidget(buttons)

    def _filtered(self, table: TextTable, below: QWidget, text: str) -> QWidget:
        field = SearchField(self._theme)
        field.setObjectName(f"{table.objectName()}_filter")
        field.setPlaceholderText(text)
        field.setAccessibleName(text)
        field.textChanged.connect(table.set_filter)
        page = QWidget()
        layout = QVBoxLayout(page)
        layout.setContentsMargins(0, 8, 0, 0)
        layout.setSpacing(8)
        layout.addWidget(field)
        layout.addWidget(below, 1)
        return page

    def _on_read(self, contents: Contents | NotKnown) -> None:
        if self._is_over:
            return
        if isinstance(contents, NotKnown):
            self.empty.say(localised(contents.reason), role="error")
            return
        self._contents = contents
        self.tabs.setEnabled(True)
        self._places.setCurrentWidget(self.tabs)
        self.keys.set_rows([(Cell(printable(key)), Cell(_line(value))) for key, value in contents.metadata])
        names = sorted({row.name for row in contents.tensors}, key=natural_key)
        places = {name: float(place) for place, name in enumerate(names)}
        numbers = {part.name: number for number, part in enumerate(self._model.parts, 1)}
        self.tensors.set_rows(
            [
                (
                    Cell(printable(row.name), places[row.name]),
                    self._part(numbers.get(row.file)),
                    Cell(row.type_name),
                    Cell(" × ".join(map(formatting.count, row.shape)), float(_elements(row.shape))),
                    Cell(formatting.memory(row.n_bytes), float(row.n_bytes or 0)),
                )
                for row in contents.tensors
            ]
        )
        has_parts = len({row.file for row in contents.tensors}) > 1
        self.tensors.setColumnHidden(1, not has_parts)
        if not has_parts:
            self.tensors.horizontalHeader().setSectionResizeMode(0, self.tensors.horizontalHeader().ResizeMode.Stretch)
        self.tabs.setTabText(0, self.tr("Keys ({})").format(formatting.count(len(contents.metadata))))
        self.tabs.setTabText(2, self.tr("Tensors ({})").format(formatting.count(len(contents.tensors))))
        about = self.tr("{} characters").format(formatting.count(len(contents.chat_template)))
        nothing = self.tr("The file brings no chat template.")
        self.template.show_text(about if contents.chat_template else nothing, contents.chat_template)
        self.keys.selectRow(0)
        self.keys.setFocus()

    def _part(self, number: int | None) -> Cell:
        """Return which of a split model's files it is: their names are long, and alike but for that."""
        if number is None:
            return Cell(formatting.unknown())
        text = self.tr("{number} of {total}").format(
            number=formatting.count(number), total=formatting.count(len(self._model.parts))
        )
        return Cell(text, float(number))

    @Slot()
    def _show_value(self) -> None:
        row = self.keys.current_row()
        if self._contents is None or row is None:
            self.value.show_text("", "")
            return
        key, value = self._contents.metadata[row]
        self.value.show_text(printable(key), value, is_part=self._contents.is_cut(key))

    @Slot()
    def _read_whole(self) -> None:
        row = self.keys.current_row()
        if self._contents is not None and row is not None:
            key = self._contents.metadata[row][0]
            self._keeper.files.run_job(partial(_whole, self._model, key), partial(self._on_whole, key))

    def _on_whole(self, key: str, text: str | NotKnown) -> None:
        row = self.keys.current_row()
        if self._is_over or self._contents is None or row is None or self._contents.metadata[row][0] != key:
            return
        if isinstance(text, NotKnown):
            self.value.show_text(localised(text.reason), "")
        else:
            about = self.tr("{key}: {count} values, one per line")
            lines = formatting.count(text.count("\n") + 1)
            self.value.show_text(about.format(key=printable(key), count=lines), text)


def _line(value: str) -> str:
    line = printable(value[: 2 * LONGEST_CELL]).replace("\n", " ")
    return line if len(line) <= LONGEST_CELL else f"{line[:LONGEST_CELL]}…"


def _elements(shape: tuple[int, ...]) -> int:
    count = 1
    for extent in shape:
        count *= extent
    return count


def _read(model: LibraryModel) -> Contents:
    from app.hub.contents import read_contents

    return read_contents(model)


def _whole(model: LibraryModel, key: str) -> str:
    """Return the values, one per line; line breaks in them are escaped."""
    from app.hub.contents import whole_value

    return "\n".join(value.replace("\n", "\\n") for value in whole_value(model, key))
