"""Setting a widget's value does what a person's hand does; what goes wrong is said and changes nothing."""

from __future__ import annotations

import re
from base64 import b64decode
from html import escape

import pytest

from proactmem.core.records import RunManifest
from proactmem.errors import ConfigError
from proactmem.explore import view as view_module
from proactmem.explore.explorer import Explorer
from proactmem.explore.jumps import MARKS, jump, repeated
from proactmem.explore.source import Source
from proactmem.explore.view import View
from proactmem.run.catalog import METHODS
from proactmem.run.store import RunDirectory
from tests.explore.making import built, desktop_events, home_events
from tests.run.making import FIRST, SECOND, do

WIDGET = "application/vnd.jupyter.widget-view+json"


DRAWN = view_module._image


@pytest.fixture(autouse=True)
def _words_for_pictures(monkeypatch):
    """Pictures are made but not rendered, except where a test says so: rendering takes most of the time."""
    monkeypatch.setattr(view_module, "_image", lambda _figure, words: f"<img alt='{escape(words)}'>")


def text(widget):
    return re.sub("<[^>]*>", "", widget.value)


def alt(widget):
    (found,) = re.findall(r"<img alt='([^']*)'", widget.value)
    return found


@pytest.fixture
def view(explorer):
    return View(explorer, stream=FIRST, method="proactmem")


def test_it_opens_on_an_event_that_tells_much(view):
    record = view.replayed.records[view.event.value]
    assert record.decision.verdict == "intervene"
    assert record.context.regularities
    assert (view.scope.value, view.stream.value, view.method.value, view.days.value) == ("sports", FIRST, "proactmem", 0)
    assert view.event.max == len(view.replayed.events) - 1
    assert [name for _, name in view.scope.options] == ["sports", "home", "code", "desktop"]
    assert [name for _, name in view.method.options] == list(METHODS)
    assert text(view.status).startswith(f"Event {view.event.value}, ")


def test_it_opens_where_it_is_told_to(explorer):
    event = explorer.replay("casas_home_0001", "never").events[11]
    view = View(explorer, stream="casas_home_0001", event=event.event_id, method="never", days=7)
    assert (view.scope.value, view.event.value, view.method.value, view.days.value) == ("home", 11, "never", 7)
    with pytest.raises(ConfigError, match="no event 'x'"):
        View(explorer, event="x")
    with pytest.raises(ConfigError, match="no stream 'x'"):
        View(explorer, stream="x")
    with pytest.raises(ConfigError, match="unknown method 'x'"):
        View(explorer, method="x")


def test_moving_the_slider_redraws_everything(view, monkeypatch):
    monkeypatch.setattr(view_module, "_image", DRAWN)
    view.event.value = 2
    shown = (view.timeline.value, view.day.value, view.account.value)
    view.event.value = 3
    assert all(before != now.value for before, now in zip(shown, (view.timeline, view.day, view.account), strict=True))
    for picture in (view.timeline, view.day):
        (data,) = re.findall("src='data:image/png;base64,([^']*)'", picture.value)
        assert b64decode(data, validate=True).startswith(b"\x89PNG")
    assert "Event 3 " in alt(view.timeline)
    assert "Event 3 is marked" in alt(view.day)
    assert f"Event 3 of 0 to {view.event.max}" in text(view.account)


def test_buttons_go_where_the_jumps_do_and_say_where_there_is_nothing(view):
    for (mark, step), button in view.jumps.items():
        with view._quiet():  # without drawing what nobody looks at
            view.event.value = 20
        expected = jump(view.replayed, 20, mark, step)
        button.click()
        assert view.event.value == (20 if expected is None else expected)
        assert ("There is no" in text(view.status)) == (expected is None)
    assert set(view.jumps) == {(mark, step) for mark in MARKS for step in (1, -1)}
    view.event.value = view.event.max
    view.jumps["event", 1].click()
    assert text(view.status) == f"There is no event after event {view.event.max}."


def test_a_suppression_leads_to_what_it_repeats(view):
    view.event.value = jump(view.replayed, -1, "suppression")
    expected = repeated(view.replayed, view.event.value)
    view.repeats.click()
    assert view.event.value == expected
    view.repeats.click()
    assert (view.event.value, text(view.status)) == (expected, "Nothing was suppressed here.")


def test_another_method_is_looked_at_at_the_same_event(view):
    view.event.value = 17
    view.method.value = "always"
    assert (view.replayed.manifest.method, view.event.value) == ("always", 17)
    assert "the method looks at no context" in text(view.account)
    assert "under always, offline backbone" in alt(view.timeline)


def test_another_stream_starts_at_its_own_event(view):
    view.event.value = view.event.max
    view.stream.value = SECOND
    assert view.replayed.stream_id == SECOND
    assert view.event.max == len(view.replayed.events) - 1
    assert view.replayed.records[view.event.value].decision.verdict == "intervene"


