"""Sports: is now a good moment to suggest a walk or a stretch?

What a careful person would ask, in this order.
1. Can it be taken up? Reachable, not moving, not just active, at an hour at which one suggests such a thing.
2. Is it known? Without a step count of the last hour nothing is said.
3. Is a habit missing? A shown regularity about a real bout of steps that holds on two days of three is a reason when the
   last hour was still and its usual time is more than half over, at the first look at which that is so.
4. Is this unlike the person? Well below what earlier days show at this time of day (at least three days) is a reason; so
   are, once a day, two quiet days in a row after livelier ones, and weather that has cleared after two foul days.
5. Is it a long sitting spell? The last hour still: worth a word at the first such look, or at the second where a still
   hour at this time is ordinary for this person; the same spell is not raised twice. Not when today has
   seen a long walk.
The service is a walk where weather and hour allow, else a stretch.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median

from proactmem.llm.offline.reading import Object, Prompt, abstain, clock, intervene, number, objects, text

__all__ = ["decide_sports"]

_MOVING = {"IN_VEHICLE", "AUGMENTED_VEHICLE", "ON_FOOT", "WALKING", "RUNNING", "ON_BICYCLE", "TILTING"}
_BAD_WEATHER = ("rain", "snow", "storm", "ice", "drizzle", "sleet", "hail", "fog")
_ACTIVE_30, _ACTIVE_60 = 400.0, 800.0
"""Steps in half an hour and an hour after which nobody needs a suggestion."""
_STILL_60 = 100.0
"""Steps in an hour up to which the hour counts as sitting."""
_LONG_WALK = 2_500.0
"""Steps in an hour that count as the day's exercise."""
_USUAL = 500.0
"""A usual level worth missing, steps in the hour."""
_USUALLY = 2 / 3
"""Confidence from which a regularity is what somebody usually does."""
_MORNING = 10.0
"""Hour before which a still hour only says that somebody is not long up."""
_DAYS = 3
"""Earlier days needed to speak of a usual level."""


@dataclass(frozen=True)
class _Look:
    """One decision point as far as it is known."""

    day: str
    hour: float
    steps30: float | None
    steps60: float | None
    activity: str
    available: bool
    foul: bool | None
    source: str

    @property
    def open(self) -> bool:
        """Whether a suggestion could have been taken up at this look."""
        quiet = (self.steps30 or 0) < _ACTIVE_30 and (self.steps60 or 0) < _ACTIVE_60
        return self.available and self.activity not in _MOVING and quiet

    @property
    def still(self) -> bool:
        return self.steps60 is not None and self.steps60 <= _STILL_60 and self.activity not in _MOVING


def _most(values: Iterable[object]) -> float | None:
    """The larger of what the counters say: a counter left on the table counts nothing."""
    known = [found for value in values if (found := number(value)) is not None]
    return max(known, default=None)


def _foul(payload: Object) -> bool | None:
    weather, temperature = text(payload.get("weather_condition")).casefold(), number(payload.get("temperature_c"))
    if not weather and temperature is None:
        return None
    return any(word in weather for word in _BAD_WEATHER) or (temperature is not None and not -5 <= temperature <= 33)


def _look(payload: Object, source: str) -> _Look | None:
    local = text(payload.get("source_local_decision_time"))
    hour = clock(local)
    if hour is None:
        return None
    steps30 = _most((payload.get("google_fit_steps_pre30"), payload.get("jawbone_steps_pre30")))
    steps60 = _most((payload.get("google_fit_steps_pre60"), payload.get("jawbone_steps_pre60")))
    activity = text(payload.get("recognized_activity"))
    return _Look(local[:10], hour, steps30, steps60, activity, payload.get("available") is True, _foul(payload), source)


def _looks(prompt: Prompt) -> list[_Look]:
    """All earlier decision points that the prompt shows: recent events, then days only trajectories remember."""
    found: dict[tuple[str, int], _Look] = {}
    for segment in prompt["trajectories"]:
        facts: dict[str, object] = {}
        for part in ("observed", "context_before", "outcome"):
            for fact in objects(segment.get(part)):
                facts[text(fact.get("path")).rsplit(".", 1)[-1]] = fact.get("value")
        facts["source_local_decision_time"] = f"{text(segment.get('day'))}T{text(segment.get('start'))}"
        look = _look(facts, text(segment.get("id")))
        if look is not None:
            found[look.day, round(look.hour * 60)] = look
    for event in prompt["recent_events"]:
        payload = event.get("observable_payload")
        look = _look(payload, text(event.get("event_id"))) if isinstance(payload, dict) else None
        if look is not None:
            found[look.day, round(look.hour * 60)] = look
    return [found[key] for key in sorted(found)]


