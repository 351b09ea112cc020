from __future__ import annotations

import csv
import html.parser
import io
import re
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proactmem.errors import InputError
from proactmem.report.table import Cell, Column, Row, Table
from proactmem.report.tables import write_table

NASTY = "a|b_c*d`e\\f$g & <script>x</script> #1 50% {y} ~^ [z] \"q\" 'r'\nnew\tline\x00"


NAME_AND_SCORE = (Column("Name"), Column("Score", "percent", "higher"))


def table(*cells, columns=NAME_AND_SCORE, **changes):
    rows = tuple(row if isinstance(row, Row) else Row(tuple(row)) for row in cells)
    settings = {"title": "T", "caption": "C", "backbone": "offline backbone", "data": "simulated"} | changes
    return Table(columns=columns, rows=rows, **settings)


def scored(*values, **changes):
    return table(*((Cell(f"m{i}"), Cell(value)) for i, value in enumerate(values)), **changes).ranked()


def marks(found):
    return [row.cells[1].mark for row in found.rows]


def test_every_rendering_carries_backbone_and_data():
    found = scored(0.5, 0.25)
    for text in (found.markdown(), found.latex(), found.html(), found.plain()):
        assert "Backbone: offline backbone. Data: simulated." in text


@pytest.mark.parametrize("name", ["title", "backbone", "data"])
def test_labels_are_not_optional(name):
    with pytest.raises(InputError, match=f"'{name}'"):
        table(**{name: " "})


def test_best_and_second_best():
    assert marks(scored(0.1, 0.3, 0.2)) == [None, "best", "second"]
    assert marks(scored(0.3, 0.3, 0.2, 0.1)) == ["best", "best", "second", None]
    assert marks(scored(0.1, 0.2, columns=(Column("n"), Column("s", "percent", "lower")))) == ["best", "second"]
    assert marks(scored(0.1, 0.2, columns=(Column("n"), Column("s", "percent")))) == [None, None]
    assert marks(scored(0.5, None)) == [None, None]
    assert marks(scored(0.5, 0.5)) == [None, None]


def test_what_prints_alike_ranks_alike():
    assert marks(scored(0.30001, 0.29999, 0.2)) == ["best", "best", "second"]


def test_groups_and_published_rows_are_ranked_apart():
    rows = [("a", 0.1, "x", False), ("b", 0.2, "x", False), ("c", 0.9, "x", True), ("d", 0.8, "x", True)]
    rows += [("e", 0.3, "y", False), ("f", 0.2, "y", False)]
    made = [Row((Cell(name), Cell(value)), group, published) for name, value, group, published in rows]
    found = table(*made).ranked()
    assert marks(found) == ["second", "best", "best", "second", "best", "second"]
    assert found.sheet().breaks == {2, 4}


def test_markdown():
    note = Cell("m|1", note="see <b>")
    found = table((note, Cell(Fraction(1, 2), (0.4, 0.6))), (Cell("m2"), Cell(None)), (Cell("m3"), Cell(0.1))).ranked()
    assert found.markdown().splitlines()[2:] == [
        "| Name | Score (%) ↑ |",
        "| :--- | ---: |",
        r"| m\|1<sup>a</sup> | **50.0** [40.0, 60.0] |",
        "| m2 | undefined |",
        "| m3 | <u>10.0</u> |",
        "",
        "<sup>a</sup> see &lt;b&gt;  ",
    ]


def test_latex():
    found = table((Cell("m_1 & 50%"), Cell(0.5, (0.4, 0.6))), (Cell("[x]"), Cell(0.1)), (Cell("z"), Cell(None))).ranked()
    text = found.latex("main")
    assert r"m\_1 \& 50\% & \textbf{50.0} {\scriptsize {[}40.0, 60.0{]}} \\" in text
    assert r"{[}x{]} & \underline{10.0} \\" in text
    assert text.index(r"\toprule") < text.index(r"\midrule") < text.index(r"\bottomrule")
    assert r"\label{tab:main}" in text
    assert r"\begin{tabular}{lr}" in text


def test_missing_cells_say_why():
    rows = [(Cell("a"), Cell(missing=missing)) for missing in ("undefined", "not run", "not published")]
    shown = [line.split("|")[2].strip() for line in table(*rows).markdown().splitlines()[4:]]
    assert shown == ["undefined", "—", "not published here"]


