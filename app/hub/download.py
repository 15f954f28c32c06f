"""The queue of downloads: each with its progress, to pause, resume and cancel; what was under way survives a crash."""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

from app.errors import NotOnHubError, Sentence, TokometerError
from app.hub.batches import batch_key
from app.hub.connection import Abort, StoppedError
from app.hub.leftovers import notes_below
from app.hub.names import local_path
from app.hub.partial import Partial, RemoteFile, read_note
from app.hub.transfer import Phase, Transfer, free_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from app.hub.digests import Digests

logger = logging.getLogger(__name__)

State = Literal["waiting", "checking", "downloading", "retrying", "paused", "done", "failed", "cancelled"]

_RUNNING = ("checking", "downloading", "retrying")
_SPEED_WINDOW_S = 5.0
_SPEED_STEP_S = 0.25


@dataclass(frozen=True, slots=True)
class Download:
    """One download at one moment.

    Attributes:
        number: its name in the queue.
        target: the file that is there when it is done.
        done_bytes: of the file; while checking, those on the disk that are checked so far.
        total_bytes: None until the hub has said it.
        bytes_per_s: over the last seconds; None while nothing arrives.
        seconds_left: None when it cannot be said.
        sentence: why it failed or what it waits for; empty when all is well.
    """

    number: int
    file: RemoteFile
    target: Path
    state: State
    done_bytes: int = 0
    total_bytes: int | None = None
    bytes_per_s: float | None = None
    seconds_left: float | None = None
    sentence: str = ""


@dataclass(slots=True)
class _Job:
    number: int
    file: RemoteFile
    target: Path
    state: State = "waiting"
    done: int = 0
    total: int | None = None
    sentence: str = ""
    was_fetched: bool = False
    abort: Abort = field(default_factory=Abort)
    thread: threading.Thread | None = None
    arrived: deque[tuple[float, int]] = field(default_factory=deque)


