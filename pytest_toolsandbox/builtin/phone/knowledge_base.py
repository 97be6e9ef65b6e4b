"""Knowledge from a folder of YAML files: the bundled folder, or a user's own."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from os import PathLike
from pathlib import Path
from typing import Any, Self
from zoneinfo import ZoneInfo

from .fuzzy_search import Index, Names, words, words_of
from .knowledge import Entry
from .knowledge_files import Content, read_folder

EARTH_RADIUS = 6371.0088
"""The mean radius in kilometers."""

ADDRESS_RADIUS = 0.2
WEATHER_RADIUS = 50.0
"""How far, in kilometers, an address and the weather of a city reach."""

_NOT_ASKED_FOR = words(
    "stock stocks share shares price ticker company corporation corp inc ltd plc"
)
_UNITS = {"temperature_unit": "Celsius", "distance_unit": "Kilometer"}


class KnowledgeBase:
    """A :class:`Knowledge` that answers from the files of a folder."""

    def __init__(self, content: Content) -> None:
        self._cities = content.cities
        self._weather = content.weather
        self._stocks = content.stocks
        self._rates = content.rates
        cities = {city["name"]: city for city in content.cities}
        self._addresses = [
            _shown_place(place, cities.get(place.get("city"), {})) for place in content.places
        ]
        self._places = [*map(_shown_city, content.cities), *self._addresses]
        names = [*map(_names_of_city, content.cities), *map(_names, content.places)]
        kinds = [
            words_of(*several, *place["types"])
            for several, place in zip(names, self._places, strict=True)
        ]
        addresses = (words_of(*_location(place)) for place in self._places)
        self._by_name = Names(names)
        self._by_kind = Index(kinds)
        self._by_address = Index(map(frozenset.union, kinds, addresses))
        self._by_company = Index(words_of(stock["name"]) for stock in content.stocks)

    @classmethod
    def from_folder(cls, folder: str | PathLike[str]) -> Self:
        """Read a folder with any of cities, places, weather, stocks and currencies ``.yaml``.

        If a file is missing, nothing is known about its subject. Raises :class:`KnowledgeError`,
        with a line for each mistake: where it is, what was expected and what was found.
        """
        return cls(read_folder(Path(folder)))

    @classmethod
    def shipped(cls) -> Self:
        """Read the bundled folder."""
        return cls.from_folder(Path(__file__).with_name("data"))

    def address_at(self, latitude: float, longitude: float) -> str | None:
        """Return the address of the nearest place within 200 meters, or else the city around."""
        distance = _distance_from(latitude, longitude)
        place = min(self._addresses, key=distance, default=None)
        if place is not None and distance(place) <= ADDRESS_RADIUS:
            return str(place["full_address"])
        around = [city for city in self._cities if distance(city) <= city["radius"]]
        city = min(around, key=distance, default=None)
        return None if city is None else ", ".join(_city_parts(city))

    def places_like(self, query: str, latitude: float, longitude: float) -> Sequence[Entry]:
        """Return the places that a query may mean, the nearest first.

        They are those with this name; if there are none, those that have all words of the query in
        name and types; and if there are none either, in name, types and address.
        """
        indices = (
            self._by_name.meant(query)
            or self._by_kind.having(query)
            or self._by_address.having(query)
        )
        distance = _distance_from(latitude, longitude)
        return sorted(
            (self._places[index] for index in indices),
            key=lambda place: (distance(place), place["name"], place["full_address"]),
        )

    def weather_at(
        self, now: datetime, days: int, latitude: float, longitude: float
    ) -> Entry | None:
        """Return the weather of the nearest city within 50 kilometers, for the next two weeks."""
        distance = _distance_from(latitude, longitude)
        known = [city for city in self._cities if city["name"] in self._weather]
        city = min(known, key=distance, default=None)
        if city is None or distance(city) > WEATHER_RADIUS:
            return None
        weather = self._weather[city["name"]]
        if days >= len(weather["days"]):
            return None
        local = now.astimezone(ZoneInfo(city["time_zone"]))
        return {
            "date": (local + timedelta(days=days)).date().isoformat(),
            **weather["days"][days],
            **({} if days else weather["current"]),
            "name": city["name"],
            **({"region": city["state"]} if "state" in city else {}),
            "country": city["country"],
            "lat": city["latitude"],
            "lon": city["longitude"],
            "tz_id": city["time_zone"],
            "localtime": local.replace(tzinfo=None).isoformat(" ", "minutes"),
            **_UNITS,
        }

    def stock_like(self, query: str) -> Entry | None:
        """Return the first stock that has the query as its symbol, in its name, or as its exchange.

        A symbol counts before a name, and a name before an exchange.
        """
        asked = query.strip().casefold()
        for stock in self._stocks:
            symbol = stock["symbol"].casefold()
            if asked in (symbol, symbol.partition(":")[0]):
                return stock
        name = " ".join(word for word in words(query) if word not in _NOT_ASKED_FOR)
        for index in self._by_company.having(name):
            return self._stocks[index]
        return next((s for s in self._stocks if s["exchange"].casefold() == asked), None)

    def exchange_rate(self, source: str, target: str) -> float | None:
        """Return the rate between two currencies that both have one."""
        if source not in self._rates or target not in self._rates:
            return None
        return self._rates[target] / self._rates[source]


def _names(entry: Entry) -> list[str]:
    return [entry["name"], *entry.get("also", ())]


def _names_of_city(city: Entry) -> list[str]:
    """Return the names of a city, also together with where it is."""
    return [
        *_names(city),
        ", ".join(_city_parts(city)),
        *(f"{city['name']}, {city[part]}" for part in ("state", "country") if part in city),
    ]


def _city_parts(city: Entry) -> list[str]:
    return [city[part] for part in ("name", "state", "country") if part in city]


def _location(place: Entry) -> list[str]:
    parts = ("full_address", "city", "state", "country")
    return [place[part] for part in parts if place.get(part)]


def _shown_city(city: Entry) -> dict[str, Any]:
    return {
        "name": city["name"],
        "types": ["city"],
        "full_address": ", ".join(_city_parts(city)),
        **{part: city[part] for part in ("state", "country") if part in city},
        "latitude": city["latitude"],
        "longitude": city["longitude"],
    }


def _shown_place(place: Entry, city: Entry) -> dict[str, Any]:
    return {
        "name": place["name"],
        "types": place["types"],
        "full_address": place["address"],
        **({"city": place["city"]} if "city" in place else {}),
        **{part: city[part] for part in ("state", "country") if part in city},
        "latitude": place["latitude"],
        "longitude": place["longitude"],
        **{k: place[k] for k in ("phone_number", "rating", "opening_hours") if k in place},
    }


def _distance_from(latitude: float, longitude: float) -> Callable[[Entry], float]:
    """Return a function: how many kilometers a record is from a point, on a great circle."""
    north, east = math.radians(latitude), math.radians(longitude)

    def distance(record: Entry) -> float:
        there = math.radians(record["latitude"]), math.radians(record["longitude"])
        chord = (
            math.sin((there[0] - north) / 2) ** 2
            + math.cos(north) * math.cos(there[0]) * math.sin((there[1] - east) / 2) ** 2
        )
        return 2 * EARTH_RADIUS * math.asin(math.sqrt(min(1.0, chord)))

    return distance
