"""The review queue: LLM-assisted triage orders it, and nothing else (Appendix A.2); every event is still judged."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from proactmem.datasets.annotate.asking import check_triaged, triage_request
from proactmem.datasets.annotate.votes import Item
from proactmem.datasets.built import BuiltStreams
from proactmem.errors import InputError
from proactmem.llm.asking import ask
from proactmem.llm.backbone import Backbone
from proactmem.paths import write_atomic

__all__ = ["Queued", "read_queue", "triage", "write_queue"]

_UNKNOWN = 0.5
"""Place of an event whose triage reply could not be used: in the middle."""


class Queued(NamedTuple):
    """An event of the queue."""

    item: Item
    score: float
    """How much it looks like an opportunity to the triage; 0.5 where it did not say."""
    usable: bool


def triage(
    streams: BuiltStreams, backbone: Backbone, *, hindsight: bool = False, progress: Callable[[int, int], None] | None = None
) -> list[Queued]:
    """All events in the order of review: the streams by their most promising tenth, each in causal order.

    So no annotator has seen what came after an event when judging it. With `hindsight` the events are ordered one by one, the
    most promising first, whichever stream they are of.

    Args:
        streams: Built streams; labels beside them are not opened.
        backbone: Asked once an event; a recording one makes the order resumable.
        hindsight: Whether an annotator may have seen later events of a stream before an earlier one.
        progress: Called with events done and events in all.
    """
    found: list[Queued] = []
    ranks: list[tuple[float, list[Queued]]] = []
    total = sum(streams.counts.values())
    for stream_id in streams.stream_ids:
        events = tuple(streams.events(stream_id))
        mine: list[Queued] = []
        for event in events:
            answer = ask(backbone, triage_request(event, events[: event.index], model=backbone.model), check_triaged)
            score = _UNKNOWN if answer.value is None else answer.value
            mine.append(Queued((stream_id, event.event_id), score, answer.value is not None))
            if progress is not None:
                progress(len(found) + len(mine), total)
        found += mine
        best = sorted((one.score for one in mine), reverse=True)[: max(1, len(mine) // 10)]
        ranks.append((sum(best) / len(best), mine))
    if hindsight:
        return sorted(found, key=lambda queued: -queued.score)
    return [one for _, mine in sorted(ranks, key=lambda rank: -rank[0]) for one in mine]


def write_queue(file: Path, queue: list[Queued]) -> None:
    """One JSON line an event: stream_id, event_id, score, usable."""
    lines = (json.dumps([*one.item, one.score, one.usable], ensure_ascii=False) + "\n" for one in queue)
    write_atomic(file, "".join(lines))


def read_queue(file: Path) -> list[Queued]:
    """A queue that was written.

    Raises:
        InputError: It is none.
    """
    found = []
    for row, line in enumerate(file.read_bytes().splitlines(), start=1):
        try:
            stream_id, event_id, score, usable = json.loads(line)
            found.append(Queued((str(stream_id), str(event_id)), float(score), bool(usable)))
        except (ValueError, TypeError) as error:
            raise InputError("is no line of a queue", file=file, row=row, remedy="Make the queue again.") from error
    return found
