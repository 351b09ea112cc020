"""A run directory: one writer at a time, finished streams kept, everything else written again by replay (ARCHITECTURE 4)."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from pydantic import BaseModel, ValidationError

from proactmem.core.records import (
    AUDIT_DIR,
    MANIFEST,
    RECORDS_DIR,
    REPLIES,
    RUN_FORMAT,
    SOURCES,
    EventRecord,
    RunManifest,
    StreamSummary,
    stream_filename,
)
from proactmem.errors import RunLockedError, StoreError
from proactmem.paths import storage_error, write_atomic

__all__ = ["RunDirectory", "StreamWriter"]

_FREE_TO_DIFFER = {"finished", "complete", "data", "base_url"}
"""Where the streams lay and where the service was may change; `data_sha256` and `model` say what they are."""
_OURS = {REPLIES, f"{REPLIES}-wal", f"{REPLIES}-shm", SOURCES, RECORDS_DIR, AUDIT_DIR}


class StreamWriter:
    """Writes one stream's records and audit to partial files; `finish` puts them in place."""

    def __init__(self, directory: Path, stream_id: str) -> None:
        name = stream_filename(stream_id)
        self._stream_id = stream_id
        self._records = directory / RECORDS_DIR / name
        self._audit = directory / AUDIT_DIR / name
        self._digests = (hashlib.sha256(), hashlib.sha256())
        self._count = 0
        self._open: list[IO[bytes]] = []
        try:
            for path in (self._records, self._audit):
                path.parent.mkdir(parents=True, exist_ok=True)
                self._open.append(path.with_suffix(".partial").open("wb", buffering=1 << 16))
        except OSError as error:
            raise storage_error(directory, error) from error

    def record(self, record: EventRecord) -> None:
        """Append one event's record."""
        line = record.model_dump_json(exclude_defaults=True).encode() + b"\n"
        self._count += 1
        self._write(0, line)

    def audit(self, entry: BaseModel) -> None:
        """Append one entry of the memory's audit."""
        self._write(1, entry.model_dump_json().encode() + b"\n")

    def _write(self, which: int, line: bytes) -> None:
        self._digests[which].update(line)
        try:
            self._open[which].write(line)
        except OSError as error:
            raise storage_error(self._records, error) from error

    def finish(self) -> StreamSummary:
        """Flush, put both files in place and summarise the stream."""
        try:
            for file, path in zip(self._open, (self._records, self._audit), strict=True):
                file.flush()
                os.fsync(file.fileno())
                file.close()
                path.with_suffix(".partial").replace(path)
        except OSError as error:
            raise storage_error(self._records, error) from error
        records, audit = (digest.hexdigest() for digest in self._digests)
        return StreamSummary(stream_id=self._stream_id, events=self._count, records_sha256=records, audit_sha256=audit)

    def close(self) -> None:
        """Close what is open; an unfinished stream stays partial."""
        for file in self._open:
            with contextlib.suppress(OSError):
                file.close()


