"""Current matching: which admitted regularities apply to this event, and in what state (Equation 7, SPEC 5)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date
from typing import NamedTuple

from proactmem.config import MemoryConfig
from proactmem.core.facts import container_of
from proactmem.core.predicates import Predicate, holds, satisfies
from proactmem.core.regularities import Match, MatchState, RegularityStatus
from proactmem.core.streams import Event, Span
from proactmem.memory.lifecycle import RegularityState
from proactmem.memory.replay import within

__all__ = ["OpenDay", "Scheduled", "match_state", "retrieve", "schedule"]

_STATE_RANK: dict[MatchState, int] = {"deviated": 0, "pending": 1, "upcoming": 2}
_LIFECYCLE_RANK: dict[RegularityStatus, int] = {"active": 0, "weakening": 1}


@dataclass
class _Held:
    """When one predicate held so far: events looked at, spans, and the earliest start."""

    done: int = 0
    spans: list[Span] = field(default_factory=list)
    first: float | None = None


class OpenDay:
    """The open local day's observations, indexed by predicate so that an event costs each distinct predicate once."""

    def __init__(self) -> None:
        self.day: date | None = None
        self.events: list[Event] = []
        """All events of the open day, the staged one last; the open-day buffer of Section 3.1."""
        self._held: dict[str, _Held] = {}
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

    def held(self, predicate: Predicate) -> _Held:
        """When the predicate held today, on public facts, the current event included."""
        held = self._held.get(predicate.key)
        if held is None:
            held = self._held[predicate.key] = _Held()
        if held.done < len(self.events):
            path, new = predicate.path, self.events[held.done :]
            if predicate.op == "!=":
                container = container_of(path, new[0].scope)
                found = [
                    event.span
                    for event in new
                    if holds(predicate, event.facts.get(path, ()), observed=container in event.observed)
                ]
            else:
                found = satisfies(predicate, [(event.span, value) for event in new for value in event.facts.get(path, ())])
            held.done = len(self.events)
            if found:
                held.spans += found
                earliest = min(found)[0]
                held.first = earliest if held.first is None else min(held.first, earliest)
        return held

    def observed(self, path: str) -> list[Span]:
        """When `path` was observed today, absence included."""
        done, spans = self._observed.get(path, (0, []))
        if done < len(self.events):
            container = container_of(path, self.events[0].scope)
            spans += [event.span for event in self.events[done:] if container in event.observed]
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
    trigger = today.held(state.regularity.trigger).first
    if trigger is None or trigger >= high:
        return None
    if any(span[0] >= trigger for span in within(today.held(state.regularity.behavior).spans, low, high)):
        return "fulfilled", trigger
    if now < low:
        return "upcoming", trigger
    if now < high:
        return "pending", trigger
    seen = today.observed(state.regularity.behavior.path)
    return ("deviated" if within(seen, max(low, trigger), high) else "censored"), trigger


class Scheduled(NamedTuple):
    """An admitted regularity that applies on a day, with the seconds between which it can match."""

    first: float
    last: float
    state: RegularityState


def schedule(states: Iterable[RegularityState], day: date, config: MemoryConfig) -> list[Scheduled]:
    """What an event of `day` need be matched with: active or weakening regularities of its weekday (Equation 7).

    Regularities change only when a day closes, so one schedule serves a whole day.
    """
    lead, grace = config.lead_minutes * 60, config.grace_minutes * 60
    found = []
    for state in states:
        if state.status in ("active", "weakening") and state.regularity.applies(day.weekday()):
            low, high = state.regularity.window.seconds
            found.append(Scheduled(low - lead, high + grace, state))
    return found


def retrieve(scheduled: Iterable[Scheduled], today: OpenDay, event: Event, config: MemoryConfig) -> tuple[Match, ...]:
    """R_t: the best three upcoming, pending or deviated occurrences of active or weakening regularities (Equation 7).

    Ranked by state (deviated, pending, upcoming), lifecycle (active, weakening), confidence (high first), temporal
    distance, then id: a total order.
    """
    now = event.span[1]
    found: list[tuple[tuple[float | str, ...], RegularityState, MatchState, float]] = []
    for state in [state for first, last, state in scheduled if first <= now <= last]:
        low, high = state.regularity.window.seconds
        matched = match_state(state, today, now, config)
        if matched is None or matched[0] in ("fulfilled", "censored"):
            continue
        rank = (
            _STATE_RANK[matched[0]], _LIFECYCLE_RANK[state.status], -state.confidence, _distance(low, high, now),
            state.regularity.regularity_id,
        )  # fmt: skip
        found.append((rank, state, *matched))
    found.sort(key=lambda item: item[0])
    return tuple(_match(state, shown, trigger, now) for _, state, shown, trigger in found[: config.top])


def _distance(low: float, high: float, now: float) -> float:
    return low - now if now < low else (now - high if now >= high else 0.0)


def _match(state: RegularityState, shown: MatchState, trigger: float, now: float) -> Match:
    return Match(
        regularity=state.regularity, state=shown, lifecycle="active" if state.status == "active" else "weakening",
        confidence=state.confidence, fulfilled_days=state.fulfilled, violated_days=state.violated,
        trigger_second=trigger, distance_seconds=_distance(*state.regularity.window.seconds, now),
    )  # fmt: skip
