from __future__ import annotations

from datetime import date

import pandas as pd

from proactmem.core.decisions import Suppression
from proactmem.core.predicates import Predicate
from proactmem.core.records import CallRecord
from proactmem.core.regularities import Regularity, Transition, Window
from proactmem.core.trajectories import DailyRecord, SegmentRejection
from proactmem.report import stream_tables
from tests.samples import code, desktop, home, sports, stream
from tests.score.making import record

LABELS = {"backbone": "offline backbone", "data": "made up"}


def texts(table):
    return [[cell.text for cell in row] for row in table.sheet().rows]


def test_events_keep_the_sources_writing_and_a_missing_count_stays_empty():
    events = stream(sports("e1", "2015-07-20T09:00:00", steps60=0), sports("e2", "2015-07-20T12:30:00", steps60=None))
    rows = texts(stream_tables.event_table(events, data="made up"))
    assert rows[0] == ["Mon 2015-07-20 09:00", "yes", "STILL", "home", "Clear", "0"]
    assert rows[1][-1] == ""


def test_every_scope_can_be_shown():
    shown = {
        "home": home("h", "2012-07-21T00:00", kitchen=3, bath=1),
        "code": code("c", "2025-06-30T00:22:02Z", title="A title"),
        "desktop": desktop("d", "2024-01-01T10:00:00Z", "The user writes."),
    }
    found = {scope: texts(stream_tables.event_table(stream(event), data="made up"))[0][1:] for scope, event in shown.items()}
    assert found["home"] == ["8", "kitchen, bath", ""]
    assert found["code"] == ["IssuesEvent", "opened", "7", "A title"]
    assert found["desktop"] == ["The user writes."]


def test_typed_facts_are_canonical():
    (event,) = stream(sports("e1", "2015-07-20T09:00:00", steps60=None))
    facts = {row[0]: row[1:] for row in texts(stream_tables.fact_table(event, data="made up"))}
    assert facts["observable_payload.recognized_activity"] == ["text", "still"]
    assert facts["observable_payload.temperature_c"] == ["number", "20"]
    assert "observable_payload.jawbone_steps_pre60" not in facts


def test_refused_segments_stand_beside_accepted_ones():
    refused = SegmentRejection(reason="value_differs", detail="path is not 'x'", position=1)
    day = DailyRecord(
        record_id="day_1", stream_id="p1", day=date(2015, 7, 20), events=2, outcome="nothing", rejections=(refused,)
    )
    table = stream_tables.day_table(day, **LABELS)
    assert texts(table) == [["refused: value differs", "reply, segment 2", "path is not 'x'"]]
    assert "2015-07-20, 2 events, 0 accepted, 1 refused" in table.full_caption


def test_decisions_by_reason_are_shares_of_all():
    records = [
        record("p1", 0, True, True),
        record("p1", 1, False, True),
        record("p1", 2, False, False),
        record("p1", 3, False, False),
    ]
    rows = texts(stream_tables.reason_table(records, **LABELS))
    assert rows[0] == ["intervene", "", "1", "25.0"]
    assert rows[1:] == [["abstain", "proposed", "2", "50.0"], ["abstain", "suppressed", "1", "25.0"]]
    assert texts(stream_tables.decision_table(records[:1], **LABELS)) == [
        ["p1", records[0].day, "0", "0", "0", "intervene", "", "walk: participant"]
    ]


def test_a_suppressed_proposal_names_what_it_repeats():
    records = [record("p1", 0, True, True), record("p1", 1, False, True)]
    assert records[1].decision.suppression == Suppression(key="k", earlier_event_id="e0")
    (row,) = texts(stream_tables.suppression_table(records, **LABELS))
    assert row[2:] == ["walk: participant", "e0", "k"]


def test_tokens_that_nobody_counted_are_not_zero():
    calls = [
        CallRecord(role="decision", key="a", prompt_tokens=10, completion_tokens=2),
        CallRecord(role="decision", key="b", prompt_tokens=None, completion_tokens=2),
        CallRecord(role="daily", key="c", prompt_tokens=30, completion_tokens=10),
    ]
    table = stream_tables.call_table(calls, 2, **LABELS, approximate=True)
    assert texts(table) == [["daily", "1", "30", "10", "20.00"], ["decision", "2", "—", "4", "—"]]
    assert "approximate" in table.full_caption


def regularity(weekdays=None):
    return Regularity(
        trigger=Predicate(path="observable_payload.decision_slot", op="==", value=4),
        behavior=Predicate(path="observable_payload.jawbone_steps_pre60", op=">=", value=1000),
        window=Window(start="17:00", end="18:30"),
        weekdays=weekdays,
    )


def change(day, after, known):
    return Transition(
        regularity_id=known.regularity_id, day=date.fromisoformat(day), before=None, after=after, cause="c"
    ), known


def test_windows_are_drawn_while_a_regularity_was_active_or_weakening():
    known = regularity()
    changes = [
        change("2015-07-20", "candidate", known),
        change("2015-07-20", "active", known),
        change("2015-07-22", "weakening", known),
        change("2015-07-24", "dormant", known),
        change("2015-07-26", "active", known),
    ]
    assert stream_tables.window_frame(changes, "2015-07-28").to_numpy().tolist() == [
        ["2015-07-21", "2015-07-24", 17.0, 18.5],
        ["2015-07-27", "2015-07-28", 17.0, 18.5],
    ]
    assert stream_tables.window_frame(changes, "2015-07-26").to_numpy().tolist() == [["2015-07-21", "2015-07-24", 17.0, 18.5]]
    assert stream_tables.window_frame([], "2015-07-28").empty


def test_windows_keep_to_their_weekdays():
    changes = [change("2015-07-23", "active", regularity((0, 4)))]  # a Thursday; Mondays and Fridays
    rows = stream_tables.window_frame(changes, "2015-08-01").to_numpy().tolist()
    assert [row[:2] for row in rows] == [[day, day] for day in ("2015-07-24", "2015-07-27", "2015-07-31")]


def test_lifecycle_names_its_regularity():
    known = regularity()
    table = stream_tables.lifecycle_table([change("2015-07-20", "candidate", known)], **LABELS)
    assert texts(table) == [["2015-07-20", "(new)", "candidate", "c"]]
    assert str(known) in table.caption


def test_a_timeline_without_labels_has_no_opportunities():
    events = stream(sports("e1", "2015-07-20T09:30:00"), sports("e2", "2015-07-20T12:00:00"))
    records = [record("p1", 0, True, True), record("p1", 1, False, True)]
    frame = stream_tables.timeline_frame(events, records)
    assert frame.to_numpy().tolist() == [["2015-07-20", 9.5, "intervene"], ["2015-07-20", 12.0, "suppressed"]]
    ringed = stream_tables.timeline_frame(events, records, {"e1": True})
    assert ringed["opportunity"].iloc[0] is True or bool(ringed["opportunity"].iloc[0])
    assert pd.isna(ringed["opportunity"].iloc[1])
