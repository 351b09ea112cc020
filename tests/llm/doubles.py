"""Backbones for tests: they answer from a function and count what they were asked."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

from proactmem.llm.backbone import Message, Reply, ReplySchema, Request, Role


class Answering:
    """Answers with a function of the request."""

    def __init__(self, answer: Callable[[Request], Reply | str] | str = "{}", *, model: str = "m") -> None:
        self._answer = answer
        self._model = model
        self._lock = threading.Lock()
        self.asked: list[Request] = []

    @property
    def name(self) -> str:
        return "double"

    @property
    def model(self) -> str:
        return self._model

    def complete(self, request: Request) -> Reply:
        with self._lock:
            self.asked.append(request)
        found = self._answer if isinstance(self._answer, str) else self._answer(request)
        return Reply(text=found) if isinstance(found, str) else found


def ask(
    text: str = "hello", *, role: Role = "decision", schema: bool = False, system: str | None = None, sample: int = 0
) -> Request:
    """A small request."""
    messages = [] if system is None else [Message(role="system", content=system)]
    properties = {"a": {"type": "string"}}
    closed = {"type": "object", "properties": properties, "required": ["a"], "additionalProperties": False}
    return Request(
        model="m",
        messages=(*messages, Message(role="user", content=text)),
        reply_schema=ReplySchema(name="answer", json_schema=closed) if schema else None,
        max_tokens=64,
        role=role,
        sample=sample,
    )


def run(code: str, *arguments: object) -> subprocess.Popen[str]:
    """Start Python code in another process, at the checkout's root."""
    root = Path(__file__).parents[2]
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=root,
    )  # fmt: skip
