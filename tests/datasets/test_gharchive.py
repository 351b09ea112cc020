"""Chosen repositories come out of archive hours whole, each event once, whatever the hours' anomalies."""

from __future__ import annotations

import gzip
import hashlib
import json
import random
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from proactmem.datasets.build import build_code
from proactmem.datasets.gharchive import repository_streams
from proactmem.datasets.gharchive_hours import find_hours
from proactmem.errors import ConfigError, InputError
from tests.datasets.archive_files import counted, line, named, native, read, write
from tests.datasets.suggestion_files import real


def ids(events):
    return [event.event_id for event in events]


def test_only_the_chosen_repositories_come_out_by_name_or_id_and_letter_case_does_not_matter(tmp_path):
    write(
        tmp_path / "raw" / "2024-03-01-5.json.gz",
        native(1),
        native(2, repo=named(8, "a/bb")),
        native(3, repo=named(9, "x/a")),
        native(4, repo=named(7, "A/B")),
        native(5, repo=named(77, "c/d"), payload={"forkee": {"full_name": "a/b"}}),
    )
    for repo in ("a/b", "A/b", "7", "github_repo_7", " a/b "):
        found = read(tmp_path / "raw", repo, spill=tmp_path / "spill")
        assert {name: ids(events) for name, events in found.items()} == {"github_repo_7": ["ghe_1001", "ghe_1004"]}
    assert list(read(tmp_path / "raw", "a/bb", "c/d", spill=tmp_path / "spill")) == ["github_repo_77", "github_repo_8"]


def test_a_renamed_repository_keeps_its_stream_under_older_and_newer_names(tmp_path):
    for hour, name in enumerate(("old/name", "old/name", "a/b", "new/name")):
        other = native(10 * hour + 1, repo=named(99, "z/z"))
        write(tmp_path / f"2024-03-01-{hour}.json.gz", other, native(10 * hour, repo=named(7, name)))
    tally = counted()
    found = read(tmp_path, spill=tmp_path / "spill", tally=tally)
    assert {name: ids(events) for name, events in found.items()} == {
        "github_repo_7": ["ghe_1000", "ghe_1010", "ghe_1020", "ghe_1030"]
    }
    assert [event.repository.full_name for event in found["github_repo_7"]] == ["old/name", "old/name", "a/b", "new/name"]
    assert (tally.noticed["repositories_renamed"], tally.noticed["hours_read_again_for_renames"]) == (1, 2)
    assert tally.dropped["duplicate_event"] == 0


def test_a_rename_within_the_hour_loses_nothing(tmp_path):
    write(tmp_path / "2024-03-01-5.json.gz", native(1, repo=named(7, "old/name")), native(2))
    tally = counted()
    assert ids(read(tmp_path, spill=tmp_path / "spill", tally=tally)["github_repo_7"]) == ["ghe_1001", "ghe_1002"]
    assert tally.noticed["hours_read_again_for_renames"] == 1


def test_a_name_that_another_repository_took_over_gives_two_streams(tmp_path):
    write(tmp_path / "2024-03-01-5.json.gz", native(1), native(2, repo=named(8, "a/b")))
    tally = counted()
    assert list(read(tmp_path, spill=tmp_path / "spill", tally=tally)) == ["github_repo_7", "github_repo_8"]
    assert tally.noticed["names_of_several_repositories"] == 1


def test_duplicates_count_once_and_repeated_ids_are_told_apart(tmp_path):
    events = [
        native(5),
        native(5),
        native(9, id="1005"),
        native(9, "ForkEvent", id="1005"),
        native(2, id="1006"),
        native(1, id="1007"),
    ]
    write(tmp_path / "2024-03-01-5.json.gz", *events)
    write(tmp_path / "again" / "2024-03-01-5.json", *events, plain=True)
    tally = counted()
    found = read(tmp_path, spill=tmp_path / "spill", tally=tally)["github_repo_7"]
    assert ids(found) == [
        "ghe_1007",
        "ghe_1006",
        "ghe_1005",
        "ghe_1005@ForkEvent@2024-03-01T05:00:09Z",
        "ghe_1005@WatchEvent@2024-03-01T05:00:09Z",
    ]
    assert (tally.dropped["duplicate_event"], tally.noticed["hours_twice"], tally.noticed["event_ids_told_apart"]) == (7, 1, 2)


