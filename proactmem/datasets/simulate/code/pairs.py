"""Planted habits and decoys of a repository, with the dates on which they were seen."""

from collections.abc import Callable, Sequence
from datetime import datetime

from proactmem.datasets.simulate.code.acts import Act
from proactmem.datasets.simulate.code.projects import Project
from proactmem.datasets.simulate.truth import Decoy, Habit, Predicate, Window

__all__ = ["planted_decoys", "planted_habits"]

_ALL_DAY = Window(start="00:00", end="24:00")


def _kind(name: str) -> Predicate:
    return Predicate(path="event.github_type", op="==", value=name)


def planted_habits(project: Project, acts: Sequence[Act]) -> tuple[Habit, ...]:
    """A merge is followed by a push the same day where that happens; releases carry a tag on their day (UTC)."""
    by_day: dict[str, list[Act]] = {}
    for act in acts:
        by_day.setdefault(act.at.date().isoformat(), []).append(act)
    pairs: tuple[tuple[str, Predicate, Predicate, Callable[[Act], bool], Callable[[Act], bool]], ...] = (
        (
            "released_with_tag", _kind("CreateEvent"), _kind("ReleaseEvent"),
            lambda act: act.kind == "CreateEvent", lambda act: act.kind == "ReleaseEvent",
        ),
        (
            "closed_after_answer", _kind("IssueCommentEvent"), Predicate(path="attributes.state", op="==", value="closed"),
            lambda act: act.kind == "IssueCommentEvent" and act.actor in project.maintainers, lambda act: act.state == "closed",
        ),
    )  # fmt: skip
    found = []
    for number, (kind, trigger, behavior, triggers, follows) in enumerate(pairs, start=1):
        days = {day: _followed(listed, triggers, follows) for day, listed in by_day.items()}
        found.append(
            Habit(
                id=f"{project.repo_id}-h{number}",
                kind=kind,
                trigger=trigger,
                behavior=behavior,
                window=_ALL_DAY,
                weekdays=None,
                start_date=project.first.date().isoformat(),
                end_date=None,
                follows=None,
                kept=tuple(day for day, kept in days.items() if kept is True),
                skipped=tuple(day for day, kept in days.items() if kept is False),
                inapplicable=tuple(day for day, kept in days.items() if kept is None),
                unobservable=(),
            )
        )
    return tuple(found)


def _followed(acts: Sequence[Act], triggers: Callable[[Act], bool], follows: Callable[[Act], bool]) -> bool | None:
    """Whether the behavior came at or after the first trigger of a day; None without a trigger."""
    first: datetime | None = next((act.at for act in acts if triggers(act)), None)
    return None if first is None else any(follows(act) for act in acts if act.at >= first)


def planted_decoys(project: Project) -> tuple[Decoy, ...]:
    """Pairs that look like a regularity: stars as common without a push, pushes rarely followed by a fork."""
    return (
        Decoy(
            id=f"{project.repo_id}-d1",
            reason="common_without_trigger",
            trigger=_kind("PushEvent"),
            behavior=_kind("WatchEvent"),
            window=_ALL_DAY,
            weekdays=None,
            dates=(),
        ),
        Decoy(
            id=f"{project.repo_id}-d2",
            reason="trigger_rarely_followed",
            trigger=_kind("PushEvent"),
            behavior=_kind("ForkEvent"),
            window=_ALL_DAY,
            weekdays=None,
            dates=(),
        ),
    )
