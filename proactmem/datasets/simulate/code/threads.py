"""The threads of a repository: issues and pull requests from their opening to their end, each a life of its own."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from proactmem.datasets.simulate.chance import Chance
from proactmem.datasets.simulate.code.acts import Act, Cause
from proactmem.datasets.simulate.code.projects import Project
from proactmem.datasets.simulate.code.texts import Wording

__all__ = ["Opening", "issue_thread", "pull_thread"]


@dataclass(frozen=True, slots=True)
class Opening:
    """An issue or pull request at the moment it is opened."""

    at: datetime
    number: int
    version: str
    """The newest release."""
    released: datetime | None
    """When that was."""
    earlier: tuple[str, ...]
    """Titles of faults reported before."""


def issue_thread(project: Project, opening: Opening) -> list[Act]:
    """An issue's life; which one depends on its number and on what the repository holds by then."""
    draw = project.chance("issue", opening.number)
    words = Wording(draw, opening.version)
    fresh = opening.released is not None and opening.at - opening.released < timedelta(days=4)
    kinds = [("vague", 3.4), ("clear", 2.0), ("question", 1.3), ("wish", 1.6)]
    kinds += [("duplicate", 1.0)] if opening.earlier else []
    kinds += [("regression", 5.0)] if fresh else []
    kind = draw.weighted(kinds)
    return list(_Thread(project, draw, words, opening, pull=False).live(kind))


def pull_thread(project: Project, opening: Opening) -> list[Act]:
    """A pull request's life."""
    draw = project.chance("pull", opening.number)
    words = Wording(draw, opening.version)
    kind = draw.weighted((("reviewed", 2.8), ("waiting", 1.4), ("bot", 1.8), ("own", 1.4)))
    return list(_Thread(project, draw, words, opening, pull=True).live(kind))


