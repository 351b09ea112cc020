"""Typed facts: canonical scalars and paths (Equation 5)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proactmem.core.events import parse_event
from proactmem.core.facts import canonical, event_facts, observed_containers, resolve
from tests.samples import FIGURE_5, code, home, sports

P = "observable_payload."


@pytest.mark.parametrize(
    ("left", "right", "equal"),
    [
        ("Mostly  Cloudy", "mostly cloudy", True),
        ("Caf\u00e9", "CAFE\u0301", True),
        (1, 1.0, True),
        (0, -0.0, True),
        ("1", 1, False),
        (True, 1, False),
        (True, "true", False),
        ("2015-07-22T21:31:48Z", "2015-07-22T17:31:48-04:00", True),
        ("2015-07-22T21:31:48Z", "2015-07-22T21:31:48", False),
        ("2015-07-22 17:31:48", "2015-07-22T17:31:48", True),
        (2**70, 2**70 + 1, False),
    ],
)
def test_canonical_equality(left: object, right: object, equal: bool) -> None:
    assert (canonical(left) == canonical(right)) is equal


@pytest.mark.parametrize("value", [None, float("nan"), float("inf"), float("-inf")])
def test_null_nan_and_infinity_are_no_facts(value: object) -> None:
    assert canonical(value) is None


@given(st.text())
def test_canonical_text_is_stable(text: str) -> None:
    assert canonical(text) == canonical(f"  {text} ".upper().lower()) or canonical(text.upper()) is not None
    once = canonical(text)
    assert once is not None
    if once[0] == "text":
        assert canonical(once[1]) in (once, canonical(str(once[1])))


def test_facts_of_figure_5() -> None:
    facts = event_facts(parse_event(FIGURE_5, scope="sports"))
    assert facts[P + "recognized_activity"] == (("text", "still"),)
    assert facts[P + "google_fit_steps_pre30"] == (("number", 0),)
    assert facts["timestamp"] == (canonical("2015-07-22T21:31:48+00:00"),)


def test_a_list_gives_one_fact_an_element_at_the_same_path() -> None:
    event = home("e1", "2012-07-21T00:00:00", Bedroom=17, Bathroom=13)
    facts = event_facts(event)
    assert facts["motion.location_sequence"] == (("text", "bedroom"), ("text", "bathroom"))
    assert facts["motion.location_counts.Bathroom"] == (("number", 13),)


def test_absence_is_observed_where_the_container_is_held() -> None:
    quiet = observed_containers(home("e1", "2012-07-21T00:00:00"))
    assert {"motion.location_counts", "door_actions", "motion.location_sequence"} <= quiet
    missing = sports("e", "2015-07-22T17:00:00", steps60=None)
    assert P + "jawbone_steps_pre60" not in observed_containers(missing)


def test_paths_resolve_exactly_or_by_whole_segment_suffix() -> None:
    assert resolve(P + "available", "sports").path == P + "available"
    assert resolve("available", "sports").path == P + "available"
    assert resolve("vailable", "sports").fault == "unknown_path"
    assert resolve("payload.available", "sports").fault == "unknown_path"
    seen = frozenset(event_facts(code("e", "2025-01-01T00:00:00Z", title="t", state="x")))
    assert resolve("title", "code", seen).path == "content.title"
    assert resolve("state", "code", seen).fault == "ambiguous_path"
    assert resolve("attributes.state", "code", seen).path == "attributes.state"
    assert resolve("location", "home").fault == "ambiguous_path"
    assert resolve("Bathroom", "home", frozenset({"motion.location_counts.Bathroom"})).path == "motion.location_counts.Bathroom"
