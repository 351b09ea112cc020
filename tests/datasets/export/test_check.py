"""A dataset that was tampered with, or that lets a label through, is found; each finding says where and what."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from proactmem.core.leaks import refuse_leaks
from proactmem.datasets.export import check_dataset
from proactmem.datasets.export.columns import event_columns
from proactmem.datasets.export.shards import ROW_GROUP
from proactmem.errors import InputError, LabelLeakError, ProactmemError, StoreError
from tests.datasets.export.making import build, cells, change, change_manifest, exported, files, labels_of, pin, sample

EVENTS = "data/own_code/events-00000-of-00001.parquet"
LABELS = "labels/own_code/labels-00000-of-00001.parquet"
Change = Callable[[pa.Table], pa.Table]


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    events = sample("code", 12)
    return exported(tmp_path, build(tmp_path / "x", events, labels_of(events, lambda number: number % 4 == 1)))


def test_no_column_of_an_event_has_a_label_like_name() -> None:
    for scope in ("sports", "home", "code", "desktop"):
        names = [column.name for column in event_columns(scope)]
        assert len(set(names)) == len(names)
        refuse_leaks(dict.fromkeys(names))


def test_an_untouched_dataset_is_told_by_its_counts(dataset: Path) -> None:
    report = check_dataset(dataset)
    [part] = report.parts
    assert (report.files, part.events, part.streams, part.labelled) == (4, 12, 1, 12)
    assert part.comparison is not None
    assert (part.comparison.intervene, part.comparison.abstain) == (3, 9)
    assert part.comparison.separating == ()


@pytest.mark.parametrize("file", ["dataset.json", "cards/own_code.json", EVENTS, LABELS])
def test_a_changed_file_is_not_the_one_that_was_pinned(dataset: Path, file: str) -> None:
    (dataset / file).write_bytes((dataset / file).read_bytes() + b"\n")
    with pytest.raises(StoreError, match=f"{file}: is not the file that was exported"):
        check_dataset(dataset)


@pytest.mark.parametrize("file", ["croissant.json", "dataset.json", "cards/own_code.json", EVENTS, LABELS])
def test_a_missing_file_is_named(dataset: Path, file: str) -> None:
    (dataset / file).unlink()
    with pytest.raises(StoreError, match=file.rsplit("/", 1)[-1]):
        check_dataset(dataset)


@pytest.mark.parametrize("file", ["croissant.json", "dataset.json", "cards/own_code.json", EVENTS, LABELS])
def test_a_file_that_is_no_such_file_is_named(dataset: Path, file: str) -> None:
    (dataset / file).write_text("{}")
    if file != "croissant.json":
        pin(dataset)
    with pytest.raises(StoreError, match=file.rsplit("/", 1)[-1]):
        check_dataset(dataset)


@pytest.mark.parametrize("file", ["data/own_code/extra.parquet", "labels/other.parquet", "cards/planted.json"])
def test_a_file_beside_the_listed_ones_is_found(dataset: Path, file: str) -> None:
    (dataset / file).write_text("x")
    with pytest.raises(StoreError, match="is no file of this dataset"):
        check_dataset(dataset)


def test_a_readme_may_be_edited(dataset: Path) -> None:
    (dataset / "README.md").write_text("ours")
    check_dataset(dataset)


def public(table: pa.Table, **fields: object) -> pa.Table:
    """The table with fields added to the third event's JSON."""

    def how(values: list[object]) -> list[object]:
        values[2] = json.dumps({**json.loads(str(values[2])), **fields}, separators=(",", ":"))
        return values

    return cells(table, "public", how)


@pytest.mark.parametrize("field", ["y", "label", "reference_decision", "episode_id", "scoring_mask", "candidate_flag"])
def test_a_label_like_field_of_an_event_is_found(dataset: Path, field: str) -> None:
    change(dataset, EVENTS, lambda table: public(table, **{field: 1}))
    with pytest.raises(LabelLeakError, match=rf"row 3, field '{field}'"):
        check_dataset(dataset)


def test_a_label_like_field_deep_in_an_event_is_found(dataset: Path) -> None:
    change(dataset, EVENTS, lambda table: public(table, attributes={"state": "open", "gold_decision": True}))
    with pytest.raises(LabelLeakError, match=r"row 3, field 'attributes\.gold_decision'"):
        check_dataset(dataset)


