from __future__ import annotations

import io
from itertools import pairwise

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

from proactmem.errors import InputError
from proactmem.report.figures import layer_figure, layer_frame, sensitivity_figure, timeline_figure
from proactmem.report.style import house_style, save_figure, series
from proactmem.report.tables import main_table
from proactmem.score.metrics import Counts
from tests.score.making import score, spread

VARIANTS = ("event-only", "event and trajectory memory", "ProactMem")


def layers():
    counts = {"sports": Counts(219, 560, 146, 531), "code": Counts(70, 243, 104, 1042)}
    return layer_frame(
        [
            score(spread(c + Counts(tp=place), 4), method=method, scope=scope)
            for scope, c in counts.items()
            for place, method in enumerate(VARIANTS)
        ]
    )


def sensitivity():
    values = np.array([24.0, 48.0, 72.0])
    rows = {"parameter": values, "value": [40.0, 45.0, np.nan], "low": values - 20, "high": values}
    return pd.concat([pd.DataFrame({"series": name, **rows}) for name in ("Sports", "Home")])


def timeline():
    days = pd.date_range("2015-08-20", periods=10).date
    decisions = ("intervene", "suppressed", "abstain")
    return pd.DataFrame(
        [
            {"day": day, "hour": 8.0 + i, "decision": decisions[i % 3], "opportunity": (None, True, False)[i % 3]}
            for i, day in enumerate(days)
        ]
    )


def year():
    days = pd.date_range("2015-08-20", periods=365).date
    return pd.DataFrame([{"day": day, "hour": 24, "decision": "abstain"} for day in days])


WINDOWS = pd.DataFrame({"first_day": ["2015-08-22"], "last_day": ["2015-08-29"], "start_hour": [17], "end_hour": [20.5]})
FIGURES = {
    "layers": (lambda: layer_figure(layers()), layers),
    "sensitivity": (
        lambda: sensitivity_figure(sensitivity(), parameter="Horizon Δ", metric="coverage", unit="h", default=72),
        sensitivity,
    ),
    "timeline": (lambda: timeline_figure(timeline(), WINDOWS, title="s_1"), timeline),
    "narrow": (lambda: timeline_figure(timeline(), WINDOWS, width=3.3), timeline),
    "a year": (lambda: timeline_figure(year(), width=3.3), year),
}


def drawn(fig):
    """The renderer after a layout pass."""
    canvas = FigureCanvasAgg(fig)
    canvas.draw()
    return canvas.get_renderer()


def ticks(ax):
    """Tick labels inside the limits; matplotlib keeps others that it does not draw."""
    x, y = sorted(ax.get_xlim()), sorted(ax.get_ylim())
    across = [label for label in ax.get_xticklabels() if x[0] <= label.get_position()[0] <= x[1]]
    return across + [label for label in ax.get_yticklabels() if y[0] <= label.get_position()[1] <= y[1]]


@pytest.mark.parametrize("name", ["layers", "sensitivity", "timeline"])
def test_saved_figures_repeat_byte_for_byte(tmp_path, name):
    draw, data = FIGURES[name]
    fig = draw()
    first = save_figure(fig, tmp_path / "a", name, data())
    with mpl.rc_context({"font.size": 20, "axes.facecolor": "red", "savefig.dpi": 50}):
        again = save_figure(draw(), tmp_path / "b", name, data())
    third = save_figure(fig, tmp_path / "c", name, data())
    for a, b, c in zip(first, again, third, strict=True):
        assert a.read_bytes() == b.read_bytes() == c.read_bytes()
    assert [path.name for path in first] == [f"{name}.pdf", f"{name}.png", f"{name}.csv"]
    assert b"CreationDate" not in first.pdf.read_bytes()
    assert first.png.read_bytes().startswith(b"\x89PNG")
    pd.testing.assert_frame_equal(pd.read_csv(first.csv), pd.read_csv(io.StringIO(data().to_csv(index=False))))


@pytest.mark.parametrize("name", FIGURES)
def test_nothing_is_clipped_and_no_legend_lies_over_data(name):
    fig = FIGURES[name][0]()
    renderer = drawn(fig)
    page = fig.bbox
    texts = [text for ax in fig.axes for text in (ax.xaxis.label, ax.yaxis.label, ax.title, *ticks(ax))]
    boxes = [text.get_window_extent(renderer) for text in texts if text.get_text() and text.get_visible()]
    boxes += [legend.get_window_extent(renderer) for legend in fig.legends]
    assert len(boxes) > 5
    for box in boxes:
        assert box.x0 >= page.x0 - 1, box
        assert box.x1 <= page.x1 + 1, box
        assert box.y0 >= page.y0 - 1, box
        assert box.y1 <= page.y1 + 1, box
    for legend in fig.legends:
        for ax in fig.axes:
            assert not legend.get_window_extent(renderer).overlaps(ax.get_window_extent(renderer))


