"""A backbone that answers from a function of the request; what every test of the method runs on."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

from proactmem.llm.backbone import Reply, Request

ABSTAIN = json.dumps({"decision": "abstain", "service": None, "message": None, "evidence": []})


def walk(*evidence: str) -> str:
    """A proposal to walk."""
    service = {"action": "walk", "target": "walk", "mode": "immediate", "delay_minutes": 0}
    return json.dumps({"decision": "intervene", "service": service, "message": "A walk?", "evidence": list(evidence)})


def lines(request: Request, block: str) -> list[dict[str, object]]:
    """The JSON objects in a block of the last user message."""
    text = request.messages[-1].content
    match = re.search(rf"^<{block}>\n(.*?)^</{block}>", text, re.MULTILINE | re.DOTALL)
    return [] if match is None else [json.loads(line) for line in match[1].splitlines()]


class Scripted:
    """Answers by role; counts what was asked."""

    name = "scripted"
    model = "scripted-1"

    def __init__(self, **roles: Callable[[Request], str | Reply]) -> None:
        self.roles = roles
        self.asked: list[Request] = []

    def complete(self, request: Request) -> Reply:
        self.asked.append(request)
        answer = self.roles[request.role](request) if request.role in self.roles else self._default(request)
        return answer if isinstance(answer, Reply) else Reply(text=answer)

    @staticmethod
    def _default(request: Request) -> str:
        match request.role:
            case "daily":
                return '{"segments": []}'
            case "weekly":
                return '{"regularities": []}'
            case _:
                return ABSTAIN


def faithful_day(request: Request) -> str:
    """One segment an event, every scalar of the payload copied."""
    segments = []
    for event in lines(request, "events"):
        payload = event["observable_payload"]
        assert isinstance(payload, dict)
        local = payload["source_local_decision_time"]
        keep = ("recognized_activity", "location_category", "jawbone_steps_pre60", "available", "decision_slot")
        facts = [{"path": f"observable_payload.{name}", "value": payload[name]} for name in keep if payload[name] is not None]
        segments.append(
            {
                "entity": event["stream_id"],
                "start": local,
                "end": local,
                "observed": facts,
                "sources": [event["event_id"]],
            }
        )
    return json.dumps({"segments": segments})
