"""A dataset folder checked: nothing label-like among the inputs, every label of an event, every file as it is pinned."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from proactmem.core.events import CodeEvent, public_json
from proactmem.core.labels import Label
from proactmem.datasets.card import Card, sha256_file
from proactmem.datasets.export.columns import Placed
from proactmem.datasets.export.croissant import listed_files, read_hashes
from proactmem.datasets.export.layout import Manifest, Part, card_name, read_manifest
from proactmem.datasets.export.presence import ClassComparison, Comparison
from proactmem.datasets.export.reading import read_part, read_part_labels
from proactmem.datasets.export.shards import content_line
from proactmem.datasets.export.texts import without_texts
from proactmem.errors import InputError, LabelLeakError, StoreError

__all__ = ["CheckReport", "PartReport", "check_dataset", "check_files", "check_part", "part_card"]

_FOLDERS = ("data", "labels", "cards")
_AGAIN = "Fetch the dataset again, or export it again."


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class PartReport(_Frozen):
    """One part, read to its end."""

    config: str
    events: int
    streams: int
    labelled: int
    comparison: ClassComparison | None
    """The fields of the two label classes; None without labels."""


class CheckReport(_Frozen):
    """A dataset without a finding; what is told of each part is information."""

    name: str
    version: str
    files: int
    """Files whose hash was compared."""
    parts: tuple[PartReport, ...]


def check_dataset(folder: Path) -> CheckReport:
    """Check a dataset folder from its files' hashes down to every field of every event.

    Checked are: the SHA-256 of every file in `croissant.json`, and that no further file lies among them; the columns,
    types and metadata of every Parquet file, row groups included; every event through the public schema, which refuses
    label-like fields, with each column against it, ids, causal order and the content's hash; every label of an event, in
    the order of the events, with Equation 9; and that no field tells the label classes apart.

    Raises:
        LabelLeakError: Something label-like is among the inputs, or a field tells the classes apart.
        InputError: An event is not valid, or a label meets no event.
        StoreError: A file is missing, damaged, not the one that was pinned, or not listed at all.
    """
    manifest = read_manifest(folder)
    check_files(folder, manifest)
    parts = tuple(check_part(folder, part, part_card(folder, part)) for part in manifest.parts)
    return CheckReport(name=manifest.name, version=manifest.version, files=len(listed_files(manifest)), parts=parts)


def check_files(folder: Path, manifest: Manifest, config: str | None = None) -> None:
    """Every file that the description pins is there and is the one, and none lies beside them.

    Args:
        folder: The dataset.
        manifest: Its manifest.
        config: Only the files of this part are compared; None compares all.

    Raises:
        StoreError: A file is missing, damaged, another one, or not listed.
    """
    hashes, listed = read_hashes(folder), listed_files(manifest)
    if strangers := sorted(set(hashes) ^ set(listed)):
        raise StoreError(f"{folder / strangers[0]}: is in one of manifest and description only.", remedy=_AGAIN)
    present = [
        path.relative_to(folder).as_posix() for name in _FOLDERS for path in (folder / name).rglob("*") if path.is_file()
    ]
    if strangers := sorted(set(present) - set(listed)):
        raise StoreError(f"{folder / strangers[0]}: is no file of this dataset.", remedy="Move it away, or export again.")
    part = None if config is None else manifest.part(config)
    compared = listed if part is None else (card_name(part.config), *part.shards, *([part.labels] if part.labels else []))
    for name in compared:
        digest = sha256_file(folder / name)
        if digest != hashes[name]:
            raise StoreError(
                f"{folder / name}: is not the file that was exported (SHA-256 {digest}, expected {hashes[name]}).",
                remedy=_AGAIN,
            )


def part_card(folder: Path, part: Part) -> Card:
    """The data card of a part.

    Raises:
        StoreError: It is missing, damaged, or another part's.
    """
    path = folder / card_name(part.config)
    try:
        card = Card.model_validate_json(path.read_bytes())
    except OSError as error:
        raise StoreError(f"{path}: cannot be read ({error.strerror or error}).", remedy=_AGAIN) from error
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]["msg"]
        raise StoreError(f"{path}: is no data card ({problem}).", remedy=_AGAIN) from error
    if (card.scope, card.source, card.events, len(card.streams)) != (part.scope, part.source, part.events, part.streams):
        raise StoreError(f"{path}: is not the card of part {part.config!r}.", remedy=_AGAIN)
    return card


def check_part(folder: Path, part: Part, card: Card) -> PartReport:
    """Read one part to its end; see `check_dataset`.

    Raises:
        LabelLeakError: Something label-like is among the inputs, or a field tells the classes apart.
        InputError: An event is not valid, a label meets no event, or a text is there that was to be dropped.
        StoreError: A file is damaged or does not hold what the manifest says.
    """
    digest, comparison, counts = hashlib.sha256(), Comparison(), dict[str, int]()
    labels = read_part_labels(folder, part)
    awaited = next(labels, None)
    labelled = 0
    for stream in read_part(folder, part):
        for placed in stream.events:
            event = placed.event
            digest.update(content_line(event.stream_id, public_json(event.public)))
            counts[stream.stream_id] = event.index + 1
            _without_texts(part, placed)
            if awaited is not None and (awaited[0], awaited[1].event_id) == (event.stream_id, event.event_id):
                comparison.add(event.public.model_dump(mode="json", exclude={"scope"}), awaited[1].y)
                labelled += 1
                awaited = next(labels, None)
    if awaited is not None:
        raise _no_event(folder, part, awaited)
    spans = {span.stream_id: span.events for span in card.streams}
    found = (sum(counts.values()), len(counts), labelled, digest.hexdigest())
    if found != (part.events, part.streams, part.labelled, part.content_sha256) or spans != counts:
        raise StoreError(
            f"{folder}: part {part.config!r} holds {found[0]} events in {found[1]} streams, {labelled} of them labelled; its "
            "manifest and card say something else.",
            remedy=_AGAIN,
        )
    result = comparison.result() if part.labels else None
    if result is not None and result.separating:
        raise _separated(folder, part, result.separating)
    return PartReport(config=part.config, events=found[0], streams=found[1], labelled=labelled, comparison=result)


def _without_texts(part: Part, placed: Placed) -> None:
    public = placed.event.public
    if part.texts_dropped and isinstance(public, CodeEvent) and without_texts(public) != public:
        raise InputError(
            f"event {public.event_id!r} of {part.config!r} still holds a text that was to be left out", field="content",
            remedy="Export the dataset again.",
        )  # fmt: skip


def _no_event(folder: Path, part: Part, awaited: tuple[str, Label]) -> InputError:
    return InputError(
        f"the label of event {awaited[1].event_id!r} of stream {awaited[0]!r} meets no event, or labels are not in the order "
        "of the events",
        file=folder / str(part.labels),
        field="event_id",
        expected="labels of events that are there, in their order",
        remedy="Build the streams again with their label file.",
    )


def _separated(folder: Path, part: Part, paths: Sequence[str]) -> LabelLeakError:
    shown: Iterator[str] = iter(paths[:5])
    return LabelLeakError(
        f"in {part.config!r} a public field tells intervene and abstain apart without one exception",
        file=folder,
        field=", ".join(shown),
        expected="the same schema for both label classes",
        remedy="Leave the field out of the public events: it says what only labels may say.",
    )
