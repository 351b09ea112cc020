"""A field that is a label in disguise is found; one that is merely rare, or common, is not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proactmem.datasets.export.presence import MIN_EVENTS, ClassComparison, Comparison

POSITIVE, NEGATIVE = {"y": True}, {"y": False}


def compared(*events: tuple[dict[str, object], bool]) -> ClassComparison:
    comparison = Comparison()
    for public, y in events:
        comparison.add(public, y)
    return comparison.result()


def both(positive: dict[str, object], negative: dict[str, object], count: int = MIN_EVENTS) -> ClassComparison:
    return compared(*[(positive, True)] * count, *[(negative, False)] * count)


@pytest.mark.parametrize(
    ("positive", "negative"),
    [
        ({"a": 1}, {}),
        ({}, {"a": 1}),
        ({"a": 1}, {"a": None}),
        ({"a": 1}, {"a": 0}),
        ({"a": True}, {"a": False}),
        ({"a": ["x"]}, {"a": []}),
        ({"a": ["x", "z"]}, {"a": ["z"]}),
        ({"a": 1}, {"a": True}),
    ],
)
def test_a_field_in_exact_step_with_the_label_separates(positive: dict[str, object], negative: dict[str, object]) -> None:
    same = {"b": 1, "c": {"d": "x"}}
    assert both({**positive, **same}, {**negative, **same}).separating == ("a",)


def test_presence_separates_whatever_the_values() -> None:
    many = [({"a": number, "b": 1}, True) for number in range(30)]
    assert compared(*many, *[({"a": None, "b": 1}, False)] * 30).separating == ("a",)


def test_one_exception_is_enough_not_to_separate() -> None:
    events = [({"a": 1}, True)] * 9 + [({"a": 0}, False)] * 9
    assert compared(*events).separating == ("a",)
    assert compared(*events, ({"a": 1}, False)).separating == ()
    assert compared(*events, ({}, False)).separating == ("a",)
    assert compared(*events, ({}, False), ({}, True)).separating == ()


def test_too_few_events_say_nothing() -> None:
    assert both({"a": 1}, {}, MIN_EVENTS - 1).separating == ()
    assert both({"a": 1}, {}, MIN_EVENTS - 1).one_class_only != ()
    assert compared(*[({"a": 1}, True)] * 50).separating == ()
    assert compared(*[({"a": 1}, True)] * 50).one_class_only == ()


def test_many_values_are_no_label() -> None:
    events = [({"a": number}, number >= 10) for number in range(20)]
    assert compared(*events).separating == ()


def test_a_constant_field_and_names_of_the_stream_are_no_label() -> None:
    positive = {"stream_id": "s", "event_id": "1", "repository": {"full_name": "a/b"}, "c": 1}
    negative = {"stream_id": "t", "event_id": "2", "repository": {"full_name": "c/d"}, "c": 1}
    assert both(positive, negative).separating == ()
    assert both(positive, negative).fields == 1


def test_paths_of_one_class_are_counted() -> None:
    found = compared(({"a": {"b": 1}}, True), ({"a": {"b": 2, "c": 3}}, True), ({"a": {"b": 2}}, False))
    [only] = found.one_class_only
    assert (only.path, only.intervene, only.abstain) == ("a.c", 1, 0)
    assert (found.intervene, found.abstain, found.fields) == (2, 1, 2)


PUBLIC = st.dictionaries(st.sampled_from("abc"), st.sampled_from([None, 0, 1, "x"]))


@given(st.lists(st.tuples(PUBLIC, st.booleans()), min_size=1, max_size=40))
def test_what_separates_is_a_function_from_the_field_to_the_label(events: list[tuple[dict[str, object], bool]]) -> None:
    separating = compared(*events).separating
    counts = [sum(y is which for _, y in events) for which in (True, False)]
    for name in "abc":
        seen: dict[str, set[bool]] = {}
        for public, y in events:
            seen.setdefault(repr(public.get(name)), set()).add(y)
        exact = len(seen) > 1 and all(len(labels) == 1 for labels in seen.values()) and min(counts) >= MIN_EVENTS
        assert (name in separating) == exact
