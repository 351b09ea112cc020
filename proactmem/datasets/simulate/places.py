"""Places as the phone reports them: a name, a category string of joined place types, and what one can do there."""

from dataclasses import dataclass
from typing import Literal

__all__ = ["CITIES", "ERRANDS", "GYMS", "HAUNTS", "HOTEL", "PARKS", "ROADSIDE", "City", "Place", "PlaceKind"]

PlaceKind = Literal["home", "work", "gym", "park", "haunt", "shop", "hotel", "road"]


@dataclass(frozen=True, slots=True)
class City:
    """A city: its name, its winter offset from UTC and its mean temperature in January and July (Celsius)."""

    name: str
    standard: int
    january: float
    july: float


@dataclass(frozen=True, slots=True)
class Place:
    """A place of a life: what it is, and how the phone names it."""

    kind: PlaceKind
    exact: str
    category: str


def _place(kind: PlaceKind, exact: str, types: str) -> Place:
    return Place(kind, exact, f"{types},point_of_interest,establishment")


CITIES = (
    City("Ann Arbor", -18000, -4.0, 23.0),
    City("Ann Arbor", -18000, -4.0, 23.0),
    City("Ypsilanti", -18000, -3.5, 23.5),
    City("Chelsea", -18000, -4.5, 22.5),
    City("Brighton", -18000, -5.0, 22.0),
    City("Novi", -18000, -4.0, 23.0),
)
HOTEL = _place("hotel", "Station Inn", "lodging")
ROADSIDE = (
    "store,point_of_interest,establishment",
    "gas_station,convenience_store,food,store,point_of_interest,establishment",
    "car_repair,store,point_of_interest,establishment",
    "restaurant,food,point_of_interest,establishment",
    "park,point_of_interest,establishment",
    "general_contractor,home_goods_store,store,point_of_interest,establishment",
)
"""What stands beside a road: the category of a moving phone, or of one whose position is a little off."""
GYMS = (
    _place("gym", "North Side Recreation Building", "gym,university,health"),
    _place("gym", "Liberty Fitness", "gym,health"),
)
PARKS = (
    _place("park", "Riverside Park", "park"),
    _place("park", "Mill Pond Park", "park"),
    _place("park", "Oak Hill Cemetery", "cemetery,store"),
)
HAUNTS = (
    _place("haunt", "Caf\u00e9 Lumi\u00e8re", "cafe,food"),
    _place("haunt", "Corner Bakery", "bakery,store,meal_takeaway,cafe,restaurant,food"),
    _place("haunt", "The Copper Kettle", "restaurant,food"),
    _place("haunt", "Old Mill Taproom", "bar,restaurant,food"),
    _place("haunt", "Noodle House \u00b7 \u9eb5\u9928", "meal_takeaway,restaurant,food"),
    _place("haunt", "Main Library", "university,local_government_office"),
    _place("haunt", "Parkside Church Hall", "store,food"),
)
ERRANDS = (
    _place("shop", "Green Valley Market", "grocery_or_supermarket,food,store"),
    _place("shop", "Main Street Pharmacy", "pharmacy,store,health"),
    _place("shop", "Thread & Needle", "clothing_store,store"),
    _place("shop", "Volt Electronics", "electronics_store,store"),
    _place("shop", "Harbor Books", "book_store,store"),
)
