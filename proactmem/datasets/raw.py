"""A scope's raw files, whoever wrote them: simulated by scope, built by scope, named by what they hold."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from proactmem.core.events import Scope
from proactmem.datasets.build import build_code, build_desktop, build_home, build_sports
from proactmem.datasets.card import Card
from proactmem.datasets.job import Progress
from proactmem.datasets.join import LABEL_FILES
from proactmem.datasets.simulate import simulate_code, simulate_home, simulate_sports
from proactmem.errors import ConfigError

__all__ = ["SIMULATED", "Size", "build_raw", "is_whole", "raw_key", "simulate_raw"]

Size = Literal["smoke", "paper"]


class _Simulated(NamedTuple):
    files: tuple[str, ...]
    """What every simulation of the scope leaves beside its raw files."""
    units: str
    """Its streams in one word."""
    raw: tuple[str, ...] = ()
    """What its raw files are called, where there are many."""


SIMULATED: Mapping[Scope, _Simulated] = {
    "sports": _Simulated(("suggestions.csv", "reference_labels.csv", "planted.json"), "participants"),
    "home": _Simulated(("reference_labels.csv", "planted.json"), "homes", ("sim*/sim*.rawdata.txt",)),
    "code": _Simulated(("repositories.txt", "reference_labels.csv", "planted.json"), "repositories", ("YYYY-MM-DD-H.json.gz",)),
}
"""The scopes that have a simulator."""
SUGGESTIONS = "suggestions.csv"
_NO_INPUT = ("planted.json",)
"""Files that lie beside raw files and are read by no builder."""
_WHOLE = 16 << 20
"""Bytes up to which a file is named by its content, not by size and time of change."""


def simulate_raw(
    scope: Scope,
    out: Path,
    *,
    seed: int,
    size: Size = "smoke",
    streams: int | None = None,
    days: int | None = None,
    progress: Progress | None = None,
) -> None:
    """Write seeded lives of a scope in its source's own raw format, with reference labels and the planted truth.

    Args:
        scope: sports, home or code.
        out: Folder to write into; made when absent.
        seed: Seed of every draw; the same seed writes the same bytes.
        size: smoke for tests and first looks, paper for the paper's size.
        streams: Participants, homes or repositories, instead of the size's own.
        days: Days of each, instead of the size's own.
        progress: Called with streams done and streams in all.

    Raises:
        ConfigError: The scope has no simulator, or a number is below one.
    """
    match scope:
        case "sports":
            simulate_sports(out, seed=seed, size=size, participants=streams, days=days, progress=progress)
        case "home":
            simulate_home(out, seed=seed, size=size, homes=streams, days=days, progress=progress)
        case "code":
            simulate_code(out, seed=seed, size=size, repositories=streams, days=days, progress=progress)
        case _:
            raise ConfigError(f"scope {scope!r} has no simulator; expected one of {', '.join(SIMULATED)}.")


def is_whole(scope: Scope, folder: Path) -> bool:
    """Whether a folder holds a finished simulation of a scope: the files that are put in place last are there."""
    return scope in SIMULATED and all((folder / name).is_file() for name in SIMULATED[scope].files)


def build_raw(scope: Scope, raw: Path, out: Path, *, repos: Sequence[str] = ()) -> Card:
    """Build streams of a scope from its raw files with the builder's own defaults.

    Args:
        scope: sports, home, code or desktop.
        raw: The raw file or folder.
        out: The built folder.
        repos: Repositories of scope Code; empty takes those that a simulation names in `repositories.txt`.
    """
    match scope:
        case "sports":
            return build_sports(raw, out)
        case "home":
            return build_home(raw, out)
        case "code":
            return build_code(raw, out, repos=repos or None)
        case "desktop":
            return build_desktop(raw, out)


def raw_key(scope: Scope, raw: Path, more: Sequence[str] = ()) -> str:
    """A hash of what a scope's raw files hold, label files included, wherever they lie; large files by size and time.

    Of a Sports folder only `suggestions.csv` counts, as only that file is built.
    """
    base = raw if raw.is_dir() else raw.parent
    if scope == "sports" and raw.is_dir():
        base = raw if (raw / SUGGESTIONS).is_file() else raw / "raw"
    alone = base / SUGGESTIONS if scope == "sports" and raw.is_dir() else raw
    found = (alone, *(base / name for name in LABEL_FILES)) if alone.is_file() else raw.rglob("*")
    digest = hashlib.sha256("\0".join(more).encode())
    files = sorted({path for path in found if path.is_file() and path.name not in _NO_INPUT})
    for file in files:
        name = file.relative_to(base)
        if any(part.startswith(".") for part in name.parts):
            continue
        about = file.stat()
        told = file.read_bytes() if about.st_size <= _WHOLE else f"{about.st_size} {about.st_mtime_ns}".encode()
        digest.update(name.as_posix().encode() + b"\0" + hashlib.sha256(told).digest())
    return digest.hexdigest()[:12]