def test_hours_are_found_by_name_and_range_and_gaps_are_noticed(tmp_path):
    for hour in (3, 4, 7, 10):
        write(tmp_path / "2024" / f"2024-03-01-{hour}.json.gz", native(hour))
    write(tmp_path / "2024-03-01-05.json", native(60), plain=True)
    (tmp_path / "SOURCE.txt").write_text("of the archive")
    (tmp_path / "2024-03-01-24.json").write_text("")
    tally = counted()
    assert [hour.hour.hour for hour in find_hours(tmp_path, tally=tally)] == [3, 4, 5, 7, 10]
    assert (tally.noticed["hours_missing"], tally.noticed["files_of_other_names"]) == (3, 2)
    assert "3 of 8 hours are not there; found ['2024-03-01-6', '2024-03-01-8', '2024-03-01-9']" in tally.problems[0]
    naive, aware = datetime(2024, 3, 1, 4), datetime(2024, 3, 1, 7, tzinfo=UTC)  # noqa: DTZ001
    assert [hour.hour.hour for hour in find_hours(tmp_path, since=naive, until=aware, tally=counted())] == [4, 5]
    with pytest.raises(ConfigError, match="is not after since"):
        find_hours(tmp_path, since=aware, until=naive, tally=counted())
    with pytest.raises(ConfigError, match="no hour in the range; there are 2024-03-01T03"):
        find_hours(tmp_path, since=datetime(2025, 1, 1, tzinfo=UTC), tally=counted())
    with pytest.raises(InputError, match="no GH Archive hour here"):
        find_hours(tmp_path / "SOURCE.txt", tally=counted())
    with pytest.raises(InputError, match="no such file or folder"):
        find_hours(tmp_path / "nowhere", tally=counted())


def test_damaged_and_empty_hours_count_for_what_they_hold(tmp_path):
    many = b"".join(line(native(number)) for number in range(3000))
    whole = gzip.compress(many)
    (tmp_path / "2024-03-01-0.json.gz").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "2024-03-01-1.json.gz").write_bytes(b"")
    write(tmp_path / "2024-03-01-2.json.gz")
    (tmp_path / "2024-03-01-3.json.gz").write_bytes(gzip.compress(line(native(3500))) + b"trailing garbage")
    (tmp_path / "2024-03-01-4.json.gz").write_bytes(
        gzip.compress(line(native(3501))) + gzip.compress(line(native(3502))) + b"\0" * 512
    )
    (tmp_path / "2024-03-01-5.json.gz").write_bytes(b"\x1f\x8bnot gzip at all")
    tally = counted()
    found = ids(read(tmp_path, spill=tmp_path / "spill", tally=tally)["github_repo_7"])
    assert found[-3:] == ["ghe_4500", "ghe_4501", "ghe_4502"]
    assert 1000 < len(found) < 3003
    assert found[:-3] == [f"ghe_{1000 + number}" for number in range(len(found) - 3)]
    assert (tally.noticed["hours_cut_off"], tally.noticed["hours_empty"]) == (3, 3)
    assert sum("is damaged" in problem for problem in tally.problems) == 3


def test_bad_lines_are_dropped_counted_and_named_with_their_row(tmp_path):
    write(
        tmp_path / "2024-03-01-5.json.gz",
        native(1),
        line(native(2))[:-40] + b"\n",
        native(3),
        b"\n",
        b"garbage\n",
        native(4, created_at="yesterday"),
        native(5, id=None),
        native(6, type=7),
        native(7, payload=None),
        native(8, actor=None),
        native(9, "IssuesEvent", payload={"action": "opened", "issue": {"number": 1, "title": "\ud800"}}),
        line(native(10)).replace(b'"public":true', b'"public":true,"public":true'),
        line(native(11)).replace(b"dev-1", b"dev-\xff"),
        native(12),
        line(native(13))[:-2] + b',"x":' + b"[" * 100_000 + b"]" * 100_000 + b"}\n",
    )
    tally = counted()
    assert ids(read(tmp_path, spill=tmp_path / "spill", tally=tally)["github_repo_7"]) == [
        f"ghe_{1000 + number}" for number in (1, 3, 7, 8, 12)
    ]
    named_rows = {number: [p for p in tally.problems if f"row {number}" in p] for number in (2, 5, 6, 7, 8, 11, 12, 13, 15)}
    assert all(named_rows.values()), named_rows
    assert any("created_at" in problem for problem in named_rows[6])


def test_the_schema_before_2015_is_told(tmp_path):
    old = {"created_at": "2012-04-01T00:00:00Z", "type": "WatchEvent", "actor": "x", "repository": {"id": 7, "name": "b"}}
    write(tmp_path / "2012-04-01-0.json.gz", old, old)
    with pytest.raises(InputError, match="2 lines are of the schema before 2015"):
        read(tmp_path, spill=tmp_path / "spill")
    write(tmp_path / "2024-03-01-0.json.gz", native(1))
    tally = counted()
    assert len(read(tmp_path, spill=tmp_path / "spill", tally=tally)["github_repo_7"]) == 1
    assert tally.dropped["schema_before_2015"] == 2


