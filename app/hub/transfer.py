"""One file from the hub to the disk: from where it stopped, checked, and there whole or not at all.

It begins with one connection; when more are faster, `app.hub.parts` goes on with them.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import shutil
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, BinaryIO, Literal

from app.engine.gguf import MAGIC
from app.errors import HubError, Sentence
from app.hub.connection import Abort, Answer, request
from app.hub.names import printable
from app.hub.partial import Partial, RemoteFile
from app.hub.parts import BLOCK_BYTES, NoPartsError, Parts
from app.hub.problems import TransientError, login_page, no_room, not_written, wrong_length
from app.hub.variants import split_name
from app.hub.width import MOST_CONNECTIONS, Probe, Width

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from app.hub.digests import Digests

Phase = Literal["checking", "downloading", "retrying"]

_CHUNK_BYTES = 256 * 1024
_DISK_CHECK_BYTES = 64 * 1024**2
RESERVE_BYTES = 64 * 1024**2
"""What stays free on the disk."""
_MOST_ATTEMPTS = 6
"""In a row without a byte of progress."""
_MOST_RESTARTS = 3
_MOST_WIDENINGS = 3
"""A server that drops one of several connections may do so because there are several."""
_LONGEST_BACKOFF_S = 60.0
_WORTH_PARTS_BYTES = MOST_CONNECTIONS * BLOCK_BYTES
"""With less left it is over before it is known whether more connections help."""
_MOST_DIGITS = 19
_SHA256 = re.compile(r"[0-9a-f]{64}")
_CONTENT_RANGE = re.compile(r"bytes (\d{1,19})-\d{1,19}/(\d{1,19})")


def free_bytes(folder: Path) -> int:
    """Return the room on the disk that holds a folder. Raises OSError."""
    return shutil.disk_usage(folder).free


@dataclass(slots=True)
class Transfer:
    """Fetches one file.

    Attributes:
        report: called with the phase, the bytes there are, the bytes there will be, and a sentence when it retries.
        wait: waits that many seconds, or returns true at once when it is aborted.
        still_to_come: bytes that the other files of its model will take on the same disk.
        free: bytes free on the disk of a folder.
        digests: what is known of files that are here.
        done: bytes that are there.
        was_fetched: whether it was not there whole before.
    """

    file: RemoteFile
    target: Path
    abort: Abort
    report: Callable[[Phase, int, int | None, str], None]
    wait: Callable[[float], bool]
    still_to_come: Callable[[], int] = lambda: 0
    free: Callable[[Path], int] = free_bytes
    digests: Digests | None = None
    done: int = 0
    was_fetched: bool = False
    _hasher: hashlib._Hash = field(default_factory=hashlib.sha256)
    _prefix: int = 0
    _width: Width | None = None
    _widenings: int = 0
    _checked_at: int = 0
    _restarts: int = 0

    def run(self) -> None:
        """Fetch what is missing; `target` is there afterwards.

        Raises:
            HubError: it could not be fetched or is not what the hub promised; one sentence says what to do.
            StoppedError: it was aborted; what is there is kept.
        """
        part = Partial(self.target)
        try:
            if self._is_here():
                part.remove()
                return
            part.open()
            if self._is_here():  # another process has made it whole meanwhile
                part.remove()
                return
            self.was_fetched = True
            self._begin(part)
            attempts = 0
            while self.file.size is None or self._prefix < self.file.size:
                before = self.done
                try:
                    self._fetch(part)
                except TransientError as error:
                    attempts = 1 if self.done > before else attempts + 1
                    if attempts >= _MOST_ATTEMPTS:
                        raise
                    self.report("retrying", self.done, self.file.size, error.reason)
                    self.wait(max(error.retry_after_s, min(2.0 ** (attempts - 1), _LONGEST_BACKOFF_S)))
                    self.abort.check()
            self._finish(part)
        except OSError as error:
            raise self._disk_error(error) from None
        finally:
            part.close()

    def _is_here(self) -> bool:
        """Whether the target is there already, with the length and the checksum that were promised."""
        if not self.file.sha256 or not self.target.is_file() or self.target.stat().st_size != self.file.size:
            return False
        digest = self.digests.find(self.target) if self.digests is not None else ""
        if not digest:
            with self.target.open("rb") as file:
                digest = self._hash(file).hexdigest()
            self._remember(digest)
        found = digest == self.file.sha256
        self.done = self.file.size if found else 0
        return found

    def _hash(self, file: BinaryIO) -> hashlib._Hash:
        hasher = hashlib.sha256()
        done = 0
        while data := file.read(_CHUNK_BYTES * 4):
            self.abort.check()
            hasher.update(data)
            done += len(data)
            self.report("checking", done, self.file.size, "")
        return hasher

    def _begin(self, part: Partial) -> None:
        """Find out what is there already, and hash it."""
        known = part.remembered()
        same = known is not None and (known.repo, known.name) == (self.file.repo, self.file.name)
        promised = self.file
        if known is not None and same:
            self.file = replace(promised, size=promised.size if promised.size is not None else known.size,
                                sha256=promised.sha256 or known.sha256, etag=known.etag)  # fmt: skip
        if not same or known is None or (promised.sha256 and known.sha256 and promised.sha256 != known.sha256):
            self.file = replace(self.file, etag="")
            part.clear()
        elif self.file.size is not None and part.file.seek(0, os.SEEK_END) > self.file.size:
            part.clear()
        self.done = part.file.seek(0, os.SEEK_END)
        part.file.seek(0)
        self._hasher = self._hash(part.file)
        self._prefix = self.done
        self.done = part.done_bytes()

    def _restart(self, part: Partial) -> None:
        part.clear()
        self._hasher = hashlib.sha256()
        self.done = self._prefix = self._checked_at = 0
        self._restarts += 1
        if self._restarts > _MOST_RESTARTS:
            raise HubError(
                Sentence("{file} changes on the hub while it is downloaded: try again later.", file=self.file.label)
            )

    def _fetch(self, part: Partial) -> None:
        if self._width is not None or part.blocks():
            self._fetch_parts(part)
        else:
            self._fetch_rest(part)

    def _fetch_parts(self, part: Partial) -> None:
        """Go on with several connections as long as they are faster than one, and finish what they began."""

        def append(data: bytes) -> None:
            part.file.write(data)
            self._hasher.update(data)
            self._prefix += len(data)

        def report(done: int) -> None:
            self.done = done
            if self.done - self._checked_at > _DISK_CHECK_BYTES:
                self._check_disk(part)
            self.report("downloading", self.done, self.file.size, "")

        parts = Parts(part, self.file, self.abort, self._prefix, append, report, self._width)
        try:
            parts.run()
        except NoPartsError:
            part.remove_blocks()
            self._widenings = _MOST_WIDENINGS
            raise
        finally:
            part.file.flush()
            if self._width is not None and self._width.count == 1:
                self._widenings = _MOST_WIDENINGS
            self._width = None
            self.done = part.done_bytes()

    def _fetch_rest(self, part: Partial) -> None:
        headers = {"Accept-Encoding": "identity"}
        if self.done:
            headers["Range"] = f"bytes={self.done}-"
            # The hub's own checksum says better whether it is still the same file: etags differ between CDN servers.
            if not self.file.sha256 and self.file.etag and not self.file.etag.startswith("W/"):
                headers["If-Range"] = self.file.etag
        with request(self.file.url, headers, self.abort, f"{self.file.repo}/{self.file.label}") as answer:
            self._refuse_web_page(answer)
            first = answer.read(len(MAGIC), whole=True) if answer.status == 200 else b""
            self._refuse_other_formats(answer, first)  # before what is there is thrown away for it
            self._agree(answer, part)
            self._read(answer, part, first)

    def _agree(self, answer: Answer, part: Partial) -> None:
        """Take up what the answer is bytes of; bytes of another file are thrown away."""
        if answer.status == 416:
            self._restart(part)
            self.file = replace(self.file, size=None, etag="")
            raise TransientError(Sentence("{file} has changed on the hub; it begins anew.", file=self.file.label))
        start, size = _extent(answer)
        linked = answer.hub.get("x-linked-etag", "").strip().removeprefix("W/").strip('"').lower()
        sha256 = linked if _SHA256.fullmatch(linked) else self.file.sha256
        promised = answer.hub.get("x-linked-size", "")
        if promised.isascii() and promised.isdigit() and len(promised) < _MOST_DIGITS:
            # A shorter body without a range may be a proxy's that gave up: the rest is asked for.
            if size is not None and (size > int(promised) or (size < int(promised) and answer.status == 206)):
                part.remove()
                self.done = 0
                raise wrong_length(self.file.label, size, int(promised))
            size = int(promised)
        if size is None:
            size = self.file.size
        if size is None:
            raise HubError(
                Sentence("{host} does not say how long {file} is.", host=answer.host, file=self.file.label)
            )  # fmt: skip
        changed = bool(self.file.sha256) and sha256 != self.file.sha256
        found = replace(self.file, size=size, sha256=sha256, etag=answer.headers.get("ETag", ""))
        if self.done and (changed or start != self.done or size != (self.file.size or size)):
            self._restart(part)
        self.file = found
        self._check_disk(part)
        part.remember(found)
        if start != self.done:
            raise TransientError(Sentence("{file} has changed on the hub; it begins anew.", file=self.file.label))

    def _read(self, answer: Answer, part: Partial, first: bytes) -> None:
        size = self.file.size or 0
        if first and size:
            self._keep(part, first)
        probe = Probe(self.done)
        while self.done < size:
            if self._widenings < _MOST_WIDENINGS and self.file.sha256 and size - self.done > _WORTH_PARTS_BYTES:
                speed = probe.speed(self.done)
                if speed is not None:
                    self._width = Width(speed)
                    self._widenings += 1
                    return
            data = answer.read(min(_CHUNK_BYTES, size - self.done))
            if not data:
                raise TransientError(
                    Sentence(
                        "The connection to {host} ended before {file} was whole.",
                        host=answer.host,
                        file=self.file.label,
                    )
                )
            self._keep(part, data)

    def _keep(self, part: Partial, data: bytes) -> None:
        part.file.write(data)
        part.file.flush()
        self._hasher.update(data)
        self.done += len(data)
        self._prefix = self.done
        if self.done - self._checked_at > _DISK_CHECK_BYTES:
            self._check_disk(part)
        self.report("downloading", self.done, self.file.size, "")

    def _finish(self, part: Partial) -> None:
        if self.file.sha256 and self._hasher.hexdigest() != self.file.sha256:
            part.remove()
            self.done = 0
            raise HubError(
                Sentence(
                    "{file} arrived damaged: its checksum (SHA-256) is not the hub's. It was removed; download it "
                    "again.",
                    file=self.file.label,
                )
            )
        part.complete()
        self._remember(self._hasher.hexdigest())

    def _remember(self, digest: str) -> None:
        if self.digests is not None:
            self.digests.remember(self.target, digest, is_promised=digest == self.file.sha256)

    def _refuse_web_page(self, answer: Answer) -> None:
        if answer.status != 416 and answer.headers.get_content_type() in ("text/html", "application/xhtml+xml"):
            raise login_page(answer.host, self.file.label)

    def _refuse_other_formats(self, answer: Answer, first: bytes) -> None:
        if not self.file.name.lower().endswith(".gguf") or first == MAGIC or len(first) < len(MAGIC):
            return
        if first.lstrip()[:1] == b"<":
            raise login_page(answer.host, self.file.label)
        raise HubError(
            Sentence("{file} on the hub is not a GGUF file: choose another conversion.", file=self.file.label)
        )

    def _check_disk(self, part: Partial) -> None:
        self._checked_at = self.done
        free = self.free(part.path.parent)
        if self._needed_bytes() + RESERVE_BYTES > free:
            raise self._no_room(free)

    def _disk_error(self, error: OSError) -> HubError:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            return not_written(self.target, error)
        free = 0
        with suppress(OSError):
            free = self.free(self.target.parent)
        return self._no_room(free)

    def _needed_bytes(self) -> int:
        return (self.file.size or 0) - self.done + self.still_to_come()

    def _no_room(self, free: int) -> HubError:
        stem, _, count = split_name(self.file.name)
        name = self.file.label if count == 1 else printable(stem)
        return no_room(name, self.target.parent, self._needed_bytes(), free, RESERVE_BYTES)


def _extent(answer: Answer) -> tuple[int, int | None]:
    """Return where the body begins in the file and how long the whole file is, None when that is not said."""
    if answer.status == 206:
        match = _CONTENT_RANGE.fullmatch(answer.headers.get("Content-Range", "").strip())
        return (int(match[1]), int(match[2])) if match else (-1, None)
    length = answer.headers.get("Content-Length", "")
    return 0, int(length[:_MOST_DIGITS]) if length.isascii() and length.isdigit() else None
