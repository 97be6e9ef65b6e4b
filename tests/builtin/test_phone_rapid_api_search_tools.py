from __future__ import annotations

import json
import math
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from phone import call, error, switched

from pytest_toolsandbox.builtin.phone import world

TOOLS: dict[str, dict[str, Any]] = {
    "convert_currency": {"amount": 1, "from_currency_code": "USD", "to_currency_code": "EUR"},
    "search_lat_lon": {"latitude": 37.7955, "longitude": -122.3937},
    "search_location_around_lat_lon": {"location": "coffee"},
    "search_stock": {"query": "HLVR"},
    "search_weather_around_lat_lon": {},
}
AROUND = ("search_location_around_lat_lon", "search_weather_around_lat_lon")
OFF = {"wifi": False, "location_service": False}

SMALL = "ValueError: latitude -91 is smaller than its valid range minimum -90"
LARGE = "ValueError: longitude 181 is larger than its valid range maximum 180"
HALF = "ValueError: 'latitude' and 'longitude' must either both be given or both be left out"
NO_LOCATION = "PermissionError: Location service is not enabled."
NO_WIFI = "ConnectionError: Wifi is not enabled"


def code(name: str, value: str) -> str:
    return f"ValueError: {name} {value!r} is not a currency code of ISO 4217, such as 'USD'"


# Everything that can be wrong is, but for what comes before in the order of the checks.
@pytest.mark.parametrize(
    ("tool", "arguments", "settings", "text"),
    [
        ("search_lat_lon", {"latitude": -91, "longitude": 181}, OFF, SMALL),
        ("search_lat_lon", {"longitude": 181}, OFF, LARGE),
        ("search_lat_lon", {"latitude": math.nan}, OFF, "ValueError: latitude is not a number"),
        ("search_lat_lon", {}, OFF, NO_WIFI),
        ("search_stock", {}, OFF, NO_WIFI),
        *(
            case
            for tool, late in zip(AROUND, ({}, {"days": -1}), strict=True)
            for case in (
                (tool, {**late, "latitude": -91, "longitude": 181}, OFF, SMALL),
                (tool, {**late, "longitude": 181}, OFF, LARGE),
                (tool, {**late, "latitude": -91}, OFF, SMALL),
                (tool, {**late, "latitude": 37.8}, OFF, HALF),
                (tool, {**late, "longitude": 0, "latitude": None}, OFF, HALF),
                (tool, late, OFF, NO_LOCATION),
                (tool, {**late, "latitude": None, "longitude": None}, OFF, NO_LOCATION),
                (tool, {}, {"wifi": False}, NO_WIFI),
                (tool, {"latitude": 37.8, "longitude": -122.4}, OFF, NO_WIFI),
            )
        ),
        *(
            (
                "search_weather_around_lat_lon",
                {"days": -1, **place},
                {"wifi": False},
                "ValueError: days must be 0 or more, not -1",
            )
            for place in ({}, {"latitude": 37.8, "longitude": -122.4})
        ),
        (
            "convert_currency",
            {"from_currency_code": "US", "to_currency_code": "Euro"},
            OFF,
            code("from_currency_code", "US"),
        ),
        ("convert_currency", {"to_currency_code": "€"}, OFF, code("to_currency_code", "€")),
        ("convert_currency", {"to_currency_code": " EUR"}, {}, code("to_currency_code", " EUR")),
        ("convert_currency", {"to_currency_code": ""}, {}, code("to_currency_code", "")),
        ("convert_currency", {"to_currency_code": "ISK"}, OFF, NO_WIFI),
        ("convert_currency", {"to_currency_code": "ISK"}, {}, "RuntimeError: Conversion failed"),
        ("convert_currency", {"from_currency_code": "xau"}, {}, "RuntimeError: Conversion failed"),
        ("convert_currency", {"amount": math.nan}, {}, "RuntimeError: Conversion failed"),
        ("convert_currency", {"amount": 10**400}, {}, "RuntimeError: Conversion failed"),
        (
            "convert_currency",
            {"amount": 1e308, "to_currency_code": "JPY"},
            {},
            "RuntimeError: Conversion failed",
        ),
    ],
)
def test_errors_in_their_order(
    tool: str, arguments: dict[str, Any], settings: dict[str, bool], text: str
) -> None:
    assert error(tool, state=switched(**settings), **{**TOOLS[tool], **arguments}) == text


@pytest.mark.parametrize("tool", TOOLS)
def test_nothing_but_wifi_and_the_position_is_needed(
    tool: str,
) -> None:
    state = switched(cellular=False, low_battery_mode=True)
    result, after = call(tool, state=state, **TOOLS[tool])
    assert result
    assert after is state


