"""What a folder of fetched files holds: the manifest that later calls verify against, and the terms beside the data."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from proactmem.errors import FetchError
from proactmem.fetch.sources import Source
from proactmem.paths import write_atomic

__all__ = ["MANIFEST", "TERMS", "Entry", "Manifest", "read_manifest", "sha256_of", "write_manifest", "write_terms"]

MANIFEST, TERMS = "fetched.json", "SOURCE.txt"


class Entry(BaseModel):
    """A file, or that there is none."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    url: str
    state: Literal["here", "missing"]
    sha256: str | None = None
    size: int | None = None


class Manifest(BaseModel):
    """The files of one source in one folder, by path."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    source: str
    files: dict[str, Entry]


def read_manifest(folder: Path, source: Source) -> Manifest:
    """The folder's manifest; an empty one where there is none.

    Raises:
        FetchError: It is damaged, or of another source.
    """
    file = folder / MANIFEST
    if not file.is_file():
        return Manifest(source=source.name, files={})
    try:
        found = Manifest.model_validate_json(file.read_bytes())
    except (ValidationError, OSError) as error:
        raise FetchError(f"{file}: is no manifest of fetched files.", remedy="Delete it; files are verified again.") from error
    if found.source != source.name:
        raise FetchError(f"{folder}: holds files of {found.source}.", remedy=f"Fetch {source.name} into another folder.")
    return found


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Write it, sorted by path."""
    ordered = manifest.model_copy(update={"files": dict(sorted(manifest.files.items()))})
    write_atomic(folder / MANIFEST, ordered.model_dump_json(indent=1) + "\n")


def write_terms(folder: Path, source: Source, manifest: Manifest, note: str = "") -> None:
    """The terms and hashes beside the data, for whoever finds it there."""
    lines = [source.title, f"Licence: {source.licence}", source.notice, *([note] if note else []), ""]
    lines += [f"{entry.sha256}  {path}  {entry.url}" for path, entry in sorted(manifest.files.items()) if entry.state == "here"]
    write_atomic(folder / TERMS, "\n".join(lines) + "\n")


def sha256_of(path: Path) -> str:
    """SHA-256 of a file, in hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
