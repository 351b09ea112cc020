"""A day's events to segments: copy what was observed, cite where it stands, infer nothing.

Rules. Up to a dozen events a day give one segment each; longer days join consecutive events whose words and switches
agree, then neighbours, until sixteen are left. Facts are the scalars as they stand, without identifiers, times and long
texts; of a joined activity the largest of each count and every distinct word. Fields that describe what went before
(`..._pre60`) are context_before. So the answer stays within what a model may write (about 3,500 tokens).
"""

from __future__ import annotations

from itertools import pairwise

from proactmem.llm.offline.reading import Object, Prompt, flat, text

__all__ = ["segment_day"]

_ONE_EACH = 12
_MOST = 16
_FACTS = 14
_IDENTIFIERS = {"event_id", "stream_id", "full_name"}
_TIMES = {
    "timestamp", "event_time", "time", "since", "window_start", "window_end", "decision_time",
    "source_local_decision_time", "source_utc_offset_seconds", "duration_minutes",
}  # fmt: skip


def _facts(event: Object) -> list[tuple[str, object]]:
    found = []
    for path, value in flat(event):
        leaf = path.rsplit(".", 1)[-1]
        if value is None or leaf in _IDENTIFIERS or leaf in _TIMES:
            continue
        if isinstance(value, str) and len(value) > 120:
            continue
        found.append((path, value))
    return found


def _kind(facts: list[tuple[str, object]]) -> tuple[tuple[str, object], ...]:
    """What makes two events the same activity: their words and switches, not their counts."""
    return tuple((path, value) for path, value in facts if isinstance(value, str | bool))


def _before(path: str) -> bool:
    return "_pre" in path.rsplit(".", 1)[-1]


def _joined(events: tuple[Object, ...]) -> list[list[Object]]:
    """Consecutive events of one activity; at most sixteen groups, the shortest neighbours joined first."""
    groups: list[list[Object]] = []
    kind: tuple[tuple[str, object], ...] | None = None
    for event in events:
        now = _kind(_facts(event))
        if groups and now == kind:
            groups[-1].append(event)
        else:
            groups.append([event])
        kind = now
    while len(groups) > _MOST:
        sizes = [len(left) + len(right) for left, right in pairwise(groups)]
        at = sizes.index(min(sizes))
        groups[at : at + 2] = [groups[at] + groups[at + 1]]
    return groups


def _notable(group: list[Object]) -> list[tuple[str, object]]:
    """The facts of a segment: as they stand for one event; largest counts and distinct words for several."""
    facts = [pair for event in group for pair in _facts(event)]
    if len(group) == 1:
        return _distinct(facts)
    largest: dict[str, float] = {}
    for path, value in facts:
        if isinstance(value, int | float) and not isinstance(value, bool):
            largest[path] = max(value, largest.get(path, value))
    return _distinct([(path, value) for path, value in facts if path not in largest or value == largest[path]])


def _distinct(facts: list[tuple[str, object]]) -> list[tuple[str, object]]:
    """Facts without repeats; True and 1 are not the same."""
    return [(path, value) for path, _, value in dict.fromkeys((path, type(value).__name__, value) for path, value in facts)]


def segment_day(prompt: Prompt) -> list[dict[str, object]]:
    """Segments of the day in the prompt, each fact taken from an event it cites."""
    events = prompt["events"]
    times = {text(item.get("event_id")): (text(item.get("start")), text(item.get("end"))) for item in prompt["local_times"]}
    groups = [[event] for event in events] if len(events) <= _ONE_EACH else _joined(events)
    segments: list[dict[str, object]] = []
    for group in groups:
        facts = _notable(group)
        plain = facts if len(group) == 1 else facts[:_FACTS]
        sources = [text(event.get("event_id")) for event in group]
        cited = [times.get(source, ("00:00:00", "24:00:00")) for source in sources]
        if not plain:
            continue
        segments.append(
            {
                "entity": prompt.entity,
                "start": min(start for start, _ in cited),
                "end": max(end for _, end in cited),
                "observed": [{"path": path, "value": value} for path, value in plain if not _before(path)],
                "context_before": [{"path": path, "value": value} for path, value in plain if _before(path)],
                "outcome": [],
                "sources": sources,
            }
        )
    return segments
