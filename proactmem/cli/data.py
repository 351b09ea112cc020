"""The commands that make raw files: simulate."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal

import typer

from proactmem.cli.shared import Out, Size, bar
from proactmem.paths import storage_error

__all__ = ["simulate"]

Simulated = StrEnum("Simulated", ["sports"])


def simulate(
    scope: Annotated[Simulated, typer.Option(help="Scope to simulate.")],
    seed: Annotated[int, typer.Option(help="Seed; the same seed writes the same bytes.")],
    out: Out,
    size: Annotated[Size, typer.Option(help="smoke for tests and first looks, paper for the paper's size.")] = Size.smoke,
    participants: Annotated[int | None, typer.Option(min=1, help="Participants, instead of the size's own.")] = None,
    days: Annotated[int | None, typer.Option(min=1, help="Days each, instead of the size's own.")] = None,
) -> None:
    """Write raw files, reference labels and the planted truth of simulated lives.

    Example: `proactmem simulate --scope sports --seed 7 --out data/raw/sports`
    """
    from proactmem.datasets.simulate import simulate_sports

    del scope  # one scope so far; the option keeps the command line stable
    name: Literal["smoke", "paper"] = "smoke" if size is Size.smoke else "paper"
    try:
        with bar("participant") as progress:
            simulate_sports(out, seed=seed, size=name, participants=participants, days=days, progress=progress)
    except OSError as error:
        raise storage_error(out, error) from error
    typer.echo(f"{out}: suggestions.csv, reference_labels.csv, planted.json")
