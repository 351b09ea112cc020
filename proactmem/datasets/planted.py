"""Planted against remembered: which admitted regularities describe a planted habit, and which a decoy (ours).

Only simulated lives have planted habits. The comparison reads the truth, so no method and no memory may import it; it judges a
run after the fact.

The rule. A regularity describes a planted pair of trigger and behavior when

1. their windows overlap by at least half of the shorter one, and
2. of the dates on which the planted behavior was done, those to which the regularity applies (its weekdays) and on which its
   own behavior could be observed in its window number at least three, and on at least 80 % of them it is seen.

So a behavior counts by what it does on the planted dates and not by how it is written: 900 steps of the wristband and 1,000 of
the phone may speak of the same walk. It also has the *trigger* when, over the dates on which both triggers could be observed,
both agree (held or did not hold) on at least 80 %. A habit that was done on fewer than three dates cannot pass replay and is
not asked for.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from proactmem.core.predicates import Predicate, holds
from proactmem.core.regularities import Regularity, Window
from proactmem.core.streams import Event
from proactmem.datasets.simulate import truth
from proactmem.datasets.simulate.code.truth import RepositoryTruth
from proactmem.datasets.simulate.home.truth import HomeTruth
from proactmem.errors import InputError

__all__ = ["AGREEMENT", "MIN_DATES", "PLANTED", "Planted", "Recovery", "read_planted", "recover"]

PLANTED = "planted.json"
"""The file beside simulated raw files that holds what was planted."""
Planted = truth.PersonTruth | HomeTruth | RepositoryTruth
"""What was planted in one stream: habits, decoys and episodes of its scope."""

AGREEMENT = 0.8
"""Share of dates on which two behaviors or two triggers must agree."""
MIN_DATES = 3
"""Dates needed to say so; also the support that replay asks for (Section 3.1)."""

Days = Mapping[date, Sequence[Event]]


@dataclass(frozen=True, slots=True)
class Recovery:
    """Counts of planted habits found and of admitted regularities that say something true, added up over streams."""

    habits: int = 0
    """Planted habits done on at least `MIN_DATES` dates."""
    found: int = 0
    """Those that an admitted regularity describes."""
    found_with_trigger: int = 0
    """Those that one describes with its trigger."""
    admitted: int = 0
    """Regularities that were active at least once."""
    true: int = 0
    """Those that describe a planted habit."""
    true_with_trigger: int = 0
    """Those that describe one with its trigger."""
    decoys: int = 0
    """Planted decoys whose behavior is seen on at least `MIN_DATES` dates."""
    decoys_admitted: int = 0
    """Those that an admitted regularity describes with their trigger, and no planted habit that way."""

    def __add__(self, other: Recovery) -> Recovery:
        return Recovery(*(getattr(self, name) + getattr(other, name) for name in Recovery.__slots__))


def read_planted(folder: Path) -> dict[str, Planted]:
    """What was planted in the streams that a simulation wrote into a folder, by stream id; empty where there is none.

    Raises:
        InputError: The file is not what the simulators write.
    """
    file = folder / PLANTED
    if not file.is_file():
        return {}
    try:
        found = json.loads(file.read_bytes())
        people = [truth.PersonTruth.model_validate(one) for one in found.get("participants", ())]
        homes = sorted((HomeTruth.model_validate(one) for one in found.get("homes", ())), key=lambda one: one.home)
        repositories = [RepositoryTruth.model_validate(one) for one in found.get("repositories", ())]
    except (ValueError, AttributeError) as error:
        raise InputError("is no planted truth", file=file, found=str(error), remedy="Simulate the streams again.") from error
    return (
        {f"heartsteps_participant_{one.participant:02d}": one for one in people}
        | {f"casas_home_{number:04d}": one for number, one in enumerate(homes, start=1)}
        | {f"github_repo_{one.repo_id}": one for one in repositories}
    )


def recover(planted: Planted, admitted: Sequence[Regularity], events: Sequence[Event]) -> Recovery:
    """How the regularities admitted on one stream compare with what was planted in that life.

    Args:
        planted: The planted habits and decoys.
        admitted: Regularities of the stream that were active at least once, each once.
        events: The stream.
    """
    days: dict[date, list[Event]] = {}
    for event in events:
        days.setdefault(event.day, []).append(event)
    habits = [(habit, tuple(map(date.fromisoformat, habit.kept))) for habit in planted.habits if len(habit.kept) >= MIN_DATES]
    decoys = [(decoy, done) for decoy in planted.decoys if len(done := _done(decoy, days)) >= MIN_DATES]
    of_habit = {habit.id: [_describes(known, habit, done, days) for known in admitted] for habit, done in habits}
    of_decoy = {decoy.id: [_describes(known, decoy, done, days) for known in admitted] for decoy, done in decoys}
    matched = [any(row[place][0] for row in of_habit.values()) for place in range(len(admitted))]
    triggered = [any(row[place][1] for row in of_habit.values()) for place in range(len(admitted))]
    return Recovery(
        habits=len(habits),
        found=sum(any(behavior for behavior, _ in row) for row in of_habit.values()),
        found_with_trigger=sum(any(trigger for _, trigger in row) for row in of_habit.values()),
        admitted=len(admitted),
        true=sum(matched),
        true_with_trigger=sum(triggered),
        decoys=len(decoys),
        decoys_admitted=sum(
            any(trigger and not true for (_, trigger), true in zip(row, triggered, strict=True)) for row in of_decoy.values()
        ),
    )


def _done(decoy: truth.Decoy, days: Days) -> tuple[date, ...]:
    """The dates on which a decoy's behavior is seen in its window; for a coincidence, those on which it was planted."""
    if decoy.dates:
        return tuple(map(date.fromisoformat, decoy.dates))
    behavior, window = _predicate(decoy.behavior), _window(decoy.window)
    return tuple(day for day, events in days.items() if _seen(behavior, events, window) is True)


