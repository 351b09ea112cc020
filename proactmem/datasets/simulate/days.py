"""One lived day, minute by minute: where the person is, what they do and how many steps that takes."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from proactmem.datasets.simulate.canvas import Canvas, Doing
from proactmem.datasets.simulate.chance import Chance
from proactmem.datasets.simulate.habits import Coincidence, Plan
from proactmem.datasets.simulate.people import Person, Work
from proactmem.datasets.simulate.weather import DayWeather

__all__ = ["Day", "live_day"]

Fate = Literal["kept", "skipped", "inapplicable"]
HOME, WORK, GYM, PARK, HOTEL, ROAD = 0, 1, 2, 3, 4, -1


@dataclass(frozen=True, slots=True)
class Day:
    """A day as it was lived, before anybody observed it."""

    number: int
    date: date
    doing: NDArray[np.int8]
    place: NDArray[np.int8]
    """Index into the person's places; -1 on the road."""
    steps: NDArray[np.int64]
    weather: DayWeather
    wake: int
    fates: Mapping[str, Fate]
    """What became of each habit."""
    coincided: bool

    def still_minutes(self, minute: int) -> int:
        """Minutes since waking or since the last ten minutes that held 150 steps: the latent need to move."""
        back = self.steps[max(self.wake, minute - 300) : minute]
        if len(back) <= 10:
            return 0
        total = np.cumsum(back)
        moved = np.flatnonzero(total[10:] - total[:-10] >= 150)
        return len(back) - (int(moved[-1]) + 11 if len(moved) else 0)


def _stay_home(canvas: Canvas, chance: Chance, start: int, end: int, weather: DayWeather) -> None:
    at = start
    while at < end:
        late = at > 1290
        outside = not late and at > 540 and weather.dry(at)
        what = chance.weighted(
            (
                ("quiet", 0.5),
                ("chores", 0.25),
                ("errand", 0.0 if late or at < 570 else 0.11),
                ("visit", 0.0 if late or at < 660 else 0.09),
                ("stroll", 0.05 if outside else 0.0),
            )
        )
        if what == "quiet":
            at = canvas.paint(at, at + chance.between(40, 150), end, Doing.QUIET, HOME)
        elif what == "chores":
            at = canvas.paint(at, at + chance.between(15, 50), end, Doing.CHORES, HOME)
        elif what == "stroll":
            at = canvas.paint(at, at + chance.between(10, 24), end, Doing.WALK, PARK)
        else:
            doing, low, high = (Doing.SHOP, 20, 50) if what == "errand" else (Doing.SOCIAL, 45, 120)
            there = chance.between(8, 10) if what == "errand" else chance.between(5, 7)
            ride = chance.between(9, 22)
            at = canvas.paint(at, at + ride, end, Doing.DRIVE, ROAD)
            at = canvas.paint(at, at + chance.between(low, high), end, doing, there)
            at = canvas.paint(at, at + ride, end, Doing.DRIVE, ROAD)


def _at_desk(canvas: Canvas, chance: Chance, start: int, end: int, place: int) -> None:
    at = start
    while at < end:
        what = chance.weighted(((Doing.FOCUS, 0.33), (Doing.DESK, 0.36), (Doing.MEETING, 0.15), (Doing.BREAK, 0.16)))
        low, high = {Doing.FOCUS: (45, 150), Doing.DESK: (30, 80), Doing.MEETING: (30, 75), Doing.BREAK: (5, 14)}[what]
        at = canvas.paint(at, at + chance.between(low, high), end, what, place)


