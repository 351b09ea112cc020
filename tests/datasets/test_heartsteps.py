"""HeartSteps rows become Sports events as SPEC 1 says, and nothing unreadable passes silently."""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path

import pytest

from proactmem.core.events import SportsEvent
from proactmem.core.streams import arrive
from proactmem.datasets.build import build_sports
from proactmem.datasets.heartsteps import DROPS, NOTICES, participant_streams
from proactmem.datasets.selection import NINE_PARTICIPANTS, SPORTS_EVENTS
from proactmem.datasets.simulate.columns import COLUMNS as SIMULATED_COLUMNS
from proactmem.datasets.suggestions import ACTIVITIES, COLUMNS, scan_suggestions
from proactmem.datasets.tally import Tally
from proactmem.errors import ConfigError, InputError
from tests.datasets.suggestion_files import UNCONNECTED, real, row, text, write


def events(path: Path, tally: Tally | None = None, **options: object) -> dict[str, list[SportsEvent]]:
    streams = participant_streams(scan_suggestions(path), tally=tally or Tally.of(DROPS, NOTICES), **options)  # type: ignore[arg-type]
    return {stream.stream_id: [item.public for item in stream.events] for stream in streams}  # type: ignore[misc]


def test_the_columns_are_those_of_the_real_file_and_of_the_simulator() -> None:
    assert list(COLUMNS) == list(SIMULATED_COLUMNS)
    content = (real("heartsteps") / "suggestions.csv").read_text(encoding="utf-8")
    assert content.split("\n", 1)[0].split(",") == list(COLUMNS)


def test_the_activities_are_those_of_the_public_schema(tmp_path: Path) -> None:
    path = write(tmp_path, *(row(1, number, recognized__activity=name) for number, name in enumerate(ACTIVITIES)))
    [found] = events(path).values()
    assert [event.observable_payload.recognized_activity for event in found] == list(ACTIVITIES)


def test_a_row_gives_the_public_fields_and_nothing_of_treatment_or_future(tmp_path: Path) -> None:
    [[event]] = events(write(tmp_path, row())).values()
    payload = event.observable_payload
    assert event.timestamp.isoformat() == "2015-07-22T16:31:53+00:00"
    assert payload.source_local_decision_time.isoformat() == "2015-07-22T12:31:53"
    assert (payload.jawbone_steps_pre30, payload.jawbone_steps_pre60) == (10, 26)
    assert (payload.google_fit_steps_pre30, payload.google_fit_steps_pre60) == (0, 954)
    assert (payload.decision_slot, payload.temperature_c, payload.weather_condition) == (2, 23.3, "Clear")
    changed = row(send="False", response="bad", jbsteps30="0.0", jbsteps30pre__zero="99", is__randomized="True")
    assert events(write(tmp_path, changed)) == {"heartsteps_participant_01": [event]}


def test_missing_is_missing_and_never_zero(tmp_path: Path) -> None:
    empty = dict.fromkeys(("jbsteps30pre", "jbsteps60pre", "gfsteps30pre", "gfsteps60pre"), "")
    path = write(tmp_path, {**row(sugg__decision__slot="", recognized__activity="", dec__temperature=""), **empty})
    [[event]] = events(path).values()
    payload = event.observable_payload.model_dump()
    nulls = {name for name, value in payload.items() if value is None}
    assert nulls == {
        "jawbone_steps_pre30", "jawbone_steps_pre60", "google_fit_steps_pre30", "google_fit_steps_pre60",
        "decision_slot", "recognized_activity", "temperature_c",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("column", "cell", "field", "value"),
    [
        ("dec.temperature", "-1024.0", "temperature_c", None),
        ("dec.temperature", "-1.0", "temperature_c", -1.0),
        ("dec.weather.condition", "unknown", "weather_condition", None),
        ("dec.weather.condition", "com.x.JSONObject.<init>(JSONObject.java:179)", "weather_condition", None),
        ("dec.location.category", "unknown", "location_category", None),
        ("dec.location.category", "park,point_of_interest", "location_category", "park,point_of_interest"),
        ("recognized.activity", "UNKNOWN", "recognized_activity", "UNKNOWN"),
    ],
)
def test_sentinels_are_per_column(tmp_path: Path, column: str, cell: str, field: str, value: object) -> None:
    [[event]] = events(write(tmp_path, {**row(), column: cell})).values()
    assert getattr(event.observable_payload, field) == value


