"""proactmem.llm.faults: fabrications at the stated rate, well-formed, repeatable, and false."""

from __future__ import annotations

import json
from typing import Any

import pytest

from proactmem.config import MemoryConfig
from proactmem.errors import ConfigError
from proactmem.llm.backbone import Backbone, Reply, Request, Role
from proactmem.llm.faults import FabricatingBackbone
from proactmem.memory.daily import build_day
from proactmem.memory.weekly import propose_week
from tests.llm.doubles import Answering, ask
from tests.samples import sports, stream
from tests.scripted import Scripted, faithful_day

PLACES = ("observed", "context_before", "outcome")
FACTS = [
    {"path": "observable_payload.recognized_activity", "value": "STILL"},
    {"path": "observable_payload.jawbone_steps_pre60", "value": 120},
    {"path": "observable_payload.temperature_c", "value": 20.5},
    {"path": "observable_payload.available", "value": True},
]


def day(number: int) -> tuple[Request, str]:
    """A daily request and a faithful reply: 10 segments of 8 facts."""
    parts = {"observed": FACTS, "context_before": FACTS[:2], "outcome": FACTS[2:]}
    segments = [
        {"entity": "p1", "start": f"{hour:02d}:00", "end": f"{hour:02d}:30", "sources": [f"e{hour}"], **parts}
        for hour in range(8, 18)
    ]
    events = "\n".join(json.dumps({"event_id": f"e{hour}", "day": number, "payload": FACTS}) for hour in range(8, 18))
    return ask(events, role="daily", system="Example: library, garage"), json.dumps({"segments": segments})


def week(number: int, proposals: int = 8) -> tuple[Request, str]:
    """A weekly request and a reply."""
    records = "\n".join(
        json.dumps({"id": f"day_{number}a{index}", "segments": [{"observed": FACTS}]}, separators=(",", ":"))
        for index in range(7)
    )
    regularity = {
        "trigger": {"path": FACTS[0]["path"], "op": "==", "value": "STILL"},
        "behavior": {"path": FACTS[1]["path"], "op": ">=", "value": 100},
        "window": {"start": "08:00", "end": "10:00"},
        "weekdays": None,
        "sources": [f"day_{number}a0"],
    }
    return ask(records, role="weekly"), json.dumps({"regularities": [regularity] * proposals})


def facts_of(text: str) -> list[dict[str, Any]]:
    return [fact for segment in json.loads(text)["segments"] for place in PLACES for fact in segment[place]]


def run(cases: list[tuple[Request, str]], rate: float, seed: int = 0) -> tuple[FabricatingBackbone, list[str]]:
    replies = {request.key: text for request, text in cases}
    backbone = FabricatingBackbone(Answering(lambda request: replies[request.key]), rate, seed)
    return backbone, [backbone.complete(request).text for request, _ in cases]


@pytest.mark.parametrize("rate", [0.1, 0.3, 0.7])
def test_segments_are_falsified_at_the_stated_rate(rate: float) -> None:
    backbone, texts = run([day(number) for number in range(40)], rate)
    truth = {(fact["path"], fact["value"]) for fact in FACTS}
    false = [fact for text in texts for fact in facts_of(text) if (fact["path"], fact["value"]) not in truth]
    total = 40 * 10  # segments; one false fact at most in each
    assert backbone.fabricated == {"daily": len(false), "weekly": 0}
    assert abs(len(false) / total - rate) < 4 * (rate * (1 - rate) / total) ** 0.5  # four standard errors
    added = sum(len(facts_of(text)) for text in texts) - total * 8
    assert abs(added / len(false) - 0.5) < 4 * (0.25 / len(false)) ** 0.5


def test_false_values_keep_their_kind_and_are_nowhere_in_the_day() -> None:
    request, _ = case = day(1)
    _, (text,) = run([case], 1.0)
    prompt = request.messages[-1].content.casefold()
    kinds = {fact["path"]: type(fact["value"]) for fact in FACTS}
    false = [fact for fact in facts_of(text) if fact not in FACTS]
    assert len(false) == 10
    for fact in false:
        assert type(fact["value"]) is kinds[fact["path"]]
        if not isinstance(fact["value"], bool):
            assert f": {json.dumps(fact['value'])}".casefold() not in prompt


@pytest.mark.parametrize("rate", [0.25, 0.75])
def test_weekly_regularities_are_made_up_at_the_stated_rate(rate: float) -> None:
    cases = [week(number) for number in range(80)]
    backbone, texts = run(cases, rate)
    added = [item for text in texts for item in json.loads(text)["regularities"][8:]]
    total = 80 * 8
    assert backbone.fabricated == {"daily": 0, "weekly": len(added)}
    assert abs(len(added) / total - rate) < 4 * (rate * (1 - rate) / total) ** 0.5
    for text, (_, honest) in zip(texts, cases, strict=True):
        assert json.loads(text)["regularities"][:8] == json.loads(honest)["regularities"]


