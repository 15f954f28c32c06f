"""The list of models that a search found: the name of each, and below it what is known of it."""

from __future__ import annotations

from dataclasses import dataclass
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
from PySide6.QtGui import QColor, QIcon, QPainter
from PySide6.QtWidgets import QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from ui import formatting
from ui.dialogs.models import words
from ui.dialogs.models.chosen_in_view import ChosenInView
from ui.icons import SIZE_PX, icon

if TYPE_CHECKING:
    from PySide6.QtGui import QFontMetrics, QResizeEvent

    from app.hub.search import FoundModel
    from ui.theme import Theme

PADDING_X, PADDING_Y, LINE_GAP, SIGN_GAP = 8, 6, 2, 2
DOT = " · "
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
Index = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True, slots=True)
class Fact:
    """What is known of a model: with a sign, where there is one for it, or in words alone."""

    words: str
    sign: str = ""
    number: str = ""

    @property
    def text(self) -> str:
        """What stands after the sign, or without one."""
        return self.number if self.sign else self.words


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
                return self.facts(hit)
            case Qt.ItemDataRole.AccessibleTextRole:
                return f"{hit.repo}, {self.describe(hit)}"
        return None

    def describe(self, hit: FoundModel) -> str:
        """Return what is known of it, in words."""
        return DOT.join(fact.words for fact in self.facts(hit))

    def facts(self, hit: FoundModel) -> list[Fact]:
        """Return what is known of it."""
        facts = [
            Fact(self.tr("gated") if hit.gated else ""),
            Fact(words.short(hit.n_params) if hit.n_params else ""),
            Fact(words.downloads(hit.downloads, words.short), "download", words.short(hit.downloads)),
            Fact(words.likes(hit.likes, words.short), "heart", words.short(hit.likes)),
            Fact(formatting.day(hit.modified) if hit.modified is not None else ""),
        ]
        return [fact for fact in facts if fact.words]


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
        self.setAccessibleName(self.tr("Models on the hub"))
        self.selectionModel().currentChanged.connect(self._on_current_changed)
        ChosenInView(self)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fold the facts anew: Qt lays a list out again only when its height is another."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.scheduleDelayedItemsLayout()

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
        self._signs: dict[tuple[str, str], QIcon] = {}
        theme.changed.connect(self._forget_signs)

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        lines = 1 + len(self._lines(index, option.fontMetrics))
        return QSize(0, lines * (option.fontMetrics.height() + LINE_GAP) - LINE_GAP + 2 * PADDING_Y)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        look = QStyleOptionViewItem(option)
        self.initStyleOption(look, index)
        look.text = ""
        self._view.style().drawControl(QStyle.ControlElement.CE_ItemViewItem, look, painter, self._view)
        metrics, colours = option.fontMetrics, self._theme.colours
        # Muted text is hard to read on the selection's ground.
        muted = colours.text if option.state & QStyle.StateFlag.State_Selected else colours.muted
        place = QRect(option.rect.left() + PADDING_X, option.rect.top() + PADDING_Y, self._room(), metrics.height())
        painter.save()
        painter.setPen(QColor(colours.text))
        painter.drawText(place, _LEFT, metrics.elidedText(index.data(), Qt.TextElideMode.ElideMiddle, place.width()))
        painter.setPen(QColor(muted))
        for line in self._lines(index, metrics):
            place.translate(0, metrics.height() + LINE_GAP)
            rest = QRect(place)
            for number, fact in enumerate(line):
                if number:
                    painter.drawText(rest, _LEFT, DOT)
                    rest.setLeft(rest.left() + metrics.horizontalAdvance(DOT))
                self._paint_fact(painter, rest, fact, muted)
                rest.setLeft(rest.left() + self._width(fact, metrics))
        painter.restore()

    def _paint_fact(self, painter: QPainter, place: QRect, fact: Fact, colour: str) -> None:
        text = QRect(place)
        if fact.sign:
            side = self._side()
            self._sign(fact.sign, colour).paint(
                painter, place.left(), place.top() + (place.height() - side) // 2, side, side
            )
            text.setLeft(place.left() + side + SIGN_GAP)
        painter.drawText(text, _LEFT, fact.text)

    def _sign(self, name: str, colour: str) -> QIcon:
        if (name, colour) not in self._signs:
            self._signs[name, colour] = icon(name, self._theme, colour)
        return self._signs[name, colour]

    @Slot()
    def _forget_signs(self) -> None:
        self._signs.clear()

    def _side(self) -> int:
        return round(SIZE_PX * self._theme.zoom)

    def _room(self) -> int:
        return self._view.viewport().width() - 2 * PADDING_X

    def _width(self, fact: Fact, metrics: QFontMetrics) -> int:
        return metrics.horizontalAdvance(fact.text) + (self._side() + SIGN_GAP if fact.sign else 0)

    def _lines(self, index: Index, metrics: QFontMetrics) -> list[list[Fact]]:
        """Fold between facts: only one that is itself wider than the list is wider."""
        lines: list[list[Fact]] = []
        dot, left = metrics.horizontalAdvance(DOT), 0
        for fact in index.data(Qt.ItemDataRole.UserRole):
            width = self._width(fact, metrics)
            if lines and dot + width <= left:
                lines[-1].append(fact)
                left -= dot + width
            else:
                lines.append([fact])
                left = self._room() - width
        return lines
