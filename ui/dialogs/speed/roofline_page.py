"""How near the last turn came to what the machine can do, in a picture and in words."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt, QTimer, Slot
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QPushButton,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from ui import formatting
from ui.panels.empty import EmptyState
from ui.panels.legend import Entry, Legend
from ui.translation import joined, localised

if TYPE_CHECKING:
    from pathlib import Path

    from PySide6.QtGui import QShowEvent

    from app.storage.store import Store
    from app.telemetry.ceilings import Ceilings
    from app.telemetry.roofline import PhasePoint, Roofline
    from ui.dialogs.speed.roofline_chart import RooflineChart
    from ui.dialogs.speed.sources import Sources

REDRAW_MS = 500


class RooflinePage(QWidget):
    """Follows the open conversation; live while an answer is written, and only when it can be seen.

    Attributes:
        picture: what is drawn, None while there is nothing.
    """

    def __init__(self, sources: Sources, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.picture: Roofline | None = None
        self.chart: RooflineChart | None = None
        self._sources = sources
        self._sweep: dict[int, float] = {}
        self._frame = QFrame()
        self._frame.setObjectName("roofline_plot")
        self._frame.setProperty("role", "plot")
        self._frame.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._empty = EmptyState()
        self._pages = QStackedWidget(self._frame)
        self._pages.addWidget(self._empty)
        inside = QVBoxLayout(self._frame)
        inside.setContentsMargins(1, 1, 1, 1)
        inside.addWidget(self._pages)
        self._legend = Legend(sources.theme, self)
        self._words = QLabel(wordWrap=True)
        self._words.setObjectName("roofline_words")
        self._words.setTextFormat(Qt.TextFormat.PlainText)
        flags = Qt.TextInteractionFlag
        self._words.setTextInteractionFlags(flags.TextSelectableByMouse | flags.TextSelectableByKeyboard)
        self._hint = QLabel(wordWrap=True)
        self._hint.setProperty("role", "muted")
        self._button = QPushButton()
        self._button.setObjectName("measure_machine")
        self._button.clicked.connect(sources.ceilings.measure)
        self._progress = QProgressBar(maximum=0, textVisible=False)
        self._progress.setFixedWidth(120)
        row = QHBoxLayout()
        row.addWidget(self._hint, 1)
        row.addWidget(self._progress)
        row.addWidget(self._button)
        rows = QVBoxLayout(self)
        rows.addWidget(self._frame, 1)
        rows.addWidget(self._legend)
        rows.addWidget(self._words)
        rows.addLayout(row)
        self._pause = QTimer(self, singleShot=True, interval=REDRAW_MS)
        self._pause.timeout.connect(self.refresh)
        sources.chat.progressed.connect(self._on_progressed)
        sources.chat.under_way.ticked.connect(self._on_progressed)
        for signal in (sources.ceilings.changed, sources.speed.changed, sources.chat.session_changed):
            signal.connect(self.refresh)
        sources.theme.changed.connect(self._restyle)
        self._retranslate()

    @Slot()
    def refresh(self) -> None:
        """Draw what changed."""
        if not self.isVisible():
            return
        ceilings = self._sources.ceilings
        self._button.setEnabled(not ceilings.is_measuring)
        self._progress.setVisible(ceilings.is_measuring)
        self._hint.setText(self._machine(ceilings.value()))
        self.picture = picture = self._live() or self._sources.figures(self._sweep).roofline
        if picture is None or not picture.phases:
            self._pages.setCurrentWidget(self._empty)
            self._legend.hide()
            self._words.setText("")
            return
        if self.chart is None:
            from ui.dialogs.speed.roofline_chart import RooflineChart  # a chart is made when it is wanted

            self.chart = RooflineChart(self._sources.theme, self.tr("FLOP/byte"), self._frame)
            self.chart.canvas.hovered.connect(self._on_hovered)
            self._pages.addWidget(self.chart.canvas.widget)
        self._pages.setCurrentWidget(self.chart.canvas.widget)
        self.chart.draw(picture)
        self._legend.set_entries(self._entries(picture))
        self._legend.show()
        self._words.setText("\n".join(self._lines(picture)))
        self._frame.setAccessibleDescription(self._words.text())

    def _live(self) -> Roofline | None:
        running, speed = self._sources.chat.running, self._sources.speed.speed
        if running is None or speed is None or speed.work is None or running.session is not self._sources.chat.session:
            return None
        from app.telemetry.roofline import roofline

        recorder, ceilings = running.recorder, self._sources.ceilings.value()
        picture = roofline(
            speed.work, ceilings, recorder.stats, running.model.n_ubatch, sweep=self._sweep, recorder=recorder
        )
        return picture if picture.phases else None

    def _entries(self, picture: Roofline) -> list[Entry]:
        from ui.dialogs.speed.roofline_chart import BATCHES, DECODE_POINT, PREFILL_POINT, RIDGE, ROOF

        shares = {each.phase: each.share for each in picture.phases}
        entries = [
            Entry(PREFILL_POINT, self.tr("prefill"), self._share("MFU", shares.get("prefill"))),
            Entry(DECODE_POINT, self.tr("decode"), self._share("MBU", shares.get("decode"))),
        ]
        if picture.ceilings.read_bytes_per_s or picture.ceilings.flops_per_s:
            entries.append(Entry(ROOF, self.tr("what the machine can do")))
        if picture.line:
            entries.append(Entry(BATCHES, self.tr("decode of 1, 2, 4 … sequences at once")))
        if picture.ridge is not None:
            entries.append(Entry(RIDGE, self.tr("memory is the limit | arithmetic is the limit")))
        return entries

    def _share(self, name: str, share: float | None) -> str:
        return f"{name} {formatting.percent(share)}" if share is not None else ""

    def _lines(self, picture: Roofline) -> list[str]:
        lines = [self._phase(each) for each in picture.phases]
        if picture.crossover_batch is not None:
            text = self.tr("From {batch} sequences in a step on, arithmetic is the limit and not memory.")
            lines.append(text.format(batch=formatting.number(picture.crossover_batch)))
        elif picture.line:
            lines.append(self.tr("At this context memory stays the limit however many sequences are in a step."))
        if picture.measured_crossover_batch is not None:
            text = self.tr("Measured with several sequences at once: {batch}.")
            lines.append(text.format(batch=formatting.number(picture.measured_crossover_batch)))
        return lines

    def _phase(self, point: PhasePoint) -> str:
        if point.phase == "prefill":
            text = self.tr("Prefill: {tokens} at {flops}; {intensity} operations per byte{share}.")
            share = self.tr(", MFU {share}")
        else:
            text = self.tr("Decode: {tokens} at {rate}, {size} per token; {intensity} operations per byte{share}.")
            share = self.tr(", MBU {share}")
        sentence = text.format(
            tokens=formatting.tokens(point.tokens),
            flops=formatting.figure(point.flops_per_s, "FLOP/s"),
            rate=formatting.figure(point.bytes_per_s, "bytes/s"),
            size=formatting.memory(point.n_bytes / point.tokens),
            intensity=formatting.number(point.intensity),
            share=share.format(share=formatting.percent(point.share)) if point.share is not None else "",
        )
        return joined(sentence, localised(point.note))

    def _machine(self, ceilings: Ceilings) -> str:
        keeper = self._sources.ceilings
        if keeper.refusal:
            return localised(keeper.refusal)
        if keeper.is_measuring:
            return self.tr("All cores read memory as fast as they can: about three seconds.")
        if ceilings.measured_at is None:
            return self.tr("What this machine can do has not been measured yet.")
        text = self.tr("{device}: memory {rate}, arithmetic {flops} (best prefill seen); measured on {date}.")
        return text.format(
            device=keeper.device,
            rate=formatting.figure(ceilings.read_bytes_per_s, "bytes/s"),
            flops=formatting.figure(ceilings.flops_per_s, "FLOP/s"),
            date=formatting.day(ceilings.measured_at),
        )

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh()
        model = self._sources.models.model
        if model is not None:
            self._sources.store.read(partial(_sweep_of, model.info.path), self._on_sweep)

    @Slot(object)
    def _on_sweep(self, sweep: dict[int, float]) -> None:
        self._sweep = sweep
        self.refresh()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def _retranslate(self) -> None:
        self._frame.setAccessibleName(self.tr("Roofline"))
        self._empty.set_text(
            self.tr("After an answer: how many operations and bytes its phases took, under what the machine can do.")
        )
        self._button.setText(self.tr("Measure this machine"))
        self._button.setAccessibleName(self.tr("Measure this machine"))
        self._progress.setAccessibleName(self.tr("Measuring"))
        self.refresh()

    @Slot()
    def _on_progressed(self) -> None:
        if self.isVisible() and not self._pause.isActive():
            self._pause.start()

    @Slot(float, float)
    def _on_hovered(self, x: float, _y: float) -> None:
        if self.chart is None or self.picture is None:
            return
        nearest = self.chart.nearest(x)
        phase = next((each for each in self.picture.phases if nearest and each.phase == nearest[0]), None)
        batch = next((each for each in self.picture.line if nearest and nearest[0] == f"batch {each.batch}"), None)
        text = self._phase(phase) if phase is not None else ""
        if batch is not None:
            together = self.tr("{batch} sequences at once: {rate} together at best")
            text = together.format(
                batch=formatting.count(batch.batch), rate=formatting.figure(batch.tokens_per_s, "tokens/s")
            )
        self.chart.canvas.widget.setToolTip(text)

    @Slot()
    def _restyle(self) -> None:
        if self.chart is not None:
            self.chart.canvas.restyle()


def _sweep_of(model: Path, store: Store) -> dict[int, float]:
    from app.bench.stored import batch_sweep, row_from

    return batch_sweep(((result.run_id, row_from(result.values)) for result in store.bench_results()), model)
