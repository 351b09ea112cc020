"""Going to the next or previous event that shows something: an intervention, a suppression, a label, a match, a mistake."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from proactmem.explore.replayed import Replayed, outcome_of

__all__ = ["MARKS", "Mark", "Step", "jump", "marked", "repeated"]

Mark = Literal["event", "intervention", "suppression", "match", "label", "mistake"]
"""What to stop at; label is a reference opportunity (y = 1), mistake a final decision that differs from its label."""
MARKS: tuple[Mark, ...] = ("event", "intervention", "suppression", "match", "label", "mistake")
Step = Literal[1, -1]
"""Forward or back."""


def marked(replayed: Replayed, index: int, mark: Mark) -> bool:
    """Whether the event at `index` shows the mark."""
    record = replayed.records[index]
    label = replayed.labels.get(record.event_id)
    match mark:
        case "event":
            return True
        case "intervention":
            return record.decision.verdict == "intervene"
        case "suppression":
            return record.decision.suppression is not None
        case "match":
            return record.context is not None and bool(record.context.regularities)
        case "label":
            return label is not None and label.y
        case "mistake":
            return outcome_of(record, label) in ("missed", "false alarm")


def jump(replayed: Replayed, index: int, mark: Mark, step: Step = 1) -> int | None:
    """The nearest marked event after (or, with step -1, before) `index`; None where there is none.

    Args:
        replayed: The stream.
        index: Where one stands; it is not looked at itself.
        mark: What to stop at.
        step: 1 forward, -1 back.
    """
    return next((place for place in _ahead(replayed, index, step) if marked(replayed, place, mark)), None)


def _ahead(replayed: Replayed, index: int, step: Step) -> Iterator[int]:
    end = len(replayed.records) if step == 1 else -1
    yield from range(index + step, end, step)


def repeated(replayed: Replayed, index: int) -> int | None:
    """The earlier event whose intervention a suppressed proposal repeats (SPEC 7); None where nothing was suppressed."""
    suppression = replayed.records[index].decision.suppression
    return None if suppression is None else replayed.places.get(suppression.earlier_event_id)
