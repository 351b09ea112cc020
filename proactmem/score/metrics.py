"""The six metrics of Appendix B.4 as exact fractions of confusion counts; an empty denominator is None, never 0."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Literal, get_args

from proactmem.errors import InputError

__all__ = [
    "METRICS",
    "Counts",
    "Metric",
    "Scores",
    "balance",
    "coverage",
    "effectiveness",
    "frequency",
    "intrusion",
    "pool",
    "relative_improvement",
    "relevance",
    "scores",
]

Metric = Literal["frequency", "relevance", "coverage", "effectiveness", "intrusion", "balance"]
"""The metrics of Table 2, by the paper's names."""

METRICS: tuple[Metric, ...] = get_args(Metric)
"""All metrics in the column order of Table 2."""


@dataclass(frozen=True, slots=True)
class Counts:
    """Final-decision confusion counts (Appendix B.4); *positive* is a reference intervention, y_t = 1.

    >>> Counts(tp=1, fp=2) + Counts(fn=3)
    Counts(tp=1, fp=2, fn=3, tn=0)
    """

    tp: int = 0
    """Interventions at reference positives."""
    fp: int = 0
    """Interventions at reference negatives."""
    fn: int = 0
    """Abstentions at reference positives."""
    tn: int = 0
    """Abstentions at reference negatives."""

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if not isinstance(value, int) or isinstance(value, bool) or value < 0:
                raise InputError(
                    "a confusion count is a whole number of events", field=field.name, found=value,
                    expected="an integer of at least 0", remedy="Count events; rates are derived from counts.",
                )  # fmt: skip

    def __add__(self, other: Counts) -> Counts:
        return Counts(self.tp + other.tp, self.fp + other.fp, self.fn + other.fn, self.tn + other.tn)

    @property
    def positives(self) -> int:
        """TP + FN: reference interventions."""
        return self.tp + self.fn

    @property
    def negatives(self) -> int:
        """FP + TN: reference abstentions."""
        return self.fp + self.tn

    @property
    def interventions(self) -> int:
        """TP + FP: decisions that intervened."""
        return self.tp + self.fp

    @property
    def total(self) -> int:
        """All scored events."""
        return self.tp + self.fp + self.fn + self.tn

    def to_json(self) -> dict[str, int]:
        """The four counts by name."""
        return {"tp": self.tp, "fp": self.fp, "fn": self.fn, "tn": self.tn}


@dataclass(frozen=True, slots=True)
class Scores:
    """The metrics of Table 2 as exact fractions (0.488, not 48.8); None where the denominator is empty."""

    frequency: Fraction | None
    relevance: Fraction | None
    coverage: Fraction | None
    effectiveness: Fraction | None
    intrusion: Fraction | None
    balance: Fraction | None

    def of(self, metric: Metric) -> Fraction | None:
        """The score of that name."""
        values: Mapping[Metric, Fraction | None] = {
            "frequency": self.frequency,
            "relevance": self.relevance,
            "coverage": self.coverage,
            "effectiveness": self.effectiveness,
            "intrusion": self.intrusion,
            "balance": self.balance,
        }
        return values[metric]

    def to_json(self) -> dict[str, float | None]:
        """Every metric by name as the nearest float; null where undefined."""
        values = {metric: self.of(metric) for metric in METRICS}
        return {metric: None if value is None else float(value) for metric, value in values.items()}


def _ratio(numerator: int, denominator: int) -> Fraction | None:
    return None if denominator == 0 else Fraction(numerator, denominator)


def relevance(counts: Counts) -> Fraction | None:
    """TP / (TP + FP), the share of interventions at reference opportunities (Section 5.1, Appendix B.4)."""
    return _ratio(counts.tp, counts.interventions)


def coverage(counts: Counts) -> Fraction | None:
    """TP / (TP + FN), the share of reference opportunities recovered (Section 5.1, Appendix B.4)."""
    return _ratio(counts.tp, counts.positives)


def effectiveness(counts: Counts) -> Fraction | None:
    """2 TP / (2 TP + FP + FN), the harmonic mean of relevance and coverage (Section 5.1, Appendix B.4).

    It stays defined, as 0, where only one of the two is undefined.
    """
    return _ratio(2 * counts.tp, 2 * counts.tp + counts.fp + counts.fn)


def intrusion(counts: Counts) -> Fraction | None:
    """FP / (FP + TN), the share of reference negatives that received an intervention (Section 5.1, Appendix B.4)."""
    return _ratio(counts.fp, counts.negatives)


def balance(counts: Counts) -> Fraction | None:
    """(TP / (TP + FN) + TN / (TN + FP)) / 2, undefined where either share is (Section 5.1, Appendix B.4)."""
    recovered, abstained = coverage(counts), _ratio(counts.tn, counts.negatives)
    return None if recovered is None or abstained is None else (recovered + abstained) / 2


def frequency(counts: Counts) -> Fraction | None:
    """(TP + FP) / (TP + FN), interventions per reference-positive event, a multiple (Section 5.1, Appendix B.4)."""
    return _ratio(counts.interventions, counts.positives)


def scores(counts: Counts) -> Scores:
    """All six metrics of the counts.

    >>> scores(Counts(tp=280, fp=503, fn=85, tn=588)).coverage
    Fraction(56, 73)
    >>> scores(Counts(tn=5)).relevance is None
    True
    """
    return Scores(
        frequency=frequency(counts),
        relevance=relevance(counts),
        coverage=coverage(counts),
        effectiveness=effectiveness(counts),
        intrusion=intrusion(counts),
        balance=balance(counts),
    )


def pool(parts: Iterable[Counts]) -> Counts:
    """The sum of counts: over streams within a scope, over scopes for *overall* (Section 5.1).

    >>> pool([Counts(tp=1), Counts(tp=2, tn=4)])
    Counts(tp=3, fp=0, fn=0, tn=4)
    """
    total = Counts()
    for part in parts:
        total = total + part
    return total


def relative_improvement(ours: Fraction | None, best: Fraction | None) -> Fraction | None:
    """Ours / best - 1, the relative improvement over the best external baseline (abstract); None where undefined."""
    return None if ours is None or best is None or best == 0 else ours / best - 1
