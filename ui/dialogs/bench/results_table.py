"""Results in llama-bench's columns, or several runs side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHeaderView, QTreeWidget, QTreeWidgetItem, QWidget

from app.bench.compare import cell_text
from app.bench.markdown import Table
from app.bench.report import fields
from app.bench.stored import grid_of
from ui.icons import icon
from ui.translation import localised

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.bench.compare import Comparison
    from app.bench.row import BenchRow
    from ui.theme import Theme

_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_MORE = (
    # heading and field of what only some methods measure; how it is written
    ("S_PP t/s", "speed_pp", 1.0, 2),
    ("S_TG t/s", "speed_tg", 1.0, 2),
    ("S_TG/B t/s", "speed_tg_per_request", 1.0, 2),
    ("TTFT s", "ttft_s", 1.0, 3),
    ("TPOT ms", "tpot_s", 1000.0, 2),
)


class ResultsTable(QTreeWidget):
    """Headings and figures are llama-bench's own, untranslated, so that they can be laid beside published ones."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setObjectName("bench_results")
        self.setAccessibleName(self.tr("Results"))
        self.setProperty("role", "table")
        self.setRootIsDecorated(False)
        self.setAllColumnsShowFocus(True)
        self.header().setStretchLastSection(False)

    def show_rows(self, rows: Sequence[BenchRow]) -> None:
        """Show a line per result; a disturbed one carries a sign and its sentence."""
        table = Table(grid_of(rows), ", ".join(dict.fromkeys(row.subject.environment.backends for row in rows)))
        values = [fields(row) for row in rows]
        more = [column for column in _MORE if any(column[1] in each for each in values)]
        headings = [*table.headings, *((name, True) for name, *_ in more), (self.tr("Note"), False)]
        lines = []
        for row, each in zip(rows, values, strict=True):
            texts = [_figure(each.get(name), factor, decimals) for _, name, factor, decimals in more]
            lines.append([*table.cells(row), *texts, localised(row.disturbance)])
        self._fill(headings, lines)
        for index, row in enumerate(rows):
            item = self.topLevelItem(index)
            if item is not None and row.disturbance:
                test = [heading for heading, _ in headings].index("test")
                item.setIcon(test, icon("alert-triangle", self._theme, self._theme.colours.warning))
                for column in range(len(headings)):
                    item.setToolTip(column, localised(row.disturbance))

    def show_comparison(self, comparison: Comparison, headings: Sequence[str]) -> None:
        """Show a line per test and a column per model and settings."""
        lines = [[test, *map(cell_text, cells)] for test, cells in zip(comparison.names, comparison.cells, strict=True)]
        self._fill([("test", False), *((heading, True) for heading in headings)], lines)
        for index, cells in enumerate(comparison.cells):
            item = self.topLevelItem(index)
            for column, cell in enumerate(cells, 1):
                if item is not None and cell is not None and cell.values.get("disturbed"):
                    item.setIcon(column, icon("alert-triangle", self._theme, self._theme.colours.warning))
                    item.setToolTip(column, self.tr("Disturbed by other load."))

    def texts(self) -> list[list[str]]:
        """Return what is shown, headings first."""
        columns = range(self.columnCount())
        items = [self.topLevelItem(row) for row in range(self.topLevelItemCount())]
        return [
            [self.headerItem().text(column) for column in columns],
            *([item.text(column) for column in columns] for item in items if item is not None),
        ]

    def _fill(self, headings: Sequence[tuple[str, bool]], lines: Sequence[Sequence[str]]) -> None:
        self.clear()
        self.setColumnCount(len(headings))
        self.setHeaderLabels([heading for heading, _ in headings])
        for column, (_, is_right) in enumerate(headings):
            self.headerItem().setTextAlignment(column, _RIGHT if is_right else _LEFT)
        for line in lines:
            item = QTreeWidgetItem(list(line))
            for column, (_, is_right) in enumerate(headings):
                if is_right:
                    item.setTextAlignment(column, _RIGHT)
            self.addTopLevelItem(item)
        self.header().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)


def _figure(value: float | None, factor: float, decimals: int) -> str:
    return "" if value is None else f"{value * factor:.{decimals}f}"
