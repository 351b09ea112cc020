"""Smart homes in a file or folder, told by what their files hold, to Home streams of complete local days.

A CASAS home is `casas_home_NNNN`, numbered in the order of the homes' names among all that lie in the folder, so that a
choice does not renumber them (ours: hh101 to hh104 become 0001 to 0004); a UCI ADL home is `uci_adl_home_<letter>`. By
default only complete days become events: the first one counts if its first record falls in the day's first segment, the last
one if its last record falls in the day's last segment (ours).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from datetime import date, datetime, timedelta
from itertools import chain, islice, pairwise
from pathlib import Path
from typing import Literal, NamedTuple

from proactmem.datasets import sensor_log, uci_adl
from proactmem.datasets.casas import is_casas_line
from proactmem.datasets.join import LABEL_FILES
from proactmem.datasets.segments import DAY_SEGMENTS, Still, carry, day_segments, segment_of
from proactmem.datasets.sensor_log import Day, casas_days
from proactmem.datasets.tally import Tally
from proactmem.datasets.uci_adl import is_uci_row, uci_days
from proactmem.datasets.writing import KeyColumns, Sourced, SourceStream
from proactmem.errors import ConfigError, InputError

__all__ = ["DROPS", "KEYS", "NOTICES", "HomeFile", "find_homes", "home_streams"]

KEYS: KeyColumns = {"home": "text", "window_start": "text"}
"""The source key of a Home event: the home's name and the start of its segment."""
DROPS = tuple(dict.fromkeys((*sensor_log.DROPS, *uci_adl.DROPS, "records_of_partial_days", "records_outside_chosen_days")))
"""Reasons for which a sensor record is in no event."""
NOTICES = (
    *sensor_log.NOTICES,
    *uci_adl.NOTICES,
    "days_without_records",
    "silences_over_6_hours",
    "devices_on_over_a_day",
    "homes_without_complete_day",
    "annotated_copies_of_a_raw_file",
)
"""Peculiarities that drop no record."""

Format = Literal["casas", "uci_adl"]
_SAMPLE = 1 << 16
_LINES = 40
_SILENCE = timedelta(hours=6)
_LONGEST_GAP = 366
_GENERIC = {"rawdata", "raw", "ann", "data", "sensors", "sensor_data", "annotated"}
_WORDS = re.compile(r"(?:[._-](?:rawdata|raw|ann|annotated|sensors|data))+$", re.IGNORECASE)
_ORDONEZ = re.compile(r"Ordonez([A-Z])_Sensors", re.IGNORECASE)
_OTHERS = {*LABEL_FILES, "planted.json", "card.json", "card.md"}


class HomeFile(NamedTuple):
    """A home and the file that holds its records."""

    name: str
    """As the source calls it: hh101, A."""
    format: Format
    file: Path
    stream_id: str
    event_name: str
    """Begins its event ids."""
    copies: int = 0
    """Annotated copies that lie beside it and are not read."""


def find_homes(raw: Path, chosen: Collection[str] | None = None) -> tuple[HomeFile, ...]:
    """The homes in a file, or in a folder and the folders in it, in the order of their stream ids.

    Args:
        raw: The file or folder; other files in a folder (labels, descriptions) are passed over.
        chosen: Names or stream ids of the homes wanted; None for all.

    Raises:
        ConfigError: No home of that name.
        InputError: No such file, none of its lines is a known form, or one home lies there twice.
    """
    if raw.is_dir():
        files = sorted(path for path in raw.rglob("*") if path.is_file() and not _passed_over(path.relative_to(raw)))
    else:
        files = [raw]
    found = [(file, form) for file in files if (form := _form(file, named=not raw.is_dir())) is not None]
    if not found:
        raise InputError(
            "no smart home's sensor file here",
            file=raw,
            found=[path.relative_to(raw).as_posix() for path in files][:8] or None,
            expected="CASAS lines (2012-07-18 12:54:45.682577 MA016 Kitchen Kitchen OFF Control4-MotionArea) or UCI ADL rows "
            "(start, end, location, type, place)",
            remedy="Name the folder that holds the homes' files.",
        )
    homes = _named(found)
    if chosen is None:
        return homes
    wanted = {name.strip() for name in chosen if name.strip()}
    if not wanted:
        raise ConfigError("no home was named.", remedy="Name at least one, or leave the filter out for all.")
    if unknown := sorted(wanted - {home.name for home in homes} - {home.stream_id for home in homes}):
        listed = ", ".join(home.name for home in homes[:60])
        raise ConfigError(f"{raw}: no home {unknown}; present are {listed}.", remedy="Name some of these.")
    return tuple(home for home in homes if wanted & {home.name, home.stream_id})


