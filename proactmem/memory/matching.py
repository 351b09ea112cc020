"""Current matching: which admitted regularities apply to this event, and in what state (Equation 7, SPEC 5)."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date

from proactmem.config import MemoryConfig
from proactmem.core.facts import container_of
from proactmem.core.predicates import Predicate, holds
from proactmem.core.regularities import Match, MatchState
from proactmem.core.streams import Event, Span
from proactmem.memory.lifecycle import RegularityState
from proactmem.memory.replay import first_trigger, overlaps

__all__ = ["OpenDay", "match_state", "retrieve"]

_STATE_RANK: dict[MatchState, int] = {"deviated": 0, "pending": 1, "upcoming": 2}
_LIFECYCLE_RANK = {"active": 0, "weakening": 1}


class OpenDay:
    """The open local day's observations, indexed by predicate so that an event costs each distinct predicate once."""

    def __init__(self) -> None:
        self.day: date | None = None
        self.events: list[Event] = []
        """All events of the open day, the staged one last; the open-day buffer of Section 3.1."""
        self._held: dict[tuple[object, ...], tuple[int, list[Span]]] = {}
        self._observed: dict[str, tuple[int, list[Span]]] = {}

    def start(self, day: date) -> None:
        """Clear the buffer for a new local day; occurrences do not cross days (ours)."""
        self.day = day
        self.events = []
        self._held = {}
        self._observed = {}

    def stage(self, event: Event) -> None:
        """Add the current event, visible to matching before it is committed to memory."""
        self.events.append(event)

    def spans(self, predicate: Predicate) -> list[Span]:
        """When the predicate held today, on public facts, the current event included."""
        done, spans = self._held.get(predicate.key, (0, []))
        if done < len(self.events):
            for event in self.events[done:]:
                observed = container_of(predicate.path, event.scope) in event.observed
                if holds(predicate, event.facts.get(predicate.path, ()), observed=observed):
                    spans.append(event.span)
            self._held[predicate.key] = (len(self.events), spans)
        return spans

    def observed(self, path: str) -> list[Span]:
        """When `path` was observed today, absence included."""
        done, spans = self._observed.get(path, (0, []))
        if done < len(self.events):
            for event in self.events[done:]:
                if container_of(path, event.scope) in event.observed:
                    spans.append(event.span)
            self._observed[path] = (len(self.events), spans)
        return spans


def match_state(state: RegularityState, today: OpenDay, now: float, config: MemoryConfig) -> tuple[MatchState, float] | None:
    """State of today's occurrence and the trigger's second, or None where nothing applies (SPEC 5).

    `now` is the decision time, second of the local day; for a home segment its close. Behaviour and trigger of a home
    are compared as intervals.
    """
    low, high = state.regularity.window.seconds
    if not low - config.lead_minutes * 60 <= now <= high + config.grace_minutes * 60:
        return None
    if today.day is None or not state.regularity.applies(today.day.weekday()):
        return None
    trigger = first_trigger(today.spans(state.regularity.trigger))
    if trigger is None or trigger >= high:
        return None
    if any(overlaps(span, low, high) and span[0] >= trigger for span in today.spans(state.regularity.behavior)):
        return "fulfilled", trigger
    if now < low:
        return "upcoming", trigger
    if now < high:
        return "pending", trigger
    seen = today.observed(state.regularity.behavior.path)
    observed = any(overlaps(span, max(low, trigger), high) for span in seen)
    return ("deviated" if observed else "censored"), trigger


def retrieve(states: Iterable[RegularityState], today: OpenDay, event: Event, config: MemoryConfig) -> tuple[Match, ...]:
    """R_t: the best three upcoming, pending or deviated occurrences of active or weakening regularities (Equation 7).

    Ranked by state (deviated, pending, upcoming), lifecycle (active, weakening), confidence (high first), temporal
    distance, then id: a total order.
    """
    now = event.span[1]
    found: list[tuple[tuple[float | str, ...], Match]] = []
    for state in states:
        if state.status != "active" and state.status != "weakening":
            continue
        matched = match_state(state, today, now, config)
        if matched is None or matched[0] in ("fulfilled", "censored"):
            continue
        low, high = state.regularity.window.seconds
        distance = low - now if now < low else (now - high if now >= high else 0.0)
        rank = (
            _STATE_RANK[matched[0]], _LIFECYCLE_RANK[state.status], -state.confidence, distance,
            state.regularity.regularity_id,
        )  # fmt: skip
        match = Match(
            regularity=state.regularity, state=matched[0], lifecycle=state.status, confidence=state.confidence,
            fulfilled_days=state.fulfilled, violated_days=state.violated, trigger_second=matched[1],
            distance_seconds=distance,
        )  # fmt: skip
        found.append((rank, match))
    found.sort(key=lambda pair: pair[0])
    return tuple(match for _, match in found[: config.top])
