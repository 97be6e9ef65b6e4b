from __future__ import annotations

import json
import math
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import phonenumbers
import pytest
from rows import every

from pytest_toolsandbox import KnowledgeBase, KnowledgeError
from pytest_toolsandbox.builtin.phone import knowledge_base, world
from pytest_toolsandbox.builtin.phone.currency_codes import ISO_4217
from pytest_toolsandbox.builtin.phone.fuzzy_search import SMALL_WORDS, words
from pytest_toolsandbox.builtin.phone.initial import NUMBERS
from pytest_toolsandbox.builtin.phone.knowledge import Entry
from pytest_toolsandbox.builtin.phone.knowledge_files import (
    CURRENT,
    DAY as FORECAST,
    FILES,
    FORECAST_DAYS,
    PLACE as PLACE_FIELDS,
    STOCK,
    Content,
    read_folder,
)

FOLDER = Path(knowledge_base.__file__).with_name("data")
ROOT = Path(__file__).parents[2]
DOCUMENTATION = (ROOT / "docs" / "phone-services.md").read_text(encoding="utf-8")
CONTENT = read_folder(FOLDER)
CITIES = {city["name"]: city for city in CONTENT.cities}
INVENTED = [place for place in CONTENT.places if "rating" in place]


def numbers(value: Any) -> list[float]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return [number for item in value for number in numbers(item)]
    return [value] if isinstance(value, int | float) else []


def kilometers(start: Entry, other: Entry) -> float:
    from geographiclib.geodesic import Geodesic

    points = [(record["latitude"], record["longitude"]) for record in (start, other)]
    return float(Geodesic.WGS84.Inverse(*points[0], *points[1])["s12"]) / 1000


def test_everything_is_a_finite_number_or_text() -> None:
    assert all(map(math.isfinite, numbers(list(vars(CONTENT).values()))))
    json.dumps(vars(CONTENT), allow_nan=False)


def test_coordinates_are_in_range_and_in_the_city() -> None:
    for record in (*CONTENT.cities, *CONTENT.places):
        assert -90 <= record["latitude"] <= 90
        assert -180 <= record["longitude"] <= 180
    for place in CONTENT.places:
        city = CITIES[place["city"]]
        # Airports are where there is room.
        room = 15 if "airport" in place["types"] else 0
        assert kilometers(place, city) <= city["radius"] + room


def test_every_place_can_be_told_from_the_others() -> None:
    for field in ("address", "phone_number"):
        values = [place[field] for place in CONTENT.places if field in place]
        assert len(set(values)) == len(values)
    points = [(place["latitude"], place["longitude"]) for place in CONTENT.places]
    assert len(set(points)) == len(points)
    for place in CONTENT.places:
        other_places = [other for other in CONTENT.places if other is not place]
        assert min(kilometers(place, other) for other in other_places) > 0.1


def test_shops_with_several_branches() -> None:
    branches = Counter(place["name"] for place in CONTENT.places)
    assert {name: count for name, count in branches.items() if count > 1} == {
        "Greenleaf Grocery": 3,
        "Fogline Coffee": 3,
        "Ironwood Hardware": 2,
        "Oleander Pharmacy": 2,
        "Paper Lantern Books": 2,
        "Little Napoli Pizzeria": 2,
        "Petal Theory": 2,
        "Sunset Fuel": 2,
    }


def test_phone_numbers_are_fictional() -> None:
    fictional = r"\+1\d{3}55501\d\d|\+44207946\d{4}|\+3319900\d{4}"
    for place in CONTENT.places:
        if "phone_number" in place:
            assert re.fullmatch(fictional, place["phone_number"])
            phonenumbers.parse(place["phone_number"])
    assert all("phone_number" in place for place in INVENTED)


