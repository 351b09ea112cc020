"""One public event as in Figure 5: its reference label above, kept apart, then its original fields and nesting."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from proactmem.core.events import public_json
from proactmem.core.labels import Label
from proactmem.core.streams import Event

__all__ = ["example_event", "example_text"]

_LONGEST = 160
"""Characters of a text that are shown; the public event holds all of it."""


def example_event(events: Sequence[Event], labels: Mapping[str, Label]) -> Event:
    """The first event whose reference decision is *intervene* and rests on history, else the first such, else the first."""
    positive = [event for event in events if event.event_id in labels and labels[event.event_id].y]
    historical = [event for event in positive if labels[event.event_id].b]
    return (historical or positive or list(events))[0]


def example_text(event: Event, label: Label | None) -> str:
    """The event and its label as text; a text longer than 160 characters is cut with an ellipsis, and says so.

    >>> from proactmem.core.events import parse_event
    >>> from proactmem.core.streams import arrive
    >>> public = parse_event({"event_id": "e", "time": 0, "stream_id": "s", "event": "x"}, scope="desktop")
    >>> print(example_text(next(arrive([public])), Label(event_id="e", y=False)).splitlines()[0])
    GT: y = 0 (abstain); A, B and N unknown
    """
    shown = json.dumps(_cut(json.loads(public_json(event.public))), indent=2, ensure_ascii=False)
    return f"{_reference(label)}\n{shown}"


def _reference(label: Label | None) -> str:
    if label is None:
        return "GT: not labelled"
    why = "A, B and N unknown"
    if label.a is not None and label.b is not None and label.n is not None:
        why = f"A = {label.a:d}, B = {label.b:d}, N = {label.n:d}"
    service = f"; service: {label.service}" if label.y and label.service else ""
    return f"GT: y = {label.y:d} ({'intervene' if label.y else 'abstain'}); {why}{service}"


def _cut(value: object) -> object:
    match value:
        case dict():
            return {name: _cut(part) for name, part in value.items()}
        case list():
            return [_cut(part) for part in value]
        case str() if len(value) > _LONGEST:
            return value[:_LONGEST] + f"… ({len(value)} characters)"
        case _:
            return value
