"""A repository's timeline as its stream shows it: lanes by kind of event, bots apart, and where help was due."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
import pandas as pd
from matplotlib.dates import AutoDateLocator, ConciseDateFormatter
from matplotlib.lines import Line2D

from proactmem.core.events import CodeEvent
from proactmem.core.streams import Event
from proactmem.errors import InputError
from proactmem.report.style import GREY, INK, PAGE_WIDTH, Picture, house_style

__all__ = ["repository_figure", "repository_frame"]

_COLUMNS = ["time", "lane", "action", "object", "bot", "opportunity"]
_LANES = {
    "PushEvent": "pushes",
    "IssuesEvent": "issues",
    "IssueCommentEvent": "comments",
    "PullRequestEvent": "pull requests",
    "PullRequestReviewEvent": "reviews",
    "PullRequestReviewCommentEvent": "reviews",
    "PullRequestReviewThreadEvent": "reviews",
    "ReleaseEvent": "tags, releases",
    "CreateEvent": "tags, releases",
    "DeleteEvent": "tags, releases",
}
_OTHER = "other"
_ORDER = [*dict.fromkeys(_LANES.values()), _OTHER]
_COLOUR, _RING = "#0072B2", "#D55E00"


def repository_frame(events: Iterable[Event], opportunities: Mapping[str, bool] | None = None) -> pd.DataFrame:
    """Code events by time and kind.

    Args:
        events: One repository's stream.
        opportunities: y by event id, for a look afterwards; None without labels.

    Returns:
        Columns time (UTC), lane, action, object ("issue 12"), bot (a login that ends in [bot]), opportunity.

    Raises:
        InputError: An event of another scope.
    """
    rows = []
    for event in events:
        if not isinstance(event.public, CodeEvent):
            raise InputError(
                "the picture of a repository shows Code streams", field="scope", found=event.scope, expected="code",
                remedy="Use weeks_figure for Sports, home_day_figure for Home.",
            )  # fmt: skip
        public = event.public
        actor = public.attributes.get("actor")
        bot = isinstance(actor, str) and actor.endswith("[bot]")
        known = bool(opportunities and opportunities.get(event.event_id))
        number = "" if public.object.number is None else f" {public.object.number}"
        lane = _LANES.get(public.event.github_type, _OTHER)
        rows.append((event.tau.isoformat(), lane, public.event.action or "", f"{public.object.type}{number}", bot, known))
    return pd.DataFrame(rows, columns=_COLUMNS)


def repository_figure(frame: pd.DataFrame, *, title: str = "", width: float = PAGE_WIDTH) -> Picture:
    """Every event in the lane of its kind: a dot by a person, a grey cross by a bot, a ring at y = 1.

    Events of one moment are spread over the height of their lane by their order, so that none hides another.

    Args:
        frame: As `repository_frame` returns it.
        title: Above the axes, such as the repository's name.
        width: Inches.

    Raises:
        InputError: There is no event.
    """
    if frame.empty:
        raise InputError("a figure needs rows", found=0, expected="at least one event", remedy="Give a stream with events.")
    lanes = [lane for lane in _ORDER if lane in set(frame["lane"])]
    with house_style():
        fig = Picture(figsize=(width, 0.9 + 0.32 * len(lanes)), layout="constrained")
        ax = fig.subplots()
        x = pd.to_datetime(frame["time"], utc=True, format="ISO8601").dt.tz_localize(None).to_numpy()
        spread = (frame.groupby("lane").cumcount().to_numpy() * 0.382) % 0.62 - 0.31
        y = frame["lane"].map(lanes.index).to_numpy(dtype=float) + spread
        bots = frame["bot"].to_numpy(dtype=bool)
        ringed = frame["opportunity"].to_numpy(dtype=bool)
        handles = []
        if (~bots).any():
            ax.plot(x[~bots], y[~bots], ls="", marker="o", ms=3, mew=0, color=_COLOUR, alpha=0.8, clip_on=False)
            handles.append(Line2D([], [], ls="", marker="o", ms=4, mew=0, color=_COLOUR, label="by a person"))
        if bots.any():
            ax.plot(x[bots], y[bots], ls="", marker="x", ms=3, mew=0.7, color=GREY, clip_on=False)
            handles.append(Line2D([], [], ls="", marker="x", ms=3.5, color=GREY, label="by a bot"))
        if ringed.any():
            ax.plot(x[ringed], y[ringed], ls="", marker="o", ms=6.5, mfc="none", mec=_RING, mew=0.9, clip_on=False)
            handles.append(Line2D([], [], ls="", marker="o", ms=6.5, mfc="none", mec=_RING, label="reference: intervene"))
        ax.set_ylim(len(lanes) - 0.5, -0.5)
        ax.set_yticks(range(len(lanes)), lanes)
        ax.tick_params(axis="y", length=0)
        for border in np.arange(len(lanes) - 1) + 0.5:
            ax.axhline(border, color="#DDDDDD", lw=0.5)
        locator = AutoDateLocator(minticks=4, maxticks=9)  # type: ignore[no-untyped-call]  # matplotlib.dates is untyped
        ax.xaxis.set_major_locator(locator)
        ax.xaxis.set_major_formatter(ConciseDateFormatter(locator))  # type: ignore[no-untyped-call]
        ax.set_xlabel("Time (UTC)", color=INK)
        ax.set_title(title, loc="left")
        fig.legend(handles=handles, loc="outside upper right", ncols=len(handles))
    return fig
