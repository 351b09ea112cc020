"""The columns of an exported event: typed, documented, and all derived from the public event itself (Equation 1).

`public` is the event as a method is shown it, whole; every other column of an event is a part of it or its place in the
stream, kept apart so that a table can be read without parsing JSON. No column knows a label.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import NamedTuple

import pyarrow as pa

from proactmem.core.events import CodeEvent, DesktopEvent, HomeEvent, Scope, SportsEvent, SportsPayload, public_json
from proactmem.core.streams import Event

__all__ = ["LABEL_COLUMNS", "Column", "Key", "Placed", "event_columns", "event_row", "event_schema", "label_schema"]

Key = Mapping[str, str | int]
"""Which record of the source an event came from, by the names of the source's own key."""


class Placed(NamedTuple):
    """An event and what its stream states of it beside the event's own fields."""

    event: Event
    order: str
    zone: str | None
    key: Key


class Column(NamedTuple):
    """One column: its name, type and meaning, and where its value is read."""

    name: str
    type: pa.DataType
    description: str
    value: Callable[[Placed], object]


_TEXT, _WHOLE, _NUMBER, _TRUTH = pa.string(), pa.int64(), pa.float64(), pa.bool_()
_TEXTS = pa.list_(pa.field("element", _TEXT))
_INSTANT, _WALL = pa.timestamp("us", tz="UTC"), pa.timestamp("us")

_HEAD = (
    Column(
        "stream_id", _TEXT, "The participant, home, repository or trace the event belongs to.", lambda at: at.event.stream_id
    ),
    Column(
        "event_id", _TEXT, "Identifier of the event, unique within its stream; labels name it.", lambda at: at.event.event_id
    ),
    Column("index", _WHOLE, "0-based position in the stream, in causal order.", lambda at: at.event.index),
    Column(
        "time",
        _INSTANT,
        "Arrival time: the stated time, never before the previous event's. UTC; a home's wall clock stands for itself.",
        lambda at: at.event.tau,
    ),
    Column("local_day", pa.date32(), "Local day the event belongs to; never goes back in a stream.", lambda at: at.event.day),
)
_TAIL = (
    Column("order", _TEXT, "'time': by time, then event id; 'source': the source's own order.", lambda at: at.order),
    Column("zone", _TEXT, "Time zone that decides local days, where the stream states one.", lambda at: at.zone),
    Column(
        "public",
        _TEXT,
        "The public event as one line of JSON: all that a method may see, and nothing else.",
        lambda at: public_json(at.event.public),
    ),
    Column(
        "source_key",
        _TEXT,
        "Which record of the source the event came from, as JSON; no method sees it.",
        lambda at: json.dumps(at.key, ensure_ascii=False),
    ),
)


def _payload(at: Placed) -> SportsPayload:
    assert isinstance(at.event.public, SportsEvent)
    return at.event.public.observable_payload


def _home(at: Placed) -> HomeEvent:
    assert isinstance(at.event.public, HomeEvent)
    return at.event.public


def _code(at: Placed) -> CodeEvent:
    assert isinstance(at.event.public, CodeEvent)
    return at.event.public


def _desktop(at: Placed) -> DesktopEvent:
    assert isinstance(at.event.public, DesktopEvent)
    return at.event.public


def _number(at: Placed) -> str | None:
    number = _code(at).object.number
    return None if number is None else str(number)