@pytest.mark.parametrize("tool", TOOLS)
def test_results_are_plain_and_of_their_own(tool: str) -> None:
    first, _ = call(tool, **TOOLS[tool])
    text = json.dumps(first, allow_nan=False)
    for container in first if isinstance(first, list) else [first]:
        if isinstance(container, dict):
            container.clear()
    second, _ = call(tool, **TOOLS[tool])
    assert json.dumps(second) == text


def places_near(location: str, *point: float) -> list[str]:
    place: dict[str, Any] = dict(zip(("latitude", "longitude"), point, strict=False))
    result, _ = call("search_location_around_lat_lon", location=location, **place)
    return [f"{entry['name']}, {entry.get('city', 'a city')}" for entry in result]


GREENLEAF = [f"Greenleaf Grocery, {city}" for city in ("San Francisco", "San Francisco", "Oakland")]
IRONWOOD = ["Ironwood Hardware, San Francisco", "Ironwood Hardware, Oakland"]


@pytest.mark.parametrize(
    ("location", "places"),
    [
        # The whole name, whatever its case and punctuation, and with a small mistake.
        ("Greenleaf Grocery", GREENLEAF),
        ("greenleaf grocery near me", GREENLEAF),
        ("Greenlaef Grocery", GREENLEAF),
        ("Golden Gate Bridge", ["Golden Gate Bridge, San Francisco"]),
        ("the bridge Golden Gate", ["Golden Gate Bridge, San Francisco"]),
        ("KINGS CROSS STATION", ["King's Cross Station, London"]),
        ("SFO", ["San Francisco International Airport, San Francisco"]),
        ("Tokyo", ["Tokyo, a city"]),
        ("San Fransisco", ["San Francisco, a city"]),
        ("Seattle, WA", ["Seattle, a city"]),
        ("Seattle, Washington, United States", ["Seattle, a city"]),
        ("Paris, France", ["Paris, a city"]),
        ("Paris, Ile-de-France", ["Paris, a city"]),
        ("NYC", ["New York, a city"]),
        # A kind, or a part of a name.
        ("greenleaf", GREENLEAF),
        ("hardware store", [*IRONWOOD, "Bolt and Beam Hardware, San Jose"]),
        ("hardware shops", [*IRONWOOD, "Bolt and Beam Hardware, San Jose"]),
        ("pharmacies", ["Oleander Pharmacy, San Francisco", "Oleander Pharmacy, Berkeley"]),
        ("Bolt & Beam", ["Bolt and Beam Hardware, San Jose"]),
        ("groceries", [*GREENLEAF, "Orchard Row Market, Cupertino"]),
        ("dim sum", ["Jade Heron, San Francisco"]),
        # Together with where it is.
        ("hardware store in Oakland", IRONWOOD[1:]),
        ("Greenleaf Grocery, Mission Street", GREENLEAF[:1]),
        ("coffee Berkeley, California", ["Fogline Coffee, Berkeley"]),
        ("538 Valencia St.", ["Oleander Pharmacy, San Francisco"]),
        ("538 Valencia Street, San Francisco", ["Oleander Pharmacy, San Francisco"]),
        ("airports in the United Kingdom", ["Heathrow Airport, London"]),
        # Nothing like it.
        ("sushi", []),
        ("hardware store in Paris", []),
        ("near me", []),
        ("", []),
        ("?!", []),
    ],
)
def test_what_a_query_finds(location: str, places: list[str]) -> None:
    assert places_near(location) == places


def test_across_the_date_line_and_at_the_poles() -> None:
    assert places_near("landmark", 35, 179.9)[0] == "Tokyo Tower, Tokyo"
    assert places_near("landmark", 35, -179.9)[0] == "Tokyo Tower, Tokyo"
    assert len(places_near("landmark", 90, 0)) == len(places_near("landmark", -90, 180)) == 4


@pytest.mark.parametrize(
    ("point", "address"),
    [
        ((37.7955, -122.3937), "1 Ferry Building, San Francisco, CA 94105, USA"),
        ((48.8584, 2.2945), "5 Avenue Anatole France, 75007 Paris, France"),
        # 0.0018 degrees of latitude are 200 meters.
        ((48.8584 + 0.00179, 2.2945), "5 Avenue Anatole France, 75007 Paris, France"),
        ((48.8584 + 0.00181, 2.2945), "Paris, Île-de-France, France"),
        # Between two cities, the nearer center.
        ((37.85, -122.27), "Berkeley, California, United States"),
        ((37.84, -122.28), "Berkeley, California, United States"),
        ((37.83, -122.28), "Oakland, California, United States"),
        ((35.6762, 139.6503), "Tokyo, Tokyo, Japan"),
        ((37.6, -122.7), None),
        ((0, 0), None),
        ((-90, 0), None),
    ],
)
def test_the_address_of_a_point(
    point: tuple[float, float],
    address: str | None,
) -> None:
    assert call("search_lat_lon", latitude=point[0], longitude=point[1])[0] == address


