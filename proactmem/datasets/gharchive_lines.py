"""One archive hour read once: decompressed in blocks, searched as bytes, and only the lines of chosen repositories parsed.

A line's repository is found by the bytes `"repo":{"id":...,"name":...}` before any JSON is parsed, so that the reading is
bounded by decompression. Memory is one block, whatever the length of the file.
"""

from __future__ import annotations

import hashlib
import re
import zlib
from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np

from proactmem.datasets.tally import Tally
from proactmem.errors import InputError

__all__ = ["DROPS", "NOTICES", "Candidate", "HourReading"]

DROPS = ("malformed_line", "schema_before_2015")
"""Reasons for which a line gives no event."""
NOTICES = ("hours_empty", "hours_cut_off")
"""Peculiarities of an hour's file."""
_CHUNK, _MOST = 1 << 18, 1 << 23
"""Bytes read at once, and most bytes that they may become at once."""
_REPO = re.compile(rb'"repo"\s*:\s*\{([^{}]*)\}')
_ID = re.compile(rb'"id"\s*:\s*"?(\d{1,18})"?\s*(?:,|$)')
_NAME = re.compile(rb'"name"\s*:\s*"([^"\\]*)"')
_GZIP = b"\x1f\x8b"
_BOM = b"\xef\xbb\xbf"


class Candidate(NamedTuple):
    """A line that names a wanted repository."""

    row: int
    """1-based."""
    line: bytes


@dataclass
class HourReading:
    """What is learned while one hour is read; iterate `candidates` to the end before the other fields are asked."""

    file: Path
    wanted: Callable[[int, bytes], bool]
    """Whether a repository is wanted, by id and lower-case name; asked once a mention."""
    tally: Tally
    keep_ids: bool = False
    """Whether `ids` is filled."""
    ids: array[int] = field(default_factory=lambda: array("q"))
    """Ids of the repositories that the hour mentions, with repeats, in order."""
    first_wanted: dict[int, int] = field(default_factory=dict)
    """Where in `ids` a wanted repository was first wanted."""
    sha256: str = ""
    """Of the file as it lies there."""
    lines: int = 0

    def is_early(self, identity: int) -> bool:
        """Whether the hour mentions a repository before it was first wanted, hence under another name."""
        first = self.first_wanted.get(identity, 0)
        return self.keep_ids and bool((np.frombuffer(self.ids, np.int64)[:first] == identity).any())

    def candidates(self) -> Iterator[Candidate]:
        """The lines of wanted repositories, in order.

        Raises:
            InputError: The file cannot be read.
        """
        size = 0
        try:
            with self.file.open("rb") as opened:
                for block in _blocks(self._decompressed(opened)):
                    size += len(block)
                    yield from self._in_block(block)
        except OSError as error:
            raise InputError(
                f"cannot be read ({error.strerror or error})", file=self.file, remedy="Check that the file is readable."
            ) from error
        self.tally.noticed["hours_empty"] += not size

    def _decompressed(self, opened: BinaryIO) -> Iterator[bytes]:
        """The text of a plain or gzip file, several members one after the other included; damage is noticed, not raised."""
        digest = hashlib.sha256()
        zipped: bool | None = None
        inflate = None
        sound = True
        while chunk := opened.read(_CHUNK):
            digest.update(chunk)
            zipped = chunk.startswith(_GZIP) if zipped is None else zipped
            if not zipped:
                yield chunk
                continue
            while chunk and sound:
                if inflate is None and not (chunk := chunk.lstrip(b"\0")):
                    break
                inflate = inflate or zlib.decompressobj(wbits=31)
                try:
                    yield inflate.decompress(chunk, _MOST)
                except zlib.error as error:
                    self._cut_off(str(error))
                    sound = False
                chunk = inflate.unused_data if inflate.eof else inflate.unconsumed_tail
                inflate = None if inflate.eof else inflate
        if sound and inflate is not None:
            self._cut_off("it ends in the middle")
        self.sha256 = digest.hexdigest()

    def _cut_off(self, why: str) -> None:
        self.tally.noticed["hours_cut_off"] += 1
        self.tally.remark(
            InputError(
                f"is damaged ({why})", file=self.file, expected="a whole gzip file",
                remedy="Fetch it again; what could be read of it counts.",
            )
        )  # fmt: skip

    def _in_block(self, block: bytes) -> Iterator[Candidate]:
        """Search one block of whole lines; `row` is counted only where a line is wanted."""
        first = self.lines
        self.lines += _newlines(block) + (not block.endswith(b"\n"))
        counted, row, last, seen = 0, first, -1, False
        for mention in _REPO.finditer(block):
            inner = mention[1]
            number = _ID.search(inner)
            if number is None:
                continue
            seen = True
            identity = int(number[1])
            if self.keep_ids:
                self.ids.append(identity)
            name = _NAME.search(inner)
            if not self.wanted(identity, name[1].lower() if name else b""):
                continue
            start = block.rfind(b"\n", 0, mention.start()) + 1
            if start == last:
                continue
            last = start
            self.first_wanted.setdefault(identity, len(self.ids) - 1)
            row += _newlines(memoryview(block)[counted:start])
            counted = start
            end = block.find(b"\n", mention.end())
            yield Candidate(row + 1, block[start : len(block) if end < 0 else end])
        self._look_at_shape(block, first, seen=seen)

    def _look_at_shape(self, block: bytes, first: int, *, seen: bool) -> None:
        """Count lines that are no JSON objects, and those of the schema before 2015; fast where there are none."""
        old = b'"repository":' in block and not seen
        ends = block.startswith((b"{", _BOM)) and block.rstrip().endswith(b"}")
        whole = ends and block.count(b"}\n{") + 1 == self.lines - first
        if whole and not old:
            return
        for row, line in enumerate(block.splitlines(), start=first + 1):
            text = (line.removeprefix(_BOM) if row == 1 else line).strip()
            if not text:
                continue
            if not (text.startswith(b"{") and text.endswith(b"}")):
                self.tally.refuse("malformed_line", _no_object(self.file, row, text))
            elif old and b'"repository":' in text and b'"repo":' not in text:
                self.tally.dropped["schema_before_2015"] += 1


def _blocks(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """Chunks regrouped into whole lines."""
    rest: list[bytes] = []
    for chunk in chunks:
        cut = chunk.rfind(b"\n") + 1
        if not cut:
            rest.append(chunk)
            continue
        yield b"".join((*rest, chunk[:cut]))
        rest = [chunk[cut:]] if cut < len(chunk) else []
    if last := b"".join(rest):
        yield last


def _newlines(data: bytes | memoryview) -> int:
    return int(np.count_nonzero(np.frombuffer(data, np.uint8) == 10))  # several times as fast as bytes.count


def _no_object(file: Path, row: int, line: bytes) -> InputError:
    return InputError(
        "is no JSON object", file=file, row=row, found=line[:60].decode("utf-8", "replace"), expected="one event a line",
        remedy="Fetch the hour again; the rest of the file counts.",
    )  # fmt: skip
