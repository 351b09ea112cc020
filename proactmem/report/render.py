"""Four renderings of one sheet of formatted cells; they differ in escaping and layout alone."""

from __future__ import annotations

import html as html_entities
import re
import unicodedata
from dataclasses import dataclass
from typing import Literal

from proactmem.report.numbers import MINUS, THIN, TIMES

__all__ = ["Mark", "Sheet", "Shown", "html", "latex", "markdown", "one_line", "plain"]

Mark = Literal["best", "second"]
"""Rank of a cell in its column and group."""


@dataclass(frozen=True, slots=True)
class Shown:
    """One cell as text."""

    text: str
    interval: str = ""
    """Its interval as text, empty for none."""
    mark: Mark | None = None
    note: str = ""
    """Marker of its footnote, empty for none."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table whose numbers are formatted: plain text, not yet escaped for any language."""

    title: str
    caption: str
    heads: tuple[str, ...]
    numeric: tuple[bool, ...]
    """Columns set flush right."""
    rows: tuple[tuple[Shown, ...], ...]
    breaks: frozenset[int]
    """Rows before which a rule is drawn, counted from 0."""
    notes: tuple[tuple[str, str], ...]
    """Footnotes as marker and text."""


_SPACE = re.compile(r"(?:[^\S\u202f]|[\x00-\x1f\x7f])+")
_MARKDOWN = re.compile(r"([\\`*_~|$#])")
_ENTITIES = {"<": "&lt;", ">": "&gt;", "[": "&#91;", "]": "&#93;"}
_LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': "''",
    "[": "{[}",
    "]": "{]}",
    TIMES: r"$\times$",
    MINUS: r"$-$",
    THIN: r"\,",
    "—": "---",
    "–": "--",
    "↑": r"$\uparrow$",
    "↓": r"$\downarrow$",
    "Δ": r"$\Delta$",
}


def one_line(text: str) -> str:
    """One line: every run of blanks and control characters becomes a blank, the thin space kept."""
    return _SPACE.sub(" ", text).strip()


def _markdown(text: str) -> str:
    # Entities come after the escapes: an escaped bracket would open mathematics in some viewers.
    escaped = _MARKDOWN.sub(r"\\\1", one_line(text).replace("&", "&amp;"))
    return "".join(_ENTITIES.get(letter, letter) for letter in escaped)


def _latex(text: str) -> str:
    return "".join(_LATEX.get(letter, letter) for letter in one_line(text))


def _html(text: str) -> str:
    return html_entities.escape(one_line(text), quote=True)


def markdown(sheet: Sheet) -> str:
    """The sheet as a GitHub table: best in bold, second-best underlined, text escaped."""

    def cell(shown: Shown) -> str:
        text = _markdown(shown.text)
        text = f"**{text}**" if shown.mark == "best" else f"<u>{text}</u>" if shown.mark == "second" else text
        text += f" {one_line(shown.interval)}" if shown.interval else ""
        return text + (f"<sup>{shown.note}</sup>" if shown.note else "")

    lines = [f"**{_markdown(sheet.title)}.** {_markdown(sheet.caption)}", ""]
    lines.append("| " + " | ".join(map(_markdown, sheet.heads)) + " |")
    lines.append("| " + " | ".join("---:" if right else ":---" for right in sheet.numeric) + " |")
    lines += ["| " + " | ".join(map(cell, row)) + " |" for row in sheet.rows]
    lines += ["", *(f"<sup>{marker}</sup> {_markdown(text)}  " for marker, text in sheet.notes)] if sheet.notes else []
    return "\n".join(lines) + "\n"


