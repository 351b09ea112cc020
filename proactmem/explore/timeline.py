"""A stream day by day with its memory below: decisions, references and windows above, what memory kept underneath."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from datetime import date, timedelta
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from proactmem.explore.drawing import (
    DECISION_MARKS,
    HERE,
    RECENT,
    REGULARITY,
    Handle,
    Place,
    drawable,
    handle,
    here,
    match_marks,
    named_lanes,
    picture,
    ring,
    window_bar,
)
from proactmem.explore.layers import Layers, Stretch, applied, cycle_days, layers_at, most_applied, stretches
from proactmem.explore.replayed import Moment, Replayed
from proactmem.report.style import GREY, INK, PAGE_WIDTH, Picture, house_style

__all__ = ["Shown", "shown_days", "timeline_figure", "timeline_text"]

_LANES = 8
"""Regularities drawn; the rest is counted below the axis."""


class Shown(NamedTuple):
    """The local days a picture shows, both inclusive."""

    first: date
    last: date

    def holds(self, day: date) -> bool:
        """Whether the day is shown."""
        return self.first <= day <= self.last

    def between(self, first: date, last: date) -> Iterator[date]:
        """The shown days from `first` to `last`."""
        day = max(first, self.first)
        while day <= min(last, self.last):
            yield day
            day += timedelta(days=1)


class _View(NamedTuple):
    """What a timeline is drawn from."""

    replayed: Replayed
    here: int
    """Index of the event that is looked at."""
    shown: Shown
    moments: list[Moment]
    """Events of the days shown."""
    layers: Layers
    life: list[Stretch]
    """Stretches of regularities in the days shown."""
    lanes: list[int]


def shown_days(replayed: Replayed, index: int, days: int = 0) -> Shown:
    """The page of `days` local days that holds the event at `index`, counted from the stream's first; 0 for all of them.

    Pages do not move with the event, so that the picture stands still while one goes through a page.
    """
    first, last = replayed.events[0].day, replayed.events[-1].day
    if days <= 0 or (last - first).days < days:
        return Shown(first, last)
    start = first + timedelta(days=(replayed.events[index].day - first).days // days * days)
    return Shown(start, min(start + timedelta(days=days - 1), last))


def timeline_figure(
    replayed: Replayed, index: int, *, days: int = 0, labelled: bool = True, width: float = PAGE_WIDTH
) -> Picture:
    """Every event at its local day and hour, by decision; rings are references, bands windows, the blue what S_t covers.

    Below: the daily records (filled: segments were accepted; dark: in W_t at the event), dotted where a cycle closed, and the
    regularities by number, solid while active, hatched while weakening, with the states in which they were applied.

    Args:
        replayed: The stream.
        index: The event that is looked at.
        days: Local days a page; 0 for the whole stream.
        labelled: Whether to ring reference opportunities.
        width: Inches.
    """
    view = _view(replayed, index, days)
    rows = bool(replayed.days) + len(view.lanes)
    with house_style():
        fig, axes = picture(width, [1.9, 0.15 * rows] if rows else [1.9])
        handles = _decisions(axes[0], view, labelled=labelled)
        if rows:
            handles += _memory(axes[1], view)
        _days_axis(axes[-1], view, width)
        axes[0].set_title(drawable(f"{replayed.stream_id}, {replayed.method}", most=90), loc="left", parse_math=False)
        fig.legend(handles=handles, loc="outside upper center", ncols=min(len(handles), 5 if width > 5 else 2))
    return fig


def timeline_text(replayed: Replayed, index: int, *, days: int = 0, labelled: bool = True) -> str:
    """What the timeline shows, in words, for those who do not see it."""
    view = _view(replayed, index, days)
    counts = Counter(moment.decision for moment in view.moments)
    found = ", ".join(f"{counts[name]} {name}" for name in DECISION_MARKS)
    known = sum(moment.opportunity is True for moment in view.moments)
    references = f" {known} reference opportunities are ringed." if labelled and replayed.labels else ""
    return (
        f"Timeline of {replayed.stream_id} under {replayed.method}, {view.shown.first} to {view.shown.last}: "
        f"{len(view.moments)} events ({found}).{references} Event {index} on {replayed.events[index].day} is marked."
    )


def _view(replayed: Replayed, index: int, days: int) -> _View:
    shown = shown_days(replayed, index, days)
    moments = [moment for moment in replayed.moments if shown.holds(moment.day)]
    life = [one for one in stretches(replayed) if one.first <= shown.last and one.last >= shown.first]
    places, numbers = (moment.index for moment in moments), (one.number for one in life)
    lanes = most_applied(replayed, index, places, numbers, _LANES)
    return _View(replayed, index, shown, moments, layers_at(replayed, index), life, lanes)


def _place(day: date, hour: float = 12.0) -> Place:
    """The place of a day (or of an hour in it) on the axis of days; a day's events stand at its noon."""
    return np.datetime64(day, "m") + np.timedelta64(round(hour * 60), "m")


