"""UCI ADL binary sensors (Ordonez) to readings: a row is an interval, an activation at its start, a deactivation at its end.

Reading (ours): PIR, pressure (seat, bed) and flush sensors are motion at their place, inner doorway PIRs named Door included;
Maindoor is a door, open from start to end; every other magnetic or electric sensor is an item that is on meanwhile. What has
not ended when a segment begins stands among its other actions with `since`. Activities are annotations and are never read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from proactmem.datasets.segments import Reading
from proactmem.datasets.sensor_log import Day, grouped
from proactmem.datasets.tally import Tally
from proactmem.errors import InputError

__all__ = ["DROPS", "NOTICES", "is_uci_row", "uci_days"]

DROPS = ("malformed_line", "not_text", "duplicate_line", "ends_before_start")
"""Reasons for which a row gives no reading."""
NOTICES = ("rows_out_of_order", "rows_without_length", "rows_that_overlap", "rows_over_an_hour")
"""Peculiarities that drop nothing; rows over an hour are of other sensors than bed and seat (merged or lost rows)."""
_STAMP = r"(\d{4}-\d{2}-\d{2}[ T]+\d{1,2}:\d{2}:\d{2})"
_ROW = re.compile(rf"\s*{_STAMP}\s+{_STAMP}\s+(\S+)\s+([A-Za-z]+)\s+(\S+(?: \S+)*)\s*")
_MOTION = {"pir", "pressure", "flush"}
_HOUR = timedelta(hours=1)


class _Row(NamedTuple):
    start: datetime
    end: datetime
    sensor: str
    sort: str
    place: str


def is_uci_row(text: str) -> bool:
    """Whether a line is a sensor row: start, end, location, type, place."""
    return _ROW.fullmatch(text) is not None


def uci_days(file: Path, tally: Tally) -> Iterator[Day]:
    """The days of a home that have records, in order.

    Raises:
        InputError: The file cannot be read.
    """
    rows = _rows(file, tally)
    last: dict[str, datetime] = {}
    for row in sorted(rows):
        tally.noticed["rows_that_overlap"] += row.start < last.get(row.sensor, row.start)
        last[row.sensor] = max(row.end, last.get(row.sensor, row.end))
        tally.noticed["rows_without_length"] += row.start == row.end
        tally.noticed["rows_over_an_hour"] += row.sort != "pressure" and row.end - row.start > _HOUR
    tally.noticed["rows_out_of_order"] += sum(after.start < before.start for before, after in pairwise(rows))
    edges = sorted(
        ((moment, number, on, row) for number, row in enumerate(sorted(rows)) for moment, on in ((row.start, 1), (row.end, 2))),
        key=lambda edge: edge[:3],
    )
    yield from grouped((_reading(row, moment, begins=on == 1) for moment, _, on, row in edges), tally)


def _rows(file: Path, tally: Tally) -> list[_Row]:
    found: dict[_Row, None] = {}
    try:
        lines = file.read_bytes().removeprefix(b"\xef\xbb\xbf").splitlines()
    except OSError as error:
        raise InputError(
            f"cannot be read ({error.strerror or error})", file=file, remedy="Check that the file exists and is readable."
        ) from error
    for number, line in enumerate(lines, start=1):
        try:
            text = line.decode("utf-8")
        except UnicodeDecodeError as error:
            tally.refuse("not_text", InputError("is no UTF-8 text", file=file, row=number, found=str(error)))
            continue
        if not text.strip() or _is_head(text, number):
            continue
        row = _row(text, file, number, tally)
        if row is not None:
            tally.dropped["duplicate_line"] += row in found
            found.setdefault(row)
    return list(found)


def _is_head(text: str, number: int) -> bool:
    return number <= 3 and (text.lstrip().startswith(("Start time", "---")))


def _row(text: str, file: Path, number: int, tally: Tally) -> _Row | None:
    parts = _ROW.fullmatch(text)
    try:
        if parts is None:
            raise ValueError("start, end, location, type and place, with tabs between")
        start, end = (_instant(parts[place]) for place in (1, 2))
        if not all(1900 <= moment.year <= 2200 for moment in (start, end)):
            raise ValueError("years from 1900 to 2200")
    except ValueError as error:
        expected = "dates of the calendar, from 1900 to 2200" if parts else str(error)
        tally.refuse(
            "malformed_line",
            InputError(
                "is no sensor row", file=file, row=number, field="Start time", found=text[:80], expected=expected,
                remedy="Remove or correct the row; the rest of the file counts.",
            ),
        )  # fmt: skip
        return None
    if end < start:
        tally.refuse(
            "ends_before_start",
            InputError(
                "the interval ends before it starts", file=file, row=number, field="End time", found=parts[2],
                expected=f"not before {parts[1]}", remedy="Correct or remove the row; the rest of the file counts.",
            ),
        )  # fmt: skip
        return None
    return _Row(start, end, parts[3], parts[4].lower(), parts[5].strip())


def _instant(text: str) -> datetime:
    day, clock = re.split(r"[ T]+", text)
    return datetime.fromisoformat(f"{day}T{clock:0>8}")


def _reading(row: _Row, moment: datetime, *, begins: bool) -> Reading:
    if row.sort in _MOTION:
        sensor = f"{row.sensor} {row.place}" if row.sensor.casefold() == "door" else row.sensor
        return Reading(moment, "motion", sensor, row.place, "ON" if begins else "OFF", None, None, begins)
    if row.sensor.casefold() == "maindoor":
        return Reading(moment, "door", row.sensor, row.sensor, "OPEN" if begins else "CLOSE", None, None, begins)
    return Reading(moment, "other", row.sensor, row.place, "ON" if begins else "OFF", None, None, begins)
