"""The weather of a season in a city: a day remembers the day before it, and nothing after it."""

import math
from dataclasses import dataclass
from datetime import date

from proactmem.datasets.simulate.chance import Chance
from proactmem.datasets.simulate.places import City

__all__ = ["WET", "DayWeather", "next_weather", "seasonal_mean"]

WET = frozenset(
    {"Rain", "Light Rain", "Thunderstorm", "Snow", "Light Snow", "Ice Pellets", "Light Freezing Rain", "Light Drizzle"}
)
"""Conditions that keep a walk indoors."""

_TURNS = {
    "fair": (("fair", 0.68), ("cloudy", 0.25), ("wet", 0.07)),
    "cloudy": (("fair", 0.32), ("cloudy", 0.53), ("wet", 0.15)),
    "wet": (("fair", 0.28), ("cloudy", 0.30), ("wet", 0.42)),
}
_CONDITIONS = {
    "fair": (("Clear", 0.66), ("Partly Cloudy", 0.26), ("Mostly Cloudy", 0.06), ("Scattered Clouds", 0.02)),
    "cloudy": (("Overcast", 0.74), ("Mostly Cloudy", 0.16), ("Partly Cloudy", 0.06), ("Fog", 0.03), ("Haze", 0.01)),
    "wet": (("Rain", 0.42), ("Overcast", 0.33), ("Light Rain", 0.19), ("Thunderstorm", 0.04), ("Light Drizzle", 0.02)),
}
_FROZEN = {
    "Rain": "Snow",
    "Light Rain": "Light Snow",
    "Thunderstorm": "Ice Pellets",
    "Light Drizzle": "Light Freezing Rain",
}


@dataclass(frozen=True, slots=True)
class DayWeather:
    """One day's weather."""

    regime: str
    """fair, cloudy or wet."""
    anomaly: float
    """Degrees above the season, carried to the next day."""
    mean: float
    """Mean temperature of the day in Celsius."""
    conditions: tuple[str, ...]
    """Condition in each of eight blocks of three hours."""
    wind: float
    snow: float

    def condition(self, minute: int) -> str:
        """The condition at a local minute."""
        return self.conditions[min(max(minute, 0), 1439) // 180]

    def temperature(self, minute: int) -> float:
        """Celsius to one decimal at a local minute: coldest at 04:00, warmest at 16:00."""
        return round(self.mean - 4.5 * math.cos((minute - 240) / 720 * math.pi), 1)

    def dry(self, minute: int) -> bool:
        """Whether a walk outside is pleasant enough at a local minute: no rain, no hard frost, no great heat."""
        return self.condition(minute) not in WET and -8.0 <= self.temperature(minute) <= 33.0


def seasonal_mean(city: City, day: date) -> float:
    """Mean temperature in Celsius of a date in a city."""
    season = math.cos((day.timetuple().tm_yday - 200) / 365 * 2 * math.pi)
    return (city.january + city.july) / 2 + (city.july - city.january) / 2 * season


def next_weather(key: tuple[int, int, int], city: City, day: date, before: DayWeather | None) -> DayWeather:
    """The weather of a day given the day before.

    Args:
        key: (seed, participant, day number), the key of the day's chance.
        city: Where the participant lives.
        day: The local date, for the season.
        before: The day before, or None on the first day.
    """
    chance = Chance(*key, "weather")
    regime = chance.weighted(_TURNS[before.regime if before else "fair"])
    anomaly = 0.65 * (before.anomaly if before else 0.0) + chance.normal(0.0, 2.8)
    mean = seasonal_mean(city, day) + anomaly
    conditions: list[str] = []
    for _ in range(8):
        repeat = chance.flip(0.45)
        drawn = chance.weighted(_CONDITIONS[regime])
        name = _FROZEN.get(drawn, drawn) if mean < 0.5 else drawn
        conditions.append(conditions[-1] if conditions and repeat else name)
    fallen = any(name in ("Snow", "Light Snow") for name in conditions)
    snow = float(chance.pick((3, 3, 5, 8))) if fallen else 0.0
    wind = round(max(0.0, chance.normal(2.0, 1.8)), 1) if chance.flip(0.7) else 0.0
    return DayWeather(regime, anomaly, mean, tuple(conditions), wind, snow)