_FIELDS: Mapping[Scope, tuple[Column, ...]] = {
    "sports": (
        Column(
            "source_local_decision_time",
            _WALL,
            "Wall-clock time of the decision at the participant's place.",
            lambda at: _payload(at).source_local_decision_time,
        ),
        Column(
            "source_utc_offset_seconds",
            _WHOLE,
            "Seconds east of UTC at the participant's place.",
            lambda at: _payload(at).source_utc_offset_seconds,
        ),
        Column(
            "decision_slot",
            _WHOLE,
            "Slot the local time falls in: 1 morning to 5 dinner; 0 before the first, 6 after the last; null unknown.",
            lambda at: _payload(at).decision_slot,
        ),
        Column("available", _TRUTH, "Connected, not snoozed and not in transit.", lambda at: _payload(at).available),
        Column(
            "recognized_activity",
            _TEXT,
            "The phone's activity recognition; UNKNOWN is a value, null is not observed.",
            lambda at: _payload(at).recognized_activity,
        ),
        Column(
            "google_fit_steps_pre30",
            _WHOLE,
            "Google Fit steps in the 30 minutes before the decision; null is not measured, never 0.",
            lambda at: _payload(at).google_fit_steps_pre30,
        ),
        Column(
            "google_fit_steps_pre60",
            _WHOLE,
            "Google Fit steps in the 60 minutes before; null is not measured.",
            lambda at: _payload(at).google_fit_steps_pre60,
        ),
        Column(
            "jawbone_steps_pre30",
            _WHOLE,
            "Jawbone steps in the 30 minutes before; null is not measured.",
            lambda at: _payload(at).jawbone_steps_pre30,
        ),
        Column(
            "jawbone_steps_pre60",
            _WHOLE,
            "Jawbone steps in the 60 minutes before; null is not measured.",
            lambda at: _payload(at).jawbone_steps_pre60,
        ),
        Column(
            "location_category",
            _TEXT,
            "The source's own string: home, work or comma-joined place types; null unknown.",
            lambda at: _payload(at).location_category,
        ),
        Column(
            "weather_condition",
            _TEXT,
            "Weather text of the source; null unknown.",
            lambda at: _payload(at).weather_condition,
        ),
        Column("temperature_c", _NUMBER, "Degrees Celsius; null unknown.", lambda at: _payload(at).temperature_c),
    ),
    "home": (
        Column("window_start", _WALL, "Start of the segment, local wall clock.", lambda at: _home(at).window_start),
        Column(
            "window_end",
            _WALL,
            "End of the segment and its decision time, local wall clock: not visible before.",
            lambda at: _home(at).window_end,
        ),
        Column("duration_minutes", _WHOLE, "Length of the segment.", lambda at: _home(at).duration_minutes),
        Column(
            "motion_raw_event_count",
            _WHOLE,
            "Records of motion sensors within the segment.",
            lambda at: _home(at).motion.raw_event_count,
        ),
        Column("motion_activation_count", _WHOLE, "Of these, activations.", lambda at: _home(at).motion.activation_count),
        Column("motion_deactivation_count", _WHOLE, "Of these, deactivations.", lambda at: _home(at).motion.deactivation_count),
        Column(
            "motion_location_sequence",
            _TEXTS,
            "Locations in order of activation, consecutive repeats collapsed; counts a location stand in `public`.",
            lambda at: list(_home(at).motion.location_sequence),
        ),
        Column("door_action_count", _WHOLE, "Changes of door sensors.", lambda at: len(_home(at).door_actions)),
    ),
    "code": (
        Column("event_time", _INSTANT, "Time of the event as GitHub states it, UTC.", lambda at: _code(at).event_time),
        Column("repository", _TEXT, "Full name of the repository.", lambda at: _code(at).repository.full_name),
        Column("github_type", _TEXT, "GitHub's event type.", lambda at: _code(at).event.github_type),
        Column("action", _TEXT, "GitHub's action; null where the type has none.", lambda at: _code(at).event.action),
        Column("object_type", _TEXT, "What was acted on: issue, pull request, push, ...", lambda at: _code(at).object.type),
        Column("object_number", _TEXT, "Its number as text; a push has its ref; null where it has none.", _number),
    ),
    "desktop": (
        Column("stated_time", _INSTANT, "Time the trace states, UTC; it may go back.", lambda at: _desktop(at).time),
        Column("event", _TEXT, "One sentence on what the user did.", lambda at: _desktop(at).event),
    ),
}

LABEL_COLUMNS: Mapping[str, tuple[pa.DataType, str]] = {
    "event_id": (_TEXT, "The event this judges."),
    "stream_id": (_TEXT, "Its stream."),
    "y": (_TRUTH, "Reference decision of Equation 9: intervene (true) or abstain (false)."),
    "a": (_TRUTH, "A: the event alone supports a concrete, timely, feasible, low-risk service; null not annotated."),
    "b": (_TRUTH, "B: earlier events of the stream support it; null not annotated."),
    "n": (_TRUTH, "N: first reliable actionable window of its episode; null not annotated."),
    "service": (_TEXT, "The useful service, in the source's words; null none."),
}
"""Columns of the label files: type and meaning."""


def event_columns(scope: Scope) -> tuple[Column, ...]:
    """All columns of a scope's exported events, in file order."""
    return (*_HEAD, *_FIELDS[scope], *_TAIL)


def event_schema(scope: Scope) -> pa.Schema:
    """Their Arrow schema, each field's meaning beside it."""
    described = [
        pa.field(column.name, column.type, metadata={"description": column.description}) for column in event_columns(scope)
    ]
    return pa.schema(described)


def label_schema() -> pa.Schema:
    """The Arrow schema of a label file."""
    return pa.schema([(name, kind) for name, (kind, _) in LABEL_COLUMNS.items()])


def event_row(placed: Placed) -> tuple[object, ...]:
    """The values of an event's columns, in file order."""
    return tuple(column.value(placed) for column in event_columns(placed.event.scope))
