"""Two devices that watch the same steps and disagree: a wristband that may be off, a phone that may be on the table."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from proactmem.datasets.simulate.canvas import Doing
from proactmem.datasets.simulate.chance import Chance
from proactmem.datasets.simulate.days import Day
from proactmem.datasets.simulate.people import Person

__all__ = ["Devices", "Reading", "phone_off", "watch"]


@dataclass(frozen=True, slots=True)
class Reading:
    """Minutes with a record and steps in a window; a window that was not measured has no reading at all."""

    minutes: int
    steps: int


@dataclass(frozen=True, slots=True)
class Devices:
    """What both devices recorded on one day."""

    jawbone: NDArray[np.int64]
    worn: NDArray[np.bool_]
    fit: NDArray[np.int64]
    fitted: bool

    def read_jawbone(self, start: int, end: int, minute: int) -> Reading | None:
        """The wristband's reading of [start, end) around a decision minute; None while it was off."""
        if not self.worn[minute]:
            return None
        window = self.jawbone[max(start, 0) : min(end, 1440)]
        return Reading(int(np.count_nonzero(window)), int(window.sum()))

    def read_fit(self, start: int, end: int) -> Reading | None:
        """Google Fit's reading of [start, end); None on days it recorded nothing."""
        if not self.fitted:
            return None
        window = self.fit[max(start, 0) : min(end, 1440)]
        return Reading(int(np.count_nonzero(window)), int(window.sum()))


def _spell(seed: int, person: Person, purpose: str, day: int, start: float, longest: int) -> bool:
    """Whether a spell that began on this day or shortly before still lasts; only days up to this one are asked."""
    for back in range(longest):
        chance = Chance(seed, person.index, purpose, day - back)
        if chance.flip(start) and chance.between(1, longest) > back:
            return True
    return False


def phone_off(seed: int, person: Person, day: int) -> bool:
    """Whether the phone is out of reach all day: off, lost or without a plan."""
    return _spell(seed, person, "outage", day, 0.016, 3)


def watch(seed: int, person: Person, day: Day) -> Devices:
    """Let the wristband and the phone watch a lived day."""
    chance = Chance(seed, person.index, "devices", day.number)
    worn = np.ones(1440, dtype=np.bool_)
    if _spell(seed, person, "band", day.number, (1 - person.worn) / 2, 4):
        worn[:] = False
    elif chance.flip(0.12):  # on the charger
        start = chance.between(420, 1200)
        worn[start : start + chance.between(60, 240)] = False
    seen = np.where(worn, day.steps, 0)
    jawbone = np.where(chance.vector(1440) < 0.92, seen, 0).astype(np.int64)
    fitted = person.fit > 0 and not _spell(seed, person, "fit", day.number, (1 - person.fit) / 4, 5)
    at_home = np.isin(day.doing, (Doing.QUIET, Doing.CHORES, Doing.ASLEEP))
    out = np.isin(day.doing, (Doing.WALK, Doing.SHOP, Doing.SOCIAL, Doing.DRIVE))
    share = np.where(at_home, person.carried, np.where(out, 0.95, 0.6))
    pocket = np.repeat(chance.vector(48), 30) < share
    scale = np.where(chance.vector(1440) < 0.9, 0.85 + 0.3 * chance.vector(1440), 0.0)
    fit = np.where(pocket, np.rint(day.steps * scale), 0).astype(np.int64)
    return Devices(jawbone, worn, fit, fitted)
