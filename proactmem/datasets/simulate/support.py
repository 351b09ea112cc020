"""A and B of Equation 9: what the event by itself supports, and what only its history supports."""

from typing import Literal, NamedTuple

from proactmem.datasets.simulate.history import History, measured_hour
from proactmem.datasets.simulate.observe import Sight
from proactmem.datasets.simulate.people import Person
from proactmem.datasets.simulate.weather import WET

__all__ = ["Service", "Support", "covered", "current_support", "feasible_service", "historical_support"]

Service = Literal["walk", "stretch"]


class Support(NamedTuple):
    """Why a service would help now."""

    kind: str
    """sedentary, habit_due, habit_missed, below_usual, weather_cleared, idle_days, unmet_need or quiet_day."""
    cause: str
    """The habit's id, or the situation in words."""
    service: Service


def feasible_service(sight: Sight) -> Service | None:
    """The service that place, hour and weather allow at an available decision point; None when there is none.

    A walk needs dry weather and daytime; at the desk in mid-afternoon a stretch is what one can do; among other people,
    in shops, at the gym and on the road an offer is out of place.
    """
    if not sight.available or sight.kind in ("gym", "road", "shop", "haunt"):
        return None
    minute = sight.second // 60
    if not 420 <= minute < 1290:
        return None
    celsius = sight.around.celsius
    condition = sight.around.condition
    reported = condition not in ("", "unknown") and condition not in WET
    pleasant = reported and celsius is not None and -8.0 <= celsius <= 33.0
    if pleasant and not (sight.kind == "work" and sight.slot == 3):
        return "walk"
    return "stretch" if sight.kind in ("home", "work", "hotel") else None


def current_support(sight: Sight, person: Person) -> Support | None:
    """A(e_t): still for longer than this person likes, measured so, awake, free, and able to do something about it.

    The need is the latent stillness, not a threshold on the public step counts; the event must show it, though: steps
    that were not measured support nothing.
    """
    service = feasible_service(sight)
    steps = measured_hour(sight)
    if service is None or steps is None or sight.busy:
        return None
    if sight.awake < 90 or sight.still < person.need or steps > 250:
        return None
    return Support("sedentary", f"still at {sight.kind}", service)


def _habit_support(sight: Sight, history: History, service: Service) -> Support | None:
    minute = sight.second / 60
    for plan in history.plans:
        glimpse = history.glimpses[plan.id]
        if not history.established(plan) or glimpse.trigger is None or glimpse.done is not None:
            continue
        if service == "stretch" and plan.kind != "gym":
            continue
        start, end = plan.window.first_minute, plan.window.end_minute
        if start - 30 <= minute < end:
            missed = sight.slot == plan.slot
            return Support("habit_missed" if missed else "habit_due", plan.id, "walk")
        if end <= minute <= end + 30:
            return Support("habit_missed", plan.id, "walk")
    return None


def historical_support(sight: Sight, history: History) -> Support | None:
    """B(e_t, H_<t): an established habit is due or missed, or the person is well below their own past.

    Someone who moved within the last half hour, or who cannot be reached or served, needs nothing.
    """
    service = feasible_service(sight)
    steps = measured_hour(sight)
    if service is None or (steps is not None and steps > 900):
        return None
    habit = _habit_support(sight, history, service)
    if habit is not None:
        return habit
    if sight.slot < 2:
        return None
    usual = history.usual(sight, 4)
    earlier = [(seen, measured_hour(seen)) for seen in history.today if seen.slot >= 2]
    if usual is not None and steps is not None and usual >= 180 and steps <= 0.35 * usual and earlier:
        before, found = earlier[-1]
        normal = history.usual(before, 4)
        if found is not None and normal is not None and normal >= 100 and found <= 0.6 * normal:
            return Support("below_usual", "below the usual level of this slot for two windows", service)
    if service == "walk" and sight.slot <= 4 and history.kept_inside():
        return Support("weather_cleared", "kept inside by rain or snow until now", "walk")
    idle = history.idle_days() + (sight.slot >= 3)
    if idle >= 2 and not any(found is not None and found >= 900 for _, found in earlier):
        return Support("idle_days", "no walk for two days, though most days had one", service)
    low = [found for _, found in earlier if found is not None and found <= 200]
    if steps is None and sight.activity == "STILL" and low and len(low) == len(earlier):
        return Support("quiet_day", "still all day, not measured now", service)
    if steps is not None and steps <= 600 and earlier and earlier[-1][0].slot == sight.slot - 1:
        before, found = earlier[-1]
        if found is not None and found <= 250 and (before.busy or feasible_service(before) is None) and not sight.busy:
            return Support("unmet_need", "still when nothing could be offered, and no better since", service)
    return None


def covered(sight: Sight, history: History) -> bool:
    """Whether history says that the opportunity of the moment is taken care of: done lately, or soon by themselves."""
    minute = sight.second / 60
    for plan in history.plans:
        glimpse = history.glimpses[plan.id]
        if glimpse.done is not None and glimpse.done < sight.second <= glimpse.done + 4 * 3600:
            return True
        ahead = plan.window.first_minute - minute
        if history.reliable(plan) and glimpse.trigger is not None and glimpse.done is None and 30 < ahead <= 150:
            return True
    return False
