"""A loopback service that plays a script of faults before it answers: what a client must survive."""

from __future__ import annotations

import contextlib
import json
import socket
import struct
import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal

from proactmem.llm.backbone import Backbone
from proactmem.llm.chat_api import chat
from proactmem.llm.serve import Handler, serve

__all__ = ["Fault", "FaultKind", "FaultyService", "faulty_service"]

FaultKind = Literal[
    "status",
    "reset",
    "cut_off",
    "drip",
    "malformed",
    "html",
    "body",
    "wrong_schema",
    "prose",
    "huge",
    "nul",
    "empty",
    "surrogate",
    "null_content",
    "no_choices",
    "refusal",
    "length",
]
"""First those that break the answer itself, then completions whose content is bad."""

_TEXTS: dict[FaultKind, str] = {
    "wrong_schema": '{"unexpected": [1, 2, 3]}',
    "prose": "I think it would be kind to say nothing at this moment.",
    "huge": "x" * 1_048_576,
    "nul": '{"decision": "abstain\x00"}',
    "empty": "",
    "surrogate": '{"decision": "\ud800"}',
    "length": '{"decision": "inter',
}


@dataclass(frozen=True)
class Fault:
    """One answer of the script."""

    kind: FaultKind
    status: int = 500
    """For `status`."""
    message: str = "the service failed"
    """Error message, for `status`."""
    code: str | None = None
    """Error code, for `status`."""
    param: str | None = None
    """Setting that the error names, for `status`."""
    headers: tuple[tuple[str, str], ...] = ()
    """More headers, for example Retry-After, for `status`."""
    data: bytes = b""
    """The whole answer, sent as JSON with status 200, for `body`."""
    seconds: float = 0.05
    """Pause between bytes, for `drip`."""


@dataclass
class FaultyService:
    """A script being played: what was asked, and what is left of it."""

    script: list[Fault]
    """Faults still to come, in order; then the inner backbone answers."""
    base_url: str = ""
    """The address a client needs."""
    requests: list[dict[str, object]] = field(default_factory=list)
    """The bodies received, in order."""
    authorizations: list[str | None] = field(default_factory=list)
    """The Authorization headers received, in order."""
    stopped: threading.Event = field(default_factory=threading.Event)
    """Set when the service ends, so that a drip ends too."""
    lock: threading.Lock = field(default_factory=threading.Lock)

    def next_fault(self, body: bytes, authorization: str | None) -> Fault | None:
        """Note a request and take the next fault of the script."""
        with self.lock:
            self.requests.append(json.loads(body))
            self.authorizations.append(authorization)
            return self.script.pop(0) if self.script else None


@contextlib.contextmanager
def faulty_service(inner: Backbone, script: Iterable[Fault]) -> Iterator[FaultyService]:
    """Play `script`, one fault a request, then pass requests on to `inner`; on 127.0.0.1 while the block runs."""
    state = FaultyService(list(script))

    class _Faulty(Handler):
        def chat(self, body: bytes) -> None:
            fault = state.next_fault(body, self.headers.get("Authorization"))
            if fault is None:
                super().chat(body)
            else:
                _play(self, fault, body, inner, state.stopped)

    with serve(inner, handler=_Faulty) as service:
        state.base_url = service.base_url
        try:
            yield state
        finally:
            state.stopped.set()


def _play(handler: Handler, fault: Fault, body: bytes, inner: Backbone, stopped: threading.Event) -> None:
    match fault.kind:
        case "status":
            error = {"message": fault.message, "type": "error", "param": fault.param, "code": fault.code}
            handler.send_json(fault.status, {"error": error}, dict(fault.headers))
        case "reset":
            handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            handler.connection.close()
            handler.close_connection = True
        case "cut_off" | "drip":
            data = json.dumps(chat(inner, body)).encode()
            handler.send_response_only(200)
            handler.send_header("Content-Type", "application/json")
            handler.send_header("Content-Length", str(len(data)))
            handler.end_headers()
            if fault.kind == "cut_off":
                handler.wfile.write(data[: len(data) // 2])
            else:
                _drip(handler, data, fault.seconds, stopped)
            handler.close_connection = True
        case "malformed":
            handler.send_body(200, b'{"choices": [{"index": 0, "message": {"role"', "application/json")
        case "html":
            handler.send_body(200, b"<!DOCTYPE html><html><body>Welcome</body></html>", "text/html")
        case "body":
            handler.send_body(200, fault.data, "application/json")
        case _:
            handler.send_json(200, _bad_completion(fault.kind))


def _drip(handler: Handler, data: bytes, seconds: float, stopped: threading.Event) -> None:
    for position in range(len(data)):
        try:
            handler.wfile.write(data[position : position + 1])
        except ConnectionError:
            return
        if stopped.wait(seconds):
            return


def _bad_completion(kind: FaultKind) -> dict[str, object]:
    message = {
        "role": "assistant",
        "content": _TEXTS.get(kind),
        "refusal": "I cannot help with that." if kind == "refusal" else None,
    }
    choice = {"index": 0, "message": message, "finish_reason": "length" if kind == "length" else "stop"}
    choices = [] if kind == "no_choices" else [choice]
    return {"id": "chatcmpl-fault", "object": "chat.completion", "created": 0, "model": "faulty", "choices": choices}
