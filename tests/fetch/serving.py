"""A loopback server that fails on purpose: each request to a path takes the next fault of that path's schedule."""

from __future__ import annotations

import http.server
import threading
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

Kind = Literal[
    "drop", "status", "short", "ignore_range", "change", "wrong", "no_validator", "wrong_range", "endless_header",
]  # fmt: skip


class Fault(NamedTuple):
    """What goes wrong with one answer."""

    kind: Kind
    at: int = 0
    """Bytes of the body that are sent before it goes wrong, or the status."""
    header: str = ""
    """Retry-After."""


@dataclass
class Site:
    """What is served, what goes wrong, and what was asked."""

    files: dict[str, bytes]
    faults: dict[str, list[Fault]] = field(default_factory=lambda: defaultdict(list))
    asked: list[tuple[str, str | None]] = field(default_factory=list)
    """Paths with their Range."""
    url: str = ""


def _handler(site: Site) -> type[http.server.BaseHTTPRequestHandler]:
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            path, asked = self.path, self.headers.get("Range")
            site.asked.append((path, asked))
            fault = site.faults[path].pop(0) if site.faults[path] else None
            body = site.files.get(path)
            self.close_connection = True
            if fault is not None and fault.kind == "status":
                self._status(fault.at, fault.header)
                return
            if body is None:
                self._status(404, "")
                return
            if fault is not None and fault.kind == "change":
                site.files[path] = body = body[::-1] + b"!"
            if fault is not None and fault.kind == "wrong":
                body = b"x" * len(body)
            tag = f'"{hash(body)}"'
            start = 0
            resumes = asked is not None and self.headers.get("If-Range") == tag
            if resumes and (fault is None or fault.kind != "ignore_range"):
                start = int(str(asked).removeprefix("bytes=").rstrip("-"))
                if start >= len(body):
                    self._status(416, "")
                    return
            rest = body[start:]
            self.send_response(206 if start else 200)
            self.send_header("Content-Length", str(len(rest) - (3 if fault is not None and fault.kind == "short" else 0)))
            if start:
                shown = start + 1 if fault is not None and fault.kind == "wrong_range" else start
                self.send_header("Content-Range", f"bytes {shown}-{len(body) - 1}/{len(body)}")
            if fault is None or fault.kind != "no_validator":
                self.send_header("ETag", tag)
            self.send_header("Connection", "close")
            self.end_headers()
            if fault is not None and fault.kind in ("drop", "no_validator"):
                rest = rest[: fault.at]
            elif fault is not None and fault.kind == "short":
                rest = rest[:-3]
            self.wfile.write(rest)

        def _status(self, status: int, after: str) -> None:
            self.send_response(status)
            if after:
                self.send_header("Retry-After", after)
            self.send_header("Content-Length", "0")
            self.send_header("Connection", "close")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    return Handler


@contextmanager
def serving(files: dict[str, bytes]) -> Iterator[Site]:
    """Serve files on loopback while the block runs."""
    site = Site(files)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _handler(site))
    server.daemon_threads = False
    site.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield site
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
