"""Own data as JSON Lines: one public event a line, several streams in one file or folder (documented form, ours).

Each line is an event of its scope's public schema (SPEC 1) with its `stream_id`; `scope` may stand in every line or be
given once. Streams may be interleaved. By default each stream is ordered by time, then event id; with order "source"
the order of the lines holds. Where Code events of one stream share an id but not type and time, as GitHub's do across
eras (SPEC 1), the earliest keeps the id and another is built as `<id>@<github_type>@<event_time>`. A zone (Code and
Desktop only) decides the local day; without one it is UTC. In a folder, `labels*`, `reference_labels*` and `help_needed*`
are label files and every other `*.jsonl` holds events.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import NamedTuple, get_args

from proactmem.core.events import CodeEvent, Scope, parse_event
from proactmem.core.streams import stated_time
from proactmem.datasets.built import Order, known_zone
from proactmem.datasets.textfile import json_lines
from proactmem.datasets.writing import KeyColumns, Sourced, SourceStream
from proactmem.errors import ConfigError, InputError

__all__ = ["KEYS", "OwnData", "event_files", "own_streams", "scan_own"]

KEYS: KeyColumns = {"file": "text", "line": "int", "source_event_id": "text"}
"""The source key of an own event; source_event_id is the id as its line has it."""
_LABEL_FILES = ("labels", "reference_labels", "help_needed")


class _Place(NamedTuple):
    """Where an event stands, led by what orders it; the event itself is read again when it is written."""

    time: datetime
    event_id: str
    """As it is built."""
    file: int
    row: int
    offset: int
    kind: str
    """Of a Code event its github_type, else empty."""


@dataclass(frozen=True)
class OwnData:
    """Own files that were read once to the end: every line is a valid event of the scope, none twice in a stream."""

    files: tuple[Path, ...]
    scope: Scope
    streams: dict[str, list[_Place]]
    """Places of each stream's events in the order of the lines, by stream in order of first appearance."""
    told_apart: int = 0
    """Code events built under another id, since theirs was taken by an event of another type or time."""


def event_files(raw: Path) -> tuple[Path, ...]:
    """The event files of a folder in order of name; or the one file given.

    Raises:
        InputError: There is none.
    """
    if raw.is_file():
        return (raw,)
    files = (path for path in raw.glob("*.jsonl") if path.is_file() and not path.name.startswith((".", *_LABEL_FILES)))
    if found := tuple(sorted(files)):
        return found
    raise InputError(
        "no event file in the folder" if raw.is_dir() else "no such file or folder",
        file=raw,
        expected="*.jsonl with one public event a line",
        remedy="Name the file or folder of your events.",
    )


def scan_own(files: Sequence[Path], scope: Scope | None = None) -> OwnData:
    """Read own files once to their end and check every event.

    Args:
        files: JSON Lines files, read in this order.
        scope: The scope of all events; None takes it from the first line's `scope`.

    Raises:
        LabelLeakError: A line carries a label-like field.
        InputError: A line is no valid event (file, row and field named), or an event id occurs twice in its stream.
    """
    streams: dict[str, list[_Place]] = {}
    rows: dict[tuple[str, ...], tuple[Path, int]] = {}
    for number, file in enumerate(files):
        for row, offset, data in json_lines(file):
            scope = scope or _scope(data.get("scope"), file, row)
            event = parse_event(data, scope=scope, file=file, row=row)
            kind = event.event.github_type if isinstance(event, CodeEvent) else ""
            place = _Place(stated_time(event), event.event_id, number, row, offset, kind)
            identity = (event.stream_id, event.event_id, *((kind, place.time.isoformat()) if kind else ()))
            if identity in rows:
                where, first = rows[identity]
                raise InputError(
                    f"event id occurs twice in stream {event.stream_id!r}, first in row {first} of {where.name}",
                    file=file,
                    row=row,
                    field="event_id",
                    found=event.event_id,
                    expected="one event an id",
                    remedy="Remove the repeated line or give the event its own id.",
                )
            rows[identity] = (file, row)
            streams.setdefault(event.stream_id, []).append(place)
    if scope is None or not streams:
        raise InputError("no event in the file", file=files[0], remedy="Write one public event a line.")
    found = OwnData(tuple(files), scope, streams)
    return _told_apart(found) if scope == "code" else found


def _told_apart(data: OwnData) -> OwnData:
    """Every id once a stream: identity is id, type and time, and the earliest of one id keeps it (SPEC 1)."""
    streams: dict[str, list[_Place]] = {}
    count = 0
    for stream_id, places in data.streams.items():
        earliest: dict[str, tuple[datetime, str]] = {}
        for place in places:
            earliest[place.event_id] = min(earliest.get(place.event_id, (place.time, place.kind)), (place.time, place.kind))
        streams[stream_id] = []
        for place in places:
            if (place.time, place.kind) != earliest[place.event_id]:
                time = place.time.isoformat().replace("+00:00", "Z")
                place = place._replace(event_id=f"{place.event_id}@{place.kind}@{time}")
                if place.event_id in earliest:
                    raise InputError(
                        "event id is the one another event is built under", file=data.files[place.file], row=place.row,
                        field="event_id", found=place.event_id, remedy="Give one of the two its own id.",
                    )  # fmt: skip
                count += 1
            streams[stream_id].append(place)
    return replace(data, streams=streams, told_apart=count)


def _scope(stated: object, file: Path, row: int) -> Scope:
    known: tuple[Scope, ...] = get_args(Scope)
    for scope in known:
        if scope == stated:
            return scope
    raise InputError(
        "no scope is given" if stated is None else "unknown scope",
        file=file,
        row=row,
        field="scope",
        found=stated,
        expected=f"one of {', '.join(known)}",
        remedy="Give the scope in every line or once for the whole build.",
    )


def own_streams(data: OwnData, *, order: Order = "time", zone: str | None = None) -> Iterator[SourceStream]:
    """The streams in order of first appearance, each made while it is read.

    Raises:
        ConfigError: Unknown order or zone, or a zone for a scope whose events state their own local time.
    """
    if order not in get_args(Order):
        raise ConfigError(f"unknown order {order!r}; expected 'time' or 'source'.", remedy="Use one of the two.")
    known_zone(zone)
    if zone is not None and data.scope in ("sports", "home"):
        raise ConfigError(
            f"a zone ({zone!r}) changes nothing for scope {data.scope!r}: its events state their own local time.",
            remedy="Leave the zone out.",
        )
    return (
        SourceStream(stream_id, order, _sourced(data, sorted(places) if order == "time" else places), zone)
        for stream_id, places in data.streams.items()
    )


def _sourced(data: OwnData, places: Sequence[_Place]) -> Iterator[Sourced]:
    with ExitStack() as stack:
        try:
            opened = [stack.enter_context(file.open("rb")) for file in data.files]
        except OSError as error:
            raise InputError(f"cannot be read ({error.strerror or error})", remedy="Check the file.") from error
        for place in places:
            opened[place.file].seek(place.offset)
            file = data.files[place.file]
            line = opened[place.file].readline()
            event = parse_event(line, scope=data.scope, file=file, row=place.row)
            key = (file.name, place.row, event.event_id)
            if event.event_id != place.event_id:
                renamed = {**json.loads(line), "event_id": place.event_id}
                event = parse_event(renamed, scope=data.scope, file=file, row=place.row)
            yield Sourced(event, key)
