"""Behavioral regularities: a trigger, an expected behaviour and a window, with an id that is their content (SPEC 4)."""

from __future__ import annotations

import hashlib
import json
from datetime import date
from functools import cached_property
from typing import Annotated, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from proactmem.core.predicates import Predicate
from proactmem.core.streams import DAY_SECONDS
from proactmem.core.trajectories import clock_text, parse_clock

__all__ = [
    "DraftRegularity",
    "Match",
    "MatchState",
    "ProposalRejection",
    "Regularity",
    "RegularityStatus",
    "Transition",
    "Window",
]

RegularityStatus = Literal["candidate", "active", "weakening", "dormant", "retired"]
"""Lifecycle of Appendix B.2; `retired` is ours."""

MatchState = Literal["upcoming", "pending", "deviated", "fulfilled", "censored"]
"""State of today's occurrence (Section 3.2); the last two are never retrieved."""


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Window(_Frozen):
    """[start, end) of local time within one day, HH:MM; an end of 24:00 is allowed."""

    start: str
    end: str

    @model_validator(mode="after")
    def _inside_one_day(self) -> Self:
        low, high = parse_clock(self.start, date.min), parse_clock(self.end, date.min)
        if low is None or high is None or "T" in self.start + self.end or not 0 <= low[0] < high[0] <= DAY_SECONDS:
            raise ValueError("a window is HH:MM to HH:MM of one local day, start before end, 24:00 allowed as end")
        return self

    @cached_property
    def seconds(self) -> tuple[float, float]:
        """Start and end in seconds since 00:00."""
        low, high = parse_clock(self.start, date.min), parse_clock(self.end, date.min)
        assert low is not None  # both were checked at construction
        assert high is not None
        return low[0], high[0]


_WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


def _weekday_numbers(value: object) -> object:
    """English names of weekdays as numbers; anything else as it is, for the validator to judge."""
    if not isinstance(value, list | tuple):
        return value
    long = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
    numbers = {name.casefold(): number for names in (_WEEKDAYS, long) for number, name in enumerate(names)}
    return [numbers.get(item.strip().casefold(), item) if isinstance(item, str) else item for item in value]


class DraftRegularity(_Frozen):
    """A regularity as a model proposes it, unchecked."""

    trigger: Predicate
    behavior: Predicate
    window: Window
    weekdays: Annotated[tuple[int, ...] | None, BeforeValidator(_weekday_numbers)] = None
    """0 = Monday to 6 = Sunday, English names accepted; None or empty means every day."""
    sources: tuple[str, ...] = Field(default=())
    """Daily record ids."""

    @model_validator(mode="after")
    def _weekdays_exist(self) -> Self:
        if any(not 0 <= weekday <= 6 for weekday in self.weekdays or ()):
            raise ValueError("weekdays run from 0 (Monday) to 6 (Sunday)")
        return self


class Regularity(_Frozen):
    """After trigger g, behaviour p is expected within the window on the weekdays (Section 3.1)."""

    trigger: Predicate
    behavior: Predicate
    window: Window
    weekdays: tuple[int, ...] | None
    """Sorted, None for every day."""

    @cached_property
    def regularity_id(self) -> str:
        """Hash of the canonical content: a reproposal has the same id."""
        low, high = self.window.seconds
        text = json.dumps([self.trigger.key, self.behavior.key, low, high, self.weekdays], sort_keys=True)
        return "reg_" + hashlib.sha256(text.encode()).hexdigest()[:16]

    def applies(self, weekday: int) -> bool:
        """Whether the weekday (0 = Monday) is allowed."""
        return self.weekdays is None or weekday in self.weekdays

    @property
    def window_text(self) -> str:
        """The window for people, HH:MM-HH:MM with weekdays."""
        low, high = self.window.seconds
        days = "" if self.weekdays is None else " on " + " ".join(_WEEKDAYS[d] for d in self.weekdays)
        return f"{clock_text(low)[:5]}-{clock_text(high)[:5]}{days}"

    def __str__(self) -> str:
        return f"when {self.trigger}, then {self.behavior} in {self.window_text}"


class ProposalRejection(_Frozen):
    """A malformed regularity proposal, kept for audit and counted."""

    reason: Literal["malformed", "unknown_path", "ambiguous_path", "type_mismatch", "no_source", "unknown_source"]
    detail: str
    position: int
    """0-based position in the model's reply."""


class Transition(_Frozen):
    """A recorded change of lifecycle status, with its cause (Appendix B.2)."""

    regularity_id: str
    day: date
    """The local day at whose close it happened."""
    before: RegularityStatus | None
    """None for a new candidate."""
    after: RegularityStatus
    cause: str


class Match(_Frozen):
    """One retrieved regularity with the state of today's occurrence (Equation 7)."""

    regularity: Regularity
    state: MatchState
    lifecycle: Literal["active", "weakening"]
    confidence: float
    """(s + 1) / (s + v + 2) over replay and online counts (Appendix B.2)."""
    fulfilled_days: int
    """s: days on which it held."""
    violated_days: int
    """v: days on which it did not."""
    trigger_second: float
    """When the trigger was first seen today, second of the local day."""
    distance_seconds: float
    """start - now before the window, 0 inside, now - end after it."""
