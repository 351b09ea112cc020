"""A day's rhythm: when this person wakes, eats, goes out and sleeps, and the causes that this day holds."""

from dataclasses import dataclass, replace

from proactmem.datasets.simulate.home.residents import Resident

__all__ = ["Meal", "Outing", "Rhythm", "draw_rhythm"]

_RATES = (0.50, 0.27, 0.95, 0.60, 0.26, 0.32, 0.24, 0.32, 0.52, 0.85)
"""How often a day holds late_wake, night_up, meal_missed, long_sitting, door_open, lamp_on, cold_room, an evening out,
late_bed, good_night."""


@dataclass(frozen=True, slots=True)
class Meal:
    """A usual meal of the day."""

    name: str
    start: float
    minutes: float
    taken: bool


@dataclass(frozen=True, slots=True)
class Outing:
    """Time out of the house, hours of the day."""

    start: float
    end: float
    usual: bool


@dataclass(frozen=True, slots=True)
class Rhythm:
    """One day from waking up to the next one, in hours of its local date (beyond 24 is the night after)."""

    day: int
    wake: float
    bed: float
    meals: tuple[Meal, ...]
    outings: tuple[Outing, ...]
    late_wake: bool
    late_bed: bool
    good_night: bool
    """Whether a word at the usual time to settle down is welcome tonight."""
    night_up: tuple[float, float, str] | None
    """Start, hours and room of a spell in the living area in the night after, hours beyond 24."""
    sitting: tuple[float, float, str] | None
    """Earliest start, hours and room of an unusually long sitting."""
    door_open: tuple[float, float] | None
    """When the front door is opened and how many hours it stays open."""
    lamp_on: tuple[float, float, str] | None
    """When a lamp is forgotten, for how many hours and where."""
    cold: tuple[float, float] | None
    """When the heating fails, and for how many hours."""


def draw_rhythm(who: Resident, day: int) -> Rhythm:
    """The rhythm of a day, whatever the days around it hold."""
    draw = who.chance("rhythm", day)
    held = [who.chance(f"cause {number}", day).flip(rate * who.quirks[number]) for number, rate in enumerate(_RATES)]
    weekend = who.weekday(day) >= 5
    wake = who.wake + (who.lie_in if weekend else 0.0) + draw.normal(0.0, who.unrest)
    wake += draw.uniform(1.3, 2.3) if held[0] else 0.0
    bed = who.bed + (0.3 if who.weekday(day) in (4, 5) else 0.0) + draw.normal(0.0, who.unrest)
    bed += draw.uniform(1.3, 2.0) if held[8] else 0.0
    usual = who.weekday(day) in who.outing_days and draw.flip(0.92)
    outings = (
        [_shifted(Outing(who.outing, who.back, usual=True), draw.normal(0.0, 0.2), draw.normal(0.0, 0.25))] if usual else []
    )
    if held[7]:
        start = max(15.2, outings[-1].end + 1.6 if outings else 0.0) + draw.uniform(0.0, 0.8)
        outings.append(Outing(start, start + draw.uniform(2.0, 3.4), usual=False))
    if not usual and draw.flip(0.4):
        start = draw.uniform(10.0, 14.0)
        end = start + draw.uniform(0.7, 1.8)
        if not outings or end < outings[0].start - 0.5:
            outings.insert(0, Outing(start, end, usual=False))
    late = who.drift if who.drift_day is not None and day >= who.drift_day else 0.0
    meals: tuple[Meal, ...] = (
        Meal("breakfast", wake + 0.35, draw.uniform(18, 32), who.breakfast and draw.flip(0.96)),
        Meal("lunch", who.lunch + draw.normal(0.0, 0.15), draw.uniform(22, 40), draw.flip(0.96)),
        Meal("dinner", who.dinner + late + draw.normal(0.0, 0.2), draw.uniform(28, 50), draw.flip(0.97)),
    )
    if held[2]:
        skipped = draw.pick(("breakfast", "lunch", "dinner"))
        meals = tuple(replace(meal, taken=meal.taken and meal.name != skipped) for meal in meals)
    rooms = ("LivingRoom", "Office") if who.office else ("LivingRoom", "LivingRoom")
    airing = draw.uniform(9.0, 20.0)
    home_again = outings[0].end + 0.02 if outings and draw.flip(0.6) else airing
    return Rhythm(
        day=day,
        wake=wake,
        bed=max(bed, wake + 10.0),
        meals=meals,
        outings=tuple(outings),
        late_wake=held[0],
        late_bed=held[8],
        good_night=held[9] and not held[8],
        night_up=(24.0 + draw.uniform(1.2, 3.4), draw.uniform(0.7, 1.4), draw.pick(("LivingRoom", "Kitchen")))
        if held[1]
        else None,
        sitting=(draw.uniform(13.0, 19.2), draw.uniform(3.5, 4.6), draw.pick(rooms)) if held[3] else None,
        door_open=(home_again, draw.uniform(1.3, 2.8)) if held[4] else None,
        lamp_on=(draw.uniform(7.8, 19.0), draw.uniform(3.6, 6.5), draw.pick(("Bedroom", "Kitchen", "Bathroom")))
        if held[5]
        else None,
        cold=(draw.uniform(7.0, 19.5), draw.uniform(1.8, 3.6)) if held[6] else None,
    )


def _shifted(outing: Outing, start: float, end: float) -> Outing:
    return replace(outing, start=outing.start + start, end=max(outing.end + end, outing.start + start + 1.2))
