"""One stream under the glass: its events, its memory, its matches and its decisions as tables (Equations 4 to 8)."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

import pandas as pd

from proactmem.core.events import Scope
from proactmem.core.records import CallRecord, EventRecord, MatchRecord
from proactmem.core.regularities import Regularity, Transition
from proactmem.core.streams import Event
from proactmem.core.trajectories import DailyRecord, Segment, clock_text
from proactmem.report.table import Cell, Column, Kind, Row, Table

__all__ = [
    "call_table",
    "day_table",
    "decision_table",
    "event_table",
    "fact_table",
    "lifecycle_table",
    "match_table",
    "reason_table",
    "segment_table",
    "suppression_table",
    "timeline_frame",
    "window_frame",
]

_FIELDS: Mapping[Scope, tuple[str, ...]] = {
    "sports": ("available", "recognized_activity", "location_category", "weather_condition", "jawbone_steps_pre60"),
    "home": ("raw_event_count", "location_sequence", "door_actions.action"),
    "code": ("event.github_type", "event.action", "object.number", "content.title"),
    "desktop": ("event",),
}
"""What an event table shows of a scope's events."""
_LONGEST = 60
_INPUT = "none, input data"


def event_table(events: Sequence[Event], *, data: str, title: str = "Events") -> Table:
    """Equation 1: events in causal order, their local time and the fields that tell most; a missing field stays empty."""
    fields = _FIELDS[events[0].scope] if events else ()
    names = ("Local time", *(field.rpartition(".")[2].replace("_", " ") for field in fields))
    rows = []
    for event in events:
        leaves = list(_leaves("", json.loads(event.json)))
        values = [", ".join(text for path, text in leaves if path == field or path.endswith(f".{field}")) for field in fields]
        rows.append((_when(event), *map(_short, values)))
    return _texts(title, f"{len(events)} events, oldest first", names, rows, data)


def fact_table(event: Event, *, data: str) -> Table:
    """F(e) of Equation 5: the typed facts of one event, canonical scalars by field path."""
    rows = [(path, kind, str(value)) for path, found in event.facts.items() for kind, value in found]
    return _texts("Typed facts", f"F(e) of event {event.event_id}", ("Path", "Kind", "Canonical value"), rows, data)


def segment_table(segments: Iterable[Segment], *, backbone: str, data: str, title: str = "Trajectory memory") -> Table:
    """W_t: accepted trajectory segments, their interval, typed facts and how many events they cite."""
    rows = [(_interval(segment), _facts(segment), str(len(segment.sources))) for segment in segments]
    names = ("Local interval", "Typed facts", "Sources")
    return _texts(title, f"{len(rows)} segments, oldest first", names, rows, data, backbone)


def match_table(matches: Sequence[MatchRecord], *, backbone: str, data: str) -> Table:
    """R_t of Equation 7: the regularities applied at one event, best first, with the state of today's occurrence."""
    kinds: tuple[Kind, ...] = ("text", "text", "number", "number", "text")
    names = ("State", "Lifecycle", "Confidence", "Minutes to window", "Regularity")
    rows = [(match.state, match.lifecycle, match.confidence, match.distance_minutes, match.text) for match in matches]
    caption = "Occurrence state, lifecycle and smoothed confidence; minutes are 0 inside the window, negative after it"
    return _mixed("Applied regularities", caption, names, kinds, rows, backbone, data)


def day_table(record: DailyRecord, *, backbone: str, data: str) -> Table:
    """A daily record: the segments that source validation accepted, and those it refused with the reason (Equation 5)."""
    rows = [("accepted", _interval(segment), _facts(segment)) for segment in record.segments]
    rows += [
        (f"refused: {refused.reason.replace('_', ' ')}", f"reply, segment {refused.position + 1}", refused.detail)
        for refused in record.rejections
    ]
    caption = f"{record.day}, {record.events} events, {len(record.segments)} accepted, {len(record.rejections)} refused"
    return _texts("Daily record", caption, ("Verdict", "Segment", "Facts, or what failed"), rows, data, backbone)


