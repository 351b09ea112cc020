"""Who lives: the stable traits of a participant, drawn once and independent of every other participant."""

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Literal

from proactmem.datasets.simulate.chance import Chance
from proactmem.datasets.simulate.clock import SLOT_RANGES, Zone
from proactmem.datasets.simulate.places import CITIES, ERRANDS, GYMS, HAUNTS, HOTEL, PARKS, City, Place

__all__ = ["Person", "Trip", "Work", "draw_person"]

Commute = Literal["car", "foot", "bus"]
_WAVES = (date(2015, 7, 22), date(2015, 10, 7), date(2015, 11, 24))
"""First possible day of the summer, autumn and winter cohorts; the autumn one lives through the end of summer time."""


@dataclass(frozen=True, slots=True)
class Work:
    """A work pattern: days (0 = Monday), hours in local minutes, and the way there."""

    days: tuple[int, ...]
    start: int
    end: int
    commute: Commute
    minutes: int


@dataclass(frozen=True, slots=True)
class Trip:
    """Days away from home, in another zone or marked as travel days."""

    first: int
    last: int
    standard: int
    city: str
    marked: bool
    """Marked travel days have no decision.index.nogap."""


@dataclass(frozen=True, slots=True)
class Person:
    """A participant: place in the world, rhythm, body, phone and wristband."""

    index: int
    city: City
    zone: Zone
    first_date: date
    first_slot: int
    work: Work | None
    """None works at home."""
    wake: int
    bed: int
    slots: tuple[int, int, int, int, int]
    """The designated minutes of the five slots."""
    change: tuple[int, int, int] | None
    """(day, slot, new minute): a slot time changed once by the participant."""
    brisk: float
    """Steps a minute when walking, relative to the common rate."""
    restless: float
    """How often a minute indoors holds steps, relative to the common rate."""
    need: int
    """Minutes of stillness after which this person would be glad to move."""
    places: tuple[Place, ...]
    """home, work, gym, park, hotel, then haunts and shops."""
    connect: float
    """Share of decision points at which the phone reaches the server."""
    prefetch: float
    """Share of context snapshots taken 30 minutes early."""
    worn: float
    """Share of days on which the wristband is worn."""
    fit: float
    """Share of days on which Google Fit records; 0 for phones without it."""
    carried: float
    """Share of time at home with the phone in the pocket."""
    tracker_stop: int | None
    """Day on which the app tracker stopped: device.utime is stale from then on."""
    trip: Trip | None
    remote: float
    """Share of work days spent at home instead."""
    lost_first: bool
    """The first row arrived nearly empty, as one participant's did."""

    @property
    def home(self) -> Place:
        """Where the person lives."""
        return self.places[0]

    def slot_minute(self, slot: int, day: int) -> int:
        """The designated local minute of a slot on a day of the study."""
        if self.change and day >= self.change[0] and slot == self.change[1]:
            return self.change[2]
        return self.slots[slot - 1]

    def slot_update(self, slot: int, day: int) -> date:
        """The local date from which the designated time of the slot applies."""
        changed = self.change is not None and day >= self.change[0] and slot == self.change[1]
        return self.first_date + timedelta(days=self.change[0] if changed and self.change else 0)

    def date_of(self, day: int) -> date:
        """The local date of a day of the study, 0 being the first."""
        return self.first_date + timedelta(days=day)

    def away(self, day: int) -> bool:
        """Whether the person is on a trip that day."""
        return self.trip is not None and self.trip.first <= day <= self.trip.last

    def offset(self, day: int) -> int:
        """Seconds east of UTC where the person is that day."""
        zone = Zone(self.trip.standard) if self.trip and self.away(day) else self.zone
        return zone.offset(self.date_of(day))


