"""Seven daily records to regularities: what follows what, on which days, at what time.

Rules. A behaviour is something this scope's services are about: for Sports a real bout of steps (a round level from 500 in
the hour), for Home activity in a room or at a door, for Code and Desktop a kind of event. A trigger is a state or a round
level seen on some days at or before the behaviour, and no other reading of the same thing. A pair is proposed when the
behaviour followed on at least three days, on at least three in five of the observable days with the trigger, and no less
often than without it; two days are enough where it always followed and is clearly rarer otherwise. The window is where
the behaviour's times gather, to the half hour, at most four hours wide, with half an hour of slack on either side. The
weekdays are restricted to working days or to the weekend when only then the pair holds. Pairs that say most (the
behaviour is more likely after the trigger, on more days) come first, at most three a behaviour and time, twelve in all.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from proactmem.llm.offline.reading import Object, Prompt, clock, number, objects, text

__all__ = ["mine_week"]

_WIDTH = 4.0
_LIMIT = 12
_A_BEHAVIOR = 3
_SUPPORT = 3
_SHARE = 0.6
_CLEAR = 1.3
"""Lift from which two days are enough."""
_SLACK = 0.5
_BOUT = 500.0
"""Steps in the hour from which activity is worth calling a habit."""
_WEEKDAYS: tuple[tuple[int, ...] | None, ...] = (None, (0, 1, 2, 3, 4), (5, 6))


@dataclass(frozen=True)
class _Day:
    record: str
    weekday: int
    facts: tuple[tuple[str, object, float], ...]
    """(path, value, hour), in time order."""


@dataclass(frozen=True)
class _Condition:
    path: str
    op: str
    value: object

    def holds(self, value: object) -> bool:
        if self.op == "==":
            return type(value) is type(self.value) and value == self.value
        left, right = number(value), number(self.value)
        if left is None or right is None:
            return False
        return left >= right if self.op == ">=" else left < right

    def times(self, day: _Day) -> list[float]:
        return [hour for path, value, hour in day.facts if path == self.path and self.holds(value)]

    def as_object(self) -> dict[str, object]:
        return {"path": self.path, "op": self.op, "value": self.value}


@dataclass(frozen=True)
class _Found:
    trigger: _Condition
    behavior: _Condition
    start: float
    end: float
    weekdays: tuple[int, ...] | None
    followed: int
    missed: int
    lift: float
    sources: tuple[str, ...]

    @property
    def rank(self) -> tuple[object, ...]:
        """Best first: what the trigger adds, weighed by the days; then more days, then the plainer statement."""
        confidence = self.followed / (self.followed + self.missed)
        added = (confidence - confidence / self.lift) * math.sqrt(self.followed + self.missed)
        return (
            -round(added, 6), -(self.followed - 2 * self.missed), self.weekdays is not None,
            self.end - self.start, repr((self.behavior, self.trigger, self.start)),
        )  # fmt: skip


def _days(records: Iterable[Object]) -> list[_Day]:
    days = []
    for record in records:
        facts: list[tuple[str, object, float]] = []
        for segment in objects(record.get("segments")):
            hour = clock(segment.get("start"))
            if hour is None:
                continue
            for part in ("observed", "context_before", "outcome"):
                facts.extend((text(fact.get("path")), fact.get("value"), hour) for fact in objects(segment.get(part)))
        weekday = number(record.get("weekday"))
        if weekday is not None:
            days.append(_Day(text(record.get("id")), int(weekday), tuple(sorted(facts, key=lambda fact: fact[2]))))
    return days


def _round(value: float) -> float:
    """One significant digit, or one and a half: 1, 1.5, 2, 3, 5, 7 times a power of ten."""
    if value <= 0:
        return 0.0
    scale = float(10 ** math.floor(math.log10(value)))
    return max(step for step in (1, 1.5, 2, 3, 5, 7) if step * scale <= value * 1.000001) * scale


def _levels(values: list[float], shares: tuple[float, ...]) -> list[float]:
    ordered = sorted(values)
    picked = {_round(ordered[min(len(ordered) - 1, int(share * len(ordered)))]) for share in shares}
    return sorted(level for level in picked if ordered[0] < level <= ordered[-1])


def _plain(level: float) -> int | float:
    return int(level) if level == int(level) else level


def _is_behavior(scope: str, path: str) -> bool:
    leaf = path.rsplit(".", 1)[-1]
    match scope:
        case "sports":
            return "steps" in leaf and leaf.endswith("60")
        case "home":
            return path.startswith(("motion.location_counts.", "door_actions."))
        case _:
            return leaf in ("github_type", "action", "event")


def _same_measure(scope: str, path: str) -> bool:
    """Another reading of what the behaviour measures: that one follows from the other says nothing."""
    return scope == "sports" and ("steps" in path or path.endswith("recognized_activity"))


def _conditions(scope: str, days: list[_Day]) -> tuple[list[_Condition], list[_Condition]]:
    """Candidate triggers and behaviours that the week's facts suggest."""
    values: dict[str, list[object]] = defaultdict(list)
    for day in days:
        for path, value, _ in day.facts:
            values[path].append(value)
    triggers: list[_Condition] = []
    behaviors: list[_Condition] = []
    for path, seen in sorted(values.items()):
        numbers = [found for value in seen if (found := number(value)) is not None]
        distinct = set(numbers)
        into = behaviors if _is_behavior(scope, path) else triggers
        if into is triggers and _same_measure(scope, path):
            continue
        if numbers and len(distinct) <= 7 and all(value == int(value) and 0 <= value < 10 for value in distinct):
            if scope == "sports":
                into.extend(_Condition(path, "==", int(value)) for value in sorted(distinct))
            else:
                into.append(_Condition(path, ">=", 1))
        elif numbers and into is behaviors and scope == "home":
            into.append(_Condition(path, ">=", 1))
        elif numbers:
            levels = _levels(numbers, (0.5, 0.7, 0.85) if into is behaviors else (0.3, 0.6))
            if into is behaviors and scope == "sports":
                levels = sorted({max(level, _BOUT) for level in levels if max(numbers) >= _BOUT})
            into.extend(_Condition(path, ">=", _plain(level)) for level in levels)
            if into is triggers:
                into.extend(_Condition(path, "<", _plain(level)) for level in levels)
        for word in sorted({value for value in seen if isinstance(value, str | bool)}, key=str):
            into.append(_Condition(path, "==", word))
    return triggers, behaviors