def _usual(looks: list[_Look], now: _Look) -> list[_Look]:
    """Earlier days' looks within an hour and a half of this time of day, one a day, the nearest."""
    nearest: dict[str, _Look] = {}
    for look in looks:
        if look.day >= now.day or look.steps60 is None or abs(look.hour - now.hour) > 1.5:
            continue
        best = nearest.get(look.day)
        if best is None or abs(look.hour - now.hour) < abs(best.hour - now.hour):
            nearest[look.day] = look
    return list(nearest.values())


def _habits(prompt: Prompt) -> list[tuple[Object, float, float]]:
    """Shown habits of a real bout of steps that hold on two days of three, with the hours of their windows."""
    found = []
    for item in prompt["regularities"]:
        behavior = item.get("behavior")
        if not isinstance(behavior, dict) or "steps" not in text(behavior.get("path")) or behavior.get("op") not in (">=", ">"):
            continue
        if (number(behavior.get("value")) or 0) < _USUAL or (number(item.get("confidence")) or 0) < _USUALLY:
            continue
        window = text(item.get("window"))
        found.append((item, clock(window[:5]) or 0.0, clock(window[6:11]) or 24.0))
    return found


def _late(habit: Object, middle: float, now: _Look, today: list[_Look]) -> bool:
    """Missing in the later half of its time, and first seen so at this look: once raised it is not raised again."""
    if habit.get("state") != "deviated" and now.hour < middle:
        return False
    since = max(middle, clock(habit.get("trigger_seen_today_at")) or 0.0)
    return not any(look.hour >= since and look.open for look in today)


def _days_before(looks: list[_Look], now: _Look) -> list[list[_Look]]:
    """Earlier days with at least three known looks, newest first."""
    days: dict[str, list[_Look]] = {}
    for look in looks:
        if look.day < now.day and look.steps60 is not None:
            days.setdefault(look.day, []).append(look)
    return [days[day] for day in sorted(days, reverse=True) if len(days[day]) >= _DAYS]


def _quiet_days(looks: list[_Look], now: _Look) -> bool:
    """The last two known days had no bout of steps, two of the days before them had."""
    lively = [any((look.steps60 or 0) >= _USUAL for look in day) for day in _days_before(looks, now)]
    return len(lively) >= 4 and not any(lively[:2]) and sum(lively[2:]) >= 2


def _cleared(looks: list[_Look], now: _Look) -> bool:
    """It is dry now, and the last two known days were mostly foul and without a bout of steps."""
    if now.foul is not False:
        return False
    days = _days_before(looks, now)[:2]
    foul = [sum(look.foul is True for look in day) * 2 > len(day) for day in days]
    return len(days) == 2 and all(foul) and not any((look.steps60 or 0) >= _USUAL for day in days for look in day)


def _service(now: _Look) -> tuple[str, str]:
    return ("stretch", "indoors") if now.foul or now.hour >= 21 else ("walk", "short walk")


def decide_sports(prompt: Prompt) -> dict[str, object]:
    """Intervene or abstain at the current decision point."""
    payload = prompt.current.get("observable_payload")
    event_id = text(prompt.current.get("event_id"))
    now = _look(payload, event_id) if isinstance(payload, dict) else None
    if now is None or not isinstance(payload, dict):
        return abstain()
    if not 7.5 <= now.hour < 21.5 or not now.open:
        return abstain()
    looks = _looks(prompt)
    today = [look for look in looks if look.day == now.day and look.hour < now.hour]
    action, target = _service(now)
    habits = _habits(prompt)
    for habit, low, high in habits:
        if now.still and _late(habit, (low + high) / 2, now, today):
            late = (
                "usually have been moving by now" if habit.get("state") == "deviated" else "usually get moving around this time"
            )
            said = f"You {late} and it has been quiet so far. Fancy a {action}?"
            return intervene(action, target, said, [event_id, habit.get("id")])
    if now.steps60 is None:
        return abstain()
    if any((look.steps60 or 0) >= _LONG_WALK for look in today):
        return abstain()
    usual = _usual(looks, now)
    level = median(look.steps60 or 0 for look in usual) if len(usual) >= _DAYS else None
    if level is not None and level >= _USUAL and now.steps60 <= level / 5:
        return intervene(
            action, target, f"Around this time you usually have some {level:.0f} steps in the hour. Time for a {action}?",
            [event_id, *(look.source for look in usual)],
        )  # fmt: skip
    if not now.still:
        return abstain()
    if not any(look.open and look.hour >= 7.5 for look in today):
        if _cleared(looks, now):
            return intervene(action, target, f"The weather has cleared after some foul days. Fancy a {action}?", [event_id])
        if _quiet_days(looks, now):
            return intervene(
                action, target, f"The last days were quieter than usual for you. How about a {action}?", [event_id]
            )
    before = today[-1] if today else None
    spell = before is not None and before.still and now.hour - before.hour <= 5
    if now.hour < _MORNING or (spell and before is not None and before.open and before.hour >= _MORNING):
        return abstain()
    cited = [event_id] + ([before.source] if before is not None and spell else [])
    return intervene(action, target, f"You have been sitting for a good while. A {action} might feel good now.", cited)
