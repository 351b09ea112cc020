"""One stream as one method replayed it: events, records and memory audit, with the labels joined afterwards."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import Literal, TypeVar

import pandas as pd
from pydantic import TypeAdapter, ValidationError

from proactmem.core.labels import Label
from proactmem.core.records import AUDIT_DIR, RECORDS_DIR, EventRecord, RunManifest, stream_filename
from proactmem.core.regularities import Regularity, Transition
from proactmem.core.streams import Event
from proactmem.core.trajectories import DailyRecord, Segment
from proactmem.errors import ConfigError, StoreError
from proactmem.explore.source import Source, answered_by
from proactmem.methods.proactmem import DayAudit, TransitionAudit
from proactmem.run.replay import Progress
from proactmem.score.runs import load_manifest
from proactmem.study import AuditEntry

__all__ = ["DECISIONS", "Moment", "Outcome", "Replayed", "decision_of", "outcome_of"]

Outcome = Literal["hit", "false alarm", "missed", "rightly silent"]
"""A final decision against its reference label: true and false positive, false and true negative (SPEC 9)."""
DECISIONS = ("intervene", "suppressed", "abstain")
"""How decisions are shown: a suppressed one was proposed and turned into abstain (Section 3.3)."""
_RECORD: TypeAdapter[EventRecord] = TypeAdapter(EventRecord)
_ENTRY: TypeAdapter[AuditEntry] = TypeAdapter(AuditEntry)
Line = TypeVar("Line")


def decision_of(record: EventRecord) -> str:
    """One of `DECISIONS`."""
    return "suppressed" if record.decision.suppression is not None else record.decision.verdict


def outcome_of(record: EventRecord, label: Label | None) -> Outcome | None:
    """The final decision against its label; None where the event is not labelled."""
    if label is None:
        return None
    if record.decision.verdict == "intervene":
        return "hit" if label.y else "false alarm"
    return "missed" if label.y else "rightly silent"


@dataclass(frozen=True, slots=True)
class Moment:
    """One event of a replayed stream: when it came, what was in context, what was decided, and the reference if known."""

    index: int
    event_id: str
    day: date
    """Local day."""
    start: float
    """Local hour, 0 to 24; equal to `hour` for a point event."""
    hour: float
    """Local hour of the decision, 0 to 24."""
    decision: str
    """One of `DECISIONS`."""
    reason: str | None
    """Why abstain."""
    service: str | None
    """The action proposed, also where it was suppressed."""
    recent: int
    """|S_t|."""
    trajectories: int
    """|W_t|."""
    regularities: int
    """|R_t|."""
    opportunity: bool | None
    """y; None without a label."""
    outcome: Outcome | None
    """None without a label."""


@dataclass(frozen=True)
class Replayed:
    """Everything there is to look at of one stream under one method; labels are beside it, no method saw them."""

    run: Path
    """The run directory."""
    manifest: RunManifest
    label: str
    """What the data are, for captions."""
    events: tuple[Event, ...]
    """In causal order."""
    records: tuple[EventRecord, ...]
    """One an event, in the same order."""
    days: tuple[DailyRecord, ...]
    """Daily records as they were kept, oldest first."""
    changes: tuple[tuple[Transition, Regularity], ...]
    """Lifecycle transitions with their regularity, in order."""
    labels: Mapping[str, Label]
    """Reference labels of this stream by event id; empty without any."""

    @classmethod
    def read(cls, source: Source, method: str, stream_id: str, progress: Progress | None = None) -> Replayed:
        """A stream under a method of the source, replayed now where no run holds it.

        Args:
            source: Built streams and their runs.
            method: A name of `Source.methods`.
            stream_id: The stream.
            progress: Told of every event of a run that is made now.

        Raises:
            ConfigError: No such method or stream, or a stream without events.
            StoreError: The run directory cannot be written, or its records or audit are not those of this stream.
        """
        events = tuple(source.streams.events(stream_id))
        if not events:
            raise ConfigError(f"stream {stream_id!r} has no events.", remedy="Choose another stream.")
        run = source.run(method, stream_id, progress)
        name = stream_filename(stream_id)
        records = tuple(_lines(run / RECORDS_DIR / name, _RECORD))
        if [record.event_id for record in records] != [event.event_id for event in events]:
            raise StoreError(
                f"{run / RECORDS_DIR / name}: holds {len(records)} records that are not those of the stream's "
                f"{len(events)} events.",
                remedy="Delete the run directory and run again.",
            )
        audit = list(_lines(run / AUDIT_DIR / name, _ENTRY))
        found = cls(
            run=run,
            manifest=load_manifest(run),
            label=source.label,
            events=events,
            records=records,
            days=tuple(entry.record for entry in audit if isinstance(entry, DayAudit)),
            changes=tuple((entry.transition, entry.regularity) for entry in audit if isinstance(entry, TransitionAudit)),
            labels={event_id: label for (owner, event_id), label in source.labels.items() if owner == stream_id},
        )
        held = {name for record in records if record.context is not None for name in record.context.trajectories}
        if missing := sorted(held - set(found.segments)):
            raise StoreError(
                f"{run / AUDIT_DIR / name}: lacks segments that were in context, {missing[:3]} first.",
                remedy="Delete the run directory and run again.",
            )
        return found

    @property
    def stream_id(self) -> str:
        """The entity."""
        return self.events[0].stream_id

    @property
    def method(self) -> str:
        """The method and who answered, for titles."""
        return answered_by(self.manifest)

    @cached_property
    def places(self) -> Mapping[str, int]:
        """Index of each event by its id."""
        return {event.event_id: event.index for event in self.events}

    @cached_property
    def segments(self) -> Mapping[str, Segment]:
        """Every accepted segment by its id."""
        return {segment.segment_id: segment for day in self.days for segment in day.segments}

    @cached_property
    def numbers(self) -> Mapping[str, int]:
        """1 for the regularity that was admitted first, and so on; those never admitted have none."""
        admitted = dict.fromkeys(change.regularity_id for change, _ in self.changes if change.after == "active")
        return {name: number for number, name in enumerate(admitted, start=1)}

    def find(self, event_id: str) -> int:
        """Index of an event.

        Raises:
            ConfigError: No such event.
        """
        if event_id not in self.places:
            raise ConfigError(
                f"no event {event_id!r} among the {len(self.events)} of stream {self.stream_id!r}.",
                remedy="Leave it empty to have one chosen.",
            )
        return self.places[event_id]

    @cached_property
    def moments(self) -> tuple[Moment, ...]:
        """One an event, in order."""
        found = []
        for event, record in zip(self.events, self.records, strict=True):
            seen, proposal, label = record.context, record.proposal, self.labels.get(event.event_id)
            start, end = (second / 3600 for second in event.span)
            found.append(
                Moment(
                    index=event.index,
                    event_id=event.event_id,
                    day=event.day,
                    start=start,
                    hour=end,
                    decision=decision_of(record),
                    reason=record.decision.reason,
                    service=None if proposal is None or proposal.service is None else proposal.service.action,
                    recent=0 if seen is None else seen.recent,
                    trajectories=0 if seen is None else len(seen.trajectories),
                    regularities=0 if seen is None else len(seen.regularities),
                    opportunity=None if label is None else label.y,
                    outcome=outcome_of(record, label),
                )
            )
        return tuple(found)

    @cached_property
    def frame(self) -> pd.DataFrame:
        """The moments as rows, columns as `Moment` names them."""
        return pd.DataFrame(list(self.moments), columns=[part.name for part in fields(Moment)])


def _lines(file: Path, adapter: TypeAdapter[Line]) -> Iterator[Line]:
    try:
        with file.open("rb") as lines:
            for row, line in enumerate(lines, start=1):
                try:
                    yield adapter.validate_json(line)
                except ValidationError as error:
                    raise StoreError(
                        f"{file}, row {row}: is no line of a run.", remedy="Delete the run directory and run again."
                    ) from error
    except OSError as error:
        raise StoreError(
            f"{file}: cannot be read ({error.strerror or error}).", remedy="Delete the run directory and run again."
        ) from error
