"""A run directory, read for scoring: its manifest and one decision an event, checked against the manifest's hashes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from pydantic import ValidationError

from proactmem.core.records import MANIFEST, RECORDS_DIR, RUN_FORMAT, RunManifest, StreamSummary, stream_filename
from proactmem.errors import StoreError

__all__ = ["Run", "ScoredDecision", "load_manifest", "load_run"]

_VERDICTS = {"intervene": True, "abstain": False}


class ScoredDecision(NamedTuple):
    """What the scorer needs of one event record: the final decision and the one proposed before control."""

    event_id: str
    final: bool
    """y-hat_t of Equation 2: True for intervene, immediate and scheduled alike."""
    proposed: bool
    """y-tilde_t of Equation 8; the final decision where nothing was proposed (constants, unusable replies)."""


@dataclass(frozen=True, slots=True)
class Run:
    """The finished streams of a run directory."""

    name: str
    """Name of the run directory, without its folder."""
    manifest: RunManifest
    streams: Mapping[str, tuple[ScoredDecision, ...]]
    """Decisions of each finished stream, in causal order."""


def load_manifest(path: Path) -> RunManifest:
    """The manifest of a run directory in this package's format.

    Raises:
        StoreError: Not a run directory, another format version, or an unreadable manifest.
    """
    file = path / MANIFEST
    try:
        text = file.read_bytes()
    except FileNotFoundError as error:
        raise StoreError(
            f"{str(path)!r} is not a run directory: it has no {MANIFEST!r}.",
            remedy="Give the folder that `proactmem run --out` wrote.",
        ) from error
    except OSError as error:
        raise StoreError(
            f"{file}: cannot be read ({error.strerror or error}).", remedy="Check the path and its permissions."
        ) from error
    try:
        raw = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise StoreError(
            f"{file}: not JSON ({error}).", remedy="The run is damaged: run it again into a new folder."
        ) from error
    version = raw.get("format") if isinstance(raw, dict) else None
    if version != RUN_FORMAT:
        raise StoreError(
            f"{file}: run format {version!r}; expected {RUN_FORMAT!r}.",
            remedy="Score it with the package version that wrote it, or run it again.",
        )
    try:
        return RunManifest.model_validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise StoreError(
            f"{file}: field {where!r}: {first['msg']}; found {first['input']!r:.120}.",
            remedy="The run is damaged or of another version: run it again into a new folder.",
        ) from error


def load_run(path: Path | str, *, allow_partial: bool = False) -> Run:
    """The decisions of a run's finished streams, one for every event, as the manifest's hashes vouch for them.

    Args:
        path: The run directory.
        allow_partial: Read the finished streams of an incomplete run; the score then says that it is partial.

    Raises:
        StoreError: Not a run directory, another format version, an incomplete run, a missing or corrupt record
            file, or one that differs from the manifest.
    """
    folder = Path(path)
    manifest = load_manifest(folder)
    missing = [stream for stream in manifest.streams if stream not in {done.stream_id for done in manifest.finished}]
    if (missing or not manifest.complete) and not allow_partial:
        raise StoreError(
            f"{str(folder)!r} is an incomplete run of {manifest.method!r}: {len(manifest.finished)} of "
            f"{len(manifest.streams)} streams are finished, {missing[:3]!r} next.",
            remedy="Give the same `proactmem run ...` command again to resume it where it stopped, "
            "or score the finished streams alone by asking for a partial score.",
        )
    streams = {done.stream_id: _read(folder, done) for done in manifest.finished}
    # resolve(): the name of `.` is empty, that of the folder it stands for is not.
    return Run(folder.resolve().name, manifest, MappingProxyType(streams))


def _read(folder: Path, done: StreamSummary) -> tuple[ScoredDecision, ...]:
    file = folder / RECORDS_DIR / stream_filename(done.stream_id)
    try:
        data = file.read_bytes()
    except OSError as error:
        raise StoreError(
            f"{file}: the records of finished stream {done.stream_id!r} cannot be read ({error.strerror or error}).",
            remedy="Restore the file, or run again into a new folder.",
        ) from error
    decisions = tuple(_decision(line, file, row, done.stream_id) for row, line in enumerate(data.splitlines(), start=1))
    digest = hashlib.sha256(data).hexdigest()
    if digest != done.records_sha256 or len(decisions) != done.events:
        raise StoreError(
            f"{file}: changed since the run wrote it: {len(decisions)} events with hash {digest!r}; "
            f"expected {done.events} with {done.records_sha256!r}.",
            remedy="Restore the file, or run again into a new folder: records are never edited.",
        )
    seen: set[str] = set()
    for row, decision in enumerate(decisions, start=1):
        if decision.event_id in seen:
            raise _corrupt(file, row, f"event_id {decision.event_id!r} was already decided", "one record an event")
        seen.add(decision.event_id)
    return decisions


def _decision(line: bytes, file: Path, row: int, stream: str) -> ScoredDecision:
    """Only the fields that are scored are looked at: the manifest's hash vouches for the rest of the line."""
    try:
        record = json.loads(line)
        event, owner, proposal = record["event_id"], record["stream_id"], record.get("proposal")
        final = _VERDICTS[record["decision"]["verdict"]]
        proposed = final if proposal is None else _VERDICTS[proposal["decision"]]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise _corrupt(file, row, f"no event record ({type(error).__name__}: {error})", "one JSON record a line") from error
    if not isinstance(event, str) or owner != stream:
        raise _corrupt(file, row, f"event {event!r} of stream {owner!r}", f"an event of {stream!r}")
    return ScoredDecision(event, final, proposed)


def _corrupt(file: Path, row: int, found: str, expected: str) -> StoreError:
    return StoreError(
        f"{file}, row {row}: corrupt record: {found}; expected {expected}.",
        remedy="Restore the file, or run again into a new folder.",
    )
