"""A home's day in 29 segments: 144 ten-minute wall-clock blocks, each counted once, summed as Home events (SPEC 1).

28 segments have five blocks (50 minutes), the last one four (40 minutes). Every sensor record falls into exactly one segment
and one of its containers: motion, doors, numeric sensors, other actions. What is on when a segment begins stands in
`other_actions` with `since` and no time: that is a state, not a record (ours). A state of more than a day is taken for a
lost OFF and dropped (ours). The wall clock has no zone: a skipped hour leaves its blocks quiet, a repeated hour's records
fall into the same blocks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime, time, timedelta
from typing import Literal, NamedTuple

from proactmem.core.events import DoorAction, HomeEvent, Motion, NumericSensor, OtherAction

__all__ = ["DAY_SEGMENTS", "Reading", "Still", "bounds", "carry", "day_segments", "segment_of"]

DAY_SEGMENTS = 29
"""Segments of a local day: 28 of 50 minutes and a tail of 40."""
_BLOCK, _BLOCKS = 10, 5
"""Minutes of a block, and blocks of a full segment."""
_LONGEST = timedelta(days=1)
"""A device that has been on for longer is taken for one whose OFF was lost (ours)."""

Kind = Literal["motion", "door", "numeric", "other"]


class Reading(NamedTuple):
    """One sensor record at its wall-clock time."""

    at: datetime
    """Local, without a zone."""
    kind: Kind
    sensor: str
    location: str
    """The room where the source names one, else the sensor."""
    action: str
    """ON or OFF of motion, OPEN or CLOSE of a door, the action of another sensor; empty for a number."""
    number: float | None = None
    measures: str | None = None
    """What a numeric sensor measures: temperature, light, battery, ..."""
    stays: bool | None = None
    """True begins a state that lasts (a lamp on, a door open, somebody in bed), False ends it, None is momentary."""


class Still(NamedTuple):
    """A device that is on, and since when."""

    location: str
    action: str
    since: datetime


def segment_of(at: datetime) -> int:
    """The segment, 0 to 28, that a wall-clock time falls in.

    Example:
        >>> segment_of(datetime(2012, 7, 21, 0, 50)), segment_of(datetime(2012, 7, 21, 23, 59, 59))
        (1, 28)
    """
    return (at.hour * 60 + at.minute) // (_BLOCK * _BLOCKS)


def bounds(day: date, segment: int) -> tuple[datetime, datetime]:
    """Start and end of a segment; the last one ends at 00:00 of the next day."""
    midnight = datetime.combine(day, time())
    start = midnight + timedelta(minutes=segment * _BLOCK * _BLOCKS)
    return start, min(start + timedelta(minutes=_BLOCK * _BLOCKS), midnight + timedelta(days=1))


def carry(still: dict[str, Still], readings: Iterable[Reading]) -> None:
    """Bring what is on up to date with records in order of time."""
    for reading in readings:
        if reading.stays:
            still.setdefault(reading.sensor, Still(reading.location, reading.action, reading.at))
        elif reading.stays is False:
            still.pop(reading.sensor, None)


def day_segments(
    stream_id: str, name: str, day: date, readings: Sequence[Reading], still: dict[str, Still], lost: Counter[str]
) -> Iterator[HomeEvent]:
    """The 29 events of a day, in order.

    Args:
        stream_id: The home's stream.
        name: Begins the event ids: `<name>_<date>_<segment>`, the same whatever days are built.
        day: The local date.
        readings: The day's records in order of time.
        still: What is on when the day begins, by sensor; holds what is on at its end afterwards.
        lost: Counts states of more than a day under `devices_on_over_a_day`.
    """
    parts: list[list[Reading]] = [[] for _ in range(DAY_SEGMENTS)]
    for reading in readings:
        parts[segment_of(reading.at)].append(reading)
    for segment, part in enumerate(parts):
        start, end = bounds(day, segment)
        for sensor in [sensor for sensor, state in still.items() if start - state.since > _LONGEST]:
            del still[sensor]
            lost["devices_on_over_a_day"] += 1
        before = tuple(still.items())
        carry(still, part)
        yield HomeEvent(
            event_id=f"{name}_{day.isoformat()}_{segment:02d}",
            stream_id=stream_id,
            window_start=start,
            window_end=end,
            decision_time=end,
            duration_minutes=int((end - start).total_seconds()) // 60,
            motion=_motion([reading for reading in part if reading.kind == "motion"]),
            door_actions=tuple(
                DoorAction(location=reading.location, action=reading.action, time=_clock(reading.at))
                for reading in part
                if reading.kind == "door"
            ),
            numeric_sensors=_numeric([reading for reading in part if reading.kind == "numeric"]),
            other_actions=(
                *(_on_before(sensor, state, day) for sensor, state in before),
                *(
                    OtherAction(
                        sensor=reading.sensor, location=reading.location, action=reading.action, time=_clock(reading.at)
                    )
                    for reading in part
                    if reading.kind == "other"
                ),
            ),
        )


def _motion(part: Sequence[Reading]) -> Motion:
    on = [reading.location for reading in part if reading.action == "ON"]
    sequence: list[str] = []
    for place in on:
        if not sequence or sequence[-1] != place:
            sequence.append(place)
    return Motion(
        raw_event_count=len(part),
        activation_count=len(on),
        deactivation_count=len(part) - len(on),
        location_counts=dict(sorted(Counter(on).items())),
        location_sequence=tuple(sequence),
    )


def _numeric(part: Sequence[Reading]) -> tuple[NumericSensor, ...]:
    by_sensor: dict[str, list[Reading]] = {}
    for reading in part:
        by_sensor.setdefault(reading.sensor, []).append(reading)
    return tuple(_summary(sensor, found) for sensor, found in sorted(by_sensor.items()))


def _summary(sensor: str, found: Sequence[Reading]) -> NumericSensor:
    numbers = [reading.number for reading in found if reading.number is not None]
    last = found[-1]
    return NumericSensor(
        sensor=sensor,
        location=None if last.location == sensor else last.location,
        kind=last.measures,
        count=len(found),
        minimum=min(numbers),
        maximum=max(numbers),
        mean=round(sum(numbers) / len(numbers), 3),
        last=numbers[-1],
    )


def _on_before(sensor: str, state: Still, day: date) -> OtherAction:
    """A device that was on when the segment began; `(-1d)` says that it has been since the day before."""
    earlier = (day - state.since.date()).days
    since = _clock(state.since) + (f" (-{earlier}d)" if earlier else "")
    return OtherAction(sensor=sensor, location=state.location, action=state.action, since=since)


def _clock(at: datetime) -> str:
    return at.strftime("%H:%M:%S")
