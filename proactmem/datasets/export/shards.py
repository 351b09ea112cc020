"""Events of a built folder into Parquet files of a bounded size, in constant memory; the same events give the same bytes."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from proactmem.core.events import public_json
from proactmem.core.records import SOURCES
from proactmem.core.streams import arrive
from proactmem.datasets.built import REPEATED, BuiltStreams, known_zone
from proactmem.datasets.export.columns import Key, Placed, event_row, event_schema
from proactmem.datasets.export.layout import shard_names
from proactmem.datasets.export.texts import without_texts
from proactmem.errors import StoreError
from proactmem.paths import atomic_write

__all__ = ["ROW_GROUP", "SHARD_EVENTS", "Written", "content_line", "plan_shards", "write_shards"]

SHARD_EVENTS = 250_000
"""Events after which a file is closed, at the end of the stream."""
ROW_GROUP = 4_096
"""Rows a row group: the same everywhere, so that where one ends tells nothing."""


class Written(NamedTuple):
    """What was written of one part."""

    shards: tuple[str, ...]
    content_sha256: str


def plan_shards(counts: Mapping[str, int], shard_events: int) -> tuple[tuple[str, ...], ...]:
    """Streams by file, in order; a file is closed at the end of the stream that fills it.

    >>> plan_shards({"a": 2, "b": 2, "c": 1}, 3)
    (('a', 'b'), ('c',))
    """
    planned: list[list[str]] = [[]]
    filled = 0
    for stream_id, count in counts.items():
        if filled >= shard_events:
            planned.append([])
            filled = 0
        planned[-1].append(stream_id)
        filled += count
    return tuple(map(tuple, planned))


def content_line(stream_id: str, public: str) -> bytes:
    """One event's line of the content hash."""
    return f"{stream_id}\t{public}\n".encode()


def write_shards(
    folder: Path,
    config: str,
    built: BuiltStreams,
    *,
    texts_dropped: bool = False,
    shard_events: int = SHARD_EVENTS,
    written: Callable[[], None] | None = None,
) -> Written:
    """Write the events of a built folder as the shards of a config, every event read through the public schema again.

    Args:
        folder: Where the dataset is made.
        config: Names the part.
        built: Its events.
        texts_dropped: Whether what users wrote is left out.
        shard_events: Events after which a file is closed.
        written: Called after each stream.

    Raises:
        LabelLeakError: An event carries a label-like field.
        InputError: An event is not valid, or its order is not causal.
        StoreError: The built folder is damaged, its sources are not those of its events, or the files cannot be written.
    """
    planned = plan_shards(built.counts, shard_events)
    names = shard_names(config, len(planned))
    digest = hashlib.sha256()
    sources, stated = _source_keys(built.path), _stated(built.path)
    for name, stream_ids in zip(names, planned, strict=True):
        placed = _all_placed(built, stream_ids, stated, sources, written, drop=texts_dropped)
        _write(folder / name, event_schema(built.scope), placed, digest)
    if (left := next(sources, None)) is not None:
        raise _other_sources(built.path, left[1], "no further event")
    return Written(names, digest.hexdigest())


def _write(path: Path, schema: pa.Schema, placed: Iterable[Placed], digest: hashlib._Hash) -> None:
    rows = iter(placed)
    with (
        atomic_write(path) as file,
        pq.ParquetWriter(
            file, schema, compression="zstd", use_dictionary=REPEATED, write_page_checksum=True, write_statistics=False
        ) as writer,
    ):
        while chunk := list(islice(rows, ROW_GROUP)):
            for one in chunk:
                digest.update(content_line(one.event.stream_id, public_json(one.event.public)))
            columns = zip(zip(*map(event_row, chunk), strict=True), schema, strict=True)
            arrays = [pa.array(column, field.type) for column, field in columns]
            writer.write_table(pa.Table.from_arrays(arrays, schema=schema))


def _all_placed(
    built: BuiltStreams,
    stream_ids: Sequence[str],
    stated: Mapping[str, tuple[str, str | None]],
    sources: Iterator[tuple[str, str, Key]],
    written: Callable[[], None] | None,
    *,
    drop: bool,
) -> Iterator[Placed]:
    for stream_id in stream_ids:
        yield from _placed(built, stream_id, stated[stream_id], sources, drop=drop)
        if written is not None:
            written()


def _placed(
    built: BuiltStreams, stream_id: str, stated: tuple[str, str | None], sources: Iterator[tuple[str, str, Key]], *, drop: bool
) -> Iterator[Placed]:
    order, zone = stated
    events = built.events(stream_id)
    if drop:
        events = arrive((without_texts(event.public) for event in events), zone=known_zone(zone))
    for event in events:
        owner, event_id, key = next(sources, ("", "", {}))
        if (owner, event_id) != (stream_id, event.event_id):
            raise _other_sources(built.path, event_id, event.event_id)
        yield Placed(event, order, zone, key)


def _stated(folder: Path) -> dict[str, tuple[str, str | None]]:
    """Order and zone of every stream, from the repeated columns alone."""
    found: dict[str, tuple[str, str | None]] = {}
    for path in sorted(folder.glob("events*.parquet")):
        try:
            with pq.ParquetFile(path) as file:
                for group in range(file.num_row_groups):
                    table = file.read_row_group(group, columns=["stream_id", "order", "zone"])
                    firsts = table.group_by("stream_id", use_threads=False).aggregate([("order", "first"), ("zone", "first")])
                    for row in firsts.to_pylist():
                        found.setdefault(row["stream_id"], (row["order_first"], row["zone_first"]))
        except (pa.ArrowException, OSError) as error:
            raise StoreError(f"{path}: cannot be read ({error}).", remedy="Build the streams again.") from error
    return found


def _source_keys(folder: Path) -> Iterator[tuple[str, str, Key]]:
    """Stream, event and source key of every event, in the order of the events."""
    path = folder / SOURCES
    try:
        with pq.ParquetFile(path, page_checksum_verification=True) as file:
            names: Sequence[str] = [name for name in file.schema_arrow.names if name not in ("event_id", "stream_id")]
            for batch in file.iter_batches(batch_size=4_096):
                for row in batch.to_pylist():
                    yield row["stream_id"], row["event_id"], {name: row[name] for name in names}
    except (pa.ArrowException, OSError, UnicodeDecodeError, KeyError) as error:
        raise StoreError(f"{path}: cannot be read ({error}).", remedy="Build the streams again.") from error


def _other_sources(folder: Path, found: str, expected: str) -> StoreError:
    return StoreError(
        f"{folder / SOURCES}: is not of the events beside it (found event {found!r}, expected {expected!r}).",
        remedy="Build the streams again.",
    )
