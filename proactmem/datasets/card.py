"""The data card of built streams: what came from where, what was left out and why, and the hashes that pin it."""

from __future__ import annotations

import hashlib
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from proactmem.core.events import Scope
from proactmem.errors import StoreError
from proactmem.paths import write_atomic

__all__ = [
    "CARD",
    "CARD_FORMAT",
    "CARD_MD",
    "Card",
    "LabelCount",
    "Span",
    "card_markdown",
    "read_card",
    "sha256_file",
    "write_card",
]

CARD = "card.json"
"""File name of the card in a built folder."""
CARD_MD = "card.md"
"""Its Markdown rendering, for people."""
CARD_FORMAT = 1
"""Version of the card and of the built folder's layout; another version is refused."""


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Span(_Frozen):
    """One built stream: how many events it has and from when to when."""

    stream_id: str
    events: int = Field(ge=1)
    first: str
    """Arrival time of the first event, ISO 8601 UTC (a home's wall clock stands for itself)."""
    last: str
    """Arrival time of the last event."""


class LabelCount(_Frozen):
    """The label file that was joined, counted and no more: no decision of it is told here."""

    file: str
    rows: int
    joined: int
    """Events that have a label."""
    unmatched: int
    """Label rows whose event is not in the streams."""


class Card(_Frozen):
    """What a built folder holds; no clock and no path of the machine, so that equal builds have equal cards."""

    format: int = CARD_FORMAT
    source: str
    """Name of the source in one or two words."""
    scope: Scope
    events: int
    streams: tuple[Span, ...]
    """In the order of events.parquet."""
    dropped: dict[str, int] = {}
    """Source records that gave no event, by reason; every reason that was looked for is listed, 0 included."""
    noticed: dict[str, int] = {}
    """Peculiarities that dropped nothing, counted (gaps, records out of order, times that go back)."""
    problems: tuple[str, ...] = ()
    """The first records that could not be read as they stand, each named with its file, row and field."""
    inputs: dict[str, str] = {}
    """SHA-256 of each raw file by name."""
    outputs: dict[str, str] = {}
    """SHA-256 of each built file by name."""
    options: dict[str, str | int | bool | tuple[int, ...] | tuple[str, ...] | None] = {}
    """The options of the build that change its bytes."""
    labels: LabelCount | None = None
    licence: str
    attribution: str


def sha256_file(path: Path) -> str:
    """The SHA-256 of a file's bytes in hex, read in constant memory.

    Raises:
        StoreError: The file cannot be read.
    """
    digest = hashlib.sha256()
    try:
        with path.open("rb") as file:
            while block := file.read(1 << 20):
                digest.update(block)
    except OSError as error:
        raise StoreError(
            f"{path}: cannot be read ({error.strerror or error}).", remedy="Check that the file exists and is readable."
        ) from error
    return digest.hexdigest()


def card_markdown(card: Card) -> str:
    """A card as a short Markdown page: one table of counts, one of hashes, the licence."""
    lines = [
        f"# Data card: {card.source}",
        "",
        f"Scope {card.scope}: {card.events:,} events in {len(card.streams):,} streams.",
        "",
        "| what | count |",
        "| --- | ---: |",
        *(f"| dropped: {reason.replace('_', ' ')} | {count:,} |" for reason, count in sorted(card.dropped.items())),
        *(f"| noticed: {thing.replace('_', ' ')} | {count:,} |" for thing, count in sorted(card.noticed.items())),
    ]
    if card.labels is not None:
        lines.append(f"| events with a label ({card.labels.file}) | {card.labels.joined:,} |")
        lines.append(f"| label rows without an event | {card.labels.unmatched:,} |")
    if card.options:
        options = ", ".join(f"{name} = {value!r}" for name, value in sorted(card.options.items()))
        lines += ["", f"Options: {options}."]
    if card.problems:
        lines += ["", "The first records that could not be read as they stand:", ""]
        lines += [f"- {_code(problem)}" for problem in card.problems]
    lines += ["", "| file | SHA-256 |", "| --- | --- |"]
    raw = sorted(card.inputs.items())
    lines += [f"| {_cell(name)} (raw) | `{digest}` |" for name, digest in raw[:50]]
    if len(raw) > 50:
        lines.append(f"| {len(raw) - 50:,} more raw files | listed in {CARD} |")
    lines += [f"| {name} | `{digest}` |" for name, digest in sorted(card.outputs.items())]
    lines += ["", "| stream | events | first | last |", "| --- | ---: | --- | --- |"]
    shown = card.streams[:50]
    lines += [f"| {_cell(span.stream_id)} | {span.events:,} | {span.first} | {span.last} |" for span in shown]
    if len(card.streams) > len(shown):
        lines += ["", f"{len(card.streams) - len(shown):,} more streams are listed in {CARD}."]
    lines += ["", f"Licence: {card.licence}", "", f"Attribution: {card.attribution}", ""]
    return "\n".join(lines)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _code(text: str) -> str:
    """Text of a raw file as Markdown code, whatever it holds."""
    return "`` " + text.replace("``", "` `") + " ``"


def write_card(folder: Path, card: Card) -> None:
    """Write card.json and card.md into a built folder, each atomically, with the same bytes for equal cards."""
    write_atomic(folder / CARD, card.model_dump_json(indent=2) + "\n")
    write_atomic(folder / CARD_MD, card_markdown(card))


def read_card(folder: Path) -> Card:
    """The card of a built folder.

    Raises:
        StoreError: There is none, it is damaged, or it is of another format.
    """
    path = folder / CARD
    try:
        return Card.model_validate_json(path.read_bytes())
    except OSError as error:
        raise StoreError(
            f"{path}: cannot be read ({error.strerror or error}).", remedy="Build the streams first: proactmem build."
        ) from error
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise StoreError(
            f"{path}: is not a data card of format {CARD_FORMAT} ({where or 'whole file'}: {first['msg']}).",
            remedy="Build the streams again.",
        ) from error
