"""Label files of every known form, row by row: told by their columns, each key and decision read strictly.

The forms are those of the module that joins them; a file is JSON Lines, CSV or Parquet, whatever its name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import datetime
from math import isnan
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from proactmem.core.labels import breaks_equation_9
from proactmem.datasets.stated import Scalar, Stated, StatedRows
from proactmem.datasets.textfile import csv_rows, json_lines, text_lines
from proactmem.errors import InputError

__all__ = ["Form", "read_rows"]


class _Row(NamedTuple):
    row: int
    cells: Mapping[str, object]


class Form(NamedTuple):
    """A kind of label file: its key, how the sources name the same key, and where y stands."""

    columns: tuple[str, ...]
    sources: tuple[str, ...]
    y: str
    foreign: bool


_FORMS = (
    Form(("event_id",), ("event_id",), "y", False),
    Form(("participant", "decision_index"), ("participant", "decision_index"), "y", True),
    Form(("home", "window_start"), ("home", "window_start"), "y", True),
    Form(("stream_id", "index"), ("trace", "index"), "help_needed", True),
)
_WHOLE = re.compile(r" *[0-9]{1,15} *")
_KNOWN = "; ".join(", ".join((*form.columns, form.y)) for form in _FORMS)


def read_rows(file: Path, stated: StatedRows) -> tuple[Form, int, int]:
    """Keep what the rows of a file state; its form, and how many rows there are and break Equation 9."""
    form: Form | None = None
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
        if (before := stated.put(key, found)) is not None and before[1:] != found[1:]:
            raise InputError(
                f"two labels for {', '.join(names)} {key!r} disagree, the first in row {before.row}",
                file=file,
                row=row,
                remedy="Keep one of the two rows.",
            )
    if form is None:
        raise InputError("no label in the file", file=file, remedy="Give a file with one label a row.")
    return form, rows, disagreeing


def _form(file: Path, row: int, columns: list[str]) -> Form:
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


def _statement(file: Path, row: int, form: Form, cells: Mapping[str, object]) -> Stated:
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
    return Stated(row, y, a, b, n, None if named in ("", "none") else named)


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
