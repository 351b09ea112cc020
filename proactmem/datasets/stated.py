"""What the rows of a label file state, by key: kept in a temporary database, so that files of any length take little memory."""

from __future__ import annotations

import json
import sqlite3
from types import TracebackType
from typing import NamedTuple

__all__ = ["Key", "Scalar", "Stated", "StatedRows"]

Scalar = str | int | float | bool | None
Key = tuple[Scalar, ...]
_TABLE = """
CREATE TABLE stated (
    key TEXT PRIMARY KEY, row INTEGER NOT NULL, y INTEGER NOT NULL, a INTEGER, b INTEGER, n INTEGER, service TEXT,
    stream TEXT, event TEXT
) WITHOUT ROWID
"""


class Stated(NamedTuple):
    """What one label row states."""

    row: int
    y: bool
    a: bool | None
    b: bool | None
    n: bool | None
    service: str | None


class StatedRows:
    """Label rows by key, and the event that each has met; closed, it leaves nothing behind."""

    def __init__(self) -> None:
        self._database = sqlite3.connect("")  # private, and on disk where it grows large
        self._database.execute("PRAGMA journal_mode = OFF")
        self._database.execute(_TABLE)
        self.first: Key | None = None
        """The key of the first row."""
        self.count = 0
        """Keys."""
        self.met = 0
        """Keys that have met an event."""

    def __enter__(self) -> StatedRows:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._database.close()

    def put(self, key: Key, row: Stated) -> Stated | None:
        """Keep a row; the one that stands under its key already, if there is one, stays and is returned."""
        self.first = key if self.first is None else self.first
        added = self._database.execute(
            "INSERT OR IGNORE INTO stated VALUES (?, ?, ?, ?, ?, ?, ?, NULL, NULL)", (_text(key), *row)
        ).rowcount
        if added:
            self.count += 1
            return None
        found = self.get(key)
        return None if found is None else found[0]

    def get(self, key: Key) -> tuple[Stated, tuple[str, str] | None] | None:
        """The row under a key, and the event it has met."""
        found = self._database.execute("SELECT * FROM stated WHERE key = ?", (_text(key),)).fetchone()
        if found is None:
            return None
        _, row, y, a, b, n, service, stream, event = found
        a, b, n = (None if mark is None else bool(mark) for mark in (a, b, n))
        return Stated(row, bool(y), a, b, n, service), None if stream is None else (stream, event)

    def meet(self, key: Key, stream_id: str, event_id: str) -> None:
        """Note the event that a key has met."""
        self._database.execute("UPDATE stated SET stream = ?, event = ? WHERE key = ?", (stream_id, event_id, _text(key)))
        self.met += 1


def _text(key: Key) -> str:
    return json.dumps(key)
