"""The list of models that a search found: the name of each, and below it what is known of it."""

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
from ui.dialogs.models.chosen_in_view import ChosenInView

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QFontMetrics

    from app.hub.search import FoundModel
    from ui.theme import Theme

PADDING_X, PADDING_Y, LINE_GAP = 8, 6, 2
DOT = " · "
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
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
                return f"{hit.repo}\n{DOT.join(self.facts(hit))}"
            case Qt.ItemDataRole.UserRole:
                return self.facts(hit)
            case Qt.ItemDataRole.AccessibleTextRole:
                return f"{hit.repo}, {DOT.join(self.facts(hit))}"
        return None

    def facts(self, hit: FoundModel) -> list[str]:
        """Return what is said below the name."""
        facts = [
            self.tr("gated") if hit.gated else "",
            words.short(hit.n_params) if hit.n_params else "",
            words.downloads(hit.downloads, words.short),
            words.likes(hit.likes, words.short),
            formatting.day(hit.modified) if hit.modified is not None else "",
        ]
        return [fact for fact in facts if fact]


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
        self.setItemDelegate(_NameAndFacts(theme, self))
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self.setAccessibleName(self.tr("Models on the hub"))
        self.selectionModel().currentChanged.connect(self._on_current_changed)
        ChosenInView(self)

    @Slot(QModelIndex, QModelIndex)
    def _on_current_changed(self, current: QModelIndex, _former: QModelIndex) -> None:
        if current.isValid():
            self.chosen.emit(self.hits.hit(current.row()))


class _NameAndFacts(QStyledItemDelegate):
    """The name in one line, cut in its middle where it is too long; the facts in as many lines as they need."""

    def __init__(self, theme: Theme, view: QListView) -> None:
        super().__init__(view)
        self._theme = theme
        self._view = view

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        lines = 1 + len(self._facts(index, option.fontMetrics))
        return QSize(0, lines * (option.fontMetrics.height() + LINE_GAP) - LINE_GAP + 2 * PADDING_Y)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        look = QStyleOptionViewItem(option)
        self.initStyleOption(look, index)
        look.text = ""
        self._view.style().drawControl(QStyle.ControlElement.CE_ItemViewItem, look, painter, self._view)
        metrics, colours = option.fontMetrics, self._theme.colours
        is_selected = bool(option.state & QStyle.StateFlag.State_Selected)
        place = QRect(option.rect.left() + PADDING_X, option.rect.top() + PADDING_Y, self._room(), metrics.height())
        painter.save()
        painter.setPen(QColor(colours.text))
        painter.drawText(place, _LEFT, metrics.elidedText(index.data(), Qt.TextElideMode.ElideMiddle, place.width()))
        # Muted text is hard to read on the selection's ground.
        painter.setPen(QColor(colours.text if is_selected else colours.muted))
        for line in self._facts(index, metrics):
            place.translate(0, metrics.height() + LINE_GAP)
            painter.drawText(place, _LEFT, line)
        painter.restore()

    def _room(self) -> int:
        return self._view.viewport().width() - 2 * PADDING_X

    def _facts(self, index: Index, metrics: QFontMetrics) -> list[str]:
        return folded(index.data(Qt.ItemDataRole.UserRole), self._room(), metrics)


def folded(facts: Sequence[str], width: int, metrics: QFontMetrics) -> list[str]:
    """Return lines of whole facts, each as long as it may be; only a fact that is itself wider is wider."""
    lines: list[str] = []
    for fact in facts:
        longer = f"{lines[-1]}{DOT}{fact}" if lines else fact
        if lines and metrics.horizontalAdvance(longer) <= width:
            lines[-1] = longer
        else:
            lines.append(fact)
    return lines
