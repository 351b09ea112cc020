"""What an attentive observer of the public stream remembers: habits seen, usual levels, weather of past days."""

from collections import defaultdict
from dataclasses import dataclass, field
from statistics import mean
from typing import Literal

from proactmem.datasets.simulate.habits import Plan
from proactmem.datasets.simulate.observe import Sight
from proactmem.datasets.simulate.weather import WET

__all__ = ["Glimpse", "History", "measured_hour"]

Outcome = Literal["kept", "violated"]


def measured_hour(sight: Sight) -> int | None:
    """Steps of the last hour by the device that saw more; None when neither measured."""
    found = [readings[60].steps for readings in (sight.jawbone_before, sight.fit_before) if readings]
    return max(found, default=None)


@dataclass(slots=True)
class Glimpse:
    """What one day showed of one habit in the public stream so far."""

    trigger: int | None = None
    """Local second at which the trigger was first seen."""
    measured: bool = False
    """The behavior's field was measured in the window, at or after the trigger."""
    done: int | None = None
    """Local second at which the behavior was seen."""

    def note(self, plan: Plan, sight: Sight) -> None:
        """Take in one connected decision point."""
        if plan.weekdays is not None and sight.date.weekday() not in plan.weekdays:
            return
        public = sight.public
        if self.trigger is None and plan.trigger.holds(public):
            self.trigger = sight.second
        if self.trigger is None or not plan.window.holds(sight.second):
            return
        seen = plan.behavior.holds(public)
        self.measured = self.measured or seen is not None
        if seen and self.done is None:
            self.done = sight.second


@dataclass(slots=True)
class History:
    """Everything the observer knows before and at an event; it is given events in order and never looks ahead."""

    plans: tuple[Plan, ...]
    day: int = -1
    kept: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    outcomes: dict[str, list[Outcome]] = field(default_factory=lambda: defaultdict(list))
    glimpses: dict[str, Glimpse] = field(default_factory=dict)
    levels: dict[tuple[int, bool], list[int]] = field(default_factory=lambda: defaultdict(list))
    today: list[Sight] = field(default_factory=list)
    """Connected decision points of today before the current one."""
    wet_days: int = 0
    """Days in a row, before today, that were mostly wet."""
    yesterday: list[Sight] = field(default_factory=list)
    walked: list[bool] = field(default_factory=list)
    """Whether each past day with at least three measured hours held one of 900 steps or more."""

    def begin(self, sight: Sight) -> None:
        """Take in the current event, closing the day before it when it opens a new one."""
        if sight.day != self.day:
            self._close_day()
            self.day = sight.day
        for plan in self.plans:
            self.glimpses[plan.id].note(plan, sight)

    def commit(self, sight: Sight) -> None:
        """Remember the event after it was judged."""
        self.today.append(sight)
        steps = measured_hour(sight)
        if steps is not None:
            self.levels[self._key(sight)].append(steps)

    def established(self, plan: Plan) -> bool:
        """Whether the habit was seen kept often enough, and not given up since."""
        recent = self.outcomes[plan.id][-3:]
        return self.kept[plan.id] >= plan.sightings and recent != ["violated"] * 3

    def reliable(self, plan: Plan) -> bool:
        """Whether the habit may be left to happen by itself: kept on nearly all of the last days it was seen."""
        return self.established(plan) and self.outcomes[plan.id][-6:].count("violated") <= 1

    def usual(self, sight: Sight, least: int) -> float | None:
        """The usual steps of the hour before this slot on such days; None before ``least`` of them were measured.

        Usual is what three of five such hours do not exceed: a little above the middle, since zeros are many.
        """
        past = sorted(self.levels[self._key(sight)])
        return float(past[3 * len(past) // 5]) if len(past) >= least else None

    def kept_inside(self) -> bool:
        """Whether yesterday was mostly wet and showed clearly fewer steps than the days before it."""
        found = [steps for steps in map(measured_hour, self.yesterday) if steps is not None]
        past = [steps for slot_past in self.levels.values() for steps in slot_past]
        return self.wet_days >= 1 and bool(found) and mean(found) < 0.75 * mean(past)

    def idle_days(self) -> int:
        """Measured days in a row without a walk before today, of someone who walked on most earlier days; else 0."""
        idle = 0
        for walked in reversed(self.walked):
            if walked:
                break
            idle += 1
        earlier = self.walked[: len(self.walked) - idle][-8:]
        return idle if len(earlier) >= 5 and 2 * sum(earlier) > len(earlier) else 0

    def _key(self, sight: Sight) -> tuple[int, bool]:
        return (sight.slot, sight.date.weekday() >= 5)

    def _close_day(self) -> None:
        for plan in self.plans:
            glimpse = self.glimpses.get(plan.id)
            if glimpse and glimpse.done is not None:
                self.kept[plan.id] += 1
                self.outcomes[plan.id].append("kept")
            elif glimpse and glimpse.trigger is not None and glimpse.measured:
                self.outcomes[plan.id].append("violated")
            self.glimpses[plan.id] = Glimpse()
        if self.today:
            wet = sum(seen.around.condition in WET for seen in self.today)
            self.wet_days = self.wet_days + 1 if 2 * wet >= len(self.today) else 0
            self.yesterday = self.today
            hours = [steps for steps in map(measured_hour, self.today) if steps is not None]
            if len(hours) >= 3:
                self.walked.append(max(hours) >= 900)
        self.today = []