def test_what_is_observed_stands_in_the_place_of_what_was_forecast() -> None:
    tokyo: dict[str, Any] = {"latitude": 35.6762, "longitude": 139.6503}
    now, _ = call("search_weather_around_lat_lon", **tokyo)
    assert now["condition"] == "Clear"


@pytest.mark.parametrize(
    ("now", "days", "point", "date"),
    [
        ("2025-05-14T10:30", 13, (37.7749, -122.4194), "2025-05-27"),
        ("2030-12-31T23:59", 0, (37.7749, -122.4194), "2030-12-31"),
        ("2030-12-31T23:59", 1, (37.7749, -122.4194), "2031-01-01"),
        ("2024-02-28T12:00", 1, (37.7749, -122.4194), "2024-02-29"),
        # Where it is tomorrow already.
        ("2025-05-14T10:30", 0, (35.6762, 139.6503), "2025-05-15"),
        ("2025-05-14T10:30", 2, (51.5074, -0.1278), "2025-05-16"),
        # The clocks change in between.
        ("2025-03-08T23:30", 1, (37.7749, -122.4194), "2025-03-09"),
    ],
)
def test_the_forecast_starts_today_whenever_that_is(
    now: str,
    days: int,
    point: tuple[float, float],
    date: str,
) -> None:
    moment = datetime.fromisoformat(now).replace(tzinfo=ZoneInfo("America/Los_Angeles"))
    place: dict[str, Any] = {"latitude": point[0], "longitude": point[1], "days": days}
    then, _ = call("search_weather_around_lat_lon", now=moment, **place)
    usual, _ = call("search_weather_around_lat_lon", **place)
    assert then["date"] == date
    assert {k: v for k, v in then.items() if k not in {"date", "localtime"}} == {
        k: v for k, v in usual.items() if k not in {"date", "localtime"}
    }


@pytest.mark.parametrize(
    ("arguments", "city"),
    [
        ({"days": 14}, None),
        ({"days": 10**12}, None),
        ({"latitude": 0, "longitude": 0}, None),
        # The nearest center within 50 kilometers: 0.45 degrees of latitude.
        ({"latitude": 47.6062 + 0.449, "longitude": -122.3321}, "Seattle"),
        ({"latitude": 47.6062 + 0.451, "longitude": -122.3321}, None),
        ({"latitude": 37.3349, "longitude": -122.0090}, "Cupertino"),
        ({"days": True}, "San Francisco"),
    ],
)
def test_where_and_when_there_is_weather(
    arguments: dict[str, Any],
    city: str | None,
) -> None:
    weather, _ = call("search_weather_around_lat_lon", **arguments)
    assert (weather and weather["name"]) == city


@pytest.mark.parametrize(
    ("query", "symbol"),
    [
        ("HLVR", "HLVR"),
        ("hlvr", "HLVR"),
        ("HLVR:NASDAQ", "HLVR"),
        ("Halvorsen Robotics", "HLVR"),
        ("halvorsen robotics stock", "HLVR"),
        ("Halvorson Robotics", "HLVR"),
        ("Halvorsen", "HLVR"),
        ("Halvorsen Foods", "HVFD"),
        ("shares of Kestrel", "KSTA"),
        ("NYSE", "HVFD"),
        ("tyo", "SKMR"),
        ("Apple", None),
        ("HLVR:NYSE", None),
        ("stock", None),
        ("", None),
        (":", None),
    ],
)
def test_which_stock_a_query_finds(query: str, symbol: str | None) -> None:
    stock, _ = call("search_stock", query=query)
    assert (stock and stock["symbol"]) == symbol


@pytest.mark.parametrize(
    ("amount", "source", "target", "converted"),
    [
        (100, "USD", "EUR", 89.25),
        (89.25, "EUR", "USD", 100),
        (20, "gbp", "Jpy", 20 / 0.752 * 147.2),
        (12.5, "CHF", "CHF", 12.5),
        (0, "USD", "EUR", 0),
        (-3, "USD", "CAD", -4.185),
        (1e308, "USD", "EUR", 0.8925e308),
        (True, "USD", "GBP", 0.752),
    ],
)
def test_conversion(amount: float, source: str, target: str, converted: float) -> None:
    result, _ = call(
        "convert_currency", amount=amount, from_currency_code=source, to_currency_code=target
    )
    assert type(result) is float
    assert result == pytest.approx(converted, rel=1e-12)


def test_scrambled_names_are_the_published_ones() -> None:
    shown = world.shown("tool_name")
    assert {tool: shown[tool].name for tool in TOOLS} == {
        tool: f"rapid_api_search_tools_{index}" for index, tool in enumerate(TOOLS)
    }
