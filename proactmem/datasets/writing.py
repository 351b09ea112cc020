"""Streams of any source into a built folder: checked, in causal order, in constant memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import BinaryIO, Literal, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from proactmem.core.events import CodeEvent, DesktopEvent, HomeEvent, Scope, SportsEvent, public_json
from proactmem.core.records import SOURCES
from proactmem.core.streams import Event, arrive, stated_time
from proactmem.datasets.built import EVENTS, REPEATED, SCHEMA, Order, known_zone, not_causal
from proactmem.datasets.card import Span
from proactmem.errors import InputError
from proactmem.paths import atomic_write

__all__ = ["KeyColumns", "SourceStream", "Sourced", "write_built"]

ROW_GROUP = 1024
"""Rows a row group: small, so that one short stream among ten thousand costs little to read."""

Public = SportsEvent | HomeEvent | CodeEvent | DesktopEvent
KeyColumns = Mapping[str, Literal["int", "text"]]
"""Names and kinds of the source key's columns in sources.parquet."""


class Sourced(NamedTuple):
    """A public event and the key of the source record it came from."""

    public: Public
    key: tuple[str | int, ...]


@dataclass(frozen=True)
class SourceStream:
    """One stream as a source gives it: events in causal order, made when they are asked for."""

    stream_id: str
    order: Order
    events: Iterable[Sourced]
    zone: str | None = None
    """The zone the stream states (Code, Desktop, own data); None is UTC."""


def write_built(folder: Path, scope: Scope, streams: Iterable[SourceStream], key_columns: KeyColumns) -> tuple[Span, ...]:
    """Write events.parquet and sources.parquet, streamed in constant memory, each whole or not at all.

    Returns:
        One span a stream, in file order; streams without events are left out.

    Raises:
        InputError: A stream or an event id occurs twice, an event belongs elsewhere, or its order is not causal.
        StoreError: The files cannot be written.
    """
    kinds = {"int": pa.int64(), "text": pa.string()}
    keys = [(name, kinds[kind]) for name, kind in key_columns.items()]
    schema = pa.schema([("event_id", pa.string()), ("stream_id", pa.string()), *keys])
    spans: dict[str, Span] = {}
    with (
        atomic_write(folder / SOURCES) as sources_file,
        atomic_write(folder / EVENTS) as events_file,
        _Rows(sources_file, schema, ["stream_id"]) as sources,
        _Rows(events_file, SCHEMA, REPEATED) as events,
    ):
        for stream in streams:
            if stream.stream_id in spans:
                raise InputError(
                    "a stream is given twice",
                    field="stream_id",
                    found=stream.stream_id,
                    expected="all events of a stream together",
                    remedy="Give each stream once.",
                )
            span = _write_stream(stream, scope, events, sources)
            if span is not None:
                spans[stream.stream_id] = span
        if not spans:
            raise InputError("no event is left to build", remedy="Check the raw file and the options of the build.")
    return tuple(spans.values())


def _write_stream(stream: SourceStream, scope: Scope, events: _Rows, sources: _Rows) -> Span | None:
    zone = known_zone(stream.zone)
    keys: list[tuple[str | int, ...]] = []

    def public() -> Iterator[Public]:
        for item in stream.events:
            keys.append(item.key)
            yield item.public

    first = last = None
    for event in _checked(arrive(public(), zone=zone), stream.stream_id, scope, stream.order):
        head = (stream.stream_id, scope, event.index, event.event_id, event.tau, event.day, stream.order, stream.zone)
        events.add((*head, public_json(event.public)))
        sources.add((event.event_id, stream.stream_id, *keys.pop()))
        first, last = first or event, event
    if first is None or last is None:
        return None
    return Span(stream_id=stream.stream_id, events=last.index + 1, first=first.tau.isoformat(), last=last.tau.isoformat())


def _checked(events: Iterator[Event], stream_id: str, scope: Scope, order: Order) -> Iterator[Event]:
    """The events, each of this stream and scope, no id twice, and in the order of time where that is the order."""
    seen: set[str] = set()
    before: tuple[datetime, str] | None = None
    for event in events:
        if (event.stream_id, event.scope) != (stream_id, scope):
            raise InputError(
                f"an event of another stream or scope in stream {stream_id!r}",
                field="stream_id",
                found=event.stream_id,
                expected=f"{stream_id!r} of scope {scope!r}",
                remedy="Give the events of one stream together.",
            )
        if event.event_id in seen:
            raise InputError(
                f"event id occurs twice in stream {stream_id!r}",
                field="event_id",
                found=event.event_id,
                expected="one event an id",
                remedy="Remove the repeated event.",
            )
        seen.add(event.event_id)
        now = (stated_time(event.public), event.event_id)
        if order == "time" and before is not None and now < before:
            raise not_causal(stream_id, event.event_id)
        before = now
        yield event


class _Rows:
    """Rows into a Parquet file, one row group at a time; the same rows give the same bytes."""

    def __init__(self, file: BinaryIO, schema: pa.Schema, repeated: Sequence[str]) -> None:
        self._schema = schema
        self._rows: list[tuple[object, ...]] = []
        self._writer = pq.ParquetWriter(
            file,
            schema,
            compression="zstd",
            use_dictionary=list(repeated),
            write_page_checksum=True,
            write_statistics=False,
        )

    def add(self, row: tuple[object, ...]) -> None:
        self._rows.append(row)
        if len(self._rows) == ROW_GROUP:
            self._flush()

    def _flush(self) -> None:
        if self._rows:
            columns = zip(zip(*self._rows, strict=True), self._schema, strict=True)
            arrays = [pa.array(column, column_field.type) for column, column_field in columns]
            self._writer.write_table(pa.Table.from_arrays(arrays, schema=self._schema))
            self._rows.clear()

    def __enter__(self) -> _Rows:
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        if error is None:
            self._flush()
        self._writer.close()
