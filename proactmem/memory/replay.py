"""Historical replay: whether a proposed regularity recurs in the recorded days (Equation 6, SPEC 4)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Literal, NamedTuple

from proactmem.core.facts import Canonical, container_of
from proactmem.core.predicates import Predicate, holds, satisfies
from proactmem.core.regularities import Regularity
from proactmem.core.streams import Event, Span
from proactmem.core.trajectories import DailyFact

__all__ = ["DayEvidence", "DayVerdict", "ReplayCounts", "first_trigger", "judge_day", "within"]

DayOutcome = Literal["fulfilled", "violated", "censored", "untriggered", "other_weekday"]
"""What one day says about one regularity; the last two count for nothing."""


@dataclass(frozen=True)
class DayEvidence:
    """What replay may know of one completed day: validated facts in time, and what was observable when."""

    day: date
    scope: str
    facts: Mapping[str, tuple[tuple[Span, Canonical], ...]]
    """Validated facts by path, in time order."""
    observed: Mapping[str, tuple[Span, ...]]
    """Spans of the day's events at which each container was held; judged on events, not on accepted segments."""
    present: Mapping[str, tuple[Span, ...]]
    """Spans of events that hold a value at a path, where those differ from when it was observed: absence elsewhere."""
    several: Mapping[str, tuple[tuple[Span, tuple[Canonical, ...]], ...]] = field(default_factory=dict)
    """All values of events that hold several at a path, so that a partly extracted list cannot fulfil `!=`."""

    @staticmethod
    def of(day: date, facts: Iterable[DailyFact], events: Sequence[Event]) -> DayEvidence:
        """The evidence of a completed day."""
        by_path: dict[str, list[tuple[Span, Canonical]]] = {}
        for fact in facts:
            by_path.setdefault(fact.path, []).append((fact.span, fact.value))
        observed: dict[str, list[Span]] = {}
        present: dict[str, list[Span]] = {}
        for event in events:
            for container in event.observed:
                observed.setdefault(container, []).append(event.span)
            for path in event.facts:
                present.setdefault(path, []).append(event.span)
        for path in [path for path in present if present[path] == observed.get(path)]:
            del present[path]
        for path in observed.keys() - present.keys():
            if not any(path in event.facts for event in events):
                present[path] = []
        several: dict[str, list[tuple[Span, tuple[Canonical, ...]]]] = {}
        for event in events:
            for path, values in event.facts.items():
                if len(values) > 1:
                    several.setdefault(path, []).append((event.span, values))
        shared: dict[tuple[Span, ...], tuple[Span, ...]] = {}

        def share(spans: list[Span]) -> tuple[Span, ...]:
            return shared.setdefault(tuple(spans), tuple(spans))

        return DayEvidence(
            day=day,
            scope=events[0].scope if events else "",
            facts={path: tuple(sorted(held)) for path, held in by_path.items()},
            observed={container: share(spans) for container, spans in observed.items()},
            present={path: share(spans) for path, spans in present.items()},
            several={path: tuple(held) for path, held in several.items()},
        )

    def spans(self, predicate: Predicate) -> tuple[Span, ...]:
        """When the predicate holds on validated facts, in time order.

        `!=` holds where a validated fact stands at the path and none equals, and where the container was held by an
        event that has no such member.
        """
        held = self.facts.get(predicate.path, ())
        if predicate.op != "!=":
            return tuple(satisfies(predicate, held))
        values: dict[Span, list[Canonical]] = {}
        for span, value in held:
            values.setdefault(span, []).append(value)
        for span in self._absent(predicate.path):
            values.setdefault(span, [])
        for span, found in self.several.get(predicate.path, ()):
            if span in values:
                values[span].extend(found)
        return tuple(sorted(span for span, found in values.items() if holds(predicate, found)))

    def _absent(self, path: str) -> list[Span]:
        """When the container was held without a value at `path`."""
        container = self._container(path)
        if container == path and path not in self.present:
            return []
        present = self.present.get(path, ())
        return [span for span in self.observed.get(container, ()) if span not in present]

    def observed_spans(self, path: str) -> tuple[Span, ...]:
        """When `path` was observed, absence included."""
        return self.observed.get(self._container(path), ())

    def _container(self, path: str) -> str:
        return container_of(path, self.scope) if self.scope else path  # type: ignore[arg-type]  # a Scope by construction


