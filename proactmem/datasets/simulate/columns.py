"""The 86 columns of HeartSteps ``suggestions.csv`` in the original text format.

Times are UTC without a zone, booleans True, False or empty, floats carry their point, counts with missing set to
zero are whole numbers, and what was not measured is an empty cell.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta

from proactmem.datasets.simulate.clock import etc_name, utc_text
from proactmem.datasets.simulate.devices import Reading
from proactmem.datasets.simulate.observe import Sight
from proactmem.datasets.simulate.people import Person
from proactmem.datasets.simulate.treatment import Treatment

__all__ = ["COLUMNS", "Stamp", "cells"]

_CONTEXT = ("city", "location.exact", "location.category", "weather.condition", "temperature", "windspeed")
_CONTEXT_ALL = (*_CONTEXT, "precipitation.chance", "snow")
COLUMNS = (
    "user.index",
    "decision.index",
    "decision.index.nogap",
    *(f"sugg.select.{name}" for name in ("utime", "slot", "update")),
    "sugg.tz",
    "sugg.gmtoff",
    "sugg.decision.utime",
    "sugg.decision.slot",
    *(f"sugg.{name}" for name in ("context.utime", "response.utime", "device.utime", "device.since")),
    "interaction.count",
    "connect",
    "is.randomized",
    "snooze.status",
    "intransit",
    "avail",
    *("send", "send.active", "send.sedentary", "is.prefetch"),
    *("recognized.activity", "recognized.activity.response"),
    *(f"tag.{name}" for name in ("active", "indoor", "outdoor", "outdoor_snow")),
    *("front.end.application", "returned.message", "response"),
    *(f"dec.{name}" for name in _CONTEXT_ALL),
    *(f"response.{name}" for name in _CONTEXT_ALL),
    *(f"jb{what}{span}" for span in (10, 40, 30, 60, 90, 120) for what in ("mins", "steps")),
    *(f"jbsteps{span}.zero" for span in (10, 30, 40, 60, 90, 120)),
    *(f"jb{what}{span}pre" for span in (30, 40, 60) for what in ("mins", "steps")),
    *(f"jbsteps{span}pre.zero" for span in (30, 40, 60)),
    *(f"gf{what}{span}" for span in (10, 30, 60) for what in ("mins", "steps")),
    *(f"gf{what}{span}pre" for span in (30, 60) for what in ("mins", "steps")),
)
"""The column names in the order of the real file."""


@dataclass(frozen=True, slots=True)
class Stamp:
    """Row facts that depend on the rows before: the travel-free index and a decision time that lost its seconds."""

    nogap: int | None
    """decision.index.nogap; None on marked travel days."""
    late: int
    """Seconds to add to the stated decision time; negative when the record states it too early."""


def _readings(prefix: str, suffix: str, readings: Mapping[int, Reading] | None) -> dict[str, str]:
    found: dict[str, str] = {}
    for span, reading in (readings or {}).items():
        found[f"{prefix}mins{span}{suffix}"] = f"{reading.minutes}.0"
        found[f"{prefix}steps{span}{suffix}"] = f"{reading.steps}.0"
    return found


def cells(person: Person, sight: Sight, treatment: Treatment, stamp: Stamp) -> list[str]:
    """One row of the raw file as text, in the order of :data:`COLUMNS`."""
    sent = treatment.sent
    row: dict[str, str] = {
        "user.index": str(sight.participant),
        "decision.index": str(sight.index),
        "decision.index.nogap": "" if stamp.nogap is None else f"{stamp.nogap}.0",
        "sugg.select.slot": str(sight.slot),
        "sugg.select.update": person.slot_update(sight.slot, sight.day).isoformat(),
        "connect": str(sight.connected),
        "avail": str(sight.available),
        "send.active": str(sent == "active"),
        "send.sedentary": str(sent == "sedentary"),
        **_readings("jb", "", sight.jawbone_after),
        **_readings("jb", "pre", sight.jawbone_before),
        **_readings("gf", "", sight.fit_after),
        **_readings("gf", "pre", sight.fit_before),
    }
    for name in COLUMNS:
        if name.endswith(".zero"):
            row[name] = row.get(name.removesuffix(".zero"), "0.0").removesuffix(".0")
    if sight.lost:
        return [row.get(name, "") for name in COLUMNS]
    row["sugg.select.utime"] = utc_text(sight.date, sight.planned, sight.offset)
    row["sugg.gmtoff"] = f"{sight.offset}.0"
    row["sugg.decision.utime"] = utc_text(sight.date, sight.second + stamp.late, sight.offset)
    if treatment.used is not None:
        used = sight.second - treatment.used
        row["sugg.device.utime"] = utc_text(sight.date - timedelta(days=1), used + 86400, sight.offset) + ".0"
        row["sugg.device.since"] = f"{treatment.used / 3600:.9f}".rstrip("0").rstrip(".")
    if sight.connected:
        row |= _connected(sight, treatment)
    return [row.get(name, "") for name in COLUMNS]


def _connected(sight: Sight, treatment: Treatment) -> dict[str, str]:
    around = sight.around
    context = (
        around.city,
        around.exact,
        around.category,
        around.condition,
        around.temperature,
        around.wind,
        around.rain,
        around.snow,
    )
    row = {
        "sugg.tz": etc_name(sight.offset),
        "sugg.decision.slot": f"{sight.real_slot}.0",
        "sugg.context.utime": utc_text(sight.date, sight.second - (1800 if sight.prefetch else 0), sight.offset),
        "is.randomized": str(treatment.coin),
        "snooze.status": str(sight.snoozed),
        "intransit": str(sight.in_transit),
        "send": str(treatment.sent is not None),
        "is.prefetch": str(sight.prefetch),
        "recognized.activity": sight.activity,
        "front.end.application": treatment.application,
        "returned.message": treatment.message,
        **{f"dec.{name}": cell for name, cell in zip(_CONTEXT_ALL, context, strict=True)},
    }
    if treatment.tags is not None:
        names = ("active", "indoor", "outdoor", "outdoor_snow")
        row |= {f"tag.{name}": str(tag) for name, tag in zip(names, treatment.tags, strict=True)}
    if treatment.response is not None:
        minute = (sight.second + treatment.response_after) // 60 * 60
        row |= {
            "sugg.response.utime": utc_text(sight.date, minute, sight.offset),
            "interaction.count": f"{treatment.taps}.0",
            "response": treatment.response,
            "recognized.activity.response": treatment.activity_after,
            **{f"response.{name}": cell for name, cell in zip(_CONTEXT_ALL, context, strict=True)},
        }
    return row
