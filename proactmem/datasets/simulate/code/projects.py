"""A project: its repository, the people around it and their rhythm, drawn once."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from proactmem.datasets.simulate.chance import Chance

__all__ = ["Project", "draw_project"]

_OWNERS = ("northlight", "tidepool", "openkiln", "fernlabs", "copperbird", "lanternworks", "quietriver", "saltmarsh")
_THINGS = ("pager", "parser", "scheduler", "tablekit", "router", "cachebox", "markdown", "gridview", "queue", "imagekit")
_SUFFIX = ("", "-core", "-js", "-view", "-cli", "2")
_FIRST = (
    "ada",
    "bo",
    "chen",
    "dara",
    "eli",
    "faye",
    "goran",
    "hana",
    "ivo",
    "june",
    "kofi",
    "lena",
    "milo",
    "nora",
    "omar",
    "pia",
)
_LAST = ("k", "dev", "writes", "codes", "41", "lab", "bee", "north", "x", "rs")


@dataclass(frozen=True, slots=True)
class Project:
    """Traits of a repository's life; rates are a day."""

    seed: int
    index: int
    """1-based number of the repository."""
    repo_id: int
    owner: str
    thing: str
    earlier: str | None
    """Its name before a rename, without the owner."""
    renamed_day: int
    first: datetime
    """Midnight, UTC, of its first day."""
    maintainers: tuple[str, ...]
    contributors: tuple[str, ...]
    zone: int
    """Hours that the maintainers are east of UTC."""
    issues: float
    pulls: float
    pushes: float
    stars: float
    release_every: int
    """Usual days between releases."""
    attentive: float
    """How soon maintainers answer: 1 is usual, more is slower."""

    @property
    def name(self) -> str:
        """owner/name, the newest one."""
        return f"{self.owner}/{self.thing}"

    def name_at(self, moment: datetime) -> str:
        """owner/name as it was then."""
        if self.earlier is not None and moment < self.first + timedelta(days=self.renamed_day):
            return f"{self.owner}/{self.earlier}"
        return self.name

    def chance(self, purpose: str, number: int = 0) -> Chance:
        """Draws of one purpose in this repository's life."""
        return Chance(self.seed, "code", self.index, purpose, number)


def draw_project(seed: int, index: int) -> Project:
    """The project of a repository, the same whatever other repositories are drawn."""
    draw = Chance(seed, "code", index, "project")
    thing = draw.pick(_THINGS) + draw.pick(_SUFFIX)
    owner = f"{draw.pick(_OWNERS)}{'' if draw.flip(0.5) else draw.between(2, 99)}"
    people = [f"{first}-{draw.pick(_LAST)}" for first in draw.some(_FIRST, 14)]
    maintainers = draw.between(2, 3)
    return Project(
        seed=seed,
        index=index,
        repo_id=700_000_000 + index * 9_973 + draw.between(0, 9_000),
        owner=owner,
        thing=f"{thing}-{index}",
        earlier=f"{thing}-old-{index}" if draw.flip(0.35) else None,
        renamed_day=draw.between(20, 60),
        first=datetime(2025, 7, 10, tzinfo=UTC) + timedelta(days=draw.between(0, 50)),
        maintainers=tuple(people[:maintainers]),
        contributors=tuple(people[maintainers:]),
        zone=draw.between(-8, 8),
        issues=draw.uniform(0.15, 0.21),
        pulls=draw.uniform(0.11, 0.16),
        pushes=draw.uniform(0.35, 0.6),
        stars=draw.uniform(0.22, 0.42),
        release_every=draw.between(16, 28),
        attentive=draw.uniform(0.7, 1.5),
    )
