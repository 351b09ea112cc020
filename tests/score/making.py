"""Run directories and scores made for the tests of score and report."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path

from proactmem.config import MemoryConfig
from proactmem.core.decisions import Decision, Proposal, Service, Suppression
from proactmem.core.labels import Label
from proactmem.core.records import MANIFEST, RECORDS_DIR, EventRecord, RunManifest, StreamSummary, stream_filename
from proactmem.score.metrics import Counts
from proactmem.score.runs import Run, ScoredDecision
from proactmem.score.scoring import RunScore, score_run

INTEGERS: Mapping[str, Mapping[str, tuple[int, int, int, int]]] = {
    "ProactiveAgent": {"sports": (301, 704, 64, 387), "home": (51, 98, 139, 1336), "code": (136, 639, 38, 646)},
    "ContextAgent": {"sports": (245, 545, 120, 546), "home": (94, 168, 96, 1266), "code": (105, 362, 69, 923)},
    "Mem0": {"sports": (357, 884, 8, 207), "home": (33, 105, 157, 1329), "code": (45, 68, 129, 1217)},
    "A-MEM": {"sports": (270, 611, 95, 480), "home": (107, 202, 83, 1232), "code": (135, 309, 39, 976)},
    "Graphiti": {"sports": (235, 567, 130, 524), "home": (97, 193, 93, 1241), "code": (110, 300, 64, 985)},
    "ProactMem": {"sports": (280, 503, 85, 588), "home": (140, 148, 50, 1286), "code": (156, 233, 18, 1052)},
}
"""tp, fp, fn, tn behind Table 2. Not published by the authors: the unique integers that agree with every rounded metric
the table prints, found by exhaustive search."""

WALK = Service(action="walk", target="participant")


def manifest(streams: Sequence[str] = ("s1",), **changes: object) -> RunManifest:
    settings: dict[str, object] = {
        "method": "proactmem",
        "scope": "sports",
        "backbone": "offline",
        "model": "rules",
        "config": MemoryConfig(),
        "data": "data/built/sports",
        "data_sha256": "0" * 64,
        "package_version": "0.1.0",
        "prompts_sha256": "1" * 64,
        "streams": tuple(streams),
        "complete": True,
    }
    return RunManifest.model_validate(settings | changes)


def record(stream: str, index: int, final: bool, proposed: bool | None = None) -> EventRecord:
    """One event's record; `proposed` None is a decision without proposal."""
    suppressed = bool(proposed) and not final
    decision = Decision(
        verdict="intervene" if final else "abstain",
        reason=None if final else "suppressed" if suppressed else "constant" if proposed is None else "proposed",
        service=WALK if final else None,
        suppression=Suppression(key="k", earlier_event_id="e0") if suppressed else None,
    )
    proposal = None
    if proposed is not None:
        verdict = "intervene" if proposed else "abstain"
        proposal = Proposal(decision=verdict, service=WALK if proposed else None)
    return EventRecord(
        index=index, event_id=f"e{index}", stream_id=stream, tau="2015-08-01T12:00:00Z", day="2015-08-01",
        decision=decision, proposal=proposal,
    )  # fmt: skip


def write_run(folder: Path, streams: Mapping[str, Sequence[tuple[bool, bool | None]]], unfinished: Sequence[str] = ()) -> Path:
    """A run directory with (final, proposed) decisions of each finished stream."""
    (folder / RECORDS_DIR).mkdir(parents=True)
    finished = []
    for stream, decisions in streams.items():
        lines = [record(stream, i, final, proposed).model_dump_json() for i, (final, proposed) in enumerate(decisions)]
        data = "".join(line + "\n" for line in lines).encode()
        (folder / RECORDS_DIR / stream_filename(stream)).write_bytes(data)
        digest = hashlib.sha256(data).hexdigest()
        finished.append(StreamSummary(stream_id=stream, events=len(decisions), records_sha256=digest))
    made = manifest((*streams, *unfinished), finished=tuple(finished), complete=not unfinished)
    (folder / MANIFEST).write_text(made.model_dump_json(), encoding="utf-8")
    return folder


def score(streams: Mapping[str, Counts], **changes: object) -> RunScore:
    """The score of a run with exactly these counts in each stream."""
    decided: dict[str, tuple[ScoredDecision, ...]] = {}
    labels: dict[tuple[str, str], Label] = {}
    for stream, counts in streams.items():
        # Positives before negatives, so that methods with the same references meet the same events.
        cells = [(True, True)] * counts.tp + [(False, True)] * counts.fn
        cells += [(True, False)] * counts.fp + [(False, False)] * counts.tn
        decided[stream] = tuple(ScoredDecision(f"e{i}", final, final) for i, (final, _) in enumerate(cells))
        labels |= {(stream, f"e{i}"): Label(event_id=f"e{i}", y=y) for i, (_, y) in enumerate(cells)}
    return score_run(Run("run", manifest(tuple(streams), **changes), decided), labels)


def spread(counts: Counts, streams: int, prefix: str = "s") -> dict[str, Counts]:
    """The counts dealt out over streams, as evenly as they go."""

    def dealt(number: int, place: int) -> int:
        return number // streams + (place < number % streams)

    return {
        f"{prefix}{i}": Counts(dealt(counts.tp, i), dealt(counts.fp, i), dealt(counts.fn, i), dealt(counts.tn, i))
        for i in range(streams)
    }