class _Thread:
    """Writes the acts of one thread in order; knows who acts when."""

    def __init__(self, project: Project, draw: Chance, words: Wording, opening: Opening, *, pull: bool) -> None:
        self.project, self.draw, self.words, self.opening, self.pull = project, draw, words, opening, pull
        self.at = opening.at
        self.title = words.fault
        self.author = draw.pick(project.contributors)
        self.keeper = draw.pick(project.maintainers)
        self.comments = 0
        self.labels: tuple[str, ...] = ()

    def live(self, kind: str) -> Iterator[Act]:
        lives = {
            "vague": self._vague, "clear": self._clear, "question": self._question, "wish": self._wish,
            "duplicate": self._duplicate, "regression": self._regression,
            "reviewed": self._reviewed, "waiting": self._waiting, "bot": self._bot, "own": self._own,
        }  # fmt: skip
        yield from lives[kind]()

    # -- how acts follow each other

    def _later(self, low: float, high: float, *, keeper: bool = False) -> None:
        """Time passes, in hours; maintainers act by day in their zone and rarely on weekends."""
        self.at += timedelta(hours=self.draw.uniform(low, high) * (self.project.attentive if keeper else 1.0))
        if keeper:
            local = self.at + timedelta(hours=self.project.zone)
            if not 8 <= local.hour < 21:
                self.at += timedelta(hours=(8 - local.hour) % 24 + self.draw.uniform(0.0, 3.0))
            if (self.at + timedelta(hours=self.project.zone)).weekday() >= 5 and self.draw.flip(0.7):
                self.at += timedelta(days=2)

    def _act(self, kind: str, actor: str, **more: object) -> Act:
        known = {
            "number": self.opening.number, "pull": self.pull, "title": self.title, "author": self.author,
            "labels": self.labels, "comments": self.comments,
        }  # fmt: skip
        return Act(self.at.replace(microsecond=0), kind, actor, **(known | more))  # type: ignore[arg-type]

    def _open(self, body: str, cause: Cause | None = None) -> Act:
        return self._act(
            "PullRequestEvent" if self.pull else "IssuesEvent", self.author, action="opened", body=body, cause=cause
        )

    def _ready(self) -> Cause | None:
        """A change that waits for somebody; every other one is a draft, or a maintainer has said that they look at it."""
        ready = self.draw.flip(0.55)
        if not ready:
            self.title = f"Draft: {self.title}"
        return Cause("review_needed", a=True, b=False) if ready else None

    def _says(self, actor: str, text: str, cause: Cause | None = None, *, ends: str = "") -> Act:
        self.comments += 1
        return self._act("IssueCommentEvent", actor, action="created", body=text, cause=cause, ends=ends)

    def _close(self, actor: str, ends: str = "closed", *, merged: bool = False) -> Act:
        kind = "PullRequestEvent" if self.pull else "IssuesEvent"
        return self._act(kind, actor, action="closed", state="closed", merged=merged, ends=ends)

    def _chatter(self) -> Iterator[Act]:
        """Comments that ask for nothing one could do."""
        if self.draw.flip(0.35):
            self._later(5, 60)
            yield self._says(self.draw.pick(self.project.contributors), self.words.me_too)

    def _fixed(self) -> Iterator[Act]:
        self._later(20, 150, keeper=True)
        yield self._says(self.keeper, "Fixed on main, will be in the next release.", ends="answered")
        self._later(0.02, 0.2)
        yield self._close(self.keeper)

    # -- the lives of issues

    def _vague(self) -> Iterator[Act]:
        yield self._open(self.words.vague)
        self._later(2, 40, keeper=True)
        yield self._says(self.keeper, self.words.ask)
        yield from self._chatter()
        if self.draw.flip(0.4):
            self._later(10, 60)
            yield self._says(self.author, self.words.unable)
        if self.draw.flip(0.8):
            self._later(20, 150)
            yield self._says(self.author, self.words.steps, Cause("details_arrived", a=False, b=True))
            yield from self._chatter()
            yield from self._fixed()
        else:
            self._later(24 * 14, 24 * 21)
            yield self._says("stale[bot]", "This issue has been inactive for two weeks and will be closed.")
            self._later(24 * 7, 24 * 8)
            yield self._act("IssuesEvent", "stale[bot]", action="closed", state="closed", ends="stale")

    def _clear(self) -> Iterator[Act]:
        yield self._open(self.words.steps, Cause("clear_report", a=True, b=False))
        yield from self._chatter()
        self._later(4, 60, keeper=True)
        self.labels = ("bug",)
        yield self._act("IssuesEvent", self.keeper, action="labeled", extra={"label": "bug"}, ends="answered")
        yield from self._fixed()

    def _question(self) -> Iterator[Act]:
        self.title = self.words.question
        yield self._open(f"I looked through the docs. {self.title}")
        self._later(3, 50, keeper=True)
        yield self._says(self.keeper, self.words.answer)
        if self.draw.flip(0.75):
            self._later(2, 70)
            yield self._says(self.author, self.words.solved, Cause("question_solved", a=False, b=True))
            self._later(30, 200, keeper=True)
            yield self._close(self.keeper)

    def _wish(self) -> Iterator[Act]:
        self.title = self.words.wish
        yield self._open("It would help us a lot, but there is no hurry.")
        yield from self._chatter()
        self._later(10, 90, keeper=True)
        self.labels = ("enhancement",)
        yield self._act("IssuesEvent", self.keeper, action="labeled", extra={"label": "enhancement"})

    def _duplicate(self) -> Iterator[Act]:
        self.title = (
            f"{self.draw.pick(self.opening.earlier)}{self.draw.pick((' (again)', ' on the newest version', ' still happens'))}"
        )
        yield self._open(self.words.vague, Cause("duplicate", a=False, b=True))
        self._later(8, 90, keeper=True)
        yield self._says(self.keeper, "Duplicate of an earlier report, let us continue there.", ends="answered")
        self._later(0.02, 0.3)
        yield self._close(self.keeper)

    def _regression(self) -> Iterator[Act]:
        self.title = f"{self.words.fault} since {self.opening.version}"
        yield self._open(self.words.regression(self.opening.version), Cause("regression", a=True, b=True))
        yield from self._chatter()
        yield from self._fixed()

    # -- the lives of pull requests

    def _reviewed(self) -> Iterator[Act]:
        yield self._open(f"Fixes the {self.title[0].lower()}{self.title[1:]}.", self._ready())
        self._later(6, 70, keeper=True)
        yield self._act(
            "PullRequestReviewEvent", self.keeper, action="created", body=self.words.review, review_state="changes_requested",
            ends="answered",
        )  # fmt: skip
        self._later(0.01, 0.05)
        yield self._act("PullRequestReviewCommentEvent", self.keeper, action="created", body=self.words.review)
        self._later(10, 110)
        yield self._says(self.author, self.words.addressed, Cause("review_answered", a=False, b=True))
        self._later(20, 120, keeper=True)
        yield self._act(
            "PullRequestReviewEvent", self.keeper, action="created", body="", review_state="approved", ends="answered"
        )
        self._later(0.05, 4)
        yield self._close(self.keeper, "merged", merged=True)

    def _waiting(self) -> Iterator[Act]:
        yield self._open("A small step towards the open points in the tracker.", self._ready())
        self._later(24 * 6, 24 * 12)
        yield self._says(self.author, self.words.ping, Cause("stale_review", a=False, b=True))
        self._later(30, 150, keeper=True)
        yield self._says(self.keeper, self.words.thanks, ends="answered")
        self._later(0.05, 3)
        yield self._close(self.keeper, "merged", merged=True)

    def _bot(self) -> Iterator[Act]:
        self.author, self.title = (
            "dependabot[bot]",
            f"Bump {self.draw.pick(('esbuild', 'vitest', 'typescript', 'eslint'))} to the newest version",
        )
        yield self._open("Bumps a development dependency.")
        self._later(4, 90, keeper=True)
        yield self._close(self.keeper, "merged", merged=True)

    def _own(self) -> Iterator[Act]:
        self.author, self.title = self.keeper, self.words.commit
        yield self._open("Housekeeping.")
        self._later(0.5, 20, keeper=True)
        yield self._close(self.keeper, "merged", merged=True)
