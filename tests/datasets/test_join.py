"""Labels of every known form meet their events; what cannot be right is refused by row."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pydantic import ValidationError

from proactmem.core.labels import Label
from proactmem.core.records import SOURCES
from proactmem.datasets.join import Joined, join_labels, label_file_in, read_labels
from proactmem.errors import InputError, StoreError
from tests.datasets.suggestion_files import real

SPORTS = {
    "event_id": ["e0", "e1", "f0"], "stream_id": ["p1", "p1", "p2"],
    "participant": [1, 1, 2], "decision_index": [0, 1, 0],
}  # fmt: skip
HOMES = {
    "event_id": ["h0", "h1"], "stream_id": ["home_A", "home_A"], "home": ["A", "A"],
    "window_start": ["2011-11-29T00:00:00", "2011-11-29T00:50:00"],
}  # fmt: skip
DESKTOP = {"event_id": ["d0", "d1"], "stream_id": ["code_1", "code_1"], "trace": ["code_1", "code_1"], "index": [0, 1]}


def sources(folder: Path, columns: dict[str, list]) -> Path:
    folder.mkdir(exist_ok=True)
    pq.write_table(pa.table(columns), folder / SOURCES)
    return folder


def label_file(folder: Path, text: str, name: str = "any_name.txt") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_heartsteps_labels_meet_by_participant_and_decision_index(tmp_path: Path) -> None:
    text = "participant,decision_index,y,a,b,n,service,vote_1\n1,0,0,0,0,0,none,0\n1,1,1,0,1,1,walk,1\n"
    text += "9,9,1,1,1,1,walk,1\n"
    found = read_labels(label_file(tmp_path, text), sources(tmp_path, SPORTS))
    assert found.labels == {
        ("p1", "e0"): Label(event_id="e0", y=False, a=False, b=False, n=False),
        ("p1", "e1"): Label(event_id="e1", y=True, a=False, b=True, n=True, service="walk"),
    }
    assert (found.file, found.rows, found.unmatched, found.repeated, found.disagreeing) == ("any_name.txt", 3, 1, 0, 0)


def test_home_labels_meet_by_home_and_window_start(tmp_path: Path) -> None:
    text = "home,window_start,window_end,y,a,b,n,service\nA,2011-11-29 00:50,2011-11-29 01:40,1,1,0,1,wind-down offer\n"
    found = read_labels(label_file(tmp_path, text), sources(tmp_path, HOMES))
    assert found.labels == {("home_A", "h1"): Label(event_id="h1", y=True, a=True, b=False, n=True, service="wind-down offer")}


def test_proactivebench_labels_meet_by_trace_and_index(tmp_path: Path) -> None:
    lines = [{"stream_id": "code_1", "index": index, "time": "1.0", "help_needed": bool(index)} for index in (0, 1, 2)]
    found = read_labels(label_file(tmp_path, "\n".join(map(json.dumps, lines))), sources(tmp_path, DESKTOP))
    assert {key: label.y for key, label in found.labels.items()} == {("code_1", "d0"): False, ("code_1", "d1"): True}
    assert found.labels["code_1", "d1"].a is None
    assert found.unmatched == 1


@pytest.mark.parametrize(
    "text",
    [
        '{"event_id": "e1", "y": 1, "service": "walk"}\n{"event_id": "f0", "y": false}\n',
        '{"event_id": "e1", "stream_id": "p1", "y": true, "service":"walk"}\n{"y":0,"event_id":"f0","stream_id":"p2"}',
        "event_id,y,service\ne1,1,walk\nf0,0,\n",
        "\ufeffy,event_id,stream_id,service,note\r\ntrue,e1,p1,walk,x\r\nfalse,f0,p2,,\r\n",
    ],
)
def test_own_labels_meet_by_event_id(tmp_path: Path, text: str) -> None:
    found = read_labels(label_file(tmp_path, text), sources(tmp_path, SPORTS))
    assert found.labels == {
        ("p1", "e1"): Label(event_id="e1", y=True, service="walk"),
        ("p2", "f0"): Label(event_id="f0", y=False),
    }


def test_one_event_id_in_two_streams_needs_the_stream(tmp_path: Path) -> None:
    columns = {"event_id": ["e0", "e0"], "stream_id": ["p1", "p2"]}
    folder = sources(tmp_path, columns)
    with pytest.raises(InputError, match=r"event id occurs in streams 'p1' and 'p2'.*Add a stream_id"):
        read_labels(label_file(tmp_path, '{"event_id": "e0", "y": 1}'), folder)
    found = read_labels(label_file(tmp_path, '{"event_id": "e0", "stream_id": "p2", "y": 1}'), folder)
    assert list(found.labels) == [("p2", "e0")]


def test_each_row_may_name_its_stream_or_not(tmp_path: Path) -> None:
    folder = sources(tmp_path, {"event_id": ["e0", "e0", "e1"], "stream_id": ["p1", "p2", "p1"]})
    bare, first = '{"event_id": "e1", "y": 1}', '{"event_id": "e0", "stream_id": "p1", "y": 1}'
    second = '{"event_id": "e0", "stream_id": "p2", "y": 0}'
    expected = {("p1", "e0"): True, ("p2", "e0"): False, ("p1", "e1"): True}
    for lines in ((bare, first, second), (first, bare, second), (second, first, bare)):
        found = read_labels(label_file(tmp_path, "\n".join(lines)), folder)
        assert {key: label.y for key, label in found.labels.items()} == expected
    table = "event_id,stream_id,y\ne1,,1\ne0,p1,1\ne0,p2,0\n"
    assert read_labels(label_file(tmp_path, table), folder).labels == found.labels
    other = '{"event_id": "e1", "stream_id": "p1", "y": 0}'
    with pytest.raises(InputError, match="two labels for event 'e1' of stream 'p1' disagree"):
        read_labels(label_file(tmp_path, f"{bare}\n{other}"), folder)
    with pytest.raises(InputError, match=r"keys stream_id, event_id like \('p9', 'e0'\).*keys like \('p1', 'e0'\)"):
        read_labels(label_file(tmp_path, '{"event_id": "e0", "stream_id": "p9", "y": 0}'), folder)


def test_blanks_around_ids_and_headers_change_nothing(tmp_path: Path) -> None:
    path = label_file(tmp_path, " event_id , stream_id , y \n e1 , p1 , 1 \n")
    assert list(read_labels(path, sources(tmp_path, SPORTS)).labels) == [("p1", "e1")]
    folder = sources(tmp_path, {"event_id": ["e1", " e1"], "stream_id": ["p1", "p1"]})
    with pytest.raises(InputError, match="row 2: one label meets two events, 'e1' of stream 'p1' and ' e1'"):
        read_labels(path, folder)


def test_built_labels_come_back_with_equal_bytes(tmp_path: Path) -> None:
    folder = sources(tmp_path, SPORTS)
    file = label_file(tmp_path, "participant,decision_index,y,a,b,n\n2,0,1,1,0,1\n1,0,0,,,\n9,9,1,,,\n")
    found = read_labels(file, folder)
    assert list(found.labels) == [("p1", "e0"), ("p2", "f0")]
    assert join_labels(file, folder, tmp_path / "labels.parquet") == Joined(file.name, rows=3, joined=2, unmatched=1)
    join_labels(file, folder, tmp_path / "again.parquet")
    assert (tmp_path / "labels.parquet").read_bytes() == (tmp_path / "again.parquet").read_bytes()
    assert read_labels(tmp_path, folder).labels == read_labels(tmp_path / "again.parquet", folder).labels == found.labels


def test_equation_9_must_hold_where_labels_are_keyed_by_event(tmp_path: Path) -> None:
    path = label_file(tmp_path, "event_id,y,a,b,n\ne0,1,1,0,1\ne1,1,1,0,0\n")
    with pytest.raises(InputError, match=r"row 3, field 'y': y is not \(a or b\) and n \(Equation 9\)"):
        read_labels(path, sources(tmp_path, SPORTS))


@pytest.mark.parametrize(
    ("cells", "breaks"),
    [
        ("1,,,0", True), ("1,0,0,", True), ("0,1,,1", True), ("0,,1,1", True), ("1,1,,0", True),
        ("1,0,,1", False), ("1,,,", False), ("0,1,1,", False), ("0,,,1", False), ("0,0,,1", False), ("0,1,,0", False),
    ],
)  # fmt: skip
def test_equation_9_is_judged_as_far_as_it_is_known(tmp_path: Path, cells: str, breaks: bool) -> None:
    own, folder = label_file(tmp_path, f"event_id,y,a,b,n\ne0,{cells}\n", "own.csv"), sources(tmp_path, SPORTS)
    foreign = label_file(tmp_path, f"participant,decision_index,y,a,b,n\n1,0,{cells}\n", "foreign.csv")
    found = read_labels(foreign, folder)
    given = dict(zip("yabn", ({"0": False, "1": True, "": None}[cell] for cell in cells.split(",")), strict=True))
    if not breaks:
        whole = Label(event_id="e0", **given)
        assert found.labels == read_labels(own, folder).labels == {("p1", "e0"): whole}
        return
    assert (found.labels, found.disagreeing) == ({("p1", "e0"): Label(event_id="e0", y=given["y"])}, 1)
    with pytest.raises(InputError, match=r"row 2, field 'y': y is not \(a or b\) and n"):
        read_labels(own, folder)
    with pytest.raises(ValidationError, match="Equation 9"):
        Label(event_id="e0", **given)


def test_a_foreign_files_decision_is_kept_where_its_votes_disagree(tmp_path: Path) -> None:
    path = label_file(tmp_path, "participant,decision_index,y,a,b,n\n1,0,1,0,0,1\n1,1,1,1,0,1\n")
    found = read_labels(path, sources(tmp_path, SPORTS))
    assert found.labels["p1", "e0"] == Label(event_id="e0", y=True)
    assert found.labels["p1", "e1"].a is True
    assert found.disagreeing == 1


def test_repeated_labels_are_counted_and_contradictions_name_both_rows(tmp_path: Path) -> None:
    folder = sources(tmp_path, SPORTS)
    assert read_labels(label_file(tmp_path, "event_id,y\ne0,1\ne1,0\ne0,1\n"), folder).repeated == 1
    with pytest.raises(InputError, match=r"row 4: two labels for event_id \('e0',\) disagree, the first in row 2"):
        read_labels(label_file(tmp_path, "event_id,y\ne0,1\ne1,0\ne0,0\n"), folder)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "the file is empty"),
        ("event_id,y\n", "no label in the file"),
        ("event_id;y\ne0;1\n", r"not a label file of a known form; found \['event_id;y'\]; expected .*decision_index"),
        ("event_id,label\ne0,1\n", "not a label file of a known form"),
        ("event_id,y\ne0,2\n", "row 2, field 'y': not a decision; found '2'; expected 0, 1, true or false"),
        ("event_id,y\ne0,yes\n", "row 2, field 'y': not a decision"),
        ("event_id,y\ne0,\n", "row 2, field 'y': a label without its decision"),
        ("event_id,y,n\ne0,1,maybe\n", "row 2, field 'n': not a decision"),
        ("event_id,y\ne0,1,1\n", "row 2: wrong number of cells; found 3; expected 2"),
        ("event_id,y\n,1\n", "row 2, field 'event_id': a label without its key"),
        ("participant,decision_index,y\none,0,1\n", "row 2, field 'participant': a label without its key; found 'one'"),
        ("home,window_start,y\nA,noon,1\n", "row 2, field 'window_start'.*expected a local time"),
        ('{"event_id": "e0", "y": [1]}', "row 1, field 'y': not a decision"),
        ('{"event_id": "e0", "y": 1, "service": 3}', "row 1, field 'service': not a service"),
        (r'{"event_id": "e0", "y": 1, "service": "\ud800"}', "row 1, field 'service': not a service"),
        (r'{"event_id": "\udfff", "y": 1}', "row 1, field 'event_id': a label without its key"),
        ("event_id,y,y\ne0,1,0\n", "row 1: a column occurs twice"),
        ('event_id,y,service\ne0,1,"' + "x" * 140_000 + '"\n', "row 2: a cell of more than 131,072 characters"),
        ('{"event_id": 7, "y": 1}', "row 1, field 'event_id': a label without its key; found 7"),
        ('{"event_id": "e0"}', "row 1: not a label file of a known form"),
        ('{"event_id": "e0", "y": 1}\n{"event_id": "e1", "y"', "row 2: the last line is cut off"),
        ("PAR1 and no more", "not a readable Parquet file"),
    ],
)
def test_a_bad_label_file_is_told_by_row_and_column(tmp_path: Path, text: str, problem: str) -> None:
    path = label_file(tmp_path, text)
    with pytest.raises(InputError, match=problem) as caught:
        read_labels(path, sources(tmp_path, {**SPORTS, "home": ["A"] * 3, "window_start": ["2011-11-29T00:00:00"] * 3}))
    assert caught.value.file == str(path)
    assert caught.value.remedy


def test_labels_in_another_encoding_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    path.write_bytes("event_id,y,service\ne0,1,promenade à pied\n".encode("latin-1"))
    with pytest.raises(InputError, match="row 2: not UTF-8"):
        read_labels(path, sources(tmp_path, SPORTS))


def test_labels_of_other_streams_show_both_sides_keys(tmp_path: Path) -> None:
    folder = sources(tmp_path, SPORTS)
    path = label_file(tmp_path, "participant,decision_index,y\n8,0,1\n")
    with pytest.raises(InputError, match=r"none of 1 labels meets an event.*\(8, 0\).*keys like \(1, 0\)"):
        read_labels(path, folder)
    assert read_labels(path, folder, allow_none=True).unmatched == 1
    assert join_labels(path, folder, tmp_path / "none.parquet") == Joined(path.name, rows=1, joined=0, unmatched=1)
    assert not (tmp_path / "none.parquet").exists()
    with pytest.raises(InputError, match="labels keyed by home, window_start belong to other streams"):
        read_labels(label_file(tmp_path, "home,window_start,y\nA,2011-11-29 00:00,1\n"), folder)


def test_damaged_built_labels_are_noticed(tmp_path: Path) -> None:
    folder = sources(tmp_path, SPORTS)
    path = tmp_path / "labels.parquet"
    join_labels(label_file(tmp_path, "event_id,y\ne0,1\ne1,0\n"), folder, path)
    whole = path.read_bytes()
    middle = whole.index(b"e0e1") if b"e0e1" in whole else 60
    path.write_bytes(whole[:middle] + bytes([whole[middle] ^ 0xFF]) + whole[middle + 1 :])
    with pytest.raises(InputError, match="not a readable Parquet file"):
        read_labels(path, folder)


def test_missing_files_say_so(tmp_path: Path) -> None:
    folder = sources(tmp_path / "built", SPORTS)
    with pytest.raises(InputError, match="cannot be read"):
        read_labels(tmp_path / "none.csv", folder)
    with pytest.raises(InputError, match="no label file in the folder"):
        read_labels(tmp_path, folder)
    with pytest.raises(StoreError, match="map from events to their sources cannot be read"):
        read_labels(label_file(tmp_path, "event_id,y\ne0,1\n"), tmp_path / "elsewhere.parquet")


def test_two_label_files_in_one_folder_are_refused(tmp_path: Path) -> None:
    assert label_file_in(tmp_path) is None
    first = label_file(tmp_path, "event_id,y\n", "reference_labels.csv")
    assert label_file_in(tmp_path) == first
    label_file(tmp_path, "", "labels.jsonl")
    with pytest.raises(InputError, match="several label files"):
        label_file_in(tmp_path)


def test_the_real_home_labels_are_read_and_agree_with_equation_9(tmp_path: Path) -> None:
    path = real("uci_adl") / "reference_labels.csv"
    columns = {"event_id": ["h"], "stream_id": ["s"], "home": ["A"], "window_start": ["2011-11-29T00:00:00"]}
    found = read_labels(path, sources(tmp_path, columns))
    assert (found.rows, found.disagreeing, found.labels["s", "h"].service) == (377, 0, "wind-down offer")
