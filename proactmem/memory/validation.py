"""The fact validator: a segment stands only on facts that its cited events hold (Equation 5, SPEC 3)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from datetime import date

from pydantic import ValidationError

from proactmem.core.events import Scope
from proactmem.core.facts import Canonical, Fact, canonical, resolve
from proactmem.core.streams import DAY_SECONDS, Event
from proactmem.core.trajectories import (
    DailyFact,
    DraftSegment,
    RejectionReason,
    Segment,
    SegmentRejection,
    parse_clock,
)

__all__ = ["SEGMENT_LIMIT", "Validated", "validate_day"]

SEGMENT_LIMIT = 100
"""Segments of one day that are considered (ours): what a day adds to later contexts stays bounded."""

Validated = tuple[tuple[Segment, ...], tuple[DailyFact, ...], tuple[SegmentRejection, ...]]
"""Accepted segments, their facts in time, and the rejections."""


class _RejectedError(Exception):
    def __init__(self, reason: RejectionReason, detail: str) -> None:
        super().__init__(detail)
        self.reason: RejectionReason = reason
        self.detail = detail


def validate_day(
    drafts: Sequence[object],
    *,
    stream_id: str,
    scope: Scope,
    day: date,
    events: Sequence[Event],
    check_facts: bool = True,
) -> Validated:
    """Accept a segment iff its facts are a subset of its cited events' facts, all of this completed day (Equation 5).

    Args:
        drafts: The model's segments, as parsed from JSON.
        stream_id: The stream whose day it is; a segment about another entity is refused.
        scope: Its scope, for field paths.
        day: The completed local day.
        events: All its events, in causal order.
        check_facts: False is the ablation *w/o trajectory validation*: schema-valid segments of the same entity are
            kept unchecked.
    """
    by_id = {event.event_id: event for event in events}
    seen = frozenset(path for event in events for path in event.facts)
    segments: list[Segment] = []
    facts: list[DailyFact] = []
    rejections: list[SegmentRejection] = []
    taken: set[str] = set()
    for position, raw in enumerate(drafts):
        try:
            if position >= SEGMENT_LIMIT:
                raise _RejectedError("malformed", f"more than {SEGMENT_LIMIT} segments in one day")
            draft = _draft(raw, stream_id)
            if check_facts:
                segment, held = _checked(draft, scope, day, by_id, seen)
            else:
                segment, held = _unchecked(draft, scope, day, seen)
        except _RejectedError as rejected:
            rejections.append(SegmentRejection(reason=rejected.reason, detail=rejected.detail, position=position))
            continue
        if segment.segment_id not in taken:
            taken.add(segment.segment_id)
            segments.append(segment)
            facts.extend(held)
    segments.sort(key=lambda segment: (segment.start, segment.end, segment.segment_id))
    return tuple(segments), tuple(dict.fromkeys(facts)), tuple(rejections)


def _draft(raw: object, stream_id: str) -> DraftSegment:
    try:
        draft = DraftSegment.model_validate(raw)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise _RejectedError("malformed", f"{where}: {first['msg']}"[:200]) from error
    if draft.entity != stream_id:
        raise _RejectedError("wrong_entity", f"entity {draft.entity[:80]!r}")
    return draft


def _checked(
    draft: DraftSegment, scope: Scope, day: date, by_id: Mapping[str, Event], seen: frozenset[str]
) -> tuple[Segment, list[DailyFact]]:
    if not draft.sources:
        raise _RejectedError("no_source", "sources is empty")
    if not draft.facts:
        raise _RejectedError("no_facts", "no typed fact")
    missing = [source for source in draft.sources if source not in by_id]
    if missing:
        raise _RejectedError("unknown_source", f"{missing[0][:80]!r} is not an event of the day")
    cited = sorted((by_id[source] for source in dict.fromkeys(draft.sources)), key=lambda event: event.index)
    start, end = parse_clock(draft.start, day), _end(draft, day)
    low, high = min(event.span[0] for event in cited), max(event.span[1] for event in cited)
    # A start at second precision may name the whole second of a source with a fraction.
    if start is None or end is None or start[0] > end[1] or int(start[0]) > low or end[1] < high:
        raise _RejectedError("bad_interval", f"{draft.start!r} to {draft.end!r} does not lie in the day or cover its sources")
    held = [_source_of(fact, scope, cited, seen) for fact in draft.facts]
    resolved = {fact: path for fact, (path, _, _) in zip(draft.facts, held, strict=True)}
    segment = _segment(draft, day, low, high, tuple(event.event_id for event in cited), resolved)
    return segment, [DailyFact(path, value, event.span) for path, value, event in held]


def _end(draft: DraftSegment, day: date) -> tuple[float, float] | None:
    """The claimed end; midnight after a later start is the end of the day, however it is written (ours)."""
    start, end = parse_clock(draft.start, day), parse_clock(draft.end, day)
    if start is not None and end is not None and end[0] == 0 < start[0]:
        return DAY_SECONDS, DAY_SECONDS
    return end


def _source_of(fact: Fact, scope: Scope, cited: Sequence[Event], seen: frozenset[str]) -> tuple[str, Canonical, Event]:
    path, fault = resolve(fact.path, scope, seen)
    if path is None:
        raise _RejectedError(fault or "unknown_path", fact.path[:120])
    value = canonical(fact.value)
    for event in cited:
        if value is not None and value in event.facts.get(path, ()):
            return path, value, event
    raise _RejectedError("value_differs", f"{path} is not {fact.value!r:.80} in a cited event")


def _unchecked(draft: DraftSegment, scope: Scope, day: date, seen: frozenset[str]) -> tuple[Segment, list[DailyFact]]:
    start, end = parse_clock(draft.start, day), _end(draft, day)
    if start is None or end is None or start[0] > end[1]:
        raise _RejectedError("malformed", f"{draft.start!r} to {draft.end!r} is no interval of the day")
    resolved: dict[Fact, str] = {}
    held: list[DailyFact] = []
    for fact in draft.facts:
        path = resolve(fact.path, scope, seen).path or fact.path
        resolved[fact] = path
        value = canonical(fact.value)
        if value is not None:
            held.append(DailyFact(path, value, (start[0], start[0])))
    high = max(end[0], start[0])
    return _segment(draft, day, start[0], high, tuple(dict.fromkeys(draft.sources)), resolved), held


def _segment(
    draft: DraftSegment, day: date, low: float, high: float, sources: tuple[str, ...], resolved: Mapping[Fact, str]
) -> Segment:
    def full(facts: tuple[Fact, ...]) -> tuple[Fact, ...]:
        return tuple(fact if resolved[fact] == fact.path else Fact(path=resolved[fact], value=fact.value) for fact in facts)

    observed, before, outcome = full(draft.observed), full(draft.context_before), full(draft.outcome)
    content = [
        draft.entity, day.isoformat(), low, high, sources,
        [[(fact.path, canonical(fact.value)) for fact in part] for part in (observed, before, outcome)],
    ]  # fmt: skip
    digest = hashlib.sha256(json.dumps(content, ensure_ascii=True).encode()).hexdigest()
    return Segment(
        segment_id=f"seg_{digest[:16]}", stream_id=draft.entity, day=day, start=low, end=high,
        observed=observed, context_before=before, outcome=outcome, sources=sources,
    )  # fmt: skip
