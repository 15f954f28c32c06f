"""What this machine can do at best, with dates, and measuring it again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGroupBox, QLabel, QPushButton, QVBoxLayout, QWidget

from ui import formatting

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.telemetry.ceilings import Ceiling


class MachineBox(QGroupBox):
    """The ceilings.

    Signals:
        measure_requested.
    """

    measure_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTitle(self.tr("This machine at best"))
        self.figures = QLabel(wordWrap=True)
        self.figures.setObjectName("bench_ceilings")
        self.figures.setAccessibleName(self.tr("This machine at best"))
        self.figures.setTextFormat(Qt.TextFormat.PlainText)
        self.figures.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.button = QPushButton()
        self.button.setObjectName("bench_measure_machine")
        self.button.setToolTip(
            self.tr("Reads memory with all cores for about 3 s; the loaded model stays, answers wait meanwhile.")
        )
        self.button.clicked.connect(self.measure_requested)
        layout = QVBoxLayout(self)
        layout.addWidget(self.figures)
        layout.addWidget(self.button)
        self.show_ceilings(())

    def show_ceilings(self, ceilings: Sequence[Ceiling]) -> None:
        """Show these."""
        lines = [self._line(ceiling) for ceiling in ceilings]
        self.figures.setToolTip("\n".join(ceiling.source for ceiling in ceilings))
        self.figures.setText(
            "\n".join(lines)
            or self.tr(
                "Not measured yet. How fast memory is read appears here and, after a bench, the fastest prefill seen."
            )
        )
        is_known = any(ceiling.kind == "memory_read" for ceiling in ceilings)
        self.button.setText(self.tr("Measure again") if is_known else self.tr("Measure the memory"))

    def _line(self, ceiling: Ceiling) -> str:
        texts = {
            "memory_read": self.tr("Memory, read by all cores: {value} GB/s ({date})"),
            "device_read": self.tr("{device}, weights read while decoding: {value} GB/s ({date})"),
            "prefill": self.tr("{device}, fastest prefill: {value} GFLOP/s ({date})"),
        }
        return texts[ceiling.kind].format(
            device=ceiling.device,
            value=formatting.number(ceiling.value / 1e9),
            date=formatting.day(ceiling.measured_at),
        )
