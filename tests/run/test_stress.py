"""A model that makes things up: source validation refuses every fabricated fact, its ablation keeps them (Table 4)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from proactmem.core.facts import Fact
from proactmem.core.trajectories import DailyRecord
from proactmem.datasets.built import BuiltStreams
from proactmem.llm.choose import choose_backbone
from proactmem.llm.faults import FabricatingBackbone
from tests.run.making import FIRST, do


def held(smoke: Path) -> dict[str, set[tuple[str, object]]]:
    """(path, value) pairs of each public event, flattened here and not by the code under test."""

    def flat(value: object, path: str) -> Iterator[tuple[str, object]]:
        if isinstance(value, dict):
            for name, item in value.items():
                yield from flat(item, f"{path}.{name}".strip("."))
        else:
            yield path, plain(value)

    return {event.event_id: set(flat(json.loads(event.json), "")) for event in BuiltStreams.open(smoke).events(FIRST)}


def plain(value: object) -> object:
    """A scalar that equals another exactly when both are the same text, number or boolean."""
    if isinstance(value, str):
        return " ".join(value.casefold().split())
    return (type(value), value) if isinstance(value, bool) else value


def days(method: str, smoke: Path, out: Path) -> tuple[list[DailyRecord], FabricatingBackbone]:
    """The daily records of a run whose construction replies err at rate one half."""
    backbone = choose_backbone("offline", fabricate=0.5)
    assert isinstance(backbone, FabricatingBackbone)
    do(method, smoke, out, backbone, settings={"fabricate": 0.5})
    with (out / "audit" / f"{FIRST}.jsonl").open() as lines:
        entries = [json.loads(line) for line in lines]
    return [DailyRecord.model_validate(entry["record"]) for entry in entries if entry["kind"] == "day"], backbone


def made_up(records: list[DailyRecord], smoke: Path) -> Iterator[Fact]:
    """Kept facts that no cited event holds, judged on the built events and not on the validator's word."""
    known = held(smoke)
    for record in records:
        for segment in record.segments:
            for fact in segment.facts:
                if not any((fact.path, plain(fact.value)) in known[source] for source in segment.sources):
                    yield fact


def test_no_fabricated_fact_is_accepted(smoke: Path, tmp_path: Path) -> None:
    records, backbone = days("proactmem", smoke, tmp_path / "run")
    assert backbone.fabricated["daily"] > 30
    assert backbone.fabricated["weekly"] > 0
    rejections = [rejection.reason for record in records for rejection in record.rejections]
    assert rejections.count("value_differs") > 30
    assert list(made_up(records, smoke)) == []


def test_without_validation_fabricated_facts_are_kept(smoke: Path, tmp_path: Path) -> None:
    records, _ = days("no-validation", smoke, tmp_path / "run")
    assert len(list(made_up(records, smoke))) > 30


def test_an_honest_model_is_never_refused(smoke: Path, tmp_path: Path) -> None:
    out = do("proactmem", smoke, tmp_path / "run")
    with (out / "audit" / f"{FIRST}.jsonl").open() as lines:
        entries = [json.loads(line) for line in lines]
    records = [DailyRecord.model_validate(entry["record"]) for entry in entries if entry["kind"] == "day"]
    assert sum(len(record.segments) for record in records) > 80
    assert list(made_up(records, smoke)) == []
    assert {len(record.rejections) for record in records} == {0}
    cycles = [entry for entry in entries if entry["kind"] == "consolidation"]
    assert [entry["rejections"] for entry in cycles] == [[]] * len(cycles)
    assert len(cycles) >= 3
    assert sum(len(entry["proposals"]) for entry in cycles) > 0


@pytest.mark.parametrize("method", ["proactmem", "no-replay-gate"])
def test_the_replay_gate_is_what_keeps_made_up_regularities_out(method: str, smoke: Path, tmp_path: Path) -> None:
    """A fabricated regularity expects what no record holds; only without the gate does one become active."""
    out, honest = tmp_path / "run", tmp_path / "honest"
    days(method, smoke, out)
    do(method, smoke, honest)

    def unseen(run: Path) -> int:
        """Regularities that became active though they expect a value that no event has."""
        with (run / "audit" / f"{FIRST}.jsonl").open() as lines:
            moves = [entry for entry in map(json.loads, lines) if entry["kind"] == "transition"]
        active = [move["regularity"] for move in moves if move["transition"]["after"] == "active"]
        rules = [regularity["behavior"] for regularity in active if regularity["behavior"]["op"] == "=="]
        return sum(all((rule["path"], plain(rule["value"])) not in pairs for pairs in known) for rule in rules)

    known = list(held(smoke).values())
    assert unseen(honest) == 0
    assert (unseen(out) > 0) is (method == "no-replay-gate")
