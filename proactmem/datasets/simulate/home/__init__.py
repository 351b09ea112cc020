"""The Home simulator: homes' lives written as CASAS raw files, reference labels and planted truth.

A life is lived first (a rhythm a day, stays in rooms), recorded second (sensors and their faults), labelled third (from
what the segments show). Homes are streamed one by one, so that memory stays flat however many there are.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Literal

from proactmem.datasets.simulate.home.causes import SERVICES, Cause, day_causes
from proactmem.datasets.simulate.home.glances import SEGMENTS, Glance, glances
from proactmem.datasets.simulate.home.judging import Episode, judge
from proactmem.datasets.simulate.home.pairs import planted_decoys, planted_habits
from proactmem.datasets.simulate.home.residents import Resident, draw_resident
from proactmem.datasets.simulate.home.rhythms import draw_rhythm
from proactmem.datasets.simulate.home.sensors import Record, recorded, written
from proactmem.datasets.simulate.home.stays import live_day
from proactmem.datasets.simulate.home.truth import HomeEpisode, HomeTruth
from proactmem.datasets.simulate.judgement import Judgement
from proactmem.errors import ConfigError
from proactmem.paths import atomic_write

__all__ = ["LABEL_COLUMNS", "HomeSimulation", "simulate_home"]

Size = Literal["smoke", "paper"]
SIZES: dict[Size, tuple[int, int]] = {"smoke": (2, 9), "paper": (4, 14)}
"""Homes and complete days of each size."""
LABEL_COLUMNS = ("home", "window_start", "window_end", "y", "a", "b", "n", "service")


@dataclass(frozen=True, slots=True)
class HomeSimulation:
    """What was written, and how much of it."""

    raw: Path
    labels: Path
    planted: Path
    seed: int
    homes: int
    days: int
    lines: int
    """Sensor lines of all homes."""
    segments: int
    positive: int
    current_only: int
    """Positives with A and not B."""
    history_only: int
    """Positives with B and not A."""
    habits: int
    episodes: int


def simulate_home(
    out: Path,
    *,
    seed: int,
    size: Size = "smoke",
    homes: int | None = None,
    days: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> HomeSimulation:
    """Write `<home>/<home>.rawdata.txt` of seeded lives, `reference_labels.csv` and `planted.json` into `out`.

    The same seed gives the same bytes; a home depends on the seed and its number alone, and the first days of a longer
    simulation are the days of a shorter one (a recording goes on for some hours after its last complete day). Homes that an
    earlier simulation left in `out` beyond the number asked for are taken away.

    Args:
        out: Folder to write into; made when absent.
        seed: Seed of every draw.
        size: smoke is 2 homes of 9 days, paper 4 of 14.
        homes: Number of homes, instead of the size's.
        days: Complete days of each home, instead of the size's.
        progress: Called with (homes done, homes in all).

    Raises:
        ConfigError: If homes or days are below one.
    """
    count = SIZES[size][0] if homes is None else homes
    length = SIZES[size][1] if days is None else days
    for name, value in (("homes", count), ("days", length)):
        if value < 1:
            raise ConfigError(
                f"{name} is {value!r}; expected at least 1.",
                remedy=f"Give {name} a positive number, or leave it out for the size's own.",
            )
    out.mkdir(parents=True, exist_ok=True)
    total = dict.fromkeys(("lines", "positive", "current_only", "history_only", "habits", "episodes"), 0)
    labels, planted = out / "reference_labels.csv", out / "planted.json"
    planted.unlink(missing_ok=True)  # comes last: a folder that holds it holds one whole simulation
    with atomic_write(labels) as label_file, atomic_write(planted) as truth_file:
        label_file.write((",".join(LABEL_COLUMNS) + "\n").encode())
        truth_file.write(f'{{"scope": "home", "seed": {seed}, "days": {length}, "homes": [\n'.encode())
        for index in range(1, count + 1):
            who = draw_resident(seed, index)
            truth, judged, lines = _live(out, who, length)
            label_file.write("".join(_label_rows(who, judged)).encode())
            text = json.dumps(truth.model_dump(mode="json"), separators=(",", ":"))
            truth_file.write((text + ("\n" if index == count else ",\n")).encode())
            total["lines"] += lines
            total["habits"] += len(truth.habits)
            total["episodes"] += len(truth.episodes)
            for _, label in judged:
                total["positive"] += label.y
                total["current_only"] += label.y and not label.b
                total["history_only"] += label.y and not label.a
            if progress is not None:
                progress(index, count)
        truth_file.write(b"]}\n")
    _clear(out, count)
    return HomeSimulation(
        out, labels, planted, seed=seed, homes=count, days=length, segments=count * length * SEGMENTS, **total
    )


def _live(out: Path, who: Resident, days: int) -> tuple[HomeTruth, list[tuple[Glance, Judgement]], int]:
    """Live one home, write its recording, and judge its segments."""
    chains: list[tuple[int, list[Record]]] = []
    causes: list[Cause] = []
    for day in range(-1, days + 1):
        rhythm = draw_rhythm(who, day)
        stays = live_day(who, rhythm, 24.0 + draw_rhythm(who, day + 1).wake)
        chains.append((day, recorded(who, rhythm, stays)))
        causes.extend(day_causes(who, rhythm, stays))
    name = f"{who.name}/{who.name}.rawdata.txt"
    (out / who.name).mkdir(exist_ok=True)
    lines = 0
    with atomic_write(out / name) as file:
        for day, records in chains:
            for text in written(who, day, _within(day, records, days)):
                file.write(text.encode())
                lines += text.count("\n")
    seen = glances(chains, days)
    labels, episodes, slips = judge(who, seen, sorted(causes, key=lambda cause: cause.begin))
    truth = HomeTruth(
        home=who.name,
        first_date=who.first_date.isoformat(),
        days=days,
        habits=planted_habits(who, seen, days),
        decoys=planted_decoys(who),
        episodes=tuple(_told(who, number, episode, seen) for number, episode in enumerate(episodes, start=1)),
        misjudged=tuple(_start(who, seen[place]) for place in slips),
    )
    return truth, list(zip(seen, labels, strict=True)), lines


def _clear(out: Path, count: int) -> None:
    """Take away what a larger simulation left in the folder, so that no builder reads it as one of these homes."""
    for file in out.glob("sim*/sim*.rawdata.txt"):
        number = file.parent.name.removeprefix("sim")
        if file.name == f"{file.parent.name}.rawdata.txt" and number.isdigit() and int(number) > count:
            file.unlink()
            if not any(file.parent.iterdir()):
                file.parent.rmdir()


def _within(day: int, records: list[Record], days: int) -> list[Record]:
    """The records of a recording: it begins some hours before the first complete day and ends some hours after the last."""
    first, last = -4.5, days * 24 + 5.2
    return [record for record in records if first <= day * 24 + record.at <= last]


def _start(who: Resident, glance: Glance) -> str:
    minutes = glance.segment * 50
    return f"{who.date(glance.day).isoformat()} {minutes // 60:02d}:{minutes % 60:02d}"


def _end(who: Resident, glance: Glance) -> str:
    minutes = min(glance.segment * 50 + 50, 1440)
    day = who.date(glance.day) + timedelta(days=minutes // 1440)
    return f"{day.isoformat()} {minutes % 1440 // 60:02d}:{minutes % 60:02d}"


def _label_rows(who: Resident, judged: list[tuple[Glance, Judgement]]) -> Iterator[str]:
    for glance, label in judged:
        marks = (int(label.y), int(label.a), int(label.b), int(label.n), label.service if label.y else "none")
        yield ",".join(map(str, (who.name, _start(who, glance), _end(who, glance), *marks))) + "\n"


def _told(who: Resident, number: int, episode: Episode, seen: list[Glance]) -> HomeEpisode:
    last = seen[episode.valid[-1]]
    after = seen[episode.valid[-1] + 1] if episode.valid[-1] + 1 < len(seen) else None
    if after is None or after.day != last.day:
        closure = "day_ended"
    elif after.number == 0:
        closure = "away" if last.counts["OutsideDoor"] or after.counts["OutsideDoor"] else "asleep"
    else:
        closure = "ended"
    return HomeEpisode(
        id=f"{who.name}-e{number}",
        kind=episode.cause.kind,
        service=SERVICES[episode.cause.kind],
        onset=_start(who, seen[episode.onset]),
        again=tuple(_start(who, seen[place]) for place in episode.again),
        valid=tuple(_start(who, seen[place]) for place in episode.valid),
        deadline=_end(who, last),
        closure=closure,
        a=episode.a,
        b=episode.b,
    )
