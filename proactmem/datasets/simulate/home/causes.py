"""Why a service could help: the causes that a home's days hold, each from when to when and of what kind."""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from proactmem.datasets.simulate.home.residents import Resident
from proactmem.datasets.simulate.home.rhythms import Rhythm
from proactmem.datasets.simulate.home.stays import SITTING, Stay

__all__ = ["SERVICES", "Cause", "day_causes"]

SERVICES = {
    "late_wake": "good-morning check-in",
    "night_up": "wind-down offer",
    "meal_missed": "meal reminder",
    "long_sitting": "movement break",
    "door_open": "open door notice",
    "lamp_on": "lamp left on notice",
    "cold_room": "heating offer",
    "dark_return": "lights for the return",
    "return_due": "heating before the usual return",
    "late_bed": "wind-down prompt",
    "good_night": "good-night prompt",
}
"""The low-risk service that each kind of cause makes useful."""


class Cause(NamedTuple):
    """A planted cause, in hours counted from day 0."""

    kind: str
    begin: float
    """From here on a service could help, if the sensors show it."""
    end: float
    """Until here."""
    detail: str = ""
    usual: float = 0.0
    """The hour of the day at which the habit that is broken usually happens."""


def day_causes(who: Resident, rhythm: Rhythm, stays: Sequence[Stay]) -> list[Cause]:
    """The causes of one day chain, in order of their beginning."""
    base = rhythm.day * 24.0
    found: list[Cause] = []
    if rhythm.late_wake:
        found.append(Cause("late_wake", base + rhythm.wake, base + rhythm.wake + 0.9))
    if rhythm.night_up is not None:
        start, hours, room = rhythm.night_up
        found.append(Cause("night_up", base + start, base + start + hours, room))
    for meal, usual in zip(rhythm.meals, (rhythm.wake + 0.35, who.lunch, who.dinner), strict=True):
        away = any(outing.start - 0.5 < meal.start < outing.end + 0.3 for outing in rhythm.outings)
        if not meal.taken and not away and (meal.name != "breakfast" or who.breakfast):
            found.append(Cause("meal_missed", base + meal.start + 0.7, base + meal.start + 2.3, meal.name, usual))
    if rhythm.sitting is not None:
        long = (stay for stay in stays if stay.stirring == SITTING and stay.end - stay.start >= 2.5)
        found.extend(Cause("long_sitting", base + stay.start + 2.4, base + stay.end, stay.room) for stay in long)
    if rhythm.door_open is not None:
        start, hours = rhythm.door_open
        found.append(Cause("door_open", base + start + 0.75, base + start + hours))
    if rhythm.lamp_on is not None:
        start, hours, room = rhythm.lamp_on
        found.append(Cause("lamp_on", base + start + 2.4, base + start + hours, room))
    if rhythm.cold is not None:
        start, hours = rhythm.cold
        found.append(Cause("cold_room", base + start + 0.5, base + start + hours))
    for before, after in pairwise(stays):
        if before.room == "Away" and after.start % 24 > who.sunset(rhythm.day):
            found.append(Cause("dark_return", base + after.start, base + after.start + 0.9))
    if rhythm.outings and any(outing.usual for outing in rhythm.outings):
        found.append(Cause("return_due", base + who.back - 1.1, base + who.back, usual=who.back))
    if rhythm.late_bed:
        found.append(Cause("late_bed", base + who.bed + 0.7, base + rhythm.bed, usual=who.bed))
    if rhythm.good_night:
        found.append(Cause("good_night", base + who.bed - 0.9, base + who.bed, usual=who.bed))
    return sorted(found, key=lambda cause: cause.begin)
