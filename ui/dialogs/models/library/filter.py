"""Sorts the rows by their values and leaves out those the user does not want to see."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QSortFilterProxyModel, Qt

from app.hub.order import natural_key

if TYPE_CHECKING:
    from app.hub.library import LibraryModel
    from ui.dialogs.models.library.table_model import LibraryTableModel

Index = QModelIndex | QPersistentModelIndex

DAMAGED = "damaged"
"""A kind of its own for the user: nothing can be done with it but fetch it again."""
FITS = "fits"
"""Wherever it goes, it goes."""


class LibraryFilter(QSortFilterProxyModel):
    """All words of the text must occur in a row, whatever they are in."""

    def __init__(self, source: LibraryTableModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._words: tuple[str, ...] = ()
        self._kind = self._place = ""
        self._texts: dict[LibraryModel, str] = {}
        self.setSourceModel(source)

    @property
    def is_filtering(self) -> bool:
        """Whether rows may be left out."""
        return bool(self._words or self._kind or self._place)

    def set_text(self, text: str) -> None:
        """Show what holds all of these words."""
        self.beginFilterChange()
        self._words = tuple(text.casefold().split())
        self.endFilterChange(self.Direction.Rows)

    def set_kind(self, kind: str) -> None:
        """Show one kind, or `DAMAGED`; all when it is empty."""
        self.beginFilterChange()
        self._kind = kind
        self.endFilterChange(self.Direction.Rows)

    def set_place(self, place: str) -> None:
        """Show what goes to one place, or `FITS`; all when it is empty."""
        self.beginFilterChange()
        self._place = place
        self.endFilterChange(self.Direction.Rows)

    def model_at(self, row: int) -> LibraryModel:
        """Return the model in a row as it is shown."""
        return self._source().model_at(self.mapToSource(self.index(row, 0)).row())

    def filterAcceptsRow(self, row: int, parent: Index) -> bool:
        model = self._source().model_at(row)
        if self._kind and self._kind != (DAMAGED if model.is_damaged else model.kind):
            return False
        if self._place:
            placing = self._source().placing_at(row)
            place = placing.place if placing is not None and not model.is_damaged else "unknown"
            if not (place in ("gpu", "partly", "cpu") if self._place == FITS else place == self._place):
                return False
        if not self._words:
            return True
        text = self._texts.get(model)
        if text is None:
            facts = (model.name, model.architecture, model.quantisation, model.licence, model.source, str(model.path))
            text = self._texts[model] = "\n".join(facts).casefold()
        return all(word in text for word in self._words)

    def lessThan(self, left: Index, right: Index) -> bool:
        """Unknown comes last whichever way it is sorted; equals go by name."""
        source, column = self._source(), left.column()
        first, second = source.value(left.row(), column), source.value(right.row(), column)
        if first is None or second is None:
            if first is not None or second is not None:
                return (second is None) is (self.sortOrder() is Qt.SortOrder.AscendingOrder)
            first = second = ""
        if first == second:
            models = [source.model_at(index.row()) for index in (left, right)]
            name, other = ((natural_key(model.name), str(model.path)) for model in models)
            return name < other if self.sortOrder() is Qt.SortOrder.AscendingOrder else name > other
        return bool(first < second)

    def _source(self) -> LibraryTableModel:
        return cast("LibraryTableModel", self.sourceModel())
