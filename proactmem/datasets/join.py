"""Reference labels joined to built events through their keys; only the scorer and the builders import this (SPEC 9).

A label file is recognised by its columns, whatever its name:

- built `labels.parquet`, and own labels (JSON Lines or CSV): event_id, y, and where known stream_id, a, b, n, service;
- HeartSteps reference labels: participant, decision_index, y, ...; smart homes: home, window_start, y, ...;
- ProactiveBench: stream_id (the trace), index, help_needed.

A row keyed by event_id may name its stream or not; texts of keys are compared without the blanks around them. Where such
a file states y and of A, B and N what breaks Equation 9, whatever the unknown ones may be, it is refused. A foreign file
may hold y and A, B, N by separate majority votes, which need not agree: y is kept as stated, A, B and N become unknown,
and the row is counted (ours; in the two files that come with the benchmark every row agrees).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from proactmem.core.labels import Label
from proactmem.core.records import SOURCES
from proactmem.datasets.labelfile import Form, read_rows
from proactmem.datasets.stated import Key, Scalar, StatedRows
from proactmem.errors import InputError, StoreError
from proactmem.paths import atomic_write

__all__ = ["LABELS", "LABEL_FILES", "Joined", "LabelSet", "join_labels", "label_file_in", "read_labels"]

LABELS = "labels.parquet"
"""File name of the joined labels in a built folder."""
LABEL_FILES = ("reference_labels.csv", "help_needed.jsonl", "labels.jsonl", "labels.csv")
"""Names under which label files lie beside raw files."""
_BATCH = 8_192
"""Labels held at once while a built folder's are written."""
_SCHEMA = pa.schema(
    [("event_id", pa.string()), ("stream_id", pa.string()), *((name, pa.bool_()) for name in "yabn"), ("service", pa.string())]
)


@dataclass(frozen=True)
class LabelSet:
    """Reference labels by stream and event, and what of the label file met no event."""

    file: str
    """Name of the label file."""
    labels: Mapping[tuple[str, str], Label]
    """By (stream_id, event_id), in the order of the events."""
    rows: int
    """Label rows in the file, repeated ones included."""
    unmatched: int
    """Labels whose event is not among the streams."""
    repeated: int = 0
    """Rows that say again what an earlier row said."""
    disagreeing: int = 0
    """Foreign rows whose y is not (A or B) and N; their A, B and N are unknown here."""


class Joined(NamedTuple):
    """What became of a label file's rows at a build."""

    file: str
    rows: int
    joined: int
    """Events that have a label."""
    unmatched: int
    """Labels whose event is not among the streams."""


def label_file_in(folder: Path) -> Path | None:
    """The one label file that lies in a folder of raw files, None without one.

    Raises:
        InputError: There are several.
    """
    found = [folder / name for name in LABEL_FILES if (folder / name).is_file()]
    if len(found) > 1:
        raise InputError(
            "several label files in one folder",
            file=folder,
            found=[path.name for path in found],
            expected="one",
            remedy="Move the others away, or score with the one you mean by name.",
        )
    return found[0] if found else None


def read_labels(path: Path, sources: Path, *, allow_none: bool = False) -> LabelSet:
    """The labels of a file, each joined to its event by the key the file has (SPEC 9).

    Args:
        path: A label file, or a folder that holds one (a built folder too).
        sources: The builder's `sources.parquet`, or the built folder or run directory it lies in.
        allow_none: Whether no label meeting an event is an answer too, as when only some participants are built.

    Raises:
        InputError: The file is unreadable, empty or of no known form; y is not 0 or 1; two rows disagree on one event;
            Equation 9 is broken in a file keyed by event_id; or no row meets an event.
        StoreError: The sources cannot be read.
    """
    file: Path | None = path
    if path.is_dir():
        file = path / LABELS if (path / LABELS).is_file() else label_file_in(path)
    if file is None:
        raise InputError(
            "no label file in the folder", file=path, expected=f"{LABELS} or one of {', '.join(LABEL_FILES)}",
            remedy="Name the label file.",
        )  # fmt: skip
    with StatedRows() as stated:
        form, rows, disagreeing = read_rows(file, stated)
        labels = {(stream_id, label.event_id): label for stream_id, label in _joined(file, form, stated, sources, allow_none)}
        return LabelSet(file.name, labels, rows, stated.count - stated.met, rows - stated.count, disagreeing)


def join_labels(file: Path, sources: Path, out: Path) -> Joined:
    """Join a label file to built events and write `labels.parquet`, in constant memory; no file where none meets an event.

    Args:
        file: The label file.
        sources: The built folder that holds `sources.parquet`.
        out: The file to write.

    Raises:
        InputError: As `read_labels`, but that no row meets an event is an answer too.
        StoreError: The sources cannot be read, or `out` cannot be written.
    """
    with StatedRows() as stated:
        form, rows, _ = read_rows(file, stated)
        joined = 0
        with atomic_write(out) as opened:
            options = {"compression": "zstd", "write_page_checksum": True, "write_statistics": False}
            with pq.ParquetWriter(opened, _SCHEMA, **options) as writer:
                for batch in _batched(_joined(file, form, stated, sources, allow_none=True), _BATCH):
                    writer.write_table(_table(batch))
                    joined += len(batch)
        if not joined:
            out.unlink()
        return Joined(file.name, rows, joined, stated.count - stated.met)


