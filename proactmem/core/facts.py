"""F(e): the set of (path, canonical scalar) of an event's public fields, and how a path is understood (Equation 5)."""

from __future__ import annotations

import contextlib
import math
import re
import unicodedata
from collections.abc import Iterable, Mapping, Set
from datetime import UTC, date, datetime
from functools import lru_cache
from typing import Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, StrictBool

from proactmem.core.events import CodeEvent, DesktopEvent, HomeEvent, Scope, SportsEvent
from proactmem.core.scopes import OPEN_CONTAINERS, schema_paths

__all__ = [
    "Canonical",
    "Fact",
    "FactValue",
    "Resolution",
    "canonical",
    "container_of",
    "event_facts",
    "observed_containers",
    "resolve",
]

Canonical = tuple[Literal["text", "number", "boolean", "instant", "local"], str | int | float | bool]
"""A scalar in the form in which two are compared: kind and value."""

FactValue = str | StrictBool | int | float
"""A typed fact's value as a model writes it."""

Public = SportsEvent | HomeEvent | CodeEvent | DesktopEvent

_ISO = re.compile(r"\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?\s*([Zz]|[+-]\d{2}:?\d{2})?")


class Fact(BaseModel):
    """A typed, checkable statement: one field path and one scalar value."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    path: str = Field(min_length=1, max_length=400)
    """Dotted field path, whole or a whole-segment suffix of one schema path."""
    value: FactValue
    """The scalar; compared in canonical form."""


@lru_cache(maxsize=4_096)
def _canonical_text(text: str) -> Canonical:
    stripped = text.strip()
    if _ISO.fullmatch(stripped):
        # A text that looks like a time and is none, or none that UTC can say, is a text.
        with contextlib.suppress(ValueError, OverflowError):
            return _canonical_moment(datetime.fromisoformat(stripped.replace(" ", "T", 1).replace(" ", "").upper()))
    return ("text", " ".join(unicodedata.normalize("NFC", text).casefold().split()))


def _canonical_moment(moment: datetime) -> Canonical:
    if moment.tzinfo is None:
        return ("local", moment.isoformat())
    return ("instant", moment.astimezone(UTC).isoformat())


def canonical(value: object) -> Canonical | None:
    """The canonical scalar: text NFC, casefolded, blanks collapsed; numbers by value; instants as instants.

    Null, NaN and infinity are no facts (None). A numeric string stays a string; a boolean equals only a boolean.

    >>> canonical(1) == canonical(1.0), canonical("1") == canonical(1), canonical(True) == canonical(1)
    (True, False, False)
    >>> canonical("2015-07-22T21:31:48Z") == canonical("2015-07-22T17:31:48-04:00")
    True
    """
    match value:
        case None:
            return None
        case bool():
            return ("boolean", value)
        case int():
            return ("number", value)
        case float():
            if not math.isfinite(value):
                return None
            # 1.0 is written as 1, so that content hashes agree where values do.
            return ("number", int(value) if value.is_integer() and abs(value) < 2**53 else value)
        case str():
            return _canonical_text(value)
        case datetime():
            return _canonical_moment(value)
        case date():
            return ("text", value.isoformat())
        case _:
            return None


def _walk(prefix: str, value: object, into: dict[str, list[Canonical]]) -> None:
    match value:
        case BaseModel():
            for name in type(value).model_fields:
                if not (prefix == "" and name == "scope"):
                    _walk(f"{prefix}.{name}" if prefix else name, getattr(value, name), into)
        case Mapping():
            for key, item in value.items():
                _walk(f"{prefix}.{key}", item, into)
        case list() | tuple():
            for item in value:
                _walk(prefix, item, into)
        case _:
            scalar = canonical(value)
            if scalar is not None:
                found = into.setdefault(prefix, [])
                if scalar not in found:
                    found.append(scalar)


def event_facts(event: Public) -> dict[str, tuple[Canonical, ...]]:
    """F(e): canonical scalars by path; a list gives one fact an element at the same path (Equation 5)."""
    found: dict[str, list[Canonical]] = {}
    _walk("", event, found)
    return {path: tuple(values) for path, values in found.items()}


def container_of(path: str, scope: Scope) -> str:
    """What must be held for `path` to be observed: an open container or a list for its members, else the path itself."""
    for container in OPEN_CONTAINERS[scope]:
        if path == container or path.startswith(container + "."):
            return container
    return path


def observed_containers(event: Public, paths: Iterable[str] | None = None) -> frozenset[str]:
    """Containers observable at this event: open maps and lists always (absence is observed), scalars when not null.

    Args:
        event: The public event.
        paths: Paths at which it holds a scalar, where they are already known (`event_facts`).
    """
    held = event_facts(event) if paths is None else paths
    found = {container_of(path, event.scope) for path in held}
    found.update(OPEN_CONTAINERS[event.scope])
    if isinstance(event, CodeEvent):
        for name, fields in (("content", event.content), ("attributes", event.attributes)):
            found.update(f"{name}.{key}" for key, value in fields.items() if isinstance(value, tuple))
    return frozenset(found)


class Resolution(NamedTuple):
    """What a written path means: the schema path, or the fault that keeps it from meaning one."""

    path: str | None
    fault: Literal["unknown_path", "ambiguous_path"] | None


def resolve(path: str, scope: Scope, seen: Set[str] = frozenset()) -> Resolution:
    """The one schema path that `path` names: exactly, or as a whole-segment suffix (SPEC 3).

    Args:
        path: As a model wrote it.
        scope: Whose schema.
        seen: Paths that events really held, for the members of open containers (rooms, content, attributes).

    >>> resolve("recognized_activity", "sports").path
    'observable_payload.recognized_activity'
    >>> resolve("activity", "sports").fault
    'unknown_path'
    """
    closed = schema_paths(scope)
    if path in closed or path in seen:
        return Resolution(path, None)
    suffix = "." + path
    candidates = {name for name in (*closed, *seen) if name.endswith(suffix)}
    if len(candidates) == 1:
        return Resolution(candidates.pop(), None)
    return Resolution(None, "ambiguous_path" if candidates else "unknown_path")
