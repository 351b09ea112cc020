from __future__ import annotations

import json
from dataclasses import dataclass, replace

import pytest

from proactmem.core.labels import Label
from proactmem.errors import InputError
from proactmem.report.numbers import round_half_up
from proactmem.score.intervals import NoInterval
from proactmem.score.metrics import METRICS, Counts
from proactmem.score.runs import load_run
from proactmem.score.scoring import compare, overall, score_run
from tests.score.making import INTEGERS, score, spread, write_run

STREAMS = {
    "s1": [(True, True), (False, True), (False, False), (True, True)],
    "s2": [(False, None), (True, None)],
    "s3": [(True, True)],
}
LABELS = {
    ("s1", "e0"): True,
    ("s1", "e1"): True,
    ("s1", "e2"): False,
    ("s2", "e0"): False,
    ("s2", "e1"): False,
    ("s2", "e9"): True,
    ("s9", "e0"): True,
}


def labels(found=LABELS):
    return {key: Label(event_id=key[1], y=y) for key, y in found.items()}


@dataclass(frozen=True)
class Labelling:
    labels: dict
    unmatched: int = 0


@pytest.fixture
def run(tmp_path):
    return load_run(write_run(tmp_path / "r", STREAMS))


def test_joined_counts_by_stream_and_pooled(run):
    result = score_run(run, labels())
    assert result.counts == Counts(tp=1, fp=1, fn=1, tn=2)
    assert {name: part.counts for name, part in result.streams.items()} == {
        "s1": Counts(tp=1, fn=1, tn=1),
        "s2": Counts(fp=1, tn=1),
    }
    assert (result.labelled, result.positives, result.unscored, result.labels_without_event) == (5, 2, 2, 2)
    assert result.streams["s2"].scores.coverage is None


def test_proposals_are_scored_before_suppression(run):
    result = score_run(run, labels(), decisions="proposed")
    assert result.counts == Counts(tp=2, fp=1, tn=2)
    assert result.decisions == "proposed"


def test_a_label_set_counts_its_unmatched_labels(run):
    result = score_run(run, Labelling(labels(), unmatched=5))
    assert result.labels_without_event == 7
    assert replace(result, labels_without_event=2) == score_run(run, labels())


def test_nothing_in_common_is_an_error(run):
    with pytest.raises(InputError, match=r"no event of run 'r' has a label: 1 labels, 7 events.*'z'.*'s1', 'e0'"):
        score_run(run, labels({("z", "e0"): True}))
    with pytest.raises(InputError, match="0 labels"):
        score_run(run, {})


def test_one_json_object(run):
    result = json.loads(json.dumps(score_run(run, labels()).to_json(), allow_nan=False))
    assert list(result) == [
        "run", "method", "backbone", "model", "scope", "decisions", "partial", "counts", "scores", "intervals",
        "streams", "unscored", "labels_without_event", "labelled",
    ]  # fmt: skip
    assert result["counts"] == {"tp": 1, "fp": 1, "fn": 1, "tn": 2}
    assert result["scores"]["coverage"] == 0.5
    assert result["streams"]["s2"]["scores"]["coverage"] is None
    low, high = result["intervals"]["intrusion"]
    assert 0 <= low <= high <= 1
    assert set(result["scores"]) == set(result["intervals"]) == set(METRICS)
    assert result["partial"] is False


def test_without_intervals_they_are_null(run):
    result = score_run(run, labels(), intervals=False)
    assert result.to_json()["intervals"] == dict.fromkeys(METRICS)
    one = score_run(run, labels({("s1", "e0"): True}))
    assert set(one.intervals.values()) == {NoInterval("one stream")}


def test_a_partial_run_says_so(tmp_path):
    folder = write_run(tmp_path / "p", STREAMS, unfinished=["s4"])
    assert score_run(load_run(folder, allow_partial=True), labels()).to_json()["partial"] is True


def test_overall_pools_scopes():
    parts = [
        score(spread(Counts(*INTEGERS["ProactMem"][scope]), streams), scope=scope)
        for scope, streams in (("sports", 9), ("home", 4), ("code", 4))
    ]
    pooled = overall(parts)
    assert pooled.scope == "overall"
    assert len(pooled.streams) == 17
    assert (pooled.labelled, pooled.positives) == (4539, 729)
    assert str(round_half_up(pooled.scores.effectiveness * 100, 1)) == "52.6"
    assert overall(parts[::-1]).intervals == pooled.intervals
    with pytest.raises(InputError, match="overall pools the scopes of one method"):
        overall([parts[0], parts[0]])
    with pytest.raises(InputError, match="overall pools"):
        overall([parts[0], replace(parts[1], model="other")])
    with pytest.raises(InputError, match="overall pools"):
        overall([])


def test_compare_is_paired_on_the_very_same_events(run):
    first, second = score_run(run, labels(), decisions="proposed"), score_run(run, labels())
    found = {difference.metric: difference for difference in compare(first, second)}
    assert found["coverage"].estimate == 0.5
    assert found["intrusion"].estimate == 0
    swapped = LABELS | {("s1", "e0"): False, ("s1", "e2"): True}  # as many positives, other events
    with pytest.raises(InputError, match="other events or labels in stream 's1'"):
        compare(first, score_run(run, labels(swapped)))
