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

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from math import isnan
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from proactmem.core.labels import Label, breaks_equation_9
from proactmem.core.records import SOURCES
from proactmem.datasets.textfile import csv_rows, json_lines, text_lines
from proactmem.errors import InputError, StoreError
from proactmem.paths import atomic_write

__all__ = ["LABELS", "LABEL_FILES", "LabelSet", "label_file_in", "read_labels", "write_labels"]

LABELS = "labels.parquet"
"""File name of the joined labels in a built folder."""
LABEL_FILES = ("reference_labels.csv", "help_needed.jsonl", "labels.jsonl", "labels.csv")
"""Names under which label files lie beside raw files."""

Scalar = str | int | float | bool | None
Key = tuple[Scalar, ...]


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


class _Form(NamedTuple):
    """A kind of label file: its key, how the sources name the same key, and where y stands."""

    columns: tuple[str, ...]
    sources: tuple[str, ...]
    y: str
    foreign: bool


_FORMS = (
    _Form(("event_id",), ("event_id",), "y", False),
    _Form(("participant", "decision_index"), ("participant", "decision_index"), "y", True),
    _Form(("home", "window_start"), ("home", "window_start"), "y", True),
    _Form(("stream_id", "index"), ("trace", "index"), "help_needed", True),
)
_WHOLE = re.compile(r" *[0-9]{1,15} *")
_KNOWN = "; ".join(", ".join((*form.columns, form.y)) for form in _FORMS)


class _Row(NamedTuple):
    row: int
    cells: Mapping[str, object]


class _Stated(NamedTuple):
    """What one label row states."""

    row: int
    y: bool
    a: bool | None
    b: bool | None
    n: bool | None
    service: str | None


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
    form, stated, rows, disagreeing = _read(file)
    labels: dict[tuple[str, str], Label] = {}
    met: dict[Key, tuple[str, str]] = {}
    first = next(iter(stated))
    example: Key | None = None
    for stream_id, event_id, key in _source_keys(sources, form, file):
        keys: tuple[Key, ...] = (key,) if form.foreign else ((stream_id.strip(), *key), key)
        example = example or next(one for one in keys if form.foreign or len(one) == len(first))
        for one in keys:
            found = stated.get(one)
            if found is None:
                continue
            if one in met:
                raise _meets_two(file, found.row, met[one], (stream_id, event_id))
            met[one] = (stream_id, event_id)
            label = Label(event_id=event_id, **_fields(found))
            if labels.setdefault((stream_id, event_id), label) != label:
                raise InputError(
                    f"two labels for event {event_id!r} of stream {stream_id!r} disagree, one with the stream and one without",
                    file=file,
                    row=found.row,
                    remedy="Keep one of the two rows.",
                )
    if not labels and not allow_none:
        raise InputError(
            f"none of {len(stated)} labels meets an event: keys {', '.join(_names(form, first))} like {first!r}",
            file=file,
            expected=f"keys like {example!r}, which the streams have",
            remedy="Give the label file that belongs to these streams.",
        )
    return LabelSet(file.name, labels, rows, len(stated) - len(met), rows - len(stated), disagreeing)


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


def write_labels(path: Path, labels: LabelSet) -> None:
    """Write joined labels as `labels.parquet`, atomically, with the same bytes for equal labels."""
    names = ("y", "a", "b", "n")
    columns = {
        "event_id": pa.array([event_id for _, event_id in labels.labels], pa.string()),
        "stream_id": pa.array([stream_id for stream_id, _ in labels.labels], pa.string()),
        **{name: pa.array([getattr(label, name) for label in labels.labels.values()], pa.bool_()) for name in names},
        "service": pa.array([label.service for label in labels.labels.values()], pa.string()),
    }
    with atomic_write(path) as file:
        pq.write_table(pa.table(columns), file, compression="zstd", write_page_checksum=True, write_statistics=False)


def _read(file: Path) -> tuple[_Form, dict[Key, _Stated], int, int]:
    form: _Form | None = None
    stated: dict[Key, _Stated] = {}
    rows = disagreeing = 0
    for row, cells in _rows(file):
        rows += 1
        form = form or _form(file, row, list(cells))
        named = not form.foreign and cells.get("stream_id") is not None and str(cells["stream_id"]).strip() != ""
        names = ("stream_id", *form.columns) if named else form.columns
        key = tuple(_key(file, row, name, cells.get(name)) for name in names)
        found = _statement(file, row, form, cells)
        if breaks_equation_9(found.y, found.a, found.b, found.n):
            if not form.foreign:
                raise InputError(
                    "y is not (a or b) and n (Equation 9)",
                    file=file,
                    row=row,
                    field=form.y,
                    found={"y": found.y, "a": found.a, "b": found.b, "n": found.n},
                    remedy="Correct the label, or leave a, b and n out.",
                )
            disagreeing += 1
            found = found._replace(a=None, b=None, n=None)
        if (before := stated.get(key)) is not None and before[1:] != found[1:]:
            raise InputError(
                f"two labels for {', '.join(names)} {key!r} disagree, the first in row {before.row}",
                file=file,
                row=row,
                remedy="Keep one of the two rows.",
            )
        stated.setdefault(key, found)
    if form is None:
        raise InputError("no label in the file", file=file, remedy="Give a file with one label a row.")
    return form, stated, rows, disagreeing


