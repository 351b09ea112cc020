"""Any valid events survive the built form; a damaged or tampered folder is refused with what to do."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proactmem.core.events import parse_event
from proactmem.core.records import SOURCES
from proactmem.core.streams import arrive, causal_order
from proactmem.datasets.built import EVENTS, BuiltStreams, Order, known_zone
from proactmem.datasets.card import sha256_file
from proactmem.datasets.writing import ROW_GROUP, Sourced, SourceStream, write_built
from proactmem.errors import ConfigError, InputError, ProactmemError, StoreError
from tests import samples

KEYS = {"trace": "text", "index": "int"}
ROOT = Path(__file__).parents[2]


def stream(name: str, count: int = 3, *, order: Order = "time", zone: str | None = None) -> SourceStream:
    return SourceStream(name, order, list(sourced(name, count)), zone)


def sourced(name: str, count: int) -> Iterator[Sourced]:
    for index in range(count):
        data = {
            "event_id": f"{index:06d}",
            "time": 1.7e9 + 600 * index,
            "stream_id": name,
            "event": f"The user types {index}.",
        }
        yield Sourced(parse_event(data, scope="desktop"), (name, index))


def built(folder: Path, *streams: SourceStream) -> Path:
    write_built(folder, "desktop", streams, KEYS)  # type: ignore[arg-type]
    return folder


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=40)
NAMES = st.text(st.characters(exclude_categories=["Cs"], min_codepoint=0x20), min_size=1, max_size=20)
TIMES = st.datetimes(datetime(1970, 1, 2), datetime(2200, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001
SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(-(2**70), 2**70), st.floats(allow_nan=False, allow_infinity=False), TEXTS
)


@st.composite
def code_events(draw: st.DrawFn) -> list[object]:
    ids = draw(st.lists(NAMES, min_size=1, max_size=8, unique=True))
    open_fields = st.dictionaries(TEXTS.map("x".__add__), st.one_of(SCALARS, st.lists(SCALARS, max_size=3)), max_size=3)
    return [
        parse_event(
            {
                "event_id": event_id,
                "event_time": draw(TIMES),
                "stream_id": "repo",
                "repository": {"full_name": draw(TEXTS)},
                "event": {"action": draw(st.none() | TEXTS), "github_type": "PushEvent"},
                "object": {"number": draw(st.none() | st.integers(0) | TEXTS), "type": "push"},
                "content": draw(open_fields),
                "attributes": draw(open_fields),
            },
            scope="code",
        )
        for event_id in ids
    ]


@settings(max_examples=60, deadline=None)
@given(events=code_events(), order=st.sampled_from(["time", "source"]), zone=st.sampled_from([None, "Asia/Kathmandu"]))
def test_any_valid_events_come_back_as_they_were(events: list, order: Order, zone: str | None) -> None:
    ordered = causal_order(events, order)
    with TemporaryDirectory() as name:
        folder = Path(name) / "built"
        items = [Sourced(event, ("repo", index)) for index, event in enumerate(ordered)]
        write_built(folder, "code", [SourceStream("repo", order, items, zone)], KEYS)  # type: ignore[arg-type]
        back = list(BuiltStreams.open(folder).events("repo"))
    expected = list(arrive(ordered, zone=known_zone(zone)))
    assert [(e.index, e.public, e.tau, e.day, e.span, e.json) for e in back] == [
        (e.index, e.public, e.tau, e.day, e.span, e.json) for e in expected
    ]


@settings(max_examples=25, deadline=None)
@given(events=samples.sports_days())
def test_any_participant_comes_back_as_they_were(events: list) -> None:
    if not events:
        return
    with TemporaryDirectory() as name:
        folder = Path(name)
        items = [Sourced(event.public, ("p1", event.index)) for event in events]
        write_built(folder, "sports", [SourceStream("p1", "time", items)], KEYS)  # type: ignore[arg-type]
        back = list(BuiltStreams.open(folder).events("p1"))
    assert [(e.public, e.tau, e.day, e.span) for e in back] == [(e.public, e.tau, e.day, e.span) for e in events]


def test_homes_come_back_with_their_day_and_interval(tmp_path: Path) -> None:
    late = samples.home("a", "2024-05-01T23:20:00", 40, hall=1)
    early = samples.home("b", "2024-05-02T00:00:00", kitchen=2)
    items = [Sourced(late, ("A", 0)), Sourced(early, ("A", 1))]
    write_built(tmp_path, "home", [SourceStream("h1", "time", items)], KEYS)  # type: ignore[arg-type]
    back = list(BuiltStreams.open(tmp_path).events("h1"))
    assert [event.public for event in back] == [late, early]
    assert [(event.day.day, event.span) for event in back] == [(1, (84_000.0, 86_400.0)), (2, (0.0, 3_000.0))]


def test_a_folder_says_what_it_holds(tmp_path: Path) -> None:
    streams = BuiltStreams.open(built(tmp_path, stream("b", 3), stream("a", ROW_GROUP * 2 + 5), stream("c", 1)))
    assert (streams.scope, streams.stream_ids) == ("desktop", ("b", "a", "c"))
    assert streams.counts == {"b": 3, "a": ROW_GROUP * 2 + 5, "c": 1}
    assert streams.sha256 == sha256_file(tmp_path / EVENTS)
    for name, count in streams.counts.items():
        assert [event.event_id for event in streams.events(name)] == [f"{index:06d}" for index in range(count)]
    sources = pq.read_table(tmp_path / SOURCES)
    assert sources.column_names == ["event_id", "stream_id", "trace", "index"]
    assert sources.slice(2, 2).to_pylist() == [
        {"event_id": "000002", "stream_id": "b", "trace": "b", "index": 2},
        {"event_id": "000000", "stream_id": "a", "trace": "a", "index": 0},
    ]


def test_the_file_has_the_documented_columns(tmp_path: Path) -> None:
    table = pq.read_table(built(tmp_path, stream("s", 2, order="source", zone="Europe/Berlin")) / EVENTS)
    assert {field.name: str(field.type) for field in table.schema} == {
        "stream_id": "string", "scope": "string", "index": "int64", "event_id": "string",
        "tau": "timestamp[us, tz=UTC]",
        "local_day": "date32[day]", "order": "string", "zone": "string", "public": "string",
    }  # fmt: skip
    assert table["order"].to_pylist() == ["source"] * 2
    assert table["zone"].to_pylist() == ["Europe/Berlin"] * 2


def test_equal_events_give_equal_bytes_and_a_second_build_replaces_the_first(tmp_path: Path) -> None:
    first, second = built(tmp_path / "a", stream("s", 50)), built(tmp_path / "b", stream("s", 40))
    assert sha256_file(first / EVENTS) != sha256_file(second / EVENTS)
    built(second, stream("s", 50))
    for name in (EVENTS, SOURCES):
        assert (first / name).read_bytes() == (second / name).read_bytes()


def test_several_event_files_are_read_as_one_folder(tmp_path: Path) -> None:
    built(tmp_path, stream("a", 2))
    (tmp_path / EVENTS).rename(tmp_path / "events-0.parquet")
    built(tmp_path, stream("b", 3))
    streams = BuiltStreams.open(tmp_path)
    assert streams.counts == {"a": 2, "b": 3}
    assert [event.stream_id for name in streams.stream_ids for event in streams.events(name)] == ["a"] * 2 + ["b"] * 3
    (tmp_path / "events-1.parquet").write_bytes((tmp_path / EVENTS).read_bytes())
    with pytest.raises(StoreError, match="stream 'b' is not contiguous"):
        BuiltStreams.open(tmp_path)


def test_reading_a_stream_is_lazy_and_reads_only_its_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    streams = BuiltStreams.open(built(tmp_path, *(stream(f"s{number:03d}", 200) for number in range(40))))
    groups: list[int] = []
    read = pq.ParquetFile.read_row_group

    def counted(self: pq.ParquetFile, group: int, columns: list[str]) -> pa.Table:
        if "public" in columns:
            groups.append(group)
        return read(self, group, columns=columns)

    monkeypatch.setattr(pq.ParquetFile, "read_row_group", counted)
    events = streams.events("s020")
    assert groups == []
    next(events)
    assert groups == [200 * 20 // ROW_GROUP]
    assert len(list(events)) == 199
    assert groups == [3, 4]


def test_a_failing_source_leaves_the_folder_as_it_was(tmp_path: Path) -> None:
    before = built(tmp_path, stream("s", 5)).joinpath(EVENTS).read_bytes()

    def failing() -> Iterator[Sourced]:
        yield from sourced("s", 2000)
        raise InputError("row 2001 is damaged")

    with pytest.raises(InputError, match="row 2001"):
        built(tmp_path, SourceStream("s", "time", failing()))
    assert (tmp_path / EVENTS).read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == [EVENTS, SOURCES]


def test_what_is_not_one_causal_stream_is_not_written(tmp_path: Path) -> None:
    items = list(sourced("s", 3))
    for bad, problem in (
        ([items[1], items[0]], "not in causal order; found '000000'"),
        ([items[0], items[0]], "event id occurs twice in stream 's'"),
        ([items[0], *sourced("t", 1)], "an event of another stream"),
    ):
        with pytest.raises(InputError, match=problem):
            built(tmp_path, SourceStream("s", "time", bad))
    with pytest.raises(InputError, match="a stream is given twice"):
        built(tmp_path, stream("s"), stream("t"), stream("s"))
    with pytest.raises(InputError, match="no event is left"):
        built(tmp_path, SourceStream("s", "time", []))
    built(tmp_path, SourceStream("s", "source", [items[1], items[0]]))
    assert [event.event_id for event in BuiltStreams.open(tmp_path).events("s")] == ["000001", "000000"]


def swapped(table: pa.Table) -> pa.Table:
    return table.take([1, 0, 2]).set_column(2, "index", pa.array([0, 1, 2]))


def repeated(table: pa.Table) -> pa.Table:
    return table.take([0, 0, 2]).set_column(2, "index", pa.array([0, 1, 2]))


def replaced(name: str, values: list[object]) -> object:
    return lambda table: table.set_column(
        table.schema.get_field_index(name), name, pa.array(values, table.schema.field(name).type)
    )


LEAK = '{"event_id":"000001","time":"2023-11-14T22:23:20Z","stream_id":"s","event":"x","y":1}'


@pytest.mark.parametrize(
    ("tamper", "error", "problem"),
    [
        (swapped, InputError, "not in causal order"),
        (repeated, InputError, "event id occurs twice in stream 's'.*found '000000'"),
        (replaced("index", [0, 2, 3]), StoreError, "row 2: the columns disagree with the event"),
        (replaced("event_id", ["000000", "other", "000002"]), StoreError, "row 2: the columns disagree"),
        (replaced("tau", [datetime(2024, 1, 1, tzinfo=UTC)] * 3), StoreError, "row 1: arrival time or local day"),
        (replaced("zone", [None, "UTC", None]), StoreError, "row 2: the columns disagree"),
        (replaced("zone", ["Mars/Base"] * 3), StoreError, "unknown time zone 'Mars/Base'"),
        (replaced("order", ["random"] * 3), StoreError, "its order 'random' is unknown"),
        (replaced("scope", ["garden"] * 3), StoreError, "unknown scope 'garden'"),
        (replaced("stream_id", ["s", "t", "s"]), StoreError, "row 3: stream 's' is not contiguous"),
        (replaced("public", ["{}", "{}", "{}"]), InputError, "row 1.*Field required"),
        (replaced("public", ["{", "{", "{"]), InputError, "row 1: not a JSON object"),
        (replaced("public", [None, None, None]), ProactmemError, "row 1"),
        (lambda table: table.drop_columns(["zone"]), StoreError, "expected the columns"),
        (lambda table: table.append_column("y", pa.array([0, 1, 0])), StoreError, "expected the columns"),
        (lambda table: table.slice(0, 0), StoreError, "expected events of one scope, found no events"),
        (lambda table: table.set_column(2, "index", pa.array(["a", "b", "c"])), StoreError, "cannot be read"),
    ],
)
def test_a_tampered_file_is_refused(tmp_path: Path, tamper: object, error: type[Exception], problem: str) -> None:
    path = built(tmp_path, stream("s", 3)) / EVENTS
    pq.write_table(tamper(pq.read_table(path)), path)  # type: ignore[operator]
    with pytest.raises(error, match=problem) as caught:
        list(BuiltStreams.open(tmp_path).events("s"))
    assert str(tmp_path) in str(caught.value)
    assert isinstance(caught.value, ProactmemError)
    assert caught.value.remedy


def test_a_label_in_the_public_form_is_refused_at_the_door(tmp_path: Path) -> None:
    path = built(tmp_path, stream("s", 3)) / EVENTS
    table = pq.read_table(path)
    public = pc.if_else(pc.equal(table["event_id"], "000001"), LEAK, table["public"])
    pq.write_table(table.set_column(8, "public", public), path)
    with pytest.raises(InputError, match="a public event carries a label-like field"):
        list(BuiltStreams.open(tmp_path).events("s"))


def test_files_of_other_writers_are_read_when_the_columns_are_there(tmp_path: Path) -> None:
    path = built(tmp_path, stream("s", 3)) / EVENTS
    table = pq.read_table(path)
    large = table.cast(pa.schema([f.with_type(pa.large_string()) if f.type == pa.string() else f for f in table.schema]))
    pq.write_table(large.select(sorted(large.column_names)), path, row_group_size=2)
    assert [event.index for event in BuiltStreams.open(tmp_path).events("s")] == [0, 1, 2]


def test_a_missing_or_damaged_folder_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"is no folder of built streams.*proactmem build"):
        BuiltStreams.open(tmp_path / "none")
    with pytest.raises(StoreError, match=r"holds no events\.parquet"):
        BuiltStreams.open(tmp_path)
    path = tmp_path / EVENTS
    path.write_text("stream_id,event_id\n")
    with pytest.raises(StoreError, match="is not a readable Parquet file"):
        BuiltStreams.open(tmp_path)
    built(tmp_path, stream("s", 500))
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(StoreError, match="is not a readable Parquet file"):
        BuiltStreams.open(tmp_path)
    middle = len(whole) // 3
    path.write_bytes(whole[:middle] + bytes(byte ^ 0xFF for byte in whole[middle : middle + 40]) + whole[middle + 40 :])
    with pytest.raises(StoreError, match="cannot be read"):
        list(BuiltStreams.open(tmp_path).events("s"))


def test_an_unknown_stream_names_its_neighbours(tmp_path: Path) -> None:
    streams = BuiltStreams.open(built(tmp_path, stream("code_11"), stream("code_12")))
    with pytest.raises(ConfigError, match=r"no stream 'code_1' among 2.*code_11"):
        streams.events("code_1")


def test_tau_is_the_later_of_stated_and_previous_time(tmp_path: Path) -> None:
    items = list(sourced("s", 3))
    built(tmp_path, SourceStream("s", "source", [items[2], items[0], items[1]]))
    found = list(BuiltStreams.open(tmp_path).events("s"))
    assert {event.tau for event in found} == {items[2].public.time}  # type: ignore[union-attr]
    assert found[1].public == items[0].public
    assert items[2].public.time - items[0].public.time == timedelta(minutes=20)  # type: ignore[union-attr]


MEMORY = """
import sys, tracemalloc
from proactmem.datasets.built import BuiltStreams
streams = BuiltStreams.open(sys.argv[1])
def peak(name):
    tracemalloc.start()
    count = sum(1 for _ in streams.events(name))
    top = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return count, top
peak("small")
small, large = peak("small"), peak("large")
print(small[0], large[0], large[1] / small[1])
"""


def test_memory_does_not_grow_with_the_stream(tmp_path: Path) -> None:
    built(tmp_path, stream("small", 2 * ROW_GROUP), stream("large", 14 * ROW_GROUP))
    done = subprocess.run([sys.executable, "-c", MEMORY, str(tmp_path)], check=True, capture_output=True, text=True, cwd=ROOT)
    small, large, ratio = done.stdout.split()
    assert (int(small), int(large)) == (2 * ROW_GROUP, 14 * ROW_GROUP)
    assert float(ratio) < 1.5


def test_reading_streams_never_loads_labels() -> None:
    code = "import sys, proactmem.datasets.built; print([m for m in sys.modules if 'label' in m or m.endswith('join')])"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, cwd=ROOT)
    assert done.stdout.strip() == "[]"
