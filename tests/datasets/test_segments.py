"""A day is 29 segments, every record in exactly one of them and one of its containers."""

from __future__ import annotations

from collections import Counter
from datetime import date, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from proactmem.core.events import Motion, NumericSensor
from proactmem.datasets.segments import DAY_SEGMENTS, Reading, Still, bounds, day_segments, segment_of
from tests.datasets.home_files import records

DAY = date(2012, 7, 21)
MIDNIGHT = datetime(2012, 7, 21)  # noqa: DTZ001  # homes keep a wall clock


def at(clock: str) -> datetime:
    return datetime.fromisoformat(f"2012-07-21T{clock}")


def segments(*readings: Reading, still: dict[str, Still] | None = None, lost: Counter[str] | None = None):
    return list(
        day_segments("h1", "casas50_0001", DAY, readings, {} if still is None else still, Counter() if lost is None else lost)
    )


def motion(clock: str, place: str, action: str = "ON") -> Reading:
    return Reading(at(clock), "motion", f"M-{place}", place, action)


def test_the_segments_are_the_blocks_of_a_day_each_once():
    found = [bounds(DAY, segment) for segment in range(DAY_SEGMENTS)]
    assert found[0][0] == MIDNIGHT
    assert found[-1][1] == MIDNIGHT + timedelta(days=1)
    assert [end for _, end in found[:-1]] == [start for start, _ in found[1:]]
    assert [(end - start).seconds // 60 for start, end in found] == [50] * 28 + [40]
    for minute in range(24 * 60):
        moment = MIDNIGHT + timedelta(minutes=minute)
        start, end = found[segment_of(moment)]
        assert start <= moment < end


def test_the_first_event_of_figure_5():
    """43 activations and 41 deactivations are 84 records; the sequence collapses repeats."""
    order = ["Bedroom"] * 9 + ["LivingRoom"] * 11 + ["OutsideDoor"] * 2 + ["Bedroom"] * 4 + ["Bathroom"] * 13 + ["Bedroom"] * 4
    on = [
        Reading(at(f"00:{number // 2:02d}:{30 * (number % 2):02d}"), "motion", "M", place, "ON")
        for number, place in enumerate(order)
    ]
    off = [reading._replace(action="OFF", at=reading.at + timedelta(seconds=1)) for reading in on[:41]]
    [first, *rest] = segments(*sorted(on + off, key=lambda reading: reading.at))
    assert first.motion == Motion(
        raw_event_count=84, activation_count=43, deactivation_count=41,
        location_counts={"Bathroom": 13, "Bedroom": 17, "LivingRoom": 11, "OutsideDoor": 2},
        location_sequence=("Bedroom", "LivingRoom", "OutsideDoor", "Bedroom", "Bathroom", "Bedroom"),
    )  # fmt: skip
    assert (first.door_actions, first.numeric_sensors, first.other_actions) == ((), (), ())
    assert (first.window_start, first.window_end, first.decision_time) == (MIDNIGHT, at("00:50:00"), at("00:50:00"))
    assert all(event.motion.raw_event_count == 0 for event in rest)
    assert [event.event_id for event in rest][-1] == "casas50_0001_2012-07-21_28"


def test_numbers_are_summed_by_sensor():
    values = (20.0, 23.5, 21.0)
    found = segments(
        *(Reading(at(f"01:0{i}:00"), "numeric", "T1", "T1", "", value, "temperature") for i, value in enumerate(values))
    )
    assert found[1].numeric_sensors == (
        NumericSensor(sensor="T1", kind="temperature", count=3, minimum=20.0, maximum=23.5, mean=21.5, last=21.0),
    )


def test_what_is_on_before_a_segment_is_told_with_since_until_it_ends():
    lamp = Reading(at("10:05:00"), "other", "L1", "Hall", "ON", stays=True)
    off = lamp._replace(at=at("12:00:00"), action="OFF", stays=False)
    still = {"Bed": Still("Bedroom", "ON", at("00:00:00") - timedelta(hours=1))}
    found = segments(lamp, off, still=still)
    assert [(one.sensor, one.since) for one in found[0].other_actions] == [("Bed", "23:00:00 (-1d)")]
    assert [(one.sensor, one.action, one.time, one.since) for one in found[12].other_actions] == [
        ("Bed", "ON", None, "23:00:00 (-1d)"), ("L1", "ON", "10:05:00", None),
    ]  # fmt: skip
    assert [one.since for one in found[13].other_actions if one.sensor == "L1"] == ["10:05:00"]
    assert [(one.action, one.time) for one in found[14].other_actions if one.sensor == "L1"] == [
        ("ON", None),
        ("OFF", "12:00:00"),
    ]
    assert [one for one in found[15].other_actions if one.sensor == "L1"] == []


def test_an_off_that_never_came_is_not_told_for_ever():
    lost: Counter[str] = Counter()
    still = {"L1": Still("Hall", "ON", MIDNIGHT - timedelta(hours=20))}
    found = segments(still=still, lost=lost)
    assert [bool(event.other_actions) for event in found] == [True] * 5 + [False] * 24
    assert (lost["devices_on_over_a_day"], still) == (1, {})


READINGS = st.builds(
    lambda second, kind, on, number: Reading(
        MIDNIGHT + timedelta(seconds=second), kind, f"{kind}{number}", f"room{number}",
        {"motion": "ON" if on else "OFF", "door": "OPEN" if on else "CLOSE", "numeric": "", "other": "TAP"}[kind],
        float(second) if kind == "numeric" else None, None, on if kind == "door" else None,
    ),
    st.integers(0, 86399), st.sampled_from(["motion", "door", "numeric", "other"]), st.booleans(), st.integers(0, 3),
)  # fmt: skip


@given(st.lists(READINGS, max_size=60))
def test_no_record_is_lost_or_counted_twice(readings):
    ordered = sorted(readings, key=lambda reading: reading.at)
    found = segments(*ordered)
    assert len(found) == DAY_SEGMENTS
    assert records(found) == len(readings)
    assert sum(event.motion.activation_count for event in found) == sum(sum(e.motion.location_counts.values()) for e in found)
