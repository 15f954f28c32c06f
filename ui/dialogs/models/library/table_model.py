"""The models as rows: one value each, changed in place, so that a selection survives a scan."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Slot
from PySide6.QtGui import QColor, QFont

from ui.dialogs.models.library import words
from ui.dialogs.models.library.columns import COLUMNS, FITS, NAME, meaning, title
from ui.icons import icon
from ui.translation import localised

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from app.hub.fits import Placing
    from app.hub.library import LibraryModel
    from ui.library_keeper import LibraryKeeper
    from ui.model_controller import ModelController
    from ui.theme import Theme

Index = QModelIndex | QPersistentModelIndex

_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


class LibraryTableModel(QAbstractTableModel):
    """Follows a keeper; rows keep their order here, the proxy sorts them."""

    def __init__(
        self, keeper: LibraryKeeper, models: ModelController, theme: Theme, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._keeper = keeper
        self._models = models
        self._theme = theme
        self._rows: list[LibraryModel] = list(keeper.models.values())
        self._places = {model.path: row for row, model in enumerate(self._rows)}
        keeper.changed.connect(self._on_changed)
        keeper.placed.connect(self._on_placed)
        theme.changed.connect(self._repaint)
        models.changed.connect(self._repaint)

    def model_at(self, row: int) -> LibraryModel:
        """Return the model of a row."""
        return self._rows[row]

    def placing_at(self, row: int) -> Placing | None:
        """Return where it goes, None while that is not known."""
        return self._keeper.placings.get(self._rows[row].path)

    def value(self, row: int, column: int) -> Any:
        """Return what a cell is sorted by."""
        return COLUMNS[column].value(self._rows[row], self.placing_at(row))

    def row_of(self, path: Path) -> int | None:
        """Return the row of a model, None when it is not there."""
        return self._places.get(path)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        return 0 if parent.isValid() else len(COLUMNS)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        column, row = COLUMNS[index.column()], index.row()
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return column.text(self._rows[row], self.placing_at(row))
            case Qt.ItemDataRole.TextAlignmentRole:
                return _RIGHT if column.is_number else _LEFT
            case Qt.ItemDataRole.ToolTipRole | Qt.ItemDataRole.AccessibleDescriptionRole:
                text = self._explanation(index.row(), index.column())
                # A tooltip guesses rich text; a file's name is never markup.
                return f"<qt>{html.escape(text)}</qt>" if role == Qt.ItemDataRole.ToolTipRole else text
            case Qt.ItemDataRole.DecorationRole if index.column() == NAME and self._rows[row].is_damaged:
                return icon("alert-triangle", self._theme, self._theme.colours.warning)
            case Qt.ItemDataRole.FontRole if index.column() == NAME and self._is_loaded(row):
                return self._bold()
            case Qt.ItemDataRole.ForegroundRole if index.column() == FITS:
                return self._fits_colour(row)
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation is not Qt.Orientation.Horizontal:
            return None
        column = COLUMNS[section]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return title(column.key)
            case Qt.ItemDataRole.ToolTipRole:
                return f"<qt>{html.escape(meaning(column.key))}</qt>"
            case Qt.ItemDataRole.TextAlignmentRole:
                return _RIGHT if column.is_number else _LEFT
        return None

    def _explanation(self, row: int, column: int) -> str:
        model, key = self._rows[row], COLUMNS[column].key
        match key:
            case "name":
                loaded = self.tr("It is loaded.") if self._is_loaded(row) else ""
                return "\n".join(filter(None, (str(model.path), localised(model.problem or model.fault), loaded)))
            case "fits" | "largest":
                return words.fits_explained(model, self.placing_at(row))
            case "kind":
                return words.kind_explained(model.kind)
            case "folder" | "licence":
                return COLUMNS[column].text(model, None)
        return meaning(key)

    def _is_loaded(self, row: int) -> bool:
        config = self._models.config
        return config is not None and self._models.model is not None and config.path == self._rows[row].path

    def _bold(self) -> QFont:
        font = self._theme.font()
        font.setBold(True)
        return font

    def _fits_colour(self, row: int) -> QColor | None:
        placing = self.placing_at(row)
        if self._rows[row].is_damaged:
            return QColor(self._theme.colours.warning)
        if placing is not None and placing.place == "no":
            return QColor(self._theme.colours.error)
        return QColor(self._theme.colours.muted) if placing is None or placing.place == "unknown" else None

    @Slot(object, object)
    def _on_changed(self, new: tuple[LibraryModel, ...], gone: tuple[Path, ...]) -> None:
        for row in sorted((self._places[path] for path in gone if path in self._places), reverse=True):
            self.beginRemoveRows(QModelIndex(), row, row)
            del self._rows[row]
            self.endRemoveRows()
        if gone:
            self._places = {model.path: row for row, model in enumerate(self._rows)}
        added: list[LibraryModel] = []
        for model in new:
            known = self._places.get(model.path)
            if known is None:
                added.append(model)
            else:
                self._rows[known] = model
                self.dataChanged.emit(self.index(known, 0), self.index(known, len(COLUMNS) - 1))
        if added:
            first = len(self._rows)
            self.beginInsertRows(QModelIndex(), first, first + len(added) - 1)
            self._places.update((model.path, first + number) for number, model in enumerate(added))
            self._rows += added
            self.endInsertRows()

    @Slot(object)
    def _on_placed(self, paths: Iterable[Path]) -> None:
        for path in paths:
            if (row := self._places.get(path)) is not None:
                self.dataChanged.emit(self.index(row, 0), self.index(row, len(COLUMNS) - 1))

    @Slot()
    def _repaint(self) -> None:
        if self._rows:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self._rows) - 1, len(COLUMNS) - 1))
