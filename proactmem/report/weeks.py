"""A participant's weeks as the streams show them: when events came, how much walking preceded them, what was planted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
import pandas as pd
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from proactmem.core.events import SportsEvent
from proactmem.core.streams import Event
from proactmem.errors import InputError
from proactmem.report.style import GREY, INK, PAGE_WIDTH, Picture, house_style

__all__ = ["weeks_figure", "weeks_frame"]

_COLOURS = {"available": "#0072B2", "not available": "#E69F00"}
_COLUMNS = ["day", "hour", "available", "steps", "opportunity"]


def weeks_frame(events: Iterable[Event], opportunities: Mapping[str, bool] | None = None) -> pd.DataFrame:
    """Sports events by local day and hour with availability and the steps of the hour before, as the wristband counted.

    Args:
        events: One participant's stream.
        opportunities: y by event id, for a look afterwards; None without labels.

    Returns:
        Columns day, hour, available, steps (not-a-number where the wristband was off, never 0), opportunity.

    Raises:
        InputError: An event of another scope.
    """
    rows = []
    for event in events:
        if not isinstance(event.public, SportsEvent):
            raise InputError(
                "the weeks figure shows Sports streams", field="scope", found=event.scope, expected="sports",
                remedy="Use timeline_figure for other scopes.",
            )  # fmt: skip
        payload = event.public.observable_payload
        known = bool(opportunities and opportunities.get(event.event_id))
        steps = np.nan if payload.jawbone_steps_pre60 is None else float(payload.jawbone_steps_pre60)
        rows.append((event.day.isoformat(), event.span[1] / 3600, bool(payload.available), steps, known))
    return pd.DataFrame(rows, columns=_COLUMNS)


def weeks_figure(frame: pd.DataFrame, *, title: str = "", width: float = PAGE_WIDTH) -> Picture:
    """Every decision point at its local hour: area by steps, colour by availability, a cross without a count, a ring at y = 1.

    Args:
        frame: As `weeks_frame` returns it.
        title: Above the axes, such as the stream id.
        width: Inches.

    Raises:
        InputError: There is no event.
    """
    if frame.empty:
        raise InputError("a figure needs rows", found=0, expected="at least one event", remedy="Give a stream with events.")
    with house_style():
        fig = Picture(figsize=(width, 2.6), layout="constrained")
        ax = fig.subplots()
        x, y = pd.to_datetime(frame["day"]).to_numpy(), frame["hour"].to_numpy(dtype=float)
        steps, free = frame["steps"].to_numpy(dtype=float), frame["available"].to_numpy(dtype=bool)
        handles: list[Line2D | Patch] = []
        counted = ~np.isnan(steps)
        for label, chosen in (("available", free), ("not available", ~free)):
            colour, mask = _COLOURS[label], chosen & counted
            ax.scatter(x[mask], y[mask], s=3 + steps[mask] / 30, color=colour, alpha=0.75, lw=0, clip_on=False)
            ax.plot(x[chosen & ~counted], y[chosen & ~counted], ls="", marker="x", ms=3.5, color=colour, clip_on=False)
            handles.append(Line2D([], [], ls="", marker="o", ms=4, color=colour, mew=0, label=label))
        handles.append(Line2D([], [], ls="", marker="x", ms=3.5, color=GREY, label="no step count"))
        ringed = frame["opportunity"].to_numpy(dtype=bool)
        if ringed.any():
            ax.plot(x[ringed], y[ringed], ls="", marker="o", ms=9, mfc="none", mec=INK, mew=0.7, clip_on=False)
            handles.append(Line2D([], [], ls="", marker="o", ms=7, mfc="none", mec=INK, mew=0.7, label="reference: intervene"))
        ax.set_ylim(0, 24)
        ax.set_yticks(range(0, 25, 6))
        ax.set_ylabel("Local time (h)")
        days = pd.date_range(x.min(), x.max(), freq="7D")
        ax.set_xticks(days, [f"{day:%a %d %b}" for day in days])
        ax.set_xlabel(f"Local day ({days[0]:%Y}); area: steps in the hour before")
        ax.grid(axis="both")
        ax.set_title(title, loc="left")
        fig.legend(handles=handles, loc="outside upper center", ncols=len(handles))
    return fig
