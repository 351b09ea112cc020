"""CASAS lines: every published variant reads as the same record, and what is none is named."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proactmem.datasets.casas import is_casas_line, parse_line
from proactmem.datasets.segments import Reading
from proactmem.errors import InputError

FILE = Path("hh101.rawdata.txt")


def read(text: str) -> Reading | None:
    return parse_line(text, FILE, 1).reading


def at(text: str) -> datetime:
    return datetime.fromisoformat(text)


MOTION = Reading(at("2012-07-18T12:54:45.682577"), "motion", "MA016", "Kitchen", "OFF")


@pytest.mark.parametrize(
    "line",
    [
        "2012-07-18 12:54:45.682577\tMA016\tKitchen\tKitchen\tOFF\tControl4-MotionArea",
        "2012-07-18 12:54:45.682577\tMA016\tKitchen\tKitchen\tOFF\tControl4-MotionArea\n",
        "2012-07-18\t12:54:45.682577\tMA016\tKitchen\tKitchen\tOFF\tControl4-MotionArea\r\n",
        "2012-07-18 12:54:45.682577\tMA016\tKitchen\tKitchen\tOFF\tControl4-MotionArea\tCook_Lunch",
        '2012-07-18 12:54:45.682577\tMA016\tKitchen\tKitchen\tOFF\tControl4-MotionArea\tr1.Cook="begin"',
        "2012-07-18  12:54:45.682577 MA016  Kitchen Kitchen OFF Control4-MotionArea",
        "2012-07-18,12:54:45.682577,MA016,Kitchen,Kitchen,OFF,Control4-MotionArea",
        "2012-07-18T12:54:45.682577 MA016 Kitchen Kitchen OFF MotionArea-01",
        "2012-07-18 12:54:45.682577 MA016 Kitchen Kitchen off Cook_Lunch",
        "2012-07-18 12:54:45.682577 MA016 Kitchen OFF Other_Activity",
    ],
)
def test_every_form_of_a_line_is_the_same_record(line):
    assert read(line) == MOTION


@pytest.mark.parametrize(
    ("fraction", "microseconds"),
    [("", 0), (".", 0), (".1", 100000), (".14962", 149620), (".149620", 149620), (".14", 140000), (".123456789", 123456)],
)
def test_a_fraction_of_any_length_is_a_fraction(fraction, microseconds):
    found = read(f"2010-11-04 00:03:50{fraction} M003 ON")
    assert found is not None
    assert found.at == at("2010-11-04T00:03:50").replace(microsecond=microseconds)


@pytest.mark.parametrize(
    ("line", "kind", "location", "action", "number", "measures", "stays"),
    [
        ("M003 ON Sleeping begin", "motion", "M003", "ON", None, None, None),
        ("D002 OPEN", "door", "D002", "OPEN", None, None, True),
        ("D002\tEntry\tFront\tCLOSED\tControl4-Door", "door", "Entry", "CLOSE", None, None, False),
        ("D002\tEntry\tFront\tON\tDoor-01", "door", "Entry", "OPEN", None, None, True),
        ("T101\tIgnore\tIgnore\t22.5\tControl4-Temperature", "numeric", "T101", "", 22.5, "temperature", None),
        ("T001 -3", "numeric", "T001", "", -3.0, "temperature", None),
        ("LS013\tKitchen\tKitchen\t63\tControl4-LightSensor", "numeric", "Kitchen", "", 63.0, "light", None),
        ("BATP102\tIgnore\tIgnore\t98\tControl4-BatteryPercent", "numeric", "BATP102", "", 98.0, "battery", None),
        ("LL004\tBedroom\tLamp\t40\tControl4-Light", "numeric", "Bedroom", "", 40.0, "dimmer", None),
        ("L004\tBedroom\tLamp\tON\tControl4-Light", "other", "Bedroom", "ON", None, None, True),
        ("F001\tHall\tHall\tTAP_COUNT_02\tControl4-Button", "other", "Hall", "TAP_COUNT_02", None, None, None),
        ("I006 ABSENT", "other", "I006", "ABSENT", None, None, None),
    ],
)
def test_a_sensor_is_what_its_type_says_or_else_its_id(line, kind, location, action, number, measures, stays):
    found = read(f"2011-06-15 00:06:32.834414{chr(9) if chr(9) in line else ' '}{line}")
    assert found is not None
    assert found[1:2] + found[3:] == (kind, location, action, number, measures, stays)


def test_the_short_comma_form_is_motion_and_its_activity_stays_outside():
    parsed = parse_line('2012-07-20,10:38:54.512364,OutsideDoor,ON,Step_Out="begin"', FILE, 1)
    assert parsed.labelled
    assert parsed.reading == Reading(at("2012-07-20T10:38:54.512364"), "motion", "OutsideDoor", "OutsideDoor", "ON")
    assert "Step_Out" not in repr(parsed.reading)


@pytest.mark.parametrize("line", ["R01\tHall\tHall\tOK\tControl4-Radio", "R01 OK"])
def test_a_heartbeat_is_no_record(line):
    assert read(f"2012-07-18 12:54:45{chr(9) if chr(9) in line else ' '}{line}") is None


@pytest.mark.parametrize(
    ("line", "field"),
    [
        ("sensor,message", "Time"),
        ("2012-13-18 12:54:45 M001 ON", "Time"),
        ("2012-07-18 25:54:45 M001 ON", "Time"),
        ("0001-07-18 12:54:45 M001 ON", "Time"),
        ("9999-12-31 23:54:45 M001 ON", "Time"),
        (f"2012-07-18 12:54:45 T001 {'9' * 400}", "Message"),
        ("2012-07-18 12:54:45", "Sensor"),
        ("2012-07-18 12:54:45\t\tKitchen\tKitchen\tON\tControl4-Motion", "Sensor"),
        ("2012-07-18 12:54:45 M001", "Message"),
        ("2012-07-18 12:54:45 M001 ONM", "Message"),
        ("2012-07-18 12:54:45\tM001\tKitchen\tKitchen\tO\tControl4-Motion", "Message"),
        ("2012-07-18 12:54:45\tM001\tKitchen\tKitchen\t5\tControl4-Motion", "Message"),
        ("2012-07-18 12:54:45\tM001\tKitchen\tKitchen\tTAP\tControl4-Motion", "Message"),
    ],
)
def test_what_is_no_record_is_named(line, field):
    with pytest.raises(InputError) as caught:
        parse_line(line, FILE, 7)
    assert (caught.value.field, caught.value.row) == (field, 7)
    assert not is_casas_line(line)


@given(
    separator=st.sampled_from(["\t", " ", "  ", ","]),
    joined=st.booleans(),
    end=st.sampled_from(["", "\n", "\r\n", " \n"]),
    activity=st.sampled_from([None, "Sleep", "r2.Dress", 'Cook="begin"', "Cook begin"]),
)
def test_separators_and_labels_change_nothing(separator, joined, end, activity):
    start = "2012-07-18 12:54:45.682577" if joined else separator.join(("2012-07-18", "12:54:45.682577"))
    fields = [start, "MA016", "Kitchen", "Kitchen", "OFF", "Control4-MotionArea", *([activity] if activity else [])]
    parsed = parse_line(separator.join(fields) + end, FILE, 1)
    assert parsed.reading == MOTION
    assert parsed.labelled == (activity is not None)


@given(st.text(max_size=60), st.sampled_from(["", "2012-07-18 12:54:45 ", "2012-07-18\t12:54:45.1\tM001\tHall\t"]))
def test_any_text_is_a_reading_or_an_input_error(text, start):
    with suppress(InputError):
        parse_line(start + text, FILE, 1)
