"""Intervention control: a repeated proposal becomes abstain, a changed situation may ask again (Appendix B.3, SPEC 7)."""

from __future__ import annotations

import json
import unicodedata
from datetime import date

from proactmem.core.decisions import Decision, Proposal, Service, Suppression
from proactmem.core.events import CodeEvent, DesktopEvent
from proactmem.core.opportunity import OpportunityState
from proactmem.core.streams import Event

__all__ = ["Controller", "allow"]


def _same_text(text: str | None) -> str | None:
    return None if text is None else " ".join(unicodedata.normalize("NFC", text).casefold().split())


def _readable(parts: list[object]) -> str:
    return json.dumps(parts, ensure_ascii=False, separators=(", ", ": "))


def allow(proposal: Proposal, key: str | None) -> Decision:
    """The proposal as a finalized decision, nothing suppressed."""
    if proposal.decision == "abstain":
        return Decision(verdict="abstain", reason="proposed")
    return Decision(verdict="intervene", service=proposal.service, message=proposal.message, key=key)


class Controller:
    """The policy all methods share, over the interventions it allowed on one stream.

    It never invents an intervention: every one comes from a proposal. Keys hold the local day, so that what it remembers
    of Sports, Home and Desktop ends with the day; for Code it remembers one signature an object.
    """

    def __init__(self) -> None:
        self._day: date | None = None
        self._keys: dict[str, str] = {}
        self._evidence: dict[str, tuple[frozenset[str], str]] = {}
        self._objects: dict[str, tuple[str, str]] = {}

    def decide(
        self, event: Event, opportunity: OpportunityState, proposal: Proposal, regularity_ids: tuple[str, ...]
    ) -> Decision:
        """Finalize one proposal (Equation 2).

        Args:
            event: The current event.
            opportunity: The scope's episode state at it.
            proposal: What the model proposes.
            regularity_ids: Sorted ids of the regularities in context; empty for methods without.
        """
        if self._day != event.day:
            self._day = event.day
            self._keys.clear()
            self._evidence.clear()
        if proposal.decision == "abstain" or proposal.service is None:
            return allow(proposal, None)
        match event.public:
            case CodeEvent() as public:
                return self._by_object(event, public, proposal)
            case DesktopEvent():
                return self._by_evidence(event, proposal, proposal.service)
            case _:
                return self._by_episode(event, opportunity, proposal, proposal.service, regularity_ids)

    def _by_episode(
        self,
        event: Event,
        opportunity: OpportunityState,
        proposal: Proposal,
        service: Service,
        regularity_ids: tuple[str, ...],
    ) -> Decision:
        """Sports and Home: local day, sequence, episode state, service action and target, sorted regularity ids."""
        state: list[object] = list(opportunity.state)
        if event.scope == "home":
            state.append(opportunity.phase)
        parts: list[object] = [
            event.day.isoformat(), opportunity.sequence, state, service.action, _same_text(service.target),
            list(regularity_ids),
        ]  # fmt: skip
        key = _readable(parts)
        earlier = self._keys.get(key)
        if earlier is not None:
            return _suppressed(key, earlier)
        self._keys[key] = event.event_id
        return allow(proposal, key)

    def _by_evidence(self, event: Event, proposal: Proposal, service: Service) -> Decision:
        """No explicit episode key: local day, action and target, suppressed only while the cited evidence is unchanged."""
        key = _readable([event.day.isoformat(), service.action, _same_text(service.target)])
        evidence = frozenset(proposal.evidence) - {event.event_id}
        before = self._evidence.get(key)
        if before is not None and before[0] == evidence:
            return _suppressed(key, before[1])
        self._evidence[key] = (evidence, event.event_id)
        return allow(proposal, key)

    def _by_object(self, event: Event, public: CodeEvent, proposal: Proposal) -> Decision:
        """Code: a repeated create on the object with an unchanged signature becomes abstain."""
        service = proposal.service
        if public.object.number is None:  # no object, nothing that a proposal could repeat
            return allow(proposal, None)
        identity = _readable([public.repository.full_name, public.object.type, str(public.object.number)])
        signature = _readable(
            [
                None if service is None else service.mode,
                _same_text(proposal.recipient),
                _same_text(proposal.content),
                _same_text(proposal.firing_condition),
            ]
        )
        before = self._objects.get(identity)
        key = f"{identity} {signature}"
        if proposal.operation == "create" and before is not None and before[0] == signature:
            return _suppressed(key, before[1])
        self._objects[identity] = (signature, event.event_id)
        return allow(proposal, key)


def _suppressed(key: str, earlier: str) -> Decision:
    return Decision(verdict="abstain", reason="suppressed", suppression=Suppression(key=key, earlier_event_id=earlier))