def home_streams(
    homes: Collection[HomeFile],
    *,
    start: date | None = None,
    days: int | None = None,
    partial: bool = False,
    tally: Tally,
    progress: Callable[[int, int], None] | None = None,
) -> Iterator[SourceStream]:
    """One stream a home, made day by day while it is read.

    Args:
        homes: What `find_homes` found.
        start: First local day wanted; None begins with the first complete one.
        days: Consecutive local days wanted; None takes all.
        partial: Keep the incomplete first and last day too.
        tally: Counts what is left out and noticed.
        progress: Called with bytes read and bytes in all.

    Raises:
        ConfigError: A home's recording does not hold the days wanted.
        InputError: A file cannot be read, or holds no record.
    """
    if days is not None and days < 1:
        raise ConfigError(f"days is {days}; expected at least 1.")
    total = sum(home.file.stat().st_size for home in homes)
    done = 0

    def told(read: int) -> None:
        nonlocal done
        done += read
        if progress is not None:
            progress(done, total)

    for home in homes:
        tally.noticed["annotated_copies_of_a_raw_file"] += home.copies
        yield SourceStream(home.stream_id, "time", _events(home, start, days, partial=partial, tally=tally, told=told))


def _passed_over(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts) or path.name in _OTHERS


def _form(file: Path, *, named: bool) -> Format | None:
    """What a file holds, by its first lines; None where it is something else."""
    try:
        with file.open("rb") as opened:
            sample = opened.read(_SAMPLE)
    except OSError as error:
        if not named:
            return None
        raise InputError(
            f"cannot be read ({error.strerror or error})", file=file, remedy="Check that the file exists and is readable."
        ) from error
    lines = sample.decode("utf-8-sig", errors="replace").splitlines()
    if len(sample) == _SAMPLE:
        lines = lines[:-1]
    lines = [line for line in lines if line.strip()][:_LINES]
    if any(map(is_uci_row, lines)):
        return "uci_adl"
    return "casas" if lines and 2 * sum(map(is_casas_line, lines)) >= len(lines) else None


def _named(found: list[tuple[Path, Format]]) -> tuple[HomeFile, ...]:
    by_name: dict[tuple[Format, str], list[Path]] = {}
    for file, form in found:
        by_name.setdefault((form, _name(file)), []).append(file)
    homes = []
    numbers = {key: number for number, key in enumerate((key for key in sorted(by_name) if key[0] == "casas"), start=1)}
    for key, files in sorted(by_name.items()):
        raw = [file for file in files if "raw" in file.name.casefold()] or files
        if len(raw) > 1:
            raw = [file for file in files if "ann" not in file.name.casefold()]
        if len(raw) != 1:
            raise InputError(
                f"home {key[1]!r} lies there more than once", file=files[0].parent, found=[file.name for file in files],
                expected="one file a home, or a raw and an annotated one", remedy="Move the other copies away.",
            )  # fmt: skip
        form, name = key
        number = numbers.get(key, 0)
        stream_id = f"casas_home_{number:04d}" if form == "casas" else f"uci_adl_home_{name}"
        event_name = f"casas50_{number:04d}" if form == "casas" else f"uci50_{name}"
        homes.append(HomeFile(name, form, raw[0], stream_id, event_name, len(files) - 1))
    return tuple(homes)


