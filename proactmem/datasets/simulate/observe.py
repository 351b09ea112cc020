"""What the phone saw at a decision point, beside what only the life knows."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from proactmem.datasets.simulate.canvas import Doing
from proactmem.datasets.simulate.chance import Chance
from proactmem.datasets.simulate.clock import slot_of
from proactmem.datasets.simulate.days import Day
from proactmem.datasets.simulate.devices import Devices, Reading
from proactmem.datasets.simulate.people import Person
from proactmem.datasets.simulate.places import ROADSIDE, PlaceKind

__all__ = ["PRE", "Sight", "see"]

PRE = (30, 40, 60)
_POST = (10, 30, 40, 60, 90, 120)
_FIT = (10, 30, 60)
_MOVING = {Doing.DRIVE: "IN_VEHICLE", Doing.WALK: "ON_FOOT"}
_TRACE = "com.google.appengine.labs.repackaged.org.json.JSONObject.getJSONObject(JSONObject.java:516)"
_PARSER = "com.serversideexample.common.JSONWeatherUndergroundParser.getForecastAndLookup(Weather.java:231)"


@dataclass(frozen=True, slots=True)
class Surroundings:
    """City, place and weather as the server wrote them; an empty text is an empty cell."""

    city: str
    exact: str
    category: str
    condition: str
    temperature: str
    wind: str
    rain: str
    snow: str

    @property
    def celsius(self) -> float | None:
        """The temperature, unless the cell is empty or the sentinel."""
        return None if self.temperature in ("", "-1024.0") else float(self.temperature)


@dataclass(frozen=True, slots=True)
class Sight:
    """One decision point: its row in the raw file, its public payload, and the latent state behind it."""

    participant: int
    index: int
    """decision_index."""
    day: int
    date: date
    slot: int
    """Designated slot; the slot the time really falls in is derived from ``second``."""
    planned: int
    """Designated local second, at the offset of that day."""
    second: int
    """Local second of the decision."""
    offset: int
    connected: bool
    prefetch: bool
    snoozed: bool
    activity: str
    around: Surroundings
    jawbone_before: Mapping[int, Reading] | None
    jawbone_after: Mapping[int, Reading] | None
    fit_before: Mapping[int, Reading] | None
    fit_after: Mapping[int, Reading] | None
    lost: bool
    """The row arrived nearly empty."""
    still: int
    """Latent: minutes of stillness."""
    awake: int
    """Latent: minutes since waking, negative while asleep."""
    busy: bool
    """Latent: in a meeting, or with company."""
    kind: PlaceKind
    """Latent: what kind of place it really is."""

    @property
    def real_slot(self) -> int:
        """The slot the local time really falls in."""
        return slot_of(self.second // 60)

    @property
    def in_transit(self) -> bool:
        """Recognised activity other than STILL and UNKNOWN."""
        return self.activity not in ("STILL", "UNKNOWN")

    @property
    def available(self) -> bool:
        """Connected, not snoozed and not in transit."""
        return self.connected and not self.snoozed and not self.in_transit

    @property
    def public(self) -> dict[str, bool | int | float | str | None]:
        """The public payload by field name; what was not measured is None, sentinels included."""
        jawbone, fit = self.jawbone_before or {}, self.fit_before or {}

        def steps(readings: Mapping[int, Reading], minutes: int) -> int | None:
            return readings[minutes].steps if minutes in readings else None

        def text(found: str) -> str | None:
            return None if found in ("", "unknown") or found.startswith("com.") else found

        return {
            "recognized_activity": self.activity or None,
            "location_category": text(self.around.category),
            "decision_slot": self.real_slot,
            "available": self.available,
            "jawbone_steps_pre30": steps(jawbone, 30),
            "jawbone_steps_pre60": steps(jawbone, 60),
            "google_fit_steps_pre30": steps(fit, 30),
            "google_fit_steps_pre60": steps(fit, 60),
            "weather_condition": text(self.around.condition),
            "temperature_c": self.around.celsius,
        }


def _recognise(chance: Chance, doing: Doing) -> str:
    point = chance.uniform()
    if doing in _MOVING:
        wrong = "UNKNOWN" if point < 0.05 else "STILL" if point < 0.09 else ""
        special = "AUGMENTED_VEHICLE" if doing is Doing.DRIVE and point > 0.985 else ""
        return wrong or special or _MOVING[doing]
    if point < 0.038:
        return "UNKNOWN"
    stirring = doing in (Doing.SHOP, Doing.CHORES, Doing.BREAK, Doing.GYM)
    if point < (0.08 if stirring else 0.044):
        return "ON_FOOT"
    return "ON_BICYCLE" if point > 0.9985 else "IN_VEHICLE" if point > 0.992 else "STILL"


def _surroundings(chance: Chance, person: Person, day: Day, minute: int) -> Surroundings:
    place = int(day.place[minute])
    there = person.places[place] if place >= 0 else None
    roadside = chance.pick(ROADSIDE)
    stray = chance.flip(0.07) and there is not None and there.kind != "gym"
    category = there.category if there and not stray else roadside
    exact = there.exact if there and not stray else roadside.split(",")[0].replace("_", " ").title()
    city = person.trip.city if person.trip and person.away(day.number) else person.city.name
    point = chance.uniform()
    likely = {"fair": (0, 0, 0, 0, 1, 15), "cloudy": (0, 0, 1, 15, 15, 30), "wet": (15, 35, 58, 70, 88, 96)}
    rain = chance.pick(likely[day.weather.regime])
    if point < 0.015:
        return Surroundings("unknown", "unknown", "unknown", "unknown", "", "unknown", "unknown", "")
    if point < 0.0197:
        return Surroundings("", exact, category, "", "-1024.0", "-9999.0", "-1.0", "-1.0")
    if point < 0.0204:
        return Surroundings(_PARSER, exact, category, _TRACE, "0.0", "0.0", "0.0", "0.0")
    weather = day.weather
    lost = point < 0.0214
    return Surroundings(
        city,
        exact,
        category,
        weather.condition(minute),
        str(weather.temperature(minute)),
        str(weather.wind),
        "-1.0" if lost else f"{rain}.0",
        "-1.0" if lost else str(weather.snow),
    )


def _lag(chance: Chance) -> int:
    """Seconds between the designated time and the decision."""
    return chance.weighted(((90, 0.35), (chance.between(60, 140), 0.5), (chance.between(140, 420), 0.15)))


def see(seed: int, person: Person, day: Day, devices: Devices, slot: int, index: int, *, snoozed: bool, off: bool) -> Sight:
    """Observe a lived day at one designated slot.

    Args:
        seed: The simulation's seed.
        person: Whose day.
        day: The lived day.
        devices: What wristband and phone recorded on it.
        slot: Designated slot, 1 to 5.
        index: decision_index of the row.
        snoozed: Whether the participant snoozed the app shortly before.
        off: Whether the phone is out of reach all day.
    """
    chance = Chance(seed, person.index, "see", day.number, slot)
    offset = person.offset(day.number)
    landed = person.trip is not None and day.number == person.trip.first  # the phone still runs on the old zone
    shift = offset - person.offset(day.number - 1) if landed else 0
    planned = person.slot_minute(slot, day.number) * 60
    lag = _lag(chance)
    share = person.connect - (0.12 if person.away(day.number) else 0.0) - (0.03 if slot == 1 else 0.0)
    reached = chance.flip(share)
    lost = person.lost_first and index == 0
    connected = reached and not off and not lost
    prefetch = chance.flip(person.prefetch) and connected
    second = planned + (shift + lag if connected else 90)
    minute = second // 60
    context = minute - 30 if prefetch else minute
    doing = Doing(int(day.doing[context]))
    place = int(day.place[context])
    around = _surroundings(chance, person, day, context)
    gap = chance.flip(0.03)
    gap_fit = chance.flip(0.08)
    worn = bool(devices.worn[minute]) and not gap and not lost
    fitted = devices.fitted and not gap_fit and not lost
    empty = Surroundings("", "", "", "", "", "", "", "")

    def jawbone(spans: Mapping[int, tuple[int, int]]) -> dict[int, Reading] | None:
        found = {key: devices.read_jawbone(minute + low, minute + high, minute) for key, (low, high) in spans.items()}
        return {key: reading for key, reading in found.items() if reading is not None} if worn else None

    def fit(spans: Mapping[int, tuple[int, int]]) -> dict[int, Reading] | None:
        found = {key: devices.read_fit(minute + low, minute + high) for key, (low, high) in spans.items()}
        return {key: reading for key, reading in found.items() if reading is not None} if fitted else None

    return Sight(
        participant=person.index,
        index=index,
        day=day.number,
        date=day.date,
        slot=slot,
        planned=planned,
        second=second,
        offset=offset,
        connected=connected,
        prefetch=prefetch,
        snoozed=snoozed and connected,
        activity=_recognise(chance, doing) if connected else "",
        around=around if connected else empty,
        jawbone_before=jawbone({span: (-span, 0) for span in PRE}),
        jawbone_after=jawbone({span: (0, span) for span in _POST}),
        fit_before=fit({span: (-span, 0) for span in (30, 60)}),
        fit_after=fit({span: (0, span) for span in _FIT}),
        lost=lost,
        still=day.still_minutes(minute),
        awake=minute - day.wake,
        busy=doing in (Doing.MEETING, Doing.SOCIAL),
        kind=person.places[place].kind if place >= 0 else "road",
    )
