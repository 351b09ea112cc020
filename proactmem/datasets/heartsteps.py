"""HeartSteps V1 `suggestions.csv` to Sports streams: one event a connected decision point, as the phone observed it.

Read are the columns known at the decision; what came after it and the randomised treatment never enter (Appendix A.1).
Missing steps are missing, never the `.zero` twins; times are UTC though printed without a zone; the source's order,
decision.index, is the causal order (SPEC 1).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from datetime import datetime, timedelta
from hashlib import sha256
from itertools import groupby, pairwise
from pathlib import Path
from typing import Literal, NamedTuple, get_args

from proactmem.core.events import parse_event
from proactmem.datasets.selection import TRIAL_POINTS
from proactmem.datasets.suggestions import Cells, Suggestions, records
from proactmem.datasets.tally import Tally
from proactmem.datasets.writing import KeyColumns, Sourced, SourceStream
from proactmem.errors import ConfigError, InputError

__all__ = ["DROPS", "KEYS", "NOTICES", "Points", "participant_streams"]

Points = Literal["connected", "available", "trial"]
"""Which decision points are events: all connected ones, those at which a suggestion was allowed, or the available ones of the
trial itself (SPEC 1). The trial is the first `TRIAL_POINTS` points of a participant, travel days not counted; participants 05
and 35 then have exactly the 184 and 191 events of Table 6 (ours), against 190 and 192 available points in all: both went on
answering after day 42."""
KEYS: KeyColumns = {"participant": "int", "decision_index": "int"}
"""The source key of a Sports event."""
DROPS = ("no_decision_time", "not_connected", "not_available")
"""Reasons for which a row gives no event; `not_in_the_trial` is one more where the trial's points are asked for."""
NOTICES = ("decision_index_gaps", "rows_out_of_order", "participants_without_events")
"""Peculiarities that drop nothing."""


class _Point(NamedTuple):
    """One row, typed; None is an empty cell or the column's sentinel."""

    row: int
    participant: int
    decision: int
    time: datetime | None
    offset: int | None
    slot: int | None
    connected: bool
    available: bool | None
    activity: str | None
    google_30: int | None
    google_60: int | None
    jawbone_30: int | None
    jawbone_60: int | None
    in_trial: bool
    location: str | None
    weather: str | None
    temperature: float | None


class _Kept(NamedTuple):
    """A decision point that is an event, its time and offset known."""

    point: _Point
    time: datetime
    offset: int


def participant_streams(
    source: Suggestions, *, participants: Collection[int] | None = None, points: Points = "connected", tally: Tally
) -> Iterator[SourceStream]:
    """One stream a participant, in ascending order, made while it is read; drops are counted in `tally`.

    Raises:
        ConfigError: `points` or a participant is unknown.
        InputError: A cell in use is malformed, or a decision point occurs twice.
    """
    if points not in get_args(Points):
        raise ConfigError(f"unknown decision points {points!r}; expected {', '.join(get_args(Points))}.", remedy="Use one.")
    wanted = set(source.rows) if participants is None else set(participants)
    if unknown := sorted(wanted - set(source.rows)):
        present = list(source.rows)
        listed = ", ".join(map(str, present[:60])) + (", ..." if len(present) > 60 else "")
        raise ConfigError(f"{source.path}: no participant {unknown}; present are {listed}.", remedy="Name some of these.")
    if not wanted:
        raise ConfigError("no participant was named.", remedy="Name at least one, or leave the filter out for all.")
    if points == "trial":
        tally.dropped["not_in_the_trial"] += 0
    return _streams(source, wanted, points, tally)


def _streams(source: Suggestions, wanted: Collection[int], points: Points, tally: Tally) -> Iterator[SourceStream]:
    rows: Iterable[_Point] = (
        _point(cells) for cells in records(source.path) if cells.required("user.index", 1, 10**9) in wanted
    )
    if not source.sorted:
        rows = sorted(rows, key=lambda point: point.participant)
    for participant, group in groupby(rows, key=lambda point: point.participant):
        found = list(group)
        tally.noticed["rows_out_of_order"] += sum(after.decision < before.decision for before, after in pairwise(found))
        kept = _kept(found, source.path, points, tally)
        tally.noticed["participants_without_events"] += not kept
        yield SourceStream(_stream_id(participant), "source", (_sourced(point, source.path) for point in kept))


