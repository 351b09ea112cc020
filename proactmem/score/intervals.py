"""95 % percentile intervals by bootstrap over streams, and paired differences on the same resamples (SPEC 9, ours)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from proactmem.errors import ConfigError, InputError
from proactmem.score.metrics import METRICS, Counts, Metric, Scores, pool, scores

__all__ = ["DRAWS", "LEVEL", "Difference", "Interval", "NoInterval", "bootstrap", "paired_differences"]

DRAWS = 2000
"""Resamples of the streams."""
LEVEL = 0.95
"""Nominal coverage of the percentile interval."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Interval:
    """A percentile interval of one metric, in the metric's own unit (a share, or a multiple for frequency)."""

    low: float
    high: float
    draws: int
    """Resamples in which the metric was defined."""
    left_out: int
    """Resamples in which it was undefined."""


@dataclass(frozen=True, slots=True)
class NoInterval:
    """Why there is no interval: not measured is not a width of zero."""

    reason: Literal["one stream", "undefined"]


@dataclass(frozen=True, slots=True)
class Difference:
    """One metric of a method minus that of another on the same streams and events."""

    metric: Metric
    estimate: Fraction | None
    """First minus second, pooled; None where either is undefined."""
    interval: Interval | NoInterval
    """Percentile interval of the difference over the shared resamples."""
    share_above: float | None
    """Share of the resamples with a difference above zero; ties do not count; None without an interval."""


def bootstrap(streams: Mapping[str, Counts], *, seed: int = 0, draws: int = DRAWS) -> dict[Metric, Interval | NoInterval]:
    """Streams are drawn with replacement, their counts pooled, and every metric is scored anew in each draw.

    The stream is the unit because events of one stream are not independent. The order in which `streams` come does
    not matter. With one stream there is nothing to resample and every metric has a `NoInterval`.

    Args:
        streams: Counts of each stream by its id.
        seed: Seed of the numpy generator.
        draws: Number of resamples.

    Raises:
        InputError: No stream.
        ConfigError: `draws` below 1 or `seed` below 0.

    >>> bootstrap({"a": Counts(tp=1, fn=1), "b": Counts(tp=1, fn=1)}, draws=10)["coverage"]
    Interval(low=0.5, high=0.5, draws=10, left_out=0)
    """
    names = sorted(streams)
    sums = _weights(len(names), seed, draws) @ _matrix(streams, names)
    drawn = _metrics(sums)
    return {metric: _interval(drawn[metric], len(names)) for metric in METRICS}


def paired_differences(
    first: Mapping[str, Counts], second: Mapping[str, Counts], *, seed: int = 0, draws: int = DRAWS
) -> tuple[Difference, ...]:
    """First minus second for every metric, both pooled over the same resampled streams.

    Args:
        first: Counts of each stream under one method.
        second: Counts of the same streams and events under another.
        seed: Seed of the numpy generator.
        draws: Number of resamples.

    Raises:
        InputError: The streams differ, or a stream's reference positives or negatives do.
        ConfigError: `draws` below 1 or `seed` below 0.
    """
    _require_same(first, second)
    names = sorted(first)
    weights = _weights(len(names), seed, draws)
    one, two = _metrics(weights @ _matrix(first, names)), _metrics(weights @ _matrix(second, names))
    scored, other = scores(pool(first.values())), scores(pool(second.values()))
    return tuple(_difference(metric, scored, other, one[metric] - two[metric], len(names)) for metric in METRICS)


def _difference(metric: Metric, first: Scores, second: Scores, drawn: Floats, streams: int) -> Difference:
    a, b = first.of(metric), second.of(metric)
    interval = _interval(drawn, streams)
    above = float(np.mean(drawn[~np.isnan(drawn)] > 0)) if isinstance(interval, Interval) else None
    return Difference(metric, None if a is None or b is None else a - b, interval, above)


def _require_same(first: Mapping[str, Counts], second: Mapping[str, Counts]) -> None:
    if first.keys() != second.keys():
        odd = sorted(first.keys() ^ second.keys())
        raise InputError(
            "paired differences need the same streams in both runs", found=odd, expected="streams that both have",
            remedy="Run both methods on the same data and score them with the same labels.",
        )  # fmt: skip
    for name in sorted(first):
        a, b = first[name], second[name]
        if (a.positives, a.negatives) != (b.positives, b.negatives):
            raise InputError(
                f"stream {name!r} has other scored events in the two runs", found=(a.to_json(), b.to_json()),
                expected="equal reference positives and negatives", remedy="Score both runs with the same labels.",
            )  # fmt: skip


def _weights(streams: int, seed: int, draws: int) -> NDArray[np.int64]:
    """How often each stream is drawn in each resample, shape (draws, streams); rows sum to `streams`."""
    if streams == 0:
        raise InputError("no stream to resample", expected="at least one stream", remedy="Score a run with events.")
    if draws < 1 or seed < 0:
        raise ConfigError(
            f"draws={draws!r} and seed={seed!r}: expected draws >= 1 and seed >= 0.", remedy="Correct the setting."
        )
    return np.random.default_rng(seed).multinomial(streams, np.full(streams, 1 / streams), size=draws)


def _matrix(streams: Mapping[str, Counts], names: list[str]) -> NDArray[np.int64]:
    return np.array([(c.tp, c.fp, c.fn, c.tn) for c in map(streams.__getitem__, names)], dtype=np.int64)


def _metrics(sums: NDArray[np.int64]) -> dict[Metric, Floats]:
    """Every metric of each row of pooled counts; not-a-number where its denominator is empty."""
    tp, fp, fn, tn = sums.astype(np.float64).T
    recovered, abstained = _divide(tp, tp + fn), _divide(tn, tn + fp)
    return {
        "frequency": _divide(tp + fp, tp + fn),
        "relevance": _divide(tp, tp + fp),
        "coverage": recovered,
        "effectiveness": _divide(2 * tp, 2 * tp + fp + fn),
        "intrusion": _divide(fp, fp + tn),
        "balance": (recovered + abstained) / 2,
    }


def _divide(numerator: Floats, denominator: Floats) -> Floats:
    return np.divide(numerator, denominator, out=np.full_like(numerator, np.nan), where=denominator > 0)


def _interval(drawn: Floats, streams: int) -> Interval | NoInterval:
    if streams == 1:
        return NoInterval("one stream")
    defined = drawn[~np.isnan(drawn)]
    if defined.size == 0:
        return NoInterval("undefined")
    tail = (1 - LEVEL) / 2
    low, high = np.quantile(defined, [tail, 1 - tail])
    return Interval(float(low), float(high), int(defined.size), int(drawn.size - defined.size))