def test_rows_without_a_time_and_unconnected_rows_are_dropped_and_counted(tmp_path: Path) -> None:
    timeless = {**row(1, 0, base=UNCONNECTED), "sugg.decision.utime": "", "sugg.gmtoff": ""}
    path = write(tmp_path, timeless, row(1, 1, base=UNCONNECTED), row(1, 2), row(1, 3, avail="False"))
    tally = Tally.of(DROPS, NOTICES)
    assert len(events(path, tally)["heartsteps_participant_01"]) == 2
    assert tally.dropped == {"no_decision_time": 1, "not_connected": 1, "not_available": 0}
    tally = Tally.of(DROPS, NOTICES)
    assert len(events(path, tally, points="available")["heartsteps_participant_01"]) == 1
    assert tally.dropped["not_available"] == 1


def test_the_sources_order_holds_and_arrival_never_goes_back(tmp_path: Path) -> None:
    late, early = (
        row(1, 0, sugg__decision__utime="2015-07-22 20:00:00"),
        row(1, 1, sugg__decision__utime="2015-07-22 19:00:00"),
    )
    tally = Tally.of(DROPS, NOTICES)
    [found] = events(write(tmp_path, early, late), tally).values()
    assert [event.timestamp.hour for event in found] == [20, 19]
    assert [event.tau.hour for event in arrive(found)] == [20, 20]
    assert tally.noticed["rows_out_of_order"] == 1


def test_gaps_of_decision_index_are_counted(tmp_path: Path) -> None:
    tally = Tally.of(DROPS, NOTICES)
    events(write(tmp_path, row(1, 2), row(1, 5), row(2, 0)), tally)
    assert tally.noticed["decision_index_gaps"] == 2


def test_an_unsorted_file_gives_the_streams_of_the_sorted_one(tmp_path: Path) -> None:
    rows = [row(participant, decision) for participant in (1, 2, 12) for decision in range(3)]
    tidy = events(write(tmp_path / "a", *rows))
    mixed = write(tmp_path / "b", *(rows[index] for index in (8, 0, 4, 2, 6, 1, 3, 7, 5)))
    assert not scan_suggestions(mixed).sorted
    assert events(mixed) == tidy
    assert list(tidy) == ["heartsteps_participant_01", "heartsteps_participant_02", "heartsteps_participant_12"]


def test_travel_and_dst_move_the_local_day_forward_only(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        row(1, 0, sugg__decision__utime="2015-11-01 03:30:00", sugg__gmtoff="-14400.0"),  # 31 October, 23:30 local
        row(1, 1, sugg__decision__utime="2015-11-01 05:30:00", sugg__gmtoff="-14400.0"),  # 01:30, before the clock goes back
        row(1, 2, sugg__decision__utime="2015-11-01 06:30:00", sugg__gmtoff="-18000.0"),  # 01:30 again
        row(1, 3, sugg__decision__utime="2015-11-01 07:30:00", sugg__gmtoff="-36000.0"),  # 31 October again, by flight
    )
    [found] = events(path).values()
    arrived = list(arrive(found))
    assert [event.day for event in arrived] == [date(2015, 10, 31), *[date(2015, 11, 1)] * 3]
    assert [event.span[0] for event in arrived] == [84_600.0, 5_400.0, 5_400.0, 0.0]


