"""A replayed stream agrees with its records, its labels and the scorer, and refuses a run that is not its own."""

from __future__ import annotations

import shutil

import pytest

from proactmem.core.labels import Label
from proactmem.errors import ConfigError, StoreError
from proactmem.explore.replayed import DECISIONS, Replayed, decision_of, outcome_of
from proactmem.explore.source import Source
from proactmem.run.catalog import METHODS
from proactmem.score.runs import load_run
from proactmem.score.scoring import score_run
from tests.run.making import FIRST, do
from tests.score.making import record


@pytest.mark.parametrize("method", METHODS)
def test_every_method_can_be_looked_at_in_every_scope(explorer, method):
    for scope, source in explorer.sources.items():
        replayed = explorer.replay(method=method, scope=scope)
        assert len(replayed.moments) == source.streams.counts[replayed.stream_id] == len(replayed.frame)
        assert {moment.decision for moment in replayed.moments} <= set(DECISIONS)


def test_outcomes_add_up_to_the_scorer_s_counts(explorer, sports):
    scored = score_run(load_run(sports.run), explorer.sources["sports"].labels).streams[sports.stream_id].counts
    found = [moment.outcome for moment in sports.moments]
    counted = tuple(found.count(name) for name in ("hit", "false alarm", "missed", "rightly silent"))
    assert counted == (scored.tp, scored.fp, scored.fn, scored.tn)
    assert sum(counted) == len(found)
    assert min(counted) > 0


def test_moments_say_what_the_records_say(sports):
    for moment, one, event in zip(sports.moments, sports.records, sports.events, strict=True):
        assert (moment.index, moment.event_id, moment.day) == (one.index, one.event_id, event.day)
        assert (moment.recent, moment.trajectories) == (one.context.recent, len(one.context.trajectories))
        assert moment.regularities == len(one.context.regularities)
        assert 0 <= moment.start <= moment.hour <= 24
    assert list(sports.frame.columns)[:4] == ["index", "event_id", "day", "start"]
    assert sports.frame["decision"].value_counts().to_dict() == {
        name: sum(moment.decision == name for moment in sports.moments) for name in set(sports.frame["decision"])
    }


def test_a_decision_against_its_label():
    spoke, silent = record("p1", 0, True, True), record("p1", 1, False, True)
    assert (decision_of(spoke), decision_of(silent)) == ("intervene", "suppressed")
    wanted, unwanted = Label(event_id="e", y=True), Label(event_id="e", y=False)
    assert [outcome_of(one, label) for one in (spoke, silent) for label in (wanted, unwanted, None)] == [
        "hit", "false alarm", None, "missed", "rightly silent", None,
    ]  # fmt: skip


def test_unlabelled_streams_have_no_outcomes(explorer):
    desktop = explorer.replay(scope="desktop")
    assert {(moment.opportunity, moment.outcome) for moment in desktop.moments} == {(None, None)}


def test_regularities_are_numbered_in_the_order_of_their_admission(sports):
    admitted = [change.regularity_id for change, _ in sports.changes if change.after == "active"]
    assert list(sports.numbers) == list(dict.fromkeys(admitted))
    assert list(sports.numbers.values()) == list(range(1, len(sports.numbers) + 1))
    applied = {match.regularity_id for one in sports.records for match in one.context.regularities}
    assert applied
    assert applied <= set(sports.numbers)


def test_events_are_found_by_id(sports):
    assert sports.find(sports.events[7].event_id) == 7
    with pytest.raises(ConfigError, match="no event 'x' among the"):
        sports.find("x")


def test_a_damaged_or_foreign_run_is_named(root, folders, tmp_path):
    run = do("trajectory", folders["sports"], tmp_path / "run")
    source = Source.of_folder(folders["sports"], root, [run])
    records, audit = (next((run / part).glob(f"{FIRST}.jsonl")) for part in ("records", "audit"))
    kept = {path: path.read_bytes() for path in (records, audit)}
    lines = kept[records].splitlines(keepends=True)

    def refused(path, data, says):
        path.write_bytes(data)
        with pytest.raises(StoreError, match=says):
            Replayed.read(source, "run", FIRST)
        path.write_bytes(kept[path])

    refused(records, lines[0] + b"{}\n", "row 2: is no line of a run")
    refused(records, b"".join(lines[:-1]), f"holds {len(lines) - 1} records that are not those of the stream's {len(lines)}")
    refused(records, b"".join([lines[1], lines[0], *lines[2:]]), "are not those of the stream")
    refused(audit, b"", "lacks segments that were in context")
    Replayed.read(source, "run", FIRST)
    shutil.rmtree(run / "audit")
    with pytest.raises(StoreError, match="cannot be read"):
        Replayed.read(source, "run", FIRST)
