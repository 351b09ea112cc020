"""Temporal trajectory memory: one model call closes a local day, the validator decides what of it stands (Section 3.1)."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from pydantic import BaseModel, ConfigDict

from proactmem.config import MemoryConfig
from proactmem.core.records import CallRecord, Unusable
from proactmem.core.streams import Event
from proactmem.core.trajectories import DailyFact, DailyOutcome, DailyRecord, DraftSegment, clock_text, json_line
from proactmem.llm.asking import Fault, ask
from proactmem.llm.backbone import Backbone, Message, ReplySchema, Request
from proactmem.llm.schema import ReplyFault, parse_json_reply, reply_schema
from proactmem.memory.blocks import block
from proactmem.memory.validation import validate_day
from proactmem.prompts import prompt

__all__ = ["DAILY_TOKENS", "ClosedDay", "build_day", "daily_request", "drafts_of"]

DAILY_TOKENS = 4_096
"""Output limit of a daily construction call, in tokens; set per call role (Appendix B.4), the figure is ours."""


class DailyReply(BaseModel):
    """The reply of a daily call."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    segments: tuple[DraftSegment, ...]


@dataclass(frozen=True)
class ClosedDay:
    """What closing one local day gave: the record to keep, its facts in time, and what it took."""

    record: DailyRecord
    facts: tuple[DailyFact, ...]
    unusable: Unusable | None
    calls: tuple[CallRecord, ...]


@cache
def _schema() -> ReplySchema:
    return reply_schema(DailyReply, "daily")


def daily_request(events: Sequence[Event], model: str) -> Request:
    """The call that turns a completed day's events into trajectory segments."""
    first = events[0]
    head = f"Scope: {first.scope}. Entity: {json_line(first.stream_id)}. Local day: {first.day.isoformat()} ({first.day:%A})."
    times = (
        json_line({"event_id": event.event_id, "start": clock_text(event.span[0]), "end": clock_text(event.span[1])})
        for event in events
    )
    user = f"{head}\n{block('events', (event.json for event in events))}\n{block('local_times', times)}\n"
    return Request(
        model=model,
        messages=(Message(role="system", content=prompt("daily")), Message(role="user", content=user)),
        reply_schema=_schema(),
        max_tokens=DAILY_TOKENS,
        role="daily",
    )


def drafts_of(text: str, field: str) -> list[object] | Fault:
    """The list under `field` of a JSON reply; its items are judged one by one later."""
    parsed = parse_json_reply(text)
    if isinstance(parsed, ReplyFault):
        return Fault(parsed.kind, parsed.detail)
    items = parsed.get(field) if isinstance(parsed, Mapping) else None
    if not isinstance(items, list):
        return Fault("wrong_schema", f"expected an object with a list {field!r}")
    return items


def build_day(events: Sequence[Event], backbone: Backbone, config: MemoryConfig) -> ClosedDay:
    """Close a local day: extract, validate, keep. A day with events always gives a record (SPEC 3).

    Raises:
        BackboneError: The service could not answer.
    """
    first = events[0]
    answer = ask(backbone, daily_request(events, backbone.model), lambda text: drafts_of(text, "segments"))
    segments, facts, rejections = validate_day(
        answer.value or (), stream_id=first.stream_id, scope=first.scope, day=first.day, events=events,
        check_facts=config.validate_trajectories,
    )  # fmt: skip
    outcome: DailyOutcome = "unusable" if answer.value is None else "accepted" if segments else "nothing"
    record = DailyRecord(
        record_id="day_" + hashlib.sha256(f"{first.stream_id}|{first.day.isoformat()}".encode()).hexdigest()[:12],
        stream_id=first.stream_id, day=first.day, events=len(events), outcome=outcome,
        segments=segments, rejections=rejections,
    )  # fmt: skip
    return ClosedDay(record, facts, answer.unusable, answer.calls)
