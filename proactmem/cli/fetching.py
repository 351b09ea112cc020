"""The command that downloads public sources: fetch."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from proactmem.cli.shared import Out, bar, moment, names, resumable

if TYPE_CHECKING:
    from proactmem.fetch.sources import Name

__all__ = ["fetch"]

SourceName = StrEnum("SourceName", ["heartsteps", "proactivebench", "gharchive", "casas"])


def fetch(
    source: Annotated[SourceName, typer.Argument(help="Public source.")],
    out: Out,
    accept_licence: Annotated[bool, typer.Option("--accept-licence", help="Accept the source's terms.")] = False,
    since: Annotated[str | None, typer.Option(help="gharchive: first hour, UTC: YYYY-MM-DD or YYYY-MM-DDTHH.")] = None,
    until: Annotated[str | None, typer.Option(help="gharchive: first hour left out.")] = None,
    homes: Annotated[str | None, typer.Option(help="casas: homes with commas, such as csh101; all when left out.")] = None,
    copy: Annotated[Path | None, typer.Option("--from", help="A copy that you were given, instead of a download.")] = None,
    mirror: Annotated[str | None, typer.Option(help="Address that takes the place of the source's host.")] = None,
) -> None:
    """Download a public source, or put your own copy in place; an interrupted download goes on where it stopped.

    Example: `proactmem fetch heartsteps --out data/raw/heartsteps --accept-licence`

    Example: `proactmem fetch gharchive --out data/raw/gharchive --since 2025-06-30 --until 2025-07-01 --accept-licence`
    """
    from proactmem.fetch import fetch as download
    from proactmem.fetch.sources import SOURCES

    known: dict[str, Name] = {name: name for name in SOURCES}
    name = known[source.value]
    about = SOURCES[name]
    accepted = accept_licence
    if not accepted and sys.stdin.isatty():
        typer.echo(f"{about.title}\nLicence: {about.licence}\n{about.notice}")
        accepted = typer.confirm("Do you accept this?")
    first, end = (_utc(moment(option, text)) for option, text in (("--since", since), ("--until", until)))
    with resumable(), bar("B" if len(about.files) == 1 else "file") as progress:
        report = download(
            name, out, accept=accepted, since=first, until=end, homes=None if homes is None else names(homes), from_path=copy,
            mirror=mirror, progress=progress,
        )  # fmt: skip
    typer.echo(str(report))


def _utc(when: datetime | None) -> datetime | None:
    if when is None:
        return None
    return when.replace(tzinfo=UTC) if when.tzinfo is None else when.astimezone(UTC)