def test_who_is_in_the_address_book_has_the_same_number_on_the_web() -> None:
    shared = {
        place["name"]: place["phone_number"]
        for place in INVENTED
        if place["phone_number"] in NUMBERS.values()
    }
    assert shared == {
        "Oleander Pharmacy": NUMBERS["Oleander Pharmacy"],
        "Marsh Dental": NUMBERS["Dr. Helen Marsh"],
        "Caruso Auto Repair": NUMBERS["Vinnie Caruso"],
    }


def test_opening_hours_are_written_alike() -> None:
    days = r"(Mon|Tue|Wed|Thu|Fri|Sat|Sun)"
    span = rf"(daily|{days}(-{days})?) \d\d:\d\d-\d\d:\d\d"
    closed = rf"closed (on {days}( and {days})?|from {days} to {days})"
    for place in CONTENT.places:
        hours = place.get("opening_hours", "open 24 hours")
        assert re.fullmatch(rf"open 24 hours|{span}(, {span})*(, {closed})?", hours)
    assert all("opening_hours" in place for place in INVENTED)


def test_two_weeks_of_weather_for_every_city() -> None:
    assert CONTENT.weather.keys() == CITIES.keys()
    assert {len(weather["days"]) for weather in CONTENT.weather.values()} == {FORECAST_DAYS} == {14}


@every("city", CITIES)
def test_weather_is_consistent(city: str) -> None:
    weather = CONTENT.weather[city]
    today, now = weather["days"][0], weather["current"]
    assert today["min_temperature"] <= now["current_temperature"] <= today["max_temperature"]
    for day in weather["days"]:
        assert day["min_temperature"] < day["average_temperature"] < day["max_temperature"]
        assert day["min_temperature"] > -15
        assert day["max_temperature"] < 46
        assert (day["daily_chance_of_rain"] >= 50) == (
            day["condition"] in {"Light drizzle", "Moderate rain", "Heavy rain", "Thunderstorm"}
        )
        assert (day["daily_chance_of_snow"] >= 50) == ("snow" in day["condition"])
        assert day["sunrise"].endswith(" AM")
        assert day["sunset"].endswith(" PM")


def test_all_units_are_metric() -> None:
    names = {name for weather in CONTENT.weather.values() for name in weather["current"]}
    names |= {n for weather in CONTENT.weather.values() for day in weather["days"] for n in day}
    assert not [name for name in names if re.search(r"_(f|in|mph|miles)$", name)]


def test_stocks_are_consistent() -> None:
    symbols = [stock["symbol"] for stock in CONTENT.stocks]
    assert len(set(symbols)) == len(symbols) == 21
    for stock in CONTENT.stocks:
        assert stock["symbol"].endswith(f":{stock['exchange']}")
        change = stock["price"] - stock["previous_close"]
        assert stock["change"] == pytest.approx(change, abs=0.001)
        percent = change / stock["previous_close"] * 100
        assert stock["change_percent"] == pytest.approx(percent, abs=0.006)


def test_currencies() -> None:
    assert len(CONTENT.rates) == 27
    assert CONTENT.rates["USD"] == 1
    assert {stock["currency"] for stock in CONTENT.stocks} <= CONTENT.rates.keys() <= ISO_4217
    assert len(ISO_4217) == 179
    assert all(re.fullmatch(r"[A-Z]{3}", code) for code in ISO_4217)


# What a scenario's author may count on.


def listed(title: str) -> str:
    """Return what the documentation says below a heading of the third level."""
    return DOCUMENTATION.partition(f"### {title}\n")[2].partition("\n#")[0]


@every("city", CITIES)
def test_the_documentation_has_the_city_with_its_weather(city: str) -> None:
    (row,) = re.findall(rf"^\| {city} \|(.*)\|$", listed("Weather"), re.MULTILINE)
    now, *days = (cell.strip() for cell in row.split("|"))
    weather = CONTENT.weather[city]
    current = weather["current"]
    assert now == f"{current['condition']}, {current['current_temperature']}"
    assert days == [
        f"{day['condition']}, {day['min_temperature']} to {day['max_temperature']}"
        for day in weather["days"][:4]
    ] + [", ".join(str(index) for index, day in enumerate(weather["days"]) if wet(day)) or "none"]


