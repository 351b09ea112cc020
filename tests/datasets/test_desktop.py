"""A ProactiveBench trace becomes a stream in file order; only its observations enter."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from proactmem.core.streams import arrive
from proactmem.datasets.desktop import read_trace, trace_files, trace_stream
from proactmem.errors import InputError, LabelLeakError
from tests.datasets.suggestion_files import real


def item(time: object, event: object = "The user types.", **more: object) -> dict[str, object]:
    return {
        "observation": {"time": time, "event": event, **more},
        "agent_response": {"candidate_task": ["x"]},
        "task_status": True,
    }


def trace(folder: Path, *items: object, name: str = "code_1") -> Path:
    path = folder / f"{name}.json"
    path.write_text(json.dumps(items), encoding="utf-8")
    return path


def test_file_order_is_causal_and_nothing_but_the_observation_enters(tmp_path: Path) -> None:
    stream = trace_stream(read_trace(trace(tmp_path, item("1717377997.0"), item("1717377990.25"), item(1717378000))))
    found = list(stream.events)
    assert (stream.stream_id, stream.order, stream.zone) == ("code_1", "source", None)
    assert [sourced.public.event_id for sourced in found] == ["code_1_0000", "code_1_0001", "code_1_0002"]
    assert [sourced.key for sourced in found] == [("code_1", 0), ("code_1", 1), ("code_1", 2)]
    arrived = list(arrive(sourced.public for sourced in found))
    assert arrived[1].tau == arrived[0].tau
    assert all("task" not in event.json for event in arrived)


@pytest.mark.parametrize(
    ("items", "field", "problem"),
    [
        ([{"agent_response": {}}], "[0].observation", "an item without an observation"),
        ([item(1), "text"], "[1].observation", "an item without an observation"),
        ([item(1), item("noon")], "[1].observation.time", "valid datetime"),
        ([item("2024-06-03T01:26:37")], "[0].observation.time", "timezone"),
        ([item(1), {"observation": {"time": 1}}], "[1].observation.event", "Field required"),
        ([item(1, "")], "[0].observation.event", "at least 1 character"),
        ([item(1, extra=2)], "[0].observation.extra", "Extra inputs"),
        ([item(1, stream_id="other")], "[0].observation.stream_id", "unknown fields"),
    ],
)
def test_a_malformed_item_is_named_by_file_and_index(tmp_path: Path, items: list[object], field: str, problem: str) -> None:
    path = trace(tmp_path, *items)
    with pytest.raises(InputError, match=problem) as caught:
        list(trace_stream(read_trace(path)).events)
    assert (caught.value.file, caught.value.field) == (str(path), field)


def test_a_label_inside_an_observation_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LabelLeakError, match=r"\[0\]\.observation\.help_needed"):
        list(trace_stream(read_trace(trace(tmp_path, item(1, help_needed=True)))).events)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "the file is empty"),
        (b'[{"observation": {"time": "1"', "row 1: not JSON"),
        (b'{"observation": {}}', "not a trace"),
        (b'[{"observation": {"time": 1, "event": "x", "time": 2}}]', "field 'time': a key is given twice"),
        (b"[" * 100_000, "not JSON"),
        (b'["caf\xe9"]', "not UTF-8 at byte 5"),
    ],
)
def test_a_file_that_is_no_trace_is_refused_by_name(tmp_path: Path, content: bytes, problem: str) -> None:
    path = tmp_path / "code_9.json"
    path.write_bytes(content)
    with pytest.raises(InputError, match=problem) as caught:
        read_trace(path)
    assert caught.value.file == str(path)


def test_only_json_files_are_traces(tmp_path: Path) -> None:
    for name in ("help_needed.jsonl", "LICENSE", "SOURCE.txt", ".hidden.json"):
        (tmp_path / name).write_text("x")
    with pytest.raises(InputError, match="no trace in the folder"):
        trace_files(tmp_path)
    path = trace(tmp_path, item(1))
    assert trace_files(tmp_path) == trace_files(path) == (path,)
    with pytest.raises(InputError, match="no such file or folder"):
        trace_files(tmp_path / "missing")


def test_the_real_traces_are_read() -> None:
    traces = [read_trace(path) for path in trace_files(real("proactivebench"))]
    assert sum(len(list(trace_stream(trace).events)) for trace in traces) == 112
    assert [trace.name for trace in traces] == sorted(trace.name for trace in traces)
