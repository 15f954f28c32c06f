"""The last part of a wait: from an answer's last token to its picture."""

from __future__ import annotations

import time
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.telemetry.waiting import WaitCheck, wait_of

if TYPE_CHECKING:
    from ui.frame_stamp import FrameStamp
    from ui.running_answer import RunningAnswer
    from ui.store_worker import StoreWorker


class ShownAnswers(QObject):
    """Adds to a turn when its end was drawn.

    Attributes:
        check: how far the parts of the waits and the wall time, taken by another clock, were apart.
        is_closing: nothing is drawn any more.

    Signals:
        shown: the end of this `RunningAnswer` is on the screen.
    """

    shown = Signal(object)

    def __init__(self, frames: FrameStamp, store: StoreWorker, parent: QObject) -> None:
        super().__init__(parent)
        self.check = WaitCheck()
        self.is_closing = False
        self._frames = frames
        self._store = store

    def watch(self, running: RunningAnswer) -> None:
        """The end of an answer is in the transcript: the next frame shows it."""
        self._frames.after_next_frame(partial(self._on_frame, running))

    def _on_frame(self, running: RunningAnswer, at_ns: int) -> None:
        session, message = running.session, running.message
        wall_ns = time.monotonic_ns() - running.begun_monotonic_ns
        known = session.turns.get(message.id)
        if known is None or self.is_closing:
            return
        running.observe_shown(at_ns)
        session.turns[message.id] = replace(known, stats=replace(known.stats, shown_ns=at_ns))
        self._store.write(lambda store: store.note_shown(message.id, at_ns))
        if (wait := wait_of(running.recorder.stats, wall_ns=wall_ns)) is not None:
            self.check.observe(wait)
        self.shown.emit(running)