def wet(day: dict[str, Any]) -> bool:
    return bool(day["daily_chance_of_rain"] >= 50 or day["daily_chance_of_snow"] >= 50)


def test_the_documentation_has_every_place() -> None:
    section = listed("Places")
    for place in CONTENT.places:
        assert f"{place['name']}" in section
        if place in INVENTED:
            street = place["address"].split(",")[0]
            assert f"{place['name']} | {place['types'][0]} |" in section
            assert f"{place['city']}, {street}" in section


def test_the_documentation_has_every_stock() -> None:
    section = listed("Stocks and currencies")
    rows = [line for line in section.splitlines() if line.startswith("| ")][1:]
    assert rows == [
        f"| {stock['symbol'].partition(':')[0]} | {stock['name']} | {stock['exchange']} "
        f"| {stock['price']:g} {stock['currency']} | {stock['change_percent']:+g} % |"
        for stock in CONTENT.stocks
    ]


def test_the_documentation_has_every_currency() -> None:
    section = listed("Stocks and currencies").partition("`RuntimeError`:")[2]
    rates = re.findall(r"\b([A-Z]{3}) (\d+(?:\.\d+)?)", section)
    assert {code: float(rate) for code, rate in rates} == CONTENT.rates


def test_the_documentation_names_all_that_is_told() -> None:
    fields_of_page = {
        "Places": PLACE_FIELDS,
        "Weather": CURRENT | FORECAST,
        "Stocks and currencies": STOCK,
    }
    for title, fields in fields_of_page.items():
        missing = [name for name in fields if f"`{name}`" not in listed(title)]
        assert missing == (["address", "also"] if title == "Places" else [])


def test_the_documentation_names_the_small_words() -> None:
    (names,) = re.findall(r"small words \*([^*]+)\*", listed("Places"))
    assert set(re.split(r",\s+", " ".join(names.split()))) == SMALL_WORDS


@every(
    ("text", "expected"),
    [
        ("Fisherman's Wharf", ("fishermans", "wharf")),
        ("Fisherman\N{RIGHT SINGLE QUOTATION MARK}s  WHARF!", ("fishermans", "wharf")),
        ("the nearest café to me", ("cafe",)),
        ("bakeries & pharmacies", ("bakery", "pharmacy")),
        ("cities and ties", ("city", "ties")),
        ("Cookies, a cookie", ("cooky", "cooky")),
        ("pies", ("pies",)),
        ("12 Main St., 5th Ave", ("12", "main", "street", "5th", "avenue")),
        ("coffee shops", ("coffee", "store")),
        ("John F. Kennedy", ("john", "f", "kennedy")),
        ("", ()),
        ("in the of", ()),
    ],
)
def test_words(text: str, expected: tuple[str, ...]) -> None:
    assert words(text) == expected


def test_no_internals_are_told() -> None:
    shown = KnowledgeBase.shipped().places_like("landmark", 0, 0)
    names = {name for place in shown for name in place}
    assert names <= {
        *("name", "types", "full_address", "city", "state", "country", "latitude", "longitude"),
        *("phone_number", "rating", "opening_hours"),
    }


def test_places_at_the_same_distance_are_in_the_order_of_their_names(tmp_path: Path) -> None:
    place = "{{name: {}, types: [kiosk], address: {}, latitude: {}, longitude: 0}}"
    rows = [("Beta", "b", 1), ("Alpha", "z", -1), ("Alpha", "a", 1), ("Gamma", "c", 0.5)]
    lines = [f"- {place.format(*row)}" for row in rows]
    for order in (lines, lines[::-1]):
        tmp_path.joinpath("places.yaml").write_text("\n".join(order))
        places = KnowledgeBase.from_folder(tmp_path).places_like("kiosk", 0, 0)
        assert [(p["name"], p["full_address"]) for p in places] == [
            ("Gamma", "c"),
            ("Alpha", "a"),
            ("Alpha", "z"),
            ("Beta", "b"),
        ]


