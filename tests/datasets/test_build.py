"""A raw file goes in, a built folder comes out: pinned by hashes, counted, and never over something else."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from proactmem.datasets.build import build_desktop, build_own, build_sports
from proactmem.datasets.built import BuiltStreams
from proactmem.datasets.card import Card, card_markdown, read_card, sha256_file
from proactmem.datasets.simulate import simulate_sports
from proactmem.errors import ConfigError, InputError, StoreError
from tests.datasets.suggestion_files import UNCONNECTED, real, row, text, write

LABEL_ROWS = "participant,decision_index,y,a,b,n,service\n1,0,0,0,0,0,none\n1,2,1,1,0,1,walk\n1,1,1,1,0,1,walk\n"


def raw_folder(folder: Path) -> Path:
    write(folder, row(1, 0), row(1, 1, base=UNCONNECTED), row(1, 2), row(2, 0), row(3, 0, base=UNCONNECTED))
    (folder / "reference_labels.csv").write_text(LABEL_ROWS)
    (folder / "SOURCE.txt").write_text("not read")
    return folder


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_sports_build_writes_events_sources_labels_and_card(tmp_path: Path) -> None:
    raw, out = raw_folder(tmp_path / "raw"), tmp_path / "built"
    steps: list[tuple[int, int]] = []
    card = build_sports(raw, out, progress=lambda done, total: steps.append((done, total)))
    assert sorted(files(out)) == ["card.json", "card.md", "events.parquet", "labels.parquet", "sources.parquet"]
    assert steps == [(1, 3), (2, 3), (3, 3)]
    assert BuiltStreams.open(out).counts == {"heartsteps_participant_01": 2, "heartsteps_participant_02": 1}
    assert (card.scope, card.events, card.dropped["not_connected"]) == ("sports", 3, 2)
    assert card.noticed["participants_without_events"] == 1
    assert card.labels is not None
    assert (card.labels.rows, card.labels.joined, card.labels.unmatched) == (3, 2, 1)
    labels = pq.read_table(out / "labels.parquet")
    assert labels.column_names == ["event_id", "stream_id", "y", "a", "b", "n", "service"]
    assert labels["y"].to_pylist() == [False, True]
    assert card == read_card(out)
    assert card.inputs["suggestions.csv"] == sha256_file(raw / "suggestions.csv")
    assert card.outputs == {name: sha256_file(out / name) for name in card.outputs}
    assert set(card.outputs) == {"events.parquet", "labels.parquet", "sources.parquet"}
    assert card.source == "a file in HeartSteps format"


def test_equal_builds_have_equal_bytes_wherever_they_lie(tmp_path: Path) -> None:
    build_sports(raw_folder(tmp_path / "one"), tmp_path / "first")
    build_sports(raw_folder(tmp_path / "two" / "raw").parent, tmp_path / "second")
    assert files(tmp_path / "first") == files(tmp_path / "second")
    assert str(tmp_path).encode() not in b"".join(files(tmp_path / "first").values())


def test_no_label_reaches_events_sources_or_card(tmp_path: Path) -> None:
    raw = raw_folder(tmp_path / "raw")
    build_sports(raw, tmp_path / "with")
    (raw / "reference_labels.csv").write_text(LABEL_ROWS.replace("0,0,0,0,0,none", "0,1,1,0,1,stretch"))
    build_sports(raw, tmp_path / "other")
    (raw / "reference_labels.csv").unlink()
    card = build_sports(raw, tmp_path / "without")
    made = [files(tmp_path / name) for name in ("with", "other", "without")]
    for name in ("events.parquet", "sources.parquet"):
        assert made[0][name] == made[1][name] == made[2][name]
    assert made[0]["labels.parquet"] != made[1]["labels.parquet"]
    assert card.labels is None
    assert "labels.parquet" not in made[2]


def test_a_second_build_replaces_the_first_and_removes_stale_labels(tmp_path: Path) -> None:
    raw, out = raw_folder(tmp_path / "raw"), tmp_path / "built"
    build_sports(raw, out)
    card = build_sports(raw, out, participants=[2])
    assert sorted(files(out)) == ["card.json", "card.md", "events.parquet", "sources.parquet"]
    assert BuiltStreams.open(out).stream_ids == ("heartsteps_participant_02",)
    assert card.options == {"participants": (2,), "points": "connected"}
    assert card.labels is not None
    assert (card.labels.joined, card.labels.unmatched) == (0, 3)


def test_a_failed_build_leaves_the_built_folder_as_it_was(tmp_path: Path) -> None:
    raw, out = raw_folder(tmp_path / "raw"), tmp_path / "built"
    build_sports(raw, out)
    before = files(out)
    write(raw, row(1, 0), row(2, 0, avail="maybe"))
    with pytest.raises(InputError, match="row 3, field 'avail'"):
        build_sports(raw, out)
    assert files(out) == before


@pytest.mark.parametrize("labels", ["participant,decision_index,y\n1,0,7\n", "event_id;y\n"])
def test_a_failed_join_leaves_no_old_labels_beside_new_events(tmp_path: Path, labels: str) -> None:
    raw, out = raw_folder(tmp_path / "raw"), tmp_path / "built"
    build_sports(raw, out)
    before = files(out)
    write(raw, row(1, 0), row(1, 2, jbsteps30pre="77"))
    (raw / "reference_labels.csv").write_text(labels)
    with pytest.raises(InputError, match=r"reference_labels\.csv"):
        build_sports(raw, out)
    assert files(out) == before
    with pytest.raises(InputError, match=r"reference_labels\.csv"):
        build_sports(raw, tmp_path / "new")
    assert files(tmp_path / "new") == {}


def test_a_machine_that_stops_between_files_leaves_no_card_and_no_labels(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    raw, out = raw_folder(tmp_path / "raw"), tmp_path / "built"
    build_sports(raw, out)
    write(raw, row(1, 0), row(1, 2, jbsteps30pre="77"))
    move = Path.replace

    def stop(self: Path, target: Path) -> Path:
        if Path(target) == out / "events.parquet":
            raise OSError(28, "No space left on device")
        return move(self, target)

    monkeypatch.setattr(Path, "replace", stop)
    with pytest.raises(StoreError, match="the disk is full"):
        build_sports(raw, out)
    assert sorted(files(out)) == ["events.parquet", "sources.parquet"]


def test_events_that_the_card_was_not_written_for_are_noticed(tmp_path: Path) -> None:
    raw, out = raw_folder(tmp_path / "raw"), tmp_path / "built"
    card = build_sports(raw, out)
    assert BuiltStreams.open(out).sha256 == card.outputs["events.parquet"]
    build_sports(raw, tmp_path / "other", participants=[2])
    (out / "events.parquet").write_bytes((tmp_path / "other" / "events.parquet").read_bytes())
    with pytest.raises(StoreError, match=r"card\.json beside it was written for.*Build the streams again"):
        _ = BuiltStreams.open(out).sha256
    (out / "card.json").unlink()
    assert BuiltStreams.open(out).sha256 == sha256_file(tmp_path / "other" / "events.parquet")


def test_out_must_be_a_place_for_a_built_folder(tmp_path: Path) -> None:
    raw = raw_folder(tmp_path / "data" / "raw")
    for out in (raw, raw / ".", tmp_path / "data", tmp_path):
        with pytest.raises(ConfigError, match="holds the raw files"):
            build_sports(raw / "suggestions.csv", out)
    taken = tmp_path / "taken"
    taken.mkdir()
    (taken / "thesis.tex").write_text("mine")
    with pytest.raises(ConfigError, match=r"is not empty and no built folder; found \['thesis.tex'\]"):
        build_sports(raw, taken)
    assert list(files(taken)) == ["thesis.tex"]
    with pytest.raises(ConfigError, match="is a file"):
        build_sports(raw, taken / "thesis.tex")
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / ".gitkeep").touch()
    assert build_sports(raw, tmp_path / "kept").events == 3


def test_the_raw_file_is_found_or_named_in_the_error(tmp_path: Path) -> None:
    write(tmp_path / "data" / "raw", row())
    assert build_sports(tmp_path / "data", tmp_path / "out").events == 1
    write(tmp_path / "data", row())
    with pytest.raises(InputError, match=r"several raw files; found \['suggestions.csv', 'raw/suggestions.csv'\]"):
        build_sports(tmp_path / "data", tmp_path / "out")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "users.csv").touch()
    with pytest.raises(InputError, match=r"no suggestions.csv in the folder; found \['users.csv'\]"):
        build_sports(tmp_path / "other", tmp_path / "out")
    with pytest.raises(InputError, match="no such file or folder"):
        build_sports(tmp_path / "none", tmp_path / "out")


def test_nothing_left_to_build_is_an_error_and_leaves_no_files(tmp_path: Path) -> None:
    write(tmp_path / "raw", row(1, 0, base=UNCONNECTED))
    with pytest.raises(InputError, match="no event is left to build"):
        build_sports(tmp_path / "raw", tmp_path / "out")
    assert list((tmp_path / "out").glob("*")) == []


def test_simulated_files_are_built_as_real_ones_are_and_say_so(tmp_path: Path) -> None:
    simulate_sports(tmp_path / "raw", seed=3)
    card = build_sports(tmp_path / "raw", tmp_path / "out")
    assert len(card.streams) == 3
    assert "simulated" in card.source
    assert card.labels is not None
    assert card.labels.unmatched == 0
    assert card.labels.joined == card.events


def test_desktop_traces_build_with_their_labels(tmp_path: Path) -> None:
    raw = tmp_path / "raw"
    raw.mkdir()
    times = ["1717377997.0", "1717377990.0"]
    items = [{"observation": {"time": time, "event": "The user types."}, "task_status": True} for time in times]
    (raw / "code_1.json").write_text(json.dumps(items))
    (raw / "code_2.json").write_text("[]")
    (raw / "help_needed.jsonl").write_text('{"stream_id": "code_1", "index": 1, "help_needed": true}\n')
    card = build_desktop(raw, tmp_path / "out")
    assert (card.events, card.dropped, card.noticed) == (
        2,
        {"traces_without_observations": 1},
        {"times_that_go_back": 1},
    )
    labels = pq.read_table(tmp_path / "out" / "labels.parquet").to_pylist()
    assert [(label["event_id"], label["y"]) for label in labels] == [("code_1_0001", True)]
    assert pq.read_table(tmp_path / "out" / "sources.parquet").column_names == [
        "event_id",
        "stream_id",
        "trace",
        "index",
    ]


def test_own_data_builds_with_its_labels(tmp_path: Path) -> None:
    raw = tmp_path / "raw"
    raw.mkdir()
    event = {"scope": "desktop", "event_id": "a", "time": "2024-06-03T01:00:00Z", "stream_id": "s", "event": "x"}
    (raw / "mine.jsonl").write_text(json.dumps(event))
    (raw / "labels.jsonl").write_text('{"event_id": "a", "y": 1}\n')
    card = build_own(raw, tmp_path / "out")
    assert (card.scope, card.events, card.options) == ("desktop", 1, {"order": "time", "zone": None})
    assert card.labels is not None
    assert card.labels.joined == 1
    assert pq.read_table(tmp_path / "out" / "sources.parquet").to_pylist() == [
        {"event_id": "a", "stream_id": "s", "file": "mine.jsonl", "line": 1, "source_event_id": "a"}
    ]


def test_a_card_renders_as_a_short_page(tmp_path: Path) -> None:
    card = build_sports(raw_folder(tmp_path / "raw"), tmp_path / "out")
    page = card_markdown(card)
    assert page == (tmp_path / "out" / "card.md").read_text(encoding="utf-8")
    assert "| dropped: not connected | 2 |" in page
    assert "| events with a label (reference_labels.csv) | 2 |" in page
    assert "| heartsteps_participant_01 | 2 | 2015-07-22T16:31:53+00:00 | 2015-07-22T22:31:53+00:00 |" in page
    many = Card.model_validate({**card.model_dump(), "streams": card.streams * 30})
    assert "10 more streams are listed in card.json." in card_markdown(many)


def test_a_damaged_card_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="cannot be read"):
        read_card(tmp_path)
    (tmp_path / "card.json").write_text('{"format": 1}')
    with pytest.raises(StoreError, match="is not a data card of format 1"):
        read_card(tmp_path)


def test_the_real_participants_all_build_with_every_label_joined(tmp_path: Path) -> None:
    card = build_sports(real("heartsteps"), tmp_path)
    assert (len(card.streams), card.events, card.source) == (37, 7_539, "HeartSteps V1")
    assert card.dropped == {"no_decision_time": 1, "not_available": 0, "not_connected": 734}
    assert card.labels is not None
    assert (card.labels.joined, card.labels.unmatched) == (1_123, 0)
    streams = BuiltStreams.open(tmp_path)
    assert {"heartsteps_participant_05": 216, "heartsteps_participant_35": 213}.items() <= streams.counts.items()
    for name in streams.stream_ids:
        found = list(streams.events(name))
        assert all(before.tau <= after.tau and before.day <= after.day for before, after in pairwise(found))


def test_the_real_traces_build_with_every_label_joined(tmp_path: Path) -> None:
    card = build_desktop(real("proactivebench"), tmp_path)
    assert (len(card.streams), card.events, card.noticed["times_that_go_back"]) == (6, 112, 4)
    assert card.labels is not None
    assert (card.labels.joined, card.labels.unmatched) == (112, 0)


def test_a_file_with_a_label_column_is_no_suggestions_file(tmp_path: Path) -> None:
    (tmp_path / "raw").mkdir()
    whole = text([row()])
    (tmp_path / "raw" / "suggestions.csv").write_text("".join(f"{line},1\n" for line in whole.splitlines()))
    with pytest.raises(InputError, match=r"other columns than suggestions\.csv: unexpected '1'"):
        build_sports(tmp_path / "raw", tmp_path / "out")
