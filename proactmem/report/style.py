"""The house style of figures: column width, colour-blind safe, told apart in grey too; saved with the CSV it draws."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
from matplotlib import style
from matplotlib.figure import Figure

from proactmem.paths import write_atomic
from proactmem.report.table import Table

__all__ = ["COLUMN_WIDTH", "PAGE_WIDTH", "Picture", "Saved", "Series", "house_style", "save_figure", "series"]

COLUMN_WIDTH = 3.3
"""Inches: one column of a two-column page."""
PAGE_WIDTH = 6.9
"""Inches: both columns."""
INK = "#222222"
"""Axes, text and rings."""
GREY = "#8C8C8C"
"""What stays in the background."""

# The Okabe-Ito palette, ordered so that neighbours differ in lightness too.
_COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#000000")
_MARKERS = ("o", "s", "D", "^", "v", "P", "X")
_LINES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)), (0, (1, 1)))

_RC: Mapping[str, Any] = {
    "font.family": "DejaVu Sans",  # ships with matplotlib, so that every machine draws the same
    "font.size": 7.5,
    "axes.titlesize": 8,
    "axes.labelsize": 7.5,
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
    "legend.fontsize": 7,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "axes.linewidth": 0.6,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "xtick.major.size": 2.5,
    "ytick.major.size": 2.5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "grid.color": "#DDDDDD",
    "grid.linewidth": 0.5,
    "lines.linewidth": 1.2,
    "lines.markersize": 4,
    "legend.frameon": False,
    "legend.handlelength": 1.6,
    "legend.columnspacing": 1.2,
    "figure.facecolor": "white",
    "figure.dpi": 150,
    "pdf.fonttype": 42,
    "svg.hashsalt": "proactmem",
}


class Series(NamedTuple):
    """How one series is told from the others, with and without colour."""

    colour: str
    marker: str
    line: str | tuple[int, tuple[int, ...]]


class Saved(NamedTuple):
    """The files of one figure."""

    pdf: Path
    png: Path
    csv: Path


def series(index: int) -> Series:
    """The look of the series at that place; colour, marker and line change together, and repeat after seven."""
    place = index % len(_COLOURS)
    return Series(_COLOURS[place], _MARKERS[place], _LINES[place])


class Picture(Figure):
    """A figure that a notebook shows when a cell returns it, whatever backend is active."""

    def _repr_png_(self) -> bytes:
        return _png(self, dpi=150)


def _png(fig: Figure, dpi: float) -> bytes:
    out = io.BytesIO()
    with house_style():
        fig.savefig(out, format="png", dpi=dpi, metadata={"Software": None})
    return out.getvalue()


@contextlib.contextmanager
def house_style() -> Iterator[None]:
    """Matplotlib's settings inside the block, from its defaults and not from a user's own style; restored after it."""
    with style.context(["default", dict(_RC)]):
        yield


def save_figure(fig: Figure, folder: Path, name: str, data: pd.DataFrame | Table) -> Saved:
    """The figure as `name.pdf` and `name.png` with the data it draws as `name.csv`: the same input, the same bytes.

    Args:
        fig: The figure.
        folder: Made where it does not exist.
        name: File name without suffix.
        data: The table or frame that the figure draws.

    Raises:
        StoreError: A file cannot be written.
    """
    saved = Saved(*(folder / f"{name}.{suffix}" for suffix in Saved._fields))
    none: dict[str, None] = dict.fromkeys(("Creator", "Producer", "CreationDate"))
    pdf = io.BytesIO()
    with house_style():
        fig.savefig(pdf, format="pdf", metadata=none)
    write_atomic(saved.pdf, pdf.getvalue())
    write_atomic(saved.png, _png(fig, dpi=300))
    write_atomic(saved.csv, data.csv() if isinstance(data, Table) else data.to_csv(index=False, lineterminator="\n"))
    return saved
