"""From a decision context to the model's messages, and from its reply to a checked proposal (Equation 8, SPEC 6)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import get_args

from pydantic import ValidationError

from proactmem.core.context import DecisionContext
from proactmem.core.decisions import CodeOperation, Proposal
from proactmem.core.events import Scope
from proactmem.core.records import Unusable
from proactmem.core.regularities import Match
from proactmem.core.scopes import SCOPES
from proactmem.core.trajectories import clock_text, json_line
from proactmem.llm.asking import Fault, ask
from proactmem.llm.backbone import Backbone, Message, ReplySchema, Request
from proactmem.llm.schema import ReplyFault, parse_json_reply
from proactmem.memory.blocks import block
from proactmem.methods.base import Proposed
from proactmem.prompts import fill, prompt

__all__ = ["decision_request", "known_ids", "match_text", "parse_proposal", "propose"]


@cache
def _schema(scope: Scope) -> ReplySchema:
    """The reply's shape in strict form: services are the scope's, Code adds its object fields."""

    def nullable(kind: str) -> dict[str, object]:
        return {"anyOf": [{"type": kind}, {"type": "null"}]}

    def closed(properties: dict[str, object]) -> dict[str, object]:
        return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}

    service = closed(
        {
            "action": {"type": "string", "enum": list(SCOPES[scope].actions)},
            "target": {"type": "string"},
            "mode": {"type": "string", "enum": ["immediate", "scheduled"]},
            "delay_minutes": {"type": "number"},
        }
    )
    fields: dict[str, object] = {
        "decision": {"type": "string", "enum": ["intervene", "abstain"]},
        "service": {"anyOf": [service, {"type": "null"}]},
        "message": nullable("string"),
        "evidence": {"type": "array", "items": {"type": "string"}},
    }
    if SCOPES[scope].object_control:
        operation: dict[str, object] = {"type": "string", "enum": list(get_args(CodeOperation))}
        fields["operation"] = {"anyOf": [operation, {"type": "null"}]}
        fields |= {name: nullable("string") for name in ("recipient", "content", "firing_condition")}
    return ReplySchema(name=f"decision_{scope}", json_schema=closed(fields))


_CODE_FIELDS = (
    ',\n "operation": "create" | "update" | "close" or null, "recipient": text or null,'
    '\n "content": what exactly is to be done, apart from the message, or null, "firing_condition": text or null'
)


@cache
def _system(scope: Scope) -> str:
    spec = SCOPES[scope]
    return fill(
        "decision",
        scope_task=prompt(f"decision_{scope}").strip(),
        actions=" | ".join(f'"{action}"' for action in spec.actions),
        code_fields=_CODE_FIELDS if spec.object_control else "",
        examples=prompt(f"examples_{scope}").strip(),
    )


def match_text(match: Match) -> str:
    """A retrieved regularity in one readable line."""
    return str(match.regularity)


def _match_object(match: Match) -> dict[str, object]:
    regularity = match.regularity
    return {
        "id": regularity.regularity_id,
        "state": match.state,
        "trigger": {"path": regularity.trigger.path, "op": regularity.trigger.op, "value": regularity.trigger.value},
        "behavior": {
            "path": regularity.behavior.path,
            "op": regularity.behavior.op,
            "value": regularity.behavior.value,
        },
        "window": regularity.window_text,
        "trigger_seen_today_at": clock_text(match.trigger_second),
        "lifecycle": match.lifecycle,
        "confidence": round(match.confidence, 3),
        "days_fulfilled": match.fulfilled_days,
        "days_violated": match.violated_days,
    }


def decision_request(context: DecisionContext, model: str) -> Request:
    """The decision call: static text first, what changes least next, the current event last."""
    event = context.event
    user = "\n".join(
        (
            f"Scope: {event.scope}. Entity: {json_line(event.stream_id)}.",
            block("trajectories", (segment.line for segment in context.trajectories)),
            block("recent_events", (past.json for past in context.recent)),
            block("regularities", (json_line(_match_object(match)) for match in context.regularities)),
            block("opportunity", (json_line(context.opportunity.public(event)),)),
            block("current_event", (event.json,)),
            "Decide at the current event.",
        )
    )
    return Request(
        model=model,
        messages=(Message(role="system", content=_system(event.scope)), Message(role="user", content=user)),
        reply_schema=_schema(event.scope),
        max_tokens=SCOPES[event.scope].decision_tokens,
        role="decision",
    )


def parse_proposal(text: str, scope: Scope) -> Proposal | Fault:
    """A proposal within the scope's services, or what is wrong with the reply.

    A reply may leave out null fields; an action outside the scope's services is refused, never renamed.
    """
    parsed = parse_json_reply(text)
    if isinstance(parsed, ReplyFault):
        return Fault(parsed.kind, parsed.detail)
    data: Mapping[str, object] = parsed
    if data.get("decision") == "abstain" and isinstance(data.get("service"), Mapping):
        data = {**data, "service": None}
    if not SCOPES[scope].object_control:
        data = {name: value for name, value in data.items() if name not in _CODE_ONLY or value is not None}
        if extra := sorted(_CODE_ONLY & data.keys()):
            return Fault("wrong_schema", f"fields {extra} belong to the Code scope only")
    try:
        proposal = Proposal.model_validate({name: value for name, value in data.items() if value is not None})
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        return Fault("wrong_schema", f"{'.'.join(map(str, first['loc'])) or 'object'}: {first['msg']}"[:200])
    if proposal.service is not None and proposal.service.action not in SCOPES[scope].actions:
        return Fault("out_of_scope", f"action must be one of {list(SCOPES[scope].actions)}")
    if SCOPES[scope].object_control and proposal.decision == "intervene" and proposal.operation is None:
        return Fault("wrong_schema", "operation: 'create', 'update' or 'close' is needed to intervene")
    return proposal


_CODE_ONLY = frozenset({"operation", "recipient", "content", "firing_condition"})


def known_ids(context: DecisionContext) -> frozenset[str]:
    """Ids a proposal may cite: events, segments with their source events, and regularities in context."""
    ids = {context.event.event_id}
    ids.update(event.event_id for event in context.recent)
    for segment in context.trajectories:
        ids.add(segment.segment_id)
        ids.update(segment.sources)
    ids.update(match.regularity.regularity_id for match in context.regularities)
    return frozenset(ids)


def propose(context: DecisionContext, backbone: Backbone) -> Proposed:
    """Ask for a proposal on C_t; evidence that is not in the context is removed and counted.

    Raises:
        BackboneError: The service could not answer.
    """
    scope = context.event.scope
    answer = ask(backbone, decision_request(context, backbone.model), lambda text: parse_proposal(text, scope))
    unusable: Unusable | None = answer.unusable
    proposal = answer.value
    if proposal is None or not proposal.evidence:
        return Proposed(proposal, unusable, 0, answer.calls)
    known = known_ids(context)
    cited = tuple(dict.fromkeys(item for item in proposal.evidence if item in known))
    dropped = len(set(proposal.evidence)) - len(cited)
    return Proposed(proposal.model_copy(update={"evidence": cited}), unusable, dropped, answer.calls)
