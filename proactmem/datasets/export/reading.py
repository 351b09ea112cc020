"""Exported events read back and checked row by row: the public schema, every column against its event, causal order."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from itertools import chain, groupby
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import ValidationError

from proactmem.core.events import CodeEvent, DesktopEvent, HomeEvent, SportsEvent, parse_event
from proactmem.core.labels import Label
from proactmem.core.streams import arrive, stated_time
from proactmem.datasets.built import Order, known_zone, not_causal
from proactmem.datasets.export.columns import Key, Placed, event_columns, event_row, event_schema, label_schema
from proactmem.datasets.export.layout import Part
from proactmem.datasets.export.shards import ROW_GROUP
from proactmem.errors import ConfigError, InputError, LabelLeakError, StoreError

__all__ = ["PlacedStream", "read_part", "read_part_labels"]

Public = SportsEvent | HomeEvent | CodeEvent | DesktopEvent
_AGAIN = "Fetch the dataset again, or export it again."


class PlacedStream(NamedTuple):
    """One exported stream; its events are read once, before the next stream is asked for."""

    stream_id: str
    order: Order
    zone: str | None
    events: Iterator[Placed]


class _Row(NamedTuple):
    file: Path
    row: int
    cells: Mapping[str, object]


def read_part(folder: Path, part: Part) -> Iterator[PlacedStream]:
    """The streams of a part in file order, every event parsed and every column compared with it.

    Raises:
        LabelLeakError: A file has a column or an event a field that names a label, or metadata beside its columns.
        InputError: An event is not valid, occurs twice, or comes after a later one.
        StoreError: A file is damaged, of other columns, or its rows disagree with their events.
    """
    seen: set[str] = set()
    for _, rows in groupby(_rows(folder, part), key=lambda row: row.cells["stream_id"]):
        yield _stream(rows, part, seen)


def _stream(rows: Iterator[_Row], part: Part, seen: set[str]) -> PlacedStream:
    first = next(rows)
    stream_id = str(first.cells["stream_id"])
    if stream_id in seen:
        raise _wrong(first, f"stream {stream_id!r} is not contiguous")
    seen.add(stream_id)
    order = _order(first)
    zone = None if first.cells["zone"] is None else str(first.cells["zone"])
    return PlacedStream(stream_id, order, zone, _events(first, rows, part, order, zone))


def _events(first: _Row, rest: Iterator[_Row], part: Part, order: Order, zone: str | None) -> Iterator[Placed]:
    names = [column.name for column in event_columns(part.scope)]
    current: list[_Row] = []
    seen: set[str] = set()
    before: tuple[datetime, str] | None = None

    def public() -> Iterator[Public]:
        for row in chain([first], rest):
            current[:] = [row]
            yield parse_event(str(row.cells["public"]), scope=part.scope, file=row.file, row=row.row)

    try:
        known = known_zone(zone)
    except ConfigError as error:
        raise _wrong(first, error.message) from error
    for event in arrive(public(), zone=known):
        row = current.pop()
        placed = Placed(event, order, zone, _key(row))
        for name, expected in zip(names, event_row(placed), strict=True):
            if row.cells[name] != expected:
                raise _wrong(row, f"column {name!r} is {row.cells[name]!r}, the event {event.event_id!r} says {expected!r}")
        if event.event_id in seen:
            raise InputError(
                f"event id occurs twice in stream {event.stream_id!r}", file=row.file, row=row.row, field="event_id",
                found=event.event_id, expected="one event an id", remedy=_AGAIN,
            )  # fmt: skip
        seen.add(event.event_id)
        now = (stated_time(event.public), event.event_id)
        if order == "time" and before is not None and now < before:
            raise not_causal(event.stream_id, event.event_id, row.file)
        before = now
        yield placed


def _rows(folder: Path, part: Part) -> Iterator[_Row]:
    schema = event_schema(part.scope)
    for name in part.shards:
        path, row = folder / name, 0
        try:
            with pq.ParquetFile(path, page_checksum_verification=True) as file:
                _only(path, file, schema)
                for group in range(file.num_row_groups):
                    for cells in file.read_row_group(group).to_pylist():
                        row += 1
                        yield _Row(path, row, cells)
        except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
            raise StoreError(f"{path}: cannot be read ({error}).", remedy=_AGAIN) from error


def _only(path: Path, file: pq.ParquetFile, schema: pa.Schema) -> None:
    """The file has exactly these columns with their descriptions, no further metadata, and row groups of one size."""
    found = file.schema_arrow
    if strangers := sorted(set(found.names) - set(schema.names)):
        raise LabelLeakError(
            "a column that is none of an event's",
            file=path,
            field=strangers[0],
            expected=", ".join(schema.names),
            remedy=_AGAIN,
        )
    if not found.equals(schema, check_metadata=False):
        raise StoreError(f"{path}: expected the columns {schema.names} in their types, found {found.names}.", remedy=_AGAIN)
    beside = sorted(key.decode(errors="replace") for key in file.metadata.metadata or {} if key != b"ARROW:schema")
    if beside or not found.equals(schema, check_metadata=True):
        raise LabelLeakError(
            "metadata beside the columns and their descriptions", file=path, found=beside or "in a column", remedy=_AGAIN
        )
    metadata = file.metadata
    sizes = [metadata.row_group(group).num_rows for group in range(metadata.num_row_groups)]
    if any(size != ROW_GROUP for size in sizes[:-1]):
        raise LabelLeakError(
            "row groups of several sizes, which could mark rows", file=path, found=sizes[:8],
            expected=f"{ROW_GROUP} rows each but the last", remedy=_AGAIN,
        )  # fmt: skip


def _order(row: _Row) -> Order:
    order = row.cells["order"]
    if order == "time":
        return "time"
    if order == "source":
        return "source"
    raise _wrong(row, f"unknown order {order!r}")


def _key(row: _Row) -> Key:
    try:
        key = json.loads(str(row.cells["source_key"]))
    except json.JSONDecodeError as error:
        raise _wrong(row, f"source_key is not JSON ({error.msg})") from error
    if not isinstance(key, dict) or not all(
        isinstance(value, str | int) and not isinstance(value, bool) for value in key.values()
    ):
        raise _wrong(row, f"source_key is {key!r}, not names with a text or a whole number each")
    return key


def _wrong(row: _Row, problem: str) -> StoreError:
    return StoreError(f"{row.file}, row {row.row}: {problem}.", remedy=_AGAIN)


def read_part_labels(folder: Path, part: Part) -> Iterator[tuple[str, Label]]:
    """Stream id and label of every labelled event of a part, in the order of the events.

    Raises:
        StoreError: The label file is damaged, has other columns or metadata, or a label breaks Equation 9.
    """
    if part.labels is None:
        return
    path, schema = folder / part.labels, label_schema()
    try:
        with pq.ParquetFile(path, page_checksum_verification=True) as file:
            beside = sorted(key.decode(errors="replace") for key in file.metadata.metadata or {} if key != b"ARROW:schema")
            if beside or not file.schema_arrow.equals(schema, check_metadata=True):
                raise StoreError(
                    f"{path}: expected the columns {schema.names} and no metadata, found {file.schema_arrow.names} {beside}.",
                    remedy=_AGAIN,
                )
            row = 0
            for batch in file.iter_batches(batch_size=ROW_GROUP):
                for cells in batch.to_pylist():
                    row += 1
                    stream_id = str(cells.pop("stream_id"))
                    try:
                        yield stream_id, Label.model_validate(cells)
                    except ValidationError as error:
                        problem = error.errors(include_url=False)[0]["msg"]
                        raise StoreError(f"{path}, row {row}: is no label ({problem}).", remedy=_AGAIN) from error
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise StoreError(f"{path}: cannot be read ({error}).", remedy=_AGAIN) from error
