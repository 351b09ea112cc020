"""A table is data first: typed cells, ranked once, of which Markdown, LaTeX, CSV, HTML and text are renderings."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Literal

from proactmem.errors import InputError
from proactmem.report import render
from proactmem.report.numbers import (
    NOT_PUBLISHED,
    NOT_RUN,
    UNDEFINED,
    Number,
    count,
    exact,
    fixed,
    interval,
    multiple,
    percent,
    points,
    round_half_up,
)

__all__ = ["Cell", "Column", "Kind", "Row", "Table"]

Kind = Literal["text", "percent", "points", "multiple", "count", "number"]
"""What a column holds: text, shares, differences of shares, multiples, whole numbers or two-decimal numbers."""
Missing = Literal["undefined", "not run", "not published"]

_WORDS: Mapping[Missing, str] = {"undefined": UNDEFINED, "not run": NOT_RUN, "not published": NOT_PUBLISHED}
_FORMATS: Mapping[Kind, Callable[[Number], str]] = {
    "percent": percent,
    "points": points,
    "multiple": multiple,
    "count": lambda value: count(int(value)),
    "number": lambda value: fixed(value, 2),
}
_UNITS: Mapping[Kind, str] = {"percent": " (%)", "points": " (points)"}
_PER_HUNDRED: tuple[Kind, ...] = ("percent", "points")


@dataclass(frozen=True, slots=True)
class Cell:
    """A value or the reason why there is none."""

    value: Number | str | None = None
    """Text, or a number: shares as fractions of 1."""
    interval: tuple[float, float] | None = None
    """Low and high in the value's unit."""
    missing: Missing = "undefined"
    """Why value is None."""
    note: str | None = None
    """A footnote."""
    mark: render.Mark | None = None
    """Rank in its column and group, set by `Table.ranked`."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column's head, what its cells are, and which end is better."""

    name: str
    kind: Kind = "text"
    direction: Literal["higher", "lower"] | None = None
    """Which values are better; None where neither is."""

    @property
    def head(self) -> str:
        """Name, unit and an arrow towards better."""
        arrow = {"higher": " ↑", "lower": " ↓", None: ""}[self.direction]
        return self.name + _UNITS.get(self.kind, "") + arrow


@dataclass(frozen=True, slots=True)
class Row:
    """Cells in column order."""

    cells: tuple[Cell, ...]
    group: str = ""
    """Rows of a group are ranked among themselves, such as a scope's."""
    published: bool = False
    """True for the authors' figures, which are ranked among themselves."""