# Reading a folder.

CITY = (
    "- {name: Ulm, country: Germany, latitude: 48.4, longitude: 9.99, radius: 5, "
    "time_zone: Europe/Berlin}\n"
)
PLACE = "- {name: Minster, types: [church], address: Ulm, latitude: 48.4, longitude: 9.99}\n"


def test_what_no_file_is_about_is_not_known(tmp_path: Path) -> None:
    tmp_path.joinpath("currencies.yaml").write_text("base: EUR\nrates: {NOK: 10}\n")
    tmp_path.joinpath("stocks.yaml").write_text("# none yet\n")
    tmp_path.joinpath("README.md").write_text("Where the rates are from.")
    base = KnowledgeBase.from_folder(str(tmp_path))
    assert base.exchange_rate("EUR", "NOK") == 10
    assert base.exchange_rate("NOK", "EUR") == 0.1
    assert base.exchange_rate("NOK", "USD") is None
    assert base.stock_like("anything") is None
    assert base.places_like("anything", 0, 0) == []
    assert base.address_at(0, 0) is None
    assert base.weather_at(world.now, 0, 0, 0) is None


def test_a_city_without_state_or_weather(tmp_path: Path) -> None:
    tmp_path.joinpath("cities.yaml").write_text(CITY)
    tmp_path.joinpath("places.yaml").write_text(PLACE.replace("}", ", phone_number: +49731123}"))
    base = KnowledgeBase.from_folder(tmp_path)
    assert base.address_at(48.41, 9.99) == "Ulm, Germany"
    assert base.weather_at(world.now, 0, 48.4, 9.99) is None
    assert base.places_like("ulm germany", 0, 0) == [
        {
            "name": "Ulm",
            "types": ["city"],
            "full_address": "Ulm, Germany",
            "country": "Germany",
            "latitude": 48.4,
            "longitude": 9.99,
        }
    ]
    (minster,) = base.places_like("minster", 0, 0)
    assert minster["phone_number"] == "+49731123"


def test_yaml_makes_nothing_of_texts_that_look_like_something_else(tmp_path: Path) -> None:
    line = (
        "- {name: no, types: [on], address: 12:30, latitude: 0, longitude: 0, opening_hours: 7}\n"
    )
    tmp_path.joinpath("places.yaml").write_text(line)
    (place,) = KnowledgeBase.from_folder(tmp_path).places_like("no", 0, 0)
    assert (place["name"], place["types"], place["full_address"]) == ("no", ["on"], "12:30")
    assert place["opening_hours"] == "7"


DAY = (
    "{condition: Fog, max_temperature: 3, min_temperature: 1, average_temperature: 2, "
    "max_wind_speed: 1, average_humidity: 99, average_visibility_distance: 0, uv: 0, "
    'daily_chance_of_rain: 0, daily_chance_of_snow: 0, sunrise: "05:30 AM", sunset: "08:59 PM"}'
)
NOW = (
    "{condition: Fog, current_temperature: 2, perceived_temperature: -1, humidity: 99, cloud: 100, "
    "wind_speed: 1, wind_dir: N, barometric_pressure: 1020, visibility_distance: 0}"
)
ALLOWED = "cities.yaml, places.yaml, weather.yaml, stocks.yaml, currencies.yaml"


LISTED = CITY + "\n" + "- {name: [], land: Germany, latitude: 0, longitude: 0, radius: -5}"
WEATHER = f"Ulm:\n  current: {NOW.replace('99', '101')}\n  days:\n" + f"    - {DAY}\n" * 13
STOCKS = (
    "- {symbol: A, name: A, exchange: X, currency: Euro, price: many,\n"
    f"   previous_close: 1, change: .nan, change_percent: {'9' * 50}}}"
)


