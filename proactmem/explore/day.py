"""One local day under the glass: its events by decision, what S_t covers of it, and every window that could be due."""

from __future__ import annotations

import math
from typing import NamedTuple

from matplotlib.axes import Axes
from matplotlib.patches import Patch

from proactmem.explore.drawing import (
    DECISION_MARKS,
    HERE,
    RECENT,
    REGULARITY,
    Handle,
    Place,
    drawable,
    here,
    match_marks,
    named_lanes,
    picture,
    ring,
    window_bar,
)
from proactmem.explore.layers import Stretch, applied, layers_at, most_applied, stretches
from proactmem.explore.replayed import Moment, Replayed
from proactmem.report.style import GREY, PAGE_WIDTH, Picture, house_style

__all__ = ["day_figure", "day_text"]

_LANES = 8
"""Regularities drawn; the rest is counted below the axis."""
_SHORT = 6.0
"""Hours: a day whose events and windows take less is drawn over those hours alone."""
_TOLD = 30
"""Events of the day that are told in words."""


class _View(NamedTuple):
    """What a day's picture is drawn from."""

    replayed: Replayed
    here: int
    """Index of the event that is looked at."""
    moments: list[Moment]
    """Events of the day."""
    due: list[Stretch]
    """Regularities that were active or weakening on the day and apply on its weekday."""
    lanes: list[int]

    @property
    def more(self) -> int:
        """Regularities that are not drawn."""
        return max(len({one.number for one in self.due}) - len(self.lanes), 0)


def _view(replayed: Replayed, index: int) -> _View:
    day = replayed.events[index].day
    moments = [moment for moment in replayed.moments if moment.day == day]
    due = [one for one in stretches(replayed) if one.applies(day)]
    places, numbers = (moment.index for moment in moments), (one.number for one in due)
    return _View(replayed, index, moments, due, most_applied(replayed, index, places, numbers, _LANES))


def day_figure(replayed: Replayed, index: int, *, labelled: bool = True, width: float = PAGE_WIDTH) -> Picture:
    """The local day of one event: its events by decision, the part of it in S_t, and the day's windows by regularity.

    A regularity is drawn on a day on which it was active or weakening and applies; marks in its window say in which state it
    stood in R_t at an event. Events of one lane are spread over its height in their order, so that none hides another.

    Args:
        replayed: The stream.
        index: The event that is looked at.
        labelled: Whether to ring reference opportunities.
        width: Inches.
    """
    view = _view(replayed, index)
    event = replayed.events[index]
    with house_style():
        fig, axes = picture(width, [0.8, 0.17 * len(view.lanes)] if view.lanes else [0.8])
        handles = _decisions(axes[0], view, labelled=labelled)
        if view.lanes:
            handles += _windows(axes[1], view)
        for ax in axes:
            ax.axvline(event.span[1] / 3600, color=HERE, lw=0.6, zorder=1.5)
            ax.grid(axis="x")
        _hours_axis(axes[-1], view, width)
        title = drawable(f"{event.day:%A} {event.day}, {replayed.stream_id}, {replayed.method}", most=90)
        axes[0].set_title(title, loc="left", parse_math=False)
        fig.legend(handles=handles, loc="outside upper center", ncols=min(len(handles), 5 if width > 5 else 2))
    return fig


def day_text(replayed: Replayed, index: int, *, labelled: bool = True) -> str:
    """What the day's picture shows, in words, for those who do not see it."""
    view = _view(replayed, index)
    told = [
        f"event {moment.index} at {_clock(moment.hour)} {moment.decision}"
        + (" (reference: intervene)" if labelled and moment.opportunity else "")
        for moment in view.moments[:_TOLD]
    ]
    more = f", and {len(view.moments) - _TOLD} more" if len(view.moments) > _TOLD else ""
    due = ", ".join(f"R{one.number} {one.regularity.window_text}" for one in view.due)
    return (
        f"The local day {replayed.events[index].day}: {', '.join(told)}{more}. Windows of usable regularities: "
        f"{due or 'none'}. Event {index} is marked."
    )


