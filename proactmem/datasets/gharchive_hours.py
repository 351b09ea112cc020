"""GH Archive hours in a folder: `YYYY-MM-DD-H.json.gz` or `.json`, one file an UTC hour, in the order of time."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from proactmem.datasets.tally import Tally
from proactmem.errors import ConfigError, InputError

__all__ = ["NOTICES", "HourFile", "find_hours", "utc_hour"]

NOTICES = ("hours_missing", "hours_twice", "files_of_other_names")
"""Peculiarities of a folder of hours."""
_NAME = re.compile(r"(\d{4}-\d{2}-\d{2})-(\d{1,2})\.json(?:\.gz)?")
_HOUR = timedelta(hours=1)
_SHOWN = 5


class HourFile(NamedTuple):
    """One hour and the file that holds it; an hour may lie there twice (gz and plain, or in two folders)."""

    hour: datetime
    """UTC."""
    file: Path


def find_hours(
    raw: Path, *, since: datetime | None = None, until: datetime | None = None, tally: Tally
) -> tuple[HourFile, ...]:
    """The archive hours in a folder and the folders in it, or the one file named, in the order of time.

    Args:
        raw: The folder or file.
        since: First hour wanted, UTC where it states no zone; None begins with the first there is.
        until: First hour not wanted; None ends with the last there is.
        tally: Counts hours that are missing in between or lie there twice, and files of other names.

    Raises:
        ConfigError: The range is empty or holds no hour.
        InputError: No such file, or no archive hour here.
    """
    first, end = utc_hour(since), utc_hour(until)
    if first is not None and end is not None and end <= first:
        raise ConfigError(f"until {end.isoformat()} is not after since {first.isoformat()}.", remedy="Widen the range.")
    files = sorted(path for path in raw.rglob("*") if path.is_file()) if raw.is_dir() else [raw]
    named = [(path, _hour(path.name)) for path in files]
    found = sorted(HourFile(hour, path) for path, hour in named if hour is not None)
    if not found:
        raise InputError(
            "no GH Archive hour here" if raw.exists() else "no such file or folder",
            file=raw,
            found=[path.name for path in files][:_SHOWN] if raw.exists() else None,
            expected="YYYY-MM-DD-H.json.gz or YYYY-MM-DD-H.json, as the archive names its hours",
            remedy="Name the folder that holds the hours, or fetch some.",
        )
    tally.noticed["files_of_other_names"] += sum(hour is None and not path.name.startswith(".") for path, hour in named)
    chosen = tuple(one for one in found if (first is None or one.hour >= first) and (end is None or one.hour < end))
    if not chosen:
        raise ConfigError(
            f"{raw}: no hour in the range; there are {found[0].hour.isoformat()} to {found[-1].hour.isoformat()}.",
            remedy="Choose a range within.",
        )
    hours = {one.hour for one in chosen}
    tally.noticed["hours_twice"] += len(chosen) - len(hours)
    _notice_missing(hours, first or min(hours), end or max(hours) + _HOUR, tally)
    return chosen


def utc_hour(moment: datetime | None) -> datetime | None:
    """The UTC hour that a moment lies in; a moment without a zone is UTC."""
    if moment is None:
        return None
    aware = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    return aware.replace(minute=0, second=0, microsecond=0)


def _hour(name: str) -> datetime | None:
    found = _NAME.fullmatch(name)
    if found is None or int(found[2]) > 23:
        return None
    try:
        return datetime.fromisoformat(found[1]).replace(hour=int(found[2]), tzinfo=UTC)
    except ValueError:
        return None


def _notice_missing(hours: Iterable[datetime], first: datetime, end: datetime, tally: Tally) -> None:
    present = set(hours)
    count = (end - first) // _HOUR
    missing = count - len(present)
    tally.noticed["hours_missing"] += missing
    if missing:
        gaps = (hour for number in range(count) if (hour := first + number * _HOUR) not in present)
        names = [f"{hour:%Y-%m-%d}-{hour.hour}" for hour in islice(gaps, _SHOWN)]
        tally.remark(
            InputError(
                f"{missing} of {count} hours are not there", found=names, expected="every hour of the range",
                remedy="Fetch them, or know that their events are missing.",
            )
        )  # fmt: skip