def _point(cells: Cells) -> _Point:
    connected, available = cells.boolean("connect"), cells.boolean("avail")
    if connected is None:
        raise cells.wrong("connect", "an empty cell", "True or False")
    point = _Point(
        row=cells.row,
        participant=cells.required("user.index", 1, 10**9),
        decision=cells.required("decision.index", 0, 10**9),
        time=cells.time("sugg.decision.utime"),
        offset=cells.integer("sugg.gmtoff", -64_800, 64_800),
        slot=cells.integer("sugg.decision.slot", 0, 6),
        connected=connected,
        available=available,
        activity=cells.activity("recognized.activity"),
        google_30=cells.integer("gfsteps30pre", 0, 10**6),
        google_60=cells.integer("gfsteps60pre", 0, 10**6),
        jawbone_30=cells.integer("jbsteps30pre", 0, 10**6),
        jawbone_60=cells.integer("jbsteps60pre", 0, 10**6),
        in_trial=(untravelled := cells.integer("decision.index.nogap", 0, 10**9)) is not None and untravelled < TRIAL_POINTS,
        location=cells.text("dec.location.category"),
        weather=cells.text("dec.weather.condition"),
        temperature=cells.temperature("dec.temperature"),
    )
    if connected and point.time is not None:
        if available is None:
            raise cells.wrong("avail", "an empty cell at a connected decision point", "True or False")
        if point.offset is None:
            raise cells.wrong("sugg.gmtoff", "an empty cell at a connected decision point", "seconds east of UTC")
    return point


def _kept(rows: list[_Point], path: Path, points: Points, tally: Tally) -> list[_Kept]:
    """The participant's events in order of decision.index."""
    seen: dict[int, _Point] = {}
    for point in rows:
        if point.decision in seen:
            raise InputError(
                f"decision point {point.decision} of participant {point.participant} occurs twice, first in row "
                f"{seen[point.decision].row}",
                file=path,
                row=point.row,
                field="decision.index",
                found=point.decision,
                expected="each decision.index once a participant",
                remedy="Remove one of the two rows.",
            )
        seen[point.decision] = point
    tally.noticed["decision_index_gaps"] += max(seen) - min(seen) + 1 - len(seen)
    kept: list[_Kept] = []
    for _, point in sorted(seen.items()):
        if point.time is None:
            tally.dropped["no_decision_time"] += 1
        elif not point.connected or point.offset is None:
            tally.dropped["not_connected"] += 1
        elif points != "connected" and not point.available:
            tally.dropped["not_available"] += 1
        elif points == "trial" and not point.in_trial:
            tally.dropped["not_in_the_trial"] += 1
        else:
            kept.append(_Kept(point, point.time, point.offset))
    return kept


def _stream_id(participant: int) -> str:
    return f"heartsteps_participant_{participant:02d}"


def _sourced(kept: _Kept, path: Path) -> Sourced:
    point, time, offset = kept
    identity = f"heartsteps|{point.participant}|{point.decision}|{time.isoformat()}"
    event = parse_event(
        {
            "event_id": sha256(identity.encode()).hexdigest()[:24],
            "timestamp": time,
            "stream_id": _stream_id(point.participant),
            "observable_payload": {
                "source_local_decision_time": time.replace(tzinfo=None) + timedelta(seconds=offset),
                "source_utc_offset_seconds": offset,
                "decision_slot": point.slot,
                "available": point.available,
                "recognized_activity": point.activity,
                "google_fit_steps_pre30": point.google_30,
                "google_fit_steps_pre60": point.google_60,
                "jawbone_steps_pre30": point.jawbone_30,
                "jawbone_steps_pre60": point.jawbone_60,
                "location_category": point.location,
                "weather_condition": point.weather,
                "temperature_c": point.temperature,
            },
        },
        scope="sports",
        file=path,
        row=point.row,
    )
    return Sourced(event, (point.participant, point.decision))