class DownloadQueue:
    """Fetches files one after the other below a folder, in threads of its own. Every method may be called from any.

    Args:
        folder: the models folder; files go to `folder/owner/repository/`.
        clock: seconds, for the speed.
        wait: waits before another attempt, returns early when the download is aborted.
        free: bytes free on the disk of a folder.
        digests: of files that are here, so that one that is asked for again is not read again.
    """

    def __init__(
        self,
        folder: Path,
        *,
        clock: Callable[[], float] = time.monotonic,
        wait: Callable[[Abort, float], bool] = Abort.wait,
        free: Callable[[Path], int] = free_bytes,
        digests: Digests | None = None,
    ) -> None:
        self._folder = folder
        self._clock = clock
        self._wait = wait
        self._free = free
        self._digests = digests
        self._jobs: dict[int, _Job] = {}
        self._changed = threading.Condition()
        self._closed = False
        self._last_number = 0

    def add(self, file: RemoteFile) -> int:
        """Put a file at the queue's end; returns its number, that of the same file when it is there and not ended."""
        return self.add_together([file])[0]

    def add_together(self, files: Sequence[RemoteFile]) -> list[int]:
        """Put the files of a model at the queue's end, as `add` does; the first of them starts with all of them there.

        That they were asked for is written down, so that `restore` finds them even when their turn never came.
        """
        with self._changed:
            numbers = [self._enter(file, "waiting") for file in files]
            for number in numbers:
                job = self._jobs[number]
                part = Partial(job.target)
                with suppress(OSError):  # the download itself will say what is wrong
                    if not part.note.exists():
                        part.remember(job.file)
            self._start_next()
            return numbers

    def restore(self) -> None:
        """Enter, paused, what an earlier process left half done below the folder."""
        for note in notes_below(self._folder):
            path = self._folder / note
            file = read_note(path)
            part = path.with_suffix("")
            if file is None or local_path(self._folder, file.repo, file.name) != part.with_suffix(""):
                continue
            with self._changed:
                job = self._jobs[self._enter(file, "paused")]
                if job.thread is None:
                    job.total = file.size
                    job.done = Partial(job.target).done_bytes()

    def pause(self, number: int) -> None:
        """Stop for now; what is there stays. Without effect when it has ended."""
        self._stop(number, "paused")

    def cancel(self, number: int) -> None:
        """Stop and delete what is there. Without effect when it is done."""
        self._stop(number, "cancelled")

    def cancel_together(self, numbers: Sequence[int]) -> None:
        """Cancel the files of one model; those that came whole go too, for without the others they are of no use."""
        with self._changed:
            jobs = [self._jobs[number] for number in numbers]
            if all(job.state == "done" for job in jobs):
                return
            for job in jobs:
                if job.state == "done" and job.was_fetched:
                    job.state = "cancelled"
                    self._delete(job)
        for number in numbers:
            self.cancel(number)

    def resume(self, number: int) -> None:
        """Go on where a paused or failed one stopped."""
        with self._changed:
            job = self._jobs[number]
            if job.state in ("paused", "failed"):
                job.state, job.sentence = "waiting", ""
                self._start_next()

    def forget(self, number: int) -> None:
        """Take one that has ended off the list."""
        with self._changed:
            job = self._jobs[number]
            if job.state in ("done", "failed", "cancelled") and job.thread is None:
                del self._jobs[number]

    def downloads(self) -> tuple[Download, ...]:
        """Return all of them as they are now, in the order they were added."""
        with self._changed:
            return tuple(self._snapshot(job) for job in self._jobs.values())

    def wait(self, timeout_s: float | None = None) -> bool:
        """Wait until nothing runs or waits to; returns whether that is so."""
        with self._changed:
            return self._changed.wait_for(self._is_idle, timeout_s)

    def close(self, timeout_s: float | None = None) -> bool:
        """Pause everything and wait until the threads have let go of their files; returns whether they have."""
        with self._changed:
            self._closed = True
            numbers = list(self._jobs)
        for number in numbers:
            self.pause(number)
        return self.wait(timeout_s)

    # -- with the lock held -------------------------------------------------------------------------------------------

    def _enter(self, file: RemoteFile, state: State) -> int:
        target = local_path(self._folder, file.repo, file.name)
        for job in self._jobs.values():
            if job.target == target and job.state not in ("done", "cancelled"):
                if state == "waiting" and job.state in ("paused", "failed"):
                    job.state, job.sentence = "waiting", ""
                return job.number
        self._last_number += 1
        self._jobs[self._last_number] = _Job(self._last_number, file, target, state, total=file.size)
        return self._last_number

    def _is_idle(self) -> bool:
        return all(job.thread is None and job.state not in (*_RUNNING, "waiting") for job in self._jobs.values())

    def _start_next(self) -> None:
        if not self._closed and not any(job.state in _RUNNING for job in self._jobs.values()):
            # One that was stopped may still hold its file for a moment; its end comes by here again.
            job = next((job for job in self._jobs.values() if job.state == "waiting" and job.thread is None), None)
            if job is not None:
                job.state, job.done, job.abort = "checking", 0, Abort()
                job.thread = threading.Thread(target=self._run, args=(job,), name="download", daemon=True)
                job.thread.start()
        self._changed.notify_all()

    def _delete(self, job: _Job) -> None:
        """Delete what a download has brought."""
        if job.was_fetched:
            with suppress(OSError):
                job.target.unlink(missing_ok=True)
        Partial(job.target).remove(self._folder)

    def _missing_bytes(self, job: _Job) -> int:
        """Of a file that does not run now; 0 when the hub has not said how long it is."""
        with suppress(OSError):
            if job.target.stat().st_size == job.total:
                return 0
        return max((job.total or 0) - Partial(job.target).done_bytes(), 0)

    def _snapshot(self, job: _Job) -> Download:
        speed = None
        if job.state == "downloading" and len(job.arrived) > 1:
            (first, before), (_, now) = job.arrived[0], job.arrived[-1]
            elapsed = self._clock() - first
            speed = (now - before) / elapsed if elapsed > 0 and now > before else None
        left = (job.total - job.done) / speed if speed and job.total is not None else None
        return Download(
            job.number, job.file, job.target, job.state, job.done, job.total, speed, left, job.sentence
        )  # fmt: skip

    # -- without ------------------------------------------------------------------------------------------------------

    def _stop(self, number: int, state: Literal["paused", "cancelled"]) -> None:
        with self._changed:
            job = self._jobs[number]
            if job.state in ("done", "cancelled") or (job.state == "failed" and state == "paused"):
                return
            job.state, job.sentence = state, ""
            job.abort.set()
            if job.thread is None and state == "cancelled":
                Partial(job.target).remove(self._folder)
            self._start_next()

    def _run(self, job: _Job) -> None:
        def report(phase: Phase, done: int, total: int | None, sentence: str) -> None:
            with self._changed:
                if job.abort.is_set:
                    return
                if phase != job.state or phase != "downloading":
                    job.arrived.clear()
                job.state, job.done, job.total, job.sentence = phase, done, total, sentence
                now = self._clock()
                if not job.arrived or now - job.arrived[-1][0] >= _SPEED_STEP_S:
                    job.arrived.append((now, done))
                    while now - job.arrived[0][0] > _SPEED_WINDOW_S:
                        job.arrived.popleft()

        def still_to_come() -> int:
            model = batch_key(job.file.repo, job.file.name)
            with self._changed:
                others = [other for other in self._jobs.values() if other is not job and other.state != "cancelled"]
                return sum(
                    self._missing_bytes(other)
                    for other in others
                    if batch_key(other.file.repo, other.file.name) == model
                )

        abort = job.abort
        transfer = Transfer(
            job.file,
            job.target,
            abort,
            report,
            lambda s: self._wait(abort, s),
            still_to_come,
            self._free,
            self._digests,
        )
        state, sentence = self._outcome(transfer)
        with self._changed:
            job.thread = None
            job.file = replace(job.file, size=transfer.file.size, sha256=transfer.file.sha256)
            job.done, job.total = transfer.done, transfer.file.size
            # Not before it is whole: until then an older file may stand at its place, which stays.
            job.was_fetched = transfer.was_fetched and state == "done"
            if job.state == "cancelled":  # it may have become whole in that moment
                self._delete(job)
            elif state == "done" or not abort.is_set:
                job.state, job.sentence = state, sentence
            job.arrived.clear()
            self._start_next()

    def _outcome(self, transfer: Transfer) -> tuple[State, str]:
        try:
            transfer.run()
        except StoppedError:
            return "paused", ""
        except TokometerError as error:
            if isinstance(error, NotOnHubError) and not transfer.done:
                Partial(transfer.target).remove(self._folder)
            return "failed", str(error)
        except Exception:
            logger.exception("a download ended unexpectedly")
            return "failed", Sentence("{file}: something unexpected went wrong.", file=transfer.file.label)
        return "done", ""
