"""Votes: one annotator's judgements of A, B and N, event by event, in a file of their own (Equation 9, Appendix A.2).

A vote file only grows: a line is written and synced before the next event is shown, a revised vote is a further line with its
reason, and the last line of an event counts. A line that was cut off when a machine stopped is taken away at the next vote.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from proactmem.core.labels import breaks_equation_9
from proactmem.errors import ConfigError, InputError
from proactmem.paths import storage_error, write_atomic

__all__ = ["Item", "Vote", "append_vote", "bind", "read_history", "read_votes", "vote_file"]

_EVENTS = "events.sha256"
Item = tuple[str, str]
"""An event to be judged: stream id and event id."""


class Vote(BaseModel):
    """One judgement of one event; y follows from A, B and N where they are known (Equation 9)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    stream_id: str = Field(min_length=1)
    event_id: str = Field(min_length=1)
    y: bool | None = None
    """Intervene or abstain; None is a vote that is missing, never a default."""
    a: bool | None = None
    """The event alone supports a concrete, timely, feasible, low-risk service."""
    b: bool | None = None
    """Earlier events of the stream support it."""
    n: bool | None = None
    """First reliable actionable window of its episode."""
    service: str | None = None
    note: str = ""
    """Why; for the cross-review."""
    step: Literal["label", "review"] = "label"
    """A first judgement, or a revision after cross-review."""
    by: str = "person"
    """Who judged: a person, or the backbone and model that did; labels that come of it say so."""
    left_out: int = 0
    """Earliest events of the history that a model was not shown."""

    @model_validator(mode="after")
    def _equation_9(self) -> Self:
        if self.y is not None and breaks_equation_9(self.y, self.a, self.b, self.n):
            raise ValueError("y must equal (a or b) and n (Equation 9)")
        if self.step == "review" and not self.note.strip():
            raise ValueError("a revised vote needs a note that says why")
        return self

    @property
    def item(self) -> Item:
        """The event that is judged."""
        return self.stream_id, self.event_id

    @classmethod
    def of(
        cls, item: Item, *, a: bool, b: bool, n: bool, service: str | None = None, note: str = "", review: bool = False
    ) -> Self:
        """A vote by its A, B and N.

        >>> Vote.of(("s", "e"), a=False, b=True, n=True, service="walk").y
        True
        """
        y = (a or b) and n
        return cls(
            stream_id=item[0], event_id=item[1], y=y, a=a, b=b, n=n, service=service if y else None, note=note,
            step="review" if review else "label",
        )  # fmt: skip


def bind(folder: Path, events_sha256: str) -> None:
    """Tie a folder of votes to the events that they judge; the first vote does, and every later session checks it.

    Raises:
        ConfigError: The folder holds votes on other events.
        StoreError: The folder cannot be written.
    """
    file = folder / _EVENTS
    if file.is_file():
        known = file.read_text(encoding="utf-8").strip()
        if known != events_sha256:
            raise ConfigError(
                f"{folder}: holds votes on other events, of SHA-256 {known}; expected {events_sha256}.",
                remedy="Give the votes on these events a folder of their own.",
            )
        return
    write_atomic(file, events_sha256 + "\n")


def vote_file(folder: Path, annotator: str) -> Path:
    """An annotator's file; annotators are known by a pseudonym of letters, digits, `-` and `_`.

    Raises:
        InputError: It is no pseudonym.
    """
    if not annotator or not all(sign.isascii() and (sign.isalnum() or sign in "-_") for sign in annotator):
        raise InputError(
            "is no pseudonym", field="annotator", found=annotator, expected="letters, digits, - and _",
            remedy="Choose a short name that is not a person's.",
        )  # fmt: skip
    return folder / f"{annotator}.votes.jsonl"


def read_history(file: Path) -> list[Vote]:
    """Every line of a vote file in order, revisions included; a cut-off last line is left out.

    Raises:
        InputError: A line is no vote.
    """
    if not file.is_file():
        return []
    found = []
    lines = file.read_bytes().split(b"\n")
    for row, line in enumerate(lines[:-1], start=1):
        try:
            found.append(Vote.model_validate_json(line))
        except ValidationError as error:
            raise InputError(
                "is no vote", file=file, row=row, found=error.errors()[0]["msg"],
                expected="stream_id, event_id, y, a, b, n, service",
                remedy="Correct or remove the line.",
            ) from error  # fmt: skip
    return found


def read_votes(file: Path) -> Mapping[Item, Vote]:
    """The votes that count, by event: the last line of each.

    Raises:
        InputError: A line is no vote.
    """
    return {vote.item: vote for vote in read_history(file)}


def append_vote(file: Path, vote: Vote) -> None:
    """Add a vote, on disk before this returns.

    Raises:
        StoreError: The file cannot be written.
    """
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("a+b") as opened:
            if opened.tell():
                opened.seek(-1, os.SEEK_END)
                if opened.read(1) != b"\n":
                    opened.seek(0)
                    opened.truncate(opened.read().rfind(b"\n") + 1)
            opened.write(vote.model_dump_json().encode() + b"\n")
            opened.flush()
            os.fsync(opened.fileno())
    except OSError as error:
        raise storage_error(file, error) from error