def test_tick_labels_do_not_overlap():
    for draw, _ in FIGURES.values():
        fig = draw()
        renderer = drawn(fig)
        for ax in fig.axes:
            labels = [label for label in ticks(ax) if label in ax.get_xticklabels()]
            boxes = [label.get_window_extent(renderer) for label in labels]
            assert len(boxes) >= 2
            assert not any(a.overlaps(b) for a, b in pairwise(boxes))


def test_axes_name_their_units():
    assert [ax.get_xlabel().split("\n")[0] for ax in layer_figure(layers()).axes] == [
        "Effectiveness (%)",
        "Intrusion (%)",
    ]
    fig = FIGURES["sensitivity"][0]()
    assert (fig.axes[0].get_xlabel(), fig.axes[0].get_ylabel()) == ("Horizon Δ (h)", "Coverage (%)")
    fig = FIGURES["timeline"][0]()
    assert (fig.axes[0].get_xlabel(), fig.axes[0].get_ylabel()) == ("Local day (2015)", "Local time (h)")


def test_layer_frame_holds_ours_and_published():
    frame = layers()
    assert list(frame["source"].unique()) == ["ours", "published"]
    assert list(frame["scope"].unique()) == ["sports", "code"]
    assert list(frame["method"].unique()) == list(VARIANTS)
    published = frame[(frame["source"] == "published") & (frame["metric"] == "effectiveness")]
    assert list(published["value"]) == [38.3, 38.9, 48.8, 28.7, 48.5, 55.4]
    ours = frame[frame["source"] == "ours"]
    assert (ours["low"] <= ours["value"]).all()
    assert (ours["value"] <= ours["high"]).all()
    assert "published" not in set(layer_frame([score({"a": Counts(1, 1, 1, 1)})], published=False)["source"])


def test_what_is_drawn_is_the_data():
    fig = layer_figure(layers())
    drawn = sorted(
        round(float(x), 6) for ax in fig.axes for line in ax.lines if line.get_marker() in "osD" for x in line.get_xdata()
    )
    assert drawn == sorted(round(value, 6) for value in layers()["value"])
    events = timeline()
    points = [line for line in timeline_figure(events).axes[0].lines if line.get_marker() in ("D", "s", "o")]
    rings = [line for line in points if line.get_markerfacecolor() == "none"]
    assert sum(len(line.get_xdata()) for line in points) - len(rings[0].get_xdata()) == len(events)
    assert len(rings[0].get_xdata()) == 3


def test_the_house_style_leaves_no_trace():
    before = dict(mpl.rcParams)
    with house_style():
        assert mpl.rcParams["font.size"] == 7.5
    FIGURES["layers"][0]()
    assert dict(mpl.rcParams) == before


def test_series_differ_without_colour():
    looks = [series(i) for i in range(7)]
    assert (
        len({look.marker for look in looks}) == len({look.line for look in looks}) == len({look.colour for look in looks}) == 7
    )


def test_a_table_is_saved_as_its_csv(tmp_path):
    table = main_table([score({"a": Counts(1, 1, 1, 1)})])
    saved = save_figure(FIGURES["layers"][0](), tmp_path, "x", table)
    assert saved.csv.read_text(encoding="utf-8") == table.csv()


def test_notebooks_show_the_picture():
    assert FIGURES["timeline"][0]()._repr_png_().startswith(b"\x89PNG")


def test_figures_need_their_columns():
    with pytest.raises(InputError, match="field 'hour'"):
        timeline_figure(timeline().drop(columns="hour"))
    with pytest.raises(InputError, match="at least one row"):
        layer_figure(layers().iloc[:0])
    with pytest.raises(InputError, match="'shout'"):
        timeline_figure(timeline().assign(decision="shout"))
    with pytest.raises(InputError, match="field 'start_hour'"):
        timeline_figure(timeline(), WINDOWS.drop(columns="start_hour"))


def test_undefined_values_leave_a_gap():
    frame = layer_frame([score({"a": Counts(fn=1), "b": Counts(fn=2)}, method="never")], published=False)
    assert frame["value"].isna().tolist() == [False, True]
    layer_figure(frame).draw_without_rendering()
