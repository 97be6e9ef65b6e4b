from __future__ import annotations

from datetime import date, time
from functools import partial
from typing import Any, get_args
from zoneinfo import ZoneInfo

import pytest
from lookups import call_in
from rows import every

from pytest_toolsandbox.builtin.queries.data_files import data_of
from pytest_toolsandbox.builtin.queries.flight_offers import WEEKDAYS
from pytest_toolsandbox.builtin.queries.travel import Amenity, world

DATA = data_of("travel")
VIENNA, OSLO, MILAN, OSAKA = "LOC-2068", "LOC-2058", "LOC-2109", "LOC-2141"
STAY = {"city_id": 318, "checkin_date": "2025-06-20", "checkout_date": "2025-06-23"}
ROUTE = {"origin_id": OSLO, "destination_id": MILAN, "departure_date": "2025-06-14"}

call = partial(call_in, world)


def flights(**arguments: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = call("search_flights", **{**ROUTE, **arguments})["results"]
    return found


@pytest.mark.parametrize(
    ("sort_by", "field"),
    [("price", "price"), ("duration", "duration"), ("departure_time", "departure")],
)
def test_flights_are_ordered(sort_by: str, field: str) -> None:
    values = [offer[field] for offer in flights(sort_by=sort_by)]
    assert values == sorted(values)
    assert len(set(values)) > 1


def test_flights_may_have_to_be_direct() -> None:
    assert {offer["stops"] for offer in flights()} == {0, 1}
    assert {offer["stops"] for offer in flights(max_stops=0)} == {0}


def test_weekends_are_dearer_and_flights_go_on_their_days_only() -> None:
    saturday = {offer["offer_id"].split("-")[0]: offer["price"] for offer in flights()}
    monday = {
        offer["offer_id"].split("-")[0]: offer["price"]
        for offer in flights(departure_date="2025-06-16")
    }
    both = saturday.keys() & monday.keys()
    assert both
    assert saturday.keys() != monday.keys()
    assert all(saturday[number] >= monday[number] for number in both)
    assert any(saturday[number] > monday[number] for number in both)


def test_hotels_may_be_the_best_rated_first() -> None:
    found = call("search_hotels", **STAY, sort_by="guest_rating")["results"]
    ratings = [hotel["guest_rating"] for hotel in found]
    assert ratings == sorted(ratings, reverse=True)


@pytest.mark.parametrize("guests", [1, 2, 3, 4])
def test_the_price_of_a_hotel_is_that_of_its_cheapest_room(guests: int) -> None:
    for hotel in call("search_hotels", **STAY, guests=guests)["results"]:
        rooms = call(
            "get_hotel_rooms",
            hotel_id=hotel["hotel_id"],
            arrival_date="2025-06-20",
            nights=3,
            guests=guests,
        )
        assert rooms[0]["total_price"] == hotel["price_from"]
        assert all(room["sleeps"] >= guests for room in rooms)


def test_a_room_is_not_free_in_a_night_that_is_sold_out() -> None:
    hotel, room = next(
        (hotel, room) for hotel in DATA["hotels"] for room in hotel["rooms"] if room["sold_out"]
    )
    taken = room["sold_out"][0]
    stay = {"hotel_id": hotel["hotel_id"], "nights": 1, "guests": 1}
    for night in (taken["from"], taken["to"]):
        rooms = call("get_hotel_rooms", **stay, arrival_date=night)
        assert room["room_id"] not in [found["room_id"] for found in rooms]
    rooms = call("get_hotel_rooms", **stay, arrival_date="2025-09-20")
    assert room["room_id"] in [found["room_id"] for found in rooms]


def test_rooms_may_have_to_include_breakfast() -> None:
    hotel = next(
        hotel
        for hotel in DATA["hotels"]
        if {room["breakfast_included"] for room in hotel["rooms"]} == {True, False}
    )
    stay = {"hotel_id": hotel["hotel_id"], "arrival_date": "2025-09-20", "nights": 2, "guests": 1}
    every = call("get_hotel_rooms", **stay)
    some = call("get_hotel_rooms", **stay, breakfast_only=True)
    assert some == [room for room in every if room["breakfast_included"]]
    assert 0 < len(some) < len(every)


def test_cancelling_is_free_until_days_before_the_arrival() -> None:
    stay = {"hotel_id": "H7565", "arrival_date": "2025-07-11", "nights": 3, "guests": 3}
    (suite, *_) = call("get_hotel_rooms", **stay)
    assert suite["free_cancellation_until"] == "2025-07-04"


def test_details_of_a_hotel_have_no_rooms() -> None:
    details = call("get_hotel_details", hotel_id="H7565")
    assert details["name"] == "Umeda Kiri Hotel"
    assert "rooms" not in details


def test_identifiers_are_unique() -> None:
    locations = [place["location_id"] for place in [*DATA["cities"], *DATA["airports"]]]
    rooms = [room["room_id"] for hotel in DATA["hotels"] for room in hotel["rooms"]]
    numbers = [flight["flight_id"] for flight in DATA["flights"]]
    hotels = [hotel["hotel_id"] for hotel in DATA["hotels"]]
    for identifiers in (locations, rooms, numbers, hotels):
        assert len(set(identifiers)) == len(identifiers)


def test_cities_have_time_zones() -> None:
    assert all(ZoneInfo(city["time_zone"]) for city in DATA["cities"])


@every("flight", DATA["flights"], ids=lambda flight: str(flight["flight_id"]))
def test_a_flight_is_sound(flight: dict[str, Any]) -> None:
    airports = {airport["location_id"] for airport in DATA["airports"]}
    ends = [flight["origin"], *flight["stops"], flight["destination"]]
    assert {*ends} <= airports
    assert len(set(ends)) == len(ends)
    assert {*flight["days"]} <= {*WEEKDAYS}
    assert time.fromisoformat(flight["departs"])
    assert flight["duration"] > 0


@every("hotel", DATA["hotels"], ids=lambda hotel: str(hotel["hotel_id"]))
def test_a_hotel_is_sound(hotel: dict[str, Any]) -> None:
    assert hotel["city_id"] in {city["city_id"] for city in DATA["cities"]}
    assert {*hotel["amenities"]} <= {*get_args(Amenity)}
    assert ("breakfast" in hotel["amenities"]) == (hotel["breakfast_price"] is not None)
    for room in hotel["rooms"]:
        assert room["breakfast_included"] <= ("breakfast" in hotel["amenities"])
        for span in room["sold_out"]:
            assert date.fromisoformat(span["from"]) <= date.fromisoformat(span["to"])
