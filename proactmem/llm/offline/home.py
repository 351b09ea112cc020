"""Home: is a gentle word in place at the close of this segment?

What a careful person would ask. Is a routine missing (a shown regularity that has deviated or is pending, while
somebody is up)? Has a door stayed open? Is somebody up in the living area deep in
the night though earlier nights were quiet at this hour? Has one room held the person for hours by day? Otherwise silence:
nothing starting is no proof of absence, and ordinary segments of living need no words.
"""

from __future__ import annotations

from proactmem.llm.offline.reading import Object, Prompt, abstain, clock, intervene, number, objects, text

__all__ = ["decide_home"]

_KITCHEN = ("kitchen", "dining")
_SLEEP = ("bed",)


def _counts(event: Object) -> dict[str, float]:
    motion = event.get("motion")
    counts = motion.get("location_counts") if isinstance(motion, dict) else None
    return (
        {room: found for room, value in (counts or {}).items() if (found := number(value))} if isinstance(counts, dict) else {}
    )


def _room(counts: dict[str, float]) -> str | None:
    return min(counts, key=lambda room: (-counts[room], room)) if counts else None


def _asleep(counts: dict[str, float]) -> bool:
    return all(any(word in room.casefold() for word in _SLEEP) for room in counts)


def _end(event: Object) -> float:
    hour = clock(event.get("window_end"))
    return 24.0 if hour is None or hour == 0 else hour


def _missed(prompt: Prompt, event_id: str) -> dict[str, object] | None:
    for item in prompt["regularities"]:
        behavior = item.get("behavior")
        path = text(behavior.get("path")) if isinstance(behavior, dict) else ""
        if (number(item.get("confidence")) or 0) < 0.65 or item.get("state") == "upcoming":
            continue
        if item.get("state") == "pending" and item.get("lifecycle") != "active":
            continue
        place = path.rsplit(".", 1)[-1]
        meal = any(word in place.casefold() for word in _KITCHEN)
        action = "meal_reminder" if meal else "routine_prompt"
        message = f"Usually there is activity around {place} by this time. All set?"
        return intervene(action, place, message, [event_id, item.get("id")])
    return None


def _open_door(prompt: Prompt) -> tuple[str, list[str]] | None:
    last: dict[str, tuple[str, str, int]] = {}
    events = [*prompt["recent_events"], prompt.current]
    for number_, event in enumerate(events):
        for action in objects(event.get("door_actions")):
            last[text(action.get("location"))] = (
                text(action.get("action")).upper(),
                text(event.get("event_id")),
                number_,
            )
    for door, (state, source, at) in sorted(last.items()):
        if state in ("OPEN", "ON") and len(events) - 1 - at == 2:
            return door, [source]
    return None


def decide_home(prompt: Prompt) -> dict[str, object]:
    """Intervene or abstain at the close of the current segment."""
    event = prompt.current
    event_id, counts, hour = text(event.get("event_id")), _counts(event), _end(event)
    quiet = not counts
    if not quiet and not _asleep(counts):
        missed = _missed(prompt, event_id)
        if missed is not None and 6 <= hour <= 22.5:
            return missed
    door = _open_door(prompt)
    if door is not None and not quiet:
        return intervene(
            "device_notice", door[0], f"{door[0]} seems to have stayed open. Shall I remind you?", [event_id, *door[1]]
        )
    earlier = list(prompt["recent_events"])
    same_hour = [past for past in earlier if abs(_end(past) - hour) < 0.6]
    if 0.5 <= hour <= 4.5 and not quiet and not _asleep(counts) and sum(counts.values()) >= 10:
        calm = [past for past in same_hour if _asleep(_counts(past))]
        before = earlier[-1] if earlier else {}
        began = _asleep(_counts(before)) or hour < 1.5
        if began and len(same_hour) >= 2 and len(calm) * 3 >= len(same_hour) * 2:
            return intervene("wind_down", "late evening", "It has got late. Shall I dim the lights?", [event_id])
    room = _room(counts)
    spell = earlier[-3:]
    if room is not None and 9 <= hour <= 21 and not _asleep(counts) and len(spell) == 3:
        rooms = [_room(_counts(past)) for past in spell]
        further = _room(_counts(earlier[-4])) if len(earlier) > 3 else None
        if all(past == room for past in rooms) and further != room and counts[room] >= 0.8 * sum(counts.values()):
            cited = [event_id, *(past.get("event_id") for past in spell)]
            return intervene("movement_break", room, "You have been in one place for a while. A short break?", cited)
    return abstain()
