"""A loopback OpenAI-compatible service in front of any backbone: chat completions and the list of models.

Usage that the backbone does not count is characters / 4, rounded up, a text (`approximate_tokens`).
"""

from __future__ import annotations

import contextlib
import json
import logging
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from proactmem.errors import ConfigError
from proactmem.llm.backbone import Backbone
from proactmem.llm.chat_api import RejectedRequestError, approximate_tokens, chat

__all__ = ["MAX_BODY", "Handler", "Service", "approximate_tokens", "serve"]

MAX_BODY = 32_000_000
"""Bytes of a request body that are read; more is answered with 413."""
_CHAT, _MODELS = "/v1/chat/completions", "/v1/models"
_METHODS = {_CHAT: "POST", _MODELS: "GET"}
_LOG = logging.getLogger(__name__)


class Handler(BaseHTTPRequestHandler):
    """Answers the requests of one connection; the backbone hangs at the server."""

    protocol_version = "HTTP/1.1"
    timeout = 60
    disable_nagle_algorithm = True
    server: _Server

    def answer(self) -> None:
        """Answer one request: route it, read its body, complete it; errors are JSON in OpenAI's form."""
        self.close_connection = True  # unless the request is read to its end
        try:
            path = self.path.partition("?")[0].rstrip("/")
            if path not in _METHODS:
                raise RejectedRequestError(404, f"Nothing is at {path[:80]!r}; this service has {_CHAT} and {_MODELS}.")
            if self.command != _METHODS[path]:
                raise RejectedRequestError(405, f"{path} takes {_METHODS[path]}, not {self.command}.")
            if path == _MODELS:
                self.close_connection = "Content-Length" in self.headers
                model = {"id": self.server.backbone.model, "object": "model", "created": 0, "owned_by": "proactmem"}
                self.send_json(200, {"object": "list", "data": [model]})
            else:
                self.chat(self._body())
        except RejectedRequestError as refusal:
            allow = {"Allow": _METHODS[path]} if refusal.status == 405 else {}
            self.send_json(refusal.status, refusal.body, allow)
            if self.close_connection:
                self._drain()

    def __getattr__(self, name: str) -> Callable[[], None]:
        """Every HTTP method ends in `answer`, which knows the ones allowed."""
        if name.startswith("do_"):
            return self.answer
        raise AttributeError(name)

    def chat(self, body: bytes) -> None:
        """Answer a chat completion body; a service of faults does it in its own way."""
        self.send_json(200, chat(self.server.backbone, body))

    def _body(self) -> bytes:
        stated = self.headers.get("Content-Length", "")
        if not (stated.isascii() and stated.isdigit()):
            raise RejectedRequestError(411, "Content-Length is missing; send the body with its length.")
        if len(stated) > 12 or int(stated) > MAX_BODY:
            raise RejectedRequestError(413, f"The body has {stated[:20]} bytes, at most {MAX_BODY} are read.")
        if self.headers.get_content_type() != "application/json":  # also keeps pages of other origins out
            raise RejectedRequestError(415, "Send the body as Content-Type: application/json.")
        body = self.rfile.read(int(stated))
        if len(body) < int(stated):
            raise RejectedRequestError(400, f"The body ended after {len(body)} of {stated} bytes.")
        self.close_connection = self.headers.get("Connection", "").lower() == "close"
        return body

    def _drain(self) -> None:
        """Read what the client is still sending, so that closing does not take the answer away from it."""
        self.connection.settimeout(0.5)
        with contextlib.suppress(OSError):
            for _ in range(2 * MAX_BODY // 65_536):
                if not self.rfile.read1(65_536):
                    return

    def send_json(self, status: int, value: Mapping[str, object], headers: Mapping[str, str] | None = None) -> None:
        """Write a JSON answer, ASCII throughout, so that a lone surrogate travels as an escape."""
        self.send_body(status, json.dumps(value).encode("ascii"), "application/json", headers)

    def send_body(self, status: int, data: bytes, kind: str, headers: Mapping[str, str] | None = None) -> None:
        """Write an answer of any content type."""
        self.send_response_only(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)
        _LOG.debug("%s %d", self.command, status)

    def log_message(self, *_: object) -> None:
        """Log nothing: neither request lines nor texts belong in a log."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def __init__(self, backbone: Backbone, port: int, handler: type[Handler]) -> None:
        self.backbone = backbone
        super().__init__(("127.0.0.1", port), handler)

    def handle_error(self, *_: object) -> None:
        """Log the type of what went wrong with a connection, without its text."""
        _LOG.warning("a connection ended with %s", getattr(sys.exc_info()[0], "__name__", "an unknown error"))


class Service:
    """A running service on 127.0.0.1."""

    def __init__(self, server: ThreadingHTTPServer, thread: threading.Thread) -> None:
        self._server, self._thread = server, thread

    @property
    def port(self) -> int:
        """The port it listens on."""
        return int(self._server.server_address[1])

    @property
    def base_url(self) -> str:
        """The address a client needs."""
        return f"http://127.0.0.1:{self.port}/v1"

    def wait(self) -> None:
        """Block until the service ends; a keyboard interrupt ends the wait."""
        self._thread.join()


@contextlib.contextmanager
def serve(backbone: Backbone, port: int = 0, *, handler: type[Handler] = Handler) -> Iterator[Service]:
    """Serve a backbone on 127.0.0.1 while the block runs.

    Args:
        backbone: Answers the requests.
        port: 0 takes a free one.
        handler: Answers the connections.

    Raises:
        ConfigError: The port is taken, not allowed or no port.

    >>> from proactmem.llm.backbone import Reply
    >>> class Silent:
    ...     name, model = "silent", "none"
    ...     def complete(self, request):
    ...         return Reply(text='{"decision": "abstain"}')
    >>> with serve(Silent()) as service:
    ...     service.base_url.startswith("http://127.0.0.1:")
    True
    """
    try:
        server = _Server(backbone, port, handler)
    except (OSError, OverflowError) as error:
        raise ConfigError(
            f"Port {port!r} of 127.0.0.1 cannot be used ({error}).", remedy="Give a free port above 1023, or 0 for any."
        ) from error
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield Service(server, thread)
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
