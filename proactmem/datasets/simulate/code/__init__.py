"""The Code simulator: repositories' lives written as GH Archive hours, reference labels and planted truth.

A life is lived first (threads, pushes, releases), written in GitHub's form second (both eras, the archive's own faults),
labelled third. Repositories are streamed in small groups whose lines are appended to the hours as gzip members, so that
memory stays flat however many there are.
"""

import gzip
import json
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import islice, takewhile
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

from proactmem.datasets.simulate.chance import Chance
from proactmem.datasets.simulate.code.acts import SERVICES, Act
from proactmem.datasets.simulate.code.judging import Episode, judge
from proactmem.datasets.simulate.code.life import live_repository
from proactmem.datasets.simulate.code.native import TRIMMED, native_line
from proactmem.datasets.simulate.code.pairs import planted_decoys, planted_habits
from proactmem.datasets.simulate.code.projects import Project, draw_project
from proactmem.datasets.simulate.code.truth import CodeEpisode, RepositoryTruth
from proactmem.datasets.simulate.judgement import Judgement
from proactmem.errors import ConfigError
from proactmem.paths import atomic_write, write_atomic

__all__ = ["LABEL_COLUMNS", "CodeSimulation", "simulate_code"]

Size = Literal["smoke", "paper"]
PAPER_EVENTS = 1459
"""Events of the four repositories of the paper's size (Table 1)."""
SMOKE_EVENTS = (76, 68)
LABEL_COLUMNS = ("stream_id", "event_id", "y", "a", "b", "n", "service")
_GROUP = 16
"""Repositories whose lines are held at once."""


@dataclass(frozen=True, slots=True)
class CodeSimulation:
    """What was written, and how much of it."""

    raw: Path
    labels: Path
    planted: Path
    seed: int
    repositories: tuple[str, ...]
    """owner/name of each, the newest one."""
    days: int | None
    """Days of each where they were asked for; else the number of events decides."""
    events: int
    positive: int
    current_only: int
    """Positives with A and not B."""
    history_only: int
    """Positives with B and not A."""
    habits: int
    episodes: int


@dataclass(frozen=True, slots=True)
class _Told:
    """An act and the ids it goes by: GitHub's, and the one its event is built under."""

    act: Act
    identity: str
    event_id: str


