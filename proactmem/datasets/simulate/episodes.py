"""N of Equation 9 and the reference episodes: the first actionable window of an opportunity, and how it ends.

An episode persists while the same service stays open in the same situation on the same day. It closes when the person
moves, is busy or under way, when the situation changes, or when the day ends; it reopens afterwards.
"""

from dataclasses import dataclass, field

from proactmem.datasets.simulate.chance import Chance
from proactmem.datasets.simulate.habits import Plan
from proactmem.datasets.simulate.history import History, measured_hour
from proactmem.datasets.simulate.observe import Sight
from proactmem.datasets.simulate.people import Person
from proactmem.datasets.simulate.support import (
    Service,
    Support,
    covered,
    current_support,
    feasible_service,
    historical_support,
)
from proactmem.datasets.simulate.truth import Episode

__all__ = ["Annotator", "Judgement"]


@dataclass(frozen=True, slots=True)
class Judgement:
    """The reference label of one decision point: y = (a or b) and n."""

    a: bool
    b: bool
    n: bool
    service: Service | None

    @property
    def y(self) -> bool:
        """Equation 9."""
        return (self.a or self.b) and self.n


@dataclass(slots=True)
class _Open:
    """An episode that still lasts."""

    onset: Sight
    support: Support
    a: bool
    b: bool
    valid: list[int] = field(default_factory=list)


@dataclass(slots=True)
class Annotator:
    """A considerate annotator who reads one stream in order, with the slips annotators make."""

    seed: int
    person: Person
    plans: tuple[Plan, ...]
    history: History = field(init=False)
    episodes: list[Episode] = field(default_factory=list)
    misjudged: list[int] = field(default_factory=list)
    _open: _Open | None = None

    def __post_init__(self) -> None:
        self.history = History(self.plans)

    def judge(self, sight: Sight) -> Judgement:
        """Label one connected decision point from the events up to it."""
        self.history.begin(sight)
        self._settle(sight)
        a, b = self._weigh(sight)
        support = b if b is not None and (a is None or b.kind.startswith("habit")) else a or b
        fresh = support is not None and self._novel(sight, support, a is not None, b is not None)
        self.history.commit(sight)
        return Judgement(a is not None, b is not None, fresh, support.service if support and fresh else None)

    def finish(self) -> tuple[Episode, ...]:
        """Close what is open at the end of the stream and give all episodes."""
        self._close("day_ended")
        return tuple(self.episodes)

    def _weigh(self, sight: Sight) -> tuple[Support | None, Support | None]:
        """A and B, each turned now and then as annotators do; never where nothing can be offered."""
        a = current_support(sight, self.person)
        b = historical_support(sight, self.history)
        chance = Chance(self.seed, self.person.index, "slip", sight.day, sight.slot)
        miss_a, miss_b, see_a, see_b = (chance.flip(share) for share in (0.04, 0.04, 0.02, 0.02))
        service = feasible_service(sight)
        if service is None:
            return None, None
        steps = measured_hour(sight)
        if (a and miss_a) or (b and miss_b):
            self.misjudged.append(sight.index)
            return (None if miss_a else a), (None if miss_b else b)
        if a is None and see_a and steps is not None and steps < 400 and sight.slot > 1:
            self.misjudged.append(sight.index)
            return Support("sedentary", f"still at {sight.kind}, as one annotator saw it", service), b
        if b is None and see_b and sight.day > 7 and sight.slot > 1:
            self.misjudged.append(sight.index)
            return a, Support("below_usual", "less than usual, as one annotator saw it", service)
        return a, b

    def _settle(self, sight: Sight) -> None:
        """Close the open episode if what was seen ends it."""
        if self._open is None:
            return
        steps = measured_hour(sight)
        done = any(glimpse.done == sight.second for glimpse in self.history.glimpses.values())
        if self._open.onset.day != sight.day:
            self._close("day_ended")
        elif done:
            self._close("need_met")
        elif sight.activity in ("ON_FOOT", "ON_BICYCLE") or (steps is not None and steps >= 800):
            self._close("moved")
        elif not sight.available:
            self._close("busy")
        elif sight.kind != self._open.onset.kind:
            self._close("situation_changed")

    def _novel(self, sight: Sight, support: Support, a: bool, b: bool) -> bool:
        """N: whether this is the first reliable actionable window of its episode."""
        if not b and covered(sight, self.history):
            return False
        before = self._open
        if before is not None:
            stronger = support.kind.startswith("habit") and not before.support.kind.startswith("habit")
            if before.support.service == support.service and not stronger:
                before.valid.append(sight.index)
                return False
            self._close("replaced")
        self._open = _Open(sight, support, a, b, [sight.index])
        return True

    def _close(self, reason: str) -> None:
        if self._open is None:
            return
        self.episodes.append(
            Episode(
                id=f"p{self.person.index}-e{len(self.episodes) + 1}",
                participant=self.person.index,
                kind=self._open.support.kind,
                service=self._open.support.service,
                cause=self._open.support.cause,
                onset=self._open.onset.index,
                valid=tuple(self._open.valid),
                deadline=self._open.valid[-1],
                closure=reason,
                a=self._open.a,
                b=self._open.b,
            )
        )
        self._open = None
