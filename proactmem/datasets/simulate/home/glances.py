"""What somebody sees who looks at a home's segments: counts by room, doors and lamps that are on, warmth.

Made from the records alone, in order; nothing of the rhythm behind them.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from proactmem.datasets.simulate.home.sensors import Record

__all__ = ["SEGMENTS", "Glance", "glances"]

SEGMENTS = 29
"""Segments of a day: 28 of 50 minutes and a tail of 40."""
_LIVING = ("LivingRoom", "Kitchen", "DiningRoom", "Office")


@dataclass(slots=True)
class Glance:
    """One segment at its close."""

    day: int
    segment: int
    counts: Counter[str] = field(default_factory=Counter)
    """Motion activations by room."""
    open_since: float | None = None
    """Hours, counted from day 0, since which the entry's door has been open at the close."""
    lamps: dict[str, float] = field(default_factory=dict)
    """Rooms whose lamp is on at the close, and since when."""
    warmth: float | None = None
    """Degrees Celsius as measured last within the segment."""

    @property
    def end(self) -> float:
        """Hour of the day at which the segment closes."""
        return min((self.segment + 1) * 50, 1440) / 60

    @property
    def at(self) -> float:
        """The close in hours counted from day 0."""
        return self.day * 24 + self.end

    @property
    def number(self) -> int:
        """Activations in all."""
        return sum(self.counts.values())

    @property
    def living(self) -> int:
        """Activations where one is when up."""
        return sum(self.counts[room] for room in _LIVING)


def glances(chains: Iterable[tuple[int, list[Record]]], days: int) -> list[Glance]:
    """The segments of days 0 to `days` - 1 in order, from day chains in order (a chain runs into the next day's morning)."""
    found = [Glance(day, segment) for day in range(days) for segment in range(SEGMENTS)]
    opened: dict[str, float] = {}
    lit: dict[str, tuple[str, float]] = {}
    now = 0

    def close(until: int) -> None:
        nonlocal now
        while now < min(until, len(found)):
            found[now].open_since = opened.get("D002")
            found[now].lamps = dict(lit.values())
            now += 1

    for day, records in chains:
        for at, sensor, room, message, _ in records:
            moment = day * 24 + at
            place = int(moment // 24) * SEGMENTS + int(moment % 24 * 60 // 50)
            if place < 0:
                continue
            close(place)
            if place >= len(found):
                break
            glance = found[place]
            if sensor.startswith("M") and message == "ON":
                glance.counts[room] += 1
            elif sensor == "T101":
                glance.warmth = float(message)
            elif message == "OPEN":
                opened[sensor] = moment
            elif message == "CLOSE":
                opened.pop(sensor, None)
            elif sensor.startswith("L0") and message == "ON":
                lit[sensor] = (room, moment)
            elif sensor.startswith("L0"):
                lit.pop(sensor, None)
    close(len(found))
    return found