def lifecycle_table(changes: Iterable[tuple[Transition, Regularity]], *, backbone: str, data: str) -> Table:
    """Appendix B.2: lifecycle transitions with the local day at whose close they happened, and their cause."""
    listed = list(changes)
    known = list(dict.fromkeys(str(regularity) for _, regularity in listed))
    rows = [(str(change.day), change.before or "(new)", change.after, change.cause) for change, _ in listed]
    caption = f"Of the regularity: {known[0]}" if len(known) == 1 else f"Of {len(known)} regularities"
    return _texts("Lifecycle", caption, ("Day closed", "Before", "After", "Cause"), rows, data, backbone)


def decision_table(records: Iterable[EventRecord], *, backbone: str, data: str, title: str = "Decisions") -> Table:
    """Equation 2: what was decided at each event and on which context, S_t, W_t and R_t by their sizes."""
    kinds: tuple[Kind, ...] = ("text", "text", "count", "count", "count", "text", "text", "text")
    names = ("Stream", "Day", "S_t", "W_t", "R_t", "Decision", "Why abstain", "Service")
    rows: list[tuple[str | int, ...]] = []
    for record in records:
        seen, decision = record.context, record.decision
        sizes = (0, 0, 0) if seen is None else (seen.recent, len(seen.trajectories), len(seen.regularities))
        service = "" if decision.service is None else f"{decision.service.action}: {decision.service.target}"
        rows.append((record.stream_id, record.day, *sizes, decision.verdict, decision.reason or "", _short(service)))
    return _mixed(title, f"{len(rows)} events, in causal order", names, kinds, rows, backbone, data)


def reason_table(records: Iterable[EventRecord], *, backbone: str, data: str) -> Table:
    """Every decision by its reason: intervene, or why it is abstain; suppressed ones had been proposed (Section 3.3)."""
    counts = Counter((record.decision.verdict, record.decision.reason or "") for record in records)
    total = sum(counts.values())
    kinds: tuple[Kind, ...] = ("text", "text", "count", "percent")
    rows = [
        (verdict, reason, number, number / total)
        for (verdict, reason), number in sorted(counts.items(), key=lambda item: (item[0][0] != "intervene", -item[1], item[0]))
    ]
    names = ("Decision", "Reason", "Events", "Share")
    return _mixed("Decisions by reason", f"{total} events", names, kinds, rows, backbone, data)


def suppression_table(records: Iterable[EventRecord], *, backbone: str, data: str) -> Table:
    """Intervention control: proposals turned into abstain, the key they repeat and the event that used it (Appendix B.3)."""
    rows = []
    for record in records:
        suppression, proposal = record.decision.suppression, record.proposal
        if suppression is not None and proposal is not None and proposal.service is not None:
            offered = f"{proposal.service.action}: {proposal.service.target}"
            rows.append((record.event_id, record.day, _short(offered), suppression.earlier_event_id, suppression.key))
    names = ("Event", "Day", "Proposed", "Repeats event", "Intervention key")
    return _texts("Suppressed proposals", f"{len(rows)} of them", names, rows, data, backbone)


def call_table(calls: Iterable[CallRecord], events: int, *, backbone: str, data: str, approximate: bool) -> Table:
    """Model calls and tokens by role, all and per event; unknown token counts are not zero.

    Args:
        calls: Every call of a run.
        events: Events of the run.
        backbone: For the caption.
        data: For the caption.
        approximate: Whether tokens are counted from characters, as the offline backbone does.
    """
    listed = list(calls)
    rows: list[tuple[object, ...]] = []
    for role in ("daily", "weekly", "decision", "repair"):
        own = [call for call in listed if call.role == role]
        if own:
            sums = [_sum(call.prompt_tokens for call in own), _sum(call.completion_tokens for call in own)]
            both = None if None in sums else sum(number for number in sums if number is not None)
            rows.append((role, len(own), *sums, None if both is None or not events else both / events))
    kinds: tuple[Kind, ...] = ("text", "count", "count", "count", "number")
    names = ("Role", "Calls", "Prompt tokens", "Completion tokens", "Tokens per event")
    caption = "Tokens as the service counted them; a dash where it did not say"
    if approximate:
        caption = "Token counts are approximate: the offline backbone reckons them from characters"
    return _mixed("Model calls", caption, names, kinds, rows, backbone, data)