def test_event_ids_are_stable_and_distinct(tmp_path: Path) -> None:
    found = events(write(tmp_path, *(row(participant, decision) for participant in (1, 2) for decision in range(20))))
    ids = [event.event_id for stream in found.values() for event in stream]
    assert len(set(ids)) == 40
    assert all(re.fullmatch(r"[0-9a-f]{24}", event_id) for event_id in ids)
    assert ids[0] == events(write(tmp_path, row()))["heartsteps_participant_01"][0].event_id


@pytest.mark.parametrize(
    ("column", "cell", "problem"),
    [
        ("user.index", "one", "not a whole number"),
        ("user.index", "", "an empty cell"),
        ("decision.index", "-1", "not a whole number in range"),
        ("sugg.decision.utime", "2015/7/22 16:30", "not a UTC time of the released file"),
        ("sugg.decision.utime", "2015-02-30 16:30:00", "not a UTC time"),
        ("sugg.decision.utime", "2015-07-22T16:30:00Z", "not a UTC time"),
        ("sugg.gmtoff", "four", "not a whole number"),
        ("sugg.gmtoff", "", "an empty cell at a connected decision point"),
        ("sugg.decision.slot", "7.0", "not a whole number in range"),
        ("connect", "TRUE", "not a boolean"),
        ("connect", "", "an empty cell"),
        ("avail", "1", "not a boolean"),
        ("avail", "", "an empty cell at a connected decision point"),
        ("recognized.activity", "SLEEPING", "unknown activity"),
        ("jbsteps30pre", "-5.0", "not a whole number in range"),
        ("jbsteps60pre", "12.5", "not a whole number"),
        ("gfsteps30pre", "nan", "not a whole number"),
        ("gfsteps60pre", "1e3", "not a whole number"),
        ("dec.temperature", "warm", "not a temperature"),
        ("dec.temperature", "-9999.0", "not a temperature"),
        ("dec.temperature", "nan", "not a temperature"),
    ],
)
def test_a_malformed_cell_is_named_by_file_row_and_column(tmp_path: Path, column: str, cell: str, problem: str) -> None:
    path = write(tmp_path, row(1, 0), {**row(1, 1), column: cell}, row(1, 2))
    with pytest.raises(InputError, match=problem) as caught:
        events(path)
    assert (caught.value.file, caught.value.row, caught.value.field) == (str(path), 3, column)
    assert caught.value.found == cell
    assert caught.value.expected
    assert caught.value.remedy


def test_an_unknown_activity_names_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"IN_VEHICLE.*TILTING"):
        events(write(tmp_path, row(recognized__activity="SLEEPING")))


def test_a_spreadsheets_copy_is_refused_with_the_remedy(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="a spreadsheet that re-saves it"):
        events(write(tmp_path, row(sugg__decision__utime="2015/7/22 16:30")))


def test_a_decision_point_twice_names_both_rows(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"row 4.*decision point 0 of participant 1 occurs twice, first in row 2"):
        events(write(tmp_path, row(1, 0), row(1, 1), row(1, 0)))


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda whole: b"", "the file is empty"),
        (lambda whole: whole.split(b"\n")[0] + b"\n", "no row below the header"),
        (lambda whole: whole.replace(b",", b";"), "separated by semicolons"),
        (lambda whole: whole.replace(b",", b"\t"), "separated by tabs"),
        (lambda whole: whole.split(b"\n", 1)[1], "no header of suggestions.csv"),
        (lambda whole: whole.replace(b"dec.temperature", b"dec.temprature"), "'dec.temprature' for 'dec.temperature'"),
        (lambda whole: whole.replace(b"avail,", b"y,"), "missing 'avail'; unexpected 'y'"),
        (lambda whole: whole.replace(b"avail,", b"connect,"), "missing 'avail'; repeated 'connect'"),
        (lambda whole: whole[:-30], r"row 4.*wrong number of cells; found \d+; expected 86"),
        (lambda whole: whole[:-1], "row 4: the last line has no line break and may be cut off"),
        (lambda whole: whole.replace(b"home", b"ho,me"), "row 2: wrong number of cells; found 87"),
        (lambda whole: whole.replace(b"home", b'"home'), "malformed CSV"),
        (lambda whole: whole.replace(b"home", b"ho\0e"), r"row 2: a NUL byte at byte \d+"),
        (lambda whole: whole.replace(b"home", b"caf\xe9"), r"row 2: not UTF-8 at byte \d+; found b'\\xe9"),
        (lambda whole: whole.decode().encode("utf-16"), "the file is UTF-16"),
    ],
)
def test_a_damaged_file_is_refused_with_its_place(tmp_path: Path, change: object, problem: str) -> None:
    path = tmp_path / "suggestions.csv"
    path.write_bytes(change(text([row(1, 0), row(1, 1), row(1, 2)]).encode()))  # type: ignore[operator]
    with pytest.raises(InputError, match=problem) as caught:
        scan_suggestions(path)
    assert str(path) in str(caught.value)
    assert caught.value.remedy


