"""Chance by key: every draw of the simulator comes from a generator named by what it is for.

A generator keyed by (seed, participant, day, purpose) makes participants independent of each other and a day
independent of the days after it. Only raw uniform numbers are taken from numpy and every distribution is made from
them here, so that a seed keeps its bytes when numpy changes its own distributions.
"""

import hashlib
from collections.abc import Sequence
from statistics import NormalDist
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

__all__ = ["Chance"]

T = TypeVar("T")
_STANDARD = NormalDist()


class Chance:
    """A stream of uniform numbers that depends on its key alone.

    Args:
        key: What the draws are for, for example ``(seed, participant, "day", 12)``.

    Example:
        >>> Chance(7, 1, "wake").between(0, 100) == Chance(7, 1, "wake").between(0, 100)
        True
    """

    def __init__(self, *key: int | str) -> None:
        digest = hashlib.sha256("|".join(str(part) for part in key).encode()).digest()
        self._generator = np.random.Generator(np.random.PCG64(int.from_bytes(digest[:16], "big")))

    def uniform(self, low: float = 0.0, high: float = 1.0) -> float:
        """A number in [low, high)."""
        return low + (high - low) * float(self._generator.random())

    def flip(self, probability: float) -> bool:
        """True with the given probability; one number is drawn whatever the outcome."""
        return float(self._generator.random()) < probability

    def between(self, low: int, high: int) -> int:
        """A whole number in [low, high], both ends included."""
        return low + int(float(self._generator.random()) * (high - low + 1))

    def normal(self, mean: float, deviation: float) -> float:
        """A normal number, cut at four deviations."""
        point = min(max(float(self._generator.random()), 3.2e-5), 1 - 3.2e-5)
        return mean + deviation * _STANDARD.inv_cdf(point)

    def pick(self, choices: Sequence[T]) -> T:
        """One of the choices, each as likely as the next."""
        return choices[self.between(0, len(choices) - 1)]

    def weighted(self, choices: Sequence[tuple[T, float]]) -> T:
        """One of the choices, as likely as its weight; weights need not sum to one."""
        point = self.uniform(0.0, sum(weight for _, weight in choices))
        for choice, weight in choices:
            point -= weight
            if point < 0:
                return choice
        return choices[-1][0]

    def some(self, choices: Sequence[T], count: int) -> list[T]:
        """Up to ``count`` different choices, in drawn order."""
        left = list(choices)
        return [left.pop(self.between(0, len(left) - 1)) for _ in range(min(count, len(left)))]

    def vector(self, size: int) -> NDArray[np.float64]:
        """``size`` numbers in [0, 1)."""
        return self._generator.random(size)
