"""A whole life in the study: lived day by day, observed at five decision points a day, labelled in order."""

from dataclasses import dataclass, field

from proactmem.datasets.simulate.chance import Chance
from proactmem.datasets.simulate.days import Day, live_day
from proactmem.datasets.simulate.devices import phone_off, watch
from proactmem.datasets.simulate.episodes import Annotator, Judgement
from proactmem.datasets.simulate.habits import Plan, draw_coincidence, draw_decoys, draw_plans
from proactmem.datasets.simulate.history import Glimpse
from proactmem.datasets.simulate.observe import Sight, see
from proactmem.datasets.simulate.people import Person
from proactmem.datasets.simulate.treatment import Treatment, treat
from proactmem.datasets.simulate.truth import Habit, PersonTruth
from proactmem.datasets.simulate.weather import DayWeather, next_weather

__all__ = ["Life", "Moment", "live"]


@dataclass(frozen=True, slots=True)
class Moment:
    """A decision point: what was seen, what the coin did, and the label of a connected one."""

    sight: Sight
    treatment: Treatment
    late: int
    """Seconds by which the stated decision time is off."""
    label: Judgement | None


@dataclass(frozen=True, slots=True)
class Life:
    """One participant's decision points in order, and what was planted."""

    moments: tuple[Moment, ...]
    truth: PersonTruth


@dataclass(slots=True)
class _Diary:
    """The dates of one habit by what became of them."""

    kept: list[str] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    inapplicable: list[str] = field(default_factory=list)
    unobservable: list[str] = field(default_factory=list)

    def note(self, plan: Plan, day: Day, seen: list[Sight]) -> None:
        """Enter one day."""
        date, fate = day.date.isoformat(), day.fates[plan.id]
        glimpse = Glimpse()
        for sight in seen:
            glimpse.note(plan, sight)
        if fate == "inapplicable":
            self.inapplicable.append(date)
        elif glimpse.trigger is None or not glimpse.measured:
            self.unobservable.append(date)
        else:
            (self.kept if fate == "kept" else self.skipped).append(date)


def _stated_late(seed: int, person: Person, day: Day, slot: int) -> int:
    """Seconds, below zero, by which a rare afternoon row states its decision before the lunch one; 0 for all others."""
    slipped = slot == 3 and Chance(seed, person.index, "order", day.number).flip(0.001)
    return (person.slot_minute(2, day.number) - person.slot_minute(3, day.number)) * 60 - 600 if slipped else 0


def live(seed: int, person: Person, days: int) -> Life:
    """Live, observe and label ``days`` days; a longer life begins with the shorter one."""
    plans = draw_plans(seed, person)
    week = draw_coincidence(seed, person, plans)
    annotator = Annotator(seed, person, plans)
    diaries = {plan.id: _Diary() for plan in plans}
    moments: list[Moment] = []
    coincided: list[str] = []
    weather: DayWeather | None = None
    quiet_until = -1
    for number in range(days):
        weather = next_weather((seed, person.index, number), person.city, person.date_of(number), weather)
        day = live_day(seed, person, plans, week, number, weather)
        devices = watch(seed, person, day)
        off = phone_off(seed, person, number)
        seen: list[Sight] = []
        for slot in range(person.first_slot if number == 0 else 1, 6):
            snoozed = number * 1440 + person.slot_minute(slot, number) < quiet_until
            sight = see(seed, person, day, devices, slot, len(moments), snoozed=snoozed, off=off)
            treatment = treat(seed, person, sight)
            if treatment.snooze_hours:
                quiet_until = number * 1440 + sight.second // 60 + treatment.snooze_hours * 60
            label = annotator.judge(sight) if sight.connected else None
            late = _stated_late(seed, person, day, slot)
            moments.append(Moment(sight, treatment, late, label))
            if sight.connected:
                seen.append(sight)
        for plan in plans:
            diaries[plan.id].note(plan, day, seen)
        if day.coincided:
            coincided.append(day.date.isoformat())
    habits = tuple(_habit(plan, diaries[plan.id], person, days) for plan in plans)
    truth = PersonTruth(
        participant=person.index,
        first_date=person.first_date.isoformat(),
        days=days,
        habits=habits,
        decoys=draw_decoys(person, plans, week, tuple(coincided)),
        episodes=annotator.finish(),
        misjudged=tuple(annotator.misjudged),
    )
    return Life(tuple(moments), truth)


def _habit(plan: Plan, diary: _Diary, person: Person, days: int) -> Habit:
    ended = plan.last is not None and plan.last < days
    return Habit(
        id=plan.id,
        kind=plan.kind,
        trigger=plan.trigger,
        behavior=plan.behavior,
        window=plan.window,
        weekdays=plan.weekdays,
        start_date=person.date_of(plan.first).isoformat(),
        end_date=person.date_of(plan.last).isoformat() if ended and plan.last is not None else None,
        follows=plan.follows,
        kept=tuple(diary.kept),
        skipped=tuple(diary.skipped),
        inapplicable=tuple(diary.inapplicable),
        unobservable=tuple(diary.unobservable),
    )