def _name(file: Path) -> str:
    """hh101 of hh101/rawdata.txt, hh101.rawdata.txt, hh101.ann.txt or hh101.csv; A of OrdonezA_Sensors.txt."""
    stem = re.sub(r"\.(?:txt|csv|tsv|dat|log)$", "", file.name, flags=re.IGNORECASE)
    if ordonez := _ORDONEZ.fullmatch(stem):
        return ordonez[1].upper()
    if stem.casefold() in _GENERIC:
        return file.resolve().parent.name or stem
    return _WORDS.sub("", stem) or stem


def _events(
    home: HomeFile, start: date | None, days: int | None, *, partial: bool, tally: Tally, told: Callable[[int], None]
) -> Iterator[Sourced]:
    still: dict[str, Still] = {}
    kept = 0
    first: date | None = None
    last: date | None = None
    for day, whole in _judged(home, tally, told):
        if not (whole or partial):
            reason = "records_of_partial_days"
        elif (start is not None and day.day < start) or (days is not None and kept == days):
            reason = "records_outside_chosen_days"
        else:
            reason = ""
            first, last = first or day.day, day.day
        if reason:
            tally.dropped[reason] += len(day.readings)
            carry(still, day.readings)
            continue
        kept += 1
        for event in day_segments(home.stream_id, home.event_name, day.day, day.readings, still, tally.noticed):
            yield Sourced(event, (home.name, event.window_start.isoformat()))
    if (start is not None and first != start) or (days is not None and kept < days):
        begin = f" from {start.isoformat()} on" if start is not None else ""
        held = f"{kept} from {first.isoformat()} to {last.isoformat()}" if first and last else "none"
        raise ConfigError(
            f"{home.file}: home {home.name!r} does not hold the {days or ''} complete days{begin} asked for; it holds {held}.",
            remedy="Choose days within the recording, or build partial days too.",
        )


def _judged(home: HomeFile, tally: Tally, told: Callable[[int], None]) -> Iterator[tuple[Day, bool]]:
    """Every day from the first record to the last, with whether it is complete; all are where else none would be."""
    found = _filled(home, tally, told)
    head = list(islice(found, 3))
    if not head:
        raise InputError(
            "holds no sensor record", file=home.file, expected="at least one readable line", remedy="Fetch the file again."
        )
    begins = segment_of(head[0].readings[0].at) == 0
    if len(head) < 3:
        ends = segment_of(head[-1].readings[-1].at) == DAY_SEGMENTS - 1
        whole = [begins and ends] if len(head) == 1 else [begins, ends]
        if not any(whole):
            tally.noticed["homes_without_complete_day"] += 1
            whole = [True] * len(head)
        yield from zip(head, whole, strict=True)
        return
    yield head[0], begins
    before = head[1]
    for day in chain(head[2:], found):
        yield before, True
        before = day
    yield before, segment_of(before.readings[-1].at) == DAY_SEGMENTS - 1


def _filled(home: HomeFile, tally: Tally, told: Callable[[int], None]) -> Iterator[Day]:
    """The days of a recording, those without records among them; silences are noticed."""
    before: datetime | None = None
    for day in casas_days(home.file, tally, told) if home.format == "casas" else uci_days(home.file, tally):
        if before is not None:
            gap = (day.day - before.date()).days
            if gap > _LONGEST_GAP:
                raise InputError(
                    f"{gap} days without a record before {day.day.isoformat()}",
                    file=home.file,
                    field="Time",
                    found=f"{before.isoformat()}, then {day.readings[0].at.isoformat()}",
                    expected=f"at most {_LONGEST_GAP} days between records",
                    remedy="Remove the lines with a wrong date, or split the file.",
                )
            for number in range(1, gap):
                tally.noticed["days_without_records"] += 1
                yield Day(before.date() + timedelta(days=number), [])
        moments = [reading.at for reading in day.readings]
        tally.noticed["silences_over_6_hours"] += sum(
            after - earlier > _SILENCE for earlier, after in pairwise([before or moments[0], *moments])
        )
        before = moments[-1]
        yield day
    if home.format == "uci_adl":
        told(home.file.stat().st_size)