@pytest.mark.parametrize(
    ("file", "text", "mistakes"),
    [
        ("stock.yaml", "", f": expected only {ALLOWED}, found stock.yaml"),
        ("cities.yml", "", f": expected only {ALLOWED}, found cities.yml"),
        ("cities.yaml", "cities: {}", "1: cities: expected a list, found fields"),
        ("cities.yaml", "Ulm", "1: cities: expected a list, found 'Ulm'"),
        ("cities.yaml", "- Ulm", "1: cities[0]: expected fields, found 'Ulm'"),
        ("cities.yaml", b"- \xff", "1: expected text in UTF-8, found other bytes"),
        ("cities.yaml", "- \x07", "1: expected YAML, found a character that it does not allow"),
        (
            "cities.yaml",
            CITY.replace("radius: 5, ", "").replace("48.4", "north").replace("Europe", "Europa"),
            """
            1: cities[0]: expected a field 'radius', found none
            1: cities[0].latitude: expected a number from -90 to 90, found 'north'
            1: cities[0].time_zone: expected a time zone such as Europe/Berlin, \
found 'Europa/Berlin'
            """,
        ),
        (
            "cities.yaml",
            LISTED,
            """
            3: cities[1]: expected one of name, state, country, latitude, longitude, radius, \
time_zone, also, found 'land'
            3: cities[1]: expected a field 'country', found none
            3: cities[1]: expected a field 'time_zone', found none
            3: cities[1].name: expected text, found a list
            3: cities[1].radius: expected a number of 0 or more, found '-5'
            """,
        ),
        (
            "places.yaml",
            PLACE.replace("9.99}", "1e3, rating: 5.5, phone_number: 0731 123, also: Dom}"),
            """
            1: places[0].longitude: expected a number from -180 to 180, found '1e3'
            1: places[0].phone_number: expected a phone number such as +14155550100, \
found '0731 123'
            1: places[0].rating: expected a number from 0 to 5, found '5.5'
            1: places[0].also: expected a list of texts, found 'Dom'
            """,
        ),
        (
            "places.yaml",
            PLACE.replace("[church]", "[]").replace("address: Ulm", "address: , city: Bonn"),
            """
            1: places[0].types: expected a list of texts, found a list
            1: places[0].address: expected text, found nothing
            1: places[0].city: expected a city of cities.yaml, found 'Bonn'
            """,
        ),
        (
            "places.yaml",
            "- {name: A, name: B, [x]: y}",
            """
            1: places[0]: expected 'name' once, found it twice
            1: places[0]: expected the name of a field, found a list
            1: places[0]: expected a field 'types', found none
            1: places[0]: expected a field 'address', found none
            1: places[0]: expected a field 'latitude', found none
            1: places[0]: expected a field 'longitude', found none
            """,
        ),
        (
            "weather.yaml",
            f"Bonn: {{current: {NOW}, days: [{', '.join([DAY] * 13)}]}}",
            """
            1: weather: expected a city of cities.yaml, found 'Bonn'
            1: Bonn.days: expected 14 items, found 13
            """,
        ),
        (
            "cities.yaml",
            CITY * 2,
            "2: cities[1].name: expected a name that no other city has, found 'Ulm'",
        ),
        (
            "weather.yaml",
            f"Ulm: {{current: {NOW}, days: []}}",
            "1: Ulm.days: expected 14 items, found 0",
        ),
        ("weather.yaml", "Ulm: fine", "1: Ulm: expected fields, found 'fine'"),
        (
            "weather.yaml",
            "Ulm:\n  now: {}",
            """
            2: Ulm: expected one of current, days, found 'now'
            2: Ulm: expected a field 'current', found none
            2: Ulm: expected a field 'days', found none
            """,
        ),
        (
            "weather.yaml",
            f"{WEATHER}    - {DAY.replace('05:30 AM', '5:30')}\n",
            """
            2: Ulm.current.humidity: expected a number from 0 to 100, found '101'
            17: Ulm.days[13].sunrise: expected a time such as 06:01 AM, found '5:30'
            """,
        ),
        (
            "stocks.yaml",
            STOCKS,
            f"""
            1: stocks[0].currency: expected a currency code of ISO 4217, found 'Euro'
            1: stocks[0].price: expected a number of 0 or more, found 'many'
            2: stocks[0].change: expected a number, found '.nan'
            2: stocks[0].change_percent: expected a number, found '{"9" * 39}…'
            """,
        ),
        (
            "currencies.yaml",
            "base: EUR\nrates: {EUR: 1, DEM: 1.95583, NOK: 0, SEK: x}",
            """
            2: rates: expected other currencies than the base, found 'EUR'
            2: rates: expected a currency code of ISO 4217, found 'DEM'
            2: rates.NOK: expected a number of 0.000001 or more, found '0'
            2: rates.SEK: expected a number of 0.000001 or more, found 'x'
            """,
        ),
        (
            "currencies.yaml",
            "EUR: 1",
            """
            1: currencies: expected one of base, rates, found 'EUR'
            1: currencies: expected a field 'base', found none
            1: currencies: expected a field 'rates', found none
            """,
        ),
        ("stocks.yaml", "# nothing\n- [symbol: }\n", "2: expected YAML, found none: *"),
    ],
)
def test_mistakes(file: str, text: str | bytes, mistakes: str, tmp_path: Path) -> None:
    """A mistake begins with its line."""
    tmp_path.joinpath("cities.yaml").write_text(CITY)
    tmp_path.joinpath(file).write_bytes(text.encode() if isinstance(text, str) else text)
    with pytest.raises(KnowledgeError) as caught:
        KnowledgeBase.from_folder(tmp_path)
    lines = [line.strip() for line in mistakes.strip().splitlines()]
    start = "" if mistakes.startswith(":") else f"/{file}:"
    for problem, line in zip(str(caught.value).splitlines(), lines, strict=True):
        expected = f"{tmp_path}{start}{line}"
        assert problem.startswith(expected[:-1]) if line.endswith("*") else problem == expected


