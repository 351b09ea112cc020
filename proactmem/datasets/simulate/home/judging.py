"""Reference labels as an annotator gives them: segment by segment, from what they show and what came before (Equation 9).

A planted cause becomes an episode only where the segments show it. A is what the segment supports by itself, B what only this
home's history supports (some days of it are needed), N the first segment at whose end both are so; it is 1 again where the
support clearly strengthens.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from proactmem.datasets.simulate.home.causes import SERVICES, Cause
from proactmem.datasets.simulate.home.glances import SEGMENTS, Glance
from proactmem.datasets.simulate.home.residents import Resident
from proactmem.datasets.simulate.judgement import Judgement

__all__ = ["Episode", "judge"]

_ENOUGH = 3
"""Earlier days without which history supports nothing."""


class Episode(NamedTuple):
    """A cause that the segments show: where it begins, where it is strong again, and every segment at which it holds."""

    cause: Cause
    onset: int
    again: tuple[int, ...]
    valid: tuple[int, ...]
    a: bool
    b: bool


class _Support(NamedTuple):
    a: bool
    b: bool


def judge(who: Resident, seen: Sequence[Glance], causes: Iterable[Cause]) -> tuple[list[Judgement], list[Episode], list[int]]:
    """Labels of all segments, the episodes behind them, and the segments that the annotator misjudged."""
    labels = [Judgement() for _ in seen]
    episodes: list[Episode] = []
    for cause in causes:
        episode = _episode(seen, cause, labels)
        if episode is None:
            continue
        episodes.append(episode)
        service = SERVICES[cause.kind]
        for place in episode.valid:
            support = _support(seen, place, cause)
            if support is None or labels[place].n:
                continue
            labels[place] = Judgement(*support, n=place == episode.onset or place in episode.again, service=service)
    slips = _slip(who, seen, labels)
    return labels, episodes, slips


def _episode(seen: Sequence[Glance], cause: Cause, labels: Sequence[Judgement]) -> Episode | None:
    """The episode of a cause; None where no segment shows it, or another one has its onset there already."""
    valid = [place for place in _places(seen, cause) if _support(seen, place, cause) is not None]
    valid = [place for place in valid if not labels[place].n]
    if not valid:
        return None
    onset = valid[0]
    support = _support(seen, onset, cause)
    assert support is not None
    later = [place for place in valid if place >= onset + 2] if cause.kind in ("door_open", "long_sitting", "lamp_on") else []
    return Episode(cause, onset, tuple(later[:1]), tuple(valid), *support)


def _places(seen: Sequence[Glance], cause: Cause) -> range:
    """Segments whose close lies between a cause's beginning and its end, or the first close after."""
    first = max(0, int(cause.begin // 24) * SEGMENTS + int(cause.begin % 24 * 60 // 50))
    last = int(cause.end // 24) * SEGMENTS + int(cause.end % 24 * 60 // 50)
    return range(first, min(last + (cause.kind in ("late_wake", "dark_return", "night_up")), len(seen)))


def _support(seen: Sequence[Glance], place: int, cause: Cause) -> _Support | None:
    """What a segment shows of a cause, by itself and with the days before; None where it shows nothing."""
    now = seen[place]
    match cause.kind:
        case "late_wake":
            firsts = [hour for day in range(now.day) if (hour := _first_up(seen, day)) is not None]
            shown = now.living + now.counts["Bathroom"] >= 6 and _first_up(seen, now.day) == now.end
            return _Support(False, True) if shown and len(firsts) >= _ENOUGH and now.end > _mean(firsts) + 0.7 else None
        case "night_up":
            before = [seen[earlier].living <= 3 for earlier in range(place % SEGMENTS, place, SEGMENTS)]
            calm = len(before) >= _ENOUGH and _mean(before) >= 0.6
            return _Support(True, calm) if now.end < 5.5 and now.living >= 8 else None
        case "meal_missed":
            usual = [day for day in range(now.day) if _kitchen(seen, day, cause.usual) >= 10]
            missed = _kitchen(seen, now.day, cause.usual, until=place) < 8 and now.number >= 4
            return _Support(False, True) if missed and len(usual) >= _ENOUGH and len(usual) >= 0.5 * now.day else None
        case "long_sitting":
            run = _run(seen, place)
            longer = now.day >= _ENOUGH and run > max((_run(seen, earlier) for earlier in range(place - run)), default=0)
            return _Support(True, longer) if run >= 3 else None
        case "door_open":
            open_long = now.open_since is not None and now.at - now.open_since >= 0.7 and now.number >= 2
            return _Support(True, False) if open_long else None
        case "lamp_on":
            since = now.lamps.get(cause.detail)
            return (
                _Support(True, False) if since is not None and now.at - since >= 2.3 and now.counts[cause.detail] <= 2 else None
            )
        case "cold_room":
            cold = now.warmth is not None and now.warmth <= 17.5 and now.number >= 4
            warm = [one.warmth > 17.5 for one in seen[: place - SEGMENTS] if one.warmth is not None]
            return _Support(True, now.day >= _ENOUGH and _mean(warm) >= 0.97) if cold else None
        case "dark_return":
            back = (
                now.counts["OutsideDoor"] >= 1
                and now.number >= 4
                and place >= 2
                and max(s.number for s in seen[place - 2 : place]) <= 3
            )
            usual = [abs(hour - now.end) <= 1.0 for day in range(now.day) if (hour := _return(seen, day)) is not None]
            return _Support(True, sum(usual) >= _ENOUGH) if back else None
        case "return_due":
            away = place >= 1 and now.number <= 1 and seen[place - 1].number <= 3
            hours = [
                hour for day in range(now.day) if (hour := _return(seen, day)) is not None and abs(hour - cause.usual) < 1.2
            ]
            return _Support(False, True) if away and len(hours) >= _ENOUGH - 1 and now.end <= cause.usual else None
        case "good_night":
            lasts = [hour for day in range(now.day) if (hour := _last_up(seen, day)) is not None]
            settled = len(lasts) >= _ENOUGH and abs(_mean(lasts) - cause.usual) <= 1.2 and now.living >= 3
            return _Support(False, True) if settled else None
        case _:
            lasts = [hour for day in range(now.day) if (hour := _last_up(seen, day)) is not None]
            late = (
                len(lasts) >= _ENOUGH and now.living >= 4 and (now.end if now.end > 12 else now.end + 24) > _mean(lasts) + 0.6
            )
            return _Support(now.end < 6, True) if late else None


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def _day(seen: Sequence[Glance], day: int) -> Sequence[Glance]:
    return seen[day * SEGMENTS : (day + 1) * SEGMENTS]


def _first_up(seen: Sequence[Glance], day: int) -> float | None:
    return next(
        (glance.end for glance in _day(seen, day) if glance.end > 5.5 and glance.living + glance.counts["Bathroom"] >= 6), None
    )


def _last_up(seen: Sequence[Glance], day: int) -> float | None:
    return next((glance.end for glance in reversed(_day(seen, day)) if glance.living >= 4), None)


def _kitchen(seen: Sequence[Glance], day: int, usual: float, until: int | None = None) -> int:
    """Kitchen activations around a usual hour of a day; up to a segment, on the day itself."""
    found = [glance for glance in _day(seen, day) if usual - 0.7 < glance.end <= usual + 2.3]
    return sum(glance.counts["Kitchen"] for glance in found if until is None or glance.day * SEGMENTS + glance.segment <= until)


def _run(seen: Sequence[Glance], place: int) -> int:
    """How many segments up to this one were spent in one and the same living room or office by day."""
    now, length = seen[place], 0
    room = max(("LivingRoom", "Office"), key=lambda one: now.counts[one])
    while place >= 0:
        glance = seen[place]
        if not (8 <= glance.end <= 24 and glance.counts[room] >= 8 and glance.counts[room] >= 0.7 * glance.number):
            break
        length, place = length + 1, place - 1
    return length


def _return(seen: Sequence[Glance], day: int) -> float | None:
    """When somebody came home on a day after at least two quiet segments."""
    found = _day(seen, day)
    for place in range(2, len(found)):
        quiet = found[place - 1].number <= 3 and found[place - 2].number <= 1
        if quiet and found[place].counts["OutsideDoor"] and found[place].number >= 4 and found[place].end > 9:
            return found[place].end
    return None


def _slip(who: Resident, seen: Sequence[Glance], labels: list[Judgement]) -> list[int]:
    """Turn a few judgements, as a tired annotator would; the segments are returned."""
    slips = []
    services: Mapping[bool, str] = {True: "check-in", False: "none"}
    for place, glance in enumerate(seen):
        draw = who.chance("annotator", glance.day * SEGMENTS + glance.segment)
        label = labels[place]
        if label.y and draw.flip(0.02):
            labels[place] = label._replace(n=False)
        elif not label.y and glance.number >= 10 and draw.flip(0.003):
            labels[place] = Judgement(a=True, n=True, service=services[True])
        else:
            continue
        slips.append(place)
    return slips
