"""A Hugging Face hub on 127.0.0.1, with its CDN on another port, that misbehaves when it is told to."""

from __future__ import annotations

import hashlib
import json
import re
import threading
import time
from collections import deque
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, quote, unquote, urlencode, urlsplit

if TYPE_CHECKING:
    from collections.abc import Callable

COMMIT = "0123456789abcdef0123456789abcdef01234567"
PAGE = b"<!DOCTYPE html><html><body>Welcome to the hotel's network</body></html>"
_CHUNK = 64 * 1024


@dataclass(slots=True)
class StoredFile:
    """A file of a repository: `read(start, end)` gives its bytes."""

    size: int
    sha256: str
    read: Callable[[int, int], bytes]


@dataclass(slots=True)
class Fault:
    """What the next answer for a file does wrong, once.

    Attributes:
        status: answered with, by the hub, instead of the file; `headers` go along.
        page: HTML instead of the file, from the CDN, which says that it is of `page_type`.
        cut_at: the connection ends when that many bytes were sent.
        hold_at: waits for `released` when that many bytes were sent.
        flip_at: the byte at that place of the body is another.
        claims: the length the CDN says the file has.
    """

    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    page: bool = False
    page_type: str = "text/html; charset=utf-8"
    cut_at: int | None = None
    hold_at: int | None = None
    flip_at: int | None = None
    claims: int | None = None


class HubServer:
    """Serves `files` by repository and name; counts what it sends and keeps the headers it is asked with."""

    def __init__(self) -> None:
        self.files: dict[str, dict[str, StoredFile]] = {}
        self.cards: dict[str, str] = {}
        self.gated: set[str] = set()
        self.about: dict[str, dict[str, Any]] = {}  # by repository: fields of its listing that are not the usual ones
        self.page_size: int | None = None  # of the list of models, which then names where it goes on
        self.next_page = ""  # ... there, whatever comes after the page
        self.renewed: dict[str, Any] | None = None  # the answer to who renews a login, refused without one
        self.renewals: list[tuple[str, str, dict[str, str]]] = []
        self.api_faults: deque[Fault] = deque()  # `status` and `page` of the next answers about names and sizes
        self.api_held: threading.Event | None = None  # those answers wait for it
        self.bytes_per_s: float | None = None  # of one connection to the CDN
        self.shares_line = False  # ... of all together
        self.line_free = 0.0
        self.sends_parts = True
        self.n_sending = 0
        self.most_sending = 0  # at the same time
        self.is_plain = False  # a mirror that knows neither checksums nor lengths
        self.faults: deque[Fault] = deque()
        self.body_bytes_sent = 0
        self.hub_requests: list[tuple[str, dict[str, str]]] = []
        self.cdn_requests: list[tuple[str, dict[str, str]]] = []
        self.reached = threading.Event()
        self.released = threading.Event()
        self.lock = threading.Lock()
        self.hub, self.cdn = (self._serve(handler) for handler in (_Hub, _Cdn))
        self.endpoint = f"http://127.0.0.1:{self.hub.server_port}"
        self.cdn_address = f"http://127.0.0.1:{self.cdn.server_port}"

    def _serve(self, handler: type[BaseHTTPRequestHandler]) -> ThreadingHTTPServer:
        server = ThreadingHTTPServer(("127.0.0.1", 0), type(handler.__name__, (handler,), {"hub": self}))
        server.daemon_threads = True
        server.handle_error = lambda *_: None  # a client may hang up at any time
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        return server

    def add(self, repo: str, name: str, data: bytes) -> StoredFile:
        """Put a file into a repository."""
        file = StoredFile(len(data), hashlib.sha256(data).hexdigest(), lambda start, end: data[start:end])
        self.files.setdefault(repo, {})[name] = file
        return file

    def close(self) -> None:
        """End both servers."""
        self.released.set()
        for server in (self.hub, self.cdn):
            server.shutdown()
            server.server_close()


