from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from proactmem.errors import InputError
from proactmem.report.numbers import (
    THIN,
    count,
    exact,
    fixed,
    interval,
    multiple,
    percent,
    points,
    round_half_up,
)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0, "0.0"),
        (1, "100.0"),
        (Fraction(1, 3), "33.3"),
        (Fraction(2, 3), "66.7"),
        (0.4605, "46.1"),  # the binary float lies below the tie
        (0.0005, "0.1"),
        (0.00049999, "0.0"),
        (Fraction(1, 2000), "0.1"),
        (Decimal("0.12345"), "12.3"),
        (Decimal("0.1235"), "12.4"),
        (np.float64(0.4605), "46.1"),
        (np.int64(1), "100.0"),
        (-0.0001, "0.0"),
        (-0.0005, "−0.1"),
        (0.9995, "100.0"),
        (1e-30, "0.0"),
        (1e22, "1" + "0" * 24 + ".0"),
        (None, "undefined"),
    ],
)
def test_percent(value, shown):
    assert percent(value) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [(Fraction(783, 365), "2.15×"), (0, "0.00×"), (2.005, "2.01×"), (3.4, "3.40×"), (None, "undefined")],
)
def test_multiple(value, shown):
    assert multiple(value) == shown


@pytest.mark.parametrize(
    ("value", "shown"), [(0.021, "+2.1"), (-0.021, "−2.1"), (0.0004, "0.0"), (-0.0004, "0.0"), (None, "undefined")]
)
def test_points(value, shown):
    assert points(value) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0, "0"), (999, "999"), (1000, "1_000"), (1234567, "1_234_567"), (-4539, "−4_539"), (None, "—")],
)
def test_count(value, shown):
    assert count(value) == shown.replace("_", THIN)


def test_interval():
    assert interval(percent(0.1), percent(0.25)) == "[10.0, 25.0]"
    assert interval(points(-0.1), points(0.25)) == "[−10.0, +25.0]"


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), True, "1", Decimal("NaN"), [1], 1j])
def test_only_finite_numbers_are_shown(bad):
    with pytest.raises(InputError, match="only a finite number"):
        exact(bad)


@given(st.fractions(min_value=-10_000, max_value=10_000), st.integers(0, 6))
def test_rounding_is_half_away_from_zero(value, digits):
    rounded = Fraction(round_half_up(value, digits))
    step = Fraction(1, 10**digits)
    assert abs(rounded - value) <= step / 2
    if abs(rounded - value) == step / 2:
        assert abs(rounded) > abs(value)
    assert round_half_up(-value, digits) == -round_half_up(value, digits)
    assert Fraction(fixed(value, digits).replace("−", "-")) == rounded


@given(st.decimals(allow_nan=False, allow_infinity=False, min_value=-1000, max_value=1000, places=2), st.integers(0, 1))
def test_floats_round_as_they_print(value, digits):
    assert round_half_up(float(value), digits) == round_half_up(value, digits)
