"""The released file `suggestions.csv` of HeartSteps V1: its 86 columns, and cells typed with file, row and column."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from difflib import get_close_matches
from pathlib import Path

from proactmem.datasets.textfile import csv_rows, text_lines
from proactmem.errors import InputError

__all__ = ["ACTIVITIES", "COLUMNS", "Cells", "Suggestions", "records", "scan_suggestions"]

ACTIVITIES = (
    "STILL",
    "IN_VEHICLE",
    "AUGMENTED_VEHICLE",
    "ON_FOOT",
    "WALKING",
    "RUNNING",
    "ON_BICYCLE",
    "TILTING",
    "UNKNOWN",
)
"""Android's activity recognition; UNKNOWN is a value, an empty cell is not observed."""
# fmt: off
COLUMNS = (
    "user.index", "decision.index", "decision.index.nogap", "sugg.select.utime", "sugg.select.slot",
    "sugg.select.update", "sugg.tz", "sugg.gmtoff", "sugg.decision.utime", "sugg.decision.slot", "sugg.context.utime",
    "sugg.response.utime", "sugg.device.utime", "sugg.device.since", "interaction.count", "connect", "is.randomized",
    "snooze.status", "intransit", "avail", "send", "send.active", "send.sedentary", "is.prefetch",
    "recognized.activity", "recognized.activity.response", "tag.active", "tag.indoor", "tag.outdoor",
    "tag.outdoor_snow", "front.end.application", "returned.message", "response", "dec.city", "dec.location.exact",
    "dec.location.category", "dec.weather.condition", "dec.temperature", "dec.windspeed", "dec.precipitation.chance",
    "dec.snow", "response.city", "response.location.exact", "response.location.category",
    "response.weather.condition", "response.temperature", "response.windspeed", "response.precipitation.chance",
    "response.snow", "jbmins10", "jbsteps10", "jbmins40", "jbsteps40", "jbmins30", "jbsteps30", "jbmins60",
    "jbsteps60", "jbmins90", "jbsteps90", "jbmins120", "jbsteps120", "jbsteps10.zero", "jbsteps30.zero",
    "jbsteps40.zero", "jbsteps60.zero", "jbsteps90.zero", "jbsteps120.zero", "jbmins30pre", "jbsteps30pre",
    "jbmins40pre", "jbsteps40pre", "jbmins60pre", "jbsteps60pre", "jbsteps30pre.zero", "jbsteps40pre.zero",
    "jbsteps60pre.zero", "gfmins10", "gfsteps10", "gfmins30", "gfsteps30", "gfmins60", "gfsteps60", "gfmins30pre",
    "gfsteps30pre", "gfmins60pre", "gfsteps60pre",
)
# fmt: on
"""The 86 columns of the released file."""
_INTEGER = re.compile(r"-?[0-9]{1,15}(\.0+)?")
_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]{1,3})?")
_UTC = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?")
_STACK_TRACE = re.compile(r"\(\w+\.java:\d+\)")
_NO_TEMPERATURE = -1024.0
_ORIGINAL = "Use the released file: a spreadsheet that re-saves it changes times, numbers and True/False."


@dataclass(frozen=True)
class Suggestions:
    """A suggestions file that was read once to the end: header, encoding and number of cells are as expected."""

    path: Path
    rows: Mapping[int, int]
    """Rows of each participant, by ascending participant."""
    sorted: bool
    """Whether the rows ascend by participant, so that one participant at a time is held in memory."""


class Cells:
    """The cells of one row by column name, typed on request; an error names file, row and column."""

    def __init__(self, path: Path, row: int, cells: list[str], columns: Mapping[str, int]) -> None:
        self._path, self.row, self._cells, self._columns = path, row, cells, columns

    # One method a kind of cell; each refuses anything else with file, row and column, and gives None for an empty cell.

    def wrong(self, column: str, problem: str, expected: str, remedy: str = "Correct the cell.") -> InputError:
        """The error for a cell, told where it is."""
        return InputError(
            problem,
            file=self._path,
            row=self.row,
            field=column,
            found=self._cell(column),
            expected=expected,
            remedy=remedy,
        )

    def _cell(self, column: str) -> str:
        return self._cells[self._columns[column]]

    def integer(self, column: str, low: int, high: int) -> int | None:
        """A whole number in [low, high], printed 5 or 5.0."""
        text = self._cell(column)
        if not text:
            return None
        if not _INTEGER.fullmatch(text) or not low <= int(text.split(".")[0]) <= high:
            raise self.wrong(column, "not a whole number in range", f"{low} to {high}, or an empty cell")
        return int(text.split(".")[0])

    def required(self, column: str, low: int, high: int) -> int:
        """A whole number in [low, high]; an empty cell is refused too."""
        value = self.integer(column, low, high)
        if value is None:
            raise self.wrong(column, "an empty cell", f"a whole number, {low} to {high}")
        return value

    def boolean(self, column: str) -> bool | None:
        """True or False, spelt so."""
        text = self._cell(column)
        if text not in ("True", "False", ""):
            raise self.wrong(column, "not a boolean", "True or False", _ORIGINAL)
        return None if not text else text == "True"

    def time(self, column: str) -> datetime | None:
        """A UTC instant, printed without its zone."""
        text = self._cell(column)
        if not text:
            return None
        try:
            time = datetime.fromisoformat(text).replace(tzinfo=UTC) if _UTC.fullmatch(text) else None
        except ValueError:
            time = None
        if time is None or not 1 < time.year < 9999:
            raise self.wrong(column, "not a UTC time of the released file", "a time like 2015-07-22 21:31:48", _ORIGINAL)
        return time

    def text(self, column: str) -> str | None:
        """The source's string; the text 'unknown' or a stack trace in its place is no observation."""
        text = self._cell(column)
        return None if not text.strip() or text.strip().casefold() == "unknown" or _STACK_TRACE.search(text) else text

    def activity(self, column: str) -> str | None:
        """One of Android's activities; UNKNOWN is one."""
        text = self._cell(column)
        if text and text not in ACTIVITIES:
            raise self.wrong(column, "unknown activity", f"one of {', '.join(ACTIVITIES)}, or an empty cell")
        return text or None

    def temperature(self, column: str) -> float | None:
        """Degrees Celsius; -1024 is no observation, -1 is one."""
        text = self._cell(column)
        if not text:
            return None
        value = float(text) if _NUMBER.fullmatch(text) else float("nan")
        if value == _NO_TEMPERATURE:
            return None
        if not -90 <= value <= 65:
            raise self.wrong(column, "not a temperature", "degrees Celsius from -90 to 65, -1024 or an empty cell")
        return value