def _names(form: _Form, key: Key) -> tuple[str, ...]:
    return form.columns if len(key) == len(form.columns) else ("stream_id", *form.columns)


def _form(file: Path, row: int, columns: list[str]) -> _Form:
    for form in _FORMS:
        if {*form.columns, form.y} <= set(columns):
            return form
    raise InputError(
        "not a label file of a known form",
        file=file,
        row=row,
        found=columns,
        expected=f"the columns or keys {_KNOWN}",
        remedy="Name the columns so, comma-separated in a CSV.",
    )


def _rows(file: Path) -> Iterator[_Row]:
    try:
        with file.open("rb") as opened:
            magic = opened.read(4)
    except OSError as error:
        raise InputError(
            f"cannot be read ({error.strerror or error})", file=file, remedy="Check that the label file exists."
        ) from error
    if magic == b"PAR1":
        return _parquet_rows(file)
    first = next((line.text.strip() for line in text_lines(file) if line.text.strip()), "")
    return (_Row(row, data) for row, _, data in json_lines(file)) if first.startswith("{") else _csv(file)


def _csv(file: Path) -> Iterator[_Row]:
    records = csv_rows(file)
    _, header = next(records, (1, []))
    names = [name.strip() for name in header]
    if len(set(names)) != len(names):
        raise InputError("a column occurs twice", file=file, row=1, found=header, remedy="Keep one column of each name.")
    _form(file, 1, names)
    for row, cells in records:
        if len(cells) != len(names):
            raise InputError(
                "wrong number of cells",
                file=file,
                row=row,
                found=len(cells),
                expected=f"{len(names)}, as the header has",
                remedy="Complete the row; a cell with a comma stands in double quotes.",
            )
        yield _Row(row, dict(zip(names, cells, strict=True)))


def _parquet_rows(file: Path) -> Iterator[_Row]:
    row = 0
    try:
        with pq.ParquetFile(file, page_checksum_verification=True) as parquet:
            _form(file, 1, parquet.schema_arrow.names)
            for batch in parquet.iter_batches(batch_size=4096):
                for cells in batch.to_pylist():
                    row += 1
                    yield _Row(row, cells)
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise InputError(f"not a readable Parquet file ({error})", file=file, remedy="Build the labels again.") from error


def _key(file: Path, row: int, name: str, value: object) -> Scalar:
    expected = "a text"
    if name in ("participant", "decision_index", "index"):
        expected = "a whole number"
        if isinstance(value, int) and not isinstance(value, bool):
            return value
        if isinstance(value, str) and _WHOLE.fullmatch(value):
            return int(value)
    elif isinstance(value, str) and value.strip() and _is_text(value):
        if name != "window_start":
            return value.strip()
        expected = "a local time like 2011-11-29 00:50"
        with suppress(ValueError):
            return datetime.fromisoformat(value.strip()).isoformat()
    raise InputError(
        "a label without its key", file=file, row=row, field=name, found=value, expected=expected,
        remedy="Correct the key.",
    )  # fmt: skip


def _statement(file: Path, row: int, form: _Form, cells: Mapping[str, object]) -> _Stated:
    y = _truth(file, row, form.y, cells.get(form.y))
    if y is None:
        raise InputError(
            "a label without its decision", file=file, row=row, field=form.y, expected="0 or 1",
            remedy="Give the decision, or leave the row out where there is none.",
        )  # fmt: skip
    a, b, n = (_truth(file, row, name, cells.get(name)) for name in ("a", "b", "n"))
    service = cells.get("service")
    if service is not None and not (isinstance(service, str) and _is_text(service)):
        raise InputError(
            "not a service", file=file, row=row, field="service", found=service, expected="a text or nothing",
            remedy="Name the service in words.",
        )  # fmt: skip
    named = service.strip() if service else ""
    return _Stated(row, y, a, b, n, None if named in ("", "none") else named)


def _is_text(value: str) -> bool:
    """No lone surrogate in it, which JSON can write and no file can hold."""
    return value.isascii() or value.encode(errors="ignore") == value.encode(errors="surrogatepass")


_TRUTHS = {"0": False, "1": True, "0.0": False, "1.0": True, "false": False, "true": True}


def _truth(file: Path, row: int, name: str, value: object) -> bool | None:
    if value is None or (isinstance(value, str) and not value.strip()) or (isinstance(value, float) and isnan(value)):
        return None
    text = str(value).strip().casefold()
    if text not in _TRUTHS or not isinstance(value, bool | int | float | str):
        raise InputError(
            "not a decision", file=file, row=row, field=name, found=value, expected="0, 1, true or false",
            remedy="Correct the label.",
        )  # fmt: skip
    return _TRUTHS[text]


def _fields(found: _Stated) -> dict[str, bool | str | None]:
    return {"y": found.y, "a": found.a, "b": found.b, "n": found.n, "service": found.service}


def _source_keys(sources: Path, form: _Form, labels: Path) -> Iterator[tuple[str, str, Key]]:
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
