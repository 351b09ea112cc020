"""What the three memory layers held when one event arrived, told from the run's records and audit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import NamedTuple

from proactmem.core.records import MatchRecord
from proactmem.core.regularities import Regularity, RegularityStatus
from proactmem.core.trajectories import DailyRecord, Segment
from proactmem.explore.replayed import Replayed

__all__ = ["Layers", "Stretch", "applied", "cycle_days", "layers_at", "most_applied", "stretches"]

_USABLE = ("active", "weakening")
"""Statuses in which a regularity is matched (Equation 7)."""


@dataclass(frozen=True)
class Layers:
    """S_t, W_t and L_t at one event: only what closed days and earlier events had left there."""

    recent: range
    """Indices of S_t (Equation 4)."""
    segments: tuple[Segment, ...]
    """W_t: accepted segments of the current cycle (Equation 5)."""
    cycles: int
    """Construction cycles closed before."""
    open_cycle: tuple[DailyRecord, ...]
    """Daily records of the current cycle."""
    statuses: Mapping[str, tuple[RegularityStatus, Regularity]]
    """Every regularity that was not retired, by id, with its status."""

    @property
    def counts(self) -> Mapping[RegularityStatus, int]:
        """Regularities by status."""
        return Counter(status for status, _ in self.statuses.values())


def layers_at(replayed: Replayed, index: int) -> Layers:
    """What memory held when the event at `index` was staged: its own day and later ones are not in it.

    A method without a layer leaves it empty.
    """
    event, record = replayed.events[index], replayed.records[index]
    seen = record.context
    recent = 0 if seen is None else seen.recent
    closed = [day for day in replayed.days if day.day < event.day]
    length = replayed.manifest.config.cycle_records
    statuses: dict[str, tuple[RegularityStatus, Regularity]] = {}
    for change, regularity in replayed.changes:
        if change.day >= event.day:
            break
        statuses[change.regularity_id] = (change.after, regularity)
    return Layers(
        recent=range(index - recent, index),
        segments=tuple(replayed.segments[name] for name in (() if seen is None else seen.trajectories)),
        cycles=len(closed) // length,
        open_cycle=tuple(closed[len(closed) // length * length :]),
        statuses={name: found for name, found in statuses.items() if found[0] != "retired"},
    )


def cycle_days(replayed: Replayed) -> list[date]:
    """The local days at whose close a construction cycle ended (every seven daily records by default)."""
    length = replayed.manifest.config.cycle_records
    return [day.day for day in replayed.days[length - 1 :: length]]


class Stretch(NamedTuple):
    """Local days, both inclusive, on which a regularity was active or weakening."""

    number: int
    """As in `Replayed.numbers`."""
    regularity: Regularity
    status: RegularityStatus
    first: date
    last: date

    @property
    def hours(self) -> tuple[float, float]:
        """Its window, local hours of a day."""
        low, high = self.regularity.window.seconds
        return low / 3600, high / 3600

    def applies(self, day: date) -> bool:
        """Whether its window lies on the day: within the stretch, and on one of its weekdays."""
        return self.first <= day <= self.last and self.regularity.applies(day.weekday())


def stretches(replayed: Replayed) -> list[Stretch]:
    """When each regularity was active or weakening, by first day, then number.

    A transition at the close of a day counts from the next day on; a stretch that nothing ended ends with the stream.
    """
    found: list[Stretch] = []
    since: dict[str, Stretch] = {}
    last = replayed.events[-1].day
    for change, regularity in replayed.changes:
        name = change.regularity_id
        if name in since and since[name].status != change.after:
            found.append(since.pop(name)._replace(last=change.day))
        if change.after in _USABLE and name not in since:
            tomorrow = change.day + timedelta(days=1)
            since[name] = Stretch(replayed.numbers[name], regularity, change.after, tomorrow, last)
    found += since.values()
    return sorted((one for one in found if one.first <= one.last), key=lambda one: (one.first, one.number))


def applied(replayed: Replayed, index: int) -> Iterator[tuple[int, MatchRecord]]:
    """R_t at the event at `index`, best first, each with its number (`Replayed.numbers`)."""
    context = replayed.records[index].context
    for match in context.regularities if context is not None else ():
        yield replayed.numbers[match.regularity_id], match


def most_applied(replayed: Replayed, index: int, places: Iterable[int], numbers: Iterable[int], most: int) -> list[int]:
    """Of some regularities (`Replayed.numbers`), those in R_t at the event at `index`, then those most often in R_t.

    Args:
        replayed: The stream.
        index: The event that is looked at.
        places: Indices of the events over which it is counted how often.
        numbers: The regularities to choose among; those in R_t at one of the events are added.
        most: How many at most.

    Returns:
        Their numbers, ascending.
    """
    counted = dict.fromkeys(sorted(set(numbers)), 0)
    for place in places:
        for number, _ in applied(replayed, place):
            counted[number] = counted.get(number, 0) + (len(replayed.records) if place == index else 1)
    return sorted(sorted(counted, key=lambda number: (-counted[number], number))[:most])
