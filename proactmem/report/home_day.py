"""A home's day by room as its segments show it: activations, doors, devices that stayed on, and where help was due."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date
from typing import NamedTuple

import numpy as np
import pandas as pd
from matplotlib.colors import LogNorm

from proactmem.core.events import HomeEvent
from proactmem.core.streams import Event
from proactmem.errors import InputError
from proactmem.report.style import GREY, INK, PAGE_WIDTH, Picture, house_style

__all__ = ["home_day_figure", "home_day_frame"]

_COLUMNS = ["day", "start", "end", "what", "place", "activations", "opportunity"]
_DOOR, _DEVICE, _SEGMENT = "door", "device", "segment"
_LANE = 2
"""Rows left free between the rooms and the doors and devices."""


def home_day_frame(events: Iterable[Event], day: date, opportunities: Mapping[str, bool] | None = None) -> pd.DataFrame:
    """One local day of a home: a row a segment, one a room with activations in it, one a door action, one a device.

    Args:
        events: The home's stream.
        day: The local day.
        opportunities: y by event id, for a look afterwards; None without labels.

    Returns:
        Columns day, start and end (hours; equal for a door action), what (segment, room, door, device), place, activations,
        opportunity (of a segment).

    Raises:
        InputError: An event of another scope.
    """
    rows: list[tuple[object, ...]] = []
    for event in events:
        if not isinstance(event.public, HomeEvent):
            raise InputError(
                "the picture of a home's day shows Home streams", field="scope", found=event.scope, expected="home",
                remedy="Use weeks_figure for Sports, repository_figure for Code.",
            )  # fmt: skip
        if event.day != day:
            continue
        public, (low, high) = event.public, (second / 3600 for second in event.span)
        known = bool(opportunities and opportunities.get(event.event_id))
        rows.append((day.isoformat(), low, high, _SEGMENT, "", public.motion.activation_count, known))
        rows += [
            (day.isoformat(), low, high, "room", room, count, False)
            for room, count in sorted(public.motion.location_counts.items())
            if count
        ]
        for action in public.door_actions:
            at = low if action.time is None else _hour(action.time)
            rows.append((day.isoformat(), at, at, _DOOR, f"{action.location} {action.action.lower()}", 1, False))
        devices = sorted(
            {f"{device.sensor}{f' ({device.location})' if device.location else ''}" for device in public.other_actions}
        )
        rows += [(day.isoformat(), low, high, _DEVICE, device, 1, False) for device in devices]
    return pd.DataFrame(rows, columns=_COLUMNS)


def _hour(clock: str) -> float:
    hours, minutes, seconds = (*(float(part) for part in clock.split(":")), 0.0)[:3]
    return hours + minutes / 60 + seconds / 3600


class _Mark(NamedTuple):
    start: float
    end: float
    what: str
    place: str
    activations: int


def _marks(frame: pd.DataFrame) -> list[_Mark]:
    return [_Mark(*row) for row in frame[list(_Mark._fields)].itertuples(index=False, name=None)]


def home_day_figure(frame: pd.DataFrame, *, title: str = "", width: float = PAGE_WIDTH) -> Picture:
    """Rooms over the hours of a day, darker with more activations; doors and devices below; a triangle where help was due.

    Args:
        frame: As `home_day_frame` returns it.
        title: Above the axes, such as stream and day.
        width: Inches.

    Raises:
        InputError: There is no segment.
    """
    segments = frame[frame["what"] == _SEGMENT]
    if segments.empty:
        raise InputError("a figure needs rows", found=0, expected="at least one segment", remedy="Name a day of the stream.")
    rooms = frame[frame["what"] == "room"]
    totals = rooms.groupby("place")["activations"].sum()
    names = sorted(totals.index, key=lambda name: (-totals[name], name))
    rest = frame[frame["what"].isin([_DOOR, _DEVICE])]
    doors = {f"door: {str(place).rsplit(' ', 1)[0]}" for place in rest.loc[rest["what"] == _DOOR, "place"]}
    lanes = [*sorted(doors), *sorted(rest.loc[rest["what"] == _DEVICE, "place"].unique())]
    height = 1.0 + 0.17 * (max(len(names), 1) + len(lanes) + (_LANE if lanes else 0) * 0.5)
    with house_style():
        fig = Picture(figsize=(width, height), layout="constrained")
        ax = fig.subplots()
        where = {name: row for row, name in enumerate(names)} | {name: row + len(names) + 0.5 for row, name in enumerate(lanes)}
        edges = sorted({*segments["start"], *segments["end"]})
        grid = np.full((max(len(names), 1), len(edges) - 1), np.nan)
        for room in _marks(rooms):
            grid[names.index(room.place), edges.index(room.start)] = room.activations
        most = max(float(rooms["activations"].max()) if not rooms.empty else 1.0, 2.0)
        mesh = ax.pcolormesh(
            edges, np.arange(len(grid) + 1) - 0.5, np.ma.masked_invalid(grid), cmap="Blues", norm=LogNorm(1, most),
            edgecolors="white", linewidth=0.4,
        )  # fmt: skip
        for mark in _marks(rest):
            if mark.what == _DEVICE:
                ax.barh(where[mark.place], mark.end - mark.start, left=mark.start, height=0.5, color=GREY, lw=0)
            else:
                door, action = mark.place.rsplit(" ", 1)
                filled = INK if action in ("open", "on") else "white"
                ax.plot(
                    [mark.start],
                    [where[f"door: {door}"]],
                    ls="",
                    marker="s",
                    ms=3,
                    mfc=filled,
                    mec=INK,
                    mew=0.6,
                    zorder=3 + (filled == INK),
                    clip_on=False,
                )
        due = segments.loc[segments["opportunity"].astype(bool), "end"]
        if not due.empty:
            ax.plot(
                due,
                np.full(len(due), -1.0),
                ls="",
                marker="v",
                ms=5,
                color="#D55E00",
                clip_on=False,
                label="reference: intervene",
            )
            fig.legend(loc="outside upper right")
        ax.set_ylim(len(names) + (len(lanes) + 0.5 if lanes else 0) - 0.4, -1.4)
        ax.set_yticks(list(where.values()), list(where))
        ax.tick_params(axis="y", length=0)
        ax.set_xlim(0, 24)
        ax.set_xticks(range(0, 25, 3))
        below = "; below: doors (filled: opened) and devices that acted or stayed on" if lanes else ""
        ax.set_xlabel(f"Local time (h); a cell is a segment{below}")
        ax.set_title(title, loc="left")
        bar = fig.colorbar(mesh, ax=ax, label="Activations", pad=0.01, fraction=0.03, ticks=[1, int(most)], format="%d")
        bar.minorticks_off()
    return fig
