"""The conversations as rows under day headings."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import (
    QAbstractListModel,
    QDate,
    QLocale,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
)

from ui import formatting
from ui.chat.tooltip import plain_tooltip

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.storage.store import ConversationRow

Index = QModelIndex | QPersistentModelIndex

ID_ROLE = Qt.ItemDataRole.UserRole
IS_HEADING_ROLE = Qt.ItemDataRole.UserRole + 1
ON_FULL_ROLE = Qt.ItemDataRole.UserRole + 2


@dataclass(frozen=True, slots=True)
class _Line:
    """A heading (no row) or a conversation."""

    text: str
    row: ConversationRow | None = None


class ConversationModel(QAbstractListModel):
    """Newest first, grouped by local day; editing a title emits `renamed`."""

    renamed = Signal(str, str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._lines: list[_Line] = []

    def set_rows(self, rows: Sequence[ConversationRow], today: date | None = None) -> None:
        """Show these conversations, in this order."""
        self.beginResetModel()
        self._lines = []
        today = today or datetime.now().astimezone().date()
        heading = ""
        for row in rows:
            group = self._group(row.updated_at.astimezone().date(), today)
            if group != heading:
                heading = group
                self._lines.append(_Line(heading))
            self._lines.append(_Line(row.title or self.tr("New conversation"), row))
        self.endResetModel()

    def index_of(self, conversation_id: str) -> QModelIndex:
        """Return where a conversation stands; an invalid index when it is not shown."""
        for number, line in enumerate(self._lines):
            if line.row is not None and line.row.id == conversation_id:
                return self.index(number)
        return QModelIndex()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        return 0 if parent.isValid() else len(self._lines)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        line = self._lines[index.row()]
        match role:
            case Qt.ItemDataRole.DisplayRole | Qt.ItemDataRole.EditRole:
                return line.text
            case Qt.ItemDataRole.ToolTipRole if line.row is not None:
                return plain_tooltip(f"{line.text}\n{self._details(line.row)}")
            case Qt.ItemDataRole.AccessibleDescriptionRole if line.row is not None:
                return self._details(line.row)
            case _ if role == ID_ROLE:
                return line.row.id if line.row is not None else ""
            case _ if role == ON_FULL_ROLE:
                return line.row.on_full if line.row is not None else None
            case _ if role == IS_HEADING_ROLE:
                return line.row is None
        return None

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        row = self._lines[index.row()].row
        title = " ".join(str(value).split())
        if row is None or not title or title == row.title:
            return False
        self._lines[index.row()] = _Line(title, row)
        self.dataChanged.emit(index, index)
        self.renamed.emit(row.id, title)
        return True

    def flags(self, index: Index) -> Qt.ItemFlag:
        if self._lines[index.row()].row is None:
            return Qt.ItemFlag.NoItemFlags
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEditable

    def _details(self, row: ConversationRow) -> str:
        when = f"{formatting.day(row.updated_at)} {row.updated_at.astimezone():%H:%M}"
        if row.message_count == 1:
            return self.tr("{when}, 1 message").format(when=when)
        return self.tr("{when}, {count} messages").format(when=when, count=row.message_count)

    def _group(self, day: date, today: date) -> str:
        if day >= today:
            return self.tr("Today")
        if day == today - timedelta(days=1):
            return self.tr("Yesterday")
        if day > today - timedelta(days=7):
            return self.tr("Previous 7 days")
        return QLocale().toString(
            QDate(day.year, day.month, 1), self.tr("MMMM yyyy", "QLocale's codes for month, year")
        )
