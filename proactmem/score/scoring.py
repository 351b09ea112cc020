"""Reference labels meet decisions, and only here: counts and scores of a run by stream and pooled (SPEC 9, B.4)."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, Protocol

from proactmem.core.labels import Label
from proactmem.errors import InputError
from proactmem.score.intervals import DRAWS, Difference, Interval, NoInterval, bootstrap, paired_differences
from proactmem.score.metrics import METRICS, Counts, Metric, Scores, pool, scores
from proactmem.score.runs import Run, ScoredDecision

__all__ = ["Labelled", "Labels", "RunScore", "StreamScore", "compare", "overall", "score_run"]

Labels = Mapping[tuple[str, str], Label]
"""Labels keyed (stream_id, event_id)."""


class Labelled(Protocol):
    """A label set as read from a file."""

    @property
    def labels(self) -> Labels:
        """Labels of events that the built streams hold."""
        ...

    @property
    def unmatched(self) -> int:
        """Labels of the file that met no event and are not among `labels`."""
        ...


@dataclass(frozen=True, slots=True)
class StreamScore:
    """Counts and scores of one stream."""

    counts: Counts
    scores: Scores
    events_sha256: str
    """Hash of the scored (event_id, y) pairs: equal exactly when two runs were scored on the same references."""


@dataclass(frozen=True, slots=True)
class RunScore:
    """The scores of one run against one set of labels; enough to print a table row without reading the run again."""

    run: str
    """Name of the run directory."""
    method: str
    backbone: str
    model: str
    scope: str
    """The run's scope, or 'overall' where scopes are pooled."""
    data: str
    """The data folder as the user named it."""
    decisions: Literal["final", "proposed"]
    """'final' after intervention control; 'proposed' scores proposals with later states fixed (Table 4)."""
    partial: bool
    """True when the run was incomplete and only its finished streams are scored."""
    counts: Counts
    """Pooled over streams."""
    scores: Scores
    streams: Mapping[str, StreamScore]
    intervals: Mapping[Metric, Interval | NoInterval]
    """Bootstrap over streams; empty when none were asked for."""
    unscored: int
    """Events of the run without a label: not scored."""
    labels_without_event: int
    """Labels that match no event of the run's finished streams."""

    @property
    def labelled(self) -> int:
        """Scored events: those with a label."""
        return self.counts.total

    @property
    def positives(self) -> int:
        """Scored events whose reference is intervene."""
        return self.counts.positives

    def to_json(self) -> dict[str, object]:
        """One JSON object; undefined scores and missing intervals are null."""
        found = {metric: self.intervals.get(metric) for metric in METRICS}
        return {
            "run": self.run,
            "method": self.method,
            "backbone": self.backbone,
            "model": self.model,
            "scope": self.scope,
            "decisions": self.decisions,
            "partial": self.partial,
            "counts": self.counts.to_json(),
            "scores": self.scores.to_json(),
            "intervals": {m: [i.low, i.high] if isinstance(i, Interval) else None for m, i in found.items()},
            "streams": {
                name: {"counts": part.counts.to_json(), "scores": part.scores.to_json()} for name, part in self.streams.items()
            },
            "unscored": self.unscored,
            "labels_without_event": self.labels_without_event,
            "labelled": self.labelled,
        }


def score_run(
    run: Run,
    labels: Labelled | Labels,
    *,
    decisions: Literal["final", "proposed"] = "final",
    intervals: bool = True,
    seed: int = 0,
    draws: int = DRAWS,
) -> RunScore:
    """Confusion counts of a run's decisions, joined with labels by (stream_id, event_id) and pooled over streams.

    Events without a label are not scored and counted; labels without an event are counted. A stream without any
    labelled event takes no part in the intervals.

    Args:
        run: The run as read from its directory.
        labels: A label set or the mapping itself.
        decisions: Final decisions, or the proposals before suppression.
        intervals: Whether to bootstrap over streams.
        seed: Seed of the bootstrap.
        draws: Resamples of the bootstrap.

    Raises:
        InputError: No event of the run has a label.
    """
    known, unmatched = (labels, 0) if isinstance(labels, Mapping) else (labels.labels, labels.unmatched)
    streams: dict[str, StreamScore] = {}
    events = 0
    for stream_id, decided in run.streams.items():
        events += len(decided)
        part = _stream(stream_id, decided, known, proposed=decisions == "proposed")
        if part.counts.total:
            streams[stream_id] = part
    counts = pool(part.counts for part in streams.values())
    if counts.total == 0:
        raise _nothing_joined(run, known, events)
    found = bootstrap({name: part.counts for name, part in streams.items()}, seed=seed, draws=draws) if intervals else {}
    return RunScore(
        run=run.name,
        method=run.manifest.method,
        backbone=run.manifest.backbone,
        model=run.manifest.model,
        scope=run.manifest.scope,
        data=run.manifest.data,
        decisions=decisions,
        partial=not run.manifest.complete,
        counts=counts,
        scores=scores(counts),
        streams=MappingProxyType(streams),
        intervals=MappingProxyType(found),
        unscored=events - counts.total,
        labels_without_event=len(known) - counts.total + unmatched,
    )


