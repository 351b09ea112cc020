"""The randomised treatment: a coin, a message, a rating. It changes nothing in the life and nothing in the labels."""

from dataclasses import dataclass
from typing import Literal

from proactmem.datasets.simulate.chance import Chance
from proactmem.datasets.simulate.observe import Sight
from proactmem.datasets.simulate.people import Person

__all__ = ["Treatment", "treat"]

_WALKING = (
    "A short walk clears the head Take a turn around the block before you go on",
    "The day is not over yet How about a fifteen minute walk in the fresh air",
    "Think of the longer way to where you are going next and take it today",
    "Stairs count too Could you walk up two flights instead of taking the lift",
)
_SITTING = (
    "You may have been sitting for a while Stand up and reach for the ceiling three times",
    "Roll your shoulders and stretch your neck It takes less than a minute",
    "Stand during your next phone call or read the next page on your feet",
    "Shake out your legs and walk once around the room",
)
_APPLICATIONS = (
    ("", 0.8),
    ("com.um.heartsteps", 0.09),
    ("com.sec.android.app.launcher", 0.03),
    ("com.android.chrome", 0.03),
    ("com.android.mms", 0.03),
    ("com.facebook.katana", 0.02),
)
_RATINGS = (
    ("good", 0.483),
    ("no_response", 0.317),
    ("bad", 0.189),
    ("snoozed_for_4_hours", 0.02),
    ("snoozed_for_12_hours", 0.001),
)


@dataclass(frozen=True, slots=True)
class Treatment:
    """What the server's coin did at a decision point and how the participant answered."""

    coin: bool
    sent: Literal["active", "sedentary"] | None
    tags: tuple[bool, bool, bool, bool] | None
    message: str
    application: str
    used: int | None
    """Seconds since the phone was last used; None without a tracker record."""
    response: str | None
    response_after: int
    taps: int
    activity_after: str

    @property
    def snooze_hours(self) -> int:
        """Hours for which the participant wants quiet."""
        return {"snoozed_for_4_hours": 4, "snoozed_for_12_hours": 12}.get(self.response or "", 0)


def treat(seed: int, person: Person, sight: Sight) -> Treatment:
    """Toss the coin of a decision point: 0.6 send, half walking, half against sitting."""
    chance = Chance(seed, person.index, "treatment", sight.day, sight.slot)
    coin = chance.flip(0.6)
    walking = chance.flip(0.5)
    message = chance.pick(_WALKING if walking else _SITTING)
    outdoor = chance.flip(0.8) if walking else chance.flip(0.85)
    indoor = not walking or chance.flip(0.6)
    snow = chance.flip(0.2)
    application = chance.weighted(_APPLICATIONS)
    rating = chance.weighted(_RATINGS)
    answered = chance.flip(0.77)
    after = chance.between(20, 1790)
    taps = chance.weighted(((0, 0.93), (1, 0.06), (2, 0.01)))
    used: int | None = round(3600 * chance.uniform(0.02, 1.6) ** 3 * (2.0 if sight.slot == 1 else 1.0))
    tracked = chance.flip(0.78)
    slip = chance.flip(0.002)
    still = chance.weighted((("STILL", 0.6), ("UNKNOWN", 0.05), ("ON_FOOT", 0.03), ("IN_VEHICLE", 0.02), ("", 0.3)))
    if person.tracker_stop is not None and sight.day >= person.tracker_stop:
        used = (sight.day - person.tracker_stop) * 86400 + max(sight.second - 4 * 3600, 0)
        tracked = True
    sends = sight.connected and ((coin and sight.available) or (slip and sight.activity != ""))
    sent: Literal["active", "sedentary"] | None = ("active" if walking else "sedentary") if sends else None
    tagged = sends or (sight.connected and coin and not sight.available and snow)
    return Treatment(
        coin=coin,
        sent=sent,
        tags=(walking, indoor, outdoor, walking and outdoor and snow) if tagged else None,
        message=message if sends else "donotnotify",
        application=application,
        used=used if tracked else None,
        response=rating if sends and answered else None,
        response_after=after,
        taps=taps,
        activity_after=still,
    )
