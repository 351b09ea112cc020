"""`proactmem score` and `proactmem explain`: figures as JSON or table, decisions accounted for, mistakes named."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from proactmem.core.records import RunManifest
from tests.cli.calling import done, failed
from tests.run.making import FIRST, SECOND

METRICS = {"relevance", "coverage", "effectiveness", "intrusion", "balance", "frequency"}


def scored(*arguments: object) -> list[dict[str, object]]:
    return done("score", *arguments, "--json").objects


def test_json_is_one_object_a_run_in_the_order_given(project: Path) -> None:
    found = scored(project / "never", project / "proactmem", "--labels", project / "built")
    assert [item["method"] for item in found] == ["never", "proactmem"]
    for item in found:
        assert item["backbone"] == "offline"
        assert set(item["counts"]) == {"tp", "fp", "fn", "tn"}  # type: ignore[arg-type]
        assert set(item["scores"]) == set(item["intervals"]) == METRICS  # type: ignore[arg-type]
        assert set(item["streams"]) == {FIRST, SECOND}  # type: ignore[arg-type]
        assert item["unscored"] == 0


def test_undefined_scores_are_null_and_counts_are_right(project: Path) -> None:
    """The never-policy by hand: no positive decision, so relevance has an empty denominator."""
    (item,) = scored(project / "never", "--labels", project / "built")
    lines = (project / "raw" / "reference_labels.csv").read_text().splitlines()
    header, *rows = (line.split(",") for line in lines)
    positives = sum(row[header.index("y")] == "1" for row in rows)
    assert item["counts"] == {"tp": 0, "fp": 0, "fn": positives, "tn": len(rows) - positives}
    assert item["scores"] == {
        "relevance": None, "coverage": 0.0, "effectiveness": 0.0, "intrusion": 0.0, "balance": 0.5, "frequency": 0.0,
    }  # fmt: skip
    assert item["intervals"]["relevance"] is None  # type: ignore[index]


def test_the_table_holds_every_run_and_says_what_is_undefined(project: Path) -> None:
    shown = done("score", project / "proactmem", project / "never", "--labels", project / "built").out
    rows = {method: next(line for line in shown.splitlines() if method in line.casefold()) for method in ("proactmem", "never")}
    assert "undefined" in rows["never"]
    assert "undefined" not in rows["proactmem"]
    assert "Backbone: offline backbone." in shown


def test_proposals_can_be_scored_before_suppression(project: Path) -> None:
    final, proposed = (scored(project / "proactmem", "--labels", project / "built", *more)[0] for more in ((), ("--proposed",)))
    assert (final["decisions"], proposed["decisions"]) == ("final", "proposed")
    counts = [item["counts"]["tp"] + item["counts"]["fp"] for item in (final, proposed)]  # type: ignore[index]
    assert counts[0] < counts[1]


def test_the_seed_moves_intervals_and_nothing_else(project: Path) -> None:
    first, again, other = (
        scored(project / "proactmem", "--labels", project / "built", "--seed", seed)[0] for seed in (1, 1, 2)
    )
    assert first == again
    assert {**first, "intervals": 0} == {**other, "intervals": 0}


def test_label_files_are_taken_by_name_too(project: Path) -> None:
    folder = scored(project / "proactmem", "--labels", project / "built")
    assert scored(project / "proactmem", "--labels", project / "raw" / "reference_labels.csv") == folder


def test_nothing_in_common_is_an_error(project: Path, tmp_path: Path) -> None:
    labels = tmp_path / "labels.jsonl"
    labels.write_text(json.dumps({"event_id": "other", "stream_id": FIRST, "y": 1}) + "\n")
    assert failed("score", project / "proactmem", "--labels", labels)


def test_what_is_no_run_or_no_label_file_is_named(project: Path, tmp_path: Path) -> None:
    assert "is not a run directory" in failed("score", project / "raw", "--labels", project / "built")
    assert "is not a run directory" in failed("score", project / "never", tmp_path / "x", "--labels", project / "built")
    assert str(tmp_path / "x") in failed("score", project / "never", "--labels", tmp_path / "x")


def test_an_unfinished_run_is_scored_only_on_request(project: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    shutil.copytree(project / "proactmem", run)
    found = RunManifest.model_validate_json((run / "manifest.json").read_bytes())
    part = found.model_copy(update={"finished": found.finished[:1], "complete": False})
    (run / "manifest.json").write_text(part.model_dump_json())
    assert "is an incomplete run of 'proactmem': 1 of 2 streams are finished" in failed(
        "score", run, "--labels", project / "built"
    )
    (item,) = scored(run, "--labels", project / "built", "--partial")
    assert (item["partial"], set(item["streams"])) == (True, {FIRST})  # type: ignore[arg-type]


def first_event(project: Path, run: str = "proactmem") -> str:
    line = (project / run / "records" / f"{FIRST}.jsonl").read_bytes().splitlines()[0]
    return str(json.loads(line)["event_id"])


def test_explain_tells_what_was_seen_proposed_and_decided(project: Path) -> None:
    event = first_event(project)
    shown = done("explain", project / "proactmem", event).out
    assert shown.startswith(f"{FIRST}, event 0: {event}\n")
    assert "What the controller decided" in shown
    longer = done("explain", project / "proactmem", event, "--prompt").out
    assert longer.startswith(shown.rstrip("\n"))
    assert "--- decision, system\n# Task: decision" in longer
    assert f'"event_id":"{event}"' in longer
    assert "--- decision, reply\n{" in longer


@pytest.mark.parametrize("event", ["nobody", "", '"', "*"])
def test_an_unknown_event_is_named(event: str, project: Path) -> None:
    assert f"no finished stream holds an event {event!r}." in failed("explain", project / "proactmem", event)


def test_an_ambiguous_event_needs_its_stream(project: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    shutil.copytree(project / "never", run)
    event = first_event(project, "never")
    first, second = (run / "records" / f"{stream}.jsonl" for stream in (FIRST, SECOND))
    second.write_bytes(first.read_bytes().replace(FIRST.encode(), SECOND.encode()))
    assert failed("explain", run, event) == (
        f"event {event!r} occurs in several streams ({FIRST}, {SECOND}). Name one with --stream."
    )
    assert done("explain", run, event, "--stream", SECOND).out.startswith(f"{SECOND}, event 0: ")
    assert "holds no finished stream 'x'" in failed("explain", run, event, "--stream", "x")
