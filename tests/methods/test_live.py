"""What a running application may do with a method: ask again after a failure, close a day itself."""

from __future__ import annotations

import json

import pytest

from proactmem.config import MemoryConfig
from proactmem.core.events import parse_event, public_json
from proactmem.errors import ConfigError
from proactmem.llm.backbone import Request
from proactmem.methods.proactmem import DayAudit, ProactMem
from proactmem.run.replay import replay
from tests.samples import code, sports, stream
from tests.scripted import Scripted, faithful_day, lines


def test_staging_again_after_a_failed_call_changes_nothing() -> None:
    (event,) = stream(sports("a", "2015-07-22T09:00"))
    method = ProactMem(Scripted(daily=faithful_day), MemoryConfig())
    first = method.stage(event)
    assert method.stage(event) is first
    method.commit(event)
    method.finish()
    (day,) = method.audit()
    assert isinstance(day, DayAudit)
    assert day.record.events == 1


def test_a_closed_day_takes_no_further_event() -> None:
    first, second, third = stream(
        sports("a", "2015-07-22T09:00"), sports("b", "2015-07-22T10:00"), sports("c", "2015-07-23T09:00")
    )
    method = ProactMem(Scripted(daily=faithful_day), MemoryConfig())
    method.stage(first)
    method.commit(first)
    method.finish()
    with pytest.raises(ConfigError, match="closed"):
        method.stage(second)
    assert method.stage(third).event is third


def test_a_text_like_a_time_outside_the_calendar_is_a_text() -> None:
    data = json.loads(public_json(code("e", "2025-01-01T00:00:00Z")))
    event = parse_event({**data, "content": {"due": "0001-01-01T00:00:00+05:00"}}, scope="code")
    (record,) = replay(stream(event), ProactMem(Scripted(), MemoryConfig()))
    assert record.decision.verdict == "abstain"


def test_a_model_cannot_flood_memory() -> None:
    def many(request: Request) -> str:
        (event,) = lines(request, "events")
        facts = [{"path": "available", "value": True}]
        segment = {"entity": "p1", "start": "00:00", "end": "24:00", "observed": facts, "sources": [event["event_id"]]}
        pairs = [(more, less) for more in range(1, 16) for less in range(10)]
        return json.dumps({"segments": [{**segment, "observed": facts * a, "outcome": facts * b} for a, b in pairs]})

    method = ProactMem(Scripted(daily=many), MemoryConfig())
    list(replay(stream(sports("a", "2015-07-22T09:00")), method))
    (day,) = method.audit()
    assert isinstance(day, DayAudit)
    assert len(day.record.segments) == 100
    assert [item.reason for item in day.record.rejections] == ["malformed"] * 50
