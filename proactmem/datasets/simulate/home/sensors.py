"""What the sensors of a home recorded: lines in CASAS raw form, faults of sensors and files included."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from typing import NamedTuple

from proactmem.datasets.simulate.chance import Chance
from proactmem.datasets.simulate.home.residents import Resident
from proactmem.datasets.simulate.home.rhythms import Rhythm
from proactmem.datasets.simulate.home.stays import Stay

__all__ = ["Record", "recorded", "written"]

ROOMS = ("Bedroom", "Bathroom", "Kitchen", "DiningRoom", "LivingRoom", "Office", "Hall", "OutsideDoor")


class Record(NamedTuple):
    """One sensor record of a day chain; `at` is hours of the chain's local date."""

    at: float
    sensor: str
    room: str
    message: str
    sort: str


def recorded(who: Resident, rhythm: Rhythm, stays: Sequence[Stay]) -> list[Record]:
    """The records of a day chain in order of time, before faults of the file."""
    draw = who.chance("sensors", rhythm.day)
    found = [record for stay in stays for record in _stay(draw, stay)]
    found.extend(_passages(draw, stays))
    found.extend(_doors(draw, rhythm, stays))
    found.extend(_lamps(draw, who, rhythm, stays))
    found.extend(_numbers(draw, who, rhythm, stays[0].start, stays[-1].end))
    found.extend(Record(hour + 0.013, "R01", "Ignore", "OK", "Control4-Radio") for hour in _hours(stays, 0.5))
    return sorted(_faulty(who, rhythm.day, found))


def _stay(draw: Chance, stay: Stay) -> Iterator[Record]:
    """Motion while somebody is there: the room's sensor and its area sensor, ON and a little later OFF."""
    if stay.room == "Away":
        return
    room = "Bedroom" if stay.room == "Bed" else stay.room
    number = ROOMS.index(room) + 1
    count = round((stay.end - stay.start) * 60 * stay.stirring + draw.uniform(-0.5, 0.5))
    for offset in sorted(draw.vector(max(count, 0))):
        at = stay.start + offset * (stay.end - stay.start)
        area = draw.flip(0.35)
        sensor, sort = (f"MA{number:03d}", "Control4-MotionArea") if area else (f"M{number:03d}", "Control4-Motion")
        yield Record(at, sensor, room, "ON", sort)
        if not draw.flip(0.03):  # now and then an OFF is lost
            yield Record(at + draw.uniform(1.3, 9.0) / 3600, sensor, room, "OFF", sort)


def _passages(draw: Chance, stays: Sequence[Stay]) -> Iterator[Record]:
    """The hall between rooms, the area at the outside door when leaving and coming home."""
    for before, after in pairwise(stays):
        outside = "Away" in (before.room, after.room)
        room = "OutsideDoor" if outside else "Hall"
        if not outside and not draw.flip(0.6):
            continue
        number = ROOMS.index(room) + 1
        for _ in range(3 if outside else 1):
            at = after.start + draw.uniform(-12, 12) / 3600
            yield Record(at, f"M{number:03d}", room, "ON", "Control4-Motion")
            yield Record(at + 2.1 / 3600, f"M{number:03d}", room, "OFF", "Control4-Motion")


def _doors(draw: Chance, rhythm: Rhythm, stays: Sequence[Stay]) -> Iterator[Record]:
    left_open = rhythm.door_open
    for before, after in pairwise(stays):
        if "Away" in (before.room, after.room):
            yield Record(after.start, "D001", "OutsideDoor", "OPEN", "Control4-Door")
            yield Record(after.start + draw.uniform(4, 20) / 3600, "D001", "OutsideDoor", "CLOSE", "Control4-Door")
        elif after.room == "Kitchen" and draw.flip(0.7):
            at = after.start + draw.uniform(10, 200) / 3600
            yield Record(at, "D003", "Kitchen", "OPEN", "Control4-Door")
            yield Record(at + draw.uniform(5, 30) / 3600, "D003", "Kitchen", "CLOSE", "Control4-Door")
    if left_open is not None:
        start, hours = left_open
        yield Record(start, "D002", "Entry", "OPEN", "Control4-Door")
        yield Record(start + hours, "D002", "Entry", "CLOSE", "Control4-Door")


def _lamps(draw: Chance, who: Resident, rhythm: Rhythm, stays: Sequence[Stay]) -> Iterator[Record]:
    """Lamps by dark where somebody is, and the one that was forgotten."""
    dark = who.sunset(rhythm.day)
    for stay in stays:
        if stay.room in ("LivingRoom", "Office", "Kitchen") and stay.start > dark and stay.end - stay.start > 0.3:
            number = ROOMS.index(stay.room) + 1
            yield Record(stay.start + draw.uniform(5, 60) / 3600, f"L{number:03d}", stay.room, "ON", "Control4-Light")
            yield Record(stay.end - draw.uniform(5, 60) / 3600, f"L{number:03d}", stay.room, "OFF", "Control4-Light")
    if rhythm.lamp_on is not None:
        start, hours, room = rhythm.lamp_on
        number = ROOMS.index(room) + 11
        yield Record(start, f"L{number:03d}", room, "ON", "Control4-Light")
        yield Record(start + hours, f"L{number:03d}", room, "OFF", "Control4-Light")