def test_an_unknown_field_of_an_event_is_found(dataset: Path) -> None:
    change(dataset, EVENTS, lambda table: public(table, extra=1))
    with pytest.raises(InputError, match="row 3, field 'extra'"):
        check_dataset(dataset)


def test_a_label_column_beside_the_events_is_found(dataset: Path) -> None:
    change(dataset, EVENTS, lambda table: table.append_column("y", pa.array([True] * len(table))))
    with pytest.raises(LabelLeakError, match="field 'y': a column that is none of an event's"):
        check_dataset(dataset)


def test_metadata_beside_the_columns_is_found(dataset: Path) -> None:
    change(dataset, EVENTS, lambda table: table.replace_schema_metadata({"positives": "1,5,9"}))
    with pytest.raises(LabelLeakError, match=r"metadata beside the columns.*positives"):
        check_dataset(dataset)


def test_metadata_of_one_column_is_found(dataset: Path) -> None:
    def how(table: pa.Table) -> pa.Table:
        schema = table.schema
        return table.cast(schema.set(2, schema.field(2).with_metadata({"positives": "1,5,9"})))

    change(dataset, EVENTS, how)
    with pytest.raises(LabelLeakError, match="in a column"):
        check_dataset(dataset)


def test_metadata_of_the_labels_is_found(dataset: Path) -> None:
    change(dataset, LABELS, lambda table: table.replace_schema_metadata({"by": "me"}))
    with pytest.raises(StoreError, match=r"no metadata, found.*by"):
        check_dataset(dataset)


def test_row_groups_that_could_mark_rows_are_found(dataset: Path) -> None:
    change(dataset, EVENTS, lambda table: table, row_group_size=5)
    with pytest.raises(LabelLeakError, match=r"row groups of several sizes.*\[5, 5, 2\].*4096"):
        check_dataset(dataset)
    assert ROW_GROUP == 4096


def test_another_order_of_the_rows_is_found(dataset: Path) -> None:
    change(dataset, EVENTS, lambda table: table.take([1, 0, *range(2, 12)]))
    with pytest.raises(ProactmemError, match=r"column 'index'|causal order"):
        check_dataset(dataset)


@pytest.mark.parametrize(
    ("column", "value"),
    [("github_type", "PushEvent"), ("object_number", None), ("order", "source"), ("zone", "Asia/Tokyo"), ("event_id", "e0")],
)
def test_a_column_that_disagrees_with_its_event_is_found(dataset: Path, column: str, value: str | None) -> None:
    change(dataset, EVENTS, lambda table: cells(table, column, lambda values: [*values[:5], value, *values[6:]]))
    with pytest.raises(StoreError, match=f"row 6: column '{column}'"):
        check_dataset(dataset)


@pytest.mark.parametrize(
    ("column", "value", "problem"),
    [
        ("order", "random", "unknown order 'random'"),
        ("zone", "Atlantis/North", "unknown time zone"),
        ("source_key", "[1]", r"source_key is \[1\]"),
        ("source_key", '{"line": null}', "source_key is"),
        ("source_key", "{", "source_key is not JSON"),
    ],
)
def test_what_a_stream_states_must_be_known(dataset: Path, column: str, value: str, problem: str) -> None:
    change(dataset, EVENTS, lambda table: cells(table, column, lambda values: [value] * len(values)))
    with pytest.raises(StoreError, match=f"row 1: {problem}"):
        check_dataset(dataset)


def test_an_event_twice_or_a_stream_in_pieces_is_found(tmp_path: Path) -> None:
    events = [event for name in ("a", "b") for event in sample("desktop", 3, stream=name)]
    dataset = exported(tmp_path, build(tmp_path / "x", events, order="source"))
    file = "data/own_desktop/events-00000-of-00001.parquet"
    whole = (dataset / file).read_bytes()
    change(dataset, file, lambda table: table.take([0, 3, 4, 5, 1, 2]))
    with pytest.raises(StoreError, match="row 5: stream 'a' is not contiguous"):
        check_dataset(dataset)
    (dataset / file).write_bytes(whole)

    def twice(table: pa.Table) -> pa.Table:
        return cells(table.take([0, 0, 1, 2, 3, 4, 5]), "index", lambda _: [0, 1, 2, 3, 0, 1, 2])

    change(dataset, file, twice)
    with pytest.raises(InputError, match="event id occurs twice in stream 'a'"):
        check_dataset(dataset)