@dataclass(frozen=True, slots=True, repr=False)
class Table:
    """A titled table that says on which backbone and data it rests.

    Raises:
        InputError: A row with another number of cells, a cell of another kind, or an empty label.
    """

    title: str
    caption: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    backbone: str
    """'offline backbone' or the model's name; always part of the caption."""
    data: str
    """What was scored; always part of the caption."""
    remarks: tuple[str, ...] = field(default=())
    """Further sentences of the caption."""

    def __post_init__(self) -> None:
        for name, label in (("title", self.title), ("backbone", self.backbone), ("data", self.data)):
            if not label.strip():
                raise InputError(
                    "a table names its title, backbone and data", field=name, found=label, expected="some text",
                    remedy="Say what the numbers rest on.",
                )  # fmt: skip
        for number, row in enumerate(self.rows, start=1):
            self._check(number, row)

    def _check(self, number: int, row: Row) -> None:
        if len(row.cells) != len(self.columns):
            raise InputError(
                f"table {self.title!r}: a row has one cell a column", row=number, found=len(row.cells),
                expected=f"{len(self.columns)} cells", remedy="Use Cell() for what is missing.",
            )  # fmt: skip
        for column, cell in zip(self.columns, row.cells, strict=True):
            if cell.value is not None and not _fits(column.kind, cell.value):
                raise InputError(
                    f"table {self.title!r}: a cell of another kind", row=number, field=column.name, found=cell.value,
                    expected=f"{column.kind} or None", remedy="Give numbers as numbers and text as text.",
                )  # fmt: skip

    def ranked(self) -> Table:
        """Marks the best and second-best of each directed column, per group, ties included, by the printed digits.

        Published rows and ours are ranked apart. Where all values of a column in a group print alike, none is marked.
        """
        rows = [list(row.cells) for row in self.rows]
        groups: dict[tuple[str, bool], list[int]] = {}
        for index, row in enumerate(self.rows):
            groups.setdefault((row.group, row.published), []).append(index)
        for place, column in enumerate(self.columns):
            for members in groups.values() if column.direction else ():
                printed = {i: _printed(column, rows[i][place]) for i in members}
                values = {i: value for i, value in printed.items() if value is not None}
                levels = sorted(set(values.values()), reverse=column.direction == "higher")[:2]
                for i, value in values.items():
                    if len(levels) > 1 and value in levels:
                        rows[i][place] = replace(rows[i][place], mark="best" if value == levels[0] else "second")
        return replace(self, rows=tuple(replace(r, cells=tuple(cells)) for r, cells in zip(self.rows, rows, strict=True)))

    @property
    def full_caption(self) -> str:
        """The caption with its backbone and data labels and how to read the marks."""
        parts = [self.caption, f"Backbone: {self.backbone}", f"Data: {self.data}", *self.remarks]
        if any(cell.interval for row in self.rows for cell in row.cells):
            parts.append("In brackets: 95 % intervals, bootstrap over streams")
        if any(cell.mark for row in self.rows for cell in row.cells):
            parts.append("Best and second-best are marked (bold, underlined), ties included")
        return " ".join(part.rstrip(".") + "." for part in parts if part.strip())

    def sheet(self) -> render.Sheet:
        """The table with every number formatted and every footnote lettered."""
        markers: dict[str, str] = {}
        rows = []
        for row in self.rows:
            for cell in row.cells:
                if cell.note and cell.note not in markers:
                    markers[cell.note] = _letters(len(markers))
            rows.append(tuple(_shown(c, cell, markers) for c, cell in zip(self.columns, row.cells, strict=True)))
        kinds = [(row.group, row.published) for row in self.rows]
        return render.Sheet(
            title=self.title,
            caption=self.full_caption,
            heads=tuple(column.head for column in self.columns),
            numeric=tuple(column.kind != "text" for column in self.columns),
            rows=tuple(rows),
            breaks=frozenset(i for i in range(1, len(kinds)) if kinds[i] != kinds[i - 1]),
            notes=tuple((marker, note) for note, marker in markers.items()),
        )

    def markdown(self) -> str:
        """The table as a GitHub table."""
        return render.markdown(self.sheet())

    def latex(self, label: str | None = None) -> str:
        """The table as a LaTeX float with booktabs rules."""
        return render.latex(self.sheet(), label)

    def html(self) -> str:
        """The table as HTML."""
        return render.html(self.sheet())

    def plain(self) -> str:
        """The table as aligned text."""
        return render.plain(self.sheet())

    def csv(self) -> str:
        """The data in each column's unit, unrounded; intervals in columns of their own; words where one is missing."""
        wide = [any(row.cells[i].interval for row in self.rows) for i in range(len(self.columns))]
        sourced, noted = any(row.published for row in self.rows), any(c.note for row in self.rows for c in row.cells)
        heads: list[str] = ["source"] if sourced else []
        for column, intervals in zip(self.columns, wide, strict=True):
            name = column.name + _UNITS.get(column.kind, "")
            heads += [name, f"{name} low", f"{name} high"] if intervals else [name]
        heads += ["note"] if noted else []
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(heads)
        for row in self.rows:
            line: list[str] = ["published" if row.published else "ours"] if sourced else []
            for column, cell, intervals in zip(self.columns, row.cells, wide, strict=True):
                line.append(_raw(column, cell.value) if cell.value is not None else _WORDS[cell.missing])
                line += [_raw(column, end) for end in cell.interval or ("", "")] if intervals else []
            line += ["; ".join(cell.note for cell in row.cells if cell.note)] if noted else []
            writer.writerow(line)
        return out.getvalue()

    def __repr__(self) -> str:
        return self.plain()

    def _repr_markdown_(self) -> str:
        return self.markdown()

    def _repr_html_(self) -> str:
        return self.html()


def _fits(kind: Kind, value: Number | str) -> bool:
    if isinstance(value, str) or kind == "text":
        return isinstance(value, str) and kind == "text"
    return exact(value).denominator == 1 or kind != "count"


def _printed(column: Column, cell: Cell) -> Decimal | None:
    """The number as it is printed, so that what prints alike ranks alike."""
    if cell.value is None or isinstance(cell.value, str):
        return None
    if column.kind in _PER_HUNDRED:
        return round_half_up(exact(cell.value) * 100, 1)
    return round_half_up(cell.value, 2)


def _shown(column: Column, cell: Cell, markers: Mapping[str, str]) -> render.Shown:
    note = markers[cell.note] if cell.note else ""
    if cell.value is None:
        return render.Shown(_WORDS[cell.missing], note=note)
    if isinstance(cell.value, str):
        return render.Shown(cell.value, note=note)
    form = _FORMATS[column.kind]
    inner = _FORMATS["number"] if column.kind == "multiple" else form
    ends = "" if cell.interval is None else interval(*(inner(end) for end in cell.interval))
    return render.Shown(form(cell.value), ends, cell.mark, note)


def _raw(column: Column, value: Number | str) -> str:
    if isinstance(value, str):
        return render.one_line(value)
    number = exact(value) * 100 if column.kind in _PER_HUNDRED else exact(value)
    return str(number.numerator) if column.kind == "count" and number.denominator == 1 else repr(float(number))


def _letters(index: int) -> str:
    """Letters a to z, then aa, ab and so on."""
    text = ""
    index += 1
    while index:
        index, rest = divmod(index - 1, 26)
        text = chr(ord("a") + rest) + text
    return text
