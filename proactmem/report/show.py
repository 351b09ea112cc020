"""Showing things in a notebook so that what is committed can be compared: Markdown for tables, PNG for figures, never HTML."""

from __future__ import annotations

from IPython.display import display

from proactmem.report.style import Picture
from proactmem.report.table import Table

__all__ = ["show"]


def show(*items: Table | Picture) -> None:
    """Display tables as Markdown and figures as PNG; the plain text beside them is a title that never changes.

    Outside a notebook the plain text is printed.
    """
    for item in items:
        if isinstance(item, Table):
            bundle: dict[str, str | bytes] = {"text/markdown": item.markdown(), "text/plain": f"Table: {item.title}"}
        else:
            bundle = {"image/png": item._repr_png_(), "text/plain": "Figure"}
        display(bundle, raw=True)  # type: ignore[no-untyped-call]  # IPython is untyped here
