"""The canvas of a day: 1,440 minutes painted with what the person does and where."""

from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from proactmem.datasets.simulate.chance import Chance

__all__ = ["Canvas", "Doing"]


class Doing(IntEnum):
    """What a person does in a minute."""

    ASLEEP = 0
    QUIET = 1
    CHORES = 2
    FOCUS = 3
    DESK = 4
    MEETING = 5
    BREAK = 6
    MEAL = 7
    SHOP = 8
    SOCIAL = 9
    DRIVE = 10
    WALK = 11
    GYM = 12


_STEPPING = np.array([0.0, 0.075, 0.36, 0.025, 0.18, 0.03, 0.5, 0.12, 0.42, 0.14, 0.04, 0.96, 0.5])
"""Share of minutes that hold steps, by what is done."""
_SLOW = np.array([0, 8, 10, 8, 10, 8, 25, 8, 15, 8, 8, 78, 25])
_FAST = np.array([0, 45, 60, 40, 65, 40, 85, 45, 70, 50, 40, 118, 110])
_STEADY = np.array([False, False, False, False, False, False, False, False, False, False, False, True, True])
"""Whether the doing keeps its own pace whoever does it."""


class Canvas:
    """A day being planned; what is painted later covers what was painted before."""

    def __init__(self, chance: Chance) -> None:
        self._chance = chance
        self.doing: NDArray[np.int8] = np.zeros(1440, dtype=np.int8)
        self.place: NDArray[np.int8] = np.zeros(1440, dtype=np.int8)
        self.pace: NDArray[np.float64] = np.ones(1440)

    def paint(self, start: int, end: int, limit: int, doing: Doing, place: int) -> int:
        """Paint [start, min(end, limit)) and give the minute at which it ended."""
        stop = max(min(end, limit, 1440), 0)
        span = slice(max(start, 0), stop)
        self.doing[span] = doing
        self.place[span] = place
        self.pace[span] = 3.0 * self._chance.uniform() ** 2
        return max(stop, start + 1)

    def take_steps(self, chance: Chance, restless: float, brisk: float) -> NDArray[np.int64]:
        """The steps of each minute: whether it holds any, and how many."""
        steady = _STEADY[self.doing]
        often = np.where(steady, _STEPPING[self.doing], np.minimum(_STEPPING[self.doing] * self.pace * restless, 0.9))
        moving = chance.vector(1440) < often
        slow, fast = _SLOW[self.doing], _FAST[self.doing]
        count = (slow + (fast - slow) * chance.vector(1440)) * np.where(steady, brisk, 1.0)
        return np.where(moving, np.rint(count), 0.0).astype(np.int64)
