"""The figures of the paper's form, each drawn from a frame of plain rows: layers, sensitivity and stream timeline."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from proactmem.errors import InputError
from proactmem.report.names import SCOPE_ORDER, method_rank, scope_name
from proactmem.report.published import published_layers
from proactmem.report.style import COLUMN_WIDTH, GREY, INK, PAGE_WIDTH, Picture, Saved, house_style, save_figure, series
from proactmem.report.tables import PUBLISHED_SCOPES, shown_name
from proactmem.score.intervals import Interval
from proactmem.score.metrics import Metric
from proactmem.score.scoring import RunScore

__all__ = [
    "Picture",
    "Saved",
    "house_style",
    "layer_figure",
    "layer_frame",
    "save_figure",
    "sensitivity_figure",
    "timeline_figure",
]

_LAYER_METRICS: tuple[Metric, ...] = ("effectiveness", "intrusion")
_LAYER_COLUMNS = ("scope", "method", "source", "metric", "value", "low", "high")


def layer_frame(scores: Sequence[RunScore], published: bool = True) -> pd.DataFrame:
    """Figure 4's data: effectiveness and intrusion in percent by scope and method, with intervals where there are any.

    Args:
        scores: Scores of the memory-layer variants.
        published: Whether to add the authors' values for the scopes and methods shown.

    Returns:
        Columns scope, method, source (ours or published), metric, value, low, high; not-a-number where undefined.
    """
    rows: list[tuple[object, ...]] = []
    for score in scores:
        for metric in _LAYER_METRICS:
            value, found = score.scores.of(metric), score.intervals.get(metric)
            low, high = (found.low * 100, found.high * 100) if isinstance(found, Interval) else (np.nan, np.nan)
            shown = np.nan if value is None else float(value * 100)
            rows.append((score.scope, shown_name(score), "ours", metric, shown, low, high))
    shown_methods = {row[1] for row in rows}
    for scope in sorted({score.scope for score in scores} & set(PUBLISHED_SCOPES) - {"overall"}) if published else ():
        for row in published_layers(scope):
            cells = [(metric, row.scores[metric]) for metric in _LAYER_METRICS if row.method in shown_methods]
            rows += [
                (scope, row.method, "published", metric, float(value * 100), np.nan, np.nan)
                for metric, value in cells
                if value is not None
            ]
    frame = pd.DataFrame(rows, columns=list(_LAYER_COLUMNS))
    order = [
        (SCOPE_ORDER.index(scope), method_rank(method), method, source, metric)
        for scope, method, source, metric in zip(frame["scope"], frame["method"], frame["source"], frame["metric"], strict=True)
    ]
    return frame.iloc[sorted(range(len(order)), key=order.__getitem__)].reset_index(drop=True)


def layer_figure(frame: pd.DataFrame, *, width: float = COLUMN_WIDTH) -> Picture:
    """Figure 4: effectiveness and intrusion of each memory layer, one row a scope; hollow marks are published.

    Args:
        frame: As `layer_frame` returns it.
        width: Inches.

    Raises:
        InputError: A column is missing, or there is no row.
    """
    _require(frame, _LAYER_COLUMNS)
    scopes = list(dict.fromkeys(frame["scope"]))
    methods = sorted(dict.fromkeys(frame["method"]), key=lambda name: (method_rank(name), name))
    step = 0.78 / len(methods)
    with house_style():
        fig = Picture(figsize=(width, 0.85 + (0.2 + 0.16 * len(methods)) * len(scopes)), layout="constrained")
        axes: list[Axes] = list(fig.subplots(1, 2, sharey=True))
        for ax, metric, arrow in zip(axes, _LAYER_METRICS, ("→ better", "← better"), strict=True):
            part = frame[frame["metric"] == metric]
            for index, method in enumerate(methods):
                look = series(index)
                for source, rows in part[part["method"] == method].groupby("source", sort=True):
                    hollow = source == "published"
                    shift = (index - (len(methods) - 1) / 2 + (0.33 if hollow else 0.0)) * step
                    place = np.array([scopes.index(scope) for scope in rows["scope"]]) + shift
                    value, low, high = (rows[name].to_numpy(dtype=float) for name in ("value", "low", "high"))
                    ax.hlines(place, low, high, color=look.colour, lw=1)
                    face, size = ("white", 3.2) if hollow else (look.colour, 4.0)
                    ax.plot(value, place, ls="", marker=look.marker, ms=size, mfc=face, mec=look.colour, mew=0.8)
            ax.set_xlabel(f"{scope_name(metric)} (%)\n{arrow}")
            ax.set_xlim(*_limits(part))
            ax.xaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10]))
            ax.grid(axis="x")
            ax.tick_params(axis="y", length=0)
        axes[0].set_yticks(range(len(scopes)), [scope_name(scope) for scope in scopes])
        axes[0].set_ylim(len(scopes) - 0.5, -0.5)
        for ax in axes:
            for edge in range(1, len(scopes)):
                ax.axhline(edge - 0.5, color="#BBBBBB", lw=0.5)
        _legend(fig, _layer_handles(methods, list(frame["source"])), columns=2 if width < PAGE_WIDTH else 4)
    return fig


def _layer_handles(methods: Sequence[str], sources: Sequence[str]) -> list[Line2D | Patch]:
    looks = [(method, series(index)) for index, method in enumerate(methods)]
    handles: list[Line2D | Patch] = [
        Line2D([], [], ls="", marker=look.marker, color=look.colour, label=method) for method, look in looks
    ]
    if "published" in sources:
        handles.append(Line2D([], [], ls="", marker="o", mfc="white", mec=INK, label="hollow: published"))
    return handles


def _limits(part: pd.DataFrame) -> tuple[float, float]:
    """The values and intervals with some air, within 0 to 100."""
    numbers = part[["value", "low", "high"]].to_numpy(dtype=float)
    if np.isnan(numbers).all():
        return 0.0, 100.0
    low, high = float(np.nanmin(numbers)), float(np.nanmax(numbers))
    air = max(0.08 * (high - low), 2.0)
    return max(low - air, -2.0), min(high + air, 102.0)


def sensitivity_figure(
    frame: pd.DataFrame,
    *,
    parameter: str,
    metric: str,
    unit: str = "",
    default: float | None = None,
    width: float = COLUMN_WIDTH,
) -> Picture:
    """One metric in percent over one parameter, a line and an interval band a series; a dotted rule at the default.

    Args:
        frame: Columns parameter, value, low, high (percent, not-a-number where undefined), and series for several.
        parameter: The parameter's name as the axis shows it.
        metric: The metric's name.
        unit: The parameter's unit, such as h.
        default: The published setting, marked by a dotted rule.
        width: Inches.

    Raises:
        InputError: A column is missing, or there is no row.
    """
    _require(frame, ("parameter", "value", "low", "high"))
    parts = list(frame.groupby("series", sort=False)) if "series" in frame else [("", frame)]
    with house_style():
        fig = Picture(figsize=(width, 2.2), layout="constrained")
        ax = fig.subplots()
        if default is not None:
            ax.axvline(default, color=GREY, lw=0.9, ls=":")
        for index, (_, rows) in enumerate(parts):
            look, ordered = series(index), rows.sort_values("parameter", kind="stable")
            x, low, high = (ordered[name].to_numpy(dtype=float) for name in ("parameter", "low", "high"))
            ax.fill_between(x, low, high, color=look.colour, alpha=0.15, lw=0)
            ax.plot(x, ordered["value"].to_numpy(dtype=float), color=look.colour, marker=look.marker, ls=look.line)
        ax.set_xlabel(f"{parameter} ({unit})" if unit else parameter)
        ax.set_ylabel(f"{scope_name(metric)} (%)")
        ax.xaxis.set_major_locator(MaxNLocator(6, steps=[1, 2, 5, 10]))
        ax.yaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10]))
        ax.grid(axis="y")
        handles: list[Line2D | Patch] = []
        if len(parts) > 1:
            looks = [(str(name), series(index)) for index, (name, _) in enumerate(parts)]
            handles += [Line2D([], [], color=k.colour, marker=k.marker, ls=k.line, label=name) for name, k in looks]
        if default is not None:
            handles.append(Line2D([], [], color=GREY, lw=0.9, ls=":", label=f"default {default:g} {unit}".strip()))
        _legend(fig, handles, columns=4)
    return fig


_BAND = "#009E73"
_HALF_DAY = np.timedelta64(12, "h")
_DECISIONS = {
    "abstain": (GREY, "o", 2.0, "abstain"),
    "suppressed": ("#E69F00", "s", 3.4, "suppressed"),
    "intervene": ("#0072B2", "D", 3.6, "intervene"),
}


def timeline_figure(
    events: pd.DataFrame, windows: pd.DataFrame | None = None, *, title: str = "", width: float = PAGE_WIDTH
) -> Picture:
    """A stream day by day: every event at its local hour, by decision; rings are opportunities, bands windows.

    Args:
        events: Columns day (date), hour (0 to 24, local), decision (intervene, suppressed or abstain), and
            opportunity (True for a reference intervention; absent or missing without labels).
        windows: Active regularities: first_day, last_day (dates, inclusive), start_hour, end_hour.
        title: Above the axes, such as the stream id.
        width: Inches.

    Raises:
        InputError: A column is missing, there is no event, or a decision is none of the three.
    """
    _require(events, ("day", "hour", "decision"))
    unknown = sorted(set(events["decision"]) - set(_DECISIONS))
    if unknown:
        raise InputError(
            "a decision on the timeline", field="decision", found=unknown, expected=f"one of {list(_DECISIONS)!r}",
            remedy="Give suppressed proposals as 'suppressed'.",
        )  # fmt: skip
    with house_style():
        fig = Picture(figsize=(width, 2.6), layout="constrained")
        ax = fig.subplots()
        handles = _bands(ax, windows)
        x = pd.to_datetime(events["day"]).to_numpy()
        y = events["hour"].to_numpy(dtype=float)
        decisions = events["decision"].to_numpy()
        for decision, (colour, marker, size, label) in _DECISIONS.items():
            chosen = decisions == decision
            if chosen.any():
                ax.plot(x[chosen], y[chosen], ls="", marker=marker, ms=size, color=colour, mew=0, clip_on=False)
                handles.append(Line2D([], [], ls="", marker=marker, ms=max(size, 3.5), color=colour, mew=0, label=label))
        if "opportunity" in events:
            ringed = np.array([not pd.isna(value) and bool(value) for value in events["opportunity"]])
            if ringed.any():
                ax.plot(x[ringed], y[ringed], ls="", marker="o", ms=7, mfc="none", mec=INK, mew=0.7, clip_on=False)
                handles.append(Line2D([], [], ls="", marker="o", ms=7, mfc="none", mec=INK, mew=0.7, label="opportunity"))
        ax.set_ylim(0, 24)
        ax.set_yticks(range(0, 25, 6))
        ax.set_ylabel("Local time (h)")
        ax.set_xlim(x.min() - _HALF_DAY, x.max() + _HALF_DAY)
        days = _spaced(x.min(), x.max(), most=max(2, int(1.4 * width)))
        ax.set_xticks(days, [f"{day:%d %b}" for day in days])
        years = sorted({str(day)[:4] for day in (x.min(), x.max())})
        ax.set_xlabel(f"Local day ({'–'.join(years)})")
        ax.grid(axis="y")
        ax.set_title(title, loc="left")
        _legend(fig, handles, columns=5 if width > 1.5 * COLUMN_WIDTH else 2)
    return fig


def _bands(ax: Axes, windows: pd.DataFrame | None) -> list[Line2D | Patch]:
    """Windows as translucent bands: overlapping ones darken."""
    if windows is None or windows.empty:
        return []
    _require(windows, ("first_day", "last_day", "start_hour", "end_hour"))
    first, last = (pd.to_datetime(windows[name]).to_numpy() for name in ("first_day", "last_day"))
    for left, right, start, end in zip(first, last, windows["start_hour"], windows["end_hour"], strict=True):
        ax.fill_between([left - _HALF_DAY, right + _HALF_DAY], start, end, color=_BAND, alpha=0.18, lw=0, zorder=0.5)
    return [Patch(facecolor=_BAND, alpha=0.18, label="active regularity window")]


def _spaced(first: np.datetime64, last: np.datetime64, most: int) -> pd.DatetimeIndex:
    """At most `most` days at equal steps from the first; steps above a week are whole weeks."""
    span = int((last - first) / np.timedelta64(1, "D")) + 1
    step = math.ceil(span / most)
    return pd.date_range(first, last, freq=f"{step if step <= 7 else 7 * math.ceil(step / 7)}D")


def _legend(fig: Figure, handles: Sequence[Line2D | Patch], columns: int) -> None:
    """The legend outside the axes, above them, so that it never lies over data."""
    if handles:
        fig.legend(handles=list(handles), loc="outside upper center", ncols=min(columns, len(handles)))


def _require(frame: pd.DataFrame, columns: Sequence[str]) -> None:
    missing = [name for name in columns if name not in frame]
    if missing or frame.empty:
        raise InputError(
            "a figure needs rows", field=", ".join(missing) or None, found=(len(frame), list(frame)),
            expected=f"columns {list(columns)!r} and at least one row", remedy="Give the missing columns.",
        )  # fmt: skip
