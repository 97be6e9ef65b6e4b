"""The world ``queries.travel``: flights and hotels of one summer."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any, Literal

from pytest_toolsandbox.worlds.tool import CallComparison, tool

from .data_files import data_of
from .flight_offers import (
    FIRST_DAY,
    LAST_DAY,
    CabinClass,
    airport_at,
    airports,
    cities,
    offer_of,
    offers_on,
)
from .hotel_rooms import cancellation_until, free_rooms, nights_from, price_of
from .records import Entry, allows, day, find_record, mentions, page_of, shown, whole
from .world import look_up_world

PAGE = 6
MOST_NIGHTS = 21

Amenity = Literal[
    "wifi",
    "breakfast",
    "pool",
    "gym",
    "spa",
    "parking",
    "pets",
    "airport_shuttle",
    "bar",
    "air_conditioning",
]


@tool("travel")
def search_locations(
    query: str, location_type: Literal["city", "airport"] | None = None
) -> list[dict[str, Any]]:
    """Search cities and their airports by name.

    Args:
        query: Words of the name of a city, an airport or a country, or an airport's IATA code.
        location_type: Only cities, or only airports.

    Returns:
        The cities and after them the airports, each with location_id, which is for flights,
        city_id, which is for hotels, location_type, name and country, and an airport with its
        iata_code.
    """
    rows = [*cities(), *airports()]
    return [
        row
        for row in rows
        if allows(location_type, row["location_type"])
        and mentions(
            query,
            *(row[field] for field in ("name", "city", "country", "iata_code") if field in row),
        )
    ]


@tool("travel")
def search_flights(
    origin_id: str,
    destination_id: str,
    departure_date: str,
    cabin_class: CabinClass = "economy",
    max_stops: int | None = None,
    sort_by: Literal["price", "duration", "departure_time"] = "price",
    page: int = 1,
) -> dict[str, Any]:
    """Search flights in one direction on one day, for one adult.

    Args:
        origin_id: The location_id of the airport, or of the city, to fly from; a city stands for
            all of its airports.
        destination_id: The location_id of the airport, or of the city, to fly to.
        departure_date: The day of the departure, such as 2025-06-14.
        cabin_class: The class to fly in.
        max_stops: How many stops there may be at most; 0 for direct flights.
        sort_by: What to order the flights by, the least first.
        page: The page of the results, from 1; there are 6 flights on a page.

    Returns:
        A page of offers, each with offer_id, carrier, the iata_code of origin and destination,
        departure and arrival in local time, duration in minutes, stops and price in euros.

    Raises:
        NoDataError: If there is no such location.
        ValueError: If the day is no date or out of the time on sale, or max_stops is negative.
    """
    origins, destinations = _airports_at(origin_id), _airports_at(destination_id)
    departure = _on_sale("departure_date", departure_date)
    most = None if max_stops is None else whole("max_stops", max_stops, 0)
    matches = [
        offer.listed
        for offer in offers_on(departure, cabin_class)
        if offer.flight["origin"] in origins
        and offer.flight["destination"] in destinations
        and (most is None or len(offer.flight["stops"]) <= most)
    ]
    field = {"departure_time": "departure"}.get(sort_by, sort_by)
    return _page(page, sorted(matches, key=lambda offer: (offer[field], offer["offer_id"])))


@tool("travel")
def get_flight_details(offer_id: str) -> dict[str, Any]:
    """Look up what an offer of search_flights includes.

    Args:
        offer_id: The offer's identifier, as search_flights gives it.

    Returns:
        The offer, with the aircraft, the cities of the stops, checked_bags, which are free,
        cabin_bag_kg, change_fee in euros, refundable, and the passenger's co2_kg.

    Raises:
        NoDataError: If there is no such offer.
    """
    offer = offer_of(offer_id)
    fields = ("checked_bags", "cabin_bag_kg", "change_fee", "refundable")
    return {
        **offer.listed,
        "cabin_class": offer.cabin_class,
        "stopovers": [airport_at(stop)["city"] for stop in offer.flight["stops"]],
        **shown(offer.flight, "aircraft", "co2_kg"),
        **shown(offer.fare, *fields),
    }


@tool("travel", comparison=CallComparison(arguments={"amenities": "set"}))
def search_hotels(
    city_id: int,
    checkin_date: str,
    checkout_date: str,
    guests: int = 2,
    min_stars: int | None = None,
    amenities: list[Amenity] | None = None,
    sort_by: Literal["price", "guest_rating"] = "price",
    page: int = 1,
) -> dict[str, Any]:
    """Search the hotels of a city that have a free room for a stay.

    Args:
        city_id: The city's identifier for hotels, a whole number.
        checkin_date: The day of the arrival, such as 2025-06-14.
        checkout_date: The day of the departure, at most 21 days later.
        guests: How many people share the room, from 1 to 4.
        min_stars: How many stars the hotel must have at least, from 1 to 5.
        amenities: What the hotel must offer; all of it.
        sort_by: price for the cheapest first, guest_rating for the best rated first.
        page: The page of the results, from 1; there are 6 hotels on a page.

    Returns:
        A page of hotels, each with hotel_id, name, stars, guest_rating, from 0 to 10, and
        price_from, which is what the whole stay costs in the cheapest room, in euros.

    Raises:
        NoDataError: If there is no such city.
        ValueError: If the stay is not possible, or a number is out of range.
    """
    find_record(_data()["cities"], "city_id", city_id, "city")
    nights = _nights(checkin_date, checkout_date)
    people = whole("guests", guests, 1, 4)
    stars = 1 if min_stars is None else whole("min_stars", min_stars, 1, 5)
    matches = [
        {**shown(hotel, "hotel_id", "name", "stars", "guest_rating"), "price_from": min(prices)}
        for hotel in _data()["hotels"]
        if hotel["city_id"] == city_id
        and stars <= hotel["stars"]
        and set(amenities or ()) <= set(hotel["amenities"])
        and (prices := [price_of(room, nights) for room in free_rooms(hotel, nights, people)])
    ]
    by_price = sorted(matches, key=lambda hotel: (hotel["price_from"], hotel["hotel_id"]))
    if sort_by == "guest_rating":
        by_price.sort(key=lambda hotel: -hotel["guest_rating"])
    return _page(page, by_price)


@tool("travel")
def get_hotel_details(hotel_id: str) -> dict[str, Any]:
    """Look up what is known of a hotel, except for its rooms and their prices.

    Args:
        hotel_id: The hotel's identifier, such as H1234.

    Returns:
        The hotel, with district, distance_to_centre_km, amenities, check_in_from, check_out_until,
        the year in which it opened, city_tax_per_night, per person in euros, and breakfast_price,
        per person in euros, which is null if it serves none.

    Raises:
        NoDataError: If there is no such hotel.
    """
    fields = ("district", "distance_to_centre_km", "amenities", "check_in_from", "check_out_until")
    return shown(
        _hotel(hotel_id),
        *("hotel_id", "city_id", "name", "stars", "guest_rating", *fields),
        *("opened", "city_tax_per_night", "breakfast_price"),
    )


@tool("travel")
def get_hotel_rooms(
    hotel_id: str, arrival_date: str, nights: int, guests: int = 2, breakfast_only: bool = False
) -> list[dict[str, Any]]:
    """List the rooms of a hotel that are free for a stay.

    Args:
        hotel_id: The hotel's identifier, such as H1234.
        arrival_date: The day of the arrival, such as 2025-06-14.
        nights: How many nights to stay, from 1 to 21.
        guests: How many people share the room, from 1 to 4.
        breakfast_only: Whether to list only rooms whose price includes breakfast.

    Returns:
        The rooms, the cheapest first, each with room_id, name, sleeps, beds, total_price of the
        stay in euros, breakfast_included, and free_cancellation_until, which is null if there is
        none.

    Raises:
        NoDataError: If there is no such hotel.
        ValueError: If the day is no date or out of the time on sale, or a number is out of range.
    """
    hotel = _hotel(hotel_id)
    arrival = _on_sale("arrival_date", arrival_date)
    stay = nights_from(arrival, whole("nights", nights, 1, MOST_NIGHTS))
    rooms = [
        {
            **shown(room, "room_id", "name", "sleeps", "beds"),
            "total_price": price_of(room, stay),
            **shown(room, "breakfast_included"),
            "free_cancellation_until": cancellation_until(room, arrival),
        }
        for room in free_rooms(hotel, stay, whole("guests", guests, 1, 4))
        if room["breakfast_included"] or not breakfast_only
    ]
    return sorted(rooms, key=lambda room: (room["total_price"], room["room_id"]))


def _data() -> dict[str, Any]:
    return data_of("travel")


def _hotel(hotel_id: str) -> Entry:
    return find_record(_data()["hotels"], "hotel_id", hotel_id, "hotel")


def _airports_at(location_id: str) -> set[str]:
    """Return the airports that a location stands for. Raises ``NoDataError``."""
    place = find_record([*cities(), *airports()], "location_id", location_id, "location")
    if place["location_type"] == "airport":
        return {location_id}
    return {
        airport["location_id"] for airport in airports() if airport["city_id"] == place["city_id"]
    }


def _day(name: str, text: str) -> date:
    parsed = day(name, text)
    assert parsed is not None  # there is a text
    return parsed


def _on_sale(name: str, text: str) -> date:
    parsed = _day(name, text)
    if not FIRST_DAY <= parsed <= LAST_DAY:
        raise ValueError(f"{name} must be from {FIRST_DAY} to {LAST_DAY}, not {text!r}")
    return parsed


def _nights(checkin_date: str, checkout_date: str) -> list[date]:
    """Return the nights of a stay. Raises ``ValueError``."""
    arrival = _on_sale("checkin_date", checkin_date)
    count = (_day("checkout_date", checkout_date) - arrival).days
    if not 1 <= count <= MOST_NIGHTS:
        raise ValueError(
            f"checkout_date must be from 1 to {MOST_NIGHTS} days after checkin_date, not {count}"
        )
    return nights_from(arrival, count)


def _page(page: int, rows: Sequence[Any]) -> dict[str, Any]:
    return {"page": page, "total_results": len(rows), "results": page_of(rows, page, PAGE)}


world = look_up_world(
    name="queries.travel",
    toolset=(
        search_locations,
        search_flights,
        get_flight_details,
        search_hotels,
        get_hotel_details,
        get_hotel_rooms,
    ),
    summary="Flights between some cities, and hotels there, in the summer of 2025.",
)
