"""Events in causal order: arrival time, local wall clock and local day of each (Equation 1, SPEC 1)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from functools import cached_property
from typing import Literal

from proactmem.core.events import CodeEvent, DesktopEvent, HomeEvent, Scope, SportsEvent, public_json
from proactmem.core.facts import Canonical, event_facts, observed_containers
from proactmem.errors import InputError

__all__ = ["DAY_SECONDS", "Event", "Span", "arrive", "causal_order", "stated_time"]

DAY_SECONDS = 86_400.0
"""Length of a local day on the wall clock, in seconds; DST days included (SPEC 1)."""

Span = tuple[float, float]
"""Local start and end of an event, in seconds since 00:00 of its local day; equal for a point event."""

Public = SportsEvent | HomeEvent | CodeEvent | DesktopEvent


@dataclass(frozen=True, eq=False)
class Event:
    """e_t = (tau_t, x_t) of Equation 1, with the local day and wall clock that memory uses."""

    index: int
    """t - 1: 0-based position in its stream."""
    public: Public
    """x_t, the public fields."""
    tau: datetime
    """tau_t, UTC, never decreasing in a stream; max of the stated time and the previous tau (ours)."""
    day: date
    """Local day; never goes back (SPEC 1)."""
    span: Span
    """Wall-clock interval within `day`, in seconds."""

    @property
    def event_id(self) -> str:
        """The source's identifier; unique within a stream."""
        return self.public.event_id

    @property
    def stream_id(self) -> str:
        """The entity this event belongs to."""
        return self.public.stream_id

    @property
    def scope(self) -> Scope:
        """The event's application scope."""
        return self.public.scope

    @cached_property
    def json(self) -> str:
        """The original public form, one line of JSON; `<` is written as its escape, so that no text can fake a block."""
        return public_json(self.public).replace("<", "\\u003c")

    @cached_property
    def facts(self) -> dict[str, tuple[Canonical, ...]]:
        """F(e) of Equation 5: canonical scalars by field path."""
        return event_facts(self.public)

    @cached_property
    def observed(self) -> frozenset[str]:
        """Containers held at this event: what could have been seen here, absence included (SPEC 4)."""
        return observed_containers(self.public, self.facts)


def stated_time(event: Public) -> datetime:
    """The decision time a source states, UTC; a home's wall clock stands for itself, since it states no zone (ours)."""
    match event:
        case SportsEvent():
            return event.timestamp
        case HomeEvent():
            return event.decision_time.replace(tzinfo=UTC)
        case CodeEvent():
            return event.event_time
        case DesktopEvent():
            return event.time


def causal_order(events: Iterable[Public], order: Literal["time", "source"] = "time") -> list[Public]:
    """The events of one stream by time, then event id; or as given, where the source states its own order (SPEC 1).

    Raises:
        InputError: An event id occurs twice, or events of several streams or scopes are mixed.
    """
    listed = list(events)
    seen: set[str] = set()
    for event in listed:
        if event.event_id in seen:
            raise InputError(
                "event id occurs twice in one stream", field="event_id", found=event.event_id,
                expected="one event an id", remedy="Remove the repeated event.",
            )  # fmt: skip
        seen.add(event.event_id)
        if (event.stream_id, event.scope) != (listed[0].stream_id, listed[0].scope):
            raise InputError(
                "events of several streams in one", field="stream_id", found=event.stream_id,
                expected=repr(listed[0].stream_id), remedy="Group events by stream_id first.",
            )  # fmt: skip
    if order == "time":
        listed.sort(key=lambda event: (stated_time(event), event.event_id))
    return listed


def _local(event: Public, tau: datetime, zone: tzinfo) -> tuple[datetime, datetime]:
    match event:
        case SportsEvent():
            local = tau.replace(tzinfo=None) + timedelta(seconds=event.observable_payload.source_utc_offset_seconds)
            return local, local
        case HomeEvent():
            return event.window_start, event.window_end
        case _:
            local = tau.astimezone(zone).replace(tzinfo=None)
            return local, local


def arrive(events: Iterable[Public], *, zone: tzinfo = UTC) -> Iterator[Event]:
    """Events in the order given, each with tau, local day and wall clock; lazy, constant memory.

    tau never decreases, the local day never goes back; an event whose wall clock falls before its (kept) day starts
    at 00:00 of that day.

    Args:
        events: One stream's public events in causal order (`causal_order`).
        zone: The stream's stated zone for Code and Desktop; Sports states an offset an event, Home is local already.
    """
    tau: datetime | None = None
    day: date | None = None
    for index, public in enumerate(events):
        stated = stated_time(public)
        tau = stated if tau is None or stated > tau else tau
        start, end = _local(public, tau, zone)
        day = start.date() if day is None or start.date() > day else day
        midnight = datetime.combine(day, time.min)
        low = min(max((start - midnight).total_seconds(), 0.0), DAY_SECONDS)
        high = min(max((end - midnight).total_seconds(), low), DAY_SECONDS)
        yield Event(index=index, public=public, tau=tau, day=day, span=(low, high))