def test_a_byte_order_mark_and_windows_line_ends_change_nothing(tmp_path: Path) -> None:
    path = write(tmp_path, row(1, 0), row(1, 1))
    plain = events(path)
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    assert events(path) == plain


def test_only_named_participants_are_built_and_unknown_ones_name_those_present(tmp_path: Path) -> None:
    path = write(tmp_path, row(1), row(3), row(7))
    assert list(events(path, participants=[7, 1])) == ["heartsteps_participant_01", "heartsteps_participant_07"]
    with pytest.raises(ConfigError, match=r"no participant \[2, 9\]; present are 1, 3, 7"):
        events(path, participants=[2, 3, 9])
    with pytest.raises(ConfigError, match="no participant was named"):
        events(path, participants=[])
    with pytest.raises(ConfigError, match="unknown decision points 'all'"):
        events(path, points="all")


def test_the_real_file_gives_figure_5_and_the_streams_of_spec_1() -> None:
    path = real("heartsteps") / "suggestions.csv"
    found = events(path, participants=[1])["heartsteps_participant_01"]
    payload = found[2].observable_payload
    assert found[2].timestamp.isoformat() == "2015-07-22T21:31:48+00:00"
    assert payload.model_dump(mode="json") == {
        "source_local_decision_time": "2015-07-22T17:31:48", "source_utc_offset_seconds": -14400, "decision_slot": 4,
        "available": True, "recognized_activity": "STILL", "google_fit_steps_pre30": 0, "google_fit_steps_pre60": 73,
        "jawbone_steps_pre30": 261, "jawbone_steps_pre60": 456, "location_category": "home",
        "weather_condition": "Mostly Cloudy", "temperature_c": 25.8,
    }  # fmt: skip
    available = events(path, participants=[5, 35], points="available")
    assert {name[-2:]: len(stream) for name, stream in available.items()} == {"05": 190, "35": 192}
    days = [event.day for event in arrive(available["heartsteps_participant_35"])]
    assert sum(day < date(2015, 12, 16) for day in days) == 37


def test_the_trial_has_the_published_events_of_table_6(tmp_path: Path) -> None:
    raw = real("heartsteps") / "suggestions.csv"
    for points, counts in {"trial": (184, 191), "available": (190, 192)}.items():
        found = events(raw, participants=[5, 35], points=points)
        assert tuple(map(len, found.values())) == counts
    card = build_sports(raw, tmp_path / "built", participants=NINE_PARTICIPANTS, points="trial")
    assert (len(card.streams), card.events) == (9, SPORTS_EVENTS)


def test_points_after_the_trial_or_on_travel_days_are_counted(tmp_path: Path) -> None:
    inside, after, away = (row(1, number, decision__index__nogap=value) for number, value in enumerate(("209", "210", "")))
    tally = Tally.of(DROPS, NOTICES)
    [found] = events(write(tmp_path, inside, after, away), tally, points="trial").values()
    assert (len(found), tally.dropped["not_in_the_trial"]) == (1, 2)