def simulate_code(
    out: Path,
    *,
    seed: int,
    size: Size = "smoke",
    repositories: int | None = None,
    days: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> CodeSimulation:
    """Write GH Archive hours of seeded lives, `repositories.txt`, `reference_labels.csv` and `planted.json` into `out`.

    The same seed gives the same bytes; a repository depends on the seed and its number alone. Hours in which nothing happens
    are not written. Archive hours that an earlier simulation left in `out` are replaced.

    Args:
        out: Folder to write into; made when absent.
        seed: Seed of every draw.
        size: smoke is 2 repositories of 76 and 68 events, paper 4 of 1,459 in all.
        repositories: Number of repositories, instead of the size's.
        days: Days of each repository; the number of events follows from its rates then.
        progress: Called with (repositories done, repositories in all).

    Raises:
        ConfigError: If repositories or days are below one.
    """
    for name, value in (("repositories", repositories), ("days", days)):
        if value is not None and value < 1:
            raise ConfigError(
                f"{name} is {value!r}; expected at least 1.",
                remedy=f"Give {name} a positive number, or leave it out for the size's own.",
            )
    shares = _shares(seed, size, repositories)
    out.mkdir(parents=True, exist_ok=True)
    names: list[str] = []
    total = dict.fromkeys(("events", "positive", "current_only", "history_only", "habits", "episodes"), 0)
    labels, planted = out / "reference_labels.csv", out / "planted.json"
    with TemporaryDirectory(prefix=".hours.", dir=out) as staged, atomic_write(labels) as rows, atomic_write(planted) as truths:
        rows.write((",".join(LABEL_COLUMNS) + "\n").encode())
        truths.write(f'{{"scope": "code", "seed": {seed}, "days": {json.dumps(days)}, "repositories": [\n'.encode())
        hours: dict[str, list[str]] = {}
        for index, share in enumerate(shares, start=1):
            project = draw_project(seed, index)
            told = _live(project, share, days)
            judged, episodes, slips = judge(project, [one.act for one in told])
            for hour, line in _lines(project, told):
                hours.setdefault(hour, []).append(line)
            if index % _GROUP == 0 or index == len(shares):
                _append(Path(staged), hours)
                hours.clear()
            rows.write("".join(_label_rows(project, told, judged)).encode())
            truth = _truth(project, told, episodes, slips)
            text = json.dumps(truth.model_dump(mode="json"), separators=(",", ":"))
            truths.write((text + (",\n" if index < len(shares) else "\n")).encode())
            names.append(truth.name)
            total["events"] += len(told)
            total["habits"] += len(truth.habits)
            total["episodes"] += len(truth.episodes)
            for label in judged:
                total["positive"] += label.y
                total["current_only"] += label.y and not label.b
                total["history_only"] += label.y and not label.a
            if progress is not None:
                progress(index, len(shares))
        truths.write(b"]}\n")
        planted.unlink(missing_ok=True)  # comes last: a folder that holds it holds one whole simulation
        for old in out.glob("????-??-??-*.json.gz"):
            old.unlink()
        for file in sorted(Path(staged).iterdir()):
            shutil.move(file, out / file.name)
    write_atomic(out / "repositories.txt", "".join(f"{name}\n" for name in names))
    return CodeSimulation(out, labels, planted, seed=seed, repositories=tuple(names), days=days, **total)


def _shares(seed: int, size: Size, repositories: int | None) -> list[int]:
    """How many events each repository has."""
    if repositories is None and size == "smoke":
        return list(SMOKE_EVENTS)
    draw = Chance(seed, "code", "shares")
    if repositories is None:
        first = [PAPER_EVENTS // 4 + draw.between(-20, 20) for _ in range(3)]
        return [*first, PAPER_EVENTS - sum(first)]
    usual = PAPER_EVENTS // 4 if size == "paper" else SMOKE_EVENTS[0]
    return [usual] * repositories


def _live(project: Project, share: int, days: int | None) -> list[_Told]:
    """A repository's acts with their ids, as many as asked for; ids restart with the second era, and one comes twice."""
    acts = live_repository(project)
    end = None if days is None else project.first + timedelta(days=days)
    taken = list(islice(acts, share) if end is None else takewhile(lambda act: act.at < end, acts))
    draw = project.chance("ids")
    told: list[_Told] = []
    used: set[str] = set()
    for place, act in enumerate(taken):
        seconds = int((act.at - project.first).total_seconds())
        base = 50_000_000_000 if act.at < TRIMMED else 4_000_000_000
        number = base + seconds * 500 + draw.between(0, 60_000)
        while str(number) in used:
            number += 1
        identity = str(number)
        event_id = f"ghe_{identity}"
        if place > 20 and act.kind == "WatchEvent" and not any("@" in one.event_id for one in told):
            identity = told[3].identity  # an id of another era, met again
            event_id = f"ghe_{identity}@{act.kind}@{act.at:%Y-%m-%dT%H:%M:%SZ}"
        used.add(identity)
        if act.kind == "ForkEvent" and draw.flip(0.2):
            act = replace(act, actor="")
        told.append(_Told(act, identity, event_id))
    return sorted(told, key=lambda one: (one.act.at, one.event_id))


def _lines(project: Project, told: Sequence[_Told]) -> Iterator[tuple[str, str]]:
    """Lines with the hour they stand in: not quite in order, now and then doubled, among those of others."""
    draw = project.chance("lines")
    for one in told:
        hour = f"{one.act.at:%Y-%m-%d}-{one.act.at.hour}"
        line = native_line(project, one.act, one.identity)
        yield hour, line
        if draw.flip(0.006):
            yield hour, line
        if draw.flip(0.3):
            other = replace(one.act, kind="WatchEvent", action="started", actor=f"visitor-{draw.between(1, 9999)}")
            foreign = draw_project(project.seed, 10**6 + draw.between(1, 500))
            yield hour, native_line(foreign, other, str(int(one.identity) + 7))


def _append(folder: Path, hours: dict[str, list[str]]) -> None:
    for hour, lines in hours.items():
        swapped = [*lines[1::2], *lines[0::2]] if len(lines) > 2 else lines  # the archive is not in order within an hour
        with (folder / f"{hour}.json.gz").open("ab") as file:
            file.write(gzip.compress(("\n".join(swapped) + "\n").encode(), mtime=0))


def _label_rows(project: Project, told: Sequence[_Told], judged: Sequence[Judgement]) -> Iterator[str]:
    for one, label in zip(told, judged, strict=True):
        marks = (int(label.y), int(label.a), int(label.b), int(label.n), label.service if label.y else "none")
        yield ",".join(map(str, (f"github_repo_{project.repo_id}", one.event_id, *marks))) + "\n"


def _truth(project: Project, told: Sequence[_Told], episodes: Sequence[Episode], slips: Sequence[int]) -> RepositoryTruth:
    acts = [one.act for one in told]
    names = list(dict.fromkeys(project.name_at(act.at) for act in acts)) or [project.name]
    return RepositoryTruth(
        repo_id=project.repo_id,
        name=names[-1],
        earlier_name=names[0] if len(names) > 1 else None,
        first_date=project.first.date().isoformat(),
        days=(acts[-1].at - project.first).days + 1 if acts else 0,
        habits=planted_habits(project, acts),
        decoys=planted_decoys(project),
        episodes=tuple(_told(project, number, episode, told) for number, episode in enumerate(episodes, start=1)),
        misjudged=tuple(told[place].event_id for place in slips),
    )


def _told(project: Project, number: int, episode: Episode, told: Sequence[_Told]) -> CodeEpisode:
    act = told[episode.onset].act
    cause = act.cause
    assert cause is not None
    thing = "main" if act.number is None else f"{'pull request' if act.pull else 'issue'} {act.number}"
    return CodeEpisode(
        id=f"{project.repo_id}-e{number}",
        kind=cause.kind,
        service=SERVICES[cause.kind],
        object=thing,
        onset=told[episode.onset].event_id,
        valid=tuple(told[place].event_id for place in episode.valid),
        deadline=episode.deadline.isoformat().replace("+00:00", "Z"),
        closure=episode.closure,
        a=cause.a,
        b=cause.b,
    )
