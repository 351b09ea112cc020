from __future__ import annotations

import math

import pytest

from proactmem.errors import InputError
from proactmem.report.show import show
from proactmem.report.style import save_figure
from proactmem.report.table import Cell, Column, Row, Table
from proactmem.report.weeks import weeks_figure, weeks_frame
from tests.samples import home, sports, stream


def frame():
    events = stream(
        sports("e1", "2015-07-20T09:30:00", steps60=900),
        sports("e2", "2015-07-20T12:00:00", steps60=None, available=False),
        sports("e3", "2015-07-28T12:00:00", steps60=0),
    )
    return weeks_frame(events, {"e1": True, "e2": False})


def test_a_missing_count_is_no_number_and_zero_is_zero():
    assert frame()["steps"].iloc[0] == 900
    assert math.isnan(frame()["steps"].iloc[1])
    assert frame()["steps"].iloc[2] == 0
    assert frame()["opportunity"].tolist() == [True, False, False]


def test_the_same_weeks_give_the_same_bytes(tmp_path):
    first = save_figure(weeks_figure(frame(), title="p1"), tmp_path / "a", "weeks", frame())
    second = save_figure(weeks_figure(frame(), title="p1"), tmp_path / "b", "weeks", frame())
    assert [one.read_bytes() for one in first] == [two.read_bytes() for two in second]


def test_other_scopes_and_no_events_are_refused():
    with pytest.raises(InputError, match="Sports streams"):
        weeks_frame(stream(home("h", "2012-07-21T00:00", kitchen=3)))
    with pytest.raises(InputError, match="at least one event"):
        weeks_figure(weeks_frame([]))


def test_show_gives_markdown_and_png_and_never_html(monkeypatch):
    shown = []
    monkeypatch.setattr("proactmem.report.show.display", lambda bundle, raw: shown.append((bundle, raw)))
    table = Table("T", "c", (Column("A"),), (Row((Cell("x"),)),), "none", "made up")
    show(table, weeks_figure(frame()))
    assert [set(bundle) for bundle, _ in shown] == [{"text/markdown", "text/plain"}, {"image/png", "text/plain"}]
    assert all(raw for _, raw in shown)
    assert shown[0][0]["text/markdown"] == table.markdown()
    assert shown[1][0]["image/png"].startswith(b"\x89PNG")
