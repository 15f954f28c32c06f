"""The downloads as the window knows them; the queue itself is driven by a thread, whose files may be slow."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.hub.leftovers import notes_below
from ui.owner_thread import OwnerThread

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from app.hub.batches import Batch
    from app.hub.download import DownloadQueue
    from app.hub.partial import RemoteFile
    from app.paths import Paths

T = TypeVar("T")

POLL_MS = 250
"""As often as charts are drawn anew."""
SHUTDOWN_TIMEOUT_MS = 1500
_ASKED_TO_END_S = 1.0


class DownloadsKeeper(QObject):
    """Holds what is in the queue as it was a quarter of a second ago, at most.

    Attributes:
        batches: in the order they were asked for.

    Signals:
        changed: `batches` are others.
        finished: the `Batch` that is here whole now.
        restored: how many an earlier window left half done.
    """

    changed = Signal()
    finished = Signal(object)
    restored = Signal(int)

    def __init__(self, folders: Paths, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.batches: tuple[Batch, ...] = ()
        self._thread = _QueueThread(folders, self)
        self._is_looking = False
        self._timer = QTimer(self, interval=POLL_MS)
        self._timer.timeout.connect(self._look)

    @property
    def is_active(self) -> bool:
        """Whether something is being fetched or waits for its turn."""
        return any(batch.is_active for batch in self.batches)

    def find(self, key: tuple[str, str, int]) -> Batch | None:
        """Return the batch of a variant's file, by `app.hub.batches.batch_key`."""
        return next((batch for batch in self.batches if batch.key == key), None)

    @Slot()
    def begin(self) -> None:
        """Find, paused, what an earlier window left half done."""
        self._thread.run_job(_restore, self._on_restored)

    def add(self, files: Sequence[RemoteFile]) -> None:
        """Download the files of a model."""
        self._do(lambda thread: thread.queue().add_together(files))

    def pause(self, batch: Batch) -> None:
        """Stop for now."""
        self._each("pause", batch)

    def resume(self, batch: Batch) -> None:
        """Go on with one that is paused, or try one again that failed."""
        self._each("resume", batch)

    def cancel(self, batch: Batch) -> None:
        """Stop and delete what is there."""
        self._do(lambda thread: thread.queue().cancel_together(batch.numbers))

    def forget(self, batch: Batch) -> None:
        """Take one that has ended off the list; of one that failed what is there stays."""
        self._each("forget", batch)

    def begin_closing(self) -> None:
        """Pause everything; nothing is started any more."""
        self._timer.stop()
        self._thread.close(0)

    def shutdown(self, timeout_ms: int = SHUTDOWN_TIMEOUT_MS) -> bool:
        """End the thread. Return whether that was done in time."""
        self._timer.stop()
        return self._thread.close(timeout_ms)

    def _each(self, verb: str, batch: Batch) -> None:
        def job(thread: _QueueThread) -> None:
            queue = thread.queue()
            known = {download.number for download in queue.downloads()}
            for number in batch.numbers:
                if number in known:  # a second click comes after the first has taken it off the list
                    getattr(queue, verb)(number)

        self._do(job)

    def _do(self, job: Callable[[_QueueThread], object]) -> None:
        def then_look(thread: _QueueThread) -> tuple[Batch, ...]:
            job(thread)
            return thread.batches()

        self._thread.run_job(then_look, self._on_batches)

    @Slot()
    def _look(self) -> None:
        if not self._is_looking:
            self._is_looking = True
            self._thread.run_job(_QueueThread.batches, self._on_looked)

    def _on_looked(self, batches: tuple[Batch, ...]) -> None:
        self._is_looking = False
        self._on_batches(batches)

    def _on_restored(self, batches: tuple[Batch, ...]) -> None:
        self._on_batches(batches)
        if n_paused := sum(batch.state == "paused" for batch in batches):
            self.restored.emit(n_paused)

    def _on_batches(self, batches: tuple[Batch, ...]) -> None:
        former, self.batches = self.batches, batches
        if self.is_active and not self._thread.is_closing:
            if not self._timer.isActive():
                self._timer.start()
        else:
            self._timer.stop()
        if batches != former:
            self.changed.emit()
        done_before = {batch.key for batch in former if batch.state == "done"}
        for batch in batches:
            if batch.state == "done" and batch.key not in done_before:
                self.finished.emit(batch)


class _QueueThread(OwnerThread):
    """Makes the queue when it is needed, and closes it."""

    def __init__(self, folders: Paths, parent: QObject) -> None:
        super().__init__("downloads", parent)
        self._folders = folders
        self._queue: DownloadQueue | None = None

    def run_job(self, job: Callable[[_QueueThread], T], done: Callable[[T], None]) -> None:
        """Call `done` in the GUI thread with what the job returns; never once the thread is to end."""
        if self.is_closing:
            return
        if not self.isRunning():
            self.start()
        self.post(lambda: self.answer(done, job(self)))

    def queue(self) -> DownloadQueue:
        """Return the queue. In this thread only."""
        if self._queue is None:
            from app.hub.digests import DIGESTS_FILE, Digests  # not above: few starts download something
            from app.hub.download import DownloadQueue

            self._queue = DownloadQueue(self._folders.models, digests=Digests(self._folders.cache / DIGESTS_FILE))
        return self._queue

    def batches(self) -> tuple[Batch, ...]:
        """Return what is in the queue. In this thread only."""
        if self._queue is None:
            return ()
        from app.hub.batches import batches

        return batches(self._queue.downloads())

    def has_leftovers(self) -> bool:
        """Whether an earlier window left something half done."""
        return bool(notes_below(self._folders.models))

    def release(self) -> None:
        """Pause what is under way. A name server that does not answer holds its thread: what it would write is safe."""
        if self._queue is not None:
            self._queue.close(_ASKED_TO_END_S)


def _restore(thread: _QueueThread) -> tuple[Batch, ...]:
    if thread.has_leftovers():
        thread.queue().restore()
    return thread.batches()
