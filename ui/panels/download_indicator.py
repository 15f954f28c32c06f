"""The button at the window's foot that says how far the downloads are; gone when there are none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt, Slot
from PySide6.QtWidgets import QPushButton

from ui import formatting
from ui.icons import keep_icon
from ui.style_sheet import set_role

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from ui.downloads_keeper import DownloadsKeeper
    from ui.theme import Theme

NOTHING = " "
"""As high as any other text, and of no width."""
LONGEST_NAME = 32
"""Characters: a longer one is cut in its middle."""


class DownloadIndicator(QPushButton):
    """A click shows the downloads."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("download_indicator")
        self.setProperty("role", "row")
        self._theme = theme
        self._downloads: DownloadsKeeper | None = None
        keep_icon(self, "download", theme, "muted")
        policy = self.sizePolicy()
        policy.setRetainSizeWhenHidden(True)  # the line it stands in is always as high
        self.setSizePolicy(policy)
        self.setText(NOTHING)
        self.hide()

    def watch(self, downloads: DownloadsKeeper) -> None:
        """Show these from now on."""
        self._downloads = downloads
        downloads.changed.connect(self.refresh)
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Show them as they are now."""
        batches = self._downloads.batches if self._downloads is not None else ()
        active = [batch for batch in batches if batch.is_active]
        failed = [batch.name for batch in batches if batch.state == "failed"]
        paused = sum(batch.state == "paused" for batch in batches)
        if active:
            totals = [batch.total_bytes for batch in active]
            total = sum(size for size in totals if size is not None)
            share = sum(batch.done_bytes for batch in active) / total if total and None not in totals else None
            text = self.tr("Downloading {}").format(formatting.progress(share) if share is not None else "…")
        elif len(failed) == 1:
            room = LONGEST_NAME * self.fontMetrics().averageCharWidth()
            name = self.fontMetrics().elidedText(failed[0], Qt.TextElideMode.ElideMiddle, room)
            text = self.tr("The download of {} failed").format(name.replace("&", "&&"))
        elif failed:
            text = self.tr("{} downloads failed").format(formatting.count(len(failed)))
        elif paused == 1:
            text = self.tr("A download is paused")
        elif paused:
            text = self.tr("{} downloads are paused").format(formatting.count(paused))
        else:
            text = NOTHING
        if text != self.text():
            self.setText(text)
            self.setAccessibleName(text)
            self.setToolTip(self.tr("Show the downloads"))
            warns = bool(failed) and not active
            set_role(self, "row warning" if warns else "row")
            keep_icon(self, "download", self._theme, "warning" if warns else "muted")
        self.setVisible(text != NOTHING)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self.refresh()