def latex(sheet: Sheet, label: str | None = None) -> str:
    r"""The sheet as a floating table with booktabs rules: best in bold, second-best underlined, text escaped.

    Args:
        sheet: What to print.
        label: Name for `\ref`, without its `tab:`.
    """

    def cell(shown: Shown) -> str:
        text = _latex(shown.text)
        text = rf"\textbf{{{text}}}" if shown.mark == "best" else rf"\underline{{{text}}}" if shown.mark else text
        text += rf" {{\scriptsize {_latex(shown.interval)}}}" if shown.interval else ""
        return text + (rf"\textsuperscript{{{shown.note}}}" if shown.note else "")

    lines = ["% needs \\usepackage{booktabs}", r"\begin{table}[t]", r"\centering"]
    lines.append(rf"\caption{{\textbf{{{_latex(sheet.title)}.}} {_latex(sheet.caption)}}}")
    lines += [rf"\label{{tab:{label}}}"] if label else []
    lines.append(rf"\begin{{tabular}}{{{''.join('r' if right else 'l' for right in sheet.numeric)}}}")
    lines += [r"\toprule", " & ".join(map(_latex, sheet.heads)) + r" \\", r"\midrule"]
    for index, row in enumerate(sheet.rows):
        lines += [r"\midrule"] if index in sheet.breaks else []
        lines.append(" & ".join(map(cell, row)) + r" \\")
    lines += [r"\bottomrule", r"\end{tabular}"]
    lines += [rf"\par\smallskip\footnotesize\textsuperscript{{{marker}}} {_latex(text)}" for marker, text in sheet.notes]
    lines.append(r"\end{table}")
    return "\n".join(lines) + "\n"


def html(sheet: Sheet) -> str:
    """The sheet as an HTML table without scripts, ids or styles that change: the same sheet, the same bytes."""

    def side(right: bool) -> str:
        return f' style="text-align:{"right" if right else "left"}"'

    def cell(shown: Shown, right: bool) -> str:
        text = _html(shown.text)
        text = f"<strong>{text}</strong>" if shown.mark == "best" else f"<u>{text}</u>" if shown.mark else text
        text += f" <small>{_html(shown.interval)}</small>" if shown.interval else ""
        return f"<td{side(right)}>{text}{f'<sup>{shown.note}</sup>' if shown.note else ''}</td>"

    lines = ['<table class="proactmem">']
    lines.append(f"<caption><strong>{_html(sheet.title)}.</strong> {_html(sheet.caption)}</caption>")
    heads = zip(sheet.heads, sheet.numeric, strict=True)
    lines.append("<thead><tr>" + "".join(f"<th{side(r)}>{_html(head)}</th>" for head, r in heads) + "</tr></thead>")
    lines.append("<tbody>")
    lines += ["<tr>" + "".join(map(cell, row, sheet.numeric)) + "</tr>" for row in sheet.rows]
    lines.append("</tbody>")
    if sheet.notes:
        notes = "<br>".join(f"<sup>{marker}</sup> {_html(text)}" for marker, text in sheet.notes)
        lines.append(f'<tfoot><tr><td colspan="{len(sheet.heads)}">{notes}</td></tr></tfoot>')
    lines.append("</table>")
    return "\n".join(lines) + "\n"


def plain(sheet: Sheet) -> str:
    """The sheet as aligned text for a terminal: `*` marks the best, `'` the second-best."""

    def cell(shown: Shown) -> str:
        sign = {"best": "*", "second": "'", None: ""}[shown.mark]
        note = f" ({shown.note})" if shown.note else ""
        return one_line(f"{shown.text}{sign} {shown.interval}{note}")

    table = [tuple(map(one_line, sheet.heads)), *(tuple(map(cell, row)) for row in sheet.rows)]
    widths = [max(map(_width, column)) for column in zip(*table, strict=True)]
    lines = [f"{one_line(sheet.title)}. {one_line(sheet.caption)}", ""]
    for index, row in enumerate(table):
        padded = [
            " " * (width - _width(text)) + text if right else text + " " * (width - _width(text))
            for text, width, right in zip(row, widths, sheet.numeric, strict=True)
        ]
        if index == 1 or index - 1 in sheet.breaks:
            lines.append("  ".join("-" * width for width in widths))
        lines.append("  ".join(padded).rstrip())
    lines += ["", "* best, ' second-best"] if any(shown.mark for row in sheet.rows for shown in row) else []
    lines += [f"({marker}) {one_line(text)}" for marker, text in sheet.notes]
    return "\n".join(lines) + "\n"


def _width(text: str) -> int:
    """Columns of a terminal: two for wide characters, none for combining ones."""
    return sum(
        0 if unicodedata.combining(letter) else 2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text
    )
