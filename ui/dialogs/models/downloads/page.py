"""The page of the downloads: one row each, in the order they were asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QUrl, Signal, Slot
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from ui import formatting
from ui.dialogs.models.downloads.row import DownloadRow, show_some
from ui.dialogs.models.empty import EmptyPage
from ui.dialogs.models.page import ModelsPage
from ui.panels.labels import ElidedLabel

if TYPE_CHECKING:
    from app.hub.batches import Batch
    from ui.downloads_keeper import DownloadsKeeper

SCROLL_GAP = 8
MOST_ROWS = 100
"""Shown at once: the others come as these end."""


class DownloadsPage(ModelsPage):
    """A view of the keeper: it may be closed while something is downloaded.

    Signals:
        link_activated: a page of the hub the user wants to open.
    """

    link_activated = Signal(QUrl)

    def __init__(self, downloads: DownloadsKeeper, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("downloads_page")
        self._downloads = downloads
        self._rows: dict[tuple[str, str, int], DownloadRow] = {}
        self.empty = EmptyPage("downloads_empty")
        self.sum_label = ElidedLabel()
        self.sum_label.setObjectName("downloads_sum")
        self.sum_label.setProperty("role", "muted")
        self.pause_button = QPushButton(self.tr("Pause all"))
        self.pause_button.setObjectName("downloads_pause")
        self.resume_button = QPushButton(self.tr("Resume all"))
        self.resume_button.setObjectName("downloads_resume")
        self.clear_button = QPushButton(self.tr("Clear finished"))
        self.clear_button.setObjectName("downloads_clear")
        self.rest_label = QLabel()
        self.rest_label.setProperty("role", "muted")
        self._pages = QStackedWidget()
        self._lay_out()
        self.empty.acted.connect(self._search)
        self.pause_button.clicked.connect(self._pause_all)
        self.resume_button.clicked.connect(self._resume_all)
        self.clear_button.clicked.connect(self._clear)
        downloads.changed.connect(self.refresh)
        self.refresh()

    def title(self) -> str:
        return self.tr("Downloads")

    def _lay_out(self) -> None:
        self.empty.say(
            self.tr("Nothing is being downloaded. What you download from the hub is shown here until it is complete."),
            self.tr("Search the hub"),
        )
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(self.sum_label, 1)
        for button in (self.pause_button, self.resume_button, self.clear_button):
            button.setAutoDefault(False)
            head.addWidget(button)
        inner = QWidget()
        self._list = QVBoxLayout(inner)
        self._list.setContentsMargins(0, 0, 0, 0)
        self._list.setSpacing(8)
        self._list.addWidget(self.rest_label)
        self._list.addStretch(1)
        area = QScrollArea(widgetResizable=True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setWidget(inner)
        area.verticalScrollBar().rangeChanged.connect(self._on_scroll_range_changed)
        full = QWidget()
        rows = QVBoxLayout(full)
        rows.setContentsMargins(0, 8, 0, 0)
        rows.setSpacing(8)
        rows.addLayout(head)
        rows.addWidget(area, 1)
        self._pages.addWidget(self.empty)
        self._pages.addWidget(full)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._pages)

    @Slot(int, int)
    def _on_scroll_range_changed(self, _least: int, most: int) -> None:
        """Keep the rows clear of the scroll bar where there is one."""
        self._list.setContentsMargins(0, 0, SCROLL_GAP if most else 0, 0)

    @Slot()
    def refresh(self) -> None:
        """Show all downloads as they are now."""
        batches = self._downloads.batches
        self._pages.setCurrentIndex(1 if batches else 0)
        shown = batches[:MOST_ROWS]
        keys = {batch.key for batch in shown}
        for key in [key for key in self._rows if key not in keys]:
            row = self._rows.pop(key)
            self._list.removeWidget(row)
            row.hide()
            row.deleteLater()
        for place, batch in enumerate(shown):
            if batch.key in self._rows:
                self._rows[batch.key].show_batch(batch)
            else:
                row = self._rows[batch.key] = DownloadRow(batch)
                row.asked.connect(self._on_asked)
                self._list.insertWidget(place, row)
        left_out = len(batches) - len(shown)
        self.rest_label.setText(self.tr("{} more wait").format(formatting.count(left_out)))
        self.rest_label.setVisible(left_out > 0)
        self._show_head(batches)

    def _show_head(self, batches: tuple[Batch, ...]) -> None:
        active = sum(batch.is_active for batch in batches)
        waiting, paused, failed, done = (
            sum(batch.state == state for batch in batches) for state in ("waiting", "paused", "failed", "done")
        )
        counts = (
            (active - waiting, self.tr("{} under way")),
            (waiting, self.tr("{} waiting")),
            (paused, self.tr("{} paused")),
            (failed, self.tr("{} failed")),
            (done, self.tr("{} finished")),
        )
        # As high as with buttons: the rows below stay where they are.
        self.sum_label.setMinimumHeight(self.pause_button.sizeHint().height())
        comma = self.tr(", ", "between counts of downloads")
        self.sum_label.setText(comma.join(text.format(formatting.count(count)) for count, text in counts if count))
        show_some(
            {
                self.pause_button: active > 0,
                self.resume_button: paused > 0,
                self.clear_button: done > 0,
            }
        )

    @Slot(str, object)
    def _on_asked(self, verb: str, batch: Batch) -> None:
        match verb:
            case "load":
                self.load_requested.emit(str(batch.path))
            case "page":
                self.link_activated.emit(QUrl(batch.page))
            case "pause":
                self._downloads.pause(batch)
            case "resume":
                self._downloads.resume(batch)
            case "cancel":
                self._downloads.cancel(batch)
            case "forget":
                self._downloads.forget(batch)

    @Slot()
    def _pause_all(self) -> None:
        for batch in self._downloads.batches:
            if batch.is_active:
                self._downloads.pause(batch)

    @Slot()
    def _resume_all(self) -> None:
        for batch in self._downloads.batches:
            if batch.state == "paused":
                self._downloads.resume(batch)

    @Slot()
    def _clear(self) -> None:
        for batch in self._downloads.batches:
            if batch.state == "done":
                self._downloads.forget(batch)

    @Slot()
    def _search(self) -> None:
        self.page_requested.emit("hub_page")
