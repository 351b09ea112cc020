"""A source runs what is missing, uses what is given, and refuses what belongs to other data."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from proactmem.datasets.built import BuiltStreams
from proactmem.errors import ConfigError, StoreError
from proactmem.explore.source import Source, answered_by
from proactmem.run.catalog import METHODS
from proactmem.score.runs import load_manifest
from proactmem.study import Study
from tests.explore.making import built, desktop_events, home_events
from tests.run.making import FIRST, SECOND, do
from tests.score.making import manifest


def test_a_method_runs_on_the_stream_asked_for_when_it_is_first_asked_for(tmp_path, folders):
    source = Source.of_folder(folders["sports"], tmp_path)
    told: list[int] = []
    run = source.run("trajectory", FIRST, lambda _stream, done, _total: told.append(done))
    assert run.is_relative_to(tmp_path / "data" / "runs")
    assert load_manifest(run).streams == (FIRST,)
    assert told == list(range(1, source.streams.counts[FIRST] + 1))
    told.clear()
    before = {path: path.stat().st_mtime_ns for path in (run / "records").iterdir()}
    assert source.run("trajectory", FIRST) == run
    assert {path: path.stat().st_mtime_ns for path in (run / "records").iterdir()} == before
    assert source.run("trajectory", SECOND) != run
    with pytest.raises(ConfigError, match="unknown method 'psychic'"):
        source.run("psychic", FIRST)
    with pytest.raises(ConfigError, match="unknown stream"):
        source.run("trajectory", "nobody")


def test_a_study_and_the_explorer_share_their_runs(tmp_path):
    study = Study.open("smoke", 7, root=str(tmp_path))
    first = study.streams.stream_ids[0]
    source = Source.of_study(study)
    assert source.run("never", first) == study.run("never", streams=(first,))
    assert (source.label, source.labels) == (study.label, study.labels.labels)


def test_given_runs_come_first_under_their_folder_s_name(root, folders, tmp_path):
    own, clash = do("event-only", folders["sports"], tmp_path / "mine"), do("never", folders["sports"], tmp_path / "proactmem")
    source = Source.of_folder(folders["sports"], root, [own, clash])
    assert list(source.methods) == ["mine", "proactmem (run)", *METHODS]
    assert source.methods["mine"] == "event-only, offline backbone (mine)"
    assert source.run("mine", SECOND) == own
    assert [source.named(name) for name in ("", "event-only", "never", "always")] == [
        "mine", "mine", "proactmem (run)", "always",
    ]  # fmt: skip
    assert Source.of_folder(folders["sports"], root).named("") == "proactmem"


def test_a_given_run_without_the_stream_says_what_it_holds(root, folders, tmp_path):
    one = do("never", folders["sports"], tmp_path / "one", only=(FIRST,))
    source = Source.of_folder(folders["sports"], root, [one])
    with pytest.raises(ConfigError, match=rf"run 'one': stream '{SECOND}' is not finished in it; it holds \['{FIRST}'\]"):
        source.run("one", SECOND)


def test_a_run_on_other_streams_or_no_run_is_refused(root, folders, tmp_path):
    other = do("never", built(tmp_path / "other", home_events(1)), tmp_path / "run")
    with pytest.raises(ConfigError, match="run 'run' was made on other streams"):
        Source.of_folder(folders["home"], root, [other])
    with pytest.raises(StoreError, match="is not a run directory"):
        Source.of_folder(folders["home"], root, [tmp_path])


def test_labels_are_read_where_there_are_some(root, folders):
    assert Source.of_folder(folders["desktop"], root).labels == {}
    home = Source.of_folder(folders["home"], root).labels
    assert {label.y for label in home.values()} == {True, False}
    assert len(home) == sum(BuiltStreams.open(folders["home"]).counts.values())


def test_a_folder_without_a_card_is_named_by_its_scope(tmp_path):
    folder = built(tmp_path, desktop_events())
    assert Source.of_folder(folder, tmp_path).label == "own data"
    (folder / "card.json").unlink()
    assert Source.of_folder(folder, tmp_path).label == "Desktop streams"


def test_who_answered_is_always_said():
    assert answered_by(manifest()) == "ProactMem, offline backbone"
    assert answered_by(manifest(backbone="openai", model="gpt-x", method="amem")) == "A-MEM, gpt-x"
    assert answered_by(manifest(settings={"fabricate": 0.3})) == "ProactMem, offline backbone, 30% fabricated"


def test_another_version_of_the_package_does_not_use_this_one_s_runs(root, folders, monkeypatch):
    before = Source.of_folder(folders["desktop"], root).runs
    monkeypatch.setattr("proactmem.explore.source.source_key", lambda: "another")
    assert Source.of_folder(folders["desktop"], root).runs != before


def test_a_manifest_names_the_data_it_was_made_on(root, folders):
    source = Source.of_folder(folders["desktop"], root)
    run: Path = source.run("never", source.streams.stream_ids[0])
    assert json.loads((run / "manifest.json").read_text())["data_sha256"] == source.streams.sha256