def test_a_made_up_regularity_is_well_formed_and_false() -> None:
    request, _ = case = week(3)
    _, (text,) = run([case], 1.0)
    made = json.loads(text)["regularities"][8:]
    paths = {fact["path"] for fact in FACTS}
    assert len(made) == 8
    for item in made:
        assert item["trigger"] in [{**fact, "op": "=="} for fact in FACTS]
        assert item["behavior"]["path"] in paths
        assert {"path": item["behavior"]["path"], "value": item["behavior"]["value"]} not in FACTS
        assert "06:00" <= item["window"]["start"] < item["window"]["end"] <= "24:00"
        assert item["sources"]
        assert all(f'"id":"{source}"' in request.messages[-1].content for source in item["sources"])


def test_paths_and_sources_come_from_the_reply_where_the_prompt_shows_none() -> None:
    _, text = week(1, proposals=2)
    backbone = FabricatingBackbone(Answering(text), 1.0)
    made = json.loads(backbone.complete(ask("nothing to see", role="weekly")).text)["regularities"][2:]
    assert len(made) == 2
    assert all(item["sources"] == ["day_1a0"] for item in made)
    assert (
        FabricatingBackbone(Answering('{"regularities": []}'), 1.0).complete(ask(role="weekly")).text == '{"regularities": []}'
    )


def test_equal_seeds_give_equal_faults_in_any_order_and_others_differ() -> None:
    cases = [day(number) for number in range(6)] + [week(number) for number in range(6)]
    _, forward = run(cases, 0.4, seed=5)
    _, backward = run(cases[::-1], 0.4, seed=5)
    _, other = run(cases, 0.4, seed=6)
    assert forward == backward[::-1]
    assert forward != other


@pytest.mark.parametrize("role", ["decision", "repair"])
def test_decisions_and_repairs_pass_untouched(role: Role) -> None:
    _, text = day(1)
    reply = Reply(text=text)
    backbone = FabricatingBackbone(Answering(lambda _: reply), 1.0)
    assert isinstance(backbone, Backbone)
    assert (backbone.name, backbone.model) == ("double", "m")
    assert backbone.complete(ask(role=role)) is reply


@pytest.mark.parametrize(
    "text",
    ["", "prose", "[1]", "{}", '{"segments": 3}', '{"segments": [4, {"observed": {}, "outcome": [5, {"value": []}]}]}'],
)
def test_replies_without_facts_pass_untouched(text: str) -> None:
    assert FabricatingBackbone(Answering(text), 1.0).complete(ask(role="daily")).text == text


@pytest.mark.parametrize("value", [1e308, 10**400, -(10**13), 0, 0.0])
def test_numbers_of_any_size_find_a_false_one(value: float) -> None:
    fact = {"path": "x", "value": value}
    text = json.dumps({"segments": [{"observed": [fact]}]})
    (made,) = [run([(ask(str(n), role="daily"), text)], 1.0)[1][0] for n in (7,)]
    found = json.loads(made)["segments"][0]["observed"][-1]["value"]
    assert found != value
    assert found != 7


def test_rate_zero_changes_nothing_and_a_rate_beyond_one_is_refused() -> None:
    request, text = day(1)
    assert run([(request, text)], 0.0)[1] == [text]
    for rate in (-0.1, 1.1, float("nan")):
        with pytest.raises(ConfigError, match="expected a probability"):
            FabricatingBackbone(Answering(), rate)


def test_the_memory_s_checks_meet_what_they_are_there_to_refuse() -> None:
    """Source validation refuses every falsified segment; fabricated regularities pass every check of form."""
    days = [
        stream(sports(f"a{day}", f"2026-03-0{day}T09:00"), sports(f"b{day}", f"2026-03-0{day}T18:00")) for day in range(1, 8)
    ]
    _, honest = week(1)
    inner = Scripted(daily=faithful_day, weekly=lambda _: honest)
    closed = [build_day(events, inner, MemoryConfig()) for events in days]
    assert all(day.record.segments and not day.record.rejections for day in closed)
    lying = FabricatingBackbone(inner, 1.0)
    for events in days:
        record = build_day(events, lying, MemoryConfig()).record
        assert not record.segments
        assert {rejection.reason for rejection in record.rejections} == {"value_differs"}
    records = [day.record for day in closed]
    known = {record.record_id for record in records}
    week_closed = propose_week(records, "sports", lying, seen=frozenset(), known_records=known)
    assert len(week_closed.rejections) == 8  # the inner reply cites days that are not there
    assert lying.fabricated["weekly"] == 8
    assert 1 <= len(week_closed.proposals) <= 8
    assert all(set(sources) <= known for _, sources in week_closed.proposals)
