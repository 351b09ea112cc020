"""The Sports simulator: participants' lives written as HeartSteps raw files, labels and planted truth.

A life is lived first, observed second and labelled third; participants are streamed one by one, so that memory stays
flat however many there are.
"""

import csv
import json
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal, TextIO

from proactmem.datasets.simulate.chance import Chance
from proactmem.datasets.simulate.columns import COLUMNS, Stamp, cells
from proactmem.datasets.simulate.lives import Life, live
from proactmem.datasets.simulate.people import Person, draw_person
from proactmem.datasets.simulate.truth import PersonTruth
from proactmem.errors import ConfigError

__all__ = ["LABEL_COLUMNS", "SportsSimulation", "simulate_sports"]

Size = Literal["smoke", "paper"]
SIZES: dict[Size, tuple[int, int]] = {"smoke": (3, 28), "paper": (9, 41)}
"""Participants and days of each size; the paper's lives are as long as it takes to reach its events."""
PAPER_EVENTS = 1456
"""Connected decision points of the nine participants of the paper's size (Table 1)."""
_LONGEST = 120
"""Most days of a life that is to reach a number of events."""
LABEL_COLUMNS = ("participant", "decision_index", "y", "a", "b", "n", "service")


@dataclass(frozen=True, slots=True)
class SportsSimulation:
    """What was written, and how much of it."""

    suggestions: Path
    labels: Path
    planted: Path
    seed: int
    participants: int
    days: int
    rows: int
    connected: int
    available: int
    positive: int
    current_only: int
    """Positives with A and not B."""
    history_only: int
    """Positives with B and not A."""
    habits: int
    episodes: int


def simulate_sports(
    out: Path,
    *,
    seed: int,
    size: Size = "smoke",
    participants: int | None = None,
    days: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> SportsSimulation:
    """Write ``suggestions.csv``, ``reference_labels.csv`` and ``planted.json`` of seeded lives into ``out``.

    The same seed gives the same bytes; a participant depends on the seed and the participant's number alone, and the
    first days of a longer simulation are the days of a shorter one.

    Args:
        out: Folder to write into; made when absent.
        seed: Seed of every draw.
        size: ``smoke`` is 3 participants of 28 days, ``paper`` 9 with 1,456 connected decision points in all.
        participants: Number of participants, instead of the size's.
        days: Days of each participant, instead of the size's; with participants or days given, the number of events follows.
        progress: Called with (participants done, participants in all).

    Raises:
        ConfigError: If participants or days are below one.
    """
    count = SIZES[size][0] if participants is None else participants
    length = SIZES[size][1] if days is None else days
    for name, value in (("participants", count), ("days", length)):
        if value < 1:
            message = f"{name} is {value!r}; expected at least 1."
            raise ConfigError(message, remedy=f"Give {name} a positive number, or leave it out for the size's own.")
    shares = _shares(seed, count) if size == "paper" and participants is None and days is None else None
    out.mkdir(parents=True, exist_ok=True)
    paths = (out / "suggestions.csv", out / "reference_labels.csv", out / "planted.json")
    total = dict.fromkeys(
        ("rows", "connected", "available", "positive", "current_only", "history_only", "habits", "episodes"), 0
    )
    with ExitStack() as stack:
        raw, labels, planted = (stack.enter_context(_replacing(path)) for path in paths)
        raw_rows, label_rows = csv.writer(raw, lineterminator="\n"), csv.writer(labels, lineterminator="\n")
        raw_rows.writerow(COLUMNS)
        label_rows.writerow(LABEL_COLUMNS)
        planted.write(json.dumps({"scope": "sports", "seed": seed, "days": length})[:-1] + ', "participants": [\n')
        for index in range(1, count + 1):
            person = draw_person(seed, index)
            life = live(seed, person, length) if shares is None else _reaching(seed, person, shares[index - 1])
            raw_rows.writerows(_raw_rows(person, life))
            label_rows.writerows(_label_rows(life))
            _write_truth(planted, life.truth, last=index == count)
            _count(total, life)
            if progress is not None:
                progress(index, count)
        planted.write("]}\n")
    return SportsSimulation(paths[0], paths[1], paths[2], seed=seed, participants=count, days=length, **total)


def _shares(seed: int, count: int) -> list[int]:
    """How many connected decision points each of the paper's participants has."""
    draw = Chance(seed, "shares")
    weights = [draw.uniform(0.8, 1.2) for _ in range(count)]
    ends = [round(PAPER_EVENTS * sum(weights[:number]) / sum(weights)) for number in range(count + 1)]
    return [end - start for start, end in pairwise(ends)]


def _reaching(seed: int, person: Person, events: int) -> Life:
    """A life that ends with its ``events``-th connected decision point; a longer one begins with it."""
    places: list[int] = []
    for days in range(events // 5, _LONGEST, 12):
        places = [place for place, moment in enumerate(live(seed, person, days).moments) if moment.sight.connected]
        if len(places) >= events:
            break
    last = places[min(events, len(places)) - 1]
    life = live(seed, person, (last + 5) // 5)
    if len(life.moments) <= last:
        life = live(seed, person, (last + 5) // 5 + 1)  # a first day may hold less than five decision points
    kept = life.moments[: last + 1]
    final = kept[-1].sight.index
    cut = tuple(
        episode.model_copy(update={"valid": valid, "deadline": valid[-1]})
        for episode in life.truth.episodes
        if (valid := tuple(place for place in episode.valid if place <= final))
    )
    misjudged = tuple(place for place in life.truth.misjudged if place <= final)
    return Life(kept, life.truth.model_copy(update={"episodes": cut, "misjudged": misjudged}))


@contextmanager
def _replacing(path: Path) -> Iterator[TextIO]:
    """A text file that takes the place of ``path`` only when everything was written."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    temporary = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
            yield file
        temporary.chmod(0o644)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def _raw_rows(person: Person, life: Life) -> Iterator[list[str]]:
    travelled = 0
    for moment in life.moments:
        away = person.trip is not None and person.trip.marked and person.away(moment.sight.day)
        travelled += away
        nogap = None if away else moment.sight.index - travelled
        yield cells(person, moment.sight, moment.treatment, Stamp(nogap, moment.late))


def _label_rows(life: Life) -> Iterator[list[Any]]:
    for moment in life.moments:
        label = moment.label
        if label is not None:
            marks = (int(label.y), int(label.a), int(label.b), int(label.n))
            yield [moment.sight.participant, moment.sight.index, *marks, label.service or "none"]


def _write_truth(file: TextIO, truth: PersonTruth, *, last: bool) -> None:
    text = json.dumps(truth.model_dump(mode="json"), ensure_ascii=False, separators=(",", ":"))
    file.write(text + ("\n" if last else ",\n"))


def _count(total: dict[str, int], life: Life) -> None:
    total["habits"] += len(life.truth.habits)
    total["episodes"] += len(life.truth.episodes)
    for moment in life.moments:
        label = moment.label
        total["rows"] += 1
        total["connected"] += moment.sight.connected
        total["available"] += moment.sight.available
        if label is not None and label.y:
            total["positive"] += 1
            total["current_only"] += not label.b
            total["history_only"] += not label.a
