"""How the explorer's pictures look: one mark a decision, one a match state, told apart without colour too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from matplotlib import font_manager
from matplotlib.axes import Axes
from matplotlib.ft2font import FT2Font
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from proactmem.report.style import GREY, INK, Picture

__all__ = [
    "DECISION_MARKS",
    "HERE",
    "MATCH_MARKS",
    "RECENT",
    "REGULARITY",
    "Handle",
    "MarkStyle",
    "Place",
    "drawable",
    "handle",
    "here",
    "match_marks",
    "named_lanes",
    "picture",
    "ring",
    "window_bar",
]

Handle = Line2D | Patch
Place = Any
"""A place on an axis: a number, or an instant where the axis is of days."""
REGULARITY = "#009E73"
"""Regularities, their windows and matches."""
RECENT = "#56B4E9"
"""What event memory covers."""
HERE = "#D55E00"
"""The event that is looked at."""


class MarkStyle(NamedTuple):
    """A mark of a picture."""

    colour: str
    marker: str
    size: float
    face: str | None = None
    """Fill; None for the colour."""


DECISION_MARKS: Mapping[str, MarkStyle] = {
    "abstain": MarkStyle(GREY, "o", 2.0),
    "suppressed": MarkStyle("#E69F00", "s", 3.6),
    "intervene": MarkStyle("#0072B2", "D", 3.6),
}
"""Decisions; drawn in this order, so that the rare ones lie on top."""
MATCH_MARKS: Mapping[str, MarkStyle] = {
    "upcoming": MarkStyle(INK, ">", 3.0, "white"),
    "pending": MarkStyle(INK, "o", 3.0),
    "deviated": MarkStyle(INK, "X", 3.6),
}
"""States of a regularity in R_t (Equation 7)."""


def handle(style: MarkStyle, label: str) -> Line2D:
    """The legend's entry of a mark."""
    face = style.colour if style.face is None else style.face
    return Line2D([], [], ls="", marker=style.marker, ms=max(style.size, 3.5), mfc=face, mec=style.colour, mew=0.6, label=label)


@cache
def _font() -> FT2Font:
    return font_manager.get_font(font_manager.findfont("DejaVu Sans"))


def drawable(text: str, most: int = 80) -> str:
    r"""A text as a picture can show it: one line, at most so long, a box for every character that the font lacks.

    >>> drawable("room\n1 \u5bdd")
    'room 1 □'
    """
    line = " ".join(text.split())
    cut = line if len(line) <= most else line[: most - 1] + "…"
    return "".join(char if char.isprintable() and _font().get_char_index(ord(char)) else "□" for char in cut)


def named_lanes(ax: Axes, names: list[str]) -> None:
    """Rows of equal height, named from above; names are data and no formula."""
    ax.set_ylim(len(names) - 0.5, -0.5)
    ax.set_yticks(range(len(names)), [drawable(name) for name in names], parse_math=False)
    ax.tick_params(axis="y", length=0)
    for border in range(1, len(names)):
        ax.axhline(border - 0.5, color="#DDDDDD", lw=0.5, zorder=0.4)


def picture(width: float, heights: Sequence[float]) -> tuple[Picture, list[Axes]]:
    """Axes one below the other with a common x axis, of these heights in inches beside what labels and legend take."""
    fig = Picture(figsize=(width, sum(heights) + 1.1), layout=ConstrainedLayoutEngine(rect=(0, 0, 0.985, 1)))
    axes = fig.subplots(len(heights), 1, sharex=True, height_ratios=list(heights), squeeze=False)
    return fig, list(axes[:, 0])


def ring(ax: Axes, x: Sequence[Place], y: Sequence[float]) -> Line2D:
    """Rings around reference opportunities; the legend's entry."""
    look: dict[str, Any] = {"ls": "", "marker": "o", "ms": 7.5, "mfc": "none", "mec": INK, "mew": 0.7}
    ax.plot(x, y, clip_on=False, zorder=3.5, **look)
    return Line2D([], [], label="reference: intervene", **look)


def here(ax: Axes, x: Place, y: float, index: int) -> Line2D:
    """A box around the event that is looked at; the legend's entry."""
    look: dict[str, Any] = {"ls": "", "marker": "s", "ms": 10, "mfc": "none", "mec": HERE, "mew": 1.3}
    ax.plot([x], [y], clip_on=False, zorder=4, **look)
    return Line2D([], [], label=f"event {index}", **(look | {"ms": 8}))


def window_bar(ax: Axes, row: int, left: Place, width: Place, status: str) -> None:
    """A stretch of a regularity: solid while active, hatched while weakening."""
    look: dict[str, Any] = {"facecolor": REGULARITY, "alpha": 0.45, "lw": 0}
    if status != "active":
        look = {"facecolor": "white", "edgecolor": REGULARITY, "hatch": "//////", "lw": 0.5}
    ax.barh(row, width, left=left, height=0.62, **look)


def match_marks(ax: Axes, places: Mapping[str, Sequence[tuple[Place, int]]], scale: float = 1.0) -> list[Handle]:
    """Where regularities stood in R_t, by the state they had: pairs of place and row; the legend's entries of those there."""
    handles: list[Handle] = []
    for state, style in MATCH_MARKS.items():
        if found := places.get(state):
            x, y = [at for at, _ in found], [row for _, row in found]
            face = style.colour if style.face is None else style.face
            look: dict[str, Any] = {
                "marker": style.marker,
                "ms": style.size * scale,
                "mfc": face,
                "mec": style.colour,
                "mew": 0.6,
            }
            ax.plot(x, y, ls="", clip_on=False, zorder=3, **look)
            handles.append(handle(style, f"R_t: {state}"))
    return handles
