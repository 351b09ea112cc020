"""What the commands share: option types, the progress bar, and how an interrupted command ends."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date, datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from tqdm import tqdm

from proactmem.errors import ConfigError

__all__ = ["BackboneName", "Out", "ScopeName", "Size", "bar", "day", "moment", "names", "resumable"]

Size = StrEnum("Size", ["smoke", "paper"])
ScopeName = StrEnum("ScopeName", ["sports", "home", "code", "desktop"])
BackboneName = StrEnum("BackboneName", ["offline", "openai"])

Out = Annotated[Path, typer.Option("--out", help="Folder to write.")]


def names(text: str) -> list[str]:
    """What stands between commas."""
    return [part.strip() for part in text.split(",") if part.strip()]


def day(option: str, text: str) -> date:
    """A day as an option gives it.

    Raises:
        ConfigError: It is none.
    """
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise ConfigError(f"{option} is {text!r}; expected a day, for example 2012-07-21.") from None


def moment(option: str, text: str | None) -> datetime | None:
    """A day or an hour as an option gives it.

    Raises:
        ConfigError: It is none.
    """
    try:
        return None if text is None else datetime.fromisoformat(text)
    except ValueError:
        raise ConfigError(f"{option} is {text!r}; expected a day or an hour, for example 2025-06-30T00.") from None


@contextmanager
def bar(unit: str, total: int | None = None) -> Iterator[Callable[[int, int], None]]:
    """A progress bar on stderr that appears after two seconds where somebody watches; none in a log."""
    with tqdm(
        total=total, unit=unit, unit_scale=unit == "B", delay=2, file=sys.stderr, dynamic_ncols=True, disable=None
    ) as bar:

        def told(done: int, of: int) -> None:
            bar.total = of
            bar.update(done - bar.n)

        yield told


@contextmanager
def resumable() -> Iterator[None]:
    """An interrupted command says that it can go on, and exits with 130; typer alone would say nothing or `Aborted!`."""
    try:
        yield
    except KeyboardInterrupt:
        typer.echo("proactmem: interrupted; the same command resumes where it stopped.", err=True)
        raise typer.Exit(130) from None
