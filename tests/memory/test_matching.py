"""Current matching and the order of retrieval (Equation 7)."""

from __future__ import annotations

import pytest

from proactmem.config import MemoryConfig
from proactmem.core.predicates import Predicate
from proactmem.core.regularities import Regularity, Window
from proactmem.core.streams import Event
from proactmem.memory.lifecycle import RegularityState
from proactmem.memory.matching import OpenDay, match_state, retrieve, schedule
from proactmem.memory.replay import ReplayCounts
from tests.samples import home, sports, stream

CONFIG = MemoryConfig()
P = "observable_payload."


def rule(start: str = "17:00", end: str = "20:00", place: str = "work", weekdays: tuple[int, ...] | None = None) -> Regularity:
    return Regularity(
        trigger=Predicate(path=P + "location_category", op="==", value=place),
        behavior=Predicate(path=P + "jawbone_steps_pre60", op=">=", value=1000),
        window=Window(start=start, end=end),
        weekdays=weekdays,
    )


def state(regularity: Regularity, status: str = "active", fulfilled: int = 5) -> RegularityState:
    return RegularityState(regularity, status, ("d",), replay=ReplayCounts(fulfilled, 0, 0, fulfilled, fulfilled))  # type: ignore[arg-type]


def open_day(events: list[Event]) -> OpenDay:
    today = OpenDay()
    today.start(events[0].day)
    for event in events:
        today.stage(event)
    return today


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([("09:00", "work", 0)], None),  # long before the window
        ([("09:00", "work", 0), ("16:29", "home", 0)], None),
        ([("09:00", "work", 0), ("16:30", "home", 0)], "upcoming"),
        ([("09:00", "work", 0), ("16:59", "home", 0)], "upcoming"),
        ([("09:00", "work", 0), ("17:00", "home", 0)], "pending"),
        ([("09:00", "home", 0), ("17:30", "home", 0)], None),  # no trigger
        ([("17:30", "work", 0)], "pending"),  # the current event is the trigger
        ([("09:00", "work", 0), ("17:30", "home", 1200)], "fulfilled"),
        ([("09:00", "work", 0), ("17:30", "home", 1200), ("19:00", "home", 0)], "fulfilled"),
        ([("17:05", "home", 1200), ("17:30", "work", 0), ("19:00", "home", 0)], "pending"),  # done before its trigger
        ([("09:00", "work", 0), ("18:00", "home", 0), ("20:00", "home", 0)], "deviated"),
        ([("09:00", "work", 0), ("18:00", "home", 0), ("20:30", "home", 0)], "deviated"),
        ([("09:00", "work", 0), ("18:00", "home", 0), ("20:31", "home", 0)], None),
        ([("09:00", "work", 0), ("18:00", "home", None), ("20:10", "home", 0)], "censored"),
        ([("18:00", "home", 0), ("20:10", "work", 0)], None),  # trigger at or after the end
    ],
)
def test_states(rows: list[tuple[str, str, int | None]], expected: str | None) -> None:
    events = stream(*(sports(f"e{t}", f"2015-07-22T{t}:00", place=p, steps60=s) for t, p, s in rows))
    found = match_state(state(rule()), open_day(events), events[-1].span[1], CONFIG)
    assert (found[0] if found else None) == expected


def test_other_weekdays_do_not_match() -> None:
    events = stream(sports("a", "2015-07-22T17:30:00", place="work", steps60=0))  # a Wednesday
    assert match_state(state(rule(weekdays=(0, 1))), open_day(events), events[-1].span[1], CONFIG) is None
    assert match_state(state(rule(weekdays=(2,))), open_day(events), events[-1].span[1], CONFIG) is not None


def test_home_is_judged_at_the_close_and_absence_is_a_deviation() -> None:
    kitchen = Regularity(
        trigger=Predicate(path="motion.location_counts.Bathroom", op=">=", value=1),
        behavior=Predicate(path="motion.location_counts.Kitchen", op=">=", value=1),
        window=Window(start="07:00", end="09:00"), weekdays=None,
    )  # fmt: skip
    events = stream(home("a", "2011-06-01T07:30:00", Bathroom=2), home("b", "2011-06-01T08:20:00", Hall=1))
    assert match_state(state(kitchen), open_day(events[:1]), events[0].span[1], CONFIG) == ("pending", 27_000.0)
    assert match_state(state(kitchen), open_day(events), events[1].span[1], CONFIG) == ("deviated", 27_000.0)


def test_retrieval_orders_by_state_lifecycle_confidence_distance_id_and_keeps_three() -> None:
    events = stream(
        sports("a", "2015-07-22T09:00:00", place="work", steps60=0),
        sports("b", "2015-07-22T17:00:00", place="home", steps60=0),
    )
    today = open_day(events)
    pool = {
        "deviated, weak": state(rule("16:30", "17:00"), "weakening", 3),
        "pending, active, strong": state(rule("16:00", "18:00"), "active", 9),
        "pending, active, weak": state(rule("16:00", "18:30"), "active", 3),
        "pending, weakening": state(rule("16:00", "19:00"), "weakening", 9),
        "upcoming": state(rule("17:10", "19:00"), "active", 9),
        "candidate": state(rule("16:00", "20:00"), "candidate", 9),
        "dormant": state(rule("16:00", "21:00"), "dormant", 9),
    }
    names = {item.regularity.regularity_id: name for name, item in pool.items()}
    for order in (list(pool.values()), list(reversed(pool.values()))):
        found = [
            names[match.regularity.regularity_id]
            for match in retrieve(schedule(order, events[-1].day, CONFIG), today, events[-1], CONFIG)
        ]
        # the behaviour is observed at 17:00, which is not inside [16:30, 17:00): that one is censored, not deviated
        assert found == ["pending, active, strong", "pending, active, weak", "pending, weakening"]
    wide = MemoryConfig(top=10)
    assert (
        names[retrieve(schedule(pool.values(), events[-1].day, wide), today, events[-1], wide)[-1].regularity.regularity_id]
        == "upcoming"
    )


def test_distance_is_to_the_window() -> None:
    events = stream(sports("a", "2015-07-22T16:45:00", place="work", steps60=0))
    (match,) = retrieve(schedule([state(rule())], events[-1].day, CONFIG), open_day(events), events[-1], CONFIG)
    assert (match.state, match.distance_seconds) == ("upcoming", 900.0)
