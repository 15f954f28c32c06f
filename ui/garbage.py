"""Python's garbage is looked for by the window's thread, between events.

Left to itself Python looks for it in whatever thread makes objects just then: charts that are gone would be taken apart
by the thread that fits curves, while the window paints.
"""

from __future__ import annotations

import gc

from PySide6.QtCore import QObject, QTimer, Slot

INTERVAL_MS = 1000


class GarbageCollector(QObject):
    """Does what Python's own would, by its thresholds, once a second at most."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._timer = QTimer(self, interval=INTERVAL_MS)
        self._timer.timeout.connect(self.collect)

    @Slot()
    def begin(self) -> None:
        """Leave out what the start has made, which stays."""
        gc.freeze()
        gc.disable()
        self._timer.start()

    @Slot()
    def collect(self) -> None:
        """Collect the oldest generation that is due."""
        pairs = zip(gc.get_count(), gc.get_threshold(), strict=True)
        due = [generation for generation, (count, most) in enumerate(pairs) if count > most]
        if due:
            gc.collect(due[-1])
