"""The commands that turn raw files into built streams."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from proactmem.cli.shared import Out, ScopeName, bar, day, moment, names
from proactmem.core.events import Scope
from proactmem.errors import ConfigError

if TYPE_CHECKING:
    from proactmem.datasets.card import Card
    from proactmem.datasets.heartsteps import Points as PointsName

__all__ = ["build"]

build = typer.Typer(no_args_is_help=True, help="Turn raw files into built streams (events.parquet, labels apart).")

Points = StrEnum("Points", ["connected", "available", "trial"])
OrderName = StrEnum("OrderName", ["time", "source"])

_POINTS: dict[str, PointsName] = {"connected": "connected", "available": "available", "trial": "trial"}

Raw = Annotated[Path, typer.Option("--raw", help="Raw file, or the folder that holds it.")]


def _built(out: Path, card: Card) -> None:
    lost = ", ".join(f"{count} {reason}" for reason, count in card.dropped.items() if count)
    typer.echo(f"{out}: {card.events} events in {len(card.streams)} streams" + (f"; dropped {lost}" if lost else ""))
    if card.labels is not None:
        missing = f"; {card.labels.unmatched} labels match no event" if card.labels.unmatched else ""
        typer.echo(f"{card.labels.file}: {card.labels.joined} events have a label{missing}")


def _participants(text: str | None) -> list[int] | None:
    if text is None:
        return None
    if text == "paper":
        from proactmem.datasets.selection import NINE_PARTICIPANTS

        return list(NINE_PARTICIPANTS)
    try:
        if not text.isascii():
            raise ValueError
        return [int(part) for part in text.split(",") if part.strip()]
    except ValueError:
        raise ConfigError(f"participants are {text!r}; expected numbers with commas, for example 1,5,35, or paper.") from None


@build.command("sports")
def build_sports_command(
    raw: Raw,
    out: Out,
    participants: Annotated[
        str | None, typer.Option(help="Numbers with commas, or `paper` for nine of the published size; all when left out.")
    ] = None,
    points: Annotated[
        Points, typer.Option(help="Connected points, available ones only, or the available ones of the trial's 42 days.")
    ] = Points.connected,
) -> None:
    """HeartSteps `suggestions.csv`, real or simulated.

    Example: `proactmem build sports --raw data/raw/sports --out data/built/sports --participants 1,3`
    """
    from proactmem.datasets.build import build_sports

    chosen = _participants(participants)
    with bar("participant") as progress:
        card = build_sports(
            raw,
            out,
            participants=chosen,
            points=_POINTS[points.value],
            progress=progress,
        )
    _built(out, card)


@build.command("home")
def build_home_command(
    raw: Raw,
    out: Out,
    homes: Annotated[str | None, typer.Option(help="Names with commas, such as hh101,hh102; all when left out.")] = None,
    start: Annotated[str | None, typer.Option("--from", help="First local day, YYYY-MM-DD; the first complete one.")] = None,
    days: Annotated[int | None, typer.Option(min=1, help="Days of each home; all when left out.")] = None,
    partial: Annotated[bool, typer.Option("--partial", help="Keep the incomplete first and last day too.")] = False,
) -> None:
    """Smart homes: CASAS sensor files, raw or annotated, and UCI ADL binary sensors, told by what the files hold.

    Example: `proactmem build home --raw casas --out data/built/home --homes hh101,hh102 --days 14`
    """
    from proactmem.datasets.build import build_home

    first = None if start is None else day("--from", start)
    chosen = None if homes is None else names(homes)
    with bar("B") as progress:
        card = build_home(raw, out, chosen=chosen, start=first, days=days, partial=partial, progress=progress)
    _built(out, card)


@build.command("code")
def build_code_command(
    raw: Raw,
    out: Out,
    repos: Annotated[
        str | None, typer.Option(help="owner/name or ids with commas; those of a simulation's repositories.txt when left out.")
    ] = None,
    since: Annotated[str | None, typer.Option(help="First hour, UTC: YYYY-MM-DD or YYYY-MM-DDTHH.")] = None,
    until: Annotated[str | None, typer.Option(help="First hour left out, UTC.")] = None,
    types: Annotated[str | None, typer.Option(help="GitHub event types with commas; all when left out.")] = None,
) -> None:
    """Chosen repositories out of GH Archive hours (`YYYY-MM-DD-H.json.gz`), in one pass.

    Example: `proactmem build code --raw gharchive --out data/built/code --repos callstack/react-native-pager-view`
    """
    from proactmem.datasets.build import build_code

    first, end = moment("--since", since), moment("--until", until)
    chosen, wanted = (None if text is None else names(text) for text in (repos, types))
    with bar("hour") as progress:
        card = build_code(raw, out, repos=chosen, since=first, until=end, types=wanted, progress=progress)
    _built(out, card)


@build.command("desktop")
def build_desktop_command(raw: Raw, out: Out) -> None:
    """ProactiveBench desktop traces (`*.json`).

    Example: `proactmem build desktop --raw proactivebench --out data/built/desktop`
    """
    from proactmem.datasets.build import build_desktop

    with bar("trace") as progress:
        card = build_desktop(raw, out, progress=progress)
    _built(out, card)


@build.command("own")
def build_own_command(
    raw: Raw,
    out: Out,
    scope: Annotated[ScopeName | None, typer.Option(help="Scope, where the lines do not say.")] = None,
    zone: Annotated[
        str | None, typer.Option(help="Zone that decides local days (code, desktop), such as Europe/Berlin.")
    ] = None,
    order: Annotated[OrderName, typer.Option(help="By time then event id, or as the lines stand.")] = OrderName.time,
) -> None:
    """Your own events as JSON Lines; a `labels.jsonl` beside them is joined (form: data/README.md).

    Example: `proactmem build own --raw my/events.jsonl --scope code --out data/built/mine`
    """
    from proactmem.datasets.build import build_own

    named: dict[str, Scope] = {"sports": "sports", "home": "home", "code": "code", "desktop": "desktop"}
    with bar("stream") as progress:
        card = build_own(
            raw, out, scope=None if scope is None else named[scope.value], zone=zone,
            order="time" if order is OrderName.time else "source", progress=progress,
        )  # fmt: skip
    _built(out, card)
