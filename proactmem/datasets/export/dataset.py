"""Built folders of any scopes into one dataset folder that others can use: files, card, licences and a leak check."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from pathlib import Path
from shutil import copyfile, rmtree
from tempfile import TemporaryDirectory
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from proactmem.core.records import SOURCES
from proactmem.datasets.built import BuiltStreams
from proactmem.datasets.card import CARD, Card, read_card, sha256_file
from proactmem.datasets.export.check import CheckReport, check_part
from proactmem.datasets.export.croissant import croissant_json, listed_files
from proactmem.datasets.export.layout import CROISSANT, MANIFEST, README, Manifest, Part, Texts, card_name, labels_name
from proactmem.datasets.export.readme import readme
from proactmem.datasets.export.shards import SHARD_EVENTS, write_shards
from proactmem.datasets.export.terms import clear_terms, common_licence, drops_texts, terms_of
from proactmem.datasets.export.texts import card_without_texts
from proactmem.datasets.export.words import Words
from proactmem.datasets.job import Progress
from proactmem.datasets.join import LABELS
from proactmem.errors import ConfigError, StoreError
from proactmem.paths import storage_error, write_atomic

__all__ = ["export_dataset"]

_FOLDERS = ("data", "labels", "cards")
_VERSION = re.compile(r"[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._-]{0,95}")


class _Source(NamedTuple):
    """One built folder that goes in."""

    config: str
    built: BuiltStreams
    card: Card
    texts_dropped: bool


def export_dataset(
    built: Sequence[Path],
    out: Path,
    *,
    name: str,
    version: str,
    licence: str | None = None,
    acknowledge: Collection[str] = (),
    texts: Texts = "auto",
    words: Words | None = None,
    shard_events: int = SHARD_EVENTS,
    progress: Progress | None = None,
) -> CheckReport:
    """Write built folders as one dataset: Parquet a config, labels apart, README.md, croissant.json, and check it.

    Every event is read through the public schema as it is written and again as it was written; nothing is put in place
    before the check has found nothing. Equal built folders and options give equal bytes.

    Args:
        built: Built folders, one a config: the scope, or `own_<scope>` for own data.
        out: The dataset folder: new, empty, or an earlier export, which is replaced; hidden files in it stay.
        name: Of the dataset.
        version: `major.minor.patch`.
        licence: Licence identifier in lower case; None takes the sources' common one, `other` where they have none.
        acknowledge: Sources, as their cards name them, whose terms you have read and may pass them on under.
        texts: Code's content texts; by default those of GH Archive are dropped (`Texts`).
        words: What you wish to say beside: address, date, creator, tags, citation.
        shard_events: Events after which a file is closed, at the end of a stream.
        progress: Called after each stream with how many are written and how many there are.

    Returns:
        What the check found: counts, and for labelled parts the fields of both classes side by side.

    Raises:
        ConfigError: An option is unknown, two folders give one config, a source needs acknowledgement, or `out` holds
            something else.
        LabelLeakError: Something label-like is among the inputs, or a field tells the label classes apart.
        InputError: An event is not valid, or a label meets no event.
        StoreError: A built folder is damaged, or the dataset cannot be written.
    """
    said = words or Words()
    _check_options(built, name, version, texts, shard_events)
    _check_out(out)
    sources = _sources(built, texts)
    terms = [terms_of(source.card, texts_dropped=source.texts_dropped) for source in sources]
    acknowledged = clear_terms([source.card for source in sources], terms, acknowledge)
    streams = sum(len(source.built.stream_ids) for source in sources)
    done = 0

    def written() -> None:
        nonlocal done
        done += 1
        if progress is not None:
            progress(done, streams)

    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        temporary = TemporaryDirectory(prefix=".export.", dir=out.parent)
    except OSError as error:
        raise storage_error(out, error) from error
    with temporary as staging:
        staged = Path(staging)
        cards: list[Card] = []
        parts: list[Part] = []
        for source in sources:
            shards, content = write_shards(
                staged,
                source.config,
                source.built,
                texts_dropped=source.texts_dropped,
                shard_events=shard_events,
                written=written,
            )
            cards.append(_write_card(staged, source))
            labels, labelled = _copy_labels(staged, source)
            parts.append(
                Part(
                    config=source.config,
                    scope=source.card.scope,
                    source=source.card.source,
                    events=sum(source.built.counts.values()),
                    streams=len(source.built.stream_ids),
                    shards=shards,
                    labels=labels,
                    labelled=labelled,
                    texts_dropped=source.texts_dropped,
                    content_sha256=content,
                )
            )
        manifest = Manifest(
            name=name,
            version=version,
            licence=licence or common_licence(terms),
            acknowledged=acknowledged,
            parts=tuple(parts),
        )
        write_atomic(staged / MANIFEST, manifest.model_dump_json(indent=2) + "\n")
        reports = tuple(check_part(staged, part, card) for part, card in zip(parts, cards, strict=True))
        write_atomic(staged / README, readme(manifest, cards, said, [report.comparison for report in reports]))
        write_atomic(staged / CROISSANT, croissant_json(staged, manifest, cards, said))
        _put_in_place(staged, out)
    return CheckReport(name=name, version=version, files=len(listed_files(manifest)), parts=reports)


def _check_options(built: Sequence[Path], name: str, version: str, texts: str, shard_events: int) -> None:
    if not built:
        raise ConfigError("no built folder is given; expected one a scope.", remedy="Name at least one.")
    if not _NAME.fullmatch(name):
        raise ConfigError(
            f"{name!r} is no name of a dataset; expected letters, digits, blanks, dots and dashes.", remedy="Choose another."
        )
    if not _VERSION.fullmatch(version):
        raise ConfigError(f"{version!r} is no version; expected major.minor.patch.", remedy="For example 1.0.0.")
    if texts not in ("auto", "keep", "drop"):
        raise ConfigError(f"unknown choice of texts {texts!r}; expected auto, keep or drop.", remedy="Use one of these.")
    if shard_events < 1:
        raise ConfigError(f"{shard_events} events a file; expected at least 1.", remedy="Leave it out.")


def _check_out(out: Path) -> None:
    if out.exists() and not out.is_dir():
        raise ConfigError(f"{out}: is a file; a dataset needs a folder.", remedy="Name another folder.")
    ours = {*_FOLDERS, README, MANIFEST, CROISSANT}
    try:
        names = {path.name for path in out.iterdir() if not path.name.startswith(".")} if out.is_dir() else set()
    except OSError as error:
        raise storage_error(out, error) from error
    if (others := sorted(names - ours)) or (names and MANIFEST not in names):
        raise ConfigError(
            f"{out}: is not empty and no earlier export; found {others[:5] or sorted(names)}.",
            remedy="Name a new folder, or empty this one.",
        )


def _sources(built: Sequence[Path], texts: Texts) -> list[_Source]:
    found: dict[str, _Source] = {}
    for folder in built:
        streams, card = BuiltStreams.open(folder), read_card(folder)
        config = f"own_{card.scope}" if card.source == "own data" else card.scope
        if config in found:
            raise ConfigError(
                f"{found[config].built.path} and {folder} both give the config {config!r}; expected one folder each.",
                remedy="Build them into one folder, or export two datasets.",
            )
        _as_built(folder, streams, card)
        found[config] = _Source(config, streams, card, drops_texts(card, texts))
    return list(found.values())


def _as_built(folder: Path, streams: BuiltStreams, card: Card) -> None:
    """The folder holds what its card says, by hash."""
    spans = {span.stream_id: span.events for span in card.streams}
    if (streams.scope, streams.counts) != (card.scope, spans) or not streams.sha256:
        raise StoreError(f"{folder / CARD}: is not the card of the events beside it.", remedy="Build the streams again.")
    for name in (SOURCES, LABELS):
        stated = card.outputs.get(name)
        digest = sha256_file(folder / name) if (folder / name).is_file() else None
        if stated != digest:
            raise StoreError(
                f"{folder / name}: is not the file that {CARD} was written for (SHA-256 {digest}, expected {stated}).",
                remedy="Build the streams again.",
            )


def _write_card(staged: Path, source: _Source) -> Card:
    card = card_without_texts(source.card) if source.texts_dropped else source.card
    write_atomic(staged / card_name(source.config), card.model_dump_json(indent=2) + "\n")
    return card


def _copy_labels(staged: Path, source: _Source) -> tuple[str | None, int]:
    file = source.built.path / LABELS
    if not file.is_file():
        return None, 0
    name = labels_name(source.config)
    try:
        (staged / name).parent.mkdir(parents=True)
        copyfile(file, staged / name)
    except OSError as error:
        raise storage_error(staged / name, error) from error
    try:
        return name, int(pq.read_metadata(staged / name).num_rows)
    except (pa.ArrowException, OSError) as error:
        raise StoreError(f"{file}: is not a readable Parquet file ({error}).", remedy="Build the streams again.") from error


def _put_in_place(staged: Path, out: Path) -> None:
    """Replace an earlier export; the description that pins all files goes first and comes last: with it, a folder is whole."""
    try:
        out.mkdir(exist_ok=True)
        (out / CROISSANT).unlink(missing_ok=True)
        for name in _FOLDERS:
            if (out / name).is_dir():
                rmtree(out / name)
            if (staged / name).is_dir():
                (staged / name).replace(out / name)
        for name in (README, MANIFEST, CROISSANT):
            (staged / name).replace(out / name)
    except OSError as error:
        raise storage_error(out, error) from error
