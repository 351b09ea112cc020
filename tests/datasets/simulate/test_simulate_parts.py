"""The parts of a simulated life: chance by key, the clock, the weather, devices and predicates."""

from datetime import date

import numpy as np
import pytest

from proactmem.datasets.simulate.chance import Chance
from proactmem.datasets.simulate.clock import SLOT_RANGES, Zone, slot_of, utc_text
from proactmem.datasets.simulate.days import live_day
from proactmem.datasets.simulate.devices import watch
from proactmem.datasets.simulate.habits import draw_coincidence, draw_plans
from proactmem.datasets.simulate.lives import Life
from proactmem.datasets.simulate.people import draw_person
from proactmem.datasets.simulate.truth import Predicate, Window
from proactmem.datasets.simulate.weather import next_weather


def test_chance_depends_on_its_key_alone() -> None:
    first, again, other = (Chance(1, key).vector(50) for key in ("a", "a", "b"))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)
    assert sorted(Chance(1, "some").some((1, 2, 3), 9)) == [1, 2, 3]
    assert {Chance(1, draw).weighted((("x", 0.0), ("y", 1.0))) for draw in range(50)} == {"y"}


def test_summer_time_ends_inside_the_autumn_cohort() -> None:
    zone = Zone(-18000)
    assert zone.offset(date(2015, 10, 31)) == -14400
    assert zone.offset(date(2015, 11, 1)) == -18000
    assert zone.offset(date(2016, 3, 12)) == -18000
    assert zone.offset(date(2016, 3, 13)) == -14400
    assert Zone(-36000, saving=False).offset(date(2015, 7, 1)) == -36000
    assert utc_text(date(2015, 11, 1), 19 * 3600 + 30, -18000) == "2015-11-02 00:00:30"


@pytest.mark.parametrize("slot", [1, 2, 3, 4, 5])
def test_every_allowed_minute_falls_into_its_slot(slot: int) -> None:
    low, high = SLOT_RANGES[slot - 1]
    assert {slot_of(minute) for minute in range(low, high + 1)} == {slot}


def test_people_keep_their_slots_in_range_and_in_order() -> None:
    for index in range(1, 60):
        person = draw_person(4, index)
        assert list(person.slots) == sorted(person.slots)
        assert all(low <= minute <= high for minute, (low, high) in zip(person.slots, SLOT_RANGES, strict=True))
        assert person == draw_person(4, index)


def test_habits_never_share_the_slot_of_their_traces_at_one_time() -> None:
    for index in range(1, 60):
        person = draw_person(4, index)
        plans = draw_plans(4, person)
        assert 2 <= len([plan for plan in plans if plan.follows is None]) <= 3
        for plan in plans:
            for other in plans:
                overlap = plan.first <= (other.last or 999) and other.first <= (plan.last or 999)
                assert plan is other or not overlap or plan.slot != other.slot


def test_devices_see_no_more_than_was_walked() -> None:
    person = draw_person(2, 1)
    plans = draw_plans(2, person)
    week = draw_coincidence(2, person, plans)
    weather = None
    for number in range(6):
        weather = next_weather((2, 1, number), person.city, person.date_of(number), weather)
        day = live_day(2, person, plans, week, number, weather)
        seen = watch(2, person, day)
        assert np.all(seen.jawbone <= day.steps)
        assert not seen.jawbone[~seen.worn].any()
        assert np.all((seen.fit > 0) <= (day.steps > 0))
        assert day.steps[: day.wake - 80].sum() == 0
        assert 1000 < day.steps.sum() < 40000


def test_sentinels_are_not_measured(lives: list[Life]) -> None:
    gone = [m.sight for life in lives for m in life.moments if m.sight.around.temperature == "-1024.0"]
    unknown = [m.sight for life in lives for m in life.moments if m.sight.around.category == "unknown"]
    assert gone
    assert unknown
    assert all(sight.public["temperature_c"] is None and sight.public["weather_condition"] is None for sight in gone)
    assert all(sight.public["location_category"] is None for sight in unknown)


@pytest.mark.parametrize(
    ("op", "value", "found", "expected"),
    [
        ("==", "home", "home", True),
        ("!=", "home", "work", True),
        ("in", ("Clear", "Rain"), "Overcast", False),
        (">=", 1000, 1000, True),
        (">", 1000, 1000, False),
        ("<", 5.5, 5, True),
        ("<=", 5, 6, False),
        ("<", 5, "home", False),
        ("==", 1, None, None),
    ],
)
def test_a_predicate_compares_one_public_field(
    op: str, value: object, found: bool | int | float | str | None, expected: bool | None
) -> None:
    predicate = Predicate.model_validate({"path": "observable_payload.field", "op": op, "value": value})
    assert predicate.holds({"field": found}) is expected


def test_a_window_is_half_open() -> None:
    window = Window(start="18:30", end="20:00")
    assert window.holds(18 * 3600 + 1800)
    assert window.holds(20 * 3600 - 1)
    assert not window.holds(20 * 3600)
