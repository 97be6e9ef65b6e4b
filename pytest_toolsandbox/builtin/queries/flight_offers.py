"""Prices and times of flights on the days on which they are on sale."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Final, Literal
from zoneinfo import ZoneInfo

from pytest_toolsandbox.worlds.context import NoDataError

from .data_files import data_of
from .records import Entry, find_record, shown

CabinClass = Literal["economy", "business"]
FIRST_DAY, LAST_DAY = date(2025, 5, 15), date(2025, 9, 30)
"""Days on which flights are on sale, and on which a stay may begin."""

WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
WEEKEND = ("Fri", "Sat", "Sun")
_CODES: Final[dict[str, CabinClass]] = {"ECO": "economy", "BUS": "business"}
_OFFER_ID = re.compile(r"(?P<flight>\d+)-(?P<day>\d{4}-\d{2}-\d{2})-(?P<code>ECO|BUS)")


@dataclass(frozen=True)
class Offer:
    """A seat on a flight, on one day and in one class."""

    flight: Entry
    departure: date
    cabin_class: CabinClass

    @property
    def fare(self) -> Entry:
        """What the class costs and includes."""
        fare: Entry = self.flight["fares"][self.cabin_class]
        return fare

    @property
    def price(self) -> int:
        """In euros."""
        dearer = weekday(self.departure) in WEEKEND
        price: int = self.fare["price"] + (self.flight["weekend_surcharge"] if dearer else 0)
        return price

    @property
    def listed(self) -> dict[str, Any]:
        """The offer as a search lists it, times local."""
        origin, destination = (airport_at(self.flight[end]) for end in ("origin", "destination"))
        leaves_at = time.fromisoformat(self.flight["departs"])
        leaves = datetime.combine(self.departure, leaves_at, _zone(origin))
        arrives = leaves.astimezone(UTC) + timedelta(minutes=self.flight["duration"])
        code = next(code for code, name in _CODES.items() if name == self.cabin_class)
        return {
            "offer_id": f"{self.flight['flight_id']}-{self.departure}-{code}",
            "carrier": self.flight["carrier"],
            "origin": origin["iata_code"],
            "destination": destination["iata_code"],
            "departure": f"{leaves:%Y-%m-%d %H:%M}",
            "arrival": f"{arrives.astimezone(_zone(destination)):%Y-%m-%d %H:%M}",
            "duration": self.flight["duration"],
            "stops": len(self.flight["stops"]),
            "price": self.price,
        }


def offers_on(departure: date, cabin_class: CabinClass) -> Iterator[Offer]:
    """Yield the offers of a day and a class, in the order of the timetable."""
    for flight in data_of("travel")["flights"]:
        if weekday(departure) in flight["days"] and cabin_class in flight["fares"]:
            yield Offer(flight, departure, cabin_class)


def offer_of(offer_id: str) -> Offer:
    """Return the offer with that identifier. Raises ``NoDataError``."""
    missing = NoDataError(f"there is no offer with offer_id {offer_id!r}")
    parts = _OFFER_ID.fullmatch(offer_id)
    if parts is None:
        raise missing
    try:
        departure = date.fromisoformat(parts["day"])
    except ValueError:
        raise missing from None
    if FIRST_DAY <= departure <= LAST_DAY:
        for offer in offers_on(departure, _CODES[parts["code"]]):
            if str(offer.flight["flight_id"]) == parts["flight"]:
                return offer
    raise missing


def cities() -> list[dict[str, Any]]:
    """Return the cities as a search lists them."""
    return [
        {
            **shown(city, "location_id", "city_id"),
            "location_type": "city",
            **shown(city, "name", "country"),
        }
        for city in data_of("travel")["cities"]
    ]


def airports() -> list[dict[str, Any]]:
    """Return the airports as a search lists them."""
    return [
        {
            **shown(airport, "location_id", "city_id"),
            "location_type": "airport",
            **shown(airport, "name", "iata_code"),
            "city": _city(airport)["name"],
            "country": _city(airport)["country"],
        }
        for airport in data_of("travel")["airports"]
    ]


def airport_at(location_id: str) -> Entry:
    """Return an airport as a search lists it. Raises ``NoDataError``."""
    return find_record(airports(), "location_id", location_id, "airport")


def weekday(when: date) -> str:
    """Return the short English name of a day of the week, whatever the locale."""
    return WEEKDAYS[when.weekday()]


def _city(airport: Entry) -> Entry:
    return find_record(data_of("travel")["cities"], "city_id", airport["city_id"], "city")


def _zone(airport: Entry) -> ZoneInfo:
    return ZoneInfo(_city(airport)["time_zone"])
