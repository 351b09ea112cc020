"""Homes are found by what their files hold, and give complete days of 29 events whatever the files' anomalies."""

from __future__ import annotations

import random
from datetime import date
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from proactmem.datasets.build import build_home
from proactmem.datasets.homes import find_homes
from proactmem.errors import ConfigError, InputError
from tests.datasets.home_files import built, counted, full_day, line, records, write
from tests.datasets.suggestion_files import real

UCI = (
    "Start time          \tEnd time            \tLocation\tType\t\tPlace\r\n"
    "--------------------\t--------------------\t--------\t--------\t-----\r\n"
)
HH = ("hh101", "hh103", "hh102", "hh104")


def test_homes_are_numbered_by_name_before_they_are_chosen(tmp_path):
    for name in HH:
        write(tmp_path / name / f"{name}.rawdata.txt", *full_day("2012-07-18"))
    write(tmp_path / "SOURCE.txt", "CASAS homes, 2012-07-18\n")
    write(tmp_path / "hh101" / "README.md", "# 2012-07-18 12:54:45 M001 ON\n")
    write(tmp_path / "reference_labels.csv", "home,window_start,y\nhh101,2012-07-18 00:00,1\n")
    write(tmp_path / ".hidden.txt", *full_day("2012-07-18"))
    assert [(home.name, home.stream_id) for home in find_homes(tmp_path)] == [
        (f"hh10{number}", f"casas_home_000{number}") for number in (1, 2, 3, 4)
    ]
    assert [home.stream_id for home in find_homes(tmp_path, ["hh104", "casas_home_0002"])] == [
        "casas_home_0002",
        "casas_home_0004",
    ]
    with pytest.raises(ConfigError, match=r"no home \['hh999'\]; present are hh101, hh102"):
        find_homes(tmp_path, ["hh999"])
    with pytest.raises(ConfigError, match="no home was named"):
        find_homes(tmp_path, [" "])


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("hh105/rawdata.txt", "hh105"),
        ("hh105.ann.txt", "hh105"),
        ("hh105.csv", "hh105"),
        ("aruba/data", "aruba"),
        ("x/tulum.txt", "tulum"),
    ],
)
def test_a_home_is_called_by_its_file_or_folder(path, name, tmp_path):
    write(tmp_path / path, *full_day("2012-07-18"))
    assert [home.name for home in find_homes(tmp_path)] == [name]


def test_an_annotated_copy_is_left_for_the_raw_file_and_other_copies_are_refused(tmp_path):
    write(tmp_path / "hh101.ann.txt", *(text.rstrip("\n") + "\tSleep\n" for text in full_day("2012-07-18")))
    raw = write(tmp_path / "hh101.rawdata.txt", *full_day("2012-07-18"))
    tally = counted()
    assert [home.file for home in find_homes(tmp_path)] == [raw]
    built(tmp_path, tally)
    assert tally.noticed["annotated_copies_of_a_raw_file"] == 1
    write(tmp_path / "again" / "hh101.csv", *full_day("2012-07-18"))
    write(tmp_path / "more" / "hh101.csv", *full_day("2012-07-18"))
    raw.unlink()
    with pytest.raises(InputError, match="home 'hh101' lies there more than once"):
        find_homes(tmp_path)


def test_raw_and_annotated_files_give_the_same_events(tmp_path):
    write(tmp_path / "a" / "hh101.rawdata.txt", *full_day("2012-07-18"))
    tally = counted()
    write(tmp_path / "b" / "hh101.ann.txt", *(text.rstrip("\n") + "\tSleep\n" for text in full_day("2012-07-18")))
    assert built(tmp_path / "a") == built(tmp_path / "b", tally)
    assert tally.noticed["lines_with_activity_label"] == 6


@pytest.mark.parametrize(
    "content",
    ["", "participant,y\n1,0\n", "Start time\tEnd time\tActivity\n2011-11-28 02:27:59\t2011-11-28 10:18:11\tSleeping\n"],
)
def test_what_is_no_home_is_refused(content, tmp_path):
    write(tmp_path / "file.txt", content)
    for raw in (tmp_path, tmp_path / "file.txt"):
        with pytest.raises(InputError, match="no smart home's sensor file here"):
            find_homes(raw)
    with pytest.raises(InputError, match="cannot be read"):
        find_homes(tmp_path / "nowhere")


