"""The public-input contract."""

from __future__ import annotations

import json
from copy import deepcopy

import pytest

from proactmem.core.events import parse_event, public_json
from proactmem.errors import InputError, LabelLeakError
from tests.samples import FIGURE_5, code, desktop, home


def test_figure_5_round_trips() -> None:
    event = parse_event(FIGURE_5, scope="sports")
    assert json.loads(public_json(event)) == FIGURE_5


@pytest.mark.parametrize(
    "name", ["y", "gt", "label", "reference_decision", "GT", "groundTruth", "candidate_flag", "episode_id", "scoring_mask",
             "memory_level", "help_needed", "gold_label", "annotator_2"],
)  # fmt: skip
@pytest.mark.parametrize("inside", [False, True])
def test_label_like_fields_are_refused_by_name(name: str, inside: bool) -> None:
    data = deepcopy(FIGURE_5)
    target = data["observable_payload"] if inside else data
    assert isinstance(target, dict)
    target[name] = 1
    with pytest.raises(LabelLeakError, match=name) as caught:
        parse_event(data, scope="sports", file="own.jsonl", row=3)
    assert "own.jsonl" in str(caught.value)
    assert "row 3" in str(caught.value)
    assert "label file" in str(caught.value)


def test_a_repositorys_own_labels_are_no_leak() -> None:
    data = json.loads(public_json(code("e1", "2025-01-01T00:00:00Z", title="x")))
    data["attributes"]["labels"] = ["bug", "help wanted"]
    assert parse_event(data, scope="code").scope == "code"
    data["content"]["label"] = "positive"
    with pytest.raises(LabelLeakError, match=r"content\.label"):
        parse_event(data, scope="code")


def test_a_room_may_be_called_anything() -> None:
    assert home("e1", "2011-06-01T00:00:00", y=3, label=2).motion.location_counts == {"y": 3, "label": 2}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"timestamp": "2015-07-22T21:31:48"}, ["timestamp", "zone"]),
        ({"jawbone_steps_pre10": 3}, ["jawbone_steps_pre10", "Remove the field"]),
        ({"event_id": ""}, ["event_id"]),
        ({"event_id": "a\x00b"}, ["event_id"]),
        ({"scope": "home"}, ["scope", "sports"]),
        ({"timestamp": "2015-07-22T22:31:48Z"}, ["source_local_decision_time"]),
    ],
)
def test_bad_events_name_the_field(change: dict[str, object], words: list[str]) -> None:
    with pytest.raises(InputError) as caught:
        parse_event({**FIGURE_5, **change}, scope="sports")
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("recognized_activity", "FLYING"),
        ("available", 1),
        ("available", "True"),
        ("temperature_c", -1024),
        ("temperature_c", float("nan")),
        ("jawbone_steps_pre30", -1),
        ("jawbone_steps_pre30", 1.5),
        ("decision_slot", 9),
        ("weather_condition", 3),
    ],
)
def test_values_outside_the_schema_are_refused(field: str, value: object) -> None:
    data = deepcopy(FIGURE_5)
    payload = data["observable_payload"]
    assert isinstance(payload, dict)
    payload[field] = value
    with pytest.raises(InputError, match=f"observable_payload.{field}"):
        parse_event(data, scope="sports")


@pytest.mark.parametrize("text", ["", "null", "[]", "{", "3", '"x"', "\ufeff{}", "{" * 100_000])
def test_what_is_no_json_object_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        parse_event(text, scope="sports", file="f", row=1)


def test_desktop_times_are_epoch_or_zoned() -> None:
    assert desktop("e", "1717377997.0").time == desktop("e", 1717377997).time == desktop("e", "2024-06-03T01:26:37Z").time
    for bad in ("2024-06-03T01:26:37", "yesterday", "1e99", True, None):
        with pytest.raises(InputError, match="time"):
            desktop("e", bad)  # type: ignore[arg-type]


