"""CASAS sensor lines, raw or annotated, to readings: every variant that the published homes hold.

A line is `date time sensor [room detail] message [type] [activity]`, separated by tabs, blanks or commas; date and time are
one field or two, in local time without a zone, the fraction of a second has up to nine digits or is absent. Older homes name
no room: the sensor is the location then. Activity labels are annotations and never reach a reading.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from proactmem.datasets.segments import Kind, Reading
from proactmem.errors import InputError

__all__ = ["Parsed", "is_casas_line", "parse_line"]

_START = re.compile(r"(\d{4}-\d{2}-\d{2})[\s,T]+(\d{1,2}:\d{2}:\d{2})(?:\.(\d{0,9}))?(?=[\s,]|$)")
_NUMBER = re.compile(r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)")
_SWITCHED = {"ON": True, "OFF": False, "OPEN": True, "CLOSE": False, "CLOSED": False}
_MOMENTARY = {"TAP", "DEPRESS", "RELEASE", "ABSENT", "PRESENT", "START", "END", "OK"}
_TAPS = re.compile(r"TAP_COUNT_\d+")
_TYPE = re.compile(
    r"(?:control4-)?(motionarea|motion|door|temperature|lightsensor|light|batterypercent|battery|button|radio|item|"
    r"insteon|power|water|zigbee[\w-]*|tempsensor)(?:-?\d+)?",
    re.IGNORECASE,
)
_PREFIX = re.compile(r"(MA|M|D|T|LS|L|LL|BATP|BATV|BAT|SM|I|P|E|AD1|F|ITEM)-?\d+[A-Z]?", re.IGNORECASE)
_NO_PLACE = {"", "ignore", "none", "unknown", "-"}
_MEASURES = {
    "temperature": "temperature", "tempsensor": "temperature", "t": "temperature", "lightsensor": "light", "ls": "light",
    "light": "dimmer", "l": "dimmer", "ll": "dimmer", "batterypercent": "battery", "battery": "battery", "batp": "battery",
    "bat": "battery", "batv": "battery", "power": "power", "p": "power", "water": "water",
}  # fmt: skip


class Parsed(NamedTuple):
    """What a line says: a reading, or nothing but a heartbeat; and whether it carries an activity label."""

    reading: Reading | None
    at: datetime
    labelled: bool


class _Sort(NamedTuple):
    """What a sensor is, by its stated type or else by its id."""

    name: str
    stated: bool


def is_casas_line(text: str) -> bool:
    """Whether a line reads as a CASAS sensor line."""
    try:
        parse_line(text, Path("-"), 0)
    except InputError:
        return False
    return True


def parse_line(text: str, file: Path, row: int) -> Parsed:
    """One line as a reading.

    Raises:
        InputError: No time, a missing field, or a message that is none; its `field` says which.
    """
    stamp = _START.match(text)
    if stamp is None:
        raise _wrong("Time", text[:60], "a date and a time, such as 2012-07-18 12:54:45.682577", file, row)
    at = _instant(stamp, file, row)
    rest = _fields(text[stamp.end() :])
    if len(rest) < 2 or not rest[0]:
        raise _wrong("Sensor" if not rest or not rest[0] else "Message", None, "a sensor and a message", file, row)
    place = _message_at(rest)
    if place is None:
        raise _wrong("Message", rest[3] if len(rest) > 3 else rest[-1], "ON, OFF, OPEN, CLOSE or a number", file, row)
    sensor, message = rest[0], rest[place].upper()
    room = rest[1] if place > 1 else ""
    after = rest[place + 1 :]
    stated = after[0] if after and place == 3 and _TYPE.fullmatch(after[0]) else None
    labels = after[1:] if stated is not None else after
    reading = _reading(at, sensor, room, message, _sort(sensor, stated))
    if reading is None and message != "OK":
        raise _wrong("Message", rest[place], "ON or OFF of a motion sensor", file, row)
    return Parsed(reading, at, any(labels))


def _instant(stamp: re.Match[str], file: Path, row: int) -> datetime:
    day, clock, fraction = stamp.groups()
    try:
        whole = datetime.fromisoformat(f"{day}T{clock if len(clock) == 8 else '0' + clock}")
    except ValueError:
        whole = None
    if whole is None or not 1900 <= whole.year <= 2200:
        raise _wrong("Time", stamp[0], "a day and an hour of the calendar, from 1900 to 2200", file, row)
    return whole.replace(microsecond=int(f"{fraction:0<6}"[:6])) if fraction else whole


def _fields(text: str) -> list[str]:
    """The fields after the time; a line has one separator, tabs before commas before blanks, whatever stands around it."""
    text = text.strip(" \r\n")
    for separator in ("\t", ","):
        if separator in text.strip(separator):
            return [part.strip() for part in text.removeprefix(separator).rstrip(f"{separator} ").split(separator)]
    return text.strip("\t, ").split()


def _message_at(rest: Sequence[str]) -> int | None:
    """Where the message stands: fourth with a room and a detail, third in the AL form, second without a room."""
    if len(rest) > 4 and _TYPE.fullmatch(rest[4]):
        return 3 if _is_message(rest[3]) else None
    return next((place for place in range(1, min(4, len(rest))) if _is_message(rest[place])), None)


def _is_number(text: str) -> bool:
    return bool(_NUMBER.fullmatch(text)) and math.isfinite(float(text))


@lru_cache(maxsize=4096)
def _is_message(text: str) -> bool:
    upper = text.upper()
    return upper in _SWITCHED or upper in _MOMENTARY or _is_number(text) or bool(_TAPS.fullmatch(upper))


@lru_cache(maxsize=4096)
def _sort(sensor: str, stated: str | None) -> _Sort:
    if stated is not None and (found := _TYPE.fullmatch(stated)):
        return _Sort(found[1].lower(), True)
    found = _PREFIX.fullmatch(sensor)
    return _Sort(found[1].lower() if found else "", False)


def _reading(at: datetime, sensor: str, room: str, message: str, sort: _Sort) -> Reading | None:
    """The reading of a message; None of a heartbeat, and of a message that this sort of sensor does not send."""
    location = sensor if room.casefold() in _NO_PLACE else room
    name = sort.name
    if _is_number(message):
        if name in {"motion", "motionarea", "m", "ma", "door", "d"}:
            return None
        return Reading(at, "numeric", sensor, location, "", float(message), _MEASURES.get(name))
    if message == "OK" or name == "radio":
        return None
    stays = _SWITCHED.get(message)
    if message in {"OPEN", "CLOSE", "CLOSED"}:
        return Reading(at, "door", sensor, location, "OPEN" if stays else "CLOSE", None, None, stays)
    if stays is None:
        return None if name in {"motion", "motionarea", "door"} else Reading(at, "other", sensor, location, message)
    kind = _switch_kind(name, stated=sort.stated)
    if kind == "door":
        return Reading(at, kind, sensor, location, "OPEN" if stays else "CLOSE", None, None, stays)
    return Reading(at, kind, sensor, location, message, None, None, stays if kind == "other" else None)


@lru_cache(maxsize=256)
def _switch_kind(name: str, *, stated: bool) -> Kind:
    """What ON and OFF mean: motion unless the sensor is known as something else (a location's name is a motion area)."""
    if name in {"door", "d"}:
        return "door"
    if stated:
        return "motion" if name in {"motion", "motionarea"} else "other"
    return "motion" if name in {"m", "ma", "", "sm"} else "other"


def _wrong(field: str, found: object, expected: str, file: Path, row: int) -> InputError:
    return InputError(
        "is no CASAS sensor line", file=file, row=row, field=field, found=found, expected=expected,
        remedy="Remove or correct the line; the rest of the file counts.",
    )  # fmt: skip
