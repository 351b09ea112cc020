"""Who lives in a home: traits drawn once, from which every day's rhythm follows."""

from dataclasses import dataclass
from datetime import date, timedelta

from proactmem.datasets.simulate.chance import Chance

__all__ = ["Resident", "draw_resident"]

_CLOCK_CHANGES = (date(2011, 11, 6), date(2012, 3, 11), date(2012, 11, 4), date(2013, 3, 10))


@dataclass(frozen=True, slots=True)
class Resident:
    """One person's traits; clock times are hours of the local day."""

    seed: int
    index: int
    """1-based number of the home."""
    first_date: date
    """First complete day of the recording."""
    wake: float
    lie_in: float
    """Hours that weekends begin later."""
    bed: float
    unrest: float
    """Standard deviation of wake and bed time, hours."""
    breakfast: bool
    lunch: float
    dinner: float
    outing: float
    """When the usual outing begins."""
    back: float
    """When it ends."""
    outing_days: frozenset[int]
    """Weekdays of the usual outing."""
    office: bool
    dining: bool
    evening_room: str
    nightly: float
    """Visits to the bathroom a night."""
    drift_day: int | None
    """From this day on, dinner is later."""
    drift: float
    quirks: tuple[float, ...]
    """How often this person's days hold each cause, times the usual rate."""

    @property
    def name(self) -> str:
        """The home's name in the raw files."""
        return f"sim{self.index:02d}"

    def chance(self, purpose: str, day: int = 0) -> Chance:
        """Draws of one purpose on one day of this home."""
        return Chance(self.seed, "home", self.index, purpose, day)

    def date(self, day: int) -> date:
        """The local date of a day's number; 0 is the first complete day."""
        return self.first_date + timedelta(days=day)

    def weekday(self, day: int) -> int:
        """0 is Monday."""
        return self.date(day).weekday()

    def sunset(self, day: int) -> float:
        """Hour of sunset at 46 degrees north, roughly; an hour later while clocks are set forward."""
        when = self.date(day)
        height = 1.0 - abs((when.timetuple().tm_yday - 172) / 182.5)
        return 16.1 + 3.7 * max(0.0, height) + (0.9 if 72 < when.timetuple().tm_yday < 308 else 0.0)


def draw_resident(seed: int, index: int) -> Resident:
    """The person of a home, the same whatever other homes are drawn."""
    draw = Chance(seed, "home", index, "resident")
    first = date(2011, 6, 1) + timedelta(days=draw.between(0, 760))
    if draw.flip(0.25):  # some recordings run over a change of the clock
        first = draw.pick(_CLOCK_CHANGES) - timedelta(days=draw.between(2, 6))
    outing = draw.uniform(8.8, 10.8)
    days = draw.some(range(5), draw.between(4, 5)) + ([5] if draw.flip(0.3) else [])
    return Resident(
        seed=seed,
        index=index,
        first_date=first,
        wake=draw.uniform(6.2, 8.0),
        lie_in=draw.uniform(0.2, 1.2),
        bed=draw.uniform(22.0, 23.4),
        unrest=draw.uniform(0.15, 0.35),
        breakfast=draw.flip(0.9),
        lunch=draw.uniform(12.0, 12.9),
        dinner=draw.uniform(17.8, 18.9),
        outing=outing,
        back=outing + draw.uniform(2.5, 7.2),
        outing_days=frozenset(days),
        office=draw.flip(0.6),
        dining=draw.flip(0.5),
        evening_room=draw.weighted((("LivingRoom", 3.0), ("Office", 1.0))),
        nightly=draw.uniform(0.4, 1.8),
        drift_day=draw.between(7, 10) if draw.flip(0.4) else None,
        drift=draw.uniform(0.6, 1.1),
        quirks=tuple(draw.uniform(0.6, 1.4) for _ in range(10)),
    )