def _gathered(times: list[float]) -> tuple[float, float] | None:
    """The half-hour window of at most four hours that holds most of the times, the earliest among equals."""
    best: tuple[int, float, float] | None = None
    for low in sorted(set(times)):
        start = math.floor(low * 2) / 2
        inside = [hour for hour in times if start <= hour < start + _WIDTH]
        end = min(24.0, math.floor(max(inside) * 2) / 2 + 0.5)
        if best is None or len(inside) > best[0]:
            best = (len(inside), start, end)
    return None if best is None else best[1:]


def _judge(
    trigger: _Condition,
    behavior: _Condition,
    days: list[_Day],
    weekdays: tuple[int, ...] | None,
    first: Callable[[_Condition, _Day], float | None],
) -> _Found | None:
    chosen = [day for day in days if weekdays is None or day.weekday in weekdays]
    after: dict[str, list[float]] = {}
    for day in chosen:
        begun = first(trigger, day)
        if begun is not None:
            after[day.record] = [hour for hour in behavior.times(day) if hour >= begun]
    window = _gathered([hour for times in after.values() for hour in times])
    if window is None:
        return None
    start, end = window
    followed, missed, hits, seen = [], 0, 0, 0
    for day in chosen:
        observable = any(path == behavior.path and start <= hour < end for path, _, hour in day.facts)
        within = any(start <= hour < end for hour in behavior.times(day))
        seen += observable
        hits += within
        if day.record in after:
            if any(start <= hour < end for hour in after[day.record]):
                followed.append(day.record)
            elif observable:
                missed += 1
    if len(followed) < 2 or len(followed) < _SHARE * (len(followed) + missed):
        return None
    lift = (len(followed) / (len(followed) + missed)) / (hits / seen)
    if lift < 1 or (len(followed) < _SUPPORT and (missed or lift < _CLEAR)):
        return None
    low, high = max(0.0, start - _SLACK), min(24.0, end + _SLACK)
    return _Found(trigger, behavior, low, high, weekdays, len(followed), missed, lift, tuple(followed))


def _hhmm(hour: float) -> str:
    return f"{int(hour):02d}:{int(hour * 60) % 60:02d}"


def mine_week(prompt: Prompt) -> list[dict[str, object]]:
    """Regularities that the prompt's records show, best first."""
    days = _days(prompt["daily_records"])
    triggers, behaviors = _conditions(prompt.scope, days)
    memory: dict[tuple[_Condition, str], float | None] = {}

    def first(condition: _Condition, day: _Day) -> float | None:
        key = (condition, day.record)
        if key not in memory:
            memory[key] = min(condition.times(day), default=None)
        return memory[key]

    found: list[_Found] = []
    for behavior in behaviors:
        for trigger in triggers:
            options = (_judge(trigger, behavior, days, weekdays, first) for weekdays in _WEEKDAYS)
            held = sorted((option for option in options if option is not None), key=lambda option: option.rank)
            found += held[:1]
    found.sort(key=lambda item: item.rank)
    taken: dict[tuple[str, int], int] = defaultdict(int)
    proposals: list[dict[str, object]] = []
    for item in found:
        place = (item.behavior.path, int(item.start // 3))
        if taken[place] >= _A_BEHAVIOR or len(proposals) >= _LIMIT:
            continue
        taken[place] += 1
        proposals.append(
            {
                "trigger": item.trigger.as_object(),
                "behavior": item.behavior.as_object(),
                "window": {"start": _hhmm(item.start), "end": _hhmm(item.end) if item.end < 24 else "24:00"},
                "weekdays": None if item.weekdays is None else list(item.weekdays),
                "sources": list(item.sources),
            }
        )
    return proposals