def _numbers(draw: Chance, who: Resident, rhythm: Rhythm, start: float, end: float) -> Iterator[Record]:
    """Temperature in steps of half a degree, light by the time of day, batteries now and then."""
    base = who.chance("warmth").uniform(20.0, 22.5)
    for hour in _span(start, end, 1.1):
        cold = rhythm.cold is not None and rhythm.cold[0] <= hour < rhythm.cold[0] + rhythm.cold[1]
        warmth = base - 1.5 * (not 6.5 <= hour % 24 < 23) + draw.normal(0.0, 0.3) - (5.5 if cold else 0.0)
        yield Record(hour + draw.uniform(0.0, 0.2), "T101", "Ignore", f"{round(2 * warmth) / 2:g}", "Control4-Temperature")
        daylight = 70 if 8 <= hour % 24 < who.sunset(rhythm.day) else 4
        level = f"{max(0, min(100, daylight + draw.between(-4, 12)))}"
        yield Record(hour + draw.uniform(0.2, 0.5), "LS005", "LivingRoom", level, "Control4-LightSensor")
    for hour in _span(start, end, 8.0):
        yield Record(hour + 0.4, "BATP102", "Ignore", f"{max(5, 100 - rhythm.day // 3)}", "Control4-BatteryPercent")


def _hours(stays: Sequence[Stay], step: float) -> Iterator[float]:
    yield from _span(stays[0].start, stays[-1].end, step)


def _span(start: float, end: float, step: float) -> Iterator[float]:
    count = int((end - start) / step)
    yield from (start + number * step for number in range(count))


def _faulty(who: Resident, day: int, records: Sequence[Record]) -> Iterator[Record]:
    """Sensors fail: one room falls silent for hours, another repeats what it says."""
    draw = who.chance("faults", day)
    silent = (draw.pick(ROOMS), draw.uniform(0.0, 18.0), draw.uniform(2.0, 9.0)) if draw.flip(0.06) else None
    chatty = draw.pick(ROOMS) if draw.flip(0.1) else None
    for record in records:
        motion = record.sensor.startswith("M")
        if silent is not None and motion and record.room == silent[0] and silent[1] <= record.at < silent[1] + silent[2]:
            continue
        yield record
        if motion and record.room == chatty and draw.flip(0.05):
            yield record._replace(at=record.at + 0.4 / 3600)


def written(who: Resident, day: int, records: Sequence[Record]) -> Iterator[str]:
    """The lines of a day chain as a CASAS file holds them, with the file's own faults.

    The clock of the night in which it changes is the wall's: an hour is missing in spring, an hour comes twice in autumn.
    """
    draw = who.chance("file", day)
    midnight = datetime.combine(who.date(day), datetime.min.time())
    late = ""
    again: list[str] = []
    for record in records:
        moment = midnight + timedelta(microseconds=round(record.at * 3_600_000_000))
        if _skipped(moment):
            continue
        if again and moment.hour != 1:
            yield from again
            again = []
        if _repeated(moment):
            again.append(_line(record, moment + timedelta(seconds=7.31)))
        text = _line(record, moment)
        if not late and draw.flip(0.0008):
            late = text  # a line that comes after its successor
            continue
        yield text + late
        late = ""
        if draw.flip(0.0006):
            yield text  # a doubled line
        if draw.flip(0.0003):
            yield text.rpartition("\t")[0].rpartition("\t")[0] + "\n"  # a line that was cut
    yield "".join([late, *again])


def _line(record: Record, moment: datetime) -> str:
    stamp = moment.strftime("%Y-%m-%d %H:%M:%S.%f").rstrip("0")
    dot = "0" if stamp.endswith(".") else ""
    return f"{stamp}{dot}\t{record.sensor}\t{record.room}\t{record.room}\t{record.message}\t{record.sort}\n"


def _repeated(moment: datetime) -> bool:
    """Whether a moment comes twice: 01:00 to 02:00 of the first Sunday in November."""
    return (moment.month, moment.weekday(), moment.hour) == (11, 6, 1) and moment.day <= 7


def _skipped(moment: datetime) -> bool:
    """Whether the clock jumped over a moment: 02:00 to 03:00 of the second Sunday in March."""
    return (moment.month, moment.weekday(), moment.hour) == (3, 6, 2) and 8 <= moment.day <= 14