def test_mistakes_of_all_files_are_found_at_once(tmp_path: Path) -> None:
    for name in FILES:
        tmp_path.joinpath(name).write_text("nothing useful")
    with pytest.raises(KnowledgeError) as caught:
        KnowledgeBase.from_folder(tmp_path)
    assert [line.partition(":")[0] for line in str(caught.value).splitlines()] == [
        str(tmp_path / name) for name in FILES
    ]


def test_folders_that_are_none(tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("x")
    for path, problem in (
        (tmp_path / "missing", "expected a folder, found nothing"),
        (file, "expected a folder, found a file"),
        (tmp_path, f"expected some of {ALLOWED}, found none of them"),
    ):
        with pytest.raises(KnowledgeError) as caught:
            KnowledgeBase.from_folder(path)
        assert str(caught.value) == f"{path}: {problem}"


def test_content_is_all_that_a_base_needs() -> None:
    base = KnowledgeBase(Content([], [], {}, [], {"EUR": 1.0, "USD": 1.25}))
    assert base.exchange_rate("EUR", "USD") == 1.25


def test_nothing_is_read_before_a_tool_needs_it() -> None:
    program = (
        "import sys\n"
        "from pytest_toolsandbox import phone_world\n"
        "from pytest_toolsandbox.worlds.context import Context\n"
        "world = phone_world()\n"
        "world.agent_tools\n"
        "context = Context(world.start(world.now), world.now)\n"
        "tool = world.tools['search_stock']\n"
        "loaded = {name for name in sys.modules if 'yaml' in name or 'knowledge_' in name}\n"
        "assert not loaded, loaded\n"
        "assert tool.run(context, {'query': 'HLVR'})\n"
        "assert 'yaml' in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
