"""Temporal trajectories: a day's segments of typed, cited facts, and the daily record that holds them (Equation 5)."""

from __future__ import annotations

import json
import re
from datetime import date, datetime, time
from functools import cached_property
from typing import Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from proactmem.core.facts import Canonical, Fact
from proactmem.core.streams import DAY_SECONDS, Span

__all__ = [
    "DailyFact",
    "DailyOutcome",
    "DailyRecord",
    "DraftSegment",
    "RejectionReason",
    "Segment",
    "SegmentRejection",
    "clock_text",
    "json_line",
    "parse_clock",
]

RejectionReason = Literal[
    "wrong_entity",
    "bad_interval",
    "unknown_source",
    "no_source",
    "no_facts",
    "unknown_path",
    "ambiguous_path",
    "value_differs",
    "malformed",
]
"""Why the validator refused a segment (SPEC 3)."""

DailyOutcome = Literal["accepted", "nothing", "unusable"]
"""A day whose reply gave segments, one that gave none that stands, and one whose reply could not be read."""


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class DraftSegment(_Frozen):
    """A segment as a model writes it, unchecked (Appendix B.1)."""

    entity: str
    """The stream it claims to describe."""
    start: str = Field(max_length=40)
    """Local start, HH:MM[:SS] or a local ISO time of the day."""
    end: str = Field(max_length=40)
    """Local end; 24:00 is the end of the day."""
    observed: tuple[Fact, ...] = ()
    context_before: tuple[Fact, ...] = ()
    outcome: tuple[Fact, ...] = ()
    sources: tuple[str, ...] = ()
    """Event ids of the completed day."""

    @property
    def facts(self) -> tuple[Fact, ...]:
        """All typed facts, in order."""
        return self.observed + self.context_before + self.outcome


class Segment(_Frozen):
    """An accepted trajectory segment d of a completed day; its interval is the hull of its sources' times."""

    segment_id: str
    stream_id: str
    day: date
    start: float
    """Local start, seconds since 00:00 of the day."""
    end: float
    """Local end, seconds since 00:00 of the day."""
    observed: tuple[Fact, ...] = ()
    context_before: tuple[Fact, ...] = ()
    outcome: tuple[Fact, ...] = ()
    sources: tuple[str, ...]

    @property
    def facts(self) -> tuple[Fact, ...]:
        """All typed facts, in order."""
        return self.observed + self.context_before + self.outcome

    @cached_property
    def line(self) -> str:
        """The segment as a model is shown it, one line of JSON; empty parts left out."""
        shown: dict[str, object] = {
            "id": self.segment_id,
            "day": self.day.isoformat(),
            "start": clock_text(self.start),
            "end": clock_text(self.end),
        }
        parts = (("observed", self.observed), ("context_before", self.context_before), ("outcome", self.outcome))
        for name, facts in parts:
            if facts:
                shown[name] = [{"path": fact.path, "value": fact.value} for fact in facts]
        return json_line(shown | {"sources": list(self.sources)})


class SegmentRejection(_Frozen):
    """A refused segment, kept for audit and counted."""

    reason: RejectionReason
    detail: str
    """What failed: a path, an id, an interval."""
    position: int
    """0-based position in the model's reply."""


class DailyFact(NamedTuple):
    """One validated fact of a day at the time of the earliest cited event that contains it."""

    path: str
    value: Canonical
    span: Span


class DailyRecord(_Frozen):
    """A completed local day with events; it advances the construction cycle whatever its outcome (Appendix B.1)."""

    record_id: str
    stream_id: str
    day: date
    events: int
    outcome: DailyOutcome
    segments: tuple[Segment, ...] = ()
    rejections: tuple[SegmentRejection, ...] = ()


_CLOCK = re.compile(r"(\d{1,2}):(\d{2})(?::(\d{2})(\.\d{1,6})?)?")


def json_line(value: object) -> str:
    """One line of JSON in which no text can open or close a block of a prompt: `<` is written as its escape."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")


def clock_text(seconds: float) -> str:
    """Local clock time HH:MM:SS of a second of the day; 24:00:00 for its end.

    >>> clock_text(63108)
    '17:31:48'
    """
    whole = int(seconds)
    return f"{whole // 3600:02d}:{whole // 60 % 60:02d}:{whole % 60:02d}"


def parse_clock(text: str, day: date) -> tuple[float, float] | None:
    """The second of `day` that a local time means, and the last second it covers at its own precision.

    HH:MM covers its whole minute and HH:MM:SS its whole second, so that an interval written at minute precision covers
    its sources; the day's last minute reaches its end (ours). None: not a time, one with a zone, or one of another day.

    >>> parse_clock("17:31", date(2015, 7, 22))
    (63060.0, 63119.999999)
    """
    stripped = text.strip()
    if "T" in stripped or " " in stripped:
        try:
            moment = datetime.fromisoformat(stripped)
        except ValueError:
            return None
        if moment.tzinfo is not None:
            return None
        midnight = datetime.combine(day, time.min)
        second = (moment - midnight).total_seconds()
        return (second, _covered(second, 0.999999)) if 0 <= second <= DAY_SECONDS else None
    match = _CLOCK.fullmatch(stripped)
    if match is None:
        return None
    hour, minute = int(match[1]), int(match[2])
    second = hour * 3600.0 + minute * 60 + int(match[3] or 0) + float(match[4] or 0)
    if minute > 59 or int(match[3] or 0) > 59 or second > DAY_SECONDS:
        return None
    slack = 59.999999 if match[3] is None else 0.999999
    return second, _covered(second, slack)


def _covered(second: float, slack: float) -> float:
    return DAY_SECONDS if second >= DAY_SECONDS - 60 else second + slack
