"""What a life repeats: habits with a real trigger and a time of day, and decoys that only look like one."""

from dataclasses import dataclass, replace
from typing import Literal

from proactmem.datasets.simulate.chance import Chance
from proactmem.datasets.simulate.clock import hhmm
from proactmem.datasets.simulate.people import Person
from proactmem.datasets.simulate.truth import Decoy, Predicate, Window
from proactmem.datasets.simulate.weather import seasonal_mean

__all__ = ["Coincidence", "HabitKind", "Plan", "draw_coincidence", "draw_decoys", "draw_plans"]

HabitKind = Literal["after_work", "lunch", "gym", "fair_walk", "walk_home", "morning", "home_evening"]
FAIR = ("Clear", "Partly Cloudy")
"""Conditions that send the person with the fair-weather habit outside."""
_TARGET = {"after_work": 5, "lunch": 3, "gym": 5, "fair_walk": 4, "walk_home": 4, "morning": 1, "home_evening": 5}
_AT_WORK = ("after_work", "lunch", "walk_home", "gym")
"""Kinds that hang on a day at the workplace."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A habit as it is lived: when it applies, when it is done, how often it is kept."""

    id: str
    kind: HabitKind
    slot: int
    """The decision point at which its traces show."""
    weekdays: tuple[int, ...] | None
    first: int
    """First day number."""
    last: int | None
    """Last day number, or None for good."""
    keep: float
    """Probability that it is kept on a day it applies."""
    sightings: int
    """Kept days an observer must have seen before the habit counts as established."""
    trigger: Predicate
    behavior: Predicate
    window: Window
    follows: str | None

    def started_by(self, condition: str, celsius: float) -> bool:
        """Whether weather starts the habit; for habits whose trigger is the weather."""
        return self.trigger.holds({"weather_condition": condition, "temperature_c": celsius}) is True


@dataclass(frozen=True, slots=True)
class Coincidence:
    """A walk before the same slot on some days of one week, for reasons of that week alone."""

    slot: int
    days: tuple[int, ...]


def _fact(field: str, op: Literal["==", ">=", "in"], value: bool | int | float | str | tuple[str, ...]) -> Predicate:
    return Predicate(path=f"observable_payload.{field}", op=op, value=value)


def _trigger(person: Person, kind: HabitKind) -> Predicate:
    """What starts the habit: being at work, the sky, or warmth for the season; on other days it stays undone."""
    if kind in _AT_WORK:
        return _fact("location_category", "==", person.places[1].category)
    if kind == "home_evening":
        mean = seasonal_mean(person.city, person.date_of(20))
        return _fact("temperature_c", ">=", float(round(mean + 3)))
    return _fact("weather_condition", "in", (*FAIR, "Mostly Cloudy") if kind == "morning" else FAIR)


def _behavior(person: Person, kind: HabitKind, chance: Chance) -> Predicate:
    steps = chance.pick((900, 1000))
    on_phone = chance.flip(0.25) and person.fit > 0.85
    if kind == "gym":
        return _fact("location_category", "==", person.places[2].category)
    if kind == "walk_home":
        return _fact("recognized_activity", "==", "ON_FOOT")
    if kind == "morning":
        return _fact("jawbone_steps_pre60", ">=", 1000)
    return _fact("google_fit_steps_pre60" if on_phone else "jawbone_steps_pre60", ">=", steps)


def _window(person: Person, kind: HabitKind, chance: Chance) -> Window:
    """A wide window opens at the slot before, when the usual time is already here; a narrow one at the slot itself."""
    minute = person.slots[_TARGET[kind] - 1]
    wide = chance.flip(0.8)
    if kind in ("morning", "walk_home") or not wide:
        return Window(start=hhmm(minute - 35), end=hhmm(min(minute + 50, 1430)))
    return Window(start=hhmm(person.slots[_TARGET[kind] - 2] - 15), end=hhmm(min(minute + 50, 1430)))


def _weekdays(person: Person, kind: HabitKind, chance: Chance) -> tuple[int, ...] | None:
    if person.work and kind in _AT_WORK:
        few = kind == "gym" or chance.flip(0.4)
        return tuple(sorted(chance.some(person.work.days, 3))) if few else person.work.days
    return None if chance.flip(0.6) else tuple(sorted(chance.some(tuple(range(7)), 4)))


