"""The files of a knowledge folder, and the fields that they must have."""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from .currency_codes import ISO_4217
from .knowledge import Entry
from .knowledge_reading import (
    TEXT,
    TEXTS,
    FieldKind,
    File,
    Node,
    among,
    matching,
    number_in,
    optional,
)

FILES = ("cities.yaml", "places.yaml", "weather.yaml", "stocks.yaml", "currencies.yaml")
FORECAST_DAYS = 14


class KnowledgeError(ValueError):
    """A folder of knowledge has mistakes: a line for each, with file and line."""


@dataclass(frozen=True)
class Content:
    """The records of the files, with the fields below, in the order of the files.

    ``weather`` is by the name of the city: ``current``, and ``days`` from today on. ``rates`` are
    the units that one unit of the same currency buys, by the codes of ISO 4217.
    """

    cities: Sequence[Entry]
    places: Sequence[Entry]
    weather: Mapping[str, Entry]
    stocks: Sequence[Entry]
    rates: Mapping[str, float]


def _is_time_zone(name: str) -> bool:
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, OSError):
        return False
    return True


ANY_NUMBER = number_in(-math.inf)
POSITIVE = number_in(0)
PERCENT = number_in(0, 100)
RATE = number_in(0.000001)
LATITUDE = number_in(-90, 90)
LONGITUDE = number_in(-180, 180)
CURRENCY = among(ISO_4217.__contains__, "a currency code of ISO 4217")
TIME_OF_DAY = matching(r"(0[1-9]|1[0-2]):[0-5][0-9] [AP]M", "a time such as 06:01 AM")
PHONE_NUMBER = matching(r"\+[1-9][0-9]{6,14}", "a phone number such as +14155550100")
TIME_ZONE = among(_is_time_zone, "a time zone such as Europe/Berlin")

CITY = {
    "name": TEXT,
    "state": optional(TEXT),
    "country": TEXT,
    "latitude": LATITUDE,
    "longitude": LONGITUDE,
    "radius": POSITIVE,
    "time_zone": TIME_ZONE,
    "also": optional(TEXTS),
}
PLACE = {
    "name": TEXT,
    "types": TEXTS,
    "address": TEXT,
    "city": optional(TEXT),
    "latitude": LATITUDE,
    "longitude": LONGITUDE,
    "phone_number": optional(PHONE_NUMBER),
    "rating": optional(number_in(0, 5)),
    "opening_hours": optional(TEXT),
    "also": optional(TEXTS),
}
CURRENT = {
    "condition": TEXT,
    "current_temperature": ANY_NUMBER,
    "perceived_temperature": ANY_NUMBER,
    "humidity": PERCENT,
    "wind_speed": POSITIVE,
    "wind_dir": TEXT,
    "barometric_pressure": POSITIVE,
    "cloud": PERCENT,
    "visibility_distance": POSITIVE,
}
DAY = {
    "condition": TEXT,
    "max_temperature": ANY_NUMBER,
    "min_temperature": ANY_NUMBER,
    "average_temperature": ANY_NUMBER,
    "max_wind_speed": POSITIVE,
    "average_humidity": PERCENT,
    "average_visibility_distance": POSITIVE,
    "daily_chance_of_rain": PERCENT,
    "daily_chance_of_snow": PERCENT,
    "uv": POSITIVE,
    "sunrise": TIME_OF_DAY,
    "sunset": TIME_OF_DAY,
}
STOCK = {
    "symbol": TEXT,
    "name": TEXT,
    "exchange": TEXT,
    "currency": CURRENCY,
    "price": POSITIVE,
    "previous_close": POSITIVE,
    "change": ANY_NUMBER,
    "change_percent": ANY_NUMBER,
}


