"""Slots, zones and daylight saving: the five decision points of a local day and their UTC text.

HeartSteps prints UTC without a zone beside an offset in seconds; local time is UTC plus the offset.
"""

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

__all__ = ["SLOT_RANGES", "Zone", "etc_name", "hhmm", "slot_of", "utc_text"]

SLOT_RANGES = ((300, 570), (660, 780), (840, 900), (990, 1080), (1140, 1230))
"""Allowed minutes of the local day for morning, lunch, afternoon, evening and dinner."""


@dataclass(frozen=True, slots=True)
class Zone:
    """A zone of the United States, known by its winter offset."""

    standard: int
    """Seconds east of UTC in winter."""
    saving: bool = True
    """Whether the clock goes forward in summer."""

    def offset(self, day: date) -> int:
        """Seconds east of UTC at any decision point of a local day (the clock changes at 02:00, before all of them).

        Example:
            >>> eastern = Zone(-18000)
            >>> eastern.offset(date(2015, 10, 31)), eastern.offset(date(2015, 11, 1))
            (-14400, -18000)
        """
        summer = _nth_sunday(day.year, 3, 2) <= day < _nth_sunday(day.year, 11, 1)
        return self.standard + (3600 if self.saving and summer else 0)


def _nth_sunday(year: int, month: int, nth: int) -> date:
    first = date(year, month, 1)
    return first + timedelta(days=(6 - first.weekday()) % 7 + 7 * (nth - 1))


def etc_name(offset: int) -> str:
    """The POSIX zone name of an offset, whose sign is the other way round.

    Example:
        >>> etc_name(-14400)
        'Etc/GMT+4'
    """
    return f"Etc/GMT{-offset // 3600:+d}"


def utc_text(day: date, second: int, offset: int) -> str:
    """The UTC text of a local second of a day, without a zone.

    Example:
        >>> utc_text(date(2015, 7, 22), 20 * 3600, -14400)
        '2015-07-23 00:00:00'
    """
    moment = datetime.combine(day, time(), tzinfo=UTC) + timedelta(seconds=second - offset)
    return moment.isoformat(sep=" ")[:19]


def slot_of(minute: int) -> int:
    """The slot a local minute really falls in; 0 is before the first slot.

    Example:
        >>> slot_of(8 * 60), slot_of(14 * 60 + 30), slot_of(4 * 60)
        (1, 3, 0)
    """
    return sum(minute >= start for start in (300, 660, 840, 990, 1140))


def hhmm(minute: int) -> str:
    """A minute of the local day as HH:MM; the end of the day is 24:00."""
    return f"{minute // 60:02d}:{minute % 60:02d}"
