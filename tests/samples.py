"""Small hand-made events for tests, and hypothesis strategies over them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from hypothesis import strategies as st

from proactmem.core.events import CodeEvent, DesktopEvent, HomeEvent, SportsEvent, parse_event
from proactmem.core.streams import Event, arrive, causal_order

FIGURE_5 = {
    "event_id": "6379c89c927a28f79bc620c3",
    "timestamp": "2015-07-22T21:31:48Z",
    "stream_id": "heartsteps_participant_01",
    "observable_payload": {
        "source_local_decision_time": "2015-07-22T17:31:48",
        "source_utc_offset_seconds": -14400,
        "decision_slot": 4,
        "available": True,
        "recognized_activity": "STILL",
        "google_fit_steps_pre30": 0,
        "google_fit_steps_pre60": 73,
        "jawbone_steps_pre30": 261,
        "jawbone_steps_pre60": 456,
        "location_category": "home",
        "weather_condition": "Mostly Cloudy",
        "temperature_c": 25.8,
    },
}


def sports(
    event_id: str,
    local: str,
    *,
    stream: str = "p1",
    offset: int = -14400,
    activity: str | None = "STILL",
    available: bool = True,
    place: str | None = "home",
    steps60: int | None = 50,
    slot: int | None = 1,
) -> SportsEvent:
    """A participant's decision point at a local wall-clock time."""
    moment = datetime.fromisoformat(local)
    event = parse_event(
        {
            "event_id": event_id,
            "timestamp": (moment - timedelta(seconds=offset)).replace(tzinfo=UTC).isoformat(),
            "stream_id": stream,
            "observable_payload": {
                "source_local_decision_time": moment.isoformat(),
                "source_utc_offset_seconds": offset,
                "decision_slot": slot,
                "available": available,
                "recognized_activity": activity,
                "google_fit_steps_pre30": None,
                "google_fit_steps_pre60": None,
                "jawbone_steps_pre30": None if steps60 is None else steps60 // 2,
                "jawbone_steps_pre60": steps60,
                "location_category": place,
                "weather_condition": "Clear",
                "temperature_c": 20.0,
            },
        },
        scope="sports",
    )
    assert isinstance(event, SportsEvent)
    return event


def home(event_id: str, start: str, minutes: int = 50, *, stream: str = "h1", **rooms: int) -> HomeEvent:
    """One segment of a home with activations by room."""
    begin = datetime.fromisoformat(start)
    end = begin + timedelta(minutes=minutes)
    total = sum(rooms.values())
    event = parse_event(
        {
            "event_id": event_id,
            "stream_id": stream,
            "window_start": begin.isoformat(),
            "window_end": end.isoformat(),
            "decision_time": end.isoformat(),
            "duration_minutes": minutes,
            "motion": {
                "raw_event_count": total * 2,
                "activation_count": total,
                "deactivation_count": total,
                "location_counts": rooms,
                "location_sequence": list(rooms),
            },
            "door_actions": [],
            "numeric_sensors": [],
            "other_actions": [],
        },
        scope="home",
    )
    assert isinstance(event, HomeEvent)
    return event


def code(event_id: str, time: str, number: int | str | None = 7, *, kind: str = "IssuesEvent", **content: str) -> CodeEvent:
    """One repository event."""
    event = parse_event(
        {
            "event_id": event_id,
            "event_time": time,
            "stream_id": "r1",
            "repository": {"full_name": "o/r"},
            "event": {"action": "opened", "github_type": kind},
            "object": {"number": number, "type": "issue"},
            "content": content,
            "attributes": {"state": "open"},
        },
        scope="code",
    )
    assert isinstance(event, CodeEvent)
    return event


def desktop(event_id: str, time: str | float, text: str = "The user types.") -> DesktopEvent:
    """One desktop observation."""
    event = parse_event({"event_id": event_id, "time": time, "stream_id": "d1", "event": text}, scope="desktop")
    assert isinstance(event, DesktopEvent)
    return event


def stream(*events: SportsEvent | HomeEvent | CodeEvent | DesktopEvent) -> list[Event]:
    """Events in causal order, arrived."""
    return list(arrive(causal_order(events)))


@st.composite
def sports_days(draw: st.DrawFn, min_days: int = 1, max_days: int = 24) -> list[Event]:
    """A participant's stream of a few decision points a day, habits and gaps included."""
    days = draw(st.integers(min_days, max_days))
    events: list[SportsEvent] = []
    for day in range(days):
        hours = draw(st.lists(st.integers(6, 22), min_size=0, max_size=5, unique=True))
        for hour in sorted(hours):
            stamp = datetime.fromisoformat("2015-07-20") + timedelta(days=day, hours=hour, minutes=draw(st.integers(0, 59)))
            events.append(
                sports(
                    f"e{day:03d}-{hour:02d}",
                    stamp.isoformat(),
                    activity=draw(st.sampled_from(["STILL", "STILL", "ON_FOOT", "UNKNOWN", None])),
                    available=draw(st.booleans()),
                    place=draw(st.sampled_from(["home", "work", None])),
                    steps60=draw(st.sampled_from([None, 0, 120, 1800])),
                    slot=draw(st.integers(1, 5)),
                )
            )
    return stream(*events) if events else []


def prefix(events: Sequence[Event], count: int) -> list[Event]:
    """The first events of a stream, arrived anew: what a method would see if the stream had been cut."""
    return list(arrive([event.public for event in events[:count]]))