def test_kinds():
    columns = tuple(Column(k, k) for k in ("count", "multiple", "points", "number"))
    found = table((Cell(1456), Cell(2.15, (2, 2.5)), Cell(-0.01, (-0.02, 0.01)), Cell(1.005)), columns=columns)
    assert [shown.text for shown in found.sheet().rows[0]] == ["1\u202f456", "2.15×", "−1.0", "1.01"]
    assert [shown.interval for shown in found.sheet().rows[0]] == ["", "[2.00, 2.50]", "[−2.0, +1.0]", ""]
    assert r"1\,456" in found.latex()
    assert "2.15$\\times$" in found.latex()


def test_csv_holds_unrounded_data_in_the_columns_unit():
    note = Cell("a,b", note="n")
    found = table((note, Cell(Fraction(1, 3), (0.25, 0.5))), Row((Cell("c"), Cell(None)), published=True))
    assert list(csv.reader(io.StringIO(found.csv()))) == [
        ["source", "Name", "Score (%)", "Score (%) low", "Score (%) high", "note"],
        ["ours", "a,b", "33.333333333333336", "25.0", "50.0", "n"],
        ["published", "c", "undefined", "", "", ""],
    ]


def test_plain_text_is_aligned():
    found = scored(0.5, 0.125, None)
    lines = found.plain().splitlines()
    assert lines[2:7] == [
        "Name  Score (%) ↑",
        "----  -----------",
        "m0          50.0*",
        "m1          12.5'",
        "m2      undefined",
    ]
    assert repr(found) == found.plain()
    assert found._repr_html_() == found.html()
    assert found._repr_markdown_() == found.markdown()


def test_a_row_has_one_cell_a_column():
    with pytest.raises(InputError, match="row 2: table 'T': a row has one cell a column; found 1; expected 2 cells"):
        table((Cell("a"), Cell(1)), (Cell("b"),))


@pytest.mark.parametrize(
    ("kind", "value"), [("percent", "text"), ("text", 0.5), ("count", 1.5), ("percent", float("nan")), ("count", True)]
)
def test_a_cell_is_of_its_columns_kind(kind, value):
    with pytest.raises(InputError):
        table((Cell(value),), columns=(Column("x", kind),))


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags: list[str] = []
        self.cells: list[str] = []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        if tag == "td":
            self.cells.append("")

    def handle_data(self, data):
        if self.cells:
            self.cells[-1] += data


@given(st.text() | st.sampled_from([NASTY, "|", "\\|", "\\", "[x](y)", "\r\n", "<td>", "&amp;", "\u2028"]))
def test_text_never_breaks_a_rendering(text):
    found = table((Cell(text), Cell(0.5)), (Cell("b"), Cell(0.25))).ranked()
    shown = re.sub(r"(?:[^\S\u202f]|[\x00-\x1f\x7f])+", " ", text).strip()

    row = found.markdown().splitlines()[4]
    assert len(re.findall(r"(?<!\\)(?:\\\\)*\|", row)) == 3, "one unescaped pipe before, between and after two cells"
    assert "<" not in row.replace("<sup>", "")

    page = Page()
    page.feed(found.html())
    assert page.tags.count("td") == 4
    assert "script" not in page.tags
    assert page.cells[0] == shown

    latex = found.latex().splitlines()
    body = latex[latex.index(r"\midrule") + 1]
    bare = re.sub(r"\\[\\{}$&#%_,]|\$\\[a-z]+\$|\$-\$", "", body)
    assert not re.search(r"[$#%_^~]", bare)
    assert bare.count("&") == 1
    assert bare.count("{") == bare.count("}")

    assert list(csv.reader(io.StringIO(found.csv(), newline="")))[1] == [shown, "50.0"]


def test_written_files_repeat_byte_for_byte(tmp_path):
    found = scored(0.5, 0.25)
    first = [path.read_bytes() for path in write_table(found, tmp_path / "a", "main")]
    second = [path.read_bytes() for path in write_table(found, tmp_path / "b", "main")]
    assert first == second == [found.markdown().encode(), found.latex("main").encode(), found.csv().encode()]
    assert sorted(path.name for path in (tmp_path / "a").iterdir()) == ["main.csv", "main.md", "main.tex"]
