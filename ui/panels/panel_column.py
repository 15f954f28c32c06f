"""The three charts one above the other; where there is no room, one at a time under tabs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt, QTimer, Slot
from PySide6.QtWidgets import QSplitter, QTabBar, QVBoxLayout, QWidget

if TYPE_CHECKING:
    from PySide6.QtGui import QResizeEvent

    from app.telemetry.series import ConversationSeries
    from ui.panels.diagnosis import DiagnosisStrip
    from ui.panels.memory import MemoryPanel
    from ui.panels.tpot import TpotPanel
    from ui.panels.ttft import TtftPanel

ROOM_FOR_ALL = 530
"""Height in pixels, at a zoom of 1, from which three charts can be read."""
ROOM_BESIDE_DETAILS = 420
"""The same while the details of a diagnosis are open: better lower charts than charts that go away."""
LEAST_WIDTH, WIDEST_ZOOM = 240, 1.25
"""In pixels at a zoom of 1; text larger than `WIDEST_ZOOM` takes nothing more from the conversation."""
PAUSE_MS = 20
REDRAW_MS = 400
"""Charts that are drawn while an answer is written take the processor from the model that writes it."""


class PanelColumn(QWidget):
    """Holds the panels and hands them what they draw."""

    def __init__(
        self,
        ttft: TtftPanel,
        tpot: TpotPanel,
        memory: MemoryPanel,
        diagnosis: DiagnosisStrip,
        zoom: float = 1.0,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.diagnosis = diagnosis
        self._panels = (ttft, tpot, memory)
        self._zoom = zoom
        self._tabs = QTabBar(drawBase=False, expanding=True, usesScrollButtons=False)
        self._tabs.setElideMode(Qt.TextElideMode.ElideRight)
        self._tabs.setObjectName("panel_tabs")
        self._splitter = QSplitter(Qt.Orientation.Vertical, childrenCollapsible=False)
        for panel in self._panels:
            self._tabs.addTab("")
            self._splitter.addWidget(panel)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.diagnosis)
        layout.addWidget(self._tabs)
        layout.addWidget(self._splitter, 1)
        self._tabs.currentChanged.connect(self._show_panels)
        diagnosis.toggled.connect(self._show_panels)
        self._is_due = False
        self._redraw_pause = QTimer(self, singleShot=True, interval=REDRAW_MS)
        self._redraw_pause.timeout.connect(self._on_redraw_pause_over)
        self._retranslate()
        self.set_zoom(zoom)

    def set_series(self, series: ConversationSeries) -> None:
        """Draw another conversation."""
        for panel in self._panels:
            panel.set_series(series)

    @Slot()
    def redraw(self) -> None:
        """Draw what changed in the panels that can be seen: at once, or `REDRAW_MS` after the last time."""
        self._is_due = self._redraw_pause.isActive()
        if self._is_due:
            return
        for panel in self._panels:
            if panel.isVisible():
                panel.redraw()
        self._redraw_pause.start()

    def ensure_plots(self) -> None:
        """Make the charts; they bring a library that is slow to import."""
        for panel in self._panels:
            panel.ensure_plot()

    @Slot()
    def make_plots(self) -> None:
        """Make the charts, one at a time, so that the window can do something else in between."""
        waiting = [panel for panel in self._panels if panel.canvas is None]
        if waiting:
            waiting[0].ensure_plot()
            QTimer.singleShot(PAUSE_MS, self, self.make_plots)

    def set_zoom(self, zoom: float) -> None:
        """Text needs more or less room now."""
        self._zoom = zoom
        self.setMinimumWidth(round(LEAST_WIDTH * min(zoom, WIDEST_ZOOM)))
        self._show_panels()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show_panels()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def _retranslate(self) -> None:
        for number, text in enumerate((self.tr("First token"), self.tr("Per token"), self.tr("Memory"))):
            self._tabs.setTabText(number, text)
        self._tabs.setAccessibleName(self.tr("Charts"))

    @Slot()
    def _on_redraw_pause_over(self) -> None:
        if self._is_due:
            self.redraw()

    @Slot()
    def _show_panels(self) -> None:
        room = ROOM_BESIDE_DETAILS if self.diagnosis.is_open else ROOM_FOR_ALL
        is_folded = self.height() - self.diagnosis.sizeHint().height() < room * self._zoom
        self._tabs.setVisible(is_folded)
        for number, panel in enumerate(self._panels):
            was_hidden = panel.isHidden()
            panel.setVisible(not is_folded or number == self._tabs.currentIndex())
            if was_hidden and panel.isVisible():
                panel.redraw()
