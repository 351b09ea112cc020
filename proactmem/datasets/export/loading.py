"""A part of an exported dataset back as built streams: the same events in the same form, for `proactmem run --data`."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from shutil import copyfile
from typing import Literal

from proactmem.core.events import public_json
from proactmem.core.records import SOURCES
from proactmem.datasets.built import EVENTS, BuiltStreams
from proactmem.datasets.card import Card, sha256_file, write_card
from proactmem.datasets.export.check import check_files, part_card
from proactmem.datasets.export.columns import Placed
from proactmem.datasets.export.layout import Part, read_manifest
from proactmem.datasets.export.reading import PlacedStream, read_part
from proactmem.datasets.export.shards import content_line
from proactmem.datasets.job import Job, Origin
from proactmem.datasets.join import LABELS
from proactmem.datasets.tally import Tally
from proactmem.datasets.writing import KeyColumns, Sourced, SourceStream, write_built
from proactmem.errors import StoreError

__all__ = ["import_part", "load_dataset_streams"]


def load_dataset_streams(folder: Path, config: str, out: Path) -> BuiltStreams:
    """The streams of one config of a dataset folder, written as a built folder `out` and opened; see `import_part`."""
    import_part(folder, config, out)
    return BuiltStreams.open(out)


def import_part(folder: Path, config: str, out: Path) -> Card:
    """Write one part of a dataset as a built folder: events, sources, labels where there are any, and the card.

    Events, order and local days are checked on the way and are the exported ones one for one. With the same version of the
    Parquet library the files are those of the build byte for byte (of a build in one events file, its texts kept), so that
    a run on them can be resumed and compared by their hash.

    Args:
        folder: The dataset.
        config: Its part: the scope, or `own_<scope>`.
        out: The built folder; replaced file by file when it is one already.

    Raises:
        ConfigError: There is no such part, or `out` is no place for a built folder.
        LabelLeakError: An event file holds something label-like.
        InputError: An event is not valid.
        StoreError: The dataset is damaged or is not the one that was pinned, or `out` cannot be written.
    """
    manifest = read_manifest(folder)
    part = manifest.part(config)
    check_files(folder, manifest, config)
    card = part_card(folder, part)
    keys = _key_columns(folder, part)
    origin = Origin(card.source, card.licence, card.attribution)
    digest = hashlib.sha256()
    with Job(card.scope, (), folder, out, origin, keys, Tally()).staged() as staged:
        streams = (_source_stream(stream, digest) for stream in read_part(folder, part))
        spans = write_built(staged, card.scope, streams, keys)
        if digest.hexdigest() != part.content_sha256 or spans != card.streams:
            raise StoreError(
                f"{folder}: the events of {config!r} are not those the manifest and the card were written for.",
                remedy="Fetch the dataset again, or export it again.",
            )
        if part.labels:
            copyfile(folder / part.labels, staged / LABELS)
        names = (EVENTS, SOURCES, *([LABELS] if part.labels else []))
        card = card.model_copy(update={"outputs": {name: sha256_file(staged / name) for name in names}})
        write_card(staged, card)
    return card


def _source_stream(stream: PlacedStream, digest: hashlib._Hash) -> SourceStream:
    return SourceStream(stream.stream_id, stream.order, _sourced(stream.events, digest), stream.zone)


def _sourced(events: Iterator[Placed], digest: hashlib._Hash) -> Iterator[Sourced]:
    for placed in events:
        public = placed.event.public
        digest.update(content_line(public.stream_id, public_json(public)))
        yield Sourced(public, tuple(placed.key.values()))


def _key_columns(folder: Path, part: Part) -> KeyColumns:
    """Names and kinds of the source key, as the first event has them."""
    kinds: dict[str, Literal["int", "text"]] = {}
    first = next(read_part(folder, part))
    for name, value in next(first.events).key.items():
        kinds[name] = "int" if isinstance(value, int) else "text"
    return kinds
