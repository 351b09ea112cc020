"""How numbers are shown: exact decimal rounding, half away from zero, and words where there is no number.

The rule: a value is taken as an exact rational number and rounded once, to the digits shown; a tie goes away from
zero, as in the published tables. A float stands for the shortest decimal that prints it, so 0.4605 shows as 46.1 %
although the binary number lies below the tie.
"""

from __future__ import annotations

import math
from decimal import ROUND_HALF_UP, Decimal, localcontext
from fractions import Fraction
from numbers import Integral

from proactmem.errors import InputError

__all__ = [
    "MINUS",
    "NOT_PUBLISHED",
    "NOT_RUN",
    "THIN",
    "TIMES",
    "UNDEFINED",
    "Number",
    "count",
    "exact",
    "fixed",
    "interval",
    "multiple",
    "percent",
    "points",
    "round_half_up",
]

Number = Fraction | Decimal | float | int
"""What can be shown; never a boolean."""

UNDEFINED = "undefined"
"""A metric with an empty denominator (SPEC 9)."""
NOT_RUN = "—"
"""Nothing was run or measured."""
NOT_PUBLISHED = "not published here"
"""The authors' tables do not hold it."""
TIMES = "×"
"""The unit of frequency: interventions per reference-positive event."""
MINUS = "−"
"""The minus sign of shown numbers, as wide as a plus."""
THIN = "\u202f"
"""Narrow no-break space between groups of three digits."""


def exact(value: Number) -> Fraction:
    """The value as a fraction; a float by its shortest decimal form.

    Raises:
        InputError: Not a finite number.

    >>> exact(0.4605)
    Fraction(921, 2000)
    """
    if isinstance(value, Integral) and not isinstance(value, bool):
        return Fraction(int(value))
    if isinstance(value, bool) or not isinstance(value, Fraction | Decimal | float) or not math.isfinite(value):
        raise InputError(
            "only a finite number can be shown", found=value, expected="an int, float, Decimal or Fraction",
            remedy="Give None where there is no number.",
        )  # fmt: skip
    # float() first: a numpy float prints its type's name around the digits.
    return Fraction(repr(float(value))) if isinstance(value, float) else Fraction(value)


def round_half_up(value: Number, digits: int) -> Decimal:
    """The exact value rounded once to `digits` decimals, ties away from zero; never a negative zero.

    >>> round_half_up(Fraction(1, 8), 2), round_half_up(-0.125, 2), round_half_up(-0.004, 2)
    (Decimal('0.13'), Decimal('-0.13'), Decimal('0.00'))
    """
    scaled = exact(value) * 10**digits
    whole = math.floor(abs(scaled) + Fraction(1, 2))
    with localcontext() as context:
        context.prec = max(28, len(str(whole)) + digits + 2)
        context.rounding = ROUND_HALF_UP
        return Decimal(-whole if scaled < 0 else whole).scaleb(-digits)


def fixed(value: Number | None, digits: int, *, signed: bool = False) -> str:
    """The rounded number with exactly `digits` decimals, or the word for an undefined one.

    >>> fixed(-1.25, 1), fixed(2, 1, signed=True), fixed(None, 1)
    ('−1.3', '+2.0', 'undefined')
    """
    if value is None:
        return UNDEFINED
    rounded = round_half_up(value, digits)
    sign = MINUS if rounded < 0 else "+" if signed and rounded > 0 else ""
    return f"{sign}{abs(rounded):f}"


def percent(share: Number | None, digits: int = 1) -> str:
    """A share in percent with one decimal, the unit left to the column's head.

    >>> percent(Fraction(56, 73)), percent(0.4605), percent(None)
    ('76.7', '46.1', 'undefined')
    """
    return fixed(None if share is None else exact(share) * 100, digits)


def points(share: Number | None, digits: int = 1) -> str:
    """A difference of two shares in percentage points, with its sign.

    >>> points(0.0531), points(-0.02), points(0)
    ('+5.3', '−2.0', '0.0')
    """
    return fixed(None if share is None else exact(share) * 100, digits, signed=True)


def multiple(value: Number | None, digits: int = 2) -> str:
    """A multiple with two decimals and its sign.

    >>> multiple(Fraction(783, 365)), multiple(None)
    ('2.15×', 'undefined')
    """
    return UNDEFINED if value is None else fixed(value, digits) + TIMES


def count(number: int | None) -> str:
    """A whole number in groups of three, or the dash for what was not counted.

    >>> count(1456).replace(THIN, " "), count(999), count(None)
    ('1 456', '999', '—')
    """
    return NOT_RUN if number is None else f"{number:,}".replace(",", THIN).replace("-", MINUS)


def interval(low: str, high: str) -> str:
    """Two formatted ends as an interval.

    >>> interval(percent(0.4), percent(0.5))
    '[40.0, 50.0]'
    """
    return f"[{low}, {high}]"