def scan_suggestions(path: Path) -> Suggestions:
    """Read a file once to its end and say who is in it; nothing is built from a file that fails here.

    Raises:
        InputError: Empty, not UTF-8, NUL bytes, another delimiter, other columns, a row with a wrong number of cells, a
            participant that is no number, or a last line without its line break (cut off).
    """
    rows: Counter[int] = Counter()
    ascending, before = True, 0
    for cells in records(path):
        participant = cells.required("user.index", 1, 10**9)
        rows[participant] += 1
        ascending, before = ascending and participant >= before, participant
    if not rows:
        raise InputError("no row below the header", file=path, remedy="Fetch or simulate the file again.")
    return Suggestions(path, dict(sorted(rows.items())), ascending)


def records(path: Path) -> Iterator[Cells]:
    """The rows below a checked header, in file order, in constant memory.

    Raises:
        InputError: As `scan_suggestions`.
    """
    rows = csv_rows(path)
    first = next(rows, None)
    if first is None:
        raise InputError("no header", file=path, remedy="Fetch or simulate the file again.")
    columns = _header(path, *first)
    for row, cells in rows:
        if len(cells) != len(COLUMNS):
            raise InputError(
                "wrong number of cells",
                file=path,
                row=row,
                found=len(cells),
                expected=str(len(COLUMNS)),
                remedy="The row is cut off or a cell with a comma is not quoted: fetch the file again or correct it.",
            )
        yield Cells(path, row, cells, columns)
    _ends_whole(path)


def _ends_whole(path: Path) -> None:
    """A last line without its line break may be cut inside its last number, which nothing else would show."""
    with path.open("rb") as file:
        file.seek(-1, 2)
        if file.read(1) == b"\n":
            return
    last = max(line.row for line in text_lines(path))
    raise InputError(
        "the last line has no line break and may be cut off",
        file=path,
        row=last,
        remedy="Fetch the file again; if the line is whole, add the line break.",
    )


def _header(path: Path, row: int, names: list[str]) -> Mapping[str, int]:
    for delimiter, name in ((";", "semicolons"), ("\t", "tabs"), ("|", "bars")):
        if len(names) < 3 and delimiter in names[0]:
            raise InputError(f"cells are separated by {name}", file=path, row=row, expected="commas", remedy=_ORIGINAL)
    missing = [name for name in COLUMNS if name not in names]
    extra = [name for name in names if name not in COLUMNS]
    repeated = sorted({name for name in names if names.count(name) > 1})
    if len(missing) == len(COLUMNS):
        raise InputError(
            "no header of suggestions.csv in the first row",
            file=path,
            row=row,
            found=names[:3],
            expected=f"the {len(COLUMNS)} column names, first {', '.join(COLUMNS[:3])}",
            remedy="Give the HeartSteps file suggestions.csv.",
        )
    if missing or extra or repeated:
        parts = [f"{what} {', '.join(map(repr, found))}" for what, found in
                 (("missing", missing), ("unexpected", extra), ("repeated", repeated)) if found]  # fmt: skip
        guesses = [f"{name!r} for {close[0]!r}" for name in extra if (close := get_close_matches(name, missing, n=1))]
        raise InputError(
            f"other columns than suggestions.csv: {'; '.join(parts)}",
            file=path,
            row=row,
            field=(missing or extra or repeated)[0],
            expected=f"the {len(COLUMNS)} column names of the released file",
            remedy=f"Perhaps {', '.join(guesses)}: rename it." if guesses else "Restore the released header.",
        )
    return {name: position for position, name in enumerate(names)}
