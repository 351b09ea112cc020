"""The commands for a dataset that others use: select, export, check, import."""

from __future__ import annotations

from datetime import date
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from proactmem.cli.shared import Out, bar, day
from proactmem.errors import ConfigError

if TYPE_CHECKING:
    from proactmem.datasets.export import CheckReport
    from proactmem.datasets.export.layout import Texts

__all__ = ["check", "export", "import_", "select"]

TextsName = StrEnum("TextsName", ["auto", "keep", "drop"])
Built = Annotated[list[Path], typer.Argument(help="Built folders, one a scope.")]


def _told(folder: Path, report: CheckReport) -> str:
    parts = (f"{one.config} {one.events} events in {one.streams} streams, {one.labelled} labelled" for one in report.parts)
    return f"{folder}: {report.name} {report.version}, {report.files} files checked; {'; '.join(parts)}"


def export(
    built: Built,
    out: Out,
    name: Annotated[str, typer.Option(help="Name of the dataset.")],
    version: Annotated[str, typer.Option(help="Its version, such as 1.0.0.")],
    licence: Annotated[str | None, typer.Option(help="Licence identifier; from the sources when left out.")] = None,
    texts: Annotated[
        TextsName, typer.Option(help="What people wrote on GitHub: auto leaves it out of real repositories.")
    ] = TextsName.auto,
    acknowledge: Annotated[
        list[str] | None, typer.Option(help="A source that you may pass on, as its card names it; repeatable.")
    ] = None,
    url: Annotated[str | None, typer.Option(help="Where the dataset will be found.")] = None,
    published: Annotated[str | None, typer.Option("--date", help="Day of publication, YYYY-MM-DD.")] = None,
    creator: Annotated[str | None, typer.Option(help="Who publishes it.")] = None,
) -> None:
    """Write built streams as a dataset for others: Parquet, a card, Croissant, labels apart, checked for leaks.

    Example: `proactmem export data/built/sports data/built/home --out proactivestream --name proactivestream --version 1.0.0`
    """
    from proactmem.datasets.export import Words, export_dataset

    kinds: dict[str, Texts] = {"auto": "auto", "keep": "keep", "drop": "drop"}
    when: date | None = None if published is None else day("--date", published)
    words = Words(url=url, published=when, creator=creator)
    with bar("stream") as progress:
        report = export_dataset(
            built, out, name=name, version=version, licence=licence, acknowledge=tuple(acknowledge or ()),
            texts=kinds[texts.value], words=words, progress=progress,
        )  # fmt: skip
    typer.echo(_told(out, report))


def check(folder: Annotated[Path, typer.Argument(help="An exported dataset.")]) -> None:
    """Check an exported dataset: every file's hash, every event, no label among the inputs.

    Example: `proactmem check proactivestream`
    """
    from proactmem.datasets.export import check_dataset

    typer.echo(_told(folder, check_dataset(folder)))


def import_(
    folder: Annotated[Path, typer.Argument(help="An exported dataset.")],
    part: Annotated[str, typer.Argument(help="Its config: sports, home, code or desktop.")],
    out: Out,
) -> None:
    """Bring one part of a dataset back as built streams, for run and score.

    Example: `proactmem import proactivestream home --out data/built/home`
    """
    from proactmem.datasets.export import import_part

    card = import_part(folder, part, out)
    typer.echo(f"{out}: {card.events} events in {len(card.streams)} streams")


def select(
    built: Annotated[Path, typer.Argument(help="A built folder.")],
    count: Annotated[int, typer.Option(min=1, help="Streams to select.")] = 2,
    diagnostic: Annotated[bool, typer.Option("--diagnostic", help="One stream and 150 targets, as in Appendix D.1.")] = False,
) -> None:
    """Select streams by SHA-256 of their public ids, as for the paper's Table 6.

    Example: `proactmem select data/built/home --count 2`
    """
    from proactmem.datasets.built import BuiltStreams
    from proactmem.datasets.card import read_card
    from proactmem.datasets.selection import select_diagnostic, select_streams

    streams, scope = BuiltStreams.open(built), read_card(built).scope
    if diagnostic:
        days = {stream_id: [event.day for event in streams.events(stream_id)] for stream_id in streams.stream_ids}
        found = select_diagnostic(scope, days)
        typer.echo(
            f"{found.stream_id}: {found.targets} targets from {found.first} to {found.last}, {found.preceding} before them"
        )
        return
    if count > len(streams.stream_ids):
        raise ConfigError(f"{count} streams asked for; {built} holds {len(streams.stream_ids)}.", remedy="Ask for fewer.")
    for ranked in select_streams(scope, streams.stream_ids, count=count):
        typer.echo(f"{ranked.sha256}  {ranked.stream_id}  {streams.counts[ranked.stream_id]} events")