def _joined(file: Path, form: Form, stated: StatedRows, sources: Path, allow_none: bool) -> Iterator[tuple[str, Label]]:
    """Stream ids and labels in the order of the events, one an event that has a label."""
    first = stated.first
    assert first is not None
    example: Key | None = None
    found_any = False
    for stream_id, event_id, key in _source_keys(sources, form, file):
        keys: tuple[Key, ...] = (key,) if form.foreign else ((stream_id.strip(), *key), key)
        example = example or next(one for one in keys if form.foreign or len(one) == len(first))
        label: Label | None = None
        for one in keys:
            found = stated.get(one)
            if found is None:
                continue
            row, met = found
            if met is not None:
                raise _meets_two(file, row.row, met, (stream_id, event_id))
            stated.meet(one, stream_id, event_id)
            other = Label(event_id=event_id, y=row.y, a=row.a, b=row.b, n=row.n, service=row.service)
            if label is not None and label != other:
                raise InputError(
                    f"two labels for event {event_id!r} of stream {stream_id!r} disagree, one with the stream and one without",
                    file=file,
                    row=row.row,
                    remedy="Keep one of the two rows.",
                )
            label = other
        if label is not None:
            found_any = True
            yield stream_id, label
    if not found_any and not allow_none:
        raise InputError(
            f"none of {stated.count} labels meets an event: keys {', '.join(_names(form, first))} like {first!r}",
            file=file,
            expected=f"keys like {example!r}, which the streams have",
            remedy="Give the label file that belongs to these streams.",
        )


def _batched(labels: Iterable[tuple[str, Label]], size: int) -> Iterator[list[tuple[str, Label]]]:
    each = iter(labels)
    while batch := list(islice(each, size)):
        yield batch


def _meets_two(file: Path, row: int, one: tuple[str, str], other: tuple[str, str]) -> InputError:
    if one[0] != other[0] and one[1] == other[1]:
        return InputError(
            f"event id occurs in streams {one[0]!r} and {other[0]!r}", file=file, row=row, field="event_id", found=one[1],
            expected="labels that name stream_id too", remedy="Add a stream_id to every label.",
        )  # fmt: skip
    return InputError(
        f"one label meets two events, {one[1]!r} of stream {one[0]!r} and {other[1]!r} of stream {other[0]!r}", file=file,
        row=row, remedy="Give the events ids that differ by more than the blanks around them, and build again.",
    )  # fmt: skip


def _table(labels: Sequence[tuple[str, Label]]) -> pa.Table:
    columns = [
        [label.event_id for _, label in labels],
        [stream_id for stream_id, _ in labels],
        *([getattr(label, name) for _, label in labels] for name in ("y", "a", "b", "n")),
        [label.service for _, label in labels],
    ]
    return pa.Table.from_arrays(
        [pa.array(column, part.type) for column, part in zip(columns, _SCHEMA, strict=True)], schema=_SCHEMA
    )


def _names(form: Form, key: Key) -> tuple[str, ...]:
    return form.columns if len(key) == len(form.columns) else ("stream_id", *form.columns)


def _source_keys(sources: Path, form: Form, labels: Path) -> Iterator[tuple[str, str, Key]]:
    """Stream id, event id and key of every event, in the order of the events."""
    file = sources / SOURCES if sources.is_dir() else sources
    try:
        with pq.ParquetFile(file, page_checksum_verification=True) as parquet:
            present = parquet.schema_arrow.names
            if missing := [name for name in form.sources if name not in present]:
                raise InputError(
                    f"labels keyed by {', '.join(form.columns)} belong to other streams",
                    file=labels,
                    field=missing[0],
                    found=present,
                    expected=f"sources with {', '.join(form.sources)}",
                    remedy="Give the label file that belongs to these streams.",
                )
            for batch in parquet.iter_batches(batch_size=4096, columns=["stream_id", "event_id", *form.sources]):
                columns = [batch.column(name).to_pylist() for name in ("stream_id", "event_id")]
                keys = [[_canonical(name, value) for value in batch.column(name).to_pylist()] for name in form.sources]
                yield from zip(*columns, zip(*keys, strict=True), strict=True)
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise StoreError(
            f"{file}: the map from events to their sources cannot be read ({error}).",
            remedy="Build the streams again; a run directory holds a copy.",
        ) from error


def _canonical(name: str, value: Scalar) -> Scalar:
    if not isinstance(value, str):
        return value
    return datetime.fromisoformat(value).isoformat() if name == "window_start" else value.strip()
