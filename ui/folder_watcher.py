"""Tells that files below some folders have changed, as far as the system can watch them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QElapsedTimer, QFileSystemWatcher, QObject, QTimer, Signal, Slot

if TYPE_CHECKING:
    from collections.abc import Iterable

MOST_PATHS = 1000
"""Watches are shared by all programs of a user, and few on some systems (inotify: 8,192 before Linux 5.11)."""
_PATHS_AT_ONCE = 50
"""Adding a path asks the disk: not so many that a frame is late."""
QUIET_MS = 700
"""A change is told when nothing else has changed for so long,"""
LATEST_MS = 5000
"""or at the latest after this: a file that is being copied changes all the time."""
POLL_MS = 30_000
"""What cannot be watched is looked at so often."""


class FolderWatcher(QObject):
    """Watches while it has paths.

    Signals:
        changed: something was made, changed or removed, or could have been where nothing can be watched.
    """

    changed = Signal()

    def __init__(self, parent: QObject | None = None, poll_ms: int = POLL_MS) -> None:
        super().__init__(parent)
        self._watcher: QFileSystemWatcher | None = None
        self._wanted: set[str] = set()
        self._to_add: list[str] = []
        self.unwatched: set[str] = set()
        self._first_change = QElapsedTimer()
        self._quiet = QTimer(self, singleShot=True, interval=QUIET_MS)
        self._quiet.timeout.connect(self._tell)
        self._adding = QTimer(self, interval=0)
        self._adding.timeout.connect(self._add_some)
        self._poll = QTimer(self, interval=poll_ms)
        self._poll.timeout.connect(self.changed)

    def watched(self) -> set[str]:
        """Return the paths the system watches now."""
        return {*self._watcher.directories(), *self._watcher.files()} if self._watcher is not None else set()

    def watch(self, paths: Iterable[str]) -> None:
        """Watch these, the first ones before the others when they are too many, and no others any more."""
        ordered = list(dict.fromkeys(paths))
        self._wanted = set(ordered[:MOST_PATHS])
        self.unwatched = set(ordered[MOST_PATHS:])
        watched = self.watched()
        if self._watcher is not None and (gone := watched - self._wanted):
            self._watcher.removePaths(sorted(gone))
        self._to_add = [path for path in ordered[:MOST_PATHS] if path not in watched]
        if self._to_add:
            self._adding.start()
        self._poll_if_needed()

    def stop(self) -> None:
        """Watch nothing."""
        for timer in (self._adding, self._poll, self._quiet):
            timer.stop()
        self._to_add, self.unwatched = [], set()
        watcher, self._watcher = self._watcher, None
        if watcher is not None:
            watcher.deleteLater()

    @Slot()
    def _add_some(self) -> None:
        if self._watcher is None:
            self._watcher = QFileSystemWatcher(self)
            self._watcher.directoryChanged.connect(self._on_changed)
            self._watcher.fileChanged.connect(self._on_changed)
        some, self._to_add = self._to_add[:_PATHS_AT_ONCE], self._to_add[_PATHS_AT_ONCE:]
        if some:
            self.unwatched.update(self._watcher.addPaths(some))
        if not self._to_add:
            self._adding.stop()
            self._poll_if_needed()

    def _poll_if_needed(self) -> None:
        if self.unwatched:
            self._poll.start()
        else:
            self._poll.stop()

    @Slot()
    def _on_changed(self) -> None:
        if not self._quiet.isActive():
            self._first_change.start()
        if not self._quiet.isActive() or self._first_change.elapsed() < LATEST_MS - QUIET_MS:
            self._quiet.start()

    @Slot()
    def _tell(self) -> None:
        self.changed.emit()
