from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proactmem.errors import InputError
from proactmem.report.numbers import round_half_up
from proactmem.report.published import published_composition, published_main
from proactmem.score.metrics import METRICS, Counts, Scores, pool, relative_improvement, scores
from tests.score.making import INTEGERS

numbers = st.integers(0, 5000)
counts = st.builds(Counts, numbers, numbers, numbers, numbers)


@pytest.mark.parametrize("scope", ["sports", "home", "code"])
def test_table_2_to_the_last_printed_digit(scope):
    rows = published_main(scope)
    assert [row.method for row in rows] == list(INTEGERS)
    for row in rows:
        ours = scores(Counts(*INTEGERS[row.method][scope]))
        for metric in METRICS:
            digits = 2 if metric == "frequency" else 3
            assert round_half_up(ours.of(metric), digits) == round_half_up(row.scores[metric], digits), (
                row.method,
                metric,
            )


def test_table_1_reference_interventions():
    for scope, (_, events, positives) in published_composition().items():
        if scope == "Total":
            continue
        for by_scope in INTEGERS.values():
            found = Counts(*by_scope[scope.lower()])
            assert (found.total, found.positives) == (events, positives)


def test_overall_effectiveness_and_relative_improvement():
    overall = {name: scores(pool(Counts(*c) for c in by_scope.values())) for name, by_scope in INTEGERS.items()}
    shown = {name: str(round_half_up(found.effectiveness * 100, 1)) for name, found in overall.items()}
    assert shown["ProactMem"] == "52.6"
    best = max(found.effectiveness for name, found in overall.items() if name != "ProactMem")
    assert best == overall["A-MEM"].effectiveness
    gain = relative_improvement(overall["ProactMem"].effectiveness, best)
    assert str(round_half_up(gain * 100, 1)) == "21.4"
    for row in published_main("overall"):
        assert shown[row.method] == str(round_half_up(row.scores["effectiveness"] * 100, 1))


def test_empty_denominators_are_undefined():
    assert scores(Counts()) == Scores(None, None, None, None, None, None)
    silent = scores(Counts(fn=3, tn=7))
    assert silent.relevance is None
    assert (silent.coverage, silent.effectiveness, silent.intrusion, silent.frequency) == (0, 0, 0, 0)
    assert silent.balance == Fraction(1, 2)
    no_positives = scores(Counts(fp=1, tn=1))
    assert (no_positives.coverage, no_positives.frequency, no_positives.balance) == (None, None, None)
    assert (no_positives.relevance, no_positives.effectiveness, no_positives.intrusion) == (0, 0, Fraction(1, 2))
    assert scores(Counts(tp=1)).balance is None
    assert relative_improvement(Fraction(1, 2), Fraction(0)) is None
    assert relative_improvement(None, Fraction(1)) is None


@pytest.mark.parametrize("bad", [-1, 1.0, True, "3", None])
def test_counts_are_counts(bad):
    with pytest.raises(InputError, match=r"'fp'.*whole number"):
        Counts(tp=1, fp=bad)


@given(counts)
def test_metric_identities(found):
    result = scores(found)
    for metric in METRICS:
        value = result.of(metric)
        assert value is None or value >= 0
        assert value is None or value <= 1 or metric == "frequency"
    relevance, coverage = result.relevance, result.coverage
    if relevance is not None and coverage is not None and relevance + coverage > 0:
        assert result.effectiveness == 2 * relevance * coverage / (relevance + coverage)
    if coverage is not None and result.intrusion is not None:
        assert result.balance == (coverage + 1 - result.intrusion) / 2
    if relevance and coverage is not None:
        assert result.frequency == coverage / relevance
    assert all((value is None) == (result.to_json()[metric] is None) for metric in METRICS if [value := result.of(metric)])


@given(st.lists(counts, max_size=6))
def test_pooled_counts_are_sums(parts):
    total = pool(parts)
    assert total.to_json() == {key: sum(part.to_json()[key] for part in parts) for key in ("tp", "fp", "fn", "tn")}
    assert total.total == total.positives + total.negatives == sum(part.total for part in parts)
    assert pool(reversed(parts)) == total
