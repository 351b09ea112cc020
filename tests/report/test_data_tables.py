from __future__ import annotations

from proactmem.core.labels import Label
from proactmem.datasets.card import Card, Span
from proactmem.datasets.simulate import truth
from proactmem.report.data_tables import card_table, composition_table, label_table, planted_table


def card(scope="sports", **changes):
    span = Span(stream_id="p1", events=3, first="2015-07-20T09:00:00Z", last="2015-07-20T11:00:00Z")
    values = {"source": "made up", "scope": scope, "events": 3, "streams": (span,), "licence": "none.", "attribution": "none"}
    return Card(**(values | changes))


def label(event_id, a=None, b=None, n=None):
    y = bool((a or b) and n)
    return ("p1", event_id), Label(event_id=event_id, y=y, a=a, b=b, n=n)


LABELS = dict(
    [
        label("e1", True, False, True),
        label("e2", False, True, True),
        label("e3", True, True, True),
        label("e4", True, False, False),
        label("e5", False, False, True),
        label("e6"),
    ]
)


def texts(table):
    return [[cell.text for cell in row] for row in table.sheet().rows]


def test_what_is_not_built_is_not_zero():
    rows = {row[0]: row[1:] for row in texts(composition_table([(card(), LABELS)], data="made up"))}
    assert rows["Sports"] == ["1", "3", "3", "9", "1\u202f456", "365"]
    assert rows["Home"] == ["—", "—", "—", "4", "1\u202f624", "190"]
    table = composition_table([(card(), {})], data="made up")
    assert ("b" if table.sheet().notes[0][1] == "not built" else "a", "not labelled") in table.sheet().notes
    assert {row[0]: row[1:] for row in texts(table)}["Sports"][2] == "undefined"


def test_a_scope_of_ours_has_no_published_row():
    rows = {row[0]: row[1:] for row in texts(composition_table([(card("desktop"), LABELS)], data="made up"))}
    assert rows["Desktop"] == ["1", "3", "3", *["not published here"] * 3]


def test_three_scopes_have_a_total_beside_the_published_one():
    table = composition_table([(card(scope), LABELS) for scope in ("sports", "home", "code")], data="made up")
    assert texts(table)[-1] == ["Total", "3", "9", "9", "17", "4\u202f539", "729"]
    without = composition_table([(card(scope), {}) for scope in ("sports", "home", "code")], data="made up")
    assert [row[0] for row in texts(without)] == ["Sports", "Home", "Code"]


def test_labels_by_equation_9():
    ((stream, *counts, share),) = texts(label_table(LABELS, data="made up"))
    assert stream == "p1"
    assert counts == ["1", "1", "1", "1", "1", "1"]  # A only, B only, both, covered, no support, unknown
    assert share == "60.0"  # of the five whose A, B and N are known


def test_every_reason_that_was_looked_for_is_listed():
    rows = dict(texts(card_table(card(dropped={"not_connected": 7, "no_decision_time": 0}, noticed={"gaps": 1}))))
    assert rows == {
        "became an event": "3",
        "dropped: not connected": "7",
        "dropped: no decision time": "0",
        "noticed, kept: gaps": "1",
    }


def test_planted_habits_and_decoys():
    walked = truth.Predicate(path="observable_payload.jawbone_steps_pre60", op=">=", value=900)
    fair = truth.Predicate(path="observable_payload.weather_condition", op="in", value=("Clear", "Partly Cloudy"))
    window = truth.Window(start="17:00", end="18:30")
    decoy = truth.Decoy(
        id="d1", reason="one_week_only", trigger=fair, behavior=walked, window=window, weekdays=None, dates=("2015-07-20",)
    )
    habit = truth.Habit(
        id="h1", kind="after_work", trigger=fair, behavior=walked, window=window, weekdays=(0, 2), start_date="2015-07-20",
        end_date=None, follows=None, kept=("2015-07-20",), skipped=(), inapplicable=(), unobservable=(),
    )  # fmt: skip
    person = truth.PersonTruth(
        participant=1, first_date="2015-07-20", days=1, habits=(habit,), decoys=(decoy,), episodes=(), misjudged=()
    )
    first, second = texts(planted_table({"heartsteps_participant_01": person}, data="made up"))
    assert first[1:5] == [
        "after work",
        "weather_condition = Clear or Partly Cloudy",
        "jawbone_steps_pre60 >= 900",
        "17:00–18:30 Mon Wed",
    ]
    assert first[5:] == ["2015-07-20 to the end", "1", "0"]
    assert second[1] == "decoy: one week only"
    assert second[6:] == ["—", "—"]
    assert planted_table({}, data="made up").rows == ()
