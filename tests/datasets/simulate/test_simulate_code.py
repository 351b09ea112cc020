"""Simulated repositories: archive hours that the builder reads back whole, labels that threads support, one seed one life."""

from __future__ import annotations

import csv
import gzip
import json
from collections import Counter
from pathlib import Path

import pytest

from proactmem.datasets.build import build_code
from proactmem.datasets.built import BuiltStreams
from proactmem.datasets.card import Card, read_card
from proactmem.datasets.join import read_labels
from proactmem.datasets.simulate.code import simulate_code
from proactmem.datasets.simulate.code.truth import RepositoryTruth
from proactmem.errors import ConfigError


@pytest.fixture(scope="module")
def raw(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("repositories")
    simulate_code(out, seed=11, size="paper")
    return out


@pytest.fixture(scope="module")
def card(raw: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Card]:
    out = tmp_path_factory.mktemp("built")
    build_code(raw, out)
    return out, read_card(out)


def files(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def truths(folder: Path) -> list[RepositoryTruth]:
    listed = json.loads((folder / "planted.json").read_bytes())["repositories"]
    return [RepositoryTruth.model_validate(one) for one in listed]


def lines(folder: Path) -> list[dict[str, object]]:
    hours = sorted(folder.glob("*.json.gz"))
    return [json.loads(line) for hour in hours for line in gzip.decompress(hour.read_bytes()).splitlines()]


def test_the_builder_reads_back_every_event_and_label(card, raw):
    folder, found = card
    assert found.events == 1459
    assert len(found.streams) == 4
    assert found.labels is not None
    assert (found.labels.rows, found.labels.joined, found.labels.unmatched) == (1459, 1459, 0)
    labels = read_labels(folder, folder).labels.values()
    positive = [label for label in labels if label.y]
    assert 0.09 <= len(positive) / 1459 <= 0.15
    assert sum(not label.a for label in positive) >= 0.35 * len(positive)
    assert {label.service for label in positive} == {"triage", "review", "maintenance"}
    assert found.source == "simulated repositories in GH Archive format"


def test_the_archive_has_the_faults_of_the_real_one(card, raw):
    _, found = card
    assert found.dropped["duplicate_event"] > 0
    assert found.noticed["event_ids_told_apart"] > 0
    assert found.noticed["events_by_bots"] > 0
    assert found.noticed["hours_missing"] > 0
    renamed = [truth for truth in truths(raw) if truth.earlier_name is not None]
    assert found.noticed["repositories_renamed"] == len(renamed)
    foreign = {line["repo"]["id"] for line in lines(raw)} - {truth.repo_id for truth in truths(raw)}
    assert len(foreign) > 20


def test_both_eras_occur_in_their_own_form(raw):
    pulls = [line for line in lines(raw) if line["type"] == "PullRequestEvent"]
    new = [line for line in pulls if line["created_at"] >= "2025-10-07"]
    old = [line for line in pulls if line["created_at"] < "2025-10-07"]
    assert new
    assert old
    assert all("title" not in line["payload"]["pull_request"] for line in new)
    assert all("title" in line["payload"]["pull_request"] for line in old)
    assert {line["payload"]["action"] for line in old} == {"opened", "closed"}
    assert "merged" in {line["payload"]["action"] for line in new}
    pushes = [line for line in lines(raw) if line["type"] == "PushEvent"]
    assert all(("commits" in line["payload"]) == (line["created_at"] < "2025-10-07") for line in pushes)


def test_a_seed_gives_its_bytes_and_repositories_do_not_know_each_other(raw, tmp_path):
    simulate_code(tmp_path / "again", seed=11, size="paper")
    assert files(tmp_path / "again") == files(raw)
    simulate_code(tmp_path / "one", seed=11, repositories=1, days=20)
    simulate_code(tmp_path / "two", seed=11, repositories=2, days=20)
    assert truths(tmp_path / "one") == truths(tmp_path / "two")[:1]
    simulate_code(tmp_path / "other", seed=12, repositories=1, days=20)
    assert truths(tmp_path / "other") != truths(tmp_path / "one")


def test_the_first_days_of_a_longer_life_are_those_of_a_shorter_one(tmp_path):
    events = {}
    for days in (15, 30):
        simulate_code(tmp_path / str(days), seed=3, repositories=1, days=days)
        with (tmp_path / str(days) / "reference_labels.csv").open() as file:
            events[days] = [row["event_id"] for row in csv.DictReader(file)]
    assert 10 < len(events[15]) < len(events[30])
    assert events[30][: len(events[15])] == events[15]


def test_episodes_rest_on_what_was_written_before(card, raw):
    folder, _ = card
    streams = BuiltStreams.open(folder)
    kinds: Counter[str] = Counter()
    for truth in truths(raw):
        events = {event.event_id: event for event in streams.events(f"github_repo_{truth.repo_id}")}
        for episode in truth.episodes:
            kinds[episode.kind] += 1
            onset = events[episode.onset]
            assert episode.onset == episode.valid[0]
            assert [events[one].index for one in episode.valid] == sorted(events[one].index for one in episode.valid)
            if episode.kind == "details_arrived":
                said = [e for e in events.values() if e.index < onset.index and e.public.object == onset.public.object]
                assert any("?" in str(e.public.content.get("comment_body")) or "cannot" in str(e.public.content) for e in said)
                assert (episode.a, episode.b) == (False, True)
    assert len(kinds) >= 8
    assert kinds["details_arrived"] > 10


def test_a_rerun_replaces_the_hours_of_an_earlier_one(tmp_path):
    simulate_code(tmp_path, seed=1)
    first = files(tmp_path)
    simulate_code(tmp_path, seed=2)
    simulate_code(tmp_path, seed=1)
    assert files(tmp_path) == first


def test_habits_and_decoys_are_told(raw):
    for truth in truths(raw):
        assert {habit.kind for habit in truth.habits} == {"released_with_tag", "closed_after_answer"}
        assert len(truth.decoys) == 2


def test_sizes_and_numbers_are_checked(tmp_path):
    found = simulate_code(tmp_path, seed=1)
    assert (len(found.repositories), found.events) == (2, 76 + 68)
    assert (tmp_path / "repositories.txt").read_text().split() == list(found.repositories)
    for wrong in ({"repositories": 0}, {"days": -1}):
        with pytest.raises(ConfigError, match="expected at least 1"):
            simulate_code(tmp_path, seed=1, **wrong)


def test_the_names_told_are_those_of_the_last_event(tmp_path):
    """A life that ends before its rename is known by its earlier name."""
    for seed in range(1, 7):
        found = simulate_code(tmp_path / "raw", seed=seed, days=10)
        card = build_code(tmp_path / "raw", tmp_path / "built")
        assert card.events == found.events
        assert [truth.name for truth in truths(tmp_path / "raw")] == list(found.repositories)
