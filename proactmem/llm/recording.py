"""Resume by replay: a backbone that answers from the recording store and asks the model only for what is missing."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Iterator

from proactmem.errors import ConfigError, ReplayMissError
from proactmem.llm.backbone import Backbone, Reply, Request
from proactmem.llm.store import Recorded, Recording, RoleTotal

__all__ = ["Recorded", "Recording", "RecordingBackbone", "RoleTotal", "difference"]


class RecordingBackbone:
    """Answers each distinct request once: from the store, else from `inner`, whose reply is stored before it is used.

    Args:
        inner: Asked on a miss; None is replay, where a miss is an error.
        store: Where requests and replies are kept.
        model: Name that replayed requests carry; needed only where several models are recorded.
        name: Name for manifests; the inner backbone's, or the recorded one's.
    """

    def __init__(self, inner: Backbone | None, store: Recording, *, model: str | None = None, name: str | None = None) -> None:
        if inner is not None and store.mode == "replay":
            raise ConfigError(
                f"{store.path}: opened for replay, so replies of {inner.name!r} could not be stored.",
                remedy="Open the store in record mode, or give no backbone.",
            )
        self._inner, self._store = inner, store
        self._model, self._name = model, name
        self._lock = threading.Lock()
        self._asking: dict[str, tuple[threading.Lock, int]] = {}
        self._hits = self._calls = 0

    @property
    def name(self) -> str:
        """Name of the backbone whose replies these are; `replay` where none is recorded."""
        if self._name is not None:
            return self._name
        if self._inner is not None:
            return self._inner.name
        return "+".join(sorted({source for source, _ in self._store.sources() if source})) or "replay"

    @property
    def model(self) -> str:
        """Model name that requests carry.

        Raises:
            ConfigError: Replay without `model` from a store that holds replies of no model or of several.
        """
        if self._model is not None:
            return self._model
        if self._inner is not None:
            return self._inner.model
        models = sorted({model for _, model in self._store.sources()})
        if len(models) != 1:
            raise ConfigError(
                f"{self._store.path}: replies of {len(models)} models are recorded ({', '.join(map(repr, models))}).",
                remedy="Say which one to replay (`model=`).",
            )
        return models[0]

    @property
    def store(self) -> Recording:
        """The store in use."""
        return self._store

    @property
    def hits(self) -> int:
        """Requests answered from the store."""
        return self._hits

    @property
    def calls(self) -> int:
        """Requests passed to the inner backbone, failed ones included."""
        return self._calls

    def complete(self, request: Request) -> Reply:
        """The recorded reply, or the inner backbone's, stored first; identical concurrent requests make one call.

        Raises:
            ReplayMissError: Nothing is recorded and there is nobody to ask.
            BackboneError: The inner backbone could not answer.
            StoreError: The store cannot be read or written.
        """
        found = self._store.get(request.key)
        if found is not None:
            return self._hit(found)
        if self._inner is None:
            raise self._miss(request)
        with self._alone(request.key):
            found = self._store.get(request.key)
            if found is not None:
                return self._hit(found)
            with self._lock:
                self._calls += 1
            return self._store.put(request, self._inner.complete(request), source=self._inner.name)

    def close(self) -> None:
        """Close the store."""
        self._store.close()

    def _hit(self, reply: Reply) -> Reply:
        with self._lock:
            self._hits += 1
        return reply

    @contextlib.contextmanager
    def _alone(self, key: str) -> Iterator[None]:
        with self._lock:
            gate, waiting = self._asking.get(key, (threading.Lock(), 0))
            self._asking[key] = (gate, waiting + 1)
        try:
            with gate:
                yield
        finally:
            with self._lock:
                gate, waiting = self._asking.pop(key)
                if waiting > 1:
                    self._asking[key] = (gate, waiting - 1)

    def _miss(self, request: Request) -> ReplayMissError:
        what = f"{self._store.path}: no reply is recorded for this {request.role} request ({request.key[:12]}…)"
        remedy = "Run with a backbone to record it, or use the data, prompts and settings of the recorded run."
        near = self._store.nearest(request)
        if near is None:
            return ReplayMissError(f"{what}; no {request.role} request at all is recorded.", remedy=remedy)
        key, shared = near
        differs = difference(self._store.request(key), request)
        return ReplayMissError(
            f"{what}; the nearest recorded one ({key[:12]}…) shares {shared} lines and differs in {differs}.",
            remedy=remedy,
        )


def difference(recorded: Request, asked: Request) -> str:
    r"""The first things in which two requests differ, for a person: settings, then the first differing line.

    >>> from proactmem.llm.backbone import Message
    >>> a = Request(model="m", messages=(Message(role="user", content="one\ntwo"),), max_tokens=9, role="decision")
    >>> b = a.model_copy(update={"messages": (Message(role="user", content="one\n2"),)})
    >>> difference(a, b)
    "line 2 of message 1 (user): recorded 'two', asked '2'"
    """
    parts = [
        f"{name}: recorded {getattr(recorded, name)!r}, asked {getattr(asked, name)!r}"
        for name in ("model", "temperature", "max_tokens", "seed", "sample")
        if getattr(recorded, name) != getattr(asked, name)
    ]
    if _schema(recorded) != _schema(asked):
        parts.append("the reply schema")
    for index, (old, new) in enumerate(zip(recorded.messages, asked.messages, strict=False), start=1):
        if old.role != new.role:
            parts.append(f"the role of message {index}: recorded {old.role!r}, asked {new.role!r}")
            break
        if old.content != new.content:
            olds, news = old.content.split("\n"), new.content.split("\n")
            pairs = zip([*olds, None], [*news, None], strict=False)
            line = next((number for number, (a, b) in enumerate(pairs, start=1) if a != b), min(len(olds), len(news)) + 1)
            parts.append(f"line {line} of message {index} ({new.role}): recorded {_at(olds, line)}, asked {_at(news, line)}")
            break
    else:
        if len(recorded.messages) != len(asked.messages):
            parts.append(f"messages: recorded {len(recorded.messages)}, asked {len(asked.messages)}")
    return "; ".join(parts) or "nothing"


def _schema(request: Request) -> str:
    schema = request.reply_schema
    return "" if schema is None else json.dumps([schema.name, schema.json_schema], sort_keys=True)


def _at(lines: list[str], number: int, limit: int = 80) -> str:
    if number > len(lines):
        return "nothing"
    line = lines[number - 1]
    return repr(line if len(line) <= limit else line[: limit - 1] + "…")