def _decisions(ax: Axes, view: _View, *, labelled: bool) -> list[Handle]:
    handles: list[Handle] = []
    if len(view.layers.recent):
        _cover(ax, view)
        handles.append(Patch(facecolor=RECENT, alpha=0.25, label="event memory S_t"))
    if _bands(ax, view):
        handles.append(Patch(facecolor=REGULARITY, alpha=0.3, label="window of a usable regularity"))
    for decision, style in DECISION_MARKS.items():
        own = [moment for moment in view.moments if moment.decision == decision]
        if own:
            x, y = [_place(moment.day) for moment in own], [moment.hour for moment in own]
            ax.plot(x, y, ls="", marker=style.marker, ms=style.size, color=style.colour, mew=0, clip_on=False)
            handles.append(handle(style, decision))
    ringed = [moment for moment in view.moments if labelled and moment.opportunity]
    if ringed:
        handles.append(ring(ax, [_place(moment.day) for moment in ringed], [moment.hour for moment in ringed]))
    event = view.replayed.events[view.here]
    ax.axvline(_place(event.day), color=HERE, lw=0.6, zorder=1.5)
    handles.append(here(ax, _place(event.day), event.span[1] / 3600, view.here))
    ax.set_ylim(0, 24)
    ax.set_yticks(range(0, 25, 6))
    ax.set_ylabel("Local time (h)")
    ax.grid(axis="y")
    return handles


def _cover(ax: Axes, view: _View) -> None:
    """Event memory reaches from its oldest event to now, day by day."""
    oldest, now = view.replayed.events[view.layers.recent.start], view.replayed.events[view.here]
    for day in view.shown.between(oldest.day, now.day):
        low = oldest.span[1] / 3600 if day == oldest.day else 0.0
        high = now.span[1] / 3600 if day == now.day else 24.0
        ax.fill_between([_place(day, 0), _place(day, 24)], low, high, color=RECENT, alpha=0.25, lw=0, zorder=0.5)


def _bands(ax: Axes, view: _View) -> bool:
    """One band a run of days and distinct window; where several regularities share it, it is drawn once."""
    days_of: dict[tuple[float, float], set[date]] = {}
    for one in view.life:
        shown = (day for day in view.shown.between(one.first, one.last) if one.applies(day))
        days_of.setdefault(one.hours, set()).update(shown)
    for (low, high), days in sorted(days_of.items()):
        starts = sorted(day for day in days if day - timedelta(days=1) not in days)
        ends = sorted(day for day in days if day + timedelta(days=1) not in days)
        for first, last in zip(starts, ends, strict=True):
            ax.fill_between([_place(first, 0), _place(last, 24)], low, high, color=REGULARITY, alpha=0.18, lw=0, zorder=0.6)
    return any(days_of.values())


def _memory(ax: Axes, view: _View) -> list[Handle]:
    replayed, shown = view.replayed, view.shown
    handles = _records(ax, view)
    closed = [day for day in cycle_days(replayed) if shown.holds(day)]
    for day in closed:
        ax.axvline(_place(day, 24), color=GREY, lw=0.8, ls=":")
    if closed:
        handles.append(Line2D([], [], color=GREY, lw=0.8, ls=":", label="cycle closed"))
    row_of = {number: row for row, number in enumerate(view.lanes, start=int(bool(replayed.days)))}
    for one in (one for one in view.life if one.number in row_of):
        low, high = _place(max(one.first, shown.first), 0), _place(min(one.last, shown.last), 24)
        window_bar(ax, row_of[one.number], low, high - low, one.status)
    found: dict[str, list[tuple[Place, int]]] = {}
    for moment in view.moments:
        for number, match in applied(replayed, moment.index):
            if number in row_of:
                found.setdefault(match.state, []).append((_place(moment.day, moment.hour), row_of[number]))
    handles += match_marks(ax, found, scale=0.8)
    ax.axvline(_place(replayed.events[view.here].day), color=HERE, lw=0.6)
    named_lanes(ax, (["daily records"] if replayed.days else []) + [f"R{number}" for number in view.lanes])
    return handles


def _records(ax: Axes, view: _View) -> list[Handle]:
    """Daily records in the first lane: filled with accepted segments, a cross for a reply that could not be read."""
    current = {record.record_id for record in view.layers.open_cycle} if view.layers.segments else set()
    looks: dict[tuple[str, str, str], list[Place]] = {}
    for record in (record for record in view.replayed.days if view.shown.holds(record.day)):
        colour = INK if record.record_id in current else "#AAAAAA"
        look = (colour, colour if record.segments else "white", "x" if record.outcome == "unusable" else "s")
        looks.setdefault(look, []).append(_place(record.day))
    for (colour, face, marker), places in looks.items():
        ax.plot(places, [0] * len(places), ls="", marker=marker, ms=3.2, mfc=face, mec=colour, mew=0.7)
    return [Line2D([], [], ls="", marker="s", ms=3.5, color=INK, mew=0, label="daily record in W_t")] if current else []


def _days_axis(ax: Axes, view: _View, width: float) -> None:
    first, last = view.shown
    count = (last - first).days + 1
    ax.set_xlim(_place(first, 0), _place(last, 24))
    step = math.ceil(count / max(2, int(1.4 * width)))
    step = step if step <= 7 else 7 * math.ceil(step / 7)
    ticks = [first + timedelta(days=number) for number in range(0, count, step)]
    ax.set_xticks([_place(day) for day in ticks], [f"{day:%d %b}" for day in ticks])
    years = "–".join(map(str, sorted({first.year, last.year})))
    more = len({one.number for one in view.life}) - len(view.lanes)
    ax.set_xlabel(f"Local day ({years})" + (f"; regularities not drawn: {more}" if more > 0 else ""))