def test_another_scope_shows_its_streams(view):
    view.scope.value = "home"
    assert (view.stream.options, view.stream.value) == (("casas_home_0001",), "casas_home_0001")
    assert view.replayed.events[0].scope == "home"
    view.scope.value = "sports"
    assert (view.stream.value, view.method.value) == (FIRST, "proactmem")


def test_a_stream_of_one_day_has_no_timeline_and_one_without_labels_no_jumps_to_them(view):
    view.scope.value = "desktop"
    assert view.timeline.value == ""
    assert alt(view.day)
    assert all(view.jumps[mark, step].disabled == (mark in ("label", "mistake")) for mark, step in view.jumps)
    view.scope.value = "home"
    assert not any(button.disabled for button in view.jumps.values())


def test_labels_can_be_left_away(view):
    assert "joined afterwards" in text(view.account)
    view.labelled.value = False
    assert "joined afterwards" not in text(view.account)
    assert "reference" not in alt(view.timeline) + alt(view.day)
    assert view.jumps["label", 1].disabled


def test_the_text_of_explain_and_the_exact_prompt_are_there_when_asked_for(view):
    assert "As `proactmem explain` tells it" in text(view.account)
    view.explained.value = False
    assert "proactmem explain" not in text(view.account)
    view.prompted.value = True
    assert "--- decision, reply" in text(view.account)


def test_long_streams_are_shown_by_pages(tmp_path):
    view = View(Explorer.of(Source.of_folder(built(tmp_path, home_events(61)), tmp_path)), method="never")
    assert view.days.value == 28
    assert "2012-07-20 to 2012-08-16" in alt(view.timeline)
    view.days.value = 0
    view.method.value = "always"
    assert view.days.value == 0
    assert "2012-07-20 to 2012-09-18" in alt(view.timeline)


def test_what_goes_wrong_is_said_and_changes_nothing(root, folders, tmp_path):
    one = do("never", folders["sports"], tmp_path / "mine", only=(FIRST,))
    view = View(Explorer.of(Source.of_folder(folders["sports"], root, [one])))
    assert (view.method.value, view.stream.value) == ("mine", FIRST)
    shown = view.account.value
    view.stream.value = SECOND
    assert f"stream '{SECOND}' is not finished in it" in view.status.value.replace("&#x27;", "'")
    assert (view.stream.value, view.method.value, view.account.value) == (FIRST, "mine", shown)


def test_a_run_that_another_process_writes_is_left_alone(explorer, view):
    run = explorer.sources["sports"].run("trajectory", FIRST)
    with RunDirectory.open(run, RunManifest.model_validate_json((run / "manifest.json").read_bytes())):
        view.method.value = "trajectory"
    assert "another process is writing to this run" in text(view.status)
    assert view.method.value == "proactmem"
    view.method.value = "trajectory"
    assert view.replayed.run == run


def test_a_missing_recording_is_said_and_the_account_stays(root, folders, tmp_path):
    run = do("event-only", folders["desktop"], tmp_path / "mine")
    view = View(Explorer.of(Source.of_folder(folders["desktop"], root, [run])))
    (run / "replies.sqlite").unlink()
    view.prompted.value = True
    assert "holds no recording" in text(view.status)
    assert "What the method saw" in text(view.account)


def test_progress_of_a_run_is_said(tmp_path):
    said: list[str] = []
    view = View(Explorer.of(Source.of_folder(built(tmp_path, desktop_events()), tmp_path)), method="never")
    view.status.observe(lambda change: said.append(change["new"]), names="value")
    view.method.value = "event-only"
    assert any("Replaying d1: 10 of 20 events" in one for one in said)
    assert "event-only, offline backbone on d1" in said[0]


def test_nothing_of_an_event_becomes_markup(view):
    view.scope.value = "code"
    for index in range(6):
        view.event.value = index
        for widget in (view.account, view.status, view.timeline, view.day):
            assert "<script" not in widget.value
            assert widget.value.count("<img") == (1 if widget in (view.timeline, view.day) else 0)
    assert "&lt;script&gt;" in view.account.value


def test_every_control_says_what_it_does(view):
    assert all(button.tooltip and button.description for button in (*view.jumps.values(), view.repeats))
    choices = (view.scope, view.stream, view.method, view.days, view.event)
    assert [widget.description for widget in choices] == ["Scope", "Stream", "Method", "Shown", "Event"]
    assert "role='status'" in view.status.value
    assert "aria-live='polite'" in view.status.value


def test_a_page_without_a_kernel_shows_the_same_line_every_time(explorer, view):
    bundle, again = view._repr_mimebundle_(include=None, exclude=None), View(explorer)._repr_mimebundle_()
    assert bundle[WIDGET]["model_id"] == view.root.model_id
    assert bundle["text/plain"] == again["text/plain"]
    assert bundle[WIDGET] != again[WIDGET]
