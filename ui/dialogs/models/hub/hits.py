"""The list of models that a search found: two lines each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QSize,
    Qt,
    Signal,
    Slot,
)
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from ui import formatting
from ui.dialogs.models import words

if TYPE_CHECKING:
    from app.hub.search import FoundModel
    from ui.theme import Theme

PADDING_X, PADDING_Y = 8, 6
Index = QModelIndex | QPersistentModelIndex


class HitsModel(QAbstractListModel):
    """What the hub found, in its order."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._hits: tuple[FoundModel, ...] = ()

    def set_hits(self, hits: tuple[FoundModel, ...]) -> None:
        """Show these; what follows the present ones is added, so that the place in the list stays."""
        known = len(self._hits)
        if known and hits[:known] == self._hits:
            if len(hits) > known:
                self.beginInsertRows(QModelIndex(), known, len(hits) - 1)
                self._hits = hits
                self.endInsertRows()
            return
        self.beginResetModel()
        self._hits = hits
        self.endResetModel()

    def hit(self, row: int) -> FoundModel:
        """Return the model of a row."""
        return self._hits[row]

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self._hits)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        hit = self._hits[index.row()]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return hit.repo
            case Qt.ItemDataRole.ToolTipRole:  # a name has letters, digits, dots, dashes and one slash: no markup
                return f"{hit.repo}\n{self.describe(hit)}"
            case Qt.ItemDataRole.UserRole:
                return self.describe(hit)
            case Qt.ItemDataRole.AccessibleTextRole:
                return f"{hit.repo}, {self.describe(hit)}"
        return None

    def describe(self, hit: FoundModel) -> str:
        """Return the second line."""
        parts = [
            self.tr("gated") if hit.gated else "",
            words.short(hit.n_params) if hit.n_params else "",
            words.downloads(hit.downloads, words.short),
            words.likes(hit.likes, words.short),
            formatting.day(hit.modified) if hit.modified is not None else "",
        ]
        return " · ".join(part for part in parts if part)


class HitsList(QListView):
    """Moving through the list shows each model.

    Signals:
        chosen: the `FoundModel`.
    """

    chosen = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("hub_hits")
        self.hits = HitsModel(self)
        self.setModel(self.hits)
        self.setItemDelegate(_TwoLines(theme, self))
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.setUniformItemSizes(True)
        self.setAccessibleName(self.tr("Models on the hub"))
        self.selectionModel().currentChanged.connect(self._on_current_changed)

    @Slot(QModelIndex, QModelIndex)
    def _on_current_changed(self, current: QModelIndex, _former: QModelIndex) -> None:
        if current.isValid():
            self.chosen.emit(self.hits.hit(current.row()))


class _TwoLines(QStyledItemDelegate):
    def __init__(self, theme: Theme, parent: QObject) -> None:
        super().__init__(parent)
        self._theme = theme

    def sizeHint(self, option: QStyleOptionViewItem, _index: Index) -> QSize:
        return QSize(0, 2 * option.fontMetrics.height() + 2 * PADDING_Y + 2)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        look = QStyleOptionViewItem(option)
        self.initStyleOption(look, index)
        look.text = ""
        widget = option.widget
        widget.style().drawControl(QStyle.ControlElement.CE_ItemViewItem, look, painter, widget)
        room = option.rect.adjusted(PADDING_X, PADDING_Y, -PADDING_X, -PADDING_Y)
        height = option.fontMetrics.height()
        colours = self._theme.colours
        is_selected = bool(option.state & QStyle.StateFlag.State_Selected)
        lines = (
            (index.data(), Qt.TextElideMode.ElideMiddle, colours.text),
            # Muted text is hard to read on the selection's ground.
            (
                index.data(Qt.ItemDataRole.UserRole),
                Qt.TextElideMode.ElideRight,
                colours.text if is_selected else colours.muted,
            ),
        )
        painter.save()
        for number, (text, mode, colour) in enumerate(lines):
            line = QRect(room.left(), room.top() + number * (height + 2), room.width(), height)
            painter.setPen(QColor(colour))
            elided = option.fontMetrics.elidedText(text, mode, line.width())
            painter.drawText(line, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, elided)
        painter.restore()
