"""Built streams: every source in one form, contiguous by stream and in causal order, read lazily.

A built folder holds `events.parquet` (what a method may see), `sources.parquet` (which record of the source an event
came from), `card.json` and, for the scorer alone, `labels.parquet`. This module knows nothing of labels.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta, tzinfo
from difflib import get_close_matches
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from proactmem.core.events import CodeEvent, DesktopEvent, HomeEvent, Scope, SportsEvent, parse_event
from proactmem.core.streams import Event, arrive, stated_time
from proactmem.datasets.card import CARD, read_card, sha256_file
from proactmem.errors import ConfigError, InputError, StoreError

__all__ = ["EVENTS", "REPEATED", "SCHEMA", "BuiltStreams", "Order", "known_zone", "not_causal"]

EVENTS = "events.parquet"
"""File name of the built events; `events*.parquet` are read together."""

Order = Literal["time", "source"]
"""By time then event id, or the source's own order (SPEC 1)."""
Public = SportsEvent | HomeEvent | CodeEvent | DesktopEvent

SCHEMA = pa.schema(
    [
        ("stream_id", pa.string()),
        ("scope", pa.string()),
        ("index", pa.int64()),
        ("event_id", pa.string()),
        ("tau", pa.timestamp("us", tz="UTC")),
        ("local_day", pa.date32()),
        ("order", pa.string()),
        ("zone", pa.string()),
        ("public", pa.string()),
    ]
)
"""Columns of events.parquet; `public` is the event's original public JSON, what a method is shown."""
REPEATED = ["stream_id", "scope", "order", "zone"]
"""Columns with one value a stream."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_REBUILD = "Build the streams again from their raw files."


def known_zone(name: str | None) -> tzinfo:
    """The zone of a name in the tz database; None is UTC.

    Raises:
        ConfigError: There is no such zone.

    >>> str(known_zone("Europe/Berlin"))
    'Europe/Berlin'
    """
    if name is None:
        return UTC
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise ConfigError(
            f"unknown time zone {name!r}; expected a name of the tz database.",
            remedy="For example Europe/Berlin or UTC.",
        ) from error


def not_causal(stream_id: str, event_id: str, file: Path | None = None) -> InputError:
    """The error for an event that comes after a later one though its stream is ordered by time."""
    return InputError(
        f"events of stream {stream_id!r} are not in causal order",
        file=file,
        field="event_id",
        found=event_id,
        expected="order by time, then event id",
        remedy="Sort the stream, or state that the source has its own order (order 'source').",
    )


@dataclass(frozen=True)
class _Place:
    """Where a stream lies: rows [first, first + count) of one file."""

    file: int
    first: int
    count: int
    scope: str
    order: str
    zone: str | None


@dataclass(frozen=True)
class _File:
    """One opened events file, its footer read once."""

    path: Path
    metadata: pq.FileMetaData
    starts: tuple[int, ...]
    """Row numbers at which its row groups start, the end included."""


@dataclass(frozen=True)
class BuiltStreams:
    """The streams of a built folder; opening reads no event, and reading one stream reads only its rows."""

    path: Path
    """The folder as the user named it."""
    scope: Scope
    """The one scope of the folder."""
    _files: tuple[_File, ...] = field(repr=False)
    _places: Mapping[str, _Place] = field(repr=False)

    @classmethod
    def open(cls, path: Path | str) -> BuiltStreams:
        """The streams of a folder.

        Raises:
            StoreError: No such folder, no events file in it, not Parquet, other columns, several scopes, or a stream
                whose events are not contiguous.
        """
        folder = Path(path)
        if not folder.is_dir():
            raise StoreError(f"{folder}: is no folder of built streams.", remedy="Build them first: proactmem build.")
        paths = sorted(folder.glob("events*.parquet"))
        if not paths:
            raise StoreError(f"{folder}: holds no {EVENTS}.", remedy="Build the streams first: proactmem build.")
        places: dict[str, _Place] = {}
        files = tuple(_scan(file, number, places) for number, file in enumerate(paths))
        scopes = sorted({place.scope for place in places.values()})
        if len(scopes) != 1:
            raise StoreError(f"{folder}: expected events of one scope, found {scopes or 'no events'}.", remedy=_REBUILD)
        return cls(folder, _scope(scopes[0], folder), files, places)

    @property
    def stream_ids(self) -> tuple[str, ...]:
        """The streams in file order."""
        return tuple(self._places)

    @property
    def counts(self) -> dict[str, int]:
        """Events of each stream."""
        return {stream_id: place.count for stream_id, place in self._places.items()}

    @cached_property
    def sha256(self) -> str:
        """Hash of events.parquet; of several events files, the hash of their hashes in order of name.

        Raises:
            StoreError: The folder's card, where there is one, was written for other events.
        """
        digests = [sha256_file(file.path) for file in self._files]
        stated = read_card(self.path).outputs if (self.path / CARD).is_file() else {}
        for file, digest in zip(self._files, digests, strict=True):
            if stated.get(file.path.name, digest) != digest:
                raise StoreError(
                    f"{file.path}: is not the file that {CARD} beside it was written for (SHA-256 {digest}, expected "
                    f"{stated[file.path.name]}).",
                    remedy=_REBUILD,
                )
        return digests[0] if len(digests) == 1 else sha256("".join(digests).encode()).hexdigest()

    def events(self, stream_id: str) -> Iterator[Event]:
        """One stream's events in causal order, lazily, in memory that does not grow with the stream.

        Raises:
            ConfigError: There is no such stream.
            InputError: An event is not a valid public event, an id occurs twice, or the order is not causal.
            StoreError: The file is damaged or its rows disagree with their events.
        """
        place = self._places.get(stream_id)
        if place is None:
            close = get_close_matches(stream_id, self.stream_ids, n=3) or list(self.stream_ids[:3])
            raise ConfigError(
                f"{self.path}: no stream {stream_id!r} among {len(self._places)}; expected for example {close}.",
                remedy="Name a stream of the built folder.",
            )
        return self._read(stream_id, place)

    def _read(self, stream_id: str, place: _Place) -> Iterator[Event]:
        file = self._files[place.file]
        _unique(file, place, stream_id)
        try:
            zone = known_zone(place.zone)
        except ConfigError as error:
            raise StoreError(f"{file.path}: {error.message}", remedy=_REBUILD) from error
        stored: list[tuple[int, date]] = []

        def public() -> Iterator[Public]:
            for row, values in enumerate(_rows(file, place, SCHEMA.names), start=place.first + 1):
                event = parse_event(values["public"], scope=self.scope, file=file.path, row=row)
                head = (event.stream_id, event.event_id, place.scope, place.order, place.zone, row - place.first - 1)
                if head != tuple(values[name] for name in ("stream_id", "event_id", "scope", "order", "zone", "index")):
                    raise StoreError(
                        f"{file.path}, row {row}: the columns disagree with the event {event.event_id!r}.",
                        remedy=_REBUILD,
                    )
                stored.append((values["tau"], values["local_day"]))
                yield event

        before: tuple[datetime, str] | None = None
        for event in arrive(public(), zone=zone):
            now = (stated_time(event.public), event.event_id)
            if place.order == "time" and before is not None and now < before:
                raise not_causal(stream_id, event.event_id, file.path)
            before = now
            if stored.pop() != ((event.tau - _EPOCH) // _MICROSECOND, event.day):
                raise StoreError(
                    f"{file.path}, row {place.first + event.index + 1}: arrival time or local day of event "
                    f"{event.event_id!r} is not the one its fields give ({event.tau.isoformat()}, {event.day}).",
                    remedy=_REBUILD,
                )
            yield event


def _scope(name: str, folder: Path) -> Scope:
    known: tuple[Scope, ...] = ("sports", "home", "code", "desktop")
    for scope in known:
        if scope == name:
            return scope
    raise StoreError(f"{folder}: unknown scope {name!r}; expected one of {', '.join(known)}.", remedy=_REBUILD)


def _parquet(path: Path, metadata: pq.FileMetaData | None = None) -> pq.ParquetFile:
    try:
        return pq.ParquetFile(path, metadata=metadata, page_checksum_verification=True)
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise StoreError(f"{path}: is not a readable Parquet file ({error}).", remedy=_REBUILD) from error


def _scan(path: Path, number: int, places: dict[str, _Place]) -> _File:
    """Note where each stream of a file lies, from the repeated columns alone."""
    starts = [0]
    with _parquet(path) as file:
        metadata = file.metadata
        found = file.schema_arrow.names
        if sorted(found) != sorted(SCHEMA.names):
            raise StoreError(f"{path}: expected the columns {SCHEMA.names}, found {found}.", remedy=_REBUILD)
        current: str | None = None
        for group in range(file.num_row_groups):
            table = _group(file, path, group, REPEATED)
            runs = pc.run_end_encode(table["stream_id"].combine_chunks())
            low = 0
            for stream_id, high in zip(runs.values.to_pylist(), runs.run_ends.to_pylist(), strict=True):
                scope, order, zone = (table[name][low].as_py() for name in ("scope", "order", "zone"))
                if stream_id == current and stream_id in places:
                    was = places[stream_id]
                    places[stream_id] = replace(was, count=was.count + high - low)
                elif stream_id is None or stream_id in places or order not in ("time", "source"):
                    raise StoreError(
                        f"{path}, row {starts[-1] + low + 1}: stream {stream_id!r} is not contiguous, or its order "
                        f"{order!r} is unknown.",
                        remedy=_REBUILD,
                    )
                else:
                    places[stream_id] = _Place(number, starts[-1] + low, high - low, scope, order, zone)
                current, low = stream_id, high
            starts.append(starts[-1] + table.num_rows)
    return _File(path, metadata, tuple(starts))


def _group(file: pq.ParquetFile, path: Path, group: int, columns: Sequence[str]) -> pa.Table:
    schema = pa.schema([SCHEMA.field(name) for name in columns])
    try:
        return file.read_row_group(group, columns=list(columns)).select(list(columns)).cast(schema)
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise StoreError(f"{path}: row group {group} cannot be read ({error}).", remedy=_REBUILD) from error


def _slices(file: _File, place: _Place, columns: Sequence[str]) -> Iterator[pa.Table]:
    end = place.first + place.count
    with _parquet(file.path, file.metadata) as parquet:
        for group in range(bisect_right(file.starts, place.first) - 1, len(file.starts) - 1):
            start = file.starts[group]
            if start >= end:
                break
            low = max(place.first, start)
            yield _group(parquet, file.path, group, columns).slice(low - start, min(end, file.starts[group + 1]) - low)


def _rows(file: _File, place: _Place, columns: Sequence[str]) -> Iterator[dict[str, Any]]:
    for table in _slices(file, place, columns):
        tau = table.schema.get_field_index("tau")
        yield from table.set_column(tau, "tau", table["tau"].cast(pa.int64())).to_pylist()


def _unique(file: _File, place: _Place, stream_id: str) -> None:
    tables = _slices(file, place, ["event_id"])
    ids = pa.chunked_array([chunk for table in tables for chunk in table["event_id"].chunks], pa.string())
    if pc.count_distinct(ids).as_py() != len(ids):
        counts = pc.value_counts(ids).to_pylist()
        repeated = next((item["values"] for item in counts if item["counts"] > 1), None)
        raise InputError(
            f"event id occurs twice in stream {stream_id!r}", file=file.path, field="event_id", found=repeated,
            expected="one event an id", remedy="Remove the repeated event and build again.",
        )  # fmt: skip
