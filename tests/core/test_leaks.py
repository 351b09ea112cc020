"""What the door refuses at any depth of an event."""

from __future__ import annotations

import json

import pytest

from proactmem.core.events import parse_event, public_json
from proactmem.errors import InputError, LabelLeakError
from tests.samples import code, desktop, home


@pytest.mark.parametrize("inside", ["content", "attributes"])
@pytest.mark.parametrize(
    "name",
    ["reference_label", "gt_label", "is_candidate_event", "annotator_1", "gold_y", "episode_annotation", "scoring_mask_v1"],
)
def test_label_words_inside_open_fields(inside: str, name: str) -> None:
    data = json.loads(public_json(code("e", "2025-01-01T00:00:00Z", title="t")))
    data[inside][name] = 1
    with pytest.raises(LabelLeakError, match=name):
        parse_event(data, scope="code")


@pytest.mark.parametrize(
    "change",
    [
        {"content": {"t": "\ud800"}},
        {"content": {"\ud800": "t"}},
        {"attributes": {"labels": ["ok", "\udfff"]}},
        {"repository": {"full_name": "a/\ud800"}},
        {"object": {"number": "refs/\ud800", "type": "push"}},
    ],
)
def test_half_a_character_is_no_text(change: dict[str, object]) -> None:
    data = json.loads(public_json(code("e", "2025-01-01T00:00:00Z", title="t")))
    with pytest.raises(InputError, match="surrogate"):
        parse_event(json.dumps({**data, **change}), scope="code", file="f", row=3)


def test_a_true_is_no_count_and_a_text_no_number() -> None:
    data = json.loads(public_json(home("e", "2011-06-01T08:00:00", Hall=2)))
    for value in (True, "2", 1.5):
        with pytest.raises(InputError, match="Hall"):
            parse_event({**data, "motion": {**data["motion"], "location_counts": {"Hall": value}}}, scope="home")
    whole = parse_event({**data, "motion": {**data["motion"], "location_counts": {"Hall": 2.0}}}, scope="home")
    assert whole == home("e", "2011-06-01T08:00:00", Hall=2)


@pytest.mark.parametrize("change", [{"duration_minutes": 7}, {"decision_time": "2011-06-01T09:00:00"}])
def test_a_segment_is_what_its_window_says(change: dict[str, object]) -> None:
    data = json.loads(public_json(home("e", "2011-06-01T08:00:00", Hall=2)))
    with pytest.raises(InputError, match=r"duration_minutes|decision_time"):
        parse_event({**data, **change}, scope="home")


def test_a_time_no_calendar_holds_is_refused() -> None:
    for time in (10**400, "0001-01-01T00:00:00+05:00", "9999-12-31T23:59:59-05:00"):
        with pytest.raises(InputError, match="time"):
            desktop("e", time)
