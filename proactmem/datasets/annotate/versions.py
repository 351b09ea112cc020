"""Label files with versions: `labels-v1.jsonl` and what it rests on, each new one beside the old, never over it.

A file is read as it stands by the scorer (`proactmem score --labels`): one line an event, keyed by stream_id and event_id.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import re
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from pydantic import BaseModel, ConfigDict, ValidationError

from proactmem.datasets.annotate.adjudicate import Reference
from proactmem.datasets.annotate.votes import Item, Vote
from proactmem.datasets.card import sha256_file
from proactmem.datasets.join import read_labels
from proactmem.errors import ConfigError, InputError
from proactmem.paths import write_atomic
from proactmem.prompts import prompts_sha256

__all__ = ["Imported", "Provenance", "Version", "import_reference", "read_version", "write_version"]

_KEYS = {"participant", "decision_index", "home", "window_start", "event_id", "stream_id"}
_NAME = re.compile(r"labels-v([1-9][0-9]*)\.jsonl")


class Provenance(BaseModel):
    """What a version of labels rests on."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    version: int
    parent_sha256: str | None
    """SHA-256 of the version before; None for the first."""
    labels_sha256: str
    events_sha256: str
    """Of the built events that were judged."""
    guideline_sha256: str | None
    """Of the guideline that was followed, where there is one file of it."""
    annotators: tuple[str, ...]
    """Pseudonyms."""
    judged_by: dict[str, tuple[str, ...]] = {}
    """For each annotator, whether a person judged, or which backbone and model."""
    prompts_sha256: str | None = None
    """Of the annotation prompts, where a model judged."""
    histories_cut: int = 0
    """Votes of a model for which the earliest events did not fit into its request."""
    protocol: tuple[str, ...]
    """Steps, in order, such as triage, three independent votes, cross-review, adjudication."""
    agreement: tuple[str, ...] = ()
    """Agreement before adjudication, as text."""
    labels: int
    positive: int
    how: dict[str, int]
    """Labels by how they came about."""
    without: int = 0
    """Events that have no label."""


class Version(NamedTuple):
    """A label file and its provenance."""

    file: Path
    provenance: Provenance


class Imported(NamedTuple):
    """A reference file as votes and labels."""

    references: list[Reference]
    votes: dict[str, dict[Item, Vote]]
    """By annotator `vote-1` and so on; y only."""
    unmatched: int
    """Rows whose event is not among the streams."""


def write_version(
    folder: Path,
    references: Sequence[Reference],
    *,
    events_sha256: str,
    annotators: Sequence[str],
    protocol: Sequence[str],
    guideline: Path | None = None,
    agreement: Sequence[str] = (),
    without: int = 0,
    votes: Mapping[str, Mapping[Item, Vote]] | None = None,
) -> Version:
    """Write the next version beside those that there are; labels that are those of the newest version stay that version.

    Raises:
        ConfigError: There is no label, or the folder holds labels of other events.
        InputError: An earlier provenance is damaged.
        StoreError: It cannot be written.
    """
    if not references:
        raise ConfigError("there is no label to write.", remedy="Let annotators judge the events first.")
    earlier = read_version(folder)
    if earlier is not None and earlier.provenance.events_sha256 != events_sha256:
        raise ConfigError(
            f"{folder}: holds labels of other events, of SHA-256 {earlier.provenance.events_sha256}; expected {events_sha256}.",
            remedy="Give these labels a folder of their own.",
        )
    number = 1 if earlier is None else earlier.provenance.version + 1
    text = "".join(json.dumps(_line(one), ensure_ascii=False) + "\n" for one in references)
    digest = hashlib.sha256(text.encode()).hexdigest()
    if earlier is not None and earlier.provenance.labels_sha256 == digest:
        return earlier
    every = [vote for given in (votes or {}).values() for vote in given.values()]
    how: dict[str, int] = {}
    for one in references:
        how[one.how] = how.get(one.how, 0) + 1
    provenance = Provenance(
        version=number,
        parent_sha256=None if earlier is None else earlier.provenance.labels_sha256,
        labels_sha256=digest,
        events_sha256=events_sha256,
        guideline_sha256=None if guideline is None else sha256_file(guideline),
        annotators=tuple(annotators),
        judged_by={name: tuple(sorted({vote.by for vote in given.values()})) for name, given in (votes or {}).items()},
        prompts_sha256=prompts_sha256("annotation") if any(vote.by != "person" for vote in every) else None,
        histories_cut=sum(vote.left_out > 0 for vote in every),
        protocol=tuple(protocol),
        agreement=tuple(agreement),
        labels=len(references),
        positive=sum(one.y for one in references),
        how=dict(sorted(how.items())),
        without=without,
    )
    file = folder / f"labels-v{number}.jsonl"
    write_atomic(_provenance(file), provenance.model_dump_json(indent=1) + "\n")
    write_atomic(file, text)
    return Version(file, provenance)


