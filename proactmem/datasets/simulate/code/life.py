"""A repository's life: threads open, people push, releases come in their rhythm, builds break, others watch."""

import heapq
from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import count

from proactmem.datasets.simulate.code.acts import Act, Cause
from proactmem.datasets.simulate.code.projects import Project
from proactmem.datasets.simulate.code.texts import Wording
from proactmem.datasets.simulate.code.threads import Opening, issue_thread, pull_thread

__all__ = ["live_repository"]

_LATE = 1.5
"""A release is overdue after so many times its usual interval."""


def live_repository(project: Project) -> Iterator[Act]:
    """The acts of a life in order of time, for ever; what is taken first does not depend on how much is taken."""
    waiting: list[tuple[datetime, int, Act]] = []
    order = count()
    state = _State(project)
    for day in count():
        for act in state.day(day):
            heapq.heappush(waiting, (act.at, next(order), act))
        border = project.first + timedelta(days=day + 1)
        while waiting and waiting[0][0] < border:
            yield heapq.heappop(waiting)[2]


class _State:
    """What a repository holds by the day that is lived."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.number = 0
        self.minor = project.chance("version").between(1, 9)
        self.released: datetime | None = None
        self.next_release = project.release_every
        self.overdue_told = False
        self.earlier: list[str] = []
        self.broken = 0

    @property
    def version(self) -> str:
        return f"v1.{self.minor}.0"

    def day(self, day: int) -> Iterator[Act]:
        """Everything that begins on a day; its threads go on for weeks."""
        draw = self.project.chance("day", day)
        midnight = self.project.first + timedelta(days=day)
        weekend = midnight.weekday() >= 5
        for rate, thread in ((self.project.issues, issue_thread), (self.project.pulls, pull_thread)):
            for _ in range(2):
                if not draw.flip(rate * (0.5 if weekend else 1.2)):
                    continue
                self.number += 1
                at = midnight + timedelta(hours=draw.uniform(5, 23))
                acts = thread(self.project, Opening(at, self.number, self.version, self.released, tuple(self.earlier[-8:])))
                if acts[0].kind == "IssuesEvent" and acts[0].cause is not None and acts[0].cause.kind != "duplicate":
                    self.earlier.append(acts[0].title)
                yield from acts
        yield from self._pushes(day, midnight, weekend=weekend)
        yield from self._releases(day, midnight)
        yield from self._builds(day, midnight)
        for _ in range(2):
            if draw.flip(self.project.stars):
                yield Act(
                    midnight + timedelta(seconds=draw.between(0, 86_399)),
                    "WatchEvent",
                    f"visitor-{draw.between(1, 9999)}",
                    "started",
                )
        if draw.flip(self.project.stars / 4):
            actor = draw.pick(self.project.contributors)
            at = midnight + timedelta(seconds=draw.between(0, 86_399))
            yield Act(at, "ForkEvent", actor, extra={"fork": f"{actor}/{self.project.thing}"})

    def _pushes(self, day: int, midnight: datetime, *, weekend: bool) -> Iterator[Act]:
        draw = self.project.chance("pushes", day)
        for _ in range(2):
            if not draw.flip(self.project.pushes * (0.3 if weekend else 1.0)):
                continue
            at = midnight + timedelta(hours=(draw.uniform(9, 20) - self.project.zone) % 24)
            words = Wording(draw, self.version)
            overdue = day - self.next_release > (_LATE - 1) * self.project.release_every and not self.overdue_told
            self.overdue_told |= overdue
            cause = Cause("release_due", a=False, b=True) if overdue else None
            commits = tuple(words.commit for _ in range(draw.between(1, 4)))
            yield Act(
                at.replace(microsecond=0),
                "PushEvent",
                draw.pick(self.project.maintainers),
                ref="refs/heads/main",
                commits=commits,
                cause=cause,
            )

    def _releases(self, day: int, midnight: datetime) -> Iterator[Act]:
        draw = self.project.chance("release", day)
        late = day >= self.next_release
        if not late or not draw.flip(0.25 if self.overdue_told or day - self.next_release < 4 else 0.06):
            return
        self.minor += 1
        at = (midnight + timedelta(hours=(draw.uniform(9, 18) - self.project.zone) % 24)).replace(microsecond=0)
        keeper = draw.pick(self.project.maintainers)
        yield Act(at, "CreateEvent", keeper, ref=self.version, ref_type="tag")
        notes = "Fixes and small improvements; thanks to everybody who reported."
        yield Act(
            at + timedelta(seconds=40),
            "ReleaseEvent",
            keeper,
            "published",
            ref=self.version,
            title=self.version,
            body=notes,
            ends="released",
        )
        self.released, self.next_release, self.overdue_told = at, day + self.project.release_every, False

    def _builds(self, day: int, midnight: datetime) -> Iterator[Act]:
        """The nightly build reports on a standing issue; a second failure in a row is no accident any more."""
        draw = self.project.chance("build", day)
        fails = draw.flip(0.55 if self.broken else 0.05)
        self.broken = self.broken + 1 if fails else 0
        if not fails:
            return
        at = midnight + timedelta(hours=3, seconds=draw.between(0, 1_200))
        yield Act(
            at, "CommitCommentEvent", "github-actions[bot]", body=f"Nightly build failed on main ({self.broken} in a row).",
            cause=Cause("build_broken", a=False, b=True) if self.broken == 2 else None, extra={"commit": f"{day:07x}"},
        )  # fmt: skip