def _draw_work(chance: Chance) -> Work | None:
    kind = chance.weighted((("office", 0.62), ("shifted", 0.14), ("student", 0.12), ("home", 0.12)))
    ways: tuple[tuple[Commute, float], ...] = (("car", 0.55), ("foot", 0.25), ("bus", 0.2))
    commute = chance.weighted(ways)
    minutes = chance.between(18, 28) if commute == "foot" else chance.between(12, 40)
    start = chance.between(31, 37) * 15
    if kind == "home":
        return None
    if kind == "student":
        return Work((0, 1, 2, 3), start + 30, chance.between(64, 68) * 15, commute, minutes)
    days = (0, 1, 2, 3, 4) if kind == "office" else (2, 3, 4, 5, 6)
    return Work(days, start, chance.between(65, 69) * 15, commute, minutes)


def _draw_slots(chance: Chance, wake: int, work: Work | None) -> tuple[int, int, int, int, int]:
    def near(slot: int, minute: int) -> int:
        low, high = SLOT_RANGES[slot - 1]
        return min(max(round(minute / 5) * 5, low), high)

    evening = work.end + (5 if work.commute == "foot" else chance.between(0, 30)) if work else 1030
    return (
        near(1, wake + chance.between(-50, 45)),
        near(2, chance.between(715, 765)),
        near(3, chance.between(860, 900)),
        near(4, evening),
        near(5, chance.between(1160, 1215)),
    )


def _draw_trip(chance: Chance) -> Trip | None:
    kind = chance.weighted((("none", 0.62), ("west", 0.2), ("abroad", 0.18)))
    first = chance.between(9, 30)
    length = chance.between(3, 6)
    if kind == "none":
        return None
    if kind == "west":
        return Trip(first, first + length, -28800, "Portland", marked=False)
    return Trip(first, first + length, -21600, "Ciudad de M\u00e9xico", marked=True)


def draw_person(seed: int, index: int) -> Person:
    """Draw the traits of participant ``index`` (1-based) from the seed alone.

    Seasons alternate by index, so that any three participants in a row span summer, autumn and winter.
    """
    chance = Chance(seed, index, "person")
    city = chance.pick(CITIES)
    work = _draw_work(chance)
    wake = min(chance.between(350, 470), work.start - work.minutes - 25 if work else 470)
    slots = _draw_slots(chance, wake, work)
    home = Place("home", "home", "home")
    if chance.flip(0.4):
        home = Place("home", "Maple Court Stores", "store,point_of_interest,establishment")
    desk = Place("work", "work", "work")
    if chance.flip(0.35):
        desk = Place("work", "Science Building", "university,point_of_interest,establishment")
    haunts = (*chance.some(HAUNTS, 3), *chance.some(ERRANDS, 3))
    moved_slot = chance.between(2, 3)
    moved_to = min(slots[moved_slot - 1] + 15, SLOT_RANGES[moved_slot - 1][1])
    change = (chance.between(6, 30), moved_slot, moved_to) if chance.flip(0.35) else None
    return Person(
        index=index,
        city=city,
        zone=Zone(city.standard),
        first_date=_WAVES[(index - 1) % 3] + timedelta(days=chance.between(0, 15)),
        first_slot=chance.between(1, 4),
        work=work,
        wake=wake,
        bed=chance.between(1320, 1420),
        slots=slots,
        change=change,
        brisk=chance.uniform(0.92, 1.12),
        restless=chance.uniform(0.55, 1.5),
        need=chance.between(105, 172),
        places=(home, desk, chance.pick(GYMS), chance.pick(PARKS), HOTEL, *haunts),
        connect=chance.uniform(0.82, 0.97),
        prefetch=chance.uniform(0.01, 0.14),
        worn=chance.uniform(0.88, 0.99),
        fit=chance.uniform(0.62, 0.96) if chance.flip(0.74) else 0.0,
        carried=chance.uniform(0.25, 0.7),
        tracker_stop=chance.between(3, 25) if chance.flip(0.12) else None,
        trip=_draw_trip(chance),
        remote=chance.uniform(0.06, 0.2),
        lost_first=chance.flip(0.03),
    )
