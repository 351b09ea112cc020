"""Built folders go out as one dataset and come back as they were; nothing is written over something else."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proactmem.core.events import Scope, parse_event
from proactmem.datasets.build import build_desktop, build_sports
from proactmem.datasets.built import BuiltStreams
from proactmem.datasets.card import read_card, sha256_file, write_card
from proactmem.datasets.export import check_dataset, export_dataset, import_part, load_dataset_streams, read_manifest
from proactmem.datasets.export.layout import CROISSANT
from proactmem.errors import ConfigError, LabelLeakError, ProactmemError, StoreError
from tests.datasets.export.making import Public, build, exported, files, labels_of, sample
from tests.datasets.suggestion_files import real
from tests.run.making import built_sports, do
from tests.run.making import files as run_files

SCOPES: tuple[Scope, ...] = ("sports", "home", "code", "desktop")


def labelled(folder: Path, scope: Scope) -> Path:
    events = sample(scope, 12)
    return build(folder, events, labels_of(events, lambda number: number % 4 == 1))


def test_every_scope_goes_out_and_comes_back_byte_for_byte(tmp_path: Path) -> None:
    built = [labelled(tmp_path / scope, scope) for scope in SCOPES]
    dataset = exported(tmp_path, *built)
    assert [part.config for part in read_manifest(dataset).parts] == [f"own_{scope}" for scope in SCOPES]
    for scope, folder in zip(SCOPES, built, strict=True):
        streams = load_dataset_streams(dataset, f"own_{scope}", tmp_path / "back" / scope)
        assert files(tmp_path / "back" / scope) == files(folder)
        assert streams.sha256 == BuiltStreams.open(folder).sha256


def test_real_and_simulated_streams_come_back_byte_for_byte(tmp_path: Path) -> None:
    build_sports(real("heartsteps"), tmp_path / "sports", participants=[1, 35])
    build_desktop(real("proactivebench"), tmp_path / "desktop")
    dataset = exported(tmp_path, tmp_path / "sports", tmp_path / "desktop")
    for config in ("sports", "desktop"):
        load_dataset_streams(dataset, config, tmp_path / "back" / config)
        assert files(tmp_path / "back" / config) == files(tmp_path / config)


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20)
SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(-(2**60), 2**60), st.floats(allow_nan=False, allow_infinity=False), TEXTS
)


def code_event(stream: str, number: int, seconds: int, content: dict[str, object]) -> Public:
    time = f"2025-01-{1 + seconds // 86_400:02d}T00:00:00.{seconds % 86_400:06d}Z"
    return parse_event(
        {
            "event_id": f"e {number}", "event_time": time, "stream_id": stream, "repository": {"full_name": "o/r"},
            "event": {"action": None, "github_type": "PushEvent"}, "object": {"number": None, "type": "push"},
            "content": content, "attributes": {"state": "open", **content},
        },
        scope="code",
    )  # fmt: skip


@settings(max_examples=20)
@given(
    st.dictionaries(
        st.sampled_from(["r1", "o/r", "ü|,\"'", " x "]),
        st.lists(
            st.tuples(st.integers(0, 10**6), st.dictionaries(st.sampled_from(["title", "size", "ü"]), SCALARS)),
            min_size=1,
            max_size=5,
        ),
        min_size=1,
    ),
    st.sampled_from(["time", "source"]),
    st.sampled_from([None, "America/New_York"]),
    st.integers(1, 6),
)
def test_any_events_come_back_in_any_number_of_files(
    tmp_path_factory: pytest.TempPathFactory,
    streams: dict[str, list[tuple[int, dict[str, object]]]],
    order: str,
    zone: str | None,
    most: int,
) -> None:
    folder = tmp_path_factory.mktemp("any")
    events = [
        code_event(name, number, seconds, content)
        for name, found in streams.items()
        for number, (seconds, content) in enumerate(found)
    ]
    built = build(folder, events, order=order, zone=zone)
    dataset = exported(folder, built, shard_events=most)
    counts = list(BuiltStreams.open(built).counts.values())
    part = read_manifest(dataset).part("own_code")
    assert len(part.shards) >= min(len(counts), -(-sum(counts) // (most + max(counts))))
    load_dataset_streams(dataset, "own_code", folder / "back")
    assert files(folder / "back") == files(built)


def test_a_run_on_the_imported_streams_decides_the_same(tmp_path: Path) -> None:
    built = built_sports(tmp_path, participants=1, days=3)
    dataset = exported(tmp_path, built)
    import_part(dataset, "sports", tmp_path / "back")
    runs = [do("event-only", folder, tmp_path / f"run{number}") for number, folder in enumerate((built, tmp_path / "back"))]
    records = [run_files(run, "records") for run in runs]
    assert records[0] == records[1] != {}


def test_equal_folders_give_equal_bytes_wherever_they_lie(tmp_path: Path) -> None:
    made = []
    for place in ("one", "another/place"):
        built = labelled(tmp_path / place, "home")
        made.append(files(exported(tmp_path / place, built)))
        assert str(tmp_path).encode() not in b"".join(made[-1].values())
    assert made[0] == made[1]


def test_other_labels_change_no_file_of_the_events(tmp_path: Path) -> None:
    events = sample("sports", 12)
    made = []
    for name, step in (("one", 4), ("two", 3)):
        built = build(tmp_path / name, events, labels_of(events, lambda number, step=step: number % step == 1))  # type: ignore[misc]
        made.append(files(exported(tmp_path / name, built)))
    changed = {name for name in made[0] if made[0][name] != made[1][name]}
    assert {name for name in changed if name.startswith("data/")} == set()
    assert "labels/own_sports/labels-00000-of-00001.parquet" in changed


def test_plain_pandas_and_pyarrow_read_the_columns(tmp_path: Path) -> None:
    dataset = exported(tmp_path, labelled(tmp_path / "s", "sports"), labelled(tmp_path / "h", "home"), shard_events=1)
    frame = pd.read_parquet(dataset / "data" / "own_sports")
    assert frame["jawbone_steps_pre60"].tolist()[0] == 9
    assert frame["jawbone_steps_pre60"].isna().sum() == 6
    assert str(frame["time"].dtype.tz) == "UTC"  # type: ignore[union-attr]
    labels = pd.read_parquet(dataset / "labels" / "own_sports")
    assert frame.merge(labels, on=["stream_id", "event_id"])["y"].sum() == 3
    assert not set(labels.columns[2:]) & set(frame.columns)
    table = pq.read_table(dataset / "data" / "own_home")
    assert table["motion_location_sequence"].to_pylist()[1] == ["Kitchen", "Hall"]


def test_a_part_without_labels_has_no_label_file(tmp_path: Path) -> None:
    dataset = exported(tmp_path, build(tmp_path / "x", sample("code")))
    assert not (dataset / "labels").exists()
    load_dataset_streams(dataset, "own_code", tmp_path / "back")
    assert not (tmp_path / "back" / "labels.parquet").exists()
    assert check_dataset(dataset).parts[0].comparison is None


def test_progress_tells_every_stream(tmp_path: Path) -> None:
    built = build(tmp_path / "x", [event for name in "abc" for event in sample("desktop", stream=name)])
    steps: list[tuple[int, int]] = []
    exported(tmp_path, built, progress=lambda done, total: steps.append((done, total)))
    assert steps == [(1, 3), (2, 3), (3, 3)]


def test_an_earlier_export_is_replaced_and_hidden_files_stay(tmp_path: Path) -> None:
    both = [build(tmp_path / scope, sample(scope)) for scope in ("code", "home")]
    dataset = exported(tmp_path, *both)
    (dataset / ".git").mkdir()
    (dataset / ".git" / "HEAD").write_text("x")
    exported(tmp_path, both[1], version="1.0.1")
    assert {name for name in files(dataset) if not name.startswith(".git")} == {
        "README.md", "croissant.json", "dataset.json", "cards/own_home.json", "data/own_home/events-00000-of-00001.parquet"
    }  # fmt: skip
    assert (dataset / ".git" / "HEAD").read_text() == "x"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["code", "dataset", "home"]


def test_a_failed_export_leaves_the_earlier_one_as_it_was(tmp_path: Path) -> None:
    built = build(tmp_path / "x", sample("code"))
    dataset = exported(tmp_path, built)
    before = files(dataset)
    (built / "sources.parquet").write_bytes(b"not parquet")
    with pytest.raises(StoreError, match=r"sources\.parquet: is not the file"):
        exported(tmp_path, built)
    events = sample("code", 12)
    marked = [
        event.model_copy(update={"attributes": {"state": "open", **({"hot": True} if number > 5 else {})}})
        for number, event in enumerate(events)
    ]
    telling = build(tmp_path / "y", marked, labels_of(events, lambda number: number > 5))
    with pytest.raises(LabelLeakError, match=r"attributes\.hot"):
        exported(tmp_path, telling)
    assert files(dataset) == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["dataset", "x", "y"]


@pytest.mark.parametrize("name", ["notes.txt", "data", "events.parquet"])
def test_a_folder_with_something_else_is_refused(tmp_path: Path, name: str) -> None:
    built = build(tmp_path / "x", sample("code"))
    (tmp_path / "dataset").mkdir()
    (tmp_path / "dataset" / name).write_text("mine")
    with pytest.raises(ConfigError, match="is not empty and no earlier export"):
        exported(tmp_path, built)
    assert files(tmp_path / "dataset") == {name: b"mine"}


def test_a_file_is_no_place_for_a_dataset(tmp_path: Path) -> None:
    (tmp_path / "dataset").write_text("mine")
    with pytest.raises(ConfigError, match="is a file"):
        exported(tmp_path, build(tmp_path / "x", sample("code")))


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"version": "1"}, "'1' is no version"),
        ({"name": "a\nb"}, "no name of a dataset"),
        ({"texts": "some"}, "unknown choice of texts 'some'"),
        ({"shard_events": 0}, "0 events a file"),
        ({"acknowledge": ["own data", "own  data"]}, "'own  data', which is no source here"),
        ({"acknowledge": []}, "'own data' is not exported as it stands"),
    ],
)
def test_a_wrong_option_is_refused_before_anything_is_written(tmp_path: Path, options: dict[str, object], problem: str) -> None:
    built = build(tmp_path / "x", sample("code"))
    with pytest.raises(ConfigError, match=problem):
        exported(tmp_path, built, **options)
    assert not (tmp_path / "dataset").exists()


def test_no_folder_and_two_of_one_config_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no built folder"):
        export_dataset([], tmp_path / "dataset", name="x", version="1.0.0")
    two = [build(tmp_path / name, sample("code")) for name in ("a", "b")]
    with pytest.raises(ConfigError, match="both give the config 'own_code'"):
        exported(tmp_path, *two)


@pytest.mark.parametrize(
    ("file", "problem"), [("card.json", "card.json"), ("labels.parquet", "labels.parquet"), ("events.parquet", "events")]
)
def test_a_damaged_built_folder_is_refused(tmp_path: Path, file: str, problem: str) -> None:
    built = labelled(tmp_path / "x", "code")
    (built / file).write_bytes((built / file).read_bytes()[:-9])
    with pytest.raises(ProactmemError, match=problem):
        exported(tmp_path, built)


def test_a_built_folder_whose_labels_were_removed_is_refused(tmp_path: Path) -> None:
    built = labelled(tmp_path / "x", "code")
    (built / "labels.parquet").unlink()
    with pytest.raises(StoreError, match=r"labels\.parquet: is not the file"):
        exported(tmp_path, built)


def repinned(built: Path, file: str, table: pa.Table) -> Path:
    """The built folder with another table in one file and a card that says so."""
    pq.write_table(table, built / file)
    card = read_card(built)
    write_card(built, card.model_copy(update={"outputs": {**card.outputs, file: sha256_file(built / file)}}))
    return built


@pytest.mark.parametrize(
    "how",
    [
        lambda table: table.take([1, 0, *range(2, 12)]),
        lambda table: table.slice(1),
        lambda table: table.slice(0, 11),
        lambda table: pa.concat_tables([table, table.slice(0, 1)]),
        lambda table: table.drop_columns(["stream_id"]),
    ],
)
def test_sources_of_other_events_are_refused(tmp_path: Path, how: Callable[[pa.Table], pa.Table]) -> None:
    built = labelled(tmp_path / "x", "code")
    repinned(built, "sources.parquet", how(pq.read_table(built / "sources.parquet")))
    with pytest.raises(StoreError, match=r"sources\.parquet: (is not of the events beside it|cannot be read)"):
        exported(tmp_path, built)


def test_events_in_several_built_files_go_out_as_from_one(tmp_path: Path) -> None:
    events = [event for name in ("a", "b") for event in sample("code", stream=name)]
    built = build(tmp_path / "x", events, zone="Asia/Tokyo")
    whole = files(exported(tmp_path / "one", built))
    table = pq.read_table(built / "events.parquet")
    for number, part in enumerate((table.slice(0, 6), table.slice(6))):
        pq.write_table(part, built / f"events-{number}.parquet")
    (built / "events.parquet").unlink()
    assert files(exported(tmp_path / "two", built)) == whole


def test_an_import_needs_a_known_config_and_a_place(tmp_path: Path) -> None:
    dataset = exported(tmp_path, build(tmp_path / "x", sample("code")))
    with pytest.raises(ConfigError, match=r"no config 'code'.*own_code"):
        import_part(dataset, "code", tmp_path / "back")
    with pytest.raises(ConfigError, match="holds the raw files"):
        import_part(dataset, "own_code", dataset)
    with pytest.raises(StoreError, match="Name a folder that an export made"):
        import_part(tmp_path, "own_code", tmp_path / "back")


def test_an_import_of_changed_files_is_refused_and_leaves_an_earlier_one(tmp_path: Path) -> None:
    dataset = exported(tmp_path, build(tmp_path / "x", sample("code")))
    import_part(dataset, "own_code", tmp_path / "back")
    before = files(tmp_path / "back")
    [shard] = (dataset / "data" / "own_code").iterdir()
    shard.write_bytes(shard.read_bytes() + b"\0")
    with pytest.raises(StoreError, match="is not the file that was exported"):
        import_part(dataset, "own_code", tmp_path / "back")
    assert files(tmp_path / "back") == before


def test_the_card_of_an_import_is_the_cards_of_the_build(tmp_path: Path) -> None:
    built = labelled(tmp_path / "x", "desktop")
    dataset = exported(tmp_path, built)
    assert import_part(dataset, "own_desktop", tmp_path / "back") == read_card(built)
    assert (dataset / CROISSANT).is_file()