@pytest.mark.parametrize(
    "how",
    [
        lambda table: cells(table, "event_id", lambda values: [*values[:-1], "e99"]),
        lambda table: cells(table, "stream_id", lambda values: ["r2", *values[1:]]),
        lambda table: table.take([1, 0, *range(2, 12)]),
        lambda table: table.take([0, 0, *range(1, 12)]),
    ],
)
def test_a_label_that_meets_no_event_in_order_is_found(dataset: Path, how: Change) -> None:
    change(dataset, LABELS, how)
    with pytest.raises(
        InputError, match=r"the label of event 'e.*' of stream 'r.' meets no event, or labels are not in the order"
    ):
        check_dataset(dataset)


def test_a_label_against_equation_9_is_found(dataset: Path) -> None:
    change(dataset, LABELS, lambda table: cells(table, "n", lambda values: [False] * len(values)))
    with pytest.raises(StoreError, match=r"row 2: is no label.*Equation 9"):
        check_dataset(dataset)


def test_fewer_labels_than_the_manifest_says_are_found(dataset: Path) -> None:
    change(dataset, LABELS, lambda table: table.slice(1))
    with pytest.raises(StoreError, match="11 of them labelled"):
        check_dataset(dataset)


@pytest.mark.parametrize(
    ("field", "value"),
    [("shards", ["../data.parquet"]), ("shards", []), ("labels", "/labels.parquet"), ("config", "../own_code")],
)
def test_a_manifest_that_names_files_elsewhere_is_refused(dataset: Path, field: str, value: object) -> None:
    change_manifest(dataset, lambda part: part.update({field: value}))
    with pytest.raises(StoreError, match=r"dataset\.json: is not a dataset of format 1"):
        check_dataset(dataset)


@pytest.mark.parametrize("field", ["content_sha256", "events", "streams"])
def test_a_manifest_of_other_events_is_found(dataset: Path, field: str) -> None:
    change_manifest(dataset, lambda part: part.update({field: 99 if field != "content_sha256" else "0" * 64}))
    with pytest.raises(StoreError, match=r"is not the card of part|manifest and card say something else"):
        check_dataset(dataset)


def test_a_field_that_tells_the_classes_apart_is_found_before_it_goes_out(tmp_path: Path) -> None:
    events = sample("code", 12)
    marked = [
        event.model_copy(update={"attributes": {"state": "closed" if number < 6 else "open"}})
        for number, event in enumerate(events)
    ]
    built = build(tmp_path / "x", marked, labels_of(events, lambda number: number < 6))
    with pytest.raises(LabelLeakError, match=r"field 'attributes\.state'.*tells intervene and abstain apart"):
        exported(tmp_path, built)
    assert not (tmp_path / "dataset").exists()


def test_a_field_of_one_class_is_told_and_no_error(tmp_path: Path) -> None:
    events = sample("code", 12)
    rare = [
        event.model_copy(update={"attributes": {"milestone": "m1"} if number == 1 else {}})
        for number, event in enumerate(events)
    ]
    built = build(tmp_path / "x", rare, labels_of(events, lambda number: number % 2 == 1))
    [part] = check_dataset(exported(tmp_path, built)).parts
    assert part.comparison is not None
    assert [one.model_dump() for one in part.comparison.one_class_only] == [
        {"path": "attributes.milestone", "intervene": 1, "abstain": 0}
    ]


def test_no_byte_of_a_label_reaches_an_event_file(tmp_path: Path) -> None:
    events = sample("home", 12)
    labels = [{**label, "service": "a very special service"} for label in labels_of(events, lambda number: number == 3)]
    dataset = exported(tmp_path, build(tmp_path / "x", events, labels))
    holding = {
        name
        for name in files(dataset)
        if "very special"
        in str(pq.read_table(dataset / name).to_pylist() if name.endswith("parquet") else files(dataset)[name])
    }
    assert holding == {"labels/own_home/labels-00000-of-00001.parquet"}