class RunDirectory:
    """An opened run directory, locked against a second writer until it is closed."""

    def __init__(self, path: Path, manifest: RunManifest, lock: IO[bytes]) -> None:
        self.path = path
        self.manifest = manifest
        self._lock = lock

    @classmethod
    def open(cls, path: Path, manifest: RunManifest, *, sources: Path | None = None) -> Self:
        """Start the run in an empty directory, or resume the same run in its own.

        Args:
            path: The run directory; created where it does not exist.
            manifest: What the run is; a resumed run must be the same run.
            sources: The builder's sidecar map, copied into the run.

        Raises:
            RunLockedError: Another process is writing to it.
            StoreError: It holds another run (the differing field is named) or something that is no run at all.
        """
        path = Path(path)
        try:
            path.mkdir(parents=True, exist_ok=True)
            _refuse_foreign(path, _present(path))
            lock = (path / ".lock").open("ab")
        except OSError as error:
            raise storage_error(path, error) from error
        try:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                raise RunLockedError(
                    f"{path}: another process is writing to this run.",
                    remedy="Wait for it to end, or give this run a directory of its own (--out).",
                ) from error
            present = _present(path)  # again: the run may have been another process's until now
            if MANIFEST in present:
                manifest = _resumed(path, manifest)
            directory = cls(path, manifest, lock)
            if sources is not None and sources.is_file() and SOURCES not in present:
                directory._copy(sources)
            directory._save()
        except BaseException:
            lock.close()
            raise
        return directory

    def _copy(self, sources: Path) -> None:
        temporary = self.path / f".{SOURCES}"
        try:
            shutil.copyfile(sources, temporary)
            temporary.replace(self.path / SOURCES)
        except OSError as error:
            raise storage_error(self.path, error) from error

    def _save(self) -> None:
        write_atomic(self.path / MANIFEST, self.manifest.model_dump_json(indent=2) + "\n")

    @property
    def replies(self) -> Path:
        """Where the run records its replies."""
        return self.path / REPLIES

    def pending(self) -> tuple[str, ...]:
        """Streams that are not finished, in order."""
        done = {summary.stream_id for summary in self.manifest.finished}
        return tuple(stream for stream in self.manifest.streams if stream not in done)

    @contextlib.contextmanager
    def writer(self, stream_id: str) -> Iterator[StreamWriter]:
        """A writer for one stream."""
        writer = StreamWriter(self.path, stream_id)
        try:
            yield writer
        finally:
            writer.close()

    def finished(self, summary: StreamSummary) -> None:
        """Record that a stream is finished; the manifest stays in stream order, whoever finishes first."""
        by_id = {done.stream_id: done for done in (*self.manifest.finished, summary)}
        done = tuple(by_id[stream] for stream in self.manifest.streams if stream in by_id)
        complete = len(done) == len(self.manifest.streams)
        self.manifest = self.manifest.model_copy(update={"finished": done, "complete": complete})
        self._save()

    def close(self) -> None:
        """Release the directory."""
        self._lock.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


def _present(path: Path) -> set[str]:
    """What is in the directory, without the lock and what an interrupted write left (names with a leading dot)."""
    return {entry.name for entry in path.iterdir() if not entry.name.startswith(".")}


def _refuse_foreign(path: Path, present: set[str]) -> None:
    if MANIFEST not in present and (foreign := sorted(present - _OURS)):
        raise StoreError(
            f"{path}: is not empty and holds no run ({foreign[:5]}).", remedy="Choose an empty or new directory (--out)."
        )


def _resumed(path: Path, wanted: RunManifest) -> RunManifest:
    file = path / MANIFEST
    try:
        text = file.read_text(encoding="utf-8")
        found = RunManifest.model_validate_json(text)
    except (OSError, UnicodeDecodeError, ValidationError) as error:
        raise StoreError(
            f"{file}: is no readable run manifest of format {RUN_FORMAT}.",
            remedy="Choose another directory (--out), or remove this one.",
        ) from error
    for name in RunManifest.model_fields:
        if name in _FREE_TO_DIFFER:
            continue
        before, now = getattr(found, name), getattr(wanted, name)
        if before != now:
            raise StoreError(
                f"{path}: holds another run: its {name} is {_short(before)}, this one's is {_short(now)}.",
                remedy="Choose another directory (--out), or run with the settings it began with.",
            )
    kept = tuple(summary for summary in found.finished if _intact(path, summary))
    return found.model_copy(update={"finished": kept, "complete": len(kept) == len(found.streams)})


def _intact(path: Path, summary: StreamSummary) -> bool:
    name = stream_filename(summary.stream_id)
    wanted = {RECORDS_DIR: summary.records_sha256, AUDIT_DIR: summary.audit_sha256}
    try:
        return all(hashlib.sha256((path / folder / name).read_bytes()).hexdigest() == sha for folder, sha in wanted.items())
    except OSError:
        return False


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 160 else text[:159] + "…"
