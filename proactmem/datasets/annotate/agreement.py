"""How far annotators agree: observed, Fleiss' kappa, Krippendorff's alpha (nominal), with 95 % intervals.

Intervals are percentiles of a bootstrap over streams, and over events where there is one stream only, which is said: events
of one stream are not independent. Kappa needs every annotator's vote on an event and leaves out the others; alpha takes what
there is.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from proactmem.datasets.annotate.votes import Item, Vote
from proactmem.errors import ConfigError, MissingExtraError

__all__ = ["Agreement", "Estimate", "agreement"]

Mark = Literal["y", "a", "b", "n"]
DRAWS = 1000
Ratings = NDArray[np.float64]
"""Events by annotators: 0, 1, or NaN where a vote is missing."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A coefficient with its interval; None is undefined, as where nobody ever said 1."""

    value: float | None
    low: float | None
    high: float | None

    def __str__(self) -> str:
        if self.value is None:
            return "undefined"
        return f"{self.value:.2f}" + ("" if self.low is None or self.high is None else f" [{self.low:.2f}, {self.high:.2f}]")


@dataclass(frozen=True, slots=True)
class Agreement:
    """Agreement on one mark."""

    mark: Mark
    annotators: tuple[str, ...]
    events: int
    """Events with at least two votes."""
    complete: int
    """Events on which everybody voted."""
    prevalence: float | None
    """Share of votes that say 1."""
    observed: float | None
    """Share of pairs of votes on one event that say the same."""
    fleiss: Estimate
    krippendorff: Estimate
    over: Literal["streams", "events"]
    """What the bootstrap draws."""

    def __str__(self) -> str:
        seen = "undefined" if self.observed is None else f"{self.observed:.2f}"
        share = "undefined" if self.prevalence is None else f"{self.prevalence:.3f}"
        return (
            f"{self.mark}: Fleiss' kappa {self.fleiss}, Krippendorff's alpha {self.krippendorff}, observed {seen}, "
            f"prevalence {share}; "
            f"{self.complete} of {self.events} events judged by all {len(self.annotators)} annotators; "
            f"95 % intervals: bootstrap over {self.over}"
        )


def agreement(votes: Mapping[str, Mapping[Item, Vote]], *, mark: Mark = "y", seed: int = 0, draws: int = DRAWS) -> Agreement:
    """Agreement of annotators on y, A, B or N.

    Args:
        votes: Votes by event, by annotator.
        mark: What is compared.
        seed: Seed of the bootstrap.
        draws: Resamples.

    Raises:
        ConfigError: Fewer than two annotators, or no event that two of them judged.
        MissingExtraError: statsmodels or krippendorff is not installed.
    """
    names = tuple(sorted(votes))
    if len(names) < 2:
        raise ConfigError(f"agreement of {len(names)} annotators; expected at least two.", remedy="Name more vote files.")
    items = sorted({item for given in votes.values() for item in given})
    rows = [[_mark(votes[name].get(item), mark) for name in names] for item in items]
    kept = [(item, row) for item, row in zip(items, rows, strict=True) if sum(not math.isnan(value) for value in row) >= 2]
    if not kept:
        raise ConfigError(f"no event has two votes on {mark}.", remedy="Let at least two annotators judge the same events.")
    ratings = np.asarray([row for _, row in kept])
    streams = [item[0] for item, _ in kept]
    over: Literal["streams", "events"] = "streams" if len(set(streams)) > 1 else "events"
    groups = [np.flatnonzero(np.asarray(streams) == name) for name in sorted(set(streams))]
    units = groups if over == "streams" else [np.asarray([place]) for place in range(len(kept))]
    draw = np.random.default_rng(seed)
    drawn = (np.concatenate([units[unit] for unit in draw.integers(0, len(units), len(units))]) for _ in range(draws))
    samples = [ratings[places] for places in drawn]
    complete = ~np.isnan(ratings).any(axis=1)
    return Agreement(
        mark=mark, annotators=names, events=len(kept), complete=int(complete.sum()), prevalence=float(np.nanmean(ratings)),
        observed=_observed(ratings), fleiss=_estimate(_fleiss, ratings, samples),
        krippendorff=_estimate(_alpha, ratings, samples),
        over=over,
    )  # fmt: skip


def _mark(vote: Vote | None, mark: Mark) -> float:
    value = None if vote is None else getattr(vote, mark)
    return math.nan if value is None else float(value)


def _observed(ratings: Ratings) -> float | None:
    ones, given = np.nansum(ratings, axis=1), (~np.isnan(ratings)).sum(axis=1)
    pairs = given * (given - 1) / 2
    same = (ones * (ones - 1) + (given - ones) * (given - ones - 1)) / 2
    return float(same.sum() / pairs.sum()) if pairs.sum() else None


def _estimate(coefficient: Callable[[Ratings], float | None], ratings: Ratings, samples: Sequence[Ratings]) -> Estimate:
    value = coefficient(ratings)
    if value is None:
        return Estimate(None, None, None)
    drawn = [found for sample in samples if (found := coefficient(sample)) is not None]
    if len(drawn) < len(samples) / 2:
        return Estimate(value, None, None)
    low, high = np.percentile(drawn, [2.5, 97.5])
    return Estimate(value, float(low), float(high))


def _fleiss(ratings: Ratings) -> float | None:
    """Fleiss' kappa by statsmodels, over the events that everybody judged."""
    try:
        from statsmodels.stats.inter_rater import fleiss_kappa
    except ImportError as error:
        raise _missing("statsmodels") from error
    full = ratings[~np.isnan(ratings).any(axis=1)]
    if not len(full) or full.min() == full.max():
        return None
    ones = full.sum(axis=1)
    return float(fleiss_kappa(np.column_stack([full.shape[1] - ones, ones]), method="fleiss"))


def _alpha(ratings: Ratings) -> float | None:
    """Krippendorff's alpha by the package of that name, nominal, missing votes allowed."""
    try:
        import krippendorff
    except ImportError as error:
        raise _missing("krippendorff") from error
    if np.nanmin(ratings) == np.nanmax(ratings):
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        return float(krippendorff.alpha(reliability_data=ratings.T, level_of_measurement="nominal", value_domain=[0.0, 1.0]))


def _missing(name: str) -> MissingExtraError:
    return MissingExtraError(f"agreement needs the package {name}.", remedy='pip install "proactmem[annotate]"')
