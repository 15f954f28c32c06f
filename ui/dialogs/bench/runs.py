"""The earlier runs: one is shown, several are compared."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTreeWidget, QTreeWidgetItem, QWidget

from ui import formatting
from ui.dialogs.bench import words

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from app.storage.store import BenchResult

_ROLE = Qt.ItemDataRole.UserRole


class RunsList(QTreeWidget):
    """Newest first.

    Signals:
        chosen: other runs are selected.
    """

    chosen = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("bench_runs")
        self.setAccessibleName(self.tr("Earlier runs"))
        self.setProperty("role", "table")
        self.setRootIsDecorated(False)
        self.setAllColumnsShowFocus(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setHeaderLabels([self.tr("Measured"), self.tr("Models"), self.tr("Tests"), self.tr("Note")])
        self.header().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        self.setToolTip(self.tr("Select several with Ctrl or Shift to compare them."))
        self._results: dict[str, list[BenchResult]] = {}
        self.itemSelectionChanged.connect(self.chosen)

    def set_results(self, results: Iterable[BenchResult], selected: Iterable[str]) -> None:
        """Show these, and select the runs with these ids."""
        self._results = {}
        for result in results:
            self._results.setdefault(result.run_id, []).append(result)
        wanted = set(selected)
        with QSignalBlocker(self):
            self.clear()
            for run_id, of_run in reversed(self._results.items()):
                item = QTreeWidgetItem(self._texts(of_run))
                item.setData(0, _ROLE, run_id)
                self.addTopLevelItem(item)
                if run_id in wanted:
                    item.setSelected(True)
                    if len(wanted) == 1:
                        self.setCurrentItem(item)
        self.chosen.emit()

    def selected_ids(self) -> list[str]:
        """Return the ids of the selected runs, oldest first."""
        chosen = {item.data(0, _ROLE) for item in self.selectedItems()}
        return [run_id for run_id in self._results if run_id in chosen]

    def selected(self) -> list[BenchResult]:
        """Return their results, oldest first."""
        return [result for run_id in self.selected_ids() for result in self._results[run_id]]

    def all(self) -> list[BenchResult]:
        """Return every result."""
        return [result for results in self._results.values() for result in results]

    def _texts(self, results: Sequence[BenchResult]) -> list[str]:
        models = dict.fromkeys(str(result.values.get("model_filename", "")) for result in results)
        names = [path.replace("\\", "/").rsplit("/", 1)[-1] for path in models]
        tests = dict.fromkeys(str(result.values.get("test", "")) for result in results)
        disturbed = sum(bool(result.values.get("disturbed")) for result in results)
        note = self.tr("{} disturbed").format(formatting.count(disturbed)) if disturbed else ""
        return [words.when(results[0].measured_at), ", ".join(names), ", ".join(tests), note]