def test_only_complete_days_are_events_and_the_rest_is_counted(tmp_path):
    file = write(
        tmp_path / "hh101.txt",
        line("2012-07-17 20:00:00"),
        *(text for day in ("2012-07-18", "2012-07-19", "2012-07-20") for text in full_day(day)),
        line("2012-07-21 00:05:00"), line("2012-07-21 09:00:00"),
    )  # fmt: skip
    tally = counted()
    [events] = built(file, tally).values()
    assert len(events) == 3 * 29
    assert records(events) == 18
    assert tally.dropped["records_of_partial_days"] == 3
    [all_days] = built(file, partial=True).values()
    assert (len(all_days), records(all_days)) == (5 * 29, 21)
    assert {event.event_id for event in events} < {event.event_id for event in all_days}
    tally = counted()
    [chosen] = built(file, tally, start=date(2012, 7, 19), days=1).values()
    assert {event.window_start.date() for event in chosen} == {date(2012, 7, 19)}
    assert chosen == events[29:58]
    assert tally.dropped["records_outside_chosen_days"] == 12
    for options in ({"days": 4}, {"start": date(2012, 7, 17)}, {"start": date(2012, 7, 20), "days": 2}, {"days": 0}):
        with pytest.raises(ConfigError):
            built(file, **options)


def test_progress_is_told_in_bytes_up_to_the_end(tmp_path):
    write(tmp_path / "raw" / "hh101.txt", *full_day("2012-07-18"))
    write(tmp_path / "raw" / "hh102.txt", *reversed(full_day("2012-07-18")), *full_day("2012-07-16"))
    seen = []
    build_home(tmp_path / "raw", tmp_path / "built", progress=lambda done, of: seen.append((done, of)))
    assert seen[-1][0] == seen[-1][1] == sum(path.stat().st_size for path in (tmp_path / "raw").iterdir())


def test_a_home_without_a_complete_day_keeps_its_days(tmp_path):
    tally = counted()
    [events] = built(write(tmp_path / "hh101.txt", line("2012-07-17 20:00:00"), line("2012-07-18 09:00:00")), tally).values()
    assert (len(events), records(events), tally.noticed["homes_without_complete_day"]) == (58, 2, 1)


def test_days_without_records_are_quiet_days_and_a_wrong_year_is_an_error(tmp_path):
    tally = counted()
    [events] = built(write(tmp_path / "hh101.txt", *full_day("2012-07-18"), *full_day("2012-07-21")), tally).values()
    assert len(events) == 4 * 29
    assert records(events[29:87]) == 0
    assert tally.noticed["days_without_records"] == 2
    assert tally.noticed["silences_over_6_hours"] == 2 + 2 + 1
    with pytest.raises(InputError, match="days without a record before 2012-07-18"):
        built(write(tmp_path / "x.txt", line("2002-01-01 00:00:00"), *full_day("2012-07-18")))


def test_bad_lines_are_dropped_counted_and_named(tmp_path):
    lines = full_day("2012-07-18")
    bad = [
        "garbage\n", line("2012-07-18 00:20:00", message="ONN"), line("2012-07-18 00:21:00", sensor=""),
        "2012-07-18 00:22:00\tM001\n", line("2012-07-18 00:30:00", message="OK", sort="Control4-Radio"), "\n",
    ]  # fmt: skip
    file = write(tmp_path / "hh101.txt", *lines[:2], *bad, *lines[2:])
    with file.open("ab") as more:
        more.write(b"2012-07-18 23:59:59.9999995\tM001\tCaf\xe9\tCaf\xe9\tON\tControl4-Motion\n2012-07-18 23:59:59\tM0")
    tally = counted()
    [events] = built(file, tally).values()
    assert records(events) == 6
    assert {name: count for name, count in tally.dropped.items() if count} == {
        "malformed_line": 4, "unknown_message": 1, "not_text": 1, "heartbeat": 1,
    }  # fmt: skip
    assert any("row 4" in problem and "Message" in problem and "'ONN'" in problem for problem in tally.problems)


def test_the_repeated_hour_of_a_clock_change_falls_into_the_same_segments(tmp_path):
    day = "2012-11-04"
    hour = [
        line(f"{day} 01:{minute:02d}:00.{number}", room=room)
        for number, room in ((1, "Kitchen"), (2, "Office"))
        for minute in range(60)
    ]
    whole = full_day(day)
    tally = counted()
    [events] = built(write(tmp_path / "hh101.txt", *whole[:2], *hour, *whole[2:]), tally).values()
    assert records(events) == 126
    assert sum(sum(event.motion.location_counts.values()) for event in events[1:3]) == 120
    assert tally.noticed["lines_out_of_order"] == 1


