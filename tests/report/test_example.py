from __future__ import annotations

from proactmem.core.labels import Label
from proactmem.report.example import example_event, example_text
from tests.samples import code, stream


def test_the_example_is_a_positive_that_needs_history_where_there_is_one():
    events = stream(*(code(f"e{day}", f"2025-06-0{day}T10:00:00Z") for day in range(1, 5)))
    now = Label(event_id="e2", y=True, a=True, b=False, n=True)
    then = Label(event_id="e3", y=True, a=False, b=True, n=True)
    assert example_event(events, {"e2": now, "e3": then}).event_id == "e3"
    assert example_event(events, {"e2": now}).event_id == "e2"
    assert example_event(events, {}).event_id == "e1"


def test_the_label_stands_above_the_event_and_nesting_is_kept():
    (event,) = stream(code("ghe_1", "2025-06-30T00:22:02Z", 1005, title="Crash", comment_body="x" * 161))
    text = example_text(event, Label(event_id="ghe_1", y=True, a=False, b=True, n=True, service="triage"))
    first, rest = text.split("\n", 1)
    assert first == "GT: y = 1 (intervene); A = 0, B = 1, N = 1; service: triage"
    assert '"object": {\n    "number": 1005,' in rest
    assert "x" * 160 + "… (161 characters)" in rest
    assert example_text(event, None).startswith("GT: not labelled\n")
