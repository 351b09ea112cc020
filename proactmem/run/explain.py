"""Why a decision came out as it did: what the method saw, what it proposed, what the controller made of it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from pydantic import ValidationError

from proactmem.core.records import AUDIT_DIR, RECORDS_DIR, REPLIES, EventRecord, stream_filename
from proactmem.core.trajectories import Segment, clock_text
from proactmem.errors import ConfigError, StoreError
from proactmem.llm.recording import Recording

__all__ = ["explain", "find_record"]

_AGAIN = "Delete the stream's file under records/ and give the run command again: no stored reply is asked for again."


def _record_files(run: Path) -> list[Path]:
    folder = run / RECORDS_DIR
    if not folder.is_dir():
        raise StoreError(f"{run}: is no run directory (no {RECORDS_DIR}/).", remedy="Give the --out directory of a run.")
    return sorted(folder.glob("*.jsonl"))


def find_record(run: Path, event_id: str, stream_id: str | None = None) -> EventRecord:
    """The record of one event.

    Raises:
        StoreError: Not a run directory, or a corrupt record.
        ConfigError: No such event, or the id occurs in several streams and none was named.
    """
    files = _record_files(run) if stream_id is None else [run / RECORDS_DIR / stream_filename(stream_id)]
    found: list[EventRecord] = []
    quoted = json.dumps(event_id, ensure_ascii=False).encode("utf-8", "surrogatepass")
    for file in files:
        if not file.is_file():
            raise ConfigError(f"{run}: holds no finished stream {stream_id!r}.", remedy="Correct --stream, or finish the run.")
        with file.open("rb") as lines:
            for number, line in enumerate(lines, start=1):
                if quoted not in line:
                    continue
                try:
                    record = EventRecord.model_validate_json(line)
                except ValidationError as error:
                    raise StoreError(f"{file}, row {number}: is no event record.", remedy=_AGAIN) from error
                if record.event_id == event_id:
                    found.append(record)
    if not found:
        raise ConfigError(f"{run}: no finished stream holds an event {event_id!r}.", remedy="Event ids are in records/*.jsonl.")
    if len(found) > 1:
        names = ", ".join(record.stream_id for record in found)
        raise ConfigError(f"event {event_id!r} occurs in several streams ({names}).", remedy="Name one with --stream.")
    return found[0]


def _segments(run: Path, record: EventRecord) -> dict[str, Segment]:
    wanted = set(record.context.trajectories) if record.context else set()
    file = run / AUDIT_DIR / stream_filename(record.stream_id)
    found: dict[str, Segment] = {}
    if not wanted or not file.is_file():
        return found
    with file.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            try:
                entry = json.loads(line)
                for raw in entry["record"]["segments"] if entry["kind"] == "day" else ():
                    if raw["segment_id"] in wanted:
                        found[raw["segment_id"]] = Segment.model_validate(raw)
            except (ValueError, TypeError, KeyError) as error:
                raise StoreError(f"{file}, row {number}: is no audit entry.", remedy=_AGAIN) from error
    return found


def _seen(run: Path, record: EventRecord) -> Iterator[str]:
    context = record.context
    if context is None:
        yield "  nothing: the method looks at no context"
        return
    state = ", ".join(f"{name} {value}" for name, value in context.opportunity.items())
    yield f"  opportunity    {state}"
    first = f", from {context.first_recent}" if context.first_recent else ""
    yield f"  recent events  {context.recent}{first}"
    yield f"  trajectories   {len(context.trajectories)} segments of this cycle"
    segments = _segments(run, record)
    for segment_id in context.trajectories[-5:]:
        segment = segments.get(segment_id)
        if segment is not None:
            facts = "; ".join(f"{fact.path.rsplit('.', 1)[-1]}={fact.value}" for fact in segment.facts[:6])
            when = f"{segment.day} {clock_text(segment.start)[:5]}-{clock_text(segment.end)[:5]}"
            yield f"    {segment_id}  {when}  {facts}"
    yield f"  regularities   {len(context.regularities)} applied"
    for match in context.regularities:
        yield f"    {match.regularity_id}  {match.state}, {match.lifecycle}, confidence {match.confidence:.2f}"
        yield f"      {match.text}"


def _proposed(record: EventRecord) -> Iterator[str]:
    if record.unusable is not None:
        yield f"  unusable reply ({record.unusable.reason}, {record.unusable.attempts} attempts): {record.unusable.detail}"
    proposal = record.proposal
    if proposal is None:
        return
    yield f"  {proposal.decision}"
    if proposal.service is not None:
        service = proposal.service
        later = f", in {service.delay_minutes:g} min" if service.mode == "scheduled" else ""
        yield f"  service   {service.action}: {service.target} ({service.mode}{later})"
    for name in ("message", "operation", "recipient", "content", "firing_condition"):
        value = getattr(proposal, name)
        if value is not None:
            yield f"  {name:<9} {value}"
    if proposal.evidence:
        yield f"  evidence  {', '.join(proposal.evidence)}"
    if record.dropped_evidence:
        yield f"  {record.dropped_evidence} cited ids are not in the context and were removed"


def _decided(record: EventRecord) -> Iterator[str]:
    decision = record.decision
    if decision.verdict == "intervene":
        if decision.key:
            yield "  intervene: allowed under a key that no earlier intervention holds"
            yield f"  key  {decision.key}"
        else:
            yield "  intervene: as proposed, without a key to control by"
        return
    if decision.suppression is not None:
        yield f"  abstain: suppressed, repeats the intervention at event {decision.suppression.earlier_event_id}"
        yield f"  key  {decision.suppression.key}"
    else:
        yield f"  abstain: {'as proposed' if decision.reason == 'proposed' else decision.reason}"


def explain(run: Path, event_id: str, *, stream_id: str | None = None, prompt: bool = False) -> str:
    """A readable account of one decision: context, proposal, control, calls.

    Args:
        run: The run directory.
        event_id: The event.
        stream_id: Its stream, where the id is not unique in the run.
        prompt: Also print the exact messages and replies, from the run's recording.

    Raises:
        StoreError: Not a run directory, or a corrupt one.
        ConfigError: No such event.
    """
    record = find_record(run, event_id, stream_id)
    lines = [
        f"{record.stream_id}, event {record.index}: {record.event_id}",
        f"arrived {record.tau}, local day {record.day}",
    ]
    lines += ["", "What the method saw", *_seen(run, record)]
    lines += ["", "What it proposed", *_proposed(record)]
    lines += ["", "What the controller decided", *_decided(record)]
    if record.calls:
        lines += ["", "Model calls"]
        for call in record.calls:
            tokens = (
                f"{call.prompt_tokens} + {call.completion_tokens} tokens"
                if call.prompt_tokens is not None
                else "tokens unknown"
            )
            lines.append(f"  {call.role:<9} {call.key[:16]}  {tokens}")
    if prompt:
        lines += _messages(run, record)
    return "\n".join(lines) + "\n"


def _messages(run: Path, record: EventRecord) -> list[str]:
    if not (run / REPLIES).is_file():
        raise StoreError(f"{run}: holds no recording {REPLIES}.", remedy="Leave --prompt away.")
    lines: list[str] = []
    with Recording.open(run / REPLIES, mode="replay") as recording:
        for call in record.calls:
            request, reply = recording.request(call.key), recording.get(call.key)
            for message in request.messages if request is not None else ():
                lines += ["", f"--- {call.role}, {message.role}", message.content]
            if reply is not None:
                lines += ["", f"--- {call.role}, reply", reply.text]
    return lines