def _draw_plan(
    person: Person, kind: HabitKind, name: str, first: int, last: int | None, follows: str | None, chance: Chance
) -> Plan:
    return Plan(
        id=f"p{person.index}-{name}",
        kind=kind,
        slot=_TARGET[kind],
        weekdays=_weekdays(person, kind, chance),
        first=first,
        last=last,
        keep=chance.uniform(0.75, 0.9),
        sightings=3 if chance.flip(0.7) else 4,
        trigger=_trigger(person, kind),
        behavior=_behavior(person, kind, chance),
        window=_window(person, kind, chance),
        follows=follows,
    )


def _kinds(person: Person) -> list[HabitKind]:
    if person.work is None:
        return ["home_evening", "fair_walk", "morning"]
    kinds: list[HabitKind] = ["after_work", "lunch", "gym", "fair_walk", "morning"]
    if person.work.commute == "foot":
        kinds = ["walk_home", *(kind for kind in kinds if kind != "fair_walk")]
    return kinds


def draw_plans(seed: int, person: Person) -> tuple[Plan, ...]:
    """Two or three habits of a participant, some of which begin, drift or stop inside the study.

    No two share the slot at which their traces show, so that a trace belongs to one habit.
    """
    chance = Chance(seed, person.index, "habits")
    plans: list[Plan] = []
    kinds = chance.some(_kinds(person), 9)
    wanted = chance.weighted(((2, 0.15), (3, 0.85)))
    for kind in kinds:
        if len(plans) == wanted:
            break
        if any(_TARGET[kind] == plan.slot for plan in plans):
            continue
        fate = chance.weighted((("steady", 0.64), ("begins", 0.12), ("stops", 0.13), ("drifts", 0.11)))
        first = chance.between(5, 11) if fate == "begins" else 0
        last = chance.between(17, 30) if fate in ("stops", "drifts") else None
        plan = _draw_plan(person, kind, f"h{len(plans) + 1}", first, last, None, chance)
        plans.append(plan)
        if fate == "drifts" and plan.last is not None:
            spare = [other for other in kinds if all(_TARGET[other] != earlier.slot for earlier in plans)]
            later = spare[0] if spare else kind
            drifted = _draw_plan(person, later, f"h{len(plans) + 1}", plan.last + 1, None, plan.id, chance)
            if not spare:  # the same habit moves to fewer days of the week
                kept = chance.some(plan.weekdays or tuple(range(7)), 3)
                drifted = replace(drifted, weekdays=tuple(sorted(kept)))
            plans.append(drifted)
    return tuple(plans)


def draw_coincidence(seed: int, person: Person, plans: tuple[Plan, ...]) -> Coincidence:
    """The week in which something else made the person walk before the same slot three to five times."""
    chance = Chance(seed, person.index, "coincidence")
    week = chance.between(0, 2)
    free = [slot for slot in (2, 3, 4, 5) if all(plan.slot != slot for plan in plans)]
    days = chance.some(tuple(range(7 * week, 7 * week + 7)), chance.between(3, 5))
    return Coincidence(chance.pick(free), tuple(sorted(days)))


def draw_decoys(person: Person, plans: tuple[Plan, ...], week: Coincidence, dates: tuple[str, ...]) -> tuple[Decoy, ...]:
    """The decoys of a life: a coincidence of one week, a behavior as common anyway, a trigger rarely followed.

    Args:
        person: Whose life.
        plans: The real habits, whose slots the decoys avoid.
        week: The planted coincidence.
        dates: Local dates on which the coincidence happened.
    """

    def around(slot: int) -> Window:
        minute = person.slots[slot - 1]
        return Window(start=hhmm(minute - 35), end=hhmm(min(minute + 50, 1430)))

    free = [slot for slot in (2, 3, 4, 5) if slot != week.slot and all(plan.slot != slot for plan in plans)]
    idle = free[0] if free else week.slot
    walked = _fact("jawbone_steps_pre60", ">=", 1200)
    return (
        Decoy(
            id=f"p{person.index}-d1",
            reason="one_week_only",
            trigger=_fact("decision_slot", "==", 1),
            behavior=walked,
            window=around(week.slot),
            weekdays=None,
            dates=dates,
        ),
        Decoy(
            id=f"p{person.index}-d2",
            reason="common_without_trigger",
            trigger=_fact("weather_condition", "==", "Overcast"),
            behavior=_fact("recognized_activity", "==", "STILL"),
            window=around(idle),
            weekdays=None,
            dates=(),
        ),
        Decoy(
            id=f"p{person.index}-d3",
            reason="trigger_rarely_followed",
            trigger=_fact("available", "==", True),
            behavior=walked,
            window=around(idle),
            weekdays=None,
            dates=(),
        ),
    )
