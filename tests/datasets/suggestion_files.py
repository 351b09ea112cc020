"""Small suggestions files for tests, and the way to the real data."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from proactmem.datasets.suggestions import COLUMNS

CONNECTED: Mapping[str, str] = {
    "user.index": "1",
    "decision.index": "0",
    "sugg.gmtoff": "-14400.0",
    "sugg.decision.utime": "2015-07-22 16:31:53",
    "sugg.decision.slot": "2.0",
    "connect": "True",
    "avail": "True",
    "recognized.activity": "STILL",
    "dec.location.category": "home",
    "dec.weather.condition": "Clear",
    "dec.temperature": "23.3",
    "jbsteps30pre": "10.0",
    "jbsteps60pre": "26.0",
    "jbsteps30pre.zero": "10",
    "jbsteps60pre.zero": "26",
    "gfsteps30pre": "0.0",
    "gfsteps60pre": "954.0",
    "send": "True",
    "response": "good",
    "jbsteps30": "1413.0",
}
UNCONNECTED: Mapping[str, str] = {
    "user.index": "1",
    "decision.index": "0",
    "sugg.gmtoff": "-14400.0",
    "sugg.decision.utime": "2015-07-22 16:31:30",
    "connect": "False",
    "avail": "False",
}


def row(participant: int = 1, decision: int = 0, *, base: Mapping[str, str] = CONNECTED, **cells: str) -> dict[str, str]:
    """A row with some cells changed; `__` in a name stands for `.` of the column, decisions are three hours apart."""
    time = datetime.fromisoformat("2015-07-22 16:31:53") + timedelta(hours=3 * decision)
    stated = {
        "user.index": str(participant),
        "decision.index": str(decision),
        "sugg.decision.utime": time.isoformat(sep=" "),
    }
    return {**base, **stated, **{name.replace("__", "."): value for name, value in cells.items()}}


def text(rows: Sequence[Mapping[str, str]], columns: Sequence[str] = COLUMNS) -> str:
    """A suggestions file in the released text format."""
    out = io.StringIO()
    writer = csv.DictWriter(out, columns, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def write(folder: Path, *rows: Mapping[str, str]) -> Path:
    """`suggestions.csv` in a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "suggestions.csv"
    path.write_text(text(rows), encoding="utf-8", newline="")
    return path


def real(name: str) -> Path:
    """A folder of the real data; skips the test where there is none."""
    folder = Path(os.environ.get("PROACTMEM_DATA", "")) / name
    if "PROACTMEM_DATA" not in os.environ or not folder.is_dir():
        pytest.skip(f"PROACTMEM_DATA does not name a folder with {name}")
    return folder
