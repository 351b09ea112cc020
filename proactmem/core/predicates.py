"""A condition over one field path, and when it holds (SPEC 4)."""

from __future__ import annotations

import json
import operator
from collections.abc import Callable, Iterable, Sequence, Set
from datetime import datetime
from functools import cached_property
from typing import Any, Literal, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field, model_validator

from proactmem.core.events import Scope
from proactmem.core.facts import Canonical, FactValue, canonical, resolve
from proactmem.core.scopes import ValueKind, path_kind

__all__ = ["Op", "Predicate", "PredicateFault", "check_predicate", "holds", "satisfies"]

T = TypeVar("T")

Op = Literal["==", "!=", "<", "<=", ">", ">=", "in"]
"""Comparison of the values at a path with a constant."""

PredicateFault = Literal["unknown_path", "ambiguous_path", "type_mismatch"]
"""Why a well-formed predicate is refused against a scope's schema."""


class Predicate(BaseModel):
    """A trigger g or behaviour p: one path, one operator, one constant (a list for `in`).

    >>> activity = Predicate(path="observable_payload.recognized_activity", op="==", value="STILL")
    >>> holds(activity, (("text", "still"),))
    True
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    path: str = Field(min_length=1, max_length=400)
    op: Op
    value: FactValue | tuple[FactValue, ...]

    @model_validator(mode="after")
    def _list_exactly_for_in(self) -> Self:
        if (self.op == "in") != isinstance(self.value, tuple):
            raise ValueError("op 'in' takes a list of values, every other op one value")
        if any(operand is None for operand in self._operands()) or not self._operands():
            raise ValueError("value must be a finite scalar, or a non-empty list of them")
        return self

    def _operands(self) -> tuple[Canonical | None, ...]:
        values = self.value if isinstance(self.value, tuple) else (self.value,)
        return tuple(canonical(value) for value in values)

    @cached_property
    def operands(self) -> tuple[Canonical, ...]:
        """The constant(s) in canonical form."""
        return tuple(operand for operand in self._operands() if operand is not None)

    @cached_property
    def key(self) -> str:
        """Canonical content, one line of JSON: equal for predicates that mean the same."""
        operands = sorted(set(self.operands), key=repr) if self.op == "in" else self.operands
        return json.dumps([self.path, self.op, operands])

    def __str__(self) -> str:
        value = list(self.value) if isinstance(self.value, tuple) else self.value
        return f"{self.path} {self.op} {value}"


_ORDER: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def _moment(scalar: object) -> object:
    return datetime.fromisoformat(scalar) if isinstance(scalar, str) else scalar


def satisfies(predicate: Predicate, held: Iterable[tuple[T, Canonical]]) -> list[T]:
    """The keys whose value satisfies `==`, `in` or an ordering, each value judged by itself (SPEC 4).

    Args:
        predicate: The condition; `!=` is about all values of a time at once and not for this function.
        held: (key, value) pairs, such as the spans of one path's facts.
    """
    first = predicate.operands[0]
    match predicate.op:
        case "==":
            return [key for key, value in held if value == first]
        case "in":
            return [key for key, value in held if value in predicate.operands]
        case op:
            kind, limit = first
            ordered = _ORDER[op]
            if kind == "number":
                return [key for key, value in held if value[0] == "number" and ordered(value[1], limit)]
            if kind not in ("instant", "local"):
                return []
            bound = _moment(limit)
            return [key for key, value in held if value[0] == kind and ordered(_moment(value[1]), bound)]


def holds(predicate: Predicate, values: Sequence[Canonical], *, observed: bool = True) -> bool:
    """Whether the predicate holds on the values at its path at one time.

    `==` and `in` hold when any element equals; ordering when any element satisfies it; `!=` when the path is observed
    and no element equals (SPEC 4).

    Args:
        predicate: The condition.
        values: Canonical values at its path; empty where none was held.
        observed: Whether the path's container was held, so that an absent value is an observation of absence.
    """
    if predicate.op == "!=":
        return observed and predicate.operands[0] not in values
    return bool(satisfies(predicate, ((True, value) for value in values)))


def _fits(kind: ValueKind, op: Op, operand: Canonical) -> bool:
    ordering = op in ("<", "<=", ">", ">=")
    match kind:
        case "number":
            return operand[0] == "number"
        case "boolean":
            return operand[0] == "boolean" and not ordering
        case "instant" | "local":
            return operand[0] == kind
        case "text":
            return operand[0] in ("text", "instant", "local") and not ordering
        case _:
            return not ordering or operand[0] in ("number", "instant", "local")


def check_predicate(predicate: Predicate, scope: Scope, seen: Set[str]) -> Predicate | PredicateFault:
    """The predicate with its full schema path, or why it means nothing in this scope (SPEC 4, Malformed)."""
    path, fault = resolve(predicate.path, scope, seen)
    if path is None:
        return fault or "unknown_path"
    kind = path_kind(path, scope)
    if kind is None:
        return "unknown_path"
    if not all(_fits(kind, predicate.op, operand) for operand in predicate.operands):
        return "type_mismatch"
    return predicate if path == predicate.path else Predicate(path=path, op=predicate.op, value=predicate.value)