def _describes(known: Regularity, planted: truth.Habit | truth.Decoy, done: Sequence[date], days: Days) -> tuple[bool, bool]:
    """Whether a regularity describes a planted pair by behavior, window and weekdays, and whether also by trigger."""
    low, high = known.window.seconds
    start, end = planted.window.first_minute * 60.0, planted.window.end_minute * 60.0
    if 2 * (min(high, end) - max(low, start)) < min(high - low, end - start):
        return False, False
    applies = [day for day in done if known.applies(day.weekday())]
    if not _mostly([_seen(known.behavior, days.get(day, ()), known.window) for day in applies]):
        return False, False
    trigger = _predicate(planted.trigger)
    pairs = [(_seen(known.trigger, events), _seen(trigger, events)) for events in days.values()]
    return True, _mostly([None if None in pair else pair[0] == pair[1] for pair in pairs])


def _mostly(verdicts: Sequence[bool | None]) -> bool:
    """Whether at least `MIN_DATES` dates could be judged and `AGREEMENT` of them say yes."""
    judged = [verdict for verdict in verdicts if verdict is not None]
    return len(judged) >= MIN_DATES and sum(judged) >= AGREEMENT * len(judged)


def _seen(predicate: Predicate, events: Sequence[Event], window: Window | None = None) -> bool | None:
    """Whether a predicate holds at any event of a day, in the window where one is given; None where nothing was observed."""
    low, high = window.seconds if window is not None else (0.0, float("inf"))
    values = [event.facts[predicate.path] for event in events if low <= event.span[1] < high and predicate.path in event.facts]
    return any(holds(predicate, value) for value in values) if values else None


def _predicate(planted: truth.Predicate) -> Predicate:
    return Predicate(path=planted.path, op=planted.op, value=planted.value)


def _window(planted: truth.Window) -> Window:
    return Window(start=planted.start, end=planted.end)
