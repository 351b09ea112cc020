"""ProactMem and its layer ablations: memory prepared by validation and replay, then contextual assessment (Section 3)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from typing import Literal

from pydantic import BaseModel, ConfigDict

from proactmem.config import MemoryConfig
from proactmem.core.context import DecisionContext
from proactmem.core.opportunity import OpportunityState
from proactmem.core.records import CallRecord, Unusable
from proactmem.core.regularities import Match, ProposalRejection, Regularity, Transition
from proactmem.core.streams import Event
from proactmem.core.trajectories import DailyRecord, Segment
from proactmem.errors import ConfigError
from proactmem.llm.backbone import Backbone
from proactmem.memory.daily import build_day
from proactmem.memory.lifecycle import RegularityState, close_day, consolidate
from proactmem.memory.matching import OpenDay, Scheduled, retrieve, schedule
from proactmem.memory.recent import RecentEvents
from proactmem.memory.replay import DayEvidence
from proactmem.memory.weekly import propose_week
from proactmem.methods.base import Proposed, Staged
from proactmem.methods.prompting import propose

__all__ = ["ConsolidationAudit", "DayAudit", "Layer", "ProactMem", "TransitionAudit"]

Layer = Literal["recent", "trajectories", "regularities"]
"""The highest memory layer a method has; each includes those before it (Figure 4)."""


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class DayAudit(_Frozen):
    """A daily record as it was kept, with its calls."""

    kind: Literal["day"] = "day"
    record: DailyRecord
    unusable: Unusable | None
    calls: tuple[CallRecord, ...]


class ConsolidationAudit(_Frozen):
    """One closed cycle: what was proposed from which records, and what was refused."""

    kind: Literal["consolidation"] = "consolidation"
    cycle: int
    day: date
    records: tuple[str, ...]
    proposals: tuple[Regularity, ...]
    sources: tuple[tuple[str, ...], ...]
    rejections: tuple[ProposalRejection, ...]
    unusable: Unusable | None
    calls: tuple[CallRecord, ...]


class TransitionAudit(_Frozen):
    """One lifecycle transition, with the regularity it is about."""

    kind: Literal["transition"] = "transition"
    transition: Transition
    regularity: Regularity


class ProactMem:
    """One stream's hierarchical memory and assessment; lower layers alone are the ablations of Figure 4."""

    def __init__(
        self, backbone: Backbone, config: MemoryConfig, *, layer: Layer = "regularities", controlled: bool = True
    ) -> None:
        self._backbone = backbone
        self._config = config
        self._layer: Layer = layer
        self._controlled = controlled
        self._recent = RecentEvents(config)
        self._opportunity: OpportunityState | None = None
        self._today = OpenDay()
        self._cycle: list[DailyRecord] = []
        self._cycles = 0
        self._trajectories: list[Segment] = []
        self._history: list[DayEvidence] = []
        self._regularities: list[RegularityState] = []
        self._seen: set[str] = set()
        self._record_ids: set[str] = set()
        self._audit: list[BaseModel] = []
        self._schedule: list[Scheduled] = []
        self._staged: Staged | None = None
        self._closed: date | None = None

    @property
    def controlled(self) -> bool:
        """False for *before suppression*: proposals are scored, later states fixed (Table 4)."""
        return self._controlled

    @property
    def regularities(self) -> Sequence[RegularityState]:
        """L_t^u: all regularities of the stream that are not retired."""
        return tuple(self._regularities)

    @property
    def trajectories(self) -> Sequence[Segment]:
        """W_t: accepted segments of the current cycle."""
        return tuple(self._trajectories)

    def stage(self, event: Event) -> Staged:
        """Close finished days and weeks, then assemble C_t from the memory available on arrival (Section 3.3).

        Staging the same event again, as after a failed call, gives the same context and changes nothing.

        Raises:
            ConfigError: The event belongs to a local day that was closed by `finish`.
        """
        if self._staged is not None and self._staged.event.index == event.index:
            return self._staged
        if self._closed is not None and event.day <= self._closed:
            raise ConfigError(
                f"event {event.event_id!r} belongs to {event.day}, a local day that is closed.",
                remedy="Close a day when its last event has been decided; the next event opens a new one.",
            )
        calls: tuple[CallRecord, ...] = ()
        if self._today.day is not None and event.day > self._today.day:
            calls = self._close_day()
        if self._today.day is None or event.day > self._today.day:
            self._today.start(event.day)
            self._schedule = schedule(self._regularities, event.day, self._config)
        self._today.stage(event)
        self._opportunity = OpportunityState.advance(self._opportunity, event)
        matches: tuple[Match, ...] = ()
        if self._layer == "regularities":
            matches = retrieve(self._schedule, self._today, event, self._config)
        context = DecisionContext(
            event=event,
            recent=self._recent.before(event),
            trajectories=() if self._layer == "recent" else tuple(self._trajectories),
            regularities=matches,
            opportunity=self._opportunity,
        )
        self._staged = Staged(event, self._opportunity, context, calls)
        return self._staged

    def propose(self, staged: Staged) -> Proposed:
        """Contextual assessment: (y-tilde, m-tilde) = pi_theta(C_t) (Equation 8)."""
        assert staged.context is not None
        return propose(staged.context, self._backbone)

    def commit(self, event: Event) -> None:
        """Enter the event into event memory; the open-day buffer has held it since it was staged."""
        self._recent.commit(event)

    def finish(self) -> tuple[CallRecord, ...]:
        """The stream ends: its last local day is completed."""
        if self._today.day is None or not self._today.events:
            return ()
        calls = self._close_day()
        self._closed = self._today.day
        self._today.start(self._today.day)
        return calls

    def audit(self) -> Iterator[BaseModel]:
        """Records since the last call, oldest first."""
        audit, self._audit = self._audit, []
        return iter(audit)

    def _close_day(self) -> tuple[CallRecord, ...]:
        events = self._today.events
        if self._layer == "recent" or not events:
            return ()
        closed = build_day(events, self._backbone, self._config)
        self._audit.append(DayAudit(record=closed.record, unusable=closed.unusable, calls=closed.calls))
        self._cycle.append(closed.record)
        self._trajectories.extend(closed.record.segments)
        calls = closed.calls
        if self._layer == "regularities":
            for event in events:
                self._seen.update(event.facts)
            self._record_ids.add(closed.record.record_id)
            # A day whose reply could not be read says nothing: neither fulfilled nor a miss, and no base (ours).
            read = () if closed.record.outcome == "unusable" else events
            evidence = DayEvidence.of(closed.record.day, closed.facts, read)
            self._history.append(evidence)
            self._regularities, transitions = close_day(self._regularities, evidence, self._cycles + 1, self._config)
            self._record(transitions)
        if len(self._cycle) >= self._config.cycle_records:
            calls += self._close_cycle(events[0])
        return calls

    def _close_cycle(self, event: Event) -> tuple[CallRecord, ...]:
        """Weekly consolidation; the online trajectory view is reset, the records stay for audit and replay."""
        self._cycles += 1
        records, self._cycle, self._trajectories = self._cycle, [], []
        if self._layer != "regularities":
            return ()
        week = propose_week(records, event.scope, self._backbone, seen=frozenset(self._seen), known_records=self._record_ids)
        self._audit.append(
            ConsolidationAudit(
                cycle=self._cycles,
                day=records[-1].day,
                records=tuple(record.record_id for record in records),
                proposals=tuple(regularity for regularity, _ in week.proposals),
                sources=tuple(sources for _, sources in week.proposals),
                rejections=week.rejections,
                unusable=week.unusable,
                calls=week.calls,
            )
        )
        known = {state.regularity.regularity_id: state.regularity for state in self._regularities}
        self._regularities, transitions = consolidate(
            self._regularities, week.proposals, self._history, self._cycles, self._config
        )
        self._record(transitions, known)
        return week.calls

    def _record(self, transitions: Sequence[Transition], known: dict[str, Regularity] | None = None) -> None:
        current = dict(known or {})
        current.update({state.regularity.regularity_id: state.regularity for state in self._regularities})
        for transition in transitions:
            self._audit.append(TransitionAudit(transition=transition, regularity=current[transition.regularity_id]))