def test_a_segment_is_visible_at_its_close_only() -> None:
    data = json.loads(public_json(home("e1", "2011-06-01T23:20:00", 40)))
    assert data["decision_time"] == "2011-06-02T00:00:00"
    with pytest.raises(InputError, match="decision_time"):
        parse_event({**data, "decision_time": "2011-06-01T23:30:00"}, scope="home")


@pytest.mark.parametrize(
    "field", ["decision_slot", "source_utc_offset_seconds", "jawbone_steps_pre30", "google_fit_steps_pre60", "temperature_c"]
)
@pytest.mark.parametrize("value", [True, False, "3"])
def test_neither_a_boolean_nor_a_text_is_a_number(field: str, value: object) -> None:
    data = deepcopy(FIGURE_5)
    data["observable_payload"][field] = value  # type: ignore[index]
    with pytest.raises(InputError, match=f"field 'observable_payload.{field}': .*a number is expected"):
        parse_event(data, scope="sports")
    data["observable_payload"][field] = FIGURE_5["observable_payload"][field] / 1  # type: ignore[index]
    assert parse_event(data, scope="sports") == parse_event(FIGURE_5, scope="sports")


@pytest.mark.parametrize("value", [True, "3", float("nan"), float("inf")])
@pytest.mark.parametrize("field", ["count", "minimum", "maximum", "mean", "last"])
def test_a_sensor_is_summed_up_in_finite_numbers(field: str, value: object) -> None:
    data = json.loads(public_json(home("e1", "2011-06-01T08:00:00")))
    sensor = {"sensor": "T1", "count": 2, "mean": 20.5}
    assert parse_event({**data, "numeric_sensors": [sensor]}, scope="home")
    with pytest.raises(InputError, match=rf"numeric_sensors\.0\.{field}"):
        parse_event({**data, "numeric_sensors": [{**sensor, field: value}]}, scope="home")


@pytest.mark.parametrize("value", [True, 7.5])
def test_an_objects_number_is_whole_or_a_ref(value: object) -> None:
    with pytest.raises(InputError, match=r"object\.number"):
        code("e1", "2025-01-01T00:00:00Z", value)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("counts", "found"),
    [
        ({"raw_event_count": 84}, None),
        ({"raw_event_count": 90}, None),
        ({"raw_event_count": 83}, "raw_event_count is 83, below 84"),
        ({"location_counts": {"Bathroom": 13, "Bedroom": 17, "LivingRoom": 11}}, None),
        ({"location_counts": {"Bathroom": 13, "Bedroom": 31}}, "location_counts hold 44 activations, activation_count is 43"),
    ],
)
def test_motion_counts_of_figure_5_agree(counts: dict[str, object], found: str | None) -> None:
    data = json.loads(public_json(home("e1", "2012-07-21T00:00:00", Bathroom=13, Bedroom=17, LivingRoom=11, OutsideDoor=2)))
    data["motion"] |= {"raw_event_count": 84, "deactivation_count": 41, **counts}
    if found is None:
        assert parse_event(data, scope="home")
        return
    with pytest.raises(InputError, match=f"field 'motion': .*{found}"):
        parse_event(data, scope="home")


@pytest.mark.parametrize("end", ["2011-06-01T24:00:00", "2011-06-01 24:00", "2011-06-01T24:00:00.000"])
def test_an_end_of_24_00_is_the_next_days_0_00(end: str) -> None:
    whole = home("e1", "2011-06-01T23:20:00", 40)
    data = json.loads(public_json(whole))
    assert parse_event({**data, "window_end": end, "decision_time": end}, scope="home") == whole


@pytest.mark.parametrize("end", ["2011-06-01T24:00:01", "2011-06-01T24:10:00", "2011-02-30T24:00:00", "9999-12-31T24:00:00"])
def test_no_other_time_of_hour_24_is_read(end: str) -> None:
    data = json.loads(public_json(home("e1", "2011-06-01T23:20:00", 40)))
    with pytest.raises(InputError, match="window_end"):
        parse_event({**data, "window_end": end, "decision_time": end}, scope="home")
