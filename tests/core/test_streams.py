"""Causal order, arrival times and local days (Equation 1)."""

from __future__ import annotations

import itertools
from datetime import date
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proactmem.core.streams import DAY_SECONDS, arrive, causal_order
from proactmem.errors import InputError
from tests.samples import code, desktop, home, sports


def test_order_is_time_then_event_id() -> None:
    events = [code("b", "2025-01-01T00:00:00Z"), code("a", "2025-01-01T00:00:00Z"), code("c", "2024-12-31T23:59:59Z")]
    assert [event.event_id for event in causal_order(events)] == ["c", "a", "b"]
    assert [event.event_id for event in causal_order(events, "source")] == ["b", "a", "c"]


def test_source_order_keeps_the_stated_time_and_never_goes_back() -> None:
    first, second = arrive([desktop("a", 1000.0), desktop("b", 990.0)])
    assert second.tau == first.tau
    assert second.public.time.timestamp() == 990.0  # type: ignore[union-attr]


def test_duplicate_ids_and_mixed_streams_are_refused() -> None:
    with pytest.raises(InputError, match="twice"):
        causal_order([desktop("a", 1.0), desktop("a", 2.0)])
    with pytest.raises(InputError, match="several streams"):
        causal_order([sports("a", "2015-07-22T10:00", stream="p1"), sports("b", "2015-07-22T11:00", stream="p2")])


def test_the_2320_segment_belongs_to_its_own_day() -> None:
    (event,) = arrive([home("e", "2011-06-01T23:20:00", 40)])
    assert event.day == date(2011, 6, 1)
    assert event.span == (23 * 3600 + 20 * 60, DAY_SECONDS)
    assert event.tau.isoformat() == "2011-06-02T00:00:00+00:00"


def test_a_dinner_slot_is_of_the_local_day_not_of_the_utc_day() -> None:
    (event,) = arrive([sports("e", "2015-07-22T21:30:00")])
    assert event.tau.date() == date(2015, 7, 23)
    assert event.day == date(2015, 7, 22)


def test_a_local_day_never_goes_back_when_travelling_west() -> None:
    late = sports("a", "2015-07-23T00:10:00", offset=-14400)
    west = sports("b", "2015-07-22T22:15:00", offset=-25200)
    first, second = arrive(causal_order([late, west]))
    assert first.tau < second.tau
    assert first.day == second.day == date(2015, 7, 23)
    assert second.span == (0.0, 0.0)


def test_dst_fall_back_keeps_wall_clock_and_utc_duration() -> None:
    zone = ZoneInfo("Europe/Berlin")
    first, second = arrive([desktop("a", "2024-10-27T00:30:00Z"), desktop("b", "2024-10-27T01:30:00Z")], zone=zone)
    assert first.span == second.span == (9000.0, 9000.0)
    assert (second.tau - first.tau).total_seconds() == 3600


@given(st.lists(st.tuples(st.floats(0, 1e6), st.integers(0, 50)), max_size=20, unique_by=lambda pair: pair[1]))
def test_arrival_is_monotone_and_order_total(stated: list[tuple[float, int]]) -> None:
    events = [desktop(f"e{name:02d}", second) for second, name in stated]
    ordered = causal_order(events)
    assert ordered == causal_order(list(reversed(events)))
    arrived = list(arrive(events))
    assert all(a.tau <= b.tau and a.day <= b.day for a, b in itertools.pairwise(arrived))
    assert all(0 <= event.span[0] <= event.span[1] <= DAY_SECONDS for event in arrived)
