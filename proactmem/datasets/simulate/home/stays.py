"""A rhythm lived: where the person is from one waking up to the next, stay by stay."""

from collections.abc import Iterator
from dataclasses import dataclass

from proactmem.datasets.simulate.chance import Chance
from proactmem.datasets.simulate.home.residents import Resident
from proactmem.datasets.simulate.home.rhythms import Rhythm

__all__ = ["SITTING", "Stay", "live_day"]

SITTING = 0.45
"""Motions a minute of somebody who sits for long."""

_FREE = (("LivingRoom", 3.0), ("Kitchen", 0.35), ("Bedroom", 1.0), ("Office", 2.2), ("Bathroom", 0.5))


@dataclass(frozen=True, slots=True)
class Stay:
    """Time in one room, hours of the day's local date."""

    start: float
    end: float
    room: str
    """A room, or Away."""
    stirring: float
    """Motions a minute."""


def live_day(who: Resident, rhythm: Rhythm, next_wake: float) -> list[Stay]:
    """The stays from this day's waking up to the next one's, without a gap."""
    draw = who.chance("stays", rhythm.day)
    found: list[Stay] = []
    planned = sorted(_planned(who, rhythm), key=lambda stay: stay.start)
    now = rhythm.wake
    found.append(Stay(now, now := now + draw.uniform(0.15, 0.3), "Bathroom", 1.0))
    for stay in planned:
        if stay.start < now - 0.4:
            continue  # no time for it today
        found.extend(_free(draw, who, now, stay.start))
        now = max(now, stay.start)
        end = now + (stay.end - stay.start)
        found.append(Stay(now, end, stay.room, stay.stirring))
        now = end
    found.extend(_free(draw, who, now, rhythm.bed - 0.3))
    now = max(now, rhythm.bed - 0.3)
    found.append(Stay(now, now := now + 0.25, "Bathroom", 0.9))
    found.extend(_night(draw, who, rhythm, now, next_wake))
    return found


def _planned(who: Resident, rhythm: Rhythm) -> Iterator[Stay]:
    eat = "DiningRoom" if who.dining else "Kitchen"
    out = rhythm.outings
    for meal in rhythm.meals:
        away = any(outing.start - 0.2 < meal.start < outing.end for outing in out)
        if meal.taken and not away:
            cooked = meal.start + 0.45 * meal.minutes / 60
            yield Stay(meal.start, cooked, "Kitchen", 1.4)
            yield Stay(cooked, meal.start + meal.minutes / 60, eat, 0.7)
    for outing in out:
        yield Stay(outing.start, outing.end, "Away", 0.0)
    if rhythm.sitting is not None:
        start, hours, room = rhythm.sitting
        yield Stay(start, start + hours, room, SITTING)
    evening = max(19.6, who.dinner + 1.1)
    if rhythm.sitting is None or rhythm.sitting[0] + rhythm.sitting[1] < evening:
        room = who.evening_room if who.office else "LivingRoom"
        yield Stay(evening, evening + 1.3, room, 0.5)


def _free(draw: Chance, who: Resident, start: float, end: float) -> Iterator[Stay]:
    """What fills the time between two plans: rooms as they come, none of them for very long."""
    now, before = start, ""
    while end - now > 0.03:
        rooms = [(room, weight) for room, weight in _FREE if room != before and (who.office or room != "Office")]
        room = draw.weighted(rooms)
        hours = draw.uniform(0.25, 1.15) if room in ("LivingRoom", "Office") else draw.uniform(0.08, 0.4)
        yield Stay(now, min(now + hours, end), room, draw.uniform(0.5, 1.1))
        now, before = min(now + hours, end), room


def _night(draw: Chance, who: Resident, rhythm: Rhythm, start: float, end: float) -> Iterator[Stay]:
    """Sleep, with visits to the bathroom and perhaps a spell in the living area."""
    up = [(start + share * (end - start), 0.08, "Bathroom", 0.9) for share in (0.35, 0.62, 0.85) if draw.flip(who.nightly / 3)]
    if rhythm.night_up is not None:
        at, hours, room = rhythm.night_up
        up = [visit for visit in up if not at - 0.2 < visit[0] < at + hours + 0.2]
        up.append((at, hours, room, 0.8))
    now = start
    for at, hours, room, stirring in sorted(up):
        if at <= now or at + hours >= end:
            continue
        yield Stay(now, at, "Bed", 0.035)
        yield Stay(at, at + hours, room, stirring)
        now = at + hours
    yield Stay(now, end, "Bed", 0.035)
