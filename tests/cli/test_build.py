"""`proactmem build`: raw files of each source to a built folder, the counts told, mistakes named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from proactmem.datasets.built import BuiltStreams
from tests.cli.calling import done, failed
from tests.datasets import archive_files
from tests.datasets.archive_files import native
from tests.datasets.home_files import full_day, write
from tests.samples import FIGURE_5


def test_sports_from_a_folder_or_a_file_chosen_participants_or_all(project: Path, tmp_path: Path) -> None:
    whole, one = tmp_path / "whole", tmp_path / "one"
    said = done("build", "sports", "--raw", project / "raw" / "suggestions.csv", "--out", whole).out
    streams = BuiltStreams.open(whole)
    assert said.startswith(f"{whole}: {sum(streams.counts.values())} events in 2 streams; dropped ")
    dropped, labelled = said.splitlines()
    assert dropped.endswith(" not_connected")
    assert labelled == f"reference_labels.csv: {sum(streams.counts.values())} events have a label"
    assert (whole / "events.parquet").read_bytes() == (project / "built" / "events.parquet").read_bytes()
    done("build", "sports", "--raw", project / "raw", "--out", one, "--participants", "2")
    assert BuiltStreams.open(one).stream_ids == ("heartsteps_participant_02",)
    available = tmp_path / "available"
    done("build", "sports", "--raw", project / "raw", "--out", available, "--points", "available")
    fewer = BuiltStreams.open(available)
    assert 0 < sum(fewer.counts.values()) < sum(streams.counts.values())
    assert all(event.public.observable_payload.available for event in fewer.events(fewer.stream_ids[0]))  # type: ignore[union-attr]


@pytest.mark.parametrize(("given", "said"), [("1,x", "participants are '1,x'; expected numbers with commas"), ("9", "9")])
def test_participants_that_are_not_there_are_named(given: str, said: str, project: Path, tmp_path: Path) -> None:
    assert said in failed("build", "sports", "--raw", project / "raw", "--out", tmp_path / "b", "--participants", given)


def test_raw_files_that_are_not_there_are_named(project: Path, tmp_path: Path) -> None:
    assert "no such file or folder" in failed("build", "sports", "--raw", tmp_path / "raw", "--out", tmp_path / "b")
    assert "no suggestions.csv" in failed("build", "sports", "--raw", project / "built", "--out", tmp_path / "b")
    assert str(tmp_path / "no") in failed("build", "desktop", "--raw", tmp_path / "no", "--out", tmp_path / "b")
    assert str(tmp_path / "no") in failed("build", "own", "--raw", tmp_path / "no", "--out", tmp_path / "b")
    assert "holds the raw files" in failed("build", "sports", "--raw", project / "raw", "--out", project / "raw")


def write_lines(file: Path, *events: object) -> Path:
    file.write_text("".join(json.dumps(event) + "\n" for event in events), encoding="utf-8")
    return file


def test_own_events_with_their_labels_are_built_run_and_scored(tmp_path: Path) -> None:
    raw = tmp_path / "mine"
    raw.mkdir()
    later = FIGURE_5["observable_payload"] | {"source_local_decision_time": "2015-07-22T19:31:48"}  # type: ignore[operator]
    events = [FIGURE_5, {**FIGURE_5, "event_id": "e2", "timestamp": "2015-07-22T23:31:48Z", "observable_payload": later}]
    write_lines(raw / "events.jsonl", *events)
    stream = FIGURE_5["stream_id"]
    labels = [{"event_id": event["event_id"], "stream_id": stream, "y": y} for event, y in zip(events, (1, 0), strict=True)]
    write_lines(raw / "labels.jsonl", *labels)
    assert done("build", "own", "--raw", raw, "--out", tmp_path / "b", "--scope", "sports").out == (
        f"{tmp_path / 'b'}: 2 events in 1 streams\nlabels.jsonl: 2 events have a label\n"
    )
    done("run", "always", "--data", tmp_path / "b", "--out", tmp_path / "r")
    (scored,) = done("score", tmp_path / "r", "--labels", tmp_path / "b", "--json").objects
    assert scored["counts"] == {"tp": 1, "fp": 1, "fn": 0, "tn": 0}


def test_own_code_events_take_a_zone_and_an_order(tmp_path: Path) -> None:
    event = {
        "event_id": "g1", "event_time": "2020-01-01T23:30:00Z", "stream_id": "r", "repository": {"full_name": "o/r"},
        "event": {"action": "opened", "github_type": "IssuesEvent"}, "object": {"number": 1, "type": "issue"},
        "content": {}, "attributes": {},
    }  # fmt: skip
    file = write_lines(tmp_path / "events.jsonl", event, {**event, "event_id": "g0", "event_time": "2020-01-01T22:00:00Z"})
    own = ("build", "own", "--raw", file, "--scope", "code", "--out")
    done(*own, tmp_path / "berlin", "--zone", "Europe/Berlin")
    assert [(e.event_id, e.day.day) for e in BuiltStreams.open(tmp_path / "berlin").events("r")] == [("g0", 1), ("g1", 2)]
    done(*own, tmp_path / "source", "--order", "source")
    assert [e.event_id for e in BuiltStreams.open(tmp_path / "source").events("r")] == ["g1", "g0"]
    assert "unknown time zone 'Mars'" in failed(*own, tmp_path / "mars", "--zone", "Mars")


def test_a_mistake_in_own_events_names_file_and_row(tmp_path: Path) -> None:
    file = write_lines(tmp_path / "events.jsonl", FIGURE_5, {**FIGURE_5, "event_id": "e2", "y": 1})
    said = failed("build", "own", "--raw", file, "--out", tmp_path / "b", "--scope", "sports")
    assert said.startswith(f"{file}, row 2, field 'y': a public event carries a label-like field")


def test_desktop_traces(tmp_path: Path) -> None:
    raw = tmp_path / "traces"
    raw.mkdir()
    observations = [{"time": 1717377900.0 + 60 * n, "event": f"The user searches for thing {n}."} for n in range(4)]
    trace = [{"observation": item} for item in observations]
    (raw / "trace_1.json").write_text(json.dumps(trace), encoding="utf-8")
    said = done("build", "desktop", "--raw", raw, "--out", tmp_path / "b").out
    assert said.startswith(f"{tmp_path / 'b'}: 4 events in 1 streams")
    done("run", "proactmem", "--data", tmp_path / "b", "--out", tmp_path / "r")


def test_homes_are_built_by_name_and_day(tmp_path: Path) -> None:
    for name in ("hh101", "hh102"):
        lines = (text for day in ("2012-07-18", "2012-07-19") for text in full_day(day))
        write(tmp_path / "raw" / f"{name}.rawdata.txt", *lines)
    home = ("build", "home", "--raw", tmp_path / "raw", "--out")
    assert done(*home, tmp_path / "all").out == f"{tmp_path / 'all'}: 116 events in 2 streams\n"
    chosen = (*home, tmp_path / "one", "--homes", "hh102", "--from", "2012-07-19", "--days")
    assert done(*chosen, "1").out.startswith(f"{tmp_path / 'one'}: 29 events in 1 streams; dropped 6 records_outside")
    assert BuiltStreams.open(tmp_path / "one").stream_ids == ("casas_home_0002",)
    assert "does not hold the 2 complete days from 2012-07-19 on" in failed(*chosen, "2")
    assert "--from is '19.7.'; expected a day" in failed(*home, tmp_path / "x", "--from", "19.7.")
    assert "no home ['hh9']" in failed(*home, tmp_path / "x", "--homes", "hh9")


def test_repositories_are_built_by_name_hour_and_type(tmp_path: Path) -> None:
    for hour in (4, 5):
        archive_files.write(tmp_path / "raw" / f"2024-03-01-{hour}.json.gz", native(hour), native(10 + hour, "ForkEvent"))
    code = ("build", "code", "--raw", tmp_path / "raw", "--out")
    assert done(*code, tmp_path / "all", "--repos", "A/B").out == f"{tmp_path / 'all'}: 4 events in 1 streams\n"
    chosen = done(
        *code, tmp_path / "one", "--repos", "7", "--since", "2024-03-01T05", "--until", "2024-03-02", "--types", "ForkEvent"
    )
    assert chosen.out == f"{tmp_path / 'one'}: 1 events in 1 streams; dropped 1 other_event_type\n"
    assert "no event of q/r in the hours read" in failed(*code, tmp_path / "x", "--repos", "q/r")
    assert "no repository was named" in failed(*code, tmp_path / "x")
    assert "--since is 'June'; expected a day or an hour" in failed(*code, tmp_path / "x", "--repos", "a/b", "--since", "June")