def _stream(stream_id: str, decided: Sequence[ScoredDecision], labels: Labels, *, proposed: bool) -> StreamScore:
    cells = {(True, True): 0, (True, False): 0, (False, True): 0, (False, False): 0}
    digest = hashlib.sha256()
    for decision in sorted(decided):
        label = labels.get((stream_id, decision.event_id))
        if label is not None:
            cells[decision.proposed if proposed else decision.final, label.y] += 1
            digest.update(f"{decision.event_id}\x00{int(label.y)}\n".encode("utf-8", "surrogatepass"))
    counts = Counts(tp=cells[True, True], fp=cells[True, False], fn=cells[False, True], tn=cells[False, False])
    return StreamScore(counts, scores(counts), digest.hexdigest())


def _nothing_joined(run: Run, labels: Labels, events: int) -> InputError:
    label_keys = sorted(labels)[:2]
    run_keys = [(stream, decided[0].event_id) for stream, decided in run.streams.items() if decided][:2]
    return InputError(
        f"no event of run {run.name!r} has a label: {len(labels)} labels, {events} events, none in common",
        found=label_keys, expected=f"(stream_id, event_id) such as {run_keys!r}",
        remedy="Give the labels that belong to the run's data.",
    )  # fmt: skip


def overall(parts: Sequence[RunScore], *, seed: int = 0, draws: int = DRAWS) -> RunScore:
    """Overall scores of one method: counts pooled over all streams and scopes (Section 5.1).

    Args:
        parts: Scores of the same method and backbone, one a scope.
        seed: Seed of the bootstrap over all streams.
        draws: Resamples of the bootstrap.

    Raises:
        InputError: Nothing to pool, a scope twice, or different methods, backbones or kinds of decisions.
    """
    kinds = {(part.method, part.backbone, part.model, part.decisions) for part in parts}
    scopes = [part.scope for part in parts]
    if len(kinds) != 1 or len(set(scopes)) != len(scopes):
        raise InputError(
            "overall pools the scopes of one method", found=[(part.method, part.model, part.scope) for part in parts],
            expected="one score a scope, all of one method and model", remedy="Pool each method on its own.",
        )  # fmt: skip
    first = parts[0]
    streams = {f"{part.scope}/{name}": stream for part in parts for name, stream in sorted(part.streams.items())}
    counts = pool(part.counts for part in parts)
    return RunScore(
        run="+".join(part.run for part in parts),
        method=first.method,
        backbone=first.backbone,
        model=first.model,
        scope="overall",
        data=", ".join(dict.fromkeys(part.data for part in parts)),
        decisions=first.decisions,
        partial=any(part.partial for part in parts),
        counts=counts,
        scores=scores(counts),
        streams=MappingProxyType(streams),
        intervals=MappingProxyType(bootstrap({n: s.counts for n, s in streams.items()}, seed=seed, draws=draws)),
        unscored=sum(part.unscored for part in parts),
        labels_without_event=sum(part.labels_without_event for part in parts),
    )


def compare(first: RunScore, second: RunScore, *, seed: int = 0, draws: int = DRAWS) -> tuple[Difference, ...]:
    """Paired differences, first minus second, over the very same events and references (SPEC 9, ours).

    Raises:
        InputError: The two runs were not scored on the same streams, events and labels.
    """
    for name in sorted(first.streams.keys() & second.streams.keys()):
        if first.streams[name].events_sha256 != second.streams[name].events_sha256:
            raise InputError(
                f"runs {first.run!r} and {second.run!r} were scored on other events or labels in stream {name!r}",
                expected="the same labelled events",
                remedy="Run both on the same data, score both with the same labels.",
            )  # fmt: skip
    return paired_differences(
        {name: part.counts for name, part in first.streams.items()},
        {name: part.counts for name, part in second.streams.items()},
        seed=seed,
        draws=draws,
    )