def read_version(folder: Path, number: int | None = None) -> Version | None:
    """A version of a folder's labels, the newest one by default; None where there is none.

    Raises:
        ConfigError: No version of that number.
        InputError: The labels are not those that their provenance names, or it is damaged.
    """
    numbers = sorted(int(found[1]) for path in folder.glob("labels-v*.jsonl") if (found := _NAME.fullmatch(path.name)))
    if number is not None and number not in numbers:
        raise ConfigError(f"{folder}: no version {number}; there are {numbers}.")
    if not numbers:
        return None
    file = folder / f"labels-v{numbers[-1] if number is None else number}.jsonl"
    try:
        provenance = Provenance.model_validate_json(_provenance(file).read_bytes())
    except (OSError, ValidationError) as error:
        raise InputError(
            "is no provenance of labels", file=_provenance(file), remedy="Restore it, or write a new version."
        ) from error
    if sha256_file(file) != provenance.labels_sha256:
        raise InputError(
            "is not the file that its provenance names", file=file, found=sha256_file(file),
            expected=provenance.labels_sha256,
            remedy="Restore it; changed labels are a new version.",
        )  # fmt: skip
    return Version(file, provenance)


def import_reference(file: Path, built: Path) -> Imported:
    """A reference file (`reference_labels.csv`) with its votes (`vote_1` and so on), joined to built events.

    Raises:
        InputError: As the scorer's reading of labels.
    """
    labels = read_labels(file, built)
    votes: dict[str, dict[Item, Vote]] = {}
    text = file.read_text(encoding="utf-8-sig")
    columns = next(csv.reader(io.StringIO(text)), []) if file.suffix == ".csv" else []
    for column in (name for name in columns if re.fullmatch(r"vote_[1-9][0-9]*", name.strip())):
        if given := _votes(text, column, built):
            votes[column.strip().replace("_", "-")] = given
    names = sorted(votes)
    references = []
    for item, label in labels.labels.items():
        said = tuple(vote.y if (vote := votes[name].get(item)) is not None else None for name in names)
        references.append(Reference(item, label.y, label.a, label.b, label.n, label.service, said, "as stated"))
    return Imported(references, votes, labels.unmatched)


def _votes(text: str, column: str, built: Path) -> dict[Item, Vote]:
    """One annotator's column as votes: the same file, with that column in the place of y."""
    rows = list(csv.DictReader(io.StringIO(text)))
    keys = [
        name
        for name in rows[0]
        if name.strip() in ("participant", "decision_index", "home", "window_start", "event_id", "stream_id")
    ]
    if not any((row[column] or "").strip() for row in rows):
        return {}
    with tempfile.TemporaryDirectory() as folder:
        one = Path(folder) / "vote.csv"
        with one.open("w", encoding="utf-8", newline="") as opened:
            writer = csv.writer(opened)
            writer.writerow([*keys, "y"])
            writer.writerows([*(row[key] for key in keys), row[column]] for row in rows if (row[column] or "").strip())
        found = read_labels(one, built)
    return {item: Vote(stream_id=item[0], event_id=item[1], y=label.y) for item, label in found.labels.items()}


def _line(one: Reference) -> dict[str, object]:
    marks = {name: None if value is None else int(value) for name, value in (("a", one.a), ("b", one.b), ("n", one.n))}
    return {
        "stream_id": one.item[0], "event_id": one.item[1], "y": int(one.y), **marks, "service": one.service,
        "votes": [None if vote is None else int(vote) for vote in one.votes], "how": one.how,
    }  # fmt: skip


def _provenance(file: Path) -> Path:
    return file.with_name(file.name.replace(".jsonl", ".provenance.json"))