class _Handler(BaseHTTPRequestHandler):
    hub: HubServer
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: Any) -> None:
        pass

    def answer(self, status: int, body: bytes = b"", **headers: str) -> None:
        self.send_response(status)
        for name, value in {"Content_Length": str(len(body)), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        raise NotImplementedError


class _Hub(_Handler):
    listing_type = "application/json"

    def do_GET(self) -> None:
        url = urlsplit(self.path)
        path = unquote(url.path)
        self.hub.hub_requests.append((self.path, dict(self.headers)))
        if path.startswith("/api/") and self.misbehaves():
            return
        if path == "/api/models":
            self.list(parse_qs(url.query))
        elif match := re.fullmatch(r"/api/models/([^/]+/[^/]+)(?:/revision/[^/]+)?", path):
            self.info(match[1])
        elif match := re.fullmatch(r"/([^/]+/[^/]+)/resolve/([^/]+)/(.+)", path):
            self.resolve(match[1], match[3])
        else:
            self.answer(404)

    def do_POST(self) -> None:
        """Renew a login."""
        form = self.rfile.read(int(self.headers["Content-Length"])).decode()
        self.hub.renewals.append((self.path, form, dict(self.headers)))
        if self.path == "/oauth/token" and self.hub.renewed is not None:
            self.answer(200, json.dumps(self.hub.renewed).encode(), Content_Type="application/json")
        else:
            self.answer(400, b'{"error": "invalid_grant"}', Content_Type="application/json")

    def misbehaves(self) -> bool:
        if self.hub.api_held is not None:
            self.hub.api_held.wait(60)
        if not self.hub.api_faults:
            return False
        fault = self.hub.api_faults.popleft()
        if fault.page:
            self.answer(200, PAGE, Content_Type="text/html; charset=utf-8")
        else:
            self.answer(fault.status, **fault.headers)
        return True

    def list(self, query: dict[str, list[str]]) -> None:
        data = self.listing(query)
        headers = {"Content_Type": self.listing_type}
        if self.hub.page_size is not None:
            start = int(query.get("cursor", ["0"])[0])
            end = start + self.hub.page_size
            models = json.loads(data)
            if self.hub.next_page or models[end:]:
                following = urlencode({**query, "cursor": [end]}, doseq=True)
                address = self.hub.next_page or f"{self.hub.endpoint}/api/models?{following}"
                headers["Link"] = f'<{address}>; rel="next"'
            data = json.dumps(models[start:end]).encode()
        self.answer(200, data, **headers)

    def listing(self, query: dict[str, list[str]]) -> bytes:
        wanted = query.get("search", [""])[0].lower()
        order = query.get("sort", ["downloads"])[0]
        found = [
            {"id": repo, "downloads": 10 * number, "likes": number, "lastModified": "2026-01-02T03:04:05.000Z",
             "tags": ["gguf"], "gated": "manual" if repo in self.hub.gated else False, "private": False,
             **self.hub.about.get(repo, {})}
            for number, repo in enumerate(sorted(self.hub.files), 1)
            if wanted in repo.lower()
        ]  # fmt: skip
        found.sort(key=lambda model: model[order], reverse=True)
        return json.dumps(found[: int(query.get("limit", ["100"])[0])]).encode()

    def info(self, repo: str) -> None:
        if repo not in self.hub.files:
            self.answer(401, b'{"error":"Invalid username or password."}', X_Error_Code="RepoNotFound")
            return
        siblings = [
            {"rfilename": name, "size": file.size, "blobId": "b",
             "lfs": {"sha256": file.sha256, "size": file.size, "pointerSize": 134}}
            for name, file in self.hub.files[repo].items()
        ]  # fmt: skip
        info = {"id": repo, "sha": COMMIT, "siblings": siblings, "tags": ["gguf", "license:mit"], "downloads": 7,
                "likes": 3, "gated": "manual" if repo in self.hub.gated else False,
                "cardData": {"license": "mit"}}  # fmt: skip
        self.answer(200, json.dumps(info).encode(), Content_Type="application/json")

    def resolve(self, repo: str, name: str) -> None:
        if name == "README.md" and repo in self.hub.cards:
            self.answer(200, self.hub.cards[repo].encode(), Content_Type="text/plain; charset=utf-8")
            return
        file = self.hub.files.get(repo, {}).get(name)
        if repo in self.hub.gated and self.headers.get("Authorization") != "Bearer hf_good":
            status = 403 if self.headers.get("Authorization") else 401
            self.answer(status, X_Error_Code="GatedRepo")
        elif file is None:
            self.answer(404, X_Error_Code="EntryNotFound")
        elif self.hub.faults and self.hub.faults[0].status:
            fault = self.hub.faults.popleft()
            self.answer(fault.status, **fault.headers)
        elif self.hub.is_plain:
            self.answer(302, Location=f"{self.hub.cdn_address}/{repo}/{name}")
        else:
            self.answer(
                302,
                Location=f"{self.hub.cdn_address}/{quote(repo)}/{quote(name)}",
                ETag=f'"{file.sha256}"',
                X_Linked_Etag=f'"{file.sha256}"',
                X_Linked_Size=str(file.size),
                X_Repo_Commit=COMMIT,
            )


class _Cdn(_Handler):
    def do_GET(self) -> None:
        self.hub.cdn_requests.append((self.path, dict(self.headers)))
        owner, repo, name = unquote(self.path).lstrip("/").split("/", 2)
        file = self.hub.files[f"{owner}/{repo}"][name]
        fault = self.hub.faults.popleft() if self.hub.faults and not self.hub.faults[0].status else Fault()
        if fault.page:
            self.answer(200, PAGE, Content_Type=fault.page_type)
            return
        size = file.size if fault.claims is None else fault.claims
        start, end = 0, size
        etag = f'"cdn-{file.sha256[:8]}"'
        match = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", "")) if self.hub.sends_parts else None
        if match and self.headers.get("If-Range", etag) == etag:
            start, end = int(match[1]), min(int(match[2]) + 1, size) if match[2] else size
            if start >= size:
                self.answer(416, Content_Range=f"bytes */{size}")
                return
            self.send_response(206)
            self.send_header("Content-Range", f"bytes {start}-{end - 1}/{size}")
        else:
            self.send_response(200)
        self.send_header("ETag", etag)
        self.send_header("Content-Type", "application/octet-stream")
        self.send_header("Content-Length", str(end - start))
        self.end_headers()
        with self.hub.lock:
            self.hub.n_sending += 1
            self.hub.most_sending = max(self.hub.most_sending, self.hub.n_sending)
        try:
            self.body(file, start, end, fault)
        finally:
            with self.hub.lock:
                self.hub.n_sending -= 1

    def body(self, file: StoredFile, start: int, end: int, fault: Fault) -> None:
        marks = [mark for mark in (fault.cut_at, fault.hold_at) if mark is not None]
        sent, free = 0, time.monotonic()
        while start + sent < end:
            if sent == fault.cut_at:
                self.close_connection = True
                return
            if sent == fault.hold_at:
                self.wfile.flush()
                self.hub.reached.set()
                self.hub.released.wait(60)
            stop = min([sent + _CHUNK, end - start, *(mark for mark in marks if mark > sent)])
            data = bytearray(file.read(start + sent, start + stop).ljust(stop - sent, b"x"))
            if fault.flip_at is not None and sent <= fault.flip_at < stop:
                data[fault.flip_at - sent] ^= 1
            try:
                self.wfile.write(data)
            except OSError:
                self.close_connection = True
                return
            if self.hub.bytes_per_s:
                free = self.take_line(free, len(data) / self.hub.bytes_per_s)
            sent = stop
            with self.hub.lock:
                self.hub.body_bytes_sent += len(data)

    def take_line(self, free: float, seconds: float) -> float:
        """Wait as long as sending takes on this connection's line, or on the one of all; returns when it is free."""
        if self.hub.shares_line:
            with self.hub.lock:
                self.hub.line_free = free = max(self.hub.line_free, time.monotonic()) + seconds
        else:
            free += seconds
        time.sleep(max(0.0, free - time.monotonic()))
        return free
