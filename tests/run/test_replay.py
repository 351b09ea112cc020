"""proactmem.run.replay: the same bytes from the same inputs, whatever is cut off, run again or run at once (Section 3.3)."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from proactmem.core.records import EventRecord
from proactmem.datasets.built import EVENTS
from proactmem.errors import ConfigError
from proactmem.run.catalog import METHODS, method_spec
from tests.run.making import FIRST, SECOND, Failing, do, files


def records(out: Path, stream: str = FIRST) -> list[bytes]:
    return (out / "records" / f"{stream}.jsonl").read_bytes().splitlines()


def cut(built: Path, folder: Path, count: int) -> Path:
    """The built data with each stream ended after `count` events."""
    folder.mkdir()
    table = pq.read_table(built / EVENTS)
    pq.write_table(table.filter([index < count for index in table["index"].to_pylist()]), folder / EVENTS)
    return folder


@pytest.mark.parametrize("method", METHODS)
def test_cutting_the_future_off_changes_no_earlier_record(method: str, built: Path, tmp_path: Path) -> None:
    whole = do(method, built, tmp_path / "whole")
    assert len(records(whole)) > 33
    for count in (1, 17, 33):
        part = do(method, cut(built, tmp_path / f"cut{count}", count), tmp_path / f"part{count}")
        for stream in (FIRST, SECOND):
            assert records(part, stream) == records(whole, stream)[:count]


@pytest.mark.parametrize("method", METHODS)
def test_equal_runs_have_equal_bytes_at_once_or_one_after_the_other(method: str, built: Path, tmp_path: Path) -> None:
    once = files(do(method, built, tmp_path / "once"))
    assert {name.split("/")[0] for name in once} == {"records", "audit", "manifest.json"}
    assert files(do(method, built, tmp_path / "again")) == once
    assert files(do(method, built, tmp_path / "at once", jobs=4)) == once


def test_methods_differ_where_they_should(smoke: Path, tmp_path: Path) -> None:
    """So that equal bytes above are no equality of nothing: memory reaches context, and control changes decisions."""
    found = {}
    for method in ("event-only", "trajectory", "proactmem", "before-suppression"):
        lines = records(do(method, smoke, tmp_path / method))
        found[method] = [EventRecord.model_validate_json(line) for line in lines]
    contexts = {method: [record.context for record in listed if record.context] for method, listed in found.items()}
    assert not any(context.trajectories for context in contexts["event-only"])
    assert any(context.trajectories for context in contexts["trajectory"])
    assert not any(context.regularities for context in contexts["trajectory"])
    assert any(context.regularities for context in contexts["proactmem"])
    suppressed = [record.decision.reason for record in found["proactmem"]].count("suppressed")
    assert suppressed > 0
    assert "suppressed" not in [record.decision.reason for record in found["before-suppression"]]
    assert [record.proposal for record in found["before-suppression"]] == [record.proposal for record in found["proactmem"]]


def test_chosen_streams_are_those_of_the_full_run(built: Path, tmp_path: Path) -> None:
    whole, part = do("proactmem", built, tmp_path / "whole"), do("proactmem", built, tmp_path / "part", only=[SECOND])
    assert files(part, "records", "audit") == {
        name: data for name, data in files(whole, "records", "audit").items() if SECOND in name
    }
    manifest = json.loads((part / "manifest.json").read_bytes())
    assert (manifest["streams"], manifest["complete"]) == ([SECOND], True)


def test_streams_run_in_the_data_s_order_and_unknown_ones_are_named(built: Path, tmp_path: Path) -> None:
    backwards = do("never", built, tmp_path / "backwards", only=[SECOND, FIRST])
    assert json.loads((backwards / "manifest.json").read_bytes())["streams"] == [FIRST, SECOND]
    with pytest.raises(ConfigError, match=rf"unknown stream \['nobody'\]; the data holds {FIRST}"):
        do("never", built, tmp_path / "unknown", only=[FIRST, "nobody"])
    with pytest.raises(ConfigError, match="unknown stream"):
        do("never", built, tmp_path / "none", only=[])


def test_a_complete_run_asks_nothing_again(built: Path, tmp_path: Path) -> None:
    backbone = Failing()
    out = do("proactmem", built, tmp_path / "run", backbone)
    before, calls = files(out), backbone.calls
    assert calls > 80
    assert files(do("proactmem", built, out, backbone)) == before
    assert backbone.calls == calls


def test_progress_tells_of_every_event_and_of_finished_streams(built: Path, tmp_path: Path) -> None:
    told: list[tuple[str, int, int]] = []
    out = do("never", built, tmp_path / "run", progress=lambda *event: told.append(event))
    sizes = {stream: len(records(out, stream)) for stream in (FIRST, SECOND)}
    assert told == [(stream, done, size) for stream, size in sizes.items() for done in range(1, size + 1)]
    told.clear()
    do("never", built, out, progress=lambda *event: told.append(event))
    assert told == [(stream, size, size) for stream, size in sizes.items()]


def test_an_unknown_method_lists_those_there_are() -> None:
    with pytest.raises(ConfigError) as raised:
        method_spec("proact")
    assert all(name in str(raised.value) for name in METHODS)
