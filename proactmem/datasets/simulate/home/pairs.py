"""Planted habits and decoys of a home, with the dates on which they were seen."""

from collections.abc import Sequence

from proactmem.datasets.simulate.home.glances import SEGMENTS, Glance
from proactmem.datasets.simulate.home.residents import Resident
from proactmem.datasets.simulate.truth import Decoy, Habit, Predicate, Window

__all__ = ["planted_decoys", "planted_habits"]


def _room(room: str, least: int) -> Predicate:
    return Predicate(path=f"motion.location_counts.{room}", op=">=", value=least)


def _clock(hour: float) -> str:
    minutes = max(0, min(round(hour * 6) * 10, 1440))
    return f"{minutes // 60:02d}:{minutes % 60:02d}"


def _window(start: float, end: float) -> Window:
    return Window(start=_clock(start), end=_clock(end))


def planted_habits(who: Resident, seen: Sequence[Glance], days: int) -> tuple[Habit, ...]:
    """What this person does on most days, as trigger, behavior and window of the public counts."""
    eat = "DiningRoom" if who.dining else "Kitchen"
    evening = who.evening_room if who.office else "LivingRoom"
    wanted = [
        ("dinner", _room(evening, 1), _room(eat, 5), _window(who.dinner - 0.6, who.dinner + 2.0), None),
        ("evening", _room(eat, 5), _room(evening, 8), _window(19.3, 22.5), None),
        ("outing", _room("Bathroom", 3), _room("OutsideDoor", 1), _window(who.outing - 0.8, who.outing + 1.4), who.outing_days),
    ]
    if who.breakfast:
        wanted.insert(
            0, ("breakfast", _room("Bathroom", 3), _room("Kitchen", 6), _window(who.wake - 0.5, who.wake + 2.6), None)
        )
    return tuple(_habit(number, who, seen, days, *one) for number, one in enumerate(wanted, start=1))


def _habit(
    number: int,
    who: Resident,
    seen: Sequence[Glance],
    days: int,
    kind: str,
    trigger: Predicate,
    behavior: Predicate,
    window: Window,
    weekdays: frozenset[int] | None,
) -> Habit:
    kept: list[str] = []
    skipped: list[str] = []
    inapplicable: list[str] = []
    unseen: list[str] = []
    for day in range(days):
        date = who.date(day).isoformat()
        if weekdays is not None and who.weekday(day) not in weekdays:
            inapplicable.append(date)
        elif not any(glance.number for glance in seen[day * SEGMENTS : (day + 1) * SEGMENTS]):
            unseen.append(date)
        else:
            (kept if _done(seen, day, behavior, window) else skipped).append(date)
    return Habit(
        id=f"{who.name}-h{number}",
        kind=kind,
        trigger=trigger,
        behavior=behavior,
        window=window,
        weekdays=None if weekdays is None else tuple(sorted(weekdays)),
        start_date=who.first_date.isoformat(),
        end_date=None,
        follows=None,
        kept=tuple(kept),
        skipped=tuple(skipped),
        inapplicable=tuple(inapplicable),
        unobservable=tuple(unseen),
    )


def _done(seen: Sequence[Glance], day: int, behavior: Predicate, window: Window) -> bool:
    room, least = behavior.path.rpartition(".")[2], behavior.value
    return any(
        isinstance(least, int) and glance.counts[room] >= least
        for glance in seen[day * SEGMENTS : (day + 1) * SEGMENTS]
        if window.first_minute / 60 < glance.end <= window.end_minute / 60 + 50 / 60
    )


def planted_decoys(who: Resident) -> tuple[Decoy, ...]:
    """Pairs that look like a regularity: a behavior as common without its trigger, and a trigger rarely followed."""
    return (
        Decoy(
            id=f"{who.name}-d1",
            reason="common_without_trigger",
            trigger=_room("OutsideDoor", 1),
            behavior=_room("Bathroom", 1),
            window=_window(6.0, 23.0),
            weekdays=None,
            dates=(),
        ),
        Decoy(
            id=f"{who.name}-d2",
            reason="trigger_rarely_followed",
            trigger=_room("Kitchen", 6),
            behavior=_room("OutsideDoor", 1),
            window=_window(20.0, 23.0),
            weekdays=None,
            dates=(),
        ),
    )