THREE_DAYS = [text for day in ("2012-07-18", "2012-07-19", "2012-07-20") for text in full_day(day)]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=25)
@given(seed=st.integers(0, 2**32), doubled=st.sets(st.integers(0, 17)))
def test_neither_the_order_of_the_lines_nor_doubled_lines_change_the_events(seed, doubled, tmp_path):
    lines = [*THREE_DAYS, *(THREE_DAYS[number] for number in sorted(doubled))]
    random.Random(seed).shuffle(lines)
    tally = counted()
    expected = built(write(tmp_path / "a" / "hh101.txt", *THREE_DAYS))
    assert built(write(tmp_path / "b" / "hh101.txt", *lines), tally) == expected
    assert tally.dropped["duplicate_line"] == len(doubled)


def test_rows_of_uci_adl_are_intervals(tmp_path):
    rows = [
        "2011-11-28 00:10:00\t\t2011-11-28 07:18:11\t\tBed\t\t\tPressure\tBedroom",
        "2011-11-28 07:21:00\t\t2011-11-28 07:21:31 \tFridge\t\tMagnetic\tKitchen",
        "2011-11-28 07:20:00\t\t2011-11-28 07:20:10\t\tDoor\t\tPIR\tKitchen",
        "2011-11-28 08:00:00\t\t2011-11-28 08:00:03\t\tMaindoor\tMagnetic\tEntrance",
        "2011-11-28 09:00:00\t\t2011-11-28 08:00:03\t\tSeat\tPressure\tLiving",
        "2011-11-28 10:00:00\t\tnever\tSeat\tPressure\tLiving",
        "0011-11-28 10:00:00\t\t2011-11-28 10:00:00\tSeat\tPressure\tLiving",
        "2011-11-28 23:30:00\t\t2011-11-28 23:45:00\t\tSeat\tPressure\tLiving",
    ]
    file = write(tmp_path / "OrdonezB_Sensors.txt", UCI, "\r\n".join(rows))
    write(
        tmp_path / "OrdonezB_ADLs.txt", "Start time\tEnd time\tActivity\n2011-11-28 02:27:59\t2011-11-28 10:18:11\tSleeping\n"
    )
    tally = counted()
    found = built(tmp_path, tally)
    [(stream_id, events)] = found.items()
    assert find_homes(file)[0].stream_id == stream_id == "uci_adl_home_B"
    assert (len(events), records(events)) == (29, 10)
    assert events[8].motion.location_counts == {"Kitchen": 1}
    assert events[8].motion.deactivation_count == 2
    assert [(one.action, one.time) for one in events[9].door_actions] == [("OPEN", "08:00:00"), ("CLOSE", "08:00:03")]
    assert [(one.sensor, one.since) for one in events[5].other_actions] == [("Bed", "00:10:00")]
    assert (tally.dropped["ends_before_start"], tally.dropped["malformed_line"]) == (1, 2)
    assert tally.noticed["rows_out_of_order"] == 1
    assert any("row 7" in problem for problem in tally.problems)


def test_no_activity_reaches_an_event(tmp_path):
    text = "".join(text.rstrip("\n") + "\tCook_Breakfast\n" for text in full_day("2012-07-18"))
    [events] = built(write(Path(tmp_path) / "hh101.txt", text)).values()
    assert not any("Cook" in event.model_dump_json() for event in events)


def test_the_real_home_has_the_segments_that_its_labels_name(tmp_path):
    card = build_home(real("uci_adl"), tmp_path / "built")
    assert [(span.stream_id, span.events) for span in card.streams] == [("uci_adl_home_A", 13 * 29)]
    assert card.labels is not None
    assert (card.labels.rows, card.labels.joined, card.labels.unmatched) == (377, 377, 0)
    assert card.source == "UCI ADL binary sensors"
    assert sum(card.dropped.values()) == card.dropped["records_of_partial_days"]
    assert card.noticed["rows_without_length"] == 1


def test_a_folder_of_both_sources_is_built_and_named_by_both(tmp_path):
    write(tmp_path / "raw" / "hh101.txt", *full_day("2012-07-18"))
    row = "2011-11-28 00:10:00\t\t2011-11-28 23:50:00\t\tBed\t\t\tPressure\tBedroom\n"
    write(tmp_path / "raw" / "OrdonezA_Sensors.txt", UCI, row)
    card = build_home(tmp_path / "raw", tmp_path / "built")
    assert [span.stream_id for span in card.streams] == ["casas_home_0001", "uci_adl_home_A"]
    assert card.source == "CASAS smart homes and UCI ADL binary sensors"
