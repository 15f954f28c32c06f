"""One file over several connections: blocks are fetched side by side and put together in order.

What is there is always the file's beginning and a few blocks behind it, so that it can be resumed at any time.
"""

from __future__ import annotations

import re
import threading
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from app.errors import Sentence
from app.hub.connection import Abort, StoppedError, request
from app.hub.problems import TransientError
from app.hub.width import Probe

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from app.hub.partial import Block, Partial, RemoteFile
    from app.hub.width import Width

BLOCK_BYTES = 64 * 1024**2
"""Large enough that the two connections each block begins with, to the hub and to where it sends, do not count."""
_CHUNK_BYTES = 256 * 1024
_LOOK_S, _STOP_S = 0.1, 5.0
_CONTENT_RANGE = re.compile(r"bytes (\d{1,19})-(\d{1,19})/(\d{1,19})")


@dataclass(slots=True)
class Parts:
    """Fetches what is missing of a file whose length and SHA-256 are known.

    Attributes:
        prefix: bytes that are in the part file.
        append: adds bytes to it, and to its checksum.
        report: told the bytes that are there, those of the blocks too.
        width: how many connections; None: finish with one what others began.
    """

    part: Partial
    file: RemoteFile
    abort: Abort
    prefix: int
    append: Callable[[bytes], None]
    report: Callable[[int], None]
    width: Width | None = None
    _blocks: deque[Block] = field(default_factory=deque)
    _left: deque[Block] = field(default_factory=deque)
    _end: int = 0
    _arrived: int = 0
    _running: int = 0
    _fault: Exception | None = None
    _is_over: bool = False
    _aborts: set[Abort] = field(default_factory=set)
    _changed: threading.Condition = field(default_factory=threading.Condition)

    def run(self) -> None:
        """Return when the part file is whole, or has no blocks behind it and more connections do not help.

        Raises:
            HubError: a connection failed; the blocks stay.
            StoppedError: it was aborted; the blocks stay.
            OSError: the disk failed.
        """
        self._take_up()
        probe = Probe(self._arrived)
        try:
            while self._go_on():
                self.report(self.prefix + sum(self._beyond(block) for block in self._blocks))
                speed = probe.speed(self._arrived)
                if speed is not None:
                    if self.width is not None:
                        self.width.learn(speed)
                    probe = Probe(self._arrived)
        finally:
            self._stop()

    def _take_up(self) -> None:
        """Find the blocks that are there; what lies between them is to be fetched too."""
        at = self.prefix
        for block in self.part.blocks():
            # One that begins within the prefix was being put together when the program ended.
            overlaps = block.start < at and at != self.prefix
            if block.end <= at or block.end > (self.file.size or 0) or overlaps:
                block.path.unlink(missing_ok=True)
                continue
            if block.start > at:
                self._blocks.append(self.part.block(at, block.start))
            self._blocks.append(block)
            at = block.end
        self._left.extend(block for block in self._blocks if block.done < block.end - block.start)
        self._end = at

    def _go_on(self) -> bool:
        """Do what can be done now, then wait a moment; returns whether there is more."""
        self.abort.check()
        while self._blocks and self._blocks[0].done == self._blocks[0].end - self._blocks[0].start:
            self._put_together(self._blocks.popleft())
        with self._changed:
            if self._fault is not None:
                raise self._fault
            count = 1 if self.width is None else self.width.count
            if count > 1:
                self._plan(count)
            while self._running < min(count, self._running + len(self._left)):
                self._running += 1
                threading.Thread(target=self._work, name="download part", daemon=True).start()
            if not self._blocks and not self._running:
                return False
            self._changed.wait(_LOOK_S)
        return True

    def _beyond(self, block: Block) -> int:
        """Return how many bytes of a block are there and not in the part file."""
        return max(0, block.start + block.done - max(block.start, self.prefix))

    def _plan(self, count: int) -> None:
        """Have a block for every connection."""
        size = self.file.size or 0
        while len(self._left) + self._running < count and self._end < size:
            block = self.part.block(self._end, min(self._end + BLOCK_BYTES, size))
            self._blocks.append(block)
            self._left.append(block)
            self._end = block.end

    def _put_together(self, block: Block) -> None:
        with block.path.open("rb") as file:
            file.seek(self.prefix - block.start)
            while data := file.read(_CHUNK_BYTES * 4):
                self.append(data)
                self.prefix += len(data)
        block.path.unlink()

    def _work(self) -> None:
        """Fetch blocks until there are none, or there are more connections than are wanted."""
        abort = Abort()
        try:
            for block in self._taken(abort):
                self._fetch(block, abort)
        except StoppedError:
            pass
        except Exception as error:  # noqa: BLE001 - raised where the blocks are put together
            with self._changed:
                self._fault = self._fault or error
        finally:
            with self._changed:
                self._running -= 1
                self._aborts.discard(abort)
                self._changed.notify_all()

    def _taken(self, abort: Abort) -> Iterator[Block]:
        while True:
            with self._changed:
                count = 1 if self.width is None else self.width.count
                if self._is_over or not self._left or self._running > count:
                    return
                self._aborts.add(abort)
                block = self._left.popleft()
            yield block
            with self._changed:
                self._changed.notify_all()

    def _fetch(self, block: Block, abort: Abort) -> None:
        done = block.done
        headers = {"Accept-Encoding": "identity", "Range": f"bytes={block.start + done}-{block.end - 1}"}
        what = f"{self.file.repo}/{self.file.label}"
        with request(self.file.url, headers, abort, what) as answer, block.path.open("ab") as file:
            match = _CONTENT_RANGE.fullmatch(answer.headers.get("Content-Range", "").strip())
            extent = tuple(map(int, match.groups())) if match else ()
            linked = answer.hub.get("x-linked-etag", "").removeprefix("W/").strip('"').lower()
            if answer.status != 206 or extent != (block.start + done, block.end - 1, self.file.size):
                raise NoPartsError(Sentence("{host} sends files only whole.", host=answer.host))
            if linked and linked != self.file.sha256:
                raise NoPartsError(Sentence("{file} has changed on the hub; it begins anew.", file=self.file.label))
            while done < block.end - block.start:
                data = answer.read(min(_CHUNK_BYTES, block.end - block.start - done))
                if not data:
                    raise TransientError(
                        Sentence(
                            "The connection to {host} ended before {file} was whole.",
                            host=answer.host,
                            file=self.file.label,
                        )
                    )
                file.write(data)
                file.flush()
                done += len(data)
                with self._changed:
                    self._arrived += len(data)

    def _stop(self) -> None:
        """End all connections; what they have brought stays."""
        with self._changed:
            self._is_over = True
            for abort in self._aborts:
                abort.set()
            # One that a name server keeps waiting writes nothing any more when it comes back.
            self._changed.wait_for(lambda: self._running == 0, _STOP_S)


class NoPartsError(TransientError):
    """The server does not give parts of this file: what is beside the part file is of no use."""
