"""Each source goes out under its own terms, or not at all until whoever exports it says so."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from proactmem.core.events import Scope
from proactmem.datasets.build import build_code, build_home, build_sports
from proactmem.datasets.built import BuiltStreams
from proactmem.datasets.card import Card, read_card, write_card
from proactmem.datasets.export import check_dataset, load_dataset_streams, read_manifest
from proactmem.datasets.export.terms import drops_texts, terms_of
from proactmem.datasets.export.texts import without_texts
from proactmem.errors import ConfigError, InputError
from tests import samples
from tests.datasets.export.making import build, change_manifest, exported, files, labels_of, sample
from tests.datasets.suggestion_files import real


def card(source: str, licence: str = "As stated.", scope: Scope = "home") -> Card:
    return Card(source=source, scope=scope, events=1, streams=(), licence=licence, attribution="x")


@pytest.mark.parametrize(
    ("source", "licence", "expected"),
    [
        ("simulated participants in HeartSteps format", "As the package that simulated them.", "apache-2.0"),
        ("simulated homes in CASAS format", "As the package that simulated them.", "apache-2.0"),
        ("simulated repositories in GH Archive format", "As the package that simulated them.", "apache-2.0"),
        ("HeartSteps V1", "CC-BY-4.0 (attribution).", "cc-by-4.0"),
        ("ProactiveBench desktop traces", "Apache-2.0.", "apache-2.0"),
        ("CASAS smart homes", "CC BY 4.0.", "cc-by-4.0"),
        ("CASAS", "CC-BY-4.0 (csh and hh homes).", "cc-by-4.0"),
    ],
)  # fmt: skip
def test_free_sources_go_under_their_licence(source: str, licence: str, expected: str) -> None:
    assert terms_of(card(source, licence), texts_dropped=False) == (expected, None)


@pytest.mark.parametrize(
    ("source", "licence", "reason"),
    [
        ("CASAS", "Not to be distributed without permission of the CASAS group.", "permission"),
        ("CASAS smart homes", "CC-BY-4.0 for the homes of one collection; other homes as their owner permits.", "permission"),
        ("CASAS", "CC BY 4.0; older homes need the permission of WSU.", "permission"),
        ("homes in CASAS format", "Not stated; csh and hh homes are CC BY 4.0.", "not known"),
        ("UCI ADL binary sensors", "CC BY 4.0 or stricter.", "commercial"),
        ("GH Archive", "Public events; texts keep their owners' rights.", "owners' rights"),
        ("a file in HeartSteps format", "Not stated by the file.", "not known"),
        ("own data", "As its owner states.", "who may give them away"),
        ("something new", "MIT", "not known"),
    ],
)  # fmt: skip
def test_other_sources_need_to_be_acknowledged(source: str, licence: str, reason: str) -> None:
    assert reason in str(terms_of(card(source, licence), texts_dropped=False).reason)


def test_archive_events_are_free_to_go_without_texts_but_have_no_licence() -> None:
    assert terms_of(card("GH Archive", scope="code"), texts_dropped=True) == (None, None)


@pytest.mark.parametrize(
    ("source", "scope", "dropped"),
    [
        ("GH Archive", "code", True),
        ("a file in GH Archive format", "code", True),
        ("something new", "code", True),
        ("simulated repositories in GH Archive format", "code", False),
        ("own data", "code", False),
        ("CASAS", "home", False),
    ],
)
def test_texts_are_dropped_where_users_wrote_them(source: str, scope: Scope, dropped: bool) -> None:
    assert drops_texts(card(source, scope=scope), "auto") is dropped
    assert drops_texts(card(source, scope=scope), "keep") is False
    assert drops_texts(card(source, scope=scope), "drop") is (scope == "code")


def test_a_source_that_needs_it_is_named_with_its_reason_and_goes_once_acknowledged(tmp_path: Path) -> None:
    built = build(tmp_path / "x", sample("home"), source="UCI ADL binary sensors")
    with pytest.raises(ConfigError, match=r"'UCI ADL binary sensors' is not exported.*commercial.*acknowledge"):
        exported(tmp_path, built)
    dataset = exported(tmp_path, built, acknowledge=["UCI ADL binary sensors"])
    manifest = read_manifest(dataset)
    assert (manifest.licence, manifest.acknowledged) == ("other", ("UCI ADL binary sensors",))
    page = (dataset / "README.md").read_text()
    assert "acknowledged the terms of: UCI ADL binary sensors" in page
    assert 'license: "other"' in page


def test_homes_as_they_are_built_need_it(tmp_path: Path) -> None:
    lines = [
        f"2012-07-2{day} {hour:02d}:00:01.5\tMA016\tKitchen\tKitchen\tON\tControl4-MotionArea"
        for day in (1, 2)
        for hour in range(24)
    ]
    (tmp_path / "raw" / "old").mkdir(parents=True)
    (tmp_path / "raw" / "old" / "old.rawdata.txt").write_text("\n".join(lines) + "\n")
    built = build_home(tmp_path / "raw", tmp_path / "built", partial=True)
    with pytest.raises(ConfigError, match="permission of the CASAS group"):
        exported(tmp_path, tmp_path / "built")
    exported(tmp_path, tmp_path / "built", acknowledge=[built.source], licence="cc-by-4.0")


def test_real_sources_as_they_are_built_go_by_their_terms(tmp_path: Path) -> None:
    build_home(real("uci_adl"), tmp_path / "home")
    build_code(real("gharchive"), tmp_path / "code", repos=["7000001"])
    build_sports(real("heartsteps"), tmp_path / "sports", participants=[5])
    with pytest.raises(ConfigError, match="prohibit commercial use"):
        exported(tmp_path, tmp_path / "home", tmp_path / "sports")
    dataset = exported(
        tmp_path, *(tmp_path / name for name in ("home", "code", "sports")), acknowledge=["UCI ADL binary sensors"]
    )
    assert [part.texts_dropped for part in read_manifest(dataset).parts] == [False, True, False]
    load_dataset_streams(dataset, "home", tmp_path / "back")
    assert files(tmp_path / "back") == files(tmp_path / "home")
    with pytest.raises(ConfigError, match="owners' rights"):
        exported(tmp_path, tmp_path / "code", texts="keep")


def test_an_acknowledgement_that_was_not_needed_is_not_written(tmp_path: Path) -> None:
    built = build(tmp_path / "x", sample("sports"), source="HeartSteps V1")
    manifest = read_manifest(exported(tmp_path, built, acknowledge=["HeartSteps V1"]))
    assert (manifest.licence, manifest.acknowledged) == ("cc-by-4.0", ())


def test_one_licence_of_all_or_other_and_a_stated_one_holds(tmp_path: Path) -> None:
    built = [
        build(tmp_path / "s", sample("sports"), source="HeartSteps V1"),
        build(tmp_path / "d", sample("desktop"), source="ProactiveBench desktop traces"),
    ]
    assert read_manifest(exported(tmp_path, *built)).licence == "other"
    assert read_manifest(exported(tmp_path, *built, licence="cc-by-4.0")).licence == "cc-by-4.0"


SECRET = "my password is swordfish"


def archive(folder: Path) -> Path:
    events = [
        samples.code(f"e{number}", f"2025-01-01T0{number}:00:00Z", number, title=SECRET, body=f"{SECRET} {number}")
        for number in range(8)
    ]
    listed = [
        event.model_copy(update={"content": {**event.content, "commit_messages": (SECRET, None, 3), "size": 4, "merged": True}})
        for event in events
    ]
    built = build(folder, listed, labels_of(events, lambda number: number % 3 == 0), source="GH Archive")
    problem = (f"events.jsonl, row 3: not an event; found '{SECRET}'",)
    write_card(built, read_card(built).model_copy(update={"problems": problem}))
    return built


def test_what_users_wrote_is_nowhere_in_an_export_of_the_archive(tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    dataset = exported(tmp_path, archive(tmp_path / "x"))
    for name, content in files(dataset).items():
        assert SECRET.encode() not in content
        if name.endswith(".parquet"):
            assert SECRET not in str(pq.read_table(dataset / name).to_pylist())
    streams = load_dataset_streams(dataset, "code", tmp_path / "back")
    event = next(streams.events("r1")).public.model_dump()
    assert event["content"] == {"title": None, "body": None, "commit_messages": (None, None, 3), "size": 4, "merged": True}
    assert event["attributes"] == {"state": "open"}
    assert read_card(tmp_path / "back").options["texts"] == "drop"
    assert "texts are null" in (dataset / "README.md").read_text()
    assert streams.counts == {"r1": 8}
    assert check_dataset(dataset).parts[0].labelled == 8


def test_texts_stay_where_that_is_acknowledged(tmp_path: Path) -> None:
    built = archive(tmp_path / "x")
    with pytest.raises(ConfigError, match=r"'GH Archive' is not exported.*owners' rights.*drop its texts"):
        exported(tmp_path, built, texts="keep")
    dataset = exported(tmp_path, built, texts="keep", acknowledge=["GH Archive"])
    assert load_dataset_streams(dataset, "code", tmp_path / "back").sha256 == BuiltStreams.open(built).sha256


def test_own_texts_are_dropped_on_demand(tmp_path: Path) -> None:
    dataset = exported(tmp_path, build(tmp_path / "x", sample("code")), texts="drop")
    assert read_manifest(dataset).part("own_code").texts_dropped
    [shard] = (dataset / "data" / "own_code").iterdir()
    assert b"piped" not in shard.read_bytes()


def test_a_text_that_was_to_be_dropped_is_found(tmp_path: Path) -> None:
    dataset = exported(tmp_path, build(tmp_path / "x", sample("code")))
    change_manifest(dataset, lambda part: part.update({"texts_dropped": True}))
    with pytest.raises(InputError, match="still holds a text that was to be left out"):
        check_dataset(dataset)


@pytest.mark.parametrize("scope", ["sports", "home", "desktop"])
def test_events_of_other_scopes_stay_as_they_are(scope: Scope) -> None:
    for event in sample(scope):
        assert without_texts(event) is event


def test_field_names_survive_so_that_both_eras_can_be_told(tmp_path: Path) -> None:
    [event] = sample("code", 1)
    bare = json.loads(without_texts(event).model_dump_json())
    assert bare["content"] == {"title": None, "comment_body": None}
    assert {**bare, "content": None} == {**json.loads(event.model_dump_json()), "content": None}
