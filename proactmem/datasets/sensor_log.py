"""A CASAS file as readings in order of time, line by line; a file that goes back across days is read by a compact index.

Within a day, lines may stand in any order; equal lines of one instant count once. Bad lines are dropped, counted and named,
and the rest of the file counts. The order of the lines does not matter to what is read.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator
from datetime import date, datetime, timedelta
from itertools import groupby, pairwise
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np

from proactmem.datasets.casas import Parsed, parse_line
from proactmem.datasets.segments import Reading
from proactmem.datasets.tally import Tally
from proactmem.errors import InputError

__all__ = ["DROPS", "NOTICES", "Day", "casas_days", "grouped"]

DROPS = ("malformed_line", "unknown_message", "not_text", "duplicate_line", "heartbeat")
"""Reasons for which a line gives no reading."""
NOTICES = ("lines_out_of_order", "lines_with_activity_label")
"""Peculiarities that drop nothing."""
_EPOCH = datetime.fromisoformat("1970-01-01T00:00:00")
_TOLD = 20_000
"""Lines after which progress is told."""
_BOM = b"\xef\xbb\xbf"


class Day(NamedTuple):
    """The records of one local day, in order of time, each once."""

    day: date
    readings: list[Reading]


def casas_days(file: Path, tally: Tally, told: Callable[[int], None] | None = None) -> Iterator[Day]:
    """The days of a file that have records, in order, one in memory at a time.

    Args:
        file: The file.
        tally: Counts what is left out and noticed.
        told: Called now and then with the bytes that have been read since the last call.

    Raises:
        InputError: The file cannot be read, or none of its lines is a sensor line.
    """
    try:
        in_order = _goes_forward(file)
        with file.open("rb") as lines:
            found = _as_they_stand(lines, file, tally, told) if in_order else _by_index(lines, file, tally)
            yield from grouped(found, tally)
        if told is not None and not in_order:
            told(file.stat().st_size)
    except OSError as error:
        raise InputError(
            f"cannot be read ({error.strerror or error})", file=file, remedy="Check that the file exists and is readable."
        ) from error


def grouped(readings: Iterator[Reading], tally: Tally) -> Iterator[Day]:
    """Readings whose dates do not go back as days; within a day they are sorted by time, and equal ones count once."""
    for day, part in groupby(readings, key=lambda reading: reading.at.date()):
        found = list(part)
        if any(after.at < before.at for before, after in pairwise(found)):
            tally.noticed["lines_out_of_order"] += sum(after.at < before.at for before, after in pairwise(found))
            found.sort(key=lambda reading: reading.at)
        once: list[Reading] = []
        for _, same in groupby(found, key=lambda reading: reading.at):
            once.extend(dict.fromkeys(same))
        tally.dropped["duplicate_line"] += len(found) - len(once)
        yield Day(day, once)


def _goes_forward(file: Path) -> bool:
    """Whether the dates at the heads of the lines never go back; read fast, since nearly every file is so."""
    before = b""
    with file.open("rb") as lines:
        for line in lines:
            head = line[:10]
            if head != before and head[4:5] == b"-" and head[7:8] == b"-":
                if head < before:
                    return False
                before = head
    return True


def _as_they_stand(lines: BinaryIO, file: Path, tally: Tally, told: Callable[[int], None] | None) -> Iterator[Reading]:
    unsaid = 0
    for row, line in enumerate(lines, start=1):
        unsaid += len(line)
        if told is not None and row % _TOLD == 0:
            told(unsaid)
            unsaid = 0
        parsed = _parsed(line, file, row, tally)
        if parsed is not None and parsed.reading is not None:
            yield parsed.reading
    if told is not None:
        told(unsaid)


def _by_index(lines: BinaryIO, file: Path, tally: Tally) -> Iterator[Reading]:
    """All readings sorted by time, then line: 24 bytes a line in memory, the lines themselves read again."""
    moments, offsets, rows = array("q"), array("q"), array("q")
    offset = 0
    for row, line in enumerate(lines, start=1):
        parsed = _parsed(line, file, row, tally)
        if parsed is not None and parsed.reading is not None:
            moments.append((parsed.at - _EPOCH) // timedelta(microseconds=1))
            offsets.append(offset)
            rows.append(row)
        offset += len(line)
    tally.noticed["lines_out_of_order"] += (
        int(np.count_nonzero(np.diff(np.frombuffer(moments, np.int64)) < 0)) if moments else 0
    )
    for place in np.argsort(np.frombuffer(moments, np.int64), kind="stable") if moments else ():
        lines.seek(offsets[place])
        text = lines.readline().removeprefix(_BOM).decode("utf-8")
        reading = parse_line(text, file, rows[place]).reading
        if reading is not None:
            yield reading


def _parsed(line: bytes, file: Path, row: int, tally: Tally) -> Parsed | None:
    """What a line says, its drop counted and named where it says nothing."""
    if row == 1:
        line = line.removeprefix(_BOM)
    try:
        text = line.decode("utf-8")
        if "\0" in text:
            raise ValueError("a NUL byte")
    except ValueError as error:  # UnicodeDecodeError is one
        tally.refuse(
            "not_text",
            InputError("is no UTF-8 text", file=file, row=row, found=str(error), remedy="Re-encode or remove the line."),
        )
        return None
    if not text.strip():
        return None
    try:
        parsed = parse_line(text, file, row)
    except InputError as error:
        known = error.field == "Message" and error.found is not None
        tally.refuse("unknown_message" if known else "malformed_line", error)
        return None
    tally.noticed["lines_with_activity_label"] += parsed.labelled
    tally.dropped["heartbeat"] += parsed.reading is None
    return parsed
