"""The run record: one line an event, one manifest a run; what score, report and explain read."""

from __future__ import annotations

import hashlib
from typing import Literal
from urllib.parse import quote

from pydantic import BaseModel, ConfigDict

from proactmem.config import MemoryConfig
from proactmem.core.decisions import AbstainReason, Decision, Proposal
from proactmem.core.events import Scope

__all__ = [
    "AUDIT_DIR",
    "MANIFEST",
    "RECORDS_DIR",
    "REPLIES",
    "RUN_FORMAT",
    "SOURCES",
    "CallRecord",
    "ContextRecord",
    "EventRecord",
    "MatchRecord",
    "RunManifest",
    "StreamSummary",
    "Unusable",
    "stream_filename",
]

RUN_FORMAT = 1
"""Version of the run directory's layout; another version is refused."""
MANIFEST = "manifest.json"
"""File name of the manifest in a run directory."""
RECORDS_DIR = "records"
"""Folder of the per-event records, one `<stream>.jsonl` a stream, in causal order."""
AUDIT_DIR = "audit"
"""Folder of daily records, consolidations, rejections and transitions, one `<stream>.jsonl` a stream."""
REPLIES = "replies.sqlite"
"""The recording store of a run."""
SOURCES = "sources.parquet"
"""The builder's sidecar map from event_id to the source's own key, copied into the run for foreign label files."""


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class CallRecord(_Frozen):
    """One model call made for an event (decision, repair) or at the day's close before it (daily, weekly)."""

    role: Literal["daily", "weekly", "decision", "repair", "annotation"]
    key: str
    """Request hash: where the recording store keeps request and reply."""
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    """Tokens as the service counted; None where it did not say."""


class MatchRecord(_Frozen):
    """One regularity of R_t as the model was shown it (Equation 7)."""

    regularity_id: str
    state: Literal["upcoming", "pending", "deviated"]
    lifecycle: Literal["active", "weakening"]
    confidence: float
    """Smoothed support ratio (Appendix B.2)."""
    distance_minutes: float
    """start - now before the window, 0 inside, now - end after it."""
    text: str
    """Trigger, behaviour and window in one readable line."""


class ContextRecord(_Frozen):
    """C_t of Equation 8 by reference: what the method saw at one event."""

    recent: int
    """|S_t|: prior events in context."""
    first_recent: str | None = None
    """Event id of the oldest of S_t."""
    trajectories: tuple[str, ...] = ()
    """Segment ids of W_t."""
    regularities: tuple[MatchRecord, ...] = ()
    """R_t, best first."""
    opportunity: dict[str, str | int | float | bool | None] = {}
    """Q_t, the opportunity's observable state."""


class Unusable(_Frozen):
    """A reply that could not be used, recorded instead of hidden."""

    reason: AbstainReason
    detail: str
    """What was wrong, for a person; at most a few hundred characters, no event text."""
    attempts: int
    """Replies asked for, the repair included."""


class EventRecord(_Frozen):
    """One event of a run: context, proposal, control and decision; enough to audit it."""

    index: int
    """0-based position in the stream."""
    event_id: str
    stream_id: str
    tau: str
    """Arrival time, ISO 8601 UTC."""
    day: str
    """Local day, ISO 8601."""
    decision: Decision
    proposal: Proposal | None = None
    """What was proposed; None for unusable replies."""
    unusable: Unusable | None = None
    dropped_evidence: int = 0
    """Cited ids that are not in the context, removed from the proposal."""
    context: ContextRecord | None = None
    calls: tuple[CallRecord, ...] = ()


class StreamSummary(_Frozen):
    """One stream of a run, finished."""

    stream_id: str
    events: int
    records_sha256: str
    """Hash of the stream's record file."""
    audit_sha256: str = ""
    """Hash of the stream's audit file."""


class RunManifest(_Frozen):
    """What a run is: method, backbone, data and settings; no clock, so equal runs have equal manifests."""

    format: int = RUN_FORMAT
    method: str
    scope: Scope
    backbone: str
    """`offline`, `openai`, ...; offline numbers are labelled as such everywhere."""
    model: str
    base_url: str | None = None
    """Service address without credentials; None where there is none."""
    config: MemoryConfig
    settings: dict[str, str | int | float | bool | None] = {}
    """Further settings that change decisions (fault rate, seeds, limits)."""
    data: str
    """The built data folder as the user named it."""
    data_sha256: str
    """Hash of the built events; another data set is refused on resume."""
    package_version: str
    prompts_sha256: str
    """Hash of all prompt texts the method uses."""
    streams: tuple[str, ...]
    """Stream ids to run, in order."""
    finished: tuple[StreamSummary, ...] = ()
    complete: bool = False
    """True when every stream is finished."""


def stream_filename(stream_id: str) -> str:
    """A safe, unique `.jsonl` file name for a stream id.

    >>> stream_filename("owner/repo")
    'owner%2Frepo.jsonl'
    """
    name = quote(stream_id, safe="").replace(".", "%2E") if stream_id.strip(".") == "" else quote(stream_id, safe="")
    if len(name) > 150:
        name = f"{name[:120]}-{hashlib.sha256(stream_id.encode()).hexdigest()[:24]}"
    return f"{name}.jsonl"
