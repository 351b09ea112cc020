"""What a method is: it stages an event, proposes, and commits; the runner owns control and the record (SPEC 6, 8)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Protocol

from pydantic import BaseModel

from proactmem.core.context import DecisionContext
from proactmem.core.decisions import Proposal
from proactmem.core.opportunity import OpportunityState
from proactmem.core.records import CallRecord, Unusable
from proactmem.core.streams import Event

__all__ = ["Method", "Proposed", "Staged"]


@dataclass(frozen=True)
class Staged:
    """An event staged against the memory available on its arrival."""

    event: Event
    opportunity: OpportunityState
    """Q_t; the controller's episode state."""
    context: DecisionContext | None
    """C_t; None for methods that look at nothing."""
    calls: tuple[CallRecord, ...] = ()
    """Construction calls of the days and weeks that closed before this event."""

    @property
    def regularity_ids(self) -> tuple[str, ...]:
        """Sorted ids of the regularities in context; empty for methods without them (SPEC 7)."""
        if self.context is None:
            return ()
        return tuple(sorted(match.regularity.regularity_id for match in self.context.regularities))


@dataclass(frozen=True)
class Proposed:
    """What came of asking: a proposal, or an unusable reply with its reason."""

    proposal: Proposal | None
    unusable: Unusable | None = None
    dropped_evidence: int = 0
    """Cited ids that are not in the context."""
    calls: tuple[CallRecord, ...] = field(default=())


class Method(Protocol):
    """One method's state on one stream; events arrive in causal order, one at a time.

    `stage` may close finished days and weeks; `propose` depends on the staged context alone, so proposals of one stream
    may run concurrently; `commit` stores the event after its decision is finalized.
    """

    @property
    def controlled(self) -> bool:
        """Whether the intervention controller judges its proposals; False scores proposals as they are."""
        ...

    def stage(self, event: Event) -> Staged:
        """Close what the event ends, then show what the method sees at it."""
        ...

    def propose(self, staged: Staged) -> Proposed:
        """Ask for a proposal on the staged context."""
        ...

    def commit(self, event: Event) -> None:
        """Store the event in memory; only later decisions can see it."""
        ...

    def finish(self) -> tuple[CallRecord, ...]:
        """Close the open day at the stream's end, for the audit."""
        ...

    def audit(self) -> Iterator[BaseModel]:
        """Daily records, consolidations, rejections and transitions since the last call, in order."""
        ...
