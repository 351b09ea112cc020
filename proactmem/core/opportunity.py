"""Q_t: the observable state of a service opportunity, from events alone, never from earlier decisions (SPEC 6-7)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Literal

from proactmem.core.events import CodeEvent, HomeEvent, SportsEvent
from proactmem.core.streams import Event
from proactmem.core.trajectories import clock_text

__all__ = ["OpportunityState", "Phase", "home_activity", "home_room"]

Phase = Literal["onset", "confirmed", "sustained"]
"""Home: one, two, three or more consecutive matching observations (Appendix B.3)."""

StateValue = str | bool | None


def home_room(event: HomeEvent) -> str | None:
    """The room with most activations; ties by name; none when quiet (SPEC 7)."""
    counts = {room: count for room, count in event.motion.location_counts.items() if count > 0}
    return min(counts, key=lambda room: (-counts[room], room)) if counts else None


def home_activity(event: HomeEvent) -> str:
    """A coarse activity family from counts, doors and devices (ours).

    `door` when a door moved; else `device` when an appliance acted or is still on from before; else `quiet` without
    activations; else `settled` when one room has at least four fifths of them; else `moving`.
    """
    if event.door_actions:
        return "door"
    if event.other_actions:
        return "device"
    total = sum(event.motion.location_counts.values())
    if total == 0:
        return "quiet"
    return "settled" if max(event.motion.location_counts.values()) * 5 >= total * 4 else "moving"


@dataclass(frozen=True)
class OpportunityState:
    """The scope's episode state at one event, with the sequence it belongs to.

    A change of state restarts the sequence: a new number even when the old state returns. A new local day starts again
    at sequence 1.
    """

    day: date
    state: tuple[StateValue, ...]
    """Sports: (available, recognized activity); Home: (room, activity); Code: (repository, type, number); else ()."""
    sequence: int
    """Number of the episode sequence within the day, from 1."""
    count: int
    """Consecutive matching observations, this one included."""
    since_second: float
    """Local second of the day at which the sequence began."""

    @property
    def phase(self) -> Phase:
        """onset, confirmed or sustained."""
        return "onset" if self.count == 1 else "confirmed" if self.count == 2 else "sustained"

    @staticmethod
    def advance(before: OpportunityState | None, event: Event) -> OpportunityState:
        """The state at `event`, given the state at the stream's previous event."""
        state = _state(event)
        if before is None or before.day != event.day:
            return OpportunityState(event.day, state, 1, 1, event.span[0])
        if before.state != state:
            return OpportunityState(event.day, state, before.sequence + 1, 1, event.span[0])
        return OpportunityState(event.day, state, before.sequence, before.count + 1, before.since_second)

    def public(self, event: Event) -> dict[str, str | int | float | bool | None]:
        """Q_t as the model is shown it."""
        shown: dict[str, str | int | float | bool | None] = {
            "local_day": self.day.isoformat(),
            "weekday": self.day.strftime("%A"),
            "local_time": clock_text(event.span[1]),
        }
        match event.public:
            case SportsEvent():
                shown |= {"available": self.state[0], "recognized_activity": self.state[1]}
            case HomeEvent():
                shown |= {"room": self.state[0], "activity": self.state[1], "phase": self.phase}
            case CodeEvent():
                shown |= {"repository": self.state[0], "object_type": self.state[1], "object_number": self.state[2]}
                return shown
            case _:
                return shown
        return shown | {"consecutive_observations": self.count, "since": clock_text(self.since_second)}


def _state(event: Event) -> tuple[StateValue, ...]:
    match event.public:
        case SportsEvent(observable_payload=payload):
            return (payload.available, payload.recognized_activity)
        case HomeEvent() as home:
            return (home_room(home), home_activity(home))
        case CodeEvent() as code:
            return (
                code.repository.full_name,
                code.object.type,
                None if code.object.number is None else str(code.object.number),
            )
        case _:
            return ()