class DayVerdict(NamedTuple):
    """One day's word on one regularity."""

    outcome: DayOutcome
    base: bool | None
    """Whether p occurred anywhere in the window; None where p was not observable there or the weekday is excluded."""


@dataclass(frozen=True, slots=True)
class ReplayCounts:
    """n_f, n_v and base(p) of Equation 6; each date counts at most once."""

    fulfilled: int = 0
    violated: int = 0
    censored: int = 0
    base_days: int = 0
    """Observable days under the same window and weekdays, triggered or not."""
    base_hits: int = 0
    """Those of them on which p occurred in the window."""

    @staticmethod
    def of(verdicts: Iterable[DayVerdict]) -> ReplayCounts:
        """The counts of several days."""
        seen = Counter[object]()
        for verdict in verdicts:
            seen[verdict.outcome] += 1
            if verdict.base is not None:
                seen["base"] += 1
                seen["hits"] += verdict.base
        return ReplayCounts(seen["fulfilled"], seen["violated"], seen["censored"], seen["base"], seen["hits"])

    def add(self, verdict: DayVerdict) -> ReplayCounts:
        """The counts with one more day."""
        outcome, base = verdict
        return ReplayCounts(
            self.fulfilled + (outcome == "fulfilled"),
            self.violated + (outcome == "violated"),
            self.censored + (outcome == "censored"),
            self.base_days + (base is not None),
            self.base_hits + (base is True),
        )

    @property
    def confidence(self) -> float:
        """Share of fulfilled among judged days (Equation 6); 0 for a zero denominator."""
        judged = self.fulfilled + self.violated
        return self.fulfilled / judged if judged else 0.0

    @property
    def base(self) -> float:
        """Frequency of p over observable days; 0 for none (Equation 6)."""
        return self.base_hits / self.base_days if self.base_days else 0.0

    @property
    def lift(self) -> float:
        """Confidence over base rate; 0 for a zero denominator (Equation 6)."""
        # Integers keep lift = 1 exact where confidence and base are the same ratio.
        judged = self.fulfilled + self.violated
        if judged == 0 or self.base_hits == 0:
            return 0.0
        return (self.fulfilled * self.base_days) / (judged * self.base_hits)


def within(spans: Iterable[Span], low: float, high: float) -> list[Span]:
    """The spans that lie in [low, high) as points, or overlap it as intervals."""
    return [span for span in spans if span[0] < high and (span[1] > low or span[0] == span[1] == low)]


def first_trigger(spans: Iterable[Span]) -> float | None:
    """The start of the earliest trigger of a day, in seconds; None where it was not seen."""
    return min((span[0] for span in spans), default=None)


def judge_day(regularity: Regularity, evidence: DayEvidence, memo: dict[str, tuple[Span, ...]] | None = None) -> DayVerdict:
    """Fulfilled, violated, censored or inapplicable, and whether p occurred in the window at all (SPEC 4).

    A day is triggered when g holds at some time; fulfilled when p holds inside the window at or after the first trigger;
    violated when it does not though p's path was observed in [max(start, trigger), end); censored when it was not.

    Args:
        regularity: What is judged.
        evidence: The day.
        memo: Spans by predicate, shared between the regularities that are judged on one day.
    """
    if not regularity.applies(evidence.day.weekday()):
        return DayVerdict("other_weekday", None)
    low, high = regularity.window.seconds
    expected = within(_spans(regularity.behavior, evidence, memo), low, high)
    seen = evidence.observed_spans(regularity.behavior.path)
    base = True if expected else (False if within(seen, low, high) else None)
    trigger = first_trigger(_spans(regularity.trigger, evidence, memo))
    if trigger is None:
        return DayVerdict("untriggered", base)
    if any(span[0] >= trigger for span in expected):
        return DayVerdict("fulfilled", base)
    if within(seen, max(low, trigger), high):
        return DayVerdict("violated", base)
    return DayVerdict("censored", base)


def _spans(predicate: Predicate, evidence: DayEvidence, memo: dict[str, tuple[Span, ...]] | None) -> tuple[Span, ...]:
    if memo is None:
        return evidence.spans(predicate)
    found = memo.get(predicate.key)
    if found is None:
        found = memo[predicate.key] = evidence.spans(predicate)
    return found
