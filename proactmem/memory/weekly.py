"""Behavioral regularity memory: seven daily records close a cycle, one model call proposes, code checks (Section 3.1)."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass
from functools import cache

from pydantic import BaseModel, ConfigDict, ValidationError

from proactmem.core.events import Scope
from proactmem.core.predicates import Predicate, check_predicate
from proactmem.core.records import CallRecord, Unusable
from proactmem.core.regularities import DraftRegularity, ProposalRejection, Regularity
from proactmem.core.trajectories import DailyRecord, json_line
from proactmem.llm.asking import ask
from proactmem.llm.backbone import Backbone, Message, ReplySchema, Request
from proactmem.llm.schema import reply_schema
from proactmem.memory.blocks import block
from proactmem.memory.daily import drafts_of
from proactmem.prompts import fill

__all__ = [
    "MOST_PROPOSALS",
    "PROPOSAL_LIMIT",
    "WEEKLY_TOKENS",
    "ClosedWeek",
    "check_proposals",
    "propose_week",
    "weekly_request",
]

WEEKLY_TOKENS = 4_096
"""Output limit of a weekly construction call, in tokens; set per call role (Appendix B.4), the figure is ours."""
PROPOSAL_LIMIT = 12
"""Proposals asked for in one cycle (ours)."""
MOST_PROPOSALS = 40
"""Proposals of one cycle that are considered (ours): work per event stays flat whatever a model writes."""


class WeeklyReply(BaseModel):
    """The reply of a weekly call."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    regularities: tuple[DraftRegularity, ...]


@dataclass(frozen=True)
class ClosedWeek:
    """What one consolidation call gave: well-formed proposals with their sources, and the refused ones."""

    proposals: tuple[tuple[Regularity, tuple[str, ...]], ...]
    rejections: tuple[ProposalRejection, ...]
    unusable: Unusable | None
    calls: tuple[CallRecord, ...]


@cache
def _schema() -> ReplySchema:
    return reply_schema(WeeklyReply, "weekly")


def weekly_request(records: Sequence[DailyRecord], scope: Scope, model: str) -> Request:
    """The call that proposes regularities from the daily records of one cycle."""
    head = f"Scope: {scope}. Entity: {json_line(records[0].stream_id)}. Daily records: {len(records)}."
    lines = (
        f'{{"id":"{record.record_id}","day":"{record.day.isoformat()}","weekday":{record.day.weekday()},'
        f'"segments":[{",".join(segment.line for segment in record.segments)}]}}'
        for record in records
    )
    user = f"{head}\n{block('daily_records', lines)}\n"
    system = fill("weekly", limit=str(PROPOSAL_LIMIT))
    return Request(
        model=model,
        messages=(Message(role="system", content=system), Message(role="user", content=user)),
        reply_schema=_schema(),
        max_tokens=WEEKLY_TOKENS,
        role="weekly",
    )


class _RejectedError(Exception):
    def __init__(self, rejection: ProposalRejection) -> None:
        super().__init__(rejection.detail)
        self.rejection = rejection


def check_proposals(
    drafts: Sequence[object], *, scope: Scope, seen: frozenset[str], known_records: Container[str]
) -> tuple[tuple[tuple[Regularity, tuple[str, ...]], ...], tuple[ProposalRejection, ...]]:
    """Well-formed, source-linked proposals, and the malformed ones with a reason (SPEC 4).

    Args:
        drafts: The model's proposals, as parsed from JSON.
        scope: Whose schema paths must exist.
        seen: Paths that events of this stream have held.
        known_records: Daily record ids of this stream.
    """
    accepted: dict[str, tuple[Regularity, tuple[str, ...]]] = {}
    rejections: list[ProposalRejection] = []
    for position, raw in enumerate(drafts):
        try:
            if position >= MOST_PROPOSALS:
                detail = f"more than {MOST_PROPOSALS} proposals in one cycle"
                raise _RejectedError(ProposalRejection(reason="malformed", detail=detail, position=position))
            regularity, sources = _check(raw, position, scope, seen, known_records)
        except _RejectedError as rejected:
            rejections.append(rejected.rejection)
            continue
        earlier = accepted.get(regularity.regularity_id)
        merged = sources if earlier is None else tuple(dict.fromkeys(earlier[1] + sources))
        accepted[regularity.regularity_id] = (regularity, merged)
    return tuple(accepted.values()), tuple(rejections)


def _check(
    raw: object, position: int, scope: Scope, seen: frozenset[str], known: Container[str]
) -> tuple[Regularity, tuple[str, ...]]:
    try:
        draft = DraftRegularity.model_validate(raw)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        detail = f"{'.'.join(map(str, first['loc']))}: {first['msg']}"[:200]
        raise _RejectedError(ProposalRejection(reason="malformed", detail=detail, position=position)) from error
    predicates: list[Predicate] = []
    for predicate in (draft.trigger, draft.behavior):
        checked = check_predicate(predicate, scope, seen)
        if not isinstance(checked, Predicate):
            raise _RejectedError(ProposalRejection(reason=checked, detail=str(predicate)[:200], position=position))
        predicates.append(checked)
    if not draft.sources:
        raise _RejectedError(ProposalRejection(reason="no_source", detail="sources is empty", position=position))
    unknown = [source for source in draft.sources if source not in known]
    if unknown:
        raise _RejectedError(ProposalRejection(reason="unknown_source", detail=repr(unknown[0][:80]), position=position))
    weekdays = tuple(sorted(set(draft.weekdays))) if draft.weekdays else None
    regularity = Regularity(
        trigger=predicates[0], behavior=predicates[1], window=draft.window,
        weekdays=None if weekdays is None or len(weekdays) == 7 else weekdays,
    )  # fmt: skip
    return regularity, tuple(dict.fromkeys(draft.sources))


def propose_week(
    records: Sequence[DailyRecord],
    scope: Scope,
    backbone: Backbone,
    *,
    seen: frozenset[str],
    known_records: Container[str],
) -> ClosedWeek:
    """Ask for regularities over one closed cycle and check their form; replay judges them afterwards.

    Raises:
        BackboneError: The service could not answer.
    """
    answer = ask(backbone, weekly_request(records, scope, backbone.model), lambda text: drafts_of(text, "regularities"))
    proposals, rejections = check_proposals(answer.value or (), scope=scope, seen=seen, known_records=known_records)
    return ClosedWeek(proposals, rejections, answer.unusable, answer.calls)
