"""When the window had drawn what was changed: the instant after its next frame."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QTimer, Slot

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtWidgets import QWidget


class FrameStamp(QObject):
    """Watches a window for its frames, and only while somebody waits for one."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._waiting: list[Callable[[int], None]] = []
        self._drawn: list[Callable[[int], None]] = []

    def after_next_frame(self, done: Callable[[int], None]) -> None:
        """Call `done` with the instant, in ns of `perf_counter_ns`; never while the window is not drawn."""
        if not self._waiting:
            self._window.installEventFilter(self)
        self._waiting.append(done)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.UpdateRequest and self._waiting:
            # The frame is drawn by this very event, which is handled after the filter.
            self._window.removeEventFilter(self)
            self._drawn += self._waiting
            self._waiting = []
            QTimer.singleShot(0, self, self._on_drawn)
        return super().eventFilter(watched, event)

    @Slot()
    def _on_drawn(self) -> None:
        now_ns, drawn = time.perf_counter_ns(), self._drawn
        self._drawn = []
        for done in drawn:
            done(now_ns)