def read_folder(folder: Path) -> Content:
    """Return the content of a folder's files. Raises :class:`KnowledgeError`."""
    mistakes = _mistaken_names(folder)
    cities, places, weather, stocks, currencies = (File(folder / name, mistakes) for name in FILES)
    known = _cities(cities)
    names = {city.get("name", "") for city in known}
    content = Content(
        cities=known,
        places=_places(places, names),
        weather=_weather(weather, names),
        stocks=_stocks(stocks),
        rates=_rates(currencies),
    )
    if mistakes:
        raise KnowledgeError("\n".join(mistakes))
    return content


def _mistaken_names(folder: Path) -> list[str]:
    if not folder.is_dir():
        actual = "a file" if folder.exists() else "nothing"
        raise KnowledgeError(f"{folder}: expected a folder, found {actual}")
    names = sorted(path.name for path in folder.iterdir() if path.suffix in {".yaml", ".yml"})
    if not names:
        raise KnowledgeError(f"{folder}: expected some of {', '.join(FILES)}, found none of them")
    allowed = ", ".join(FILES)
    return [
        f"{folder}: expected only {allowed}, found {name}" for name in names if name not in FILES
    ]


def _records(file: File, kinds: Mapping[str, FieldKind]) -> list[tuple[Node, str, Entry]]:
    """Return the records that a file lists: where each is, in two ways, and what it says."""
    node, title = file.document(), file.path.stem
    places = [
        (item, f"{title}[{index}]")
        for index, item in enumerate(file.items(node, title) if node else ())
    ]
    return [(item, where, file.record(item, kinds, where)) for item, where in places]


def _cities(file: File) -> list[Entry]:
    records = _records(file, CITY)
    names: set[str] = set()
    for item, where, city in records:
        name = city.get("name") or ""  # there is none where that is a mistake already
        if name and name in names:
            file.note(item, f"{where}.name", "a name that no other city has", repr(name))
        names.add(name)
    return [city for _, _, city in records]


def _places(file: File, cities: Container[str]) -> list[Entry]:
    records = _records(file, PLACE)
    for item, where, place in records:
        if city := place.get("city"):
            _check_city(file, item, f"{where}.city", city, cities)
    return [place for _, _, place in records]


def _stocks(file: File) -> list[Entry]:
    return [stock for _, _, stock in _records(file, STOCK)]


def _weather(file: File, cities: Container[str]) -> dict[str, Entry]:
    node = file.document()
    weather: dict[str, Entry] = {}
    for city, fields in (file.fields(node, "weather") if node else {}).items():
        _check_city(file, fields, "weather", city, cities)
        parts = file.parts(fields, _OF_A_CITY, _OF_A_CITY, city)
        weather[city] = {
            name: _OF_A_CITY[name](file, part, f"{city}.{name}") for name, part in parts.items()
        }
    return weather


def _current(file: File, node: Node, where: str) -> Entry:
    return file.record(node, CURRENT, where)


def _days(file: File, node: Node, where: str) -> Sequence[Entry]:
    items = enumerate(file.items(node, where, FORECAST_DAYS))
    return [file.record(item, DAY, f"{where}[{index}]") for index, item in items]


_OF_A_CITY: Mapping[str, Callable[[File, Node, str], Any]] = {"current": _current, "days": _days}


def _rates(file: File) -> dict[str, float]:
    node = file.document()
    rates: dict[str, float] = {}
    parts = file.parts(node, ("base", "rates"), ("base", "rates"), "currencies") if node else {}
    if "base" in parts:
        rates[file.value(parts["base"], CURRENCY, "base")] = 1.0
    for code, rate in (file.fields(parts["rates"], "rates") if "rates" in parts else {}).items():
        if code not in ISO_4217:
            file.note(rate, "rates", CURRENCY.expected, repr(code))
        elif code in rates:
            file.note(rate, "rates", "other currencies than the base", repr(code))
        rates[code] = file.value(rate, RATE, f"rates.{code}")
    return rates


def _check_city(file: File, node: Node, where: str, city: str, cities: Container[str]) -> None:
    if city not in cities:
        file.note(node, where, "a city of cities.yaml", repr(city))
