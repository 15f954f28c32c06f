"""The answers that were asked for and have not ended, at most one of each session."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QElapsedTimer, QObject, QTimer, Signal, Slot

if TYPE_CHECKING:
    from ui.running_answer import RunningAnswer
    from ui.session import Session
    from ui.store_worker import StoreWorker

TICK_MS = 208
"""A kill costs no more than 250 ms of an answer: a timer may come 5 % late, and the write takes its time."""
JOURNAL_MS = 180
"""With tokens that have just come the journal is written this long after the last time, before the timer is due."""
SHOW_MS = 450
"""Twice a second numbers are seen to go on. What oftener costs is taken from the model on the same cores."""


class AnswersUnderWay(QObject):
    """In the order in which they were asked for; what came of them is journaled while they are written.

    Signals:
        ticked: the charts' series have taken over what came; at most every `SHOW_MS`.
    """

    ticked = Signal()

    def __init__(self, store: StoreWorker, parent: QObject) -> None:
        super().__init__(parent)
        self._store = store
        self._by_session: dict[str, RunningAnswer] = {}
        self._tick = QTimer(self, interval=TICK_MS)
        self._tick.timeout.connect(self._on_tick)
        self._since_journal, self._since_shown = QElapsedTimer(), QElapsedTimer()

    def all(self) -> tuple[RunningAnswer, ...]:
        """Return all, those that wait included."""
        return tuple(self._by_session.values())

    def of(self, session: Session) -> RunningAnswer | None:
        """Return the one in a session."""
        return self._by_session.get(session.id)

    def before(self, running: RunningAnswer) -> int:
        """Return how many must end before this one is begun; 0 for one that is not waiting."""
        if running.recorder.is_begun:
            return 0
        return max(self.all().index(running) - running.model.n_parallel + 1, 0)

    def add(self, running: RunningAnswer) -> None:
        """One more was asked for."""
        self._by_session[running.session.id] = running
        if not self._tick.isActive():  # another one does not put off what is due of the first
            self._tick.start()
            self._since_journal.start()
            self._since_shown.start()

    def remove(self, running: RunningAnswer) -> None:
        """One has ended."""
        del self._by_session[running.session.id]

    def begin_closing(self) -> None:
        """Nothing is drawn any more."""
        self._tick.stop()

    def note_tokens(self) -> None:
        """Tokens have just come."""
        if self._tick.isActive() and self._since_journal.hasExpired(JOURNAL_MS):
            self._on_tick()

    @Slot()
    def _on_tick(self) -> None:
        if not self._by_session:
            self._tick.stop()
            return
        self._tick.start()
        self._since_journal.start()
        for running in self._by_session.values():
            if entry := running.take_journal():
                self._store.write(entry)
        if self._since_shown.hasExpired(SHOW_MS):
            self._since_shown.start()
            for running in self._by_session.values():
                running.session.series.observe()
            self.ticked.emit()
