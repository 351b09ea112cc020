"""Whether the public fields alone tell the label classes apart: both share one schema, and no field is a label in disguise.

A count, not a proof: it finds a field that is there, or has a value, in exactly the events of one class.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pydantic import BaseModel, ConfigDict

__all__ = ["MIN_EVENTS", "ClassComparison", "Comparison", "FieldPresence"]

MIN_EVENTS = 5
"""Events each class needs before a field can be said to tell them apart (ours)."""
MAX_VALUES = 4
"""Values up to which a field is looked at value by value (ours)."""

_NAMES = ("stream_id", "event_id", "repository")
"""Fields that name whose event it is: a stream may well have labels of one class only."""


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class FieldPresence(_Frozen):
    """A field path and in how many labelled events of each class it holds a value."""

    path: str
    intervene: int
    abstain: int


class ClassComparison(_Frozen):
    """The fields of the two label classes of one part, side by side."""

    intervene: int
    """Labelled events of y = 1."""
    abstain: int
    """Of y = 0."""
    fields: int
    """Field paths that hold a value anywhere in them."""
    one_class_only: tuple[FieldPresence, ...]
    """Paths that hold a value in one class only: told, and no error, since rare fields do."""
    separating: tuple[str, ...]
    """Paths whose presence or few values tell the two classes apart without one exception."""


class Comparison:
    """Counts field paths and their values by class, one labelled event at a time, in memory that the number of paths bounds."""

    def __init__(self) -> None:
        self._totals = [0, 0]
        self._present: dict[str, list[int]] = {}
        self._values: dict[str, dict[str, list[int]]] = {}

    def add(self, public: Mapping[str, object], y: bool) -> None:
        """Count the fields of one labelled event."""
        self._totals[y] += 1
        found: dict[str, list[str]] = {}
        for path, value in _scalars({name: part for name, part in public.items() if name not in _NAMES}, ""):
            found.setdefault(path, []).append(value)
        for path, values in found.items():
            self._present.setdefault(path, [0, 0])[y] += 1
            counts = self._values.setdefault(path, {})
            value = "|".join(sorted(set(values)))
            if value in counts or len(counts) <= MAX_VALUES:
                counts.setdefault(value, [0, 0])[y] += 1

    def result(self) -> ClassComparison:
        """What the counts say."""
        alone = [
            FieldPresence(path=path, intervene=counts[1], abstain=counts[0])
            for path, counts in sorted(self._present.items())
            if 0 in counts and min(self._totals) > 0
        ]
        enough = min(self._totals) >= MIN_EVENTS
        return ClassComparison(
            intervene=self._totals[1],
            abstain=self._totals[0],
            fields=len(self._present),
            one_class_only=tuple(alone),
            separating=tuple(path for path in sorted(self._present) if enough and self._separates(path)),
        )

    def _separates(self, path: str) -> bool:
        present = self._present[path]
        if present in ([self._totals[0], 0], [0, self._totals[1]]):
            return True
        values = self._values[path]
        absent = [total - here for total, here in zip(self._totals, present, strict=True)]
        groups = [*values.values(), *([absent] if any(absent) else [])]
        return len(values) <= MAX_VALUES and len(groups) > 1 and all(0 in counts for counts in groups)


def _scalars(data: object, path: str) -> Iterator[tuple[str, str]]:
    """Path and value of every scalar that is there; null is not, and a list gives its items at its own path."""
    match data:
        case Mapping():
            for name, value in data.items():
                yield from _scalars(value, f"{path}.{name}" if path else str(name))
        case list() | tuple():
            for item in data:
                yield from _scalars(item, path)
        case None:
            return
        case _:
            yield path, repr(data)
