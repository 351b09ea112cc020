"""Causal replay: stage, assess, control, finalize, and only then commit, one event after the other (Section 3.3)."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from pathlib import Path
from threading import Event as Flag
from threading import Lock

from proactmem import __version__
from proactmem.config import MemoryConfig
from proactmem.core.decisions import Decision
from proactmem.core.records import ContextRecord, EventRecord, MatchRecord, RunManifest
from proactmem.core.streams import Event
from proactmem.datasets.built import BuiltStreams
from proactmem.errors import BackboneError, ConfigError, ReplayMissError
from proactmem.llm.backbone import Backbone
from proactmem.llm.recording import Recording, RecordingBackbone
from proactmem.methods.base import Method, Proposed, Staged
from proactmem.methods.controller import Controller, allow
from proactmem.methods.prompting import match_text
from proactmem.prompts import prompts_sha256
from proactmem.run.catalog import MethodSpec
from proactmem.run.store import RunDirectory

__all__ = ["Progress", "decisions", "replay", "run"]

Progress = Callable[[str, int, int], None]
"""Called with stream id, events done and events in all, from the thread that runs the stream."""


def replay(events: Iterable[Event], method: Method) -> Iterator[EventRecord]:
    """The records of one stream from empty state, in causal order; the sequential form that every other must equal.

    The stream's last day is closed when the iterator is exhausted.

    Raises:
        BackboneError: The service could not answer; the events so far stand.
    """
    controller = Controller()
    for event in events:
        staged = method.stage(event)
        proposed = method.propose(staged)
        decision = finalize(staged, proposed, method, controller)
        yield _record(staged, proposed, decision)
        method.commit(event)
    method.finish()


def finalize(staged: Staged, proposed: Proposed, method: Method, controller: Controller) -> Decision:
    """The decision that a proposal becomes: abstain where unusable, otherwise the controller's word."""
    proposal = proposed.proposal
    if proposal is None:
        reason = proposed.unusable.reason if proposed.unusable is not None else "empty"
        return Decision(verdict="abstain", reason=reason)
    if staged.context is None and proposal.decision == "abstain":
        return Decision(verdict="abstain", reason="constant")
    if not method.controlled:
        return allow(proposal, None)
    return controller.decide(staged.event, staged.opportunity, proposal, staged.regularity_ids)


def decisions(events: Iterable[Event], method: Method) -> list[Decision]:
    """The finalized decisions of one stream."""
    return [record.decision for record in replay(events, method)]


def _record(staged: Staged, proposed: Proposed, decision: Decision) -> EventRecord:
    event = staged.event
    context = None
    if staged.context is not None:
        seen = staged.context
        context = ContextRecord(
            recent=len(seen.recent),
            first_recent=seen.recent[0].event_id if seen.recent else None,
            trajectories=tuple(segment.segment_id for segment in seen.trajectories),
            regularities=tuple(
                MatchRecord.model_validate(
                    {
                        "regularity_id": match.regularity.regularity_id,
                        "state": match.state,
                        "lifecycle": match.lifecycle,
                        "confidence": round(match.confidence, 6),
                        "distance_minutes": round(match.distance_seconds / 60, 3),
                        "text": match_text(match),
                    }
                )
                for match in seen.regularities
            ),
            opportunity=seen.opportunity.public(event),
        )
    return EventRecord(
        index=event.index, event_id=event.event_id, stream_id=event.stream_id,
        tau=event.tau.isoformat(), day=event.day.isoformat(),
        decision=decision, proposal=proposed.proposal, unusable=proposed.unusable,
        dropped_evidence=proposed.dropped_evidence, context=context, calls=staged.calls + proposed.calls,
    )  # fmt: skip


