"""Planted habits against admitted regularities, by the documented rule."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from proactmem.core.predicates import Predicate
from proactmem.core.regularities import Regularity, Window
from proactmem.datasets.planted import Recovery, recover
from proactmem.datasets.simulate import truth
from tests.samples import sports, stream

START = date(2015, 7, 20)  # a Monday
KEPT = (0, 1, 2, 3, 7)
"""Day numbers on which the habit was kept: on days at work, which are all days but 4, 5 and 6."""


def events(days=10):
    found = []
    for number in range(days):
        day = START + timedelta(days=number)
        place = "home" if number in (4, 5, 6) else "work"
        found.append(sports(f"{number}-a", f"{day}T09:00:00", place=place, steps60=0))
        found.append(sports(f"{number}-b", f"{day}T17:30:00", place="park", steps60=1200 if number in KEPT else 100))
    return stream(*found)


def planted_predicate(name, op, value):
    return truth.Predicate(path=f"observable_payload.{name}", op=op, value=value)


def habit(kept=KEPT):
    return truth.Habit(
        id="p1-h1", kind="after_work",
        trigger=planted_predicate("location_category", "==", "work"),
        behavior=planted_predicate("jawbone_steps_pre60", ">=", 1000),
        window=truth.Window(start="17:00", end="18:30"),
        weekdays=None, start_date=START.isoformat(), end_date=None, follows=None,
        kept=tuple((START + timedelta(days=number)).isoformat() for number in kept),
        skipped=(), inapplicable=(), unobservable=(),
    )  # fmt: skip


def person(*habits, decoys=()):
    return truth.PersonTruth(
        participant=1, first_date=START.isoformat(), days=10, habits=habits, decoys=decoys, episodes=(), misjudged=()
    )


def regularity(place="work", steps=1000, start="17:00", end="18:30", weekdays=None):
    return Regularity(
        trigger=Predicate(path="observable_payload.location_category", op="==", value=place),
        behavior=Predicate(path="observable_payload.jawbone_steps_pre60", op=">=", value=steps),
        window=Window(start=start, end=end),
        weekdays=weekdays,
    )


def test_the_habit_itself_is_found_with_its_trigger():
    found = recover(person(habit()), [regularity()], events())
    assert found == Recovery(habits=1, found=1, found_with_trigger=1, admitted=1, true=1, true_with_trigger=1)


@pytest.mark.parametrize(
    ("change", "matched"),
    [
        ({"steps": 600}, True),
        ({"steps": 1500}, False),
        ({"start": "16:00", "end": "19:00"}, True),
        ({"start": "17:15", "end": "17:45"}, True),
        ({"start": "12:00", "end": "17:45"}, True),
        ({"start": "12:00", "end": "17:30"}, False),
        ({"start": "08:00", "end": "10:00"}, False),
        ({"weekdays": (0, 1, 2)}, True),
        ({"weekdays": (1, 2)}, False),
    ],
    ids=str,
)
def test_behavior_window_and_weekdays_decide(change, matched):
    """Two Mondays, a Tuesday, a Wednesday and a Thursday were kept; three dates are needed; 17:30 lies in [17:15, 17:45)."""
    assert recover(person(habit()), [regularity(**change)], events()).true == matched


def test_another_trigger_still_describes_the_behavior():
    found = recover(person(habit()), [regularity(place="home")], events())
    assert (found.true, found.true_with_trigger) == (1, 0)
    assert (found.found, found.found_with_trigger) == (1, 0)


def test_a_habit_kept_twice_is_not_asked_for():
    assert recover(person(habit(kept=(0, 1))), [regularity()], events()) == Recovery(admitted=1)


def test_unobserved_dates_neither_help_nor_hurt():
    blind = [event for event in events() if event.event_id not in ("0-b", "1-b")]
    assert recover(person(habit()), [regularity()], blind).found == 1  # three of the five kept dates are left
    fewer = [event for event in blind if event.event_id != "2-b"]
    assert recover(person(habit()), [regularity()], fewer).found == 0


def decoy(**changes):
    values = {
        "id": "p1-d1", "reason": "trigger_rarely_followed", "weekdays": None, "dates": (),
        "trigger": planted_predicate("location_category", "==", "work"),
        "behavior": planted_predicate("jawbone_steps_pre60", ">=", 1000),
        "window": truth.Window(start="17:00", end="18:30"),
    }  # fmt: skip
    return truth.Decoy(**(values | changes))


def test_an_admitted_decoy_is_counted_unless_it_is_a_habit_too():
    assert recover(person(decoys=(decoy(),)), [regularity()], events()) == Recovery(admitted=1, decoys=1, decoys_admitted=1)
    assert recover(person(habit(), decoys=(decoy(),)), [regularity()], events()).decoys_admitted == 0
    assert recover(person(decoys=(decoy(),)), [regularity(place="home")], events()).decoys_admitted == 0
    assert recover(person(decoys=(decoy(),)), [], events()) == Recovery(decoys=1)


def test_counts_add_up():
    one = recover(person(habit()), [regularity()], events())
    assert one + one == Recovery(habits=2, found=2, found_with_trigger=2, admitted=2, true=2, true_with_trigger=2)
    assert Recovery() + one == one
