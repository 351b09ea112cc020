"""Own JSON Lines become streams, interleaved or not; every problem is told by file and row."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from datetime import date
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from proactmem.core.events import public_json
from proactmem.core.streams import Event, arrive
from proactmem.datasets.build import build_own
from proactmem.datasets.built import BuiltStreams, known_zone
from proactmem.datasets.own import event_files, own_streams, scan_own
from proactmem.errors import ConfigError, InputError, LabelLeakError
from tests import samples


def line(event_id: str, time: str, stream: str = "s1", **more: object) -> str:
    return json.dumps({"event_id": event_id, "time": time, "stream_id": stream, "event": "The user types.", **more})


def own(folder: Path, *lines: str, name: str = "events.jsonl") -> Path:
    path = folder / name
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def ids(path: Path, **options: object) -> dict[str, list[str]]:
    streams = own_streams(scan_own([path], "desktop"), **options)  # type: ignore[arg-type]
    return {stream.stream_id: [item.public.event_id for item in stream.events] for stream in streams}


LINES = (
    line("b", "2024-06-03T01:00:00Z"),
    line("z", "2024-06-03T00:00:00Z", "s2"),
    line("a", "2024-06-03T03:00:00+02:00"),
    line("c", "2024-06-03T00:30:00Z"),
)


def test_interleaved_streams_are_ordered_by_time_then_id_or_as_the_lines_stand(tmp_path: Path) -> None:
    path = own(tmp_path, *LINES)
    assert ids(path) == {"s1": ["c", "a", "b"], "s2": ["z"]}
    assert ids(path, order="source") == {"s1": ["b", "a", "c"], "s2": ["z"]}


def test_lines_in_any_order_give_the_same_stream(tmp_path: Path) -> None:
    lines = [line(f"e{number:02d}", f"2024-06-03T{number % 7:02d}:00:00Z") for number in range(30)]
    expected = ids(own(tmp_path, *lines))
    for seed in range(5):
        assert ids(own(tmp_path, *random.Random(seed).sample(lines, len(lines)))) == expected


def test_blank_lines_a_byte_order_mark_and_a_missing_last_line_end_change_nothing(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + "\r\n\r\n".join(LINES).encode())
    assert ids(path) == {"s1": ["c", "a", "b"], "s2": ["z"]}


def test_every_scope_is_read_back_as_it_was_written(tmp_path: Path) -> None:
    given = {
        "sports": samples.sports("e1", "2015-07-22T12:00:00"),
        "home": samples.home("e1", "2015-07-22T12:00:00", kitchen=3),
        "code": samples.code("e1", "2015-07-22T12:00:00Z", title="Ünïcode \u2028 \"quoted\""),
        "desktop": samples.desktop("e1", 1.5),
    }  # fmt: skip
    for scope, event in given.items():
        tagged = json.dumps({"scope": scope, **json.loads(public_json(event))})
        [stream] = own_streams(scan_own([own(tmp_path, tagged)]))
        assert [item.public for item in stream.events] == [event]


def local(path: Path, zone: str | None) -> Sequence[Event]:
    [stream] = own_streams(scan_own([path], "desktop"), zone=zone)
    return list(arrive((item.public for item in stream.events), zone=known_zone(zone)))


def test_days_are_local_to_the_stated_zone_across_dst(tmp_path: Path) -> None:
    path = own(
        tmp_path,
        line("a", "2024-10-26T21:59:00Z"),  # 23:59 in summer
        line("b", "2024-10-26T22:00:00Z"),  # 00:00
        line("c", "2024-10-27T00:30:00Z"),  # 02:30 the first time
        line("d", "2024-10-27T01:30:00Z"),  # 02:30 the second time
        line("e", "2024-10-27T22:59:00Z"),  # 23:59 in winter
    )
    berlin = local(path, "Europe/Berlin")
    assert [event.day for event in berlin] == [date(2024, 10, 26), *[date(2024, 10, 27)] * 4]
    assert berlin[2].span == berlin[3].span == (9_000.0, 9_000.0)
    assert [event.day.day for event in local(path, None)] == [26, 26, 27, 27, 27]


def test_a_built_stream_keeps_its_zone(tmp_path: Path) -> None:
    path = own(tmp_path, line("a", "2024-10-26T22:00:00Z"))
    card = build_own(path, tmp_path / "out", scope="desktop", zone="Europe/Berlin")
    [event] = BuiltStreams.open(tmp_path / "out").events("s1")
    assert event.day == date(2024, 10, 27)
    assert card.options["zone"] == "Europe/Berlin"


@pytest.mark.parametrize(
    ("bad", "error", "problem"),
    [
        (line("b", "2024-06-03T01:00:00Z"), InputError, "occurs twice in stream 's1', first in row 1"),
        (line("x", "2024-06-03T01:00:00"), InputError, "field 'time'.*timezone"),
        (line("x", "2024-06-03T01:00:00Z", mood="good"), InputError, "field 'mood'.*Extra inputs"),
        (line("x", "2024-06-03T01:00:00Z", y=1), LabelLeakError, "field 'y'"),
        (line("x", "2024-06-03T01:00:00Z", scope="home"), InputError, "event of another scope"),
        (line("x\n", "2024-06-03T01:00:00Z"), InputError, "field 'event_id'"),
        ("[1, 2]", InputError, "not a JSON object"),
        ("{not json}", InputError, "not a JSON object"),
        ('{"event_id": "x", "event_id": "y"}', InputError, "field 'event_id': a key is given twice"),
    ],
)
def test_a_bad_line_is_told_by_file_and_row(tmp_path: Path, bad: str, error: type[InputError], problem: str) -> None:
    path = own(tmp_path, *LINES, bad, line("last", "2024-06-03T09:00:00Z"))
    with pytest.raises(error, match=problem) as caught:
        ids(path)
    assert (caught.value.file, caught.value.row) == (str(path), 5)
    assert caught.value.remedy


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "the file is empty"),
        (b"\n\n", "no event in the file"),
        ((LINES[0] + "\n" + LINES[1][:-9]).encode(), "row 2: the last line is cut off"),
        (LINES[0].encode() + b'\n{"event_id": "caf\xe9"}\n', r"row 2: not UTF-8 at byte \d+"),
        (LINES[0].encode() + b"\n\0\0\0\n", "row 2: a NUL byte"),
    ],
)
def test_a_damaged_file_is_refused(tmp_path: Path, content: bytes, problem: str) -> None:
    path = tmp_path / "events.jsonl"
    path.write_bytes(content)
    with pytest.raises(InputError, match=problem):
        ids(path)


def test_the_scope_must_be_given_or_stand_in_the_lines(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="row 1, field 'scope': no scope is given; expected one of sports"):
        scan_own([own(tmp_path, LINES[0])])
    with pytest.raises(InputError, match="unknown scope; found 'desk'"):
        scan_own([own(tmp_path, line("a", "2024-06-03T01:00:00Z", scope="desk"))])


def test_an_option_that_means_nothing_is_refused(tmp_path: Path) -> None:
    data = scan_own([own(tmp_path, *LINES)], "desktop")
    with pytest.raises(ConfigError, match="unknown time zone 'Europe/Atlantis'"):
        own_streams(data, zone="Europe/Atlantis")
    with pytest.raises(ConfigError, match="unknown order 'random'"):
        own_streams(data, order="random")  # type: ignore[arg-type]
    home = scan_own([own(tmp_path, public_json(samples.home("e", "2015-07-22T12:00:00")))], "home")
    with pytest.raises(ConfigError, match="changes nothing for scope 'home'"):
        own_streams(home, zone="UTC")


def test_label_files_in_a_folder_hold_no_events(tmp_path: Path) -> None:
    events = own(tmp_path, *LINES, name="desk.jsonl")
    own(tmp_path, '{"event_id": "a", "y": 1}', name="labels.jsonl")
    assert event_files(tmp_path) == (events,)
    events.unlink()
    with pytest.raises(InputError, match="no event file in the folder"):
        event_files(tmp_path)


def test_one_id_in_two_eras_gives_two_events_whatever_the_order_of_the_lines(tmp_path: Path) -> None:
    events = [
        samples.code("7", "2015-01-01T00:00:00Z", kind="PushEvent"),
        samples.code("7", "2015-01-01T00:00:00Z", kind="IssuesEvent"),
        samples.code("7", "2025-01-01T00:00:00Z", kind="PushEvent"),
        samples.code("8", "2024-01-01T00:00:00Z", kind="PushEvent"),
    ]
    lines = [public_json(event) for event in events]
    expected = ["7", "7@PushEvent@2015-01-01T00:00:00Z", "8", "7@PushEvent@2025-01-01T00:00:00Z"]
    for number, given in enumerate((lines, lines[::-1])):
        card = build_own(own(tmp_path, *given), tmp_path / str(number), scope="code")
        assert [event.event_id for event in BuiltStreams.open(tmp_path / str(number)).events("r1")] == expected
        assert card.noticed["event_ids_told_apart"] == 2
        rows = pq.read_table(tmp_path / str(number) / "sources.parquet")
        assert rows["event_id"].to_pylist() == expected
        assert rows["source_event_id"].to_pylist() == ["7", "7", "8", "7"]
    with pytest.raises(InputError, match="row 5, field 'event_id': event id occurs twice in stream 'r1', first in row 1"):
        scan_own([own(tmp_path, *lines, lines[0])], "code")
    taken = public_json(samples.code(expected[3], "2025-01-01T00:00:00Z"))
    with pytest.raises(InputError, match="row 3, field 'event_id': event id is the one another event is built under"):
        scan_own([own(tmp_path, *lines, taken)], "code")


def test_ids_repeated_across_files_name_the_other_file(tmp_path: Path) -> None:
    files = [own(tmp_path, LINES[0], name="a.jsonl"), own(tmp_path, LINES[0], name="b.jsonl")]
    with pytest.raises(InputError, match=r"b\.jsonl, row 1.*first in row 1 of a\.jsonl"):
        scan_own(files, "desktop")