def timeline_frame(
    events: Iterable[Event], records: Iterable[EventRecord], opportunities: Mapping[str, bool] | None = None
) -> pd.DataFrame:
    """A stream for `timeline_figure`: local day and hour of each event, what was decided, and the reference where known.

    Args:
        events: The stream.
        records: Its records, in the same order.
        opportunities: y by event id, for a look afterwards; None without labels.
    """
    rows = []
    for event, record in zip(events, records, strict=True):
        verdict = "suppressed" if record.decision.suppression is not None else record.decision.verdict
        known = None if opportunities is None else opportunities.get(event.event_id)
        rows.append((event.day.isoformat(), event.span[1] / 3600, verdict, known))
    frame = pd.DataFrame(rows, columns=["day", "hour", "decision", "opportunity"])
    return frame if opportunities else frame.drop(columns="opportunity")


def window_frame(changes: Iterable[tuple[Transition, Regularity]], last_day: str) -> pd.DataFrame:
    """When each regularity was active or weakening, and its window, for `timeline_figure`; one row a run of its weekdays.

    A transition at the close of a day counts from the next day on.

    Args:
        changes: Lifecycle transitions in order.
        last_day: The stream's last local day, where open stretches end.
    """
    rows: list[tuple[str, str, float, float]] = []
    since: dict[str, tuple[str, Regularity]] = {}
    for change, regularity in changes:
        name, tomorrow = change.regularity_id, (pd.Timestamp(change.day) + pd.Timedelta(days=1)).date().isoformat()
        if change.after in ("active", "weakening"):
            since.setdefault(name, (tomorrow, regularity))
        elif name in since:
            rows += _stretches(*since.pop(name), change.day.isoformat())
    for first, regularity in since.values():
        rows += _stretches(first, regularity, last_day)
    return pd.DataFrame(sorted(rows), columns=["first_day", "last_day", "start_hour", "end_hour"])


def _stretches(first: str, regularity: Regularity, last: str) -> Iterator[tuple[str, str, float, float]]:
    """Runs of days, from the first to the last, on which the regularity applies."""
    low, high = regularity.window.seconds
    run: list[str] = []
    for day in pd.date_range(first, last):
        if regularity.applies(day.weekday()):
            run.append(day.date().isoformat())
        if run and (day == pd.Timestamp(last) or not regularity.applies(day.weekday())):
            yield run[0], run[-1], low / 3600, high / 3600
            run = []


def _leaves(path: str, value: object) -> Iterator[tuple[str, str]]:
    """Scalars of an event's public form by path, as the source writes them; null is none."""
    match value:
        case dict():
            for name, item in value.items():
                yield from _leaves(f"{path}.{name}" if path else name, item)
        case list():
            for item in value:
                yield from _leaves(path, item)
        case None:
            return
        case bool():
            yield path, "yes" if value else "no"
        case _:
            yield path, str(value)


def _when(event: Event) -> str:
    return f"{event.day:%a} {event.day} {clock_text(event.span[1])[:5]}"


def _interval(segment: Segment) -> str:
    return f"{segment.day:%a} {segment.day} {clock_text(segment.start)[:5]}–{clock_text(segment.end)[:5]}"


def _facts(segment: Segment) -> str:
    return "; ".join(f"{fact.path.rpartition('.')[2]} = {_short(str(fact.value))}" for fact in segment.facts)


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def _sum(numbers: Iterable[int | None]) -> int | None:
    listed = list(numbers)
    return None if None in listed else sum(number for number in listed if number is not None)


def _texts(
    title: str, caption: str, names: Sequence[str], rows: Iterable[Sequence[str]], data: str, backbone: str = _INPUT
) -> Table:
    lines = tuple(Row(tuple(map(Cell, row))) for row in rows)
    return Table(title, caption, tuple(map(Column, names)), lines, backbone, data)


def _mixed(
    title: str,
    caption: str,
    names: Sequence[str],
    kinds: Sequence[Kind],
    rows: Iterable[Sequence[object]],
    backbone: str,
    data: str,
) -> Table:
    columns = tuple(Column(name, kind) for name, kind in zip(names, kinds, strict=True))
    lines = tuple(Row(tuple(_cell(value) for value in row)) for row in rows)
    return Table(title, caption, columns, lines, backbone, data)


def _cell(value: object) -> Cell:
    if value is None:
        return Cell(missing="not run")
    assert isinstance(value, str | int | float)  # what the callers above build
    return Cell(value)
