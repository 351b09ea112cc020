from __future__ import annotations

from datetime import date

from proactmem.core.regularities import Transition
from proactmem.core.trajectories import DailyRecord, SegmentRejection
from proactmem.datasets.planted import Recovery
from proactmem.report.memory_tables import MemoryTally, recovery_table, tally_table

DAY = date(2015, 7, 20)


def change(name, after, before=None):
    return Transition(regularity_id=name, day=DAY, before=before, after=after, cause="test")


def tally(method="ProactMem", fabricate=0.0, **changes):
    refused = SegmentRejection(reason="value_differs", detail="x", position=0)
    day = DailyRecord(record_id="day_1", stream_id="p1", day=DAY, events=3, outcome="nothing", rejections=(refused, refused))
    values = {"days": [day], "proposals": 4, "malformed": 1, "changes": [("p1", change("r1", "candidate"))]}
    return MemoryTally.of(method, fabricate=fabricate, **(values | changes))


def test_a_regularity_counts_once_a_stream():
    changes = [
        ("p1", change("r1", "candidate")),
        ("p1", change("r1", "active", "candidate")),
        ("p1", change("r1", "dormant", "weakening")),
        ("p1", change("r1", "candidate", "dormant")),
        ("p1", change("r1", "active", "candidate")),
        ("p2", change("r1", "candidate")),
    ]
    found = tally(changes=changes)
    assert (found.candidates, found.active, found.suspended) == (2, 1, 1)
    assert found.refused == {"value_differs": 2}
    assert (found.daily_records, found.accepted) == (1, 0)


def test_rows_are_ordered_by_rate_then_method_and_reasons_are_columns():
    tallies = [tally(fabricate=0.3), tally("w/o replay gate"), tally(days=[])]
    table = tally_table(tallies, backbone="offline backbone", data="made up")
    assert [row.cells[0].value for row in table.rows] == ["w/o replay gate", "ProactMem", "ProactMem"]
    assert [row.cells[1].value for row in table.rows] == [0.0, 0.0, 0.3]
    names = [column.name for column in table.columns]
    at = names.index("Refused: value differs")
    assert [row.cells[at].value for row in table.rows] == [2, 0, 2]


def test_recall_and_precision_are_shares_and_undefined_without_a_denominator():
    rows = [(tally(), Recovery(habits=4, found=3, found_with_trigger=1, admitted=8, true=6, true_with_trigger=2, decoys=5))]
    (line,) = recovery_table(rows, backbone="offline backbone", data="made up").sheet().rows
    assert [cell.text for cell in line[2:]] == ["4", "75.0", "25.0", "8", "75.0", "25.0", "5", "0"]
    (line,) = recovery_table([(tally(), Recovery())], backbone="offline backbone", data="made up").sheet().rows
    assert [cell.text for cell in line[2:]] == ["0", "undefined", "undefined", "0", "undefined", "undefined", "0", "0"]
