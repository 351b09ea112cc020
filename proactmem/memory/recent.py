"""S_t: bounded event memory, the last K - 1 prior events within Delta (Equation 4)."""

from __future__ import annotations

from collections import deque
from datetime import timedelta

from proactmem.config import MemoryConfig
from proactmem.core.streams import Event

__all__ = ["RecentEvents"]


class RecentEvents:
    """Event memory of one stream; holds no event that a later S_t could not contain, so it is flat as streams grow."""

    def __init__(self, config: MemoryConfig) -> None:
        self._horizon = timedelta(hours=config.horizon_hours)
        self._events: deque[Event] = deque(maxlen=config.capacity - 1)

    def before(self, event: Event) -> tuple[Event, ...]:
        """S_t for the current event: prior events with 0 <= tau_t - tau_i <= Delta, oldest first, at most K - 1."""
        events = self._events
        while events and event.tau - events[0].tau > self._horizon:
            events.popleft()
        return tuple(events)

    def commit(self, event: Event) -> None:
        """Store the event, after its decision is finalized."""
        self._events.append(event)
