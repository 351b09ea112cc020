"""Text files read strictly: UTF-8, no NUL bytes, every problem with its row; never a silent replacement."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from proactmem.errors import InputError

__all__ = ["JsonLine", "Line", "RepeatedKeyError", "csv_rows", "json_lines", "text_lines", "unique_keys"]

_BOM = b"\xef\xbb\xbf"
_WIDE = (b"\xff\xfe", b"\xfe\xff")


class Line(NamedTuple):
    """A line of text and where it is."""

    row: int
    """1-based."""
    offset: int
    """Byte at which it starts, a byte order mark left out."""
    text: str
    """Its line end kept."""


class JsonLine(NamedTuple):
    """An object of a JSON Lines file and where it is."""

    row: int
    offset: int
    data: dict[str, object]


def text_lines(path: Path) -> Iterator[Line]:
    """The lines of a UTF-8 file, one at a time; a UTF-8 byte order mark is accepted.

    Raises:
        InputError: The file cannot be read, is empty, is not UTF-8, or holds a NUL byte.
    """
    offset = row = 0
    try:
        with path.open("rb") as file:
            for row, raw in enumerate(file, start=1):
                line = raw.removeprefix(_BOM) if row == 1 else raw
                start = offset + len(raw) - len(line)
                yield Line(row, start, _decode(line, path, row, start))
                offset += len(raw)
    except OSError as error:
        raise InputError(
            f"cannot be read ({error.strerror or error})",
            file=path,
            remedy="Check that the file exists and is readable.",
        ) from error
    if row == 0:
        raise InputError("the file is empty", file=path, remedy="Fetch or write the file again.")


def _decode(line: bytes, path: Path, row: int, offset: int) -> str:
    if row == 1 and line.startswith(_WIDE):
        raise InputError(
            "the file is UTF-16", file=path, row=row, expected="UTF-8", remedy="Re-encode it: iconv -f UTF-16 -t UTF-8."
        )
    if (position := line.find(b"\0")) >= 0:
        raise InputError(
            f"a NUL byte at byte {offset + position}",
            file=path,
            row=row,
            expected="text",
            remedy="The file is damaged (a lost write or a binary file): fetch it again.",
        )
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(
            f"not UTF-8 at byte {offset + error.start}",
            file=path,
            row=row,
            found=line[error.start : error.start + 4],
            expected="UTF-8",
            remedy="Re-encode the file, for example iconv -f WINDOWS-1252 -t UTF-8, or fetch the original again.",
        ) from error


def csv_rows(path: Path) -> Iterator[tuple[int, list[str]]]:
    """The records of a comma-separated file with the row each starts at; blank lines are skipped.

    Raises:
        InputError: As `text_lines`, or a quoted cell is malformed, never closed or longer than the csv module reads.
    """
    start = 0
    reader = csv.reader((line.text for line in text_lines(path)), strict=True)
    while True:
        start = reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            if "field limit" in str(error):
                raise InputError(
                    f"a cell of more than {csv.field_size_limit():,} characters", file=path, row=start,
                    expected="a shorter cell, its quote closed",
                    remedy="Close the cell's quote where it is open, or shorten the cell.",
                ) from error  # fmt: skip
            raise InputError(
                f"malformed CSV ({error})",
                file=path,
                row=start,
                expected="cells with commas in double quotes, each quote closed",
                remedy="Correct the quotes of the row; a cell that is never closed swallows the rows after it.",
            ) from error
        if cells:
            yield start, cells


def json_lines(path: Path) -> Iterator[JsonLine]:
    """The objects of a JSON Lines file, one at a time; blank lines are skipped.

    Raises:
        InputError: As `text_lines`, or a line is no JSON object, names a key twice, or the last line is cut off.
    """
    for row, offset, line in text_lines(path):
        if not line.strip():
            continue
        try:
            loaded = json.loads(line, object_pairs_hook=unique_keys)
        except RepeatedKeyError as error:
            raise InputError(
                "a key is given twice", file=path, row=row, field=error.key, remedy="Keep one of the two values."
            ) from error
        except (ValueError, RecursionError) as error:
            cut = not line.endswith("\n")
            raise InputError(
                "the last line is cut off" if cut else f"not a JSON object ({error})",
                file=path,
                row=row,
                found=line.rstrip("\n"),
                expected="one JSON object a line",
                remedy="Complete or remove the line." if cut else "Write one JSON object a line.",
            ) from error
        if not isinstance(loaded, dict):
            raise InputError(
                "not a JSON object",
                file=path,
                row=row,
                found=loaded,
                expected="one JSON object a line",
                remedy="Write one JSON object a line.",
            )
        yield JsonLine(row, offset, loaded)


class RepeatedKeyError(ValueError):
    """A JSON object names a key twice."""

    def __init__(self, key: str) -> None:
        self.key = key
        """The key."""
        super().__init__(key)


def unique_keys(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """The object of these pairs (an `object_pairs_hook`), a key given twice refused.

    Raises:
        RepeatedKeyError: A key is given twice.
    """
    found: dict[str, object] = {}
    for key, value in pairs:
        if key in found:
            raise RepeatedKeyError(key)
        found[key] = value
    return found
