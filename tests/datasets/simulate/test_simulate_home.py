"""Simulated homes: real CASAS files of whole days, labels that the segments support, the same bytes for a seed."""

from __future__ import annotations

import csv
import json
from collections import Counter
from datetime import date, timedelta
from pathlib import Path

import pytest

from proactmem.datasets.build import build_home
from proactmem.datasets.built import BuiltStreams
from proactmem.datasets.join import read_labels
from proactmem.datasets.simulate.home import simulate_home
from proactmem.datasets.simulate.home.causes import SERVICES
from proactmem.datasets.simulate.home.residents import draw_resident
from proactmem.datasets.simulate.home.truth import HomeTruth
from proactmem.errors import ConfigError


@pytest.fixture(scope="module")
def raw(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("homes")
    simulate_home(out, seed=11, size="paper")
    return out


@pytest.fixture(scope="module")
def built(raw: Path, tmp_path_factory: pytest.TempPathFactory) -> BuiltStreams:
    out = tmp_path_factory.mktemp("built")
    build_home(raw, out)
    return BuiltStreams.open(out)


def files(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def rows_of(folder: Path) -> list[dict[str, str]]:
    return list(csv.DictReader((folder / "reference_labels.csv").read_text().splitlines()))


def truths(folder: Path) -> list[HomeTruth]:
    return [HomeTruth.model_validate(home) for home in json.loads((folder / "planted.json").read_bytes())["homes"]]


def test_the_builder_reads_back_every_day_and_label(built, raw):
    assert built.counts == {f"casas_home_000{number}": 406 for number in (1, 2, 3, 4)}
    labels = read_labels(built.path, built.path)
    assert (labels.rows, labels.unmatched, len(labels.labels)) == (1624, 0, 1624)
    positive = sum(label.y for label in labels.labels.values())
    assert 0.09 <= positive / 1624 <= 0.14
    history_only = sum(label.y and not label.a for label in labels.labels.values())
    current_only = sum(label.y and not label.b for label in labels.labels.values())
    assert min(history_only, current_only) >= 0.25 * positive
    assert {label.service for label in labels.labels.values() if label.y} <= {*SERVICES.values(), "check-in"}


def test_a_seed_gives_its_bytes_and_homes_do_not_know_each_other(raw, tmp_path):
    simulate_home(tmp_path / "again", seed=11, size="paper")
    assert files(tmp_path / "again") == files(raw)
    simulate_home(tmp_path / "one", seed=11, homes=1, days=14)
    name = "sim01/sim01.rawdata.txt"
    assert files(tmp_path / "one")[name] == files(raw)[name]
    assert truths(tmp_path / "one") == truths(raw)[:1]
    simulate_home(tmp_path / "other", seed=12, homes=1, days=14)
    assert files(tmp_path / "other")[name] != files(raw)[name]


def test_the_first_days_of_a_longer_life_are_those_of_a_shorter_one(tmp_path):
    for days in (4, 6):
        simulate_home(tmp_path / str(days), seed=3, homes=1, days=days)
    short, long = ((tmp_path / str(days) / "sim01" / "sim01.rawdata.txt").read_text().splitlines() for days in (4, 6))
    border = (draw_resident(3, 1).first_date + timedelta(days=4)).isoformat()
    assert [line for line in short if line < border] == [line for line in long if line < border]
    rows = [rows_of(tmp_path / str(days)) for days in (4, 6)]
    assert rows[0][: 3 * 29] == rows[1][: 3 * 29]


def test_episodes_begin_with_a_label_and_end_within_the_day_they_hold(raw):
    rows = {(row["home"], row["window_start"]): row for row in rows_of(raw)}
    for truth in truths(raw):
        kinds = Counter(episode.kind for episode in truth.episodes)
        assert len(kinds) >= 7, kinds
        for episode in truth.episodes:
            assert episode.onset == episode.valid[0]
            assert set(episode.again) <= set(episode.valid)
            assert episode.deadline > episode.valid[-1]
            row = rows[truth.home, episode.onset]
            if episode.onset not in truth.misjudged:
                assert row["y"] == "1"
                assert (row["a"], row["b"]) == (str(int(episode.a)), str(int(episode.b)))
                assert row["service"] == episode.service
        young = [
            episode
            for episode in truth.episodes
            if date.fromisoformat(episode.onset[:10]) < draw_first(truth) + timedelta(days=2)
        ]
        assert not any(episode.b for episode in young), "two days are no history"


def draw_first(truth: HomeTruth) -> date:
    return date.fromisoformat(truth.first_date)


def test_habits_are_kept_on_most_days_and_decoys_are_told(raw):
    for truth in truths(raw):
        assert {habit.kind for habit in truth.habits} >= {"dinner", "evening", "outing"}
        assert {decoy.reason for decoy in truth.decoys} == {"common_without_trigger", "trigger_rarely_followed"}
        kept = sum(len(habit.kept) for habit in truth.habits)
        assert kept > sum(len(habit.skipped) for habit in truth.habits)


def test_recordings_hold_the_faults_of_real_ones(tmp_path):
    simulate_home(tmp_path / "raw", seed=5, homes=8, days=5)
    card = build_home(tmp_path / "raw", tmp_path / "built")
    assert set(card.streams[0].model_dump()) >= {"events"}
    assert all(span.events == 5 * 29 for span in card.streams)
    assert min(card.dropped["duplicate_line"], card.dropped["heartbeat"], card.noticed["lines_out_of_order"]) > 0
    assert card.dropped["unknown_message"] + card.dropped["malformed_line"] > 0
    assert card.dropped["records_of_partial_days"] > 0


def test_a_clock_that_is_set_back_repeats_its_hour(tmp_path):
    """Some recordings run over the change: the wall clock goes from 02:00 back to 01:00, or from 02:00 on to 03:00."""
    changes = {date(2011, 11, 6), date(2012, 3, 11), date(2012, 11, 4), date(2013, 3, 10)}
    found = [
        number for number in range(1, 60) if any(0 <= (day - draw_resident(9, number).first_date).days < 7 for day in changes)
    ]
    assert len(found) > 5
    simulate_home(tmp_path, seed=9, homes=max(found[:6]), days=7)
    back = jumped = 0
    for number in found[:6]:
        lines = (tmp_path / f"sim{number:02d}" / f"sim{number:02d}.rawdata.txt").read_text().splitlines()
        for day in changes:
            hours = [line[11:13] for line in lines if line.startswith(day.isoformat())]
            if hours and day.month == 3:
                jumped += 1
                assert "02" not in hours
            elif "01" in hours:
                first = hours.index("01")
                night = hours[first : len(hours) - hours[::-1].index("01")]
                back += 1
                assert set(night) == {"01"}
    assert back + jumped > 0


def test_a_smaller_simulation_leaves_no_home_of_a_larger_one(tmp_path):
    simulate_home(tmp_path, seed=1, homes=3, days=1)
    (tmp_path / "sim03" / "notes.txt").write_text("mine")
    simulate_home(tmp_path, seed=2, homes=1, days=1)
    assert sorted(path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.txt")) == [
        "sim01/sim01.rawdata.txt",
        "sim03/notes.txt",
    ]


def test_sizes_and_numbers_are_checked(tmp_path):
    assert simulate_home(tmp_path, seed=1).homes == 2
    for wrong in ({"homes": 0}, {"days": -1}):
        with pytest.raises(ConfigError, match="expected at least 1"):
            simulate_home(tmp_path, seed=1, **wrong)


def test_a_killed_simulation_is_not_taken_for_a_whole_one(tmp_path):
    def stop(done: int, total: int) -> None:
        raise KeyboardInterrupt

    simulate_home(tmp_path, seed=1, homes=2, days=1)
    with pytest.raises(KeyboardInterrupt):
        simulate_home(tmp_path, seed=2, homes=2, days=1, progress=stop)
    assert not (tmp_path / "planted.json").exists()
