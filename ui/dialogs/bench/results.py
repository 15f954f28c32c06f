"""Kept results: the list of runs, what is selected as table and charts, and what can be done with it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QGuiApplication, QKeySequence, QShortcut
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QLabel, QPushButton, QSplitter, QVBoxLayout, QWidget

from app.bench.compare import Comparison, compare, comparison_markdown
from app.bench.markdown import document
from app.bench.report import csv_text, json_line, json_text
from app.bench.stored import grid_of, row_from
from app.files import write_atomically
from app.reasons import reason_of
from ui.dialogs.bench import words
from ui.dialogs.bench.charts import BenchCharts
from ui.dialogs.bench.results_table import ResultsTable
from ui.dialogs.bench.runs import RunsList
from ui.panels.empty import EmptyState
from ui.translation import localised

if TYPE_CHECKING:
    from collections.abc import Iterable

    from app.storage.store import BenchResult
    from ui.theme import Theme

SUFFIXES = ("md", "csv", "json", "jsonl")


class ResultsPane(QWidget):
    """Shows one run, or compares several.

    Signals:
        delete_requested: ids of runs (list of str).
        failed: one sentence.
    """

    delete_requested = Signal(list)
    failed = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.runs = RunsList()
        self.table = ResultsTable(theme)
        self.charts = BenchCharts(theme)
        self.remark = QLabel(wordWrap=True)
        self.remark.setProperty("role", "muted")
        self.remark.setTextFormat(Qt.TextFormat.PlainText)
        self.copy_button = QPushButton(self.tr("Copy as Markdown"))
        self.copy_button.setObjectName("bench_copy")
        self.export_button = QPushButton(self.tr("Export…"))
        self.export_button.setObjectName("bench_export")
        self.delete_button = QPushButton(self.tr("Delete"))
        self.delete_button.setObjectName("bench_delete")
        self.empty = EmptyState()
        self.empty.setObjectName("bench_empty")
        self.empty.set_text(
            self.tr(
                "How fast the models read prompts (pp) and write (tg) appears here once a first test is done, as a "
                "table with llama-bench's columns and as charts. Every run is kept; select several to compare them."
            )
        )
        self._comparison: Comparison | None = None
        self._headings: list[str] = []
        self._lay_out()
        self.runs.chosen.connect(self._show)
        theme.changed.connect(self._show)
        self.copy_button.clicked.connect(self.copy)
        self.export_button.clicked.connect(self._ask)
        self.delete_button.clicked.connect(self._delete)
        for key, widget, slot in (
            (QKeySequence.StandardKey.Copy, self, self.copy),
            (QKeySequence.StandardKey.Delete, self.runs, self._delete),
        ):
            shortcut = QShortcut(QKeySequence(key), widget)
            shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            shortcut.activated.connect(slot)
        self._show()

    def set_results(self, results: Iterable[BenchResult], selected: Iterable[str]) -> None:
        """Show these runs, with some selected."""
        self.runs.set_results(results, selected)

    def markdown(self) -> str:
        """Return what is selected as Markdown."""
        rows = [row_from(result.values) for result in self.runs.selected()]
        text = document(rows, grid_of(rows))
        if self._comparison is not None and len(self.runs.selected_ids()) > 1:
            text = f"{comparison_markdown(self._comparison, self._headings)}\n{text}"
        return text

    def save(self, path: str) -> None:
        """Write what is selected to a file, in the format its suffix names."""
        values = [result.values for result in self.runs.selected()]
        match Path(path).suffix.lower():
            case ".json":
                text = json_text(values)
            case ".jsonl":
                text = "".join(map(json_line, values))
            case ".csv":
                text = csv_text(values)
            case _:
                text = self.markdown()
        try:
            write_atomically(Path(path), text.encode())
        except OSError as error:
            sentence = self.tr("The results could not be saved to {path}: {reason}. Choose another place.")
            self.failed.emit(sentence.format(path=path, reason=localised(reason_of(error))))

    @Slot()
    def copy(self) -> None:
        """Put what is selected on the clipboard as Markdown."""
        if self.runs.selected():
            QGuiApplication.clipboard().setText(self.markdown())

    def _lay_out(self) -> None:
        buttons = QHBoxLayout()
        buttons.addWidget(self.remark, 1)
        for button in (self.copy_button, self.export_button, self.delete_button):
            button.setAccessibleName(button.text())
            buttons.addWidget(button)
        self._shown = QSplitter(Qt.Orientation.Vertical, childrenCollapsible=False)
        for widget, size in ((self.runs, 130), (self.table, 170), (self.charts, 280)):
            self._shown.addWidget(widget)
            self._shown.setStretchFactor(self._shown.count() - 1, size)
        self._shown.setSizes([130, 170, 280])
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.empty, 1)
        layout.addWidget(self._shown, 1)
        layout.addLayout(buttons)

    @Slot()
    def _show(self) -> None:
        results = self.runs.selected()
        has_results = bool(self.runs.all())
        self.empty.setVisible(not has_results)
        self._shown.setVisible(has_results)
        self.table.setVisible(bool(results))
        self.charts.setVisible(bool(results))
        for button in (self.copy_button, self.export_button, self.delete_button):
            button.setVisible(has_results)
            button.setEnabled(bool(results))
        if not results:
            self._comparison = None
            self.remark.setText(self.tr("Select a run to see its results.") if has_results else "")
            return
        several = len(self.runs.selected_ids()) > 1
        moments = {result.run_id: result.measured_at for result in reversed(results)}
        values = [{**result.values, "run_id": result.run_id} for result in results]
        self._comparison = compare(values)
        self._headings = [words.column_heading(column, moments) for column in self._comparison.columns]
        if several:
            self.table.show_comparison(self._comparison, self._headings)
        else:
            self.table.show_rows([row_from(result.values) for result in results])
        self.remark.setText(self._remark(several))
        self.charts.show_comparison(self._comparison, self._headings)

    def _remark(self, several: bool) -> str:
        if several:
            return self.tr(
                "Tokens per second; in percent against the first column that has the test, in parentheses when the "
                "standard deviations together explain the difference."
            )
        return self.tr("t/s: tokens per second, mean ± standard deviation of the repetitions.")

    @Slot()
    def _delete(self) -> None:
        if ids := self.runs.selected_ids():
            self.delete_requested.emit(ids)

    @Slot()
    def _ask(self) -> None:
        filters = (
            self.tr("Markdown (*.md)"), self.tr("CSV table (*.csv)"), "JSON (*.json)", "JSON Lines (*.jsonl)"
        )  # fmt: skip
        dialog = QFileDialog(self, self.tr("Export results"), "bench.md", ";;".join(filters))
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix("md")
        dialog.filterSelected.connect(lambda chosen: dialog.setDefaultSuffix(SUFFIXES[filters.index(chosen)]))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self.save)
        dialog.open()
