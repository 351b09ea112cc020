"""The fact validator refuses what its sources do not say (Equation 5)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proactmem.core.facts import canonical
from proactmem.core.streams import Event
from proactmem.memory.validation import Validated, validate_day
from tests.samples import home, sports, sports_days, stream

DAY = date(2015, 7, 22)
EVENTS = stream(
    sports("a", "2015-07-22T08:10:30", place="home", steps60=40),
    sports("b", "2015-07-22T12:02:10", place="work", steps60=1800, activity="ON_FOOT"),
)
GOOD = {
    "entity": "p1",
    "start": "08:10:30",
    "end": "12:02:10",
    "observed": [{"path": "recognized_activity", "value": "still"}],
    "context_before": [],
    "outcome": [{"path": "observable_payload.jawbone_steps_pre60", "value": 1800.0}],
    "sources": ["b", "a"],
}


def check(*drafts: object, checked: bool = True, events: Sequence[Event] = EVENTS) -> Validated:
    return validate_day(drafts, stream_id="p1", scope="sports", day=DAY, events=events, check_facts=checked)


def test_a_supported_segment_is_kept_with_full_paths_and_fact_times() -> None:
    (segment,), facts, rejections = check(GOOD)
    assert rejections == ()
    assert segment.observed[0].path == "observable_payload.recognized_activity"
    assert segment.sources == ("a", "b")
    assert (segment.start, segment.end) == (EVENTS[0].span[0], EVENTS[1].span[1])
    assert {(fact.path.split(".")[1], fact.span) for fact in facts} == {
        ("recognized_activity", EVENTS[0].span),
        ("jawbone_steps_pre60", EVENTS[1].span),
    }


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"entity": "p2"}, "wrong_entity"),
        ({"sources": []}, "no_source"),
        ({"sources": ["a", "zz"]}, "unknown_source"),
        ({"observed": [], "outcome": []}, "no_facts"),
        ({"start": "12:00", "end": "11:00"}, "bad_interval"),
        ({"start": "09:00"}, "bad_interval"),
        ({"end": "12:01"}, "bad_interval"),
        ({"end": "24:01"}, "bad_interval"),
        ({"start": "2015-07-21T08:00:00"}, "bad_interval"),
        ({"start": "soon"}, "bad_interval"),
        ({"observed": [{"path": "mood", "value": "good"}]}, "unknown_path"),
        ({"observed": [{"path": "jawbone_steps_pre60", "value": 1799}]}, "value_differs"),
        ({"observed": [{"path": "available", "value": "true"}]}, "value_differs"),
        ({"observed": [{"path": "google_fit_steps_pre60", "value": 0}]}, "value_differs"),
        ({"sources": ["a"], "end": "08:11"}, "value_differs"),
        ({"observed": "STILL"}, "malformed"),
        ({"observed": [{"path": "available", "value": None}]}, "malformed"),
        ({"confidence": 1}, "malformed"),
    ],
)
def test_rejections_are_values_with_a_reason(change: dict[str, object], reason: str) -> None:
    segments, facts, (rejection,) = check({**GOOD, **change})
    assert (segments, facts) == ((), ())
    assert rejection.reason == reason


def test_an_ambiguous_path_is_refused() -> None:
    events = stream(home("a", "2015-07-22T00:00:00", Hall=1))
    draft = {
        "entity": "h1", "start": "00:00", "end": "00:50", "sources": ["a"],
        "observed": [{"path": "location", "value": "Hall"}],
    }  # fmt: skip
    _, _, (rejection,) = validate_day([draft], stream_id="h1", scope="home", day=DAY, events=events)
    assert rejection.reason == "ambiguous_path"


def test_minute_precision_covers_its_minute_and_a_wide_claim_gains_nothing() -> None:
    (segment,), _, _ = check({**GOOD, "start": "00:00", "end": "24:00"})
    assert (segment.start, segment.end) == (EVENTS[0].span[0], EVENTS[1].span[1])
    assert check({**GOOD, "start": "08:10", "end": "12:02"})[2] == ()


def test_one_bad_segment_does_not_cost_the_others_and_repeats_count_once() -> None:
    segments, _, rejections = check(GOOD, {**GOOD, "entity": "x"}, GOOD, 7, None)
    assert len(segments) == 1
    assert [(item.reason, item.position) for item in rejections] == [
        ("wrong_entity", 1),
        ("malformed", 3),
        ("malformed", 4),
    ]


def test_without_validation_only_form_and_entity_are_checked() -> None:
    wild = {
        **GOOD,
        "observed": [{"path": "mood", "value": "good"}],
        "sources": ["zz"],
        "start": "01:00",
        "end": "02:00",
    }
    segments, facts, rejections = check(wild, {**GOOD, "entity": "p2"}, {**GOOD, "start": "x"}, checked=False)
    assert len(segments) == 1
    assert {fact.span for fact in facts} == {(3600.0, 3600.0)}
    assert [item.reason for item in rejections] == ["wrong_entity", "malformed"]


SCALARS = st.one_of(st.sampled_from(["STILL", "home", "work", 0, 120, 1800, True, False]), st.text(max_size=4), st.integers())


@given(sports_days(max_days=2), st.lists(
    st.tuples(st.sampled_from(["recognized_activity", "location_category", "jawbone_steps_pre60", "nope"]), SCALARS),
    max_size=4), st.data())  # fmt: skip
def test_no_fact_is_accepted_without_a_source(
    events: list[Event], claims: list[tuple[str, object]], data: st.DataObject
) -> None:
    if not events:
        return
    day = [event for event in events if event.day == events[0].day]
    sources = data.draw(st.lists(st.sampled_from([event.event_id for event in events] + ["ghost"]), max_size=4))
    draft = {
        "entity": "p1", "start": "00:00", "end": "24:00", "sources": sources,
        "observed": [{"path": path, "value": value} for path, value in claims],
    }  # fmt: skip
    segments, facts, _ = validate_day([draft], stream_id="p1", scope="sports", day=events[0].day, events=day)
    by_id = {event.event_id: event for event in day}
    for segment in segments:
        assert segment.facts
        for fact in segment.facts:
            assert any(canonical(fact.value) in by_id[source].facts.get(fact.path, ()) for source in segment.sources)
    for daily in facts:
        assert any(event.span == daily.span and daily.value in event.facts[daily.path] for event in day)
