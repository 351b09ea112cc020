"""Decision prompts of small hand-made histories, exactly as a method sends them."""

from __future__ import annotations

from collections.abc import Sequence

from proactmem.config import MemoryConfig
from proactmem.core.context import DecisionContext
from proactmem.core.decisions import Proposal
from proactmem.core.events import CodeEvent, DesktopEvent, HomeEvent, SportsEvent
from proactmem.core.opportunity import OpportunityState
from proactmem.core.regularities import Match
from proactmem.llm.asking import Fault
from proactmem.llm.backbone import Request
from proactmem.llm.offline.backbone import OfflineBackbone
from proactmem.memory.recent import RecentEvents
from proactmem.methods.prompting import decision_request, known_ids, parse_proposal
from tests.samples import stream

Public = SportsEvent | HomeEvent | CodeEvent | DesktopEvent


def context(*events: Public, regularities: Sequence[Match] = (), hours: float = 72) -> DecisionContext:
    """C_t at the last of the events; `hours` is the horizon of event memory."""
    *earlier, current = stream(*events)
    recent, opportunity = RecentEvents(MemoryConfig(horizon_hours=hours)), None
    for event in earlier:
        opportunity = OpportunityState.advance(opportunity, event)
        recent.commit(event)
    state = OpportunityState.advance(opportunity, current)
    return DecisionContext(current, recent.before(current), (), tuple(regularities), state)


def request(*events: Public, regularities: Sequence[Match] = ()) -> Request:
    return decision_request(context(*events, regularities=regularities), OfflineBackbone.model)


def decide(*events: Public, regularities: Sequence[Match] = (), hours: float = 72) -> Proposal:
    """The offline rules' proposal at the last event, checked as any model's would be."""
    seen = context(*events, regularities=regularities, hours=hours)
    reply = OfflineBackbone().complete(decision_request(seen, OfflineBackbone.model))
    proposal = parse_proposal(reply.text, seen.event.scope)
    assert not isinstance(proposal, Fault), (proposal, reply.text)
    assert set(proposal.evidence) <= known_ids(seen)
    return proposal