def test_what_is_not_there_is_named(tmp_path):
    write(tmp_path / "2024-03-01-0.json.gz", native(1))
    with pytest.raises(ConfigError, match="no event of q/r in the hours read"):
        read(tmp_path, "q/r", spill=tmp_path / "spill")
    tally = counted()
    assert list(read(tmp_path, "q/r", "12", "a/b", spill=tmp_path / "spill", tally=tally)) == ["github_repo_7"]
    assert tally.noticed["repositories_not_found"] == 2
    assert any("no event of q/r, 12" in problem for problem in tally.problems)
    for wrong in ("a", "a/b/c", "/b", "a b/c", ""):
        with pytest.raises(ConfigError, match="expected owner/name"):
            read(tmp_path, wrong, spill=tmp_path / "spill")
    with pytest.raises(ConfigError, match="no repository was named"):
        repository_streams((), (), spill=tmp_path, tally=counted())


def test_types_may_be_chosen_and_bots_are_noticed(tmp_path):
    bot = {"id": 6, "login": "dependabot[bot]"}
    write(tmp_path / "2024-03-01-0.json.gz", native(1), native(2, "ForkEvent", actor=bot), native(3, "ForkEvent"))
    tally = counted()
    found = read(tmp_path, spill=tmp_path / "spill", tally=tally, types=["ForkEvent"])["github_repo_7"]
    assert [event.attributes["actor_type"] for event in found] == ["bot", "user"]
    assert (tally.dropped["other_event_type"], tally.noticed["events_by_bots"]) == (1, 1)


EVENTS = [native(number, repo=named(7 + number % 2, f"a/{'bc'[number % 2]}")) for number in range(40)]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=25)
@given(
    seed=st.integers(0, 2**32), hours=st.integers(1, 5), plain=st.booleans(), compact=st.booleans(), doubled=st.integers(0, 9)
)
def test_neither_the_split_nor_the_order_of_lines_changes_the_streams(seed, hours, plain, compact, doubled, tmp_path):
    draw = random.Random(seed)
    lines = [line(event, compact=compact) for event in (*EVENTS, *EVENTS[:doubled])]
    draw.shuffle(lines)
    folder = tmp_path / f"{seed}-{hours}-{plain}-{compact}-{doubled}"
    for hour in range(hours):
        suffix = "" if plain else ".gz"
        write(folder / f"2024-03-01-{hour}.json{suffix}", *lines[hour::hours], plain=plain)
    tally = counted()
    found = read(folder, "a/b", "8", spill=tmp_path / "spill", tally=tally)
    assert {name: ids(events) for name, events in found.items()} == {
        f"github_repo_{7 + rest}": [f"ghe_{1000 + number}" for number in range(40) if number % 2 == rest] for rest in (0, 1)
    }
    assert tally.dropped["duplicate_event"] == doubled


def test_a_build_pins_every_hour_by_its_hash_and_takes_a_file_of_repositories(tmp_path):
    raw = tmp_path / "raw"
    for hour in (1, 2):
        write(raw / f"2024-03-01-{hour}.json.gz", native(hour))
    with pytest.raises(ConfigError, match="no repository was named"):
        build_code(raw, tmp_path / "built")
    (raw / "repositories.txt").write_text("a/b\n")
    card = build_code(raw, tmp_path / "built")
    assert card.events == 2
    assert card.inputs == {
        f"2024-03-01-{hour}.json.gz": hashlib.sha256((raw / f"2024-03-01-{hour}.json.gz").read_bytes()).hexdigest()
        for hour in (1, 2)
    }
    assert sorted(path.name for path in (tmp_path / "built").iterdir()) == [
        "card.json",
        "card.md",
        "events.parquet",
        "sources.parquet",
    ]
    assert build_code(raw, tmp_path / "again", repos=["7"]).outputs == card.outputs


def test_the_real_files_of_both_eras(tmp_path):
    raw = real("gharchive")
    by_repo: dict[int, set[tuple[str, str, str]]] = {}
    for file in sorted(Path(raw).glob("*.json.gz")):
        for text in gzip.decompress(file.read_bytes()).splitlines():
            event = json.loads(text)
            by_repo.setdefault(event["repo"]["id"], set()).add((event["id"], event["type"], event["created_at"]))
    tally = counted()
    found = read(raw, *map(str, by_repo), spill=tmp_path / "spill", tally=tally)
    assert {name: len(events) for name, events in found.items()} == {
        f"github_repo_{one}": len(kept) for one, kept in by_repo.items()
    }
    assert len(found["github_repo_7000001"]) == 12
    assert tally.dropped["duplicate_event"] == 1
    assert tally.dropped["malformed_line"] == 0