def _work_day(canvas: Canvas, chance: Chance, person: Person, work: Work, weather: DayWeather, wake: int) -> None:
    leave = work.start - work.minutes + chance.between(-8, 8)
    ride = Doing.WALK if work.commute == "foot" else Doing.DRIVE
    late = chance.between(-20, 20) + (chance.between(30, 100) if chance.flip(0.1) else 0)
    end = work.end + (chance.between(-4, 2) if work.commute == "foot" else late)
    lunch = chance.between(705, 765)
    _stay_home(canvas, chance, wake, leave, weather)
    canvas.paint(leave, leave + work.minutes, 1440, ride, ROAD)
    _at_desk(canvas, chance, leave + work.minutes, end, WORK)
    if chance.flip(0.35):
        canvas.paint(lunch, lunch + chance.between(25, 50), end, Doing.MEAL, chance.between(5, 7))
    else:
        canvas.paint(lunch, lunch + chance.between(20, 35), end, Doing.MEAL, WORK)
    _stay_home(canvas, chance, end + work.minutes, person.bed, weather)
    if work.commute != "foot":
        canvas.paint(end, end + work.minutes, 1440, ride, ROAD)
    elif end + work.minutes < 1440:  # by bus or at the desk a little longer, unless the habit below says on foot
        stays = chance.flip(0.7)
        canvas.paint(end, end + 45, 1440, Doing.DESK if stays else Doing.DRIVE, WORK if stays else ROAD)
        canvas.paint(end + 45, end + 45 + work.minutes // 2, 1440, Doing.DRIVE, ROAD)


def _away_day(canvas: Canvas, chance: Chance, wake: int, bed: int) -> None:
    at = wake
    while at < bed:
        doing, place, low, high = chance.pick(
            (
                (Doing.QUIET, HOTEL, 30, 110),
                (Doing.SOCIAL, 6, 45, 100),
                (Doing.SHOP, 8, 30, 80),
                (Doing.WALK, PARK, 15, 60),
                (Doing.DRIVE, ROAD, 15, 60),
                (Doing.MEAL, 5, 35, 70),
            )
        )
        at = canvas.paint(at, at + chance.between(low, high), bed, doing, place)


def _applies(plan: Plan, person: Person, day: date, number: int, worked: bool, weather: DayWeather) -> bool:
    if number < plan.first or (plan.last is not None and number > plan.last):
        return False
    if plan.weekdays is not None and day.weekday() not in plan.weekdays:
        return False
    if plan.kind in ("fair_walk", "morning", "home_evening"):
        moments = [person.slot_minute(slot, number) for slot in ((1,) if plan.slot == 1 else range(1, plan.slot))]
        return any(plan.started_by(weather.condition(minute), weather.temperature(minute)) for minute in moments)
    return worked


def _do(canvas: Canvas, chance: Chance, plan: Plan, minute: int) -> None:
    if plan.kind == "gym":
        arrive = minute - chance.between(15, 40)
        canvas.paint(arrive - 12, arrive, 1440, Doing.DRIVE, ROAD)
        leave = canvas.paint(arrive, minute + chance.between(18, 50), 1440, Doing.GYM, GYM)
        canvas.paint(leave, leave + 12, 1440, Doing.DRIVE, ROAD)
    elif plan.kind == "walk_home":
        start = minute - chance.between(3, 10)
        home = canvas.paint(start, minute + chance.between(10, 18), 1440, Doing.WALK, ROAD)
        canvas.paint(home, home + 45, 1440, Doing.QUIET, HOME)
    else:
        _walk_before(canvas, chance, minute)
        if plan.kind in ("after_work", "home_evening", "morning"):
            canvas.paint(minute - 2, minute + chance.between(12, 40), 1440, Doing.QUIET, HOME)


def _walk_before(canvas: Canvas, chance: Chance, minute: int) -> None:
    end = minute - chance.between(3, 20)
    canvas.paint(end - chance.between(14, 25), end, 1440, Doing.WALK, PARK)


def live_day(seed: int, person: Person, plans: tuple[Plan, ...], week: Coincidence, number: int, weather: DayWeather) -> Day:
    """Live day ``number`` (0-based): plan it, keep or skip its habits, and take its steps.

    Nothing but the day's own chance, the traits and the weather so far is used, so later days change no earlier one.
    """
    chance = Chance(seed, person.index, "day", number)
    day = person.first_date + timedelta(days=number)
    wake = person.wake + round(chance.normal(0, 14))
    sick = chance.flip(0.012)
    away = person.away(number)
    remote = chance.flip(person.remote)
    worked = person.work is not None and day.weekday() in person.work.days and not (sick or away or remote)
    canvas = Canvas(chance)
    if sick:
        canvas.paint(wake, person.bed, 1440, Doing.QUIET, HOME)
    elif away:
        canvas.place[:] = HOTEL
        _away_day(canvas, chance, wake, person.bed)
    elif worked and person.work:
        _work_day(canvas, chance, person, person.work, weather, wake)
    else:
        _stay_home(canvas, chance, wake, person.bed, weather)
        if day.weekday() < 5 and (remote or person.work is None):
            _at_desk(canvas, chance, 540, 720, HOME)
            _at_desk(canvas, chance, 780, 960, HOME)
    fates: dict[str, Fate] = {}
    for plan in plans:
        choice = Chance(seed, person.index, "keep", plan.id, number)
        minute = person.slot_minute(plan.slot, number)
        if sick or away or not _applies(plan, person, day, number, worked, weather):
            fates[plan.id] = "inapplicable"
            continue
        indoors = plan.kind == "gym"
        kept = choice.flip(plan.keep if indoors or weather.dry(minute) else plan.keep * 0.45)
        fates[plan.id] = "kept" if kept else "skipped"
        if kept:
            _do(canvas, choice, plan, minute)
            wake = min(wake, minute - 70) if plan.kind == "morning" else wake
    coincided = number in week.days and not (sick or away)
    if coincided:
        _walk_before(canvas, Chance(seed, person.index, "week", number), person.slot_minute(week.slot, number))
    steps = canvas.take_steps(Chance(seed, person.index, "steps", number), person.restless, person.brisk)
    return Day(number, day, canvas.doing, canvas.place, steps, weather, wake, fates, coincided)
