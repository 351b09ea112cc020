"""The pictures draw every event once, whole and in their frame, and say in words what they show."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

from proactmem.explore.day import day_figure, day_text
from proactmem.explore.drawing import DECISION_MARKS, MATCH_MARKS, drawable
from proactmem.explore.explorer import Explorer
from proactmem.explore.jumps import jump
from proactmem.explore.layers import applied, layers_at, stretches
from proactmem.explore.source import Source
from proactmem.explore.timeline import shown_days, timeline_figure, timeline_text
from tests.explore.making import built, home_events


def drawn(fig):
    canvas = FigureCanvasAgg(fig)
    canvas.draw()
    return canvas.get_renderer()


def points(ax, marker, face=None):
    """Places of all marks of that kind on the axes."""
    lines = [line for line in ax.lines if line.get_marker() == marker and line.get_linestyle() == "None"]
    lines = [line for line in lines if face is None or line.get_markerfacecolor() == face]
    return [(x, float(y)) for line in lines for x, y in zip(line.get_xdata(), line.get_ydata(), strict=True)]


def hours(moments, *names):
    return sorted(moment.hour for moment in moments if moment.decision in names)


@pytest.mark.parametrize("scope", ["sports", "home", "code", "desktop"])
@pytest.mark.parametrize("draw", [timeline_figure, day_figure], ids=["timeline", "day"])
@pytest.mark.parametrize("width", [6.9, 3.3])
def test_nothing_is_clipped_and_the_legend_lies_outside(explorer, scope, draw, width):
    replayed = explorer.replay(method="proactmem", scope=scope)
    for index in (0, len(replayed.events) * 2 // 3, len(replayed.events) - 1):
        fig = draw(replayed, index, width=width)
        renderer, page = drawn(fig), fig.bbox
        for ax in fig.axes:
            ticks = [text for text in (*ax.get_xticklabels(), *ax.get_yticklabels()) if text.get_text()]
            texts = [text for text in (ax.title, ax.xaxis.label, ax.yaxis.label, *ticks) if text.get_text()]
            boxes = [text.get_window_extent(renderer) for text in texts if text.get_visible()]
            boxes += [legend.get_window_extent(renderer) for legend in fig.legends]
            if width > 5:
                assert all(box.x0 >= page.x0 - 1 and box.x1 <= page.x1 + 1 for box in boxes)
            assert all(box.y0 >= page.y0 - 1 and box.y1 <= page.y1 + 1 for box in boxes)
            for legend in fig.legends:
                assert not legend.get_window_extent(renderer).overlaps(ax.get_window_extent(renderer))
        across = [text.get_window_extent(renderer) for text in fig.axes[-1].get_xticklabels() if text.get_text()]
        assert len(across) >= 1
        assert not any(a.overlaps(b) for a, b in pairwise(across))


def test_every_event_of_the_timeline_is_drawn_once_by_its_decision(sports):
    ax = timeline_figure(sports, 40).axes[0]
    for decision, style in DECISION_MARKS.items():
        found = points(ax, style.marker, style.colour)
        assert sorted(y for _, y in found) == pytest.approx(hours(sports.moments, decision))
    rings = points(ax, "o", "none")
    assert len(rings) == sum(bool(moment.opportunity) for moment in sports.moments) > 0
    ((_, y),) = points(ax, "s", "none")
    assert y == pytest.approx(sports.moments[40].hour)
    assert points(timeline_figure(sports, 40, labelled=False).axes[0], "o", "none") == []


def test_memory_is_drawn_below_the_timeline(sports):
    index = jump(sports, 50, "match")
    figure = timeline_figure(sports, index)
    _, ax = figure.axes
    records = points(ax, "s", "#222222") + points(ax, "s", "#AAAAAA")
    assert len(records) == len(sports.days)
    assert len(points(ax, "s", "#222222")) == len(layers_at(sports, index).open_cycle) > 0
    names = [text.get_text() for text in ax.get_yticklabels()]
    assert names[0] == "daily records"
    assert {f"R{number}" for number, _ in applied(sports, index)} <= set(names)
    shown = {int(name[1:]) for name in names[1:]}
    expected = Counter(match.state for place in range(len(sports.events)) for n, match in applied(sports, place) if n in shown)
    for state, style in MATCH_MARKS.items():
        assert len(points(ax, style.marker, style.face or style.colour)) == expected[state]
    assert len(names) - 1 == min(len({one.number for one in stretches(sports)}), 8)


def test_every_event_of_the_day_is_drawn_once_by_its_decision(sports, explorer):
    home = explorer.replay(method="proactmem", scope="home")
    for replayed in (sports, home):
        index = jump(replayed, 50, "match")
        day = [moment for moment in replayed.moments if moment.day == replayed.moments[index].day]
        ax = day_figure(replayed, index).axes[0]
        for decision, style in DECISION_MARKS.items():
            found = points(ax, style.marker, style.colour)
            assert sorted(x for x, _ in found) == pytest.approx(hours(day, decision))
            row = [text.get_text() for text in ax.get_yticklabels()].index(decision)
            assert all(abs(y - row) <= 0.25 for _, y in found)
        assert len(points(ax, "o", "none")) == sum(bool(moment.opportunity) for moment in day)


def test_windows_of_the_day_are_those_that_could_be_due(sports):
    index = jump(sports, 60, "match")
    ax = day_figure(sports, index).axes[1]
    day = sports.moments[index].day
    due = {one.number: one.hours for one in stretches(sports) if one.applies(day)}
    names = [int(text.get_text()[1:]) for text in ax.get_yticklabels()]
    drawn_bars = {(round(bar.get_y() + bar.get_height() / 2), bar.get_x(), bar.get_x() + bar.get_width()) for bar in ax.patches}
    assert drawn_bars == {(row, *due[number]) for row, number in enumerate(names)}


def test_a_short_day_is_drawn_over_its_own_hours(explorer):
    desktop = explorer.replay(scope="desktop")
    ax = day_figure(desktop, 3).axes[0]
    low, high = ax.get_xlim()
    assert low <= desktop.moments[0].start
    assert high >= desktop.moments[-1].hour
    assert high - low < 1
    assert len(ax.get_xticks()) >= 3


def test_pages_do_not_move_with_the_event_and_cover_the_stream(sports):
    first, last = sports.events[0].day, sports.events[-1].day
    assert shown_days(sports, 5) == shown_days(sports, 5, 400) == (first, last)
    pages = [shown_days(sports, moment.index, 7) for moment in sports.moments]
    assert all(page.holds(moment.day) for page, moment in zip(pages, sports.moments, strict=True))
    distinct = sorted(set(pages))
    assert distinct[0].first == first
    assert distinct[-1].last == last
    for one, other in pairwise(distinct):
        assert (other.first - one.last).days == 1
        assert (one.last - one.first).days == 6


def test_a_page_draws_its_own_days(sports):
    index = jump(sports, 60, "match")
    page = shown_days(sports, index, 7)
    inside = [moment for moment in sports.moments if page.holds(moment.day)]
    ax, below = timeline_figure(sports, index, days=7).axes
    found = [one for style in DECISION_MARKS.values() for one in points(ax, style.marker, style.colour)]
    assert len(found) == len(inside) < len(sports.moments)
    assert len(points(below, "s")) == sum(page.holds(record.day) for record in sports.days)
    assert f"{len(inside)} events" in timeline_text(sports, index, days=7)


def test_the_words_say_what_the_picture_shows(sports):
    index = jump(sports, 60, "match")
    words = timeline_text(sports, index)
    counts = sports.frame["decision"].value_counts()
    assert f"{counts['intervene']} intervene" in words
    assert f"Event {index} on {sports.events[index].day} is marked" in words
    assert "reference opportunities are ringed" in words
    assert "reference" not in timeline_text(sports, index, labelled=False)
    told = day_text(sports, index)
    for moment in sports.moments:
        assert (f"event {moment.index} at " in told) == (moment.day == sports.moments[index].day)
    assert "(reference: intervene)" in day_text(sports, jump(sports, -1, "label"))
    assert "(reference: intervene)" not in day_text(sports, jump(sports, -1, "label"), labelled=False)


def test_event_memory_is_shaded_back_to_its_oldest_event(sports):
    index = 40
    recent = layers_at(sports, index).recent
    oldest, now = sports.events[recent.start], sports.events[index]
    (legend,) = timeline_figure(sports, index).legends
    assert "event memory S_t" in [text.get_text() for text in legend.get_texts()]
    areas = [area for area in timeline_figure(sports, index).axes[0].collections if area.get_facecolor()[0][2] > 0.8]
    assert len(areas) == (now.day - oldest.day).days + 1
    lows = [area.get_paths()[0].vertices[:, 1].min() for area in areas]
    highs = [area.get_paths()[0].vertices[:, 1].max() for area in areas]
    assert lows[0] == pytest.approx(oldest.span[1] / 3600)
    assert highs[-1] == pytest.approx(now.span[1] / 3600)
    assert not any("S_t" in text.get_text() for text in timeline_figure(sports, 0).legends[0].get_texts())


def test_pictures_repeat_byte_for_byte(sports):
    for draw in (timeline_figure, day_figure):
        assert draw(sports, 40)._repr_png_() == draw(sports, 40)._repr_png_()


def test_names_are_data_and_no_formula(tmp_path):
    name = "h $x_{$ \\frac <b> 寝室 \x1b"
    events = [event.model_copy(update={"stream_id": name.replace("\x1b", "")}) for event in home_events(2)]
    replayed = Explorer.of(Source.of_folder(built(tmp_path, events), tmp_path)).replay()
    for draw in (timeline_figure, day_figure):
        title = draw(replayed, 3)
        drawn(title)
        assert "$x_{$ \\frac <b> □□" in title.axes[0].get_title(loc="left")


@pytest.mark.parametrize(
    ("text", "shown"),
    [("plain", "plain"), ("a\n b\tc", "a b c"), ("寝", "□"), ("\u202eabc", "□abc"), ("x" * 90, "x" * 79 + "…"), ("", "")],
)
def test_a_text_is_shown_as_the_font_can(text, shown):
    assert drawable(text) == shown
