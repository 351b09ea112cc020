"""Candidate, active, weakening, dormant, retired: how observations move a regularity (Appendix B.2, SPEC 4)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date

from proactmem.config import MemoryConfig
from proactmem.core.regularities import Regularity, RegularityStatus, Transition
from proactmem.core.streams import Span
from proactmem.memory.replay import DayEvidence, DayVerdict, ReplayCounts, judge_day

__all__ = ["RegularityState", "admit", "close_day", "consolidate"]


@dataclass(frozen=True, slots=True)
class RegularityState:
    """One regularity of a stream: its definition, counts and lifecycle."""

    regularity: Regularity
    status: RegularityStatus
    sources: tuple[str, ...]
    """Daily record ids it was proposed from, merged over reproposals."""
    replay: ReplayCounts = field(default_factory=ReplayCounts)
    """Counts up to admission."""
    whole: ReplayCounts = field(default_factory=ReplayCounts)
    """Counts over all recorded days, whatever the status then: each record is judged once, readmission reads them."""
    online_fulfilled: int = 0
    online_violated: int = 0
    """Days after admission, counted once at their close; censored days leave both unchanged."""
    streak: int = 0
    """Consecutive violations since the last fulfilled day."""
    last_trigger_cycle: int = 0
    """Cycle in which its trigger was last seen (or in which it was proposed)."""

    @property
    def fulfilled(self) -> int:
        """s: replay and online fulfilled days."""
        return self.replay.fulfilled + self.online_fulfilled

    @property
    def violated(self) -> int:
        """v: replay and online violated days."""
        return self.replay.violated + self.online_violated

    @property
    def confidence(self) -> float:
        """(s + 1) / (s + v + 2): smoothed with one initial success and failure (Appendix B.2)."""
        return (self.fulfilled + 1) / (self.fulfilled + self.violated + 2)


Changed = tuple[RegularityState, Transition | None]


def _move(state: RegularityState, after: RegularityStatus, day: date, cause: str) -> Changed:
    transition = Transition(
        regularity_id=state.regularity.regularity_id, day=day, before=state.status, after=after, cause=cause
    )
    return replace(state, status=after), transition


def admit(state: RegularityState, day: date, config: MemoryConfig) -> Changed:
    """Candidate to active at n_f >= 3, conf >= 0.5 and lift >= 1.0, or at once without the replay gate (Section 3.1)."""
    counts = state.replay
    if not config.replay_gate:
        return _move(state, "active", day, "no replay gate")
    passed = (
        counts.fulfilled >= config.min_support and counts.confidence >= config.min_confidence and counts.lift >= config.min_lift
    )
    if not passed:
        return state, None
    cause = f"replay: support {counts.fulfilled}, confidence {counts.confidence:.3f}, lift {counts.lift:.3f}"
    return _move(state, "active", day, cause)


def _observe(state: RegularityState, verdict: DayVerdict, day: date, config: MemoryConfig) -> Changed:
    """One closed day after admission."""
    if verdict.outcome == "fulfilled":
        state = replace(state, online_fulfilled=state.online_fulfilled + 1, streak=0)
        if state.status == "weakening" and state.confidence >= config.min_confidence:
            return _move(state, "active", day, f"fulfilled at confidence {state.confidence:.3f}")
    elif verdict.outcome == "violated":
        state = replace(state, online_violated=state.online_violated + 1, streak=state.streak + 1)
        if state.streak >= config.dormant_after:
            return _move(state, "dormant", day, f"{state.streak} consecutive violations")
        if state.status == "active" and state.streak >= config.weakening_after:
            return _move(state, "weakening", day, f"{state.streak} consecutive violations")
    return state, None


def close_day(
    states: Iterable[RegularityState], evidence: DayEvidence, cycle: int, config: MemoryConfig
) -> tuple[list[RegularityState], list[Transition]]:
    """Judge one closed day once for every regularity: candidates advance in replay, admitted ones online."""
    kept: list[RegularityState] = []
    transitions: list[Transition] = []
    memo: dict[str, tuple[Span, ...]] = {}
    for state in states:
        verdict = judge_day(state.regularity, evidence, memo)
        triggered = verdict.outcome in ("fulfilled", "violated", "censored")
        whole = state.whole.add(verdict)
        state = replace(
            state,
            whole=whole,
            replay=whole if state.status == "candidate" else state.replay,
            last_trigger_cycle=cycle if triggered else state.last_trigger_cycle,
        )
        transition: Transition | None = None
        if state.status == "candidate":
            state, transition = admit(state, evidence.day, config)
        elif state.status in ("active", "weakening"):
            state, transition = _observe(state, verdict, evidence.day, config)
        kept.append(state)
        if transition is not None:
            transitions.append(transition)
    return kept, transitions


def consolidate(
    states: Sequence[RegularityState],
    proposals: Sequence[tuple[Regularity, tuple[str, ...]]],
    history: Sequence[DayEvidence],
    cycle: int,
    config: MemoryConfig,
) -> tuple[list[RegularityState], list[Transition]]:
    """Weekly consolidation: dormant ones return as candidates, proposals join or merge, replay decides afresh (SPEC 4).

    Args:
        states: The regularities before it; all have been judged on every day of `history` since they were proposed.
        proposals: Well-formed proposals with their source daily ids.
        history: Validated evidence of all completed days so far, oldest first.
        cycle: Number of the cycle that closes, from 1.
        config: Thresholds.
    """
    day = history[-1].day
    transitions: list[Transition] = []
    current: dict[str, RegularityState] = {}
    for state in states:
        idle = cycle - state.last_trigger_cycle >= config.retire_cycles
        if state.status in ("candidate", "dormant") and idle:
            _, transition = _move(state, "retired", day, f"trigger not seen for {config.retire_cycles} cycles")
            transitions += [transition] if transition else []
            continue
        if state.status == "dormant":
            state = replace(state, replay=state.whole, online_fulfilled=0, online_violated=0, streak=0)
            state, transition = _move(state, "candidate", day, "consolidation: replay for readmission")
            transitions += [transition] if transition else []
            state, transition = admit(state, day, config)
            transitions += [transition] if transition else []
        current[state.regularity.regularity_id] = state
    for regularity, sources in proposals:
        known = current.get(regularity.regularity_id)
        if known is not None:
            merged = tuple(dict.fromkeys(known.sources + sources))
            current[regularity.regularity_id] = replace(known, sources=merged)
            continue
        counts = ReplayCounts.of(judge_day(regularity, evidence) for evidence in history)
        state = RegularityState(regularity, "candidate", sources, replay=counts, whole=counts, last_trigger_cycle=cycle)
        transitions.append(
            Transition(
                regularity_id=regularity.regularity_id,
                day=day,
                before=None,
                after="candidate",
                cause=f"proposed in cycle {cycle}",
            )
        )
        state, transition = admit(state, day, config)
        transitions += [transition] if transition else []
        current[regularity.regularity_id] = state
    return list(current.values()), transitions
