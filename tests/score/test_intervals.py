from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proactmem.errors import ConfigError, InputError
from proactmem.score.intervals import Interval, NoInterval, bootstrap, paired_differences
from proactmem.score.metrics import METRICS, Counts, pool, scores

numbers = st.integers(0, 60)
streams = st.dictionaries(
    st.text(min_size=1, max_size=4), st.builds(Counts, numbers, numbers, numbers, numbers), min_size=2, max_size=6
)
UNEVEN = {f"s{i}": Counts(tp=5 * i, fp=30 - i, fn=40 - 2 * i, tn=60) for i in range(9)}


@settings(max_examples=50)
@given(streams, st.integers(0, 9), st.randoms())
def test_the_order_of_streams_does_not_matter(found, seed, random):
    names = list(found)
    random.shuffle(names)
    assert bootstrap({n: found[n] for n in names}, seed=seed, draws=50) == bootstrap(found, seed=seed, draws=50)


@settings(max_examples=50)
@given(streams, st.integers(0, 9))
def test_intervals_are_ordered_and_within_the_streams_extremes(found, seed):
    result = bootstrap(found, seed=seed, draws=60)
    for metric, interval in result.items():
        values = [value for c in found.values() if (value := scores(c).of(metric)) is not None]
        if isinstance(interval, NoInterval):
            assert interval.reason == "undefined"
            assert scores(pool(found.values())).of(metric) is None
            continue
        assert interval.draws + interval.left_out == 60
        assert interval.low <= interval.high
        if metric in ("relevance", "coverage", "intrusion"):  # ratios of sums stay between the ratios
            assert min(values) - 1e-12 <= interval.low
            assert interval.high <= max(values) + 1e-12


def test_interval_is_the_percentile_of_a_plain_resampling():
    """Against a slow bootstrap written out: drawn stream by stream, pooled as counts."""
    fast = bootstrap(UNEVEN, seed=1, draws=20_000)
    generator = np.random.default_rng(7)
    names = sorted(UNEVEN)
    drawn: dict[str, list[float]] = {metric: [] for metric in METRICS}
    for _ in range(3000):
        result = scores(pool(UNEVEN[names[i]] for i in generator.integers(len(names), size=len(names))))
        for metric in METRICS:
            drawn[metric].append(float(result.of(metric)))
    for metric in METRICS:
        low, high = np.quantile(drawn[metric], [0.025, 0.975])
        width = high - low
        assert fast[metric].low == pytest.approx(low, abs=0.08 * width)
        assert fast[metric].high == pytest.approx(high, abs=0.08 * width)


def test_seed_decides():
    assert bootstrap(UNEVEN, seed=3) == bootstrap(UNEVEN, seed=3)
    assert bootstrap(UNEVEN, seed=3) != bootstrap(UNEVEN, seed=4)


def test_one_stream_has_no_interval():
    assert set(bootstrap({"only": Counts(1, 2, 3, 4)}).values()) == {NoInterval("one stream")}


def test_draws_without_a_value_are_left_out_and_counted():
    found = bootstrap({"a": Counts(tp=3, fn=1), "b": Counts(tn=4)}, draws=4000)
    coverage = found["coverage"]
    assert isinstance(coverage, Interval)
    assert coverage.left_out + coverage.draws == 4000
    assert 850 < coverage.left_out < 1150  # both draws fall on b in a quarter of the resamples
    assert (coverage.low, coverage.high) == (0.75, 0.75)
    assert bootstrap({"a": Counts(fn=1), "b": Counts(tn=4)})["relevance"] == NoInterval("undefined")


@pytest.mark.parametrize(("draws", "seed"), [(0, 0), (10, -1)])
def test_bad_settings_are_refused(draws, seed):
    with pytest.raises(ConfigError, match=f"draws={draws} and seed={seed}"):
        bootstrap(UNEVEN, draws=draws, seed=seed)


def test_no_stream_is_refused():
    with pytest.raises(InputError, match="no stream"):
        bootstrap({})


def test_paired_difference_of_a_method_with_itself_is_zero():
    for difference in paired_differences(UNEVEN, UNEVEN):
        assert difference.estimate == 0
        assert difference.interval == Interval(0.0, 0.0, 2000, 0)
        assert difference.share_above == 0.0


def test_paired_differences_share_their_resamples():
    """A constant gain in every stream has no width, however much the streams differ."""
    second = {f"s{i}": Counts(tp=10 + i, fp=5, fn=50 - i, tn=60) for i in range(8)}
    first = {name: Counts(tp=c.tp + 6, fp=c.fp, fn=c.fn - 6, tn=c.tn) for name, c in second.items()}
    found = {difference.metric: difference for difference in paired_differences(first, second)}
    coverage = found["coverage"]
    assert float(coverage.estimate) == pytest.approx(0.1)
    assert coverage.interval.low == pytest.approx(0.1)
    assert coverage.interval.high == pytest.approx(0.1)
    assert coverage.share_above == 1.0
    assert found["intrusion"].estimate == 0
    back = {difference.metric: difference for difference in paired_differences(second, first)}
    assert back["effectiveness"].estimate == -found["effectiveness"].estimate
    assert back["effectiveness"].interval.low == pytest.approx(-found["effectiveness"].interval.high)


def test_paired_difference_of_one_stream_keeps_the_estimate():
    found = paired_differences({"a": Counts(tp=2, fn=2)}, {"a": Counts(tp=1, fn=3)})[METRICS.index("coverage")]
    assert (found.estimate, found.interval, found.share_above) == (0.25, NoInterval("one stream"), None)


def test_pairs_must_be_of_the_same_streams_and_events():
    with pytest.raises(InputError, match=r"same streams.*'s8'"):
        paired_differences(UNEVEN, {name: c for name, c in UNEVEN.items() if name != "s8"})
    with pytest.raises(InputError, match="'s0' has other scored events"):
        paired_differences(UNEVEN, UNEVEN | {"s0": Counts(tp=1)})


def test_2000_draws_of_17_streams_take_milliseconds():
    found = {f"s{i}": Counts(20, 60, 10, 200) for i in range(17)}
    bootstrap(found)
    start = time.perf_counter()
    bootstrap(found)
    assert time.perf_counter() - start < 0.25  # 2 ms measured; the bound only catches a loop over draws
