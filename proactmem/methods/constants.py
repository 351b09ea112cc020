"""Always and never: the two constant policies that bound every score (SPEC 8, ours)."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import BaseModel

from proactmem.core.decisions import Proposal, Service, Verdict
from proactmem.core.opportunity import OpportunityState
from proactmem.core.records import CallRecord
from proactmem.core.scopes import SCOPES
from proactmem.core.streams import Event
from proactmem.methods.base import Proposed, Staged

__all__ = ["ConstantMethod"]


class ConstantMethod:
    """Proposes the same verdict at every event, without a model and without control."""

    def __init__(self, verdict: Verdict) -> None:
        self._verdict: Verdict = verdict
        self._opportunity: OpportunityState | None = None

    @property
    def controlled(self) -> bool:
        """False: a constant that were suppressed would not be constant."""
        return False

    def stage(self, event: Event) -> Staged:
        """Nothing is looked at."""
        self._opportunity = OpportunityState.advance(self._opportunity, event)
        return Staged(event, self._opportunity, None)

    def propose(self, staged: Staged) -> Proposed:
        """The constant verdict."""
        if self._verdict == "abstain":
            return Proposed(Proposal(decision="abstain"))
        service = Service(action=SCOPES[staged.event.scope].actions[0], target="constant")
        return Proposed(Proposal(decision="intervene", service=service))

    def commit(self, event: Event) -> None:
        """Nothing is remembered."""

    def finish(self) -> tuple[CallRecord, ...]:
        """Nothing is open."""
        return ()

    def audit(self) -> Iterator[BaseModel]:
        """Nothing happened."""
        return iter(())
