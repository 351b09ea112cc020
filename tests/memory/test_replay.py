"""Replay counts each date once and knows what was not observed (Equation 6)."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proactmem.core.predicates import Op, Predicate
from proactmem.core.regularities import Regularity, Window
from proactmem.core.streams import Event
from proactmem.core.trajectories import DailyFact
from proactmem.memory.replay import DayEvidence, ReplayCounts, judge_day
from tests.samples import home, sports, sports_days, stream

P = "observable_payload."


def regularity(start: str = "17:00", end: str = "20:00", weekdays: tuple[int, ...] | None = None) -> Regularity:
    return Regularity(
        trigger=Predicate(path=P + "location_category", op="==", value="work"),
        behavior=Predicate(path=P + "jawbone_steps_pre60", op=">=", value=1000),
        window=Window(start=start, end=end),
        weekdays=weekdays,
    )


def evidence(*rows: tuple[str, str, int | None], facts: bool = True) -> DayEvidence:
    """A day of (HH:MM, place, steps) decision points, all facts extracted unless `facts` is False."""
    events = stream(*(sports(f"e{time}", f"2015-07-22T{time}:00", place=place, steps60=steps) for time, place, steps in rows))
    held = [
        DailyFact(path, value, event.span)
        for event in events
        for path, values in event.facts.items()
        for value in values
        if facts
    ]
    return DayEvidence.of(date(2015, 7, 22), held, events)


@pytest.mark.parametrize(
    ("rows", "outcome", "base"),
    [
        ([("09:00", "work", 0), ("18:00", "home", 1500)], "fulfilled", True),
        ([("09:00", "work", 0), ("18:00", "home", 10)], "violated", False),
        ([("09:00", "work", 0), ("18:00", "home", None)], "censored", None),
        ([("09:00", "work", 0)], "censored", None),
        ([("09:00", "home", 0), ("18:00", "home", 1500)], "untriggered", True),
        ([("09:00", "home", 0), ("18:00", "home", 10)], "untriggered", False),
        # before the trigger, or at the window's end, does not count as fulfilled
        ([("17:10", "home", 1500), ("18:00", "work", 10)], "violated", True),
        ([("09:00", "work", 0), ("20:00", "home", 1500)], "censored", None),
        ([("18:00", "work", 1500)], "fulfilled", True),
        # a trigger at or after the end leaves nothing to observe
        ([("18:00", "home", 10), ("20:30", "work", 1500)], "censored", False),
    ],
)
def test_a_day_is_judged(rows: list[tuple[str, str, int | None]], outcome: str, base: bool | None) -> None:
    assert judge_day(regularity(), evidence(*rows)) == (outcome, base)


def test_other_weekdays_count_for_neither() -> None:
    rows = (("09:00", "work", 0), ("18:00", "home", 1500))
    assert judge_day(regularity(weekdays=(0,)), evidence(*rows)) == ("other_weekday", None)
    assert judge_day(regularity(weekdays=(2,)), evidence(*rows)).outcome == "fulfilled"


def test_observed_is_judged_on_events_and_behaviour_on_validated_facts() -> None:
    """An extraction that left the walk out cannot make the day fulfilled; the event keeps it observable."""
    full = evidence(("09:00", "work", 0), ("18:00", "home", 1500))
    bare = evidence(("09:00", "work", 0), ("18:00", "home", 1500), facts=False)
    triggered = DayEvidence(
        bare.day,
        bare.scope,
        {P + "location_category": full.facts[P + "location_category"]},
        bare.observed,
        bare.present,
    )
    assert judge_day(regularity(), triggered).outcome == "violated"


def test_an_absent_room_is_an_observation_of_absence() -> None:
    events = stream(home("a", "2011-06-01T07:00:00", Bathroom=3), home("b", "2011-06-01T08:00:00", Hall=2))
    held = [DailyFact(path, value, event.span) for event in events for path, vs in event.facts.items() for value in vs]
    day = DayEvidence.of(date(2011, 6, 1), held, events)

    def judge(op: Op, value: int) -> str:
        rule = Regularity(
            trigger=Predicate(path="motion.location_counts.Bathroom", op=">=", value=1),
            behavior=Predicate(path="motion.location_counts.Kitchen", op=op, value=value),
            window=Window(start="07:30", end="09:00"), weekdays=None,
        )  # fmt: skip
        return judge_day(rule, day).outcome

    assert judge(">=", 1) == "violated"
    assert judge("!=", 5) == "fulfilled"


def test_home_intervals_overlap_the_window() -> None:
    events = stream(home("a", "2011-06-01T07:00:00", Bathroom=3, Kitchen=1))
    held = [DailyFact(path, value, event.span) for event in events for path, vs in event.facts.items() for value in vs]
    day = DayEvidence.of(date(2011, 6, 1), held, events)
    for start, end, outcome in [
        ("07:49", "09:00", "fulfilled"),
        ("07:50", "09:00", "censored"),
        ("06:00", "07:00", "censored"),
    ]:
        rule = Regularity(
            trigger=Predicate(path="motion.location_counts.Bathroom", op=">=", value=1),
            behavior=Predicate(path="motion.location_counts.Kitchen", op=">=", value=1),
            window=Window(start=start, end=end), weekdays=None,
        )  # fmt: skip
        assert judge_day(rule, day).outcome == outcome


def test_zero_denominators_score_zero_and_lift_of_equal_ratios_is_exactly_one() -> None:
    assert (ReplayCounts().confidence, ReplayCounts().lift) == (0.0, 0.0)
    assert ReplayCounts(fulfilled=3, violated=0, base_days=0).lift == 0.0
    for total in range(1, 60):
        for hits in range(1, total + 1):
            assert ReplayCounts(fulfilled=hits, violated=total - hits, base_days=total, base_hits=hits).lift == 1.0


@given(sports_days(), st.sampled_from(["08:00", "12:00", "17:00"]), st.sampled_from(["18:00", "22:00", "24:00"]),
       st.sampled_from([None, (0, 1, 2), (5,)]))  # fmt: skip
def test_a_date_counts_once_and_never_below_zero(
    events: list[Event], start: str, end: str, weekdays: tuple[int, ...] | None
) -> None:
    rule = regularity(start, end, weekdays)
    counts = ReplayCounts()
    days = sorted({event.day for event in events})
    for day in days:
        of_day = [event for event in events if event.day == day]
        held = [DailyFact(path, value, e.span) for e in of_day for path, vs in e.facts.items() for value in vs]
        counts = counts.add(judge_day(rule, DayEvidence.of(day, held, of_day)))
    judged = counts.fulfilled + counts.violated + counts.censored
    assert 0 <= judged <= len(days)
    assert 0 <= counts.base_hits <= counts.base_days <= len(days)
    assert counts.fulfilled <= counts.base_hits
    assert 0 <= counts.confidence <= 1
    assert counts.lift >= 0