def run(
    spec: MethodSpec,
    streams: BuiltStreams,
    out: Path,
    backbone: Backbone,
    *,
    config: MemoryConfig | None = None,
    only: Sequence[str] | None = None,
    jobs: int = 1,
    base_url: str | None = None,
    settings: dict[str, str | int | float | bool | None] | None = None,
    progress: Progress | None = None,
) -> RunManifest:
    """Replay streams through a method into a run directory; interrupted, the same call resumes and pays nothing twice.

    Args:
        spec: The method.
        streams: Built streams.
        out: The run directory.
        backbone: The model; every reply is stored in the run before it is used.
        config: Memory settings before the method's own changes to them.
        only: Stream ids to run; None for all.
        jobs: Streams replayed at once, each in a thread.
        base_url: Named in the manifest, without credentials.
        settings: Further settings that change decisions, for the manifest.
        progress: Told of every event.

    Raises:
        ConfigError: An unknown stream id.
        BackboneError: The service failed; finished streams and all replies are kept, the message names the event.
        StoreError: The run directory is locked, foreign, full or corrupt.
    """
    chosen = _chosen(streams, only)
    settled = spec.config(config or MemoryConfig())
    manifest = RunManifest(
        method=spec.name, scope=streams.scope, backbone=backbone.name, model=backbone.model, base_url=base_url,
        config=settled, settings=settings or {}, data=str(streams.path), data_sha256=streams.sha256,
        package_version=__version__, prompts_sha256=prompts_sha256(), streams=chosen,
    )  # fmt: skip
    with RunDirectory.open(out, manifest, sources=streams.path / "sources.parquet") as directory:
        pending = directory.pending()
        if progress is not None:
            for summary in directory.manifest.finished:
                progress(summary.stream_id, summary.events, summary.events)
        if pending:
            durable = backbone.name != "offline"
            with Recording.open(directory.replies, durable=durable) as recording:
                recorded = RecordingBackbone(backbone, recording)
                _run_streams(directory, pending, streams, spec, settled, recorded, jobs, progress)
        return directory.manifest


def _chosen(streams: BuiltStreams, only: Sequence[str] | None) -> tuple[str, ...]:
    if only is None:
        return streams.stream_ids
    unknown = sorted(set(only) - set(streams.stream_ids))
    if unknown or not only:
        shown = ", ".join(streams.stream_ids[:8]) + (", …" if len(streams.stream_ids) > 8 else "")
        raise ConfigError(f"unknown stream {unknown[:3]!r}; the data holds {shown}.", remedy="Correct --streams.")
    wanted = set(only)
    return tuple(stream for stream in streams.stream_ids if stream in wanted)


def _run_streams(
    directory: RunDirectory,
    pending: Sequence[str],
    streams: BuiltStreams,
    spec: MethodSpec,
    config: MemoryConfig,
    backbone: Backbone,
    jobs: int,
    progress: Progress | None,
) -> None:
    stop, lock = Flag(), Lock()
    counts = streams.counts

    def one(stream_id: str) -> None:
        if stop.is_set():
            return
        method = spec.build(backbone, config)
        with directory.writer(stream_id) as writer:
            done = 0
            try:
                for record in replay(streams.events(stream_id), method):
                    writer.record(record)
                    done += 1
                    for entry in method.audit():
                        writer.audit(entry)
                    if progress is not None:
                        progress(stream_id, done, counts[stream_id])
                    if stop.is_set():
                        return
            except (BackboneError, ReplayMissError) as error:
                raise _at(error, stream_id, done, counts[stream_id]) from error
            for entry in method.audit():
                writer.audit(entry)
            summary = writer.finish()
        with lock:
            directory.finished(summary)

    with ThreadPoolExecutor(max_workers=max(1, jobs), thread_name_prefix="stream") as pool:
        futures: list[Future[None]] = [pool.submit(one, stream_id) for stream_id in pending]
        try:
            wait(futures, return_when=FIRST_EXCEPTION)
        finally:
            # A failed or interrupted run stops every stream at its next event; what was asked for is stored by then.
            if any(not future.done() or future.exception() is not None for future in futures):
                stop.set()
    failures = [error for future in futures if (error := future.exception()) is not None]
    if failures:
        raise failures[0]


def _at(error: BackboneError | ReplayMissError, stream_id: str, done: int, events: int) -> BackboneError | ReplayMissError:
    """The same error, of the same kind and with all its attributes, that also says where it happened."""
    located = copy.copy(error)
    place = f"event {done}" if done < events else "closing the last day"
    located.message = f"stream {stream_id}, {place}: {error.message}"
    if isinstance(error, BackboneError):
        located.remedy = f"{error.remedy or ''} The same command resumes here; no stored reply is asked for again.".strip()
    located.args = (" ".join(filter(None, (located.message, located.remedy))),)
    return located
