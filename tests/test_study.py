"""A study makes data, runs and scores once, finds them again, and writes only under its root."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from proactmem.errors import ConfigError, StoreError
from proactmem.report.memory_tables import MemoryTally
from proactmem.study import Study, find_root, source_key, telling_event
from tests.score.making import record


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    return Study.open("smoke", 7, root=str(tmp_path_factory.mktemp("study")))


@pytest.fixture(scope="module")
def run(study: Study) -> Path:
    return study.run("proactmem")


def test_the_root_named_wins_over_the_environment_and_the_environment_over_the_checkout(tmp_path, monkeypatch):
    checkout = tmp_path / "checkout"
    inside = checkout / "notebooks"
    inside.mkdir(parents=True)
    (checkout / "pyproject.toml").touch()
    monkeypatch.delenv("PROACTMEM_ROOT", raising=False)
    monkeypatch.chdir(inside)
    assert find_root() == checkout
    assert find_root(inside) == inside
    monkeypatch.setenv("PROACTMEM_ROOT", str(tmp_path / "elsewhere"))
    assert find_root() == tmp_path / "elsewhere"
    assert find_root(inside) == inside
    monkeypatch.setenv("PROACTMEM_ROOT", "")
    monkeypatch.chdir(tmp_path)
    assert find_root() == tmp_path


def test_an_unknown_profile_or_raw_file_is_refused(tmp_path):
    with pytest.raises(ConfigError, match="profile 'enormous'; expected smoke or paper"):
        Study.open("enormous", root=str(tmp_path))
    with pytest.raises(ConfigError, match=r"raw 'nowhere\.csv': no such file"):
        Study.open(raw="nowhere.csv", root=str(tmp_path))


def test_keys_tell_inputs_apart(tmp_path):
    def key(**changes):
        return Study.open(**({"root": str(tmp_path)} | changes)).key

    raw = tmp_path / "suggestions.csv"
    raw.write_text("a\n")
    first = key(raw="suggestions.csv")
    assert key(raw=str(raw)) == key(raw=str(tmp_path)) == first  # by content, wherever and however it is named
    (tmp_path / "reference_labels.csv").write_text("l\n")
    labelled = key(raw="suggestions.csv")
    raw.write_text("b\n")
    keys = {key(), key(seed=8), key(profile="paper"), first, labelled, key(raw="suggestions.csv")}
    assert len(keys) == 6
    assert all(one.endswith(source_key()) for one in keys)


def test_everything_is_written_under_the_root(study, run):
    assert run.is_relative_to(study.root)
    assert study.streams.path.is_relative_to(study.root)
    assert study.raw.is_relative_to(study.root)
    assert str(study.root) not in study.label + study.answers


def test_what_is_there_is_not_made_again(study, run):
    kept = {path: path.stat().st_mtime_ns for folder in (study.raw, study.streams.path, run) for path in folder.rglob("*.*")}
    again = Study.open("smoke", 7, root=str(study.root))
    assert again.run("proactmem") == run
    assert again.score(run) == study.score(run)
    files = [path for path in kept if path.suffix in {".csv", ".parquet", ".jsonl"}]
    assert files
    assert {path: path.stat().st_mtime_ns for path in files} == {path: kept[path] for path in files}


def test_half_written_raw_files_are_made_again(tmp_path):
    study = Study.open("smoke", 7, root=str(tmp_path))
    whole = (study.raw / "suggestions.csv").read_bytes()
    (study.raw / "suggestions.csv").unlink()
    assert (study.raw / "suggestions.csv").read_bytes() == whole


def test_runs_differ_by_method_rate_streams_and_settings(study, run):
    one = study.streams.stream_ids[0]
    directories = {run, study.run("always"), study.run("never"), study.run("always", streams=(one,))}
    directories.add(study.run("always", capacity=50))
    assert len(directories) == 5
    assert {record.stream_id for record in study.records(study.run("always", streams=(one,)))} == {one}


def test_raw_files_of_ones_own_give_the_same_streams(study, tmp_path):
    own = Study.open(raw=str(study.raw), root=str(tmp_path))
    assert own.streams.sha256 == study.streams.sha256
    assert own.labels.labels == study.labels.labels
    assert own.truth == study.truth
    assert Study.open(raw=str(study.raw / "suggestions.csv"), root=str(tmp_path)).truth == study.truth
    assert own.label == "simulated participants in HeartSteps format"


def test_records_audit_and_calls_of_a_run_agree(study, run):
    records = list(study.records(run))
    assert len(records) == sum(study.streams.counts.values())
    first = study.streams.stream_ids[0]
    assert list(study.records(run, first)) == [one for one in records if one.stream_id == first]
    days = study.days(run)
    assert {day.record.stream_id for day in days} == set(study.streams.stream_ids)
    calls = study.calls(run)
    assert sum(call.role == "daily" for call in calls) == len(days)
    assert sum(call.role == "decision" for call in calls) == len(records)
    assert all(change.regularity_id == known.regularity_id for change, known in study.changes(run))


def test_the_tally_and_the_recovery_count_the_same_regularities(study, run):
    tally = study.tally(run)
    assert tally.method == "ProactMem"
    assert tally.daily_records == len(study.days(run))
    assert study.recovery(run).admitted == tally.active > 0
    assert tally.refused == {}


def test_a_run_made_to_err_is_named_by_it_and_is_refused_what_it_made_up(study, run):
    erring = study.run("proactmem", fabricate=0.3)
    score, clean = study.score(erring), study.score(run)
    assert (score.backbone, score.model) == ("fabricating", "offline backbone, 30% fabricated")
    assert clean.backbone == "offline"
    tally: MemoryTally = study.tally(erring)
    assert tally.fabricate == 0.3
    assert tally.refused["value_differs"] > 0
    assert tally.accepted + sum(tally.refused.values()) == study.tally(run).accepted


def test_proposals_score_as_the_method_before_suppression_does(study, run):
    """Later states are fixed because no state depends on a decision: the two ways to Table 4 give the same counts."""
    assert study.score(run, proposed=True).counts == study.score(study.run("before-suppression")).counts


def test_a_damaged_audit_is_named(study, tmp_path):
    run = study.run("trajectory")
    file = next((run / "audit").glob("*.jsonl"))
    kept = file.read_bytes()
    file.write_bytes(kept + json.dumps({"kind": "year"}).encode() + b"\n")
    with pytest.raises(StoreError, match=rf"row {len(kept.splitlines()) + 1}: is no audit entry"):
        study.days(run)
    file.write_bytes(kept)


def test_the_telling_event_is_the_one_asked_for_or_an_intervention_on_all_layers(study, run):
    records = list(study.records(run))
    assert telling_event(records, records[3].event_id) == records[3]
    found = telling_event(records)
    assert found.decision.verdict == "intervene"
    assert found.context.recent
    assert found.context.trajectories
    assert {match.regularity_id for match in found.context.regularities} & set(found.proposal.evidence)
    with pytest.raises(ConfigError, match="no event 'x' among"):
        telling_event(records, "x")


def test_without_context_an_intervention_still_tells_most():
    records = [record("p1", 0, False, False), record("p1", 1, True, True)]
    assert telling_event(records) == records[1]
