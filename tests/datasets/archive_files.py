"""Small GH Archive hours for tests."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

from proactmem.core.events import CodeEvent
from proactmem.datasets.gharchive import DROPS, NOTICES, repository_streams
from proactmem.datasets.gharchive_hours import find_hours
from proactmem.datasets.tally import Tally


def native(number: int = 1, kind: str = "WatchEvent", **changes: object) -> dict[str, object]:
    """An event of repository 7, a/b, at second `number` of its hour."""
    event = {
        "id": str(1000 + number), "type": kind, "actor": {"id": 5, "login": "dev-1"},
        "repo": {"id": 7, "name": "a/b", "url": "https://example.org/a/b"}, "payload": {"action": "started"}, "public": True,
        "created_at": f"2024-03-01T05:{number // 60:02d}:{number % 60:02d}Z",
    }  # fmt: skip
    return event | changes


def named(repo: int, name: str) -> dict[str, object]:
    return {"id": repo, "name": name, "url": "https://example.org"}


def line(event: object, *, compact: bool = True) -> bytes:
    return (json.dumps(event, separators=(",", ":")) if compact else json.dumps(event)).encode() + b"\n"


def write(file: Path, *events: object, plain: bool = False) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    data = b"".join(event if isinstance(event, bytes) else line(event) for event in events)
    file.write_bytes(data if plain else gzip.compress(data))
    return file


def counted() -> Tally:
    return Tally.of(DROPS, NOTICES)


def read(raw: Path, *repos: str, spill: Path, tally: Tally | None = None, **options: object) -> dict[str, list[CodeEvent]]:
    """Events by stream; `spill` is emptied first."""
    spill.mkdir(exist_ok=True)
    for old in spill.iterdir():
        old.unlink()
    tally = tally if tally is not None else counted()
    hours = find_hours(raw, tally=tally)
    found = repository_streams(hours, repos or ("a/b",), spill=spill, tally=tally, **options)  # type: ignore[arg-type]
    return {stream.stream_id: [item.public for item in stream.events] for stream in found.streams}  # type: ignore[misc]