def _clock(hour: float) -> str:
    minutes = int(hour * 60 + 1e-6)
    return f"{minutes // 60:02d}:{minutes % 60:02d}"


def _decisions(ax: Axes, view: _View, *, labelled: bool) -> list[Handle]:
    handles: list[Handle] = []
    event = view.replayed.events[view.here]
    recent = layers_at(view.replayed, view.here).recent
    if recent:
        oldest = view.replayed.events[recent.start]
        low = oldest.span[0] / 3600 if oldest.day == event.day else 0.0
        ax.axvspan(low, event.span[1] / 3600, color=RECENT, alpha=0.25, lw=0, zorder=0.3)
        handles.append(Patch(facecolor=RECENT, alpha=0.25, label="event memory S_t"))
    rows = list(DECISION_MARKS)[::-1]
    place = {
        moment.index: rows.index(moment.decision) + (number * 0.382) % 0.5 - 0.25 for number, moment in enumerate(view.moments)
    }
    spans = [moment for moment in view.moments if moment.hour > moment.start]
    heights, starts = [place[moment.index] for moment in spans], [moment.start for moment in spans]
    ax.hlines(heights, starts, [moment.hour for moment in spans], color=GREY, lw=0.8, zorder=1)
    for decision, style in DECISION_MARKS.items():
        own = [moment for moment in view.moments if moment.decision == decision]
        if own:  # an empty line that is not clipped would take part in the layout
            x, y = [moment.hour for moment in own], [place[moment.index] for moment in own]
            size, colour = style.size + 0.8, style.colour
            ax.plot(x, y, ls="", marker=style.marker, ms=size, color=colour, mew=0, clip_on=False, zorder=3)
    ringed = [moment for moment in view.moments if labelled and moment.opportunity]
    if ringed:
        handles.append(ring(ax, [moment.hour for moment in ringed], [place[moment.index] for moment in ringed]))
    handles.append(here(ax, event.span[1] / 3600, place[view.here], view.here))
    named_lanes(ax, rows)
    return handles


def _windows(ax: Axes, view: _View) -> list[Handle]:
    row_of = {number: row for row, number in enumerate(view.lanes)}
    for one in (one for one in view.due if one.number in row_of):
        low, high = one.hours
        window_bar(ax, row_of[one.number], low, high - low, one.status)
    found: dict[str, list[tuple[Place, int]]] = {}
    for moment in view.moments:
        for number, match in applied(view.replayed, moment.index):
            if number in row_of:
                found.setdefault(match.state, []).append((moment.hour, row_of[number]))
    named_lanes(ax, [f"R{number}" for number in view.lanes])
    return [Patch(facecolor=REGULARITY, alpha=0.45, label="its window"), *match_marks(ax, found, scale=1.1)]


def _hours_axis(ax: Axes, view: _View, width: float) -> None:
    """The whole day, or the hours that a short one takes; ticks at round clock times."""
    low = min([moment.start for moment in view.moments] + [one.hours[0] for one in view.due])
    high = max([moment.hour for moment in view.moments] + [one.hours[1] for one in view.due])
    if high - low >= _SHORT:
        low, high = 0.0, 24.0
    else:
        air = max(0.05 * (high - low), 1 / 60)
        low, high = max(low - air, 0.0), min(high + air, 24.0)
    ax.set_xlim(low, high)
    most = max(4, int(1.3 * width))
    minutes = next((step for step in (1, 2, 5, 10, 15, 30, 60, 180) if (high - low) * 60 / step <= most), 360)
    first, last = math.ceil(low * 60 / minutes - 1e-9), int(high * 60 / minutes + 1e-9)
    ticks = [number * minutes / 60 for number in range(first, last + 1)]
    ax.set_xticks(ticks, [_clock(tick) for tick in ticks])
    ax.set_xlabel("Local time" + (f"; regularities not drawn: {view.more}" if view.more else ""))
