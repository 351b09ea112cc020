"""The commands that make raw files: simulate."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from proactmem.cli.shared import Out, Size, bar
from proactmem.errors import ConfigError
from proactmem.paths import storage_error

if TYPE_CHECKING:
    from proactmem.core.events import Scope

__all__ = ["simulate"]

Simulated = StrEnum("Simulated", ["sports", "home", "code"])


def simulate(
    scope: Annotated[Simulated, typer.Option(help="Scope to simulate.")],
    seed: Annotated[int, typer.Option(help="Seed; the same seed writes the same bytes.")],
    out: Out,
    size: Annotated[Size, typer.Option(help="smoke for tests and first looks, paper for the paper's size.")] = Size.smoke,
    streams: Annotated[
        int | None, typer.Option(min=1, help="Participants, homes or repositories, instead of the size's own.")
    ] = None,
    participants: Annotated[int | None, typer.Option(min=1, help="The same as --streams, for sports.")] = None,
    days: Annotated[int | None, typer.Option(min=1, help="Days each, instead of the size's own.")] = None,
) -> None:
    """Write raw files of a scope in its source's own format, reference labels and the planted truth of simulated lives.

    Example: `proactmem simulate --scope sports --seed 7 --out data/raw/sports`

    Example: `proactmem simulate --scope home --seed 7 --size paper --out data/raw/home`
    """
    from proactmem.datasets.raw import SIMULATED, simulate_raw

    names: dict[str, Scope] = {"sports": "sports", "home": "home", "code": "code"}
    name = names[scope.value]
    if participants is not None and (name != "sports" or streams is not None):
        raise ConfigError("--participants is --streams of scope sports.", remedy="Give --streams alone.")
    length: Literal["smoke", "paper"] = "smoke" if size is Size.smoke else "paper"
    about = SIMULATED[name]
    try:
        with bar(about.units.rstrip("s") if name != "code" else "repository") as progress:
            count = streams if participants is None else participants
            simulate_raw(name, out, seed=seed, size=length, streams=count, days=days, progress=progress)
    except OSError as error:
        raise storage_error(out, error) from error
    typer.echo(f"{out}: {', '.join((*about.raw, *about.files))}")
