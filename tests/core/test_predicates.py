"""Predicates over one path (SPEC 4)."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from proactmem.core.facts import Canonical, canonical
from proactmem.core.predicates import Predicate, check_predicate, holds
from proactmem.core.regularities import DraftRegularity, Regularity, Window
from proactmem.core.trajectories import clock_text, parse_clock


def values(*items: object) -> tuple[Canonical, ...]:
    return tuple(found for item in items if (found := canonical(item)) is not None)


@pytest.mark.parametrize(
    ("op", "value", "held", "expected"),
    [
        ("==", "Kitchen", ["hall", "kitchen"], True),
        ("==", 1, [1.0], True),
        ("==", 1, ["1"], False),
        ("==", True, [1], False),
        ("!=", "kitchen", ["hall"], True),
        ("!=", "kitchen", ["hall", "Kitchen"], False),
        ("!=", "kitchen", [], True),
        (">=", 100, [99, 100], True),
        (">", 100, [100], False),
        ("<", 0, [-0.5], True),
        ("<=", "2015-07-22T00:00:00Z", ["2015-07-21T23:00:00-02:00"], False),
        ("<", "2015-07-22T00:00:00Z", ["2015-07-22T00:30:00+02:00"], True),
        (">", 5, ["9"], False),
        ("in", ("home", "work"), ["WORK"], True),
        ("in", (1, 2), [3], False),
    ],
)
def test_holds(op: str, value: object, held: list[object], expected: bool) -> None:
    assert holds(Predicate(path="p", op=op, value=value), values(*held)) is expected  # type: ignore[arg-type]


def test_not_equal_needs_an_observation() -> None:
    assert holds(Predicate(path="p", op="!=", value=1), (), observed=False) is False


@pytest.mark.parametrize("op", ["==", "!=", "<", "<=", ">", ">=", "in"])
@given(st.lists(st.one_of(st.integers(-5, 5), st.floats(-5, 5), st.booleans(), st.text(max_size=3))))
def test_without_values_only_not_equal_can_hold(op: str, held: list[object]) -> None:
    predicate = Predicate(path="p", op=op, value=(1,) if op == "in" else 1)  # type: ignore[arg-type]
    assert holds(predicate, ()) is (op == "!=")
    if op == "!=":
        assert holds(predicate, values(*held)) is not holds(Predicate(path="p", op="==", value=1), values(*held))


@pytest.mark.parametrize(
    ("op", "value"), [("in", "home"), ("==", ("home",)), ("==", float("nan")), ("in", ()), ("~", 1), ("==", None)]
)
def test_malformed(op: str, value: object) -> None:
    with pytest.raises(ValidationError):
        Predicate.model_validate({"path": "p", "op": op, "value": value})


@pytest.mark.parametrize(
    ("path", "op", "value", "fault"),
    [
        ("recognized_activity", "==", "STILL", None),
        ("recognized_activity", "==", 3, "type_mismatch"),
        ("recognized_activity", ">", "STILL", "type_mismatch"),
        ("jawbone_steps_pre60", ">=", "many", "type_mismatch"),
        ("jawbone_steps_pre60", "in", (1, "2"), "type_mismatch"),
        ("available", ">", True, "type_mismatch"),
        ("available", "==", "True", "type_mismatch"),
        ("timestamp", "<", "2015-07-22T00:00:00Z", None),
        ("timestamp", "<", "2015-07-22T00:00:00", "type_mismatch"),
        ("mood", "==", "good", "unknown_path"),
    ],
)
def test_against_the_schema(path: str, op: str, value: object, fault: str | None) -> None:
    predicate = Predicate(path=path, op=op, value=value)  # type: ignore[arg-type]
    checked = check_predicate(predicate, "sports", frozenset())
    assert (checked if isinstance(checked, str) else None) == fault


@pytest.mark.parametrize(
    ("start", "end"), [("17:00", "17:00"), ("18:00", "17:00"), ("17:00", "24:01"), ("x", "18:00"), ("23:00", "02:00")]
)
def test_windows_lie_inside_one_day(start: str, end: str) -> None:
    with pytest.raises(ValidationError):
        Window(start=start, end=end)
    assert Window(start="00:00", end="24:00").seconds == (0.0, 86_400.0)


def test_an_id_is_the_canonical_content() -> None:
    def rule(value: object, end: str = "20:00") -> str:
        return Regularity(
            trigger=Predicate(path="a", op="==", value=value),  # type: ignore[arg-type]
            behavior=Predicate(path="b", op="in", value=("x", "Y")), window=Window(start="17:00", end=end), weekdays=None,
        ).regularity_id  # fmt: skip

    assert rule(1) == rule(1.0) == rule(1, "20:00:00")
    assert rule("Home") == rule(" home ")
    assert len({rule(1), rule("1"), rule(True), rule(1, "20:30")}) == 4


def test_weekdays_may_be_named() -> None:
    draft = DraftRegularity.model_validate(
        {
            "trigger": {"path": "a", "op": "==", "value": 1},
            "behavior": {"path": "b", "op": "==", "value": 1},
            "window": {"start": "08:00", "end": "09:00"},
            "weekdays": ["Monday", "sun", 3],
        }
    )
    assert draft.weekdays == (0, 6, 3)
    with pytest.raises(ValidationError):
        DraftRegularity.model_validate({**draft.model_dump(), "weekdays": ["Someday"]})


@given(st.integers(0, 86_400))
def test_clock_round_trip(second: int) -> None:
    found = parse_clock(clock_text(second), date(2015, 7, 22))
    assert found is not None
    assert found[0] == second
