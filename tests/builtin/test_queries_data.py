from __future__ import annotations

from functools import partial
from typing import Any

import pytest
from lookups import call_in, error_in
from rows import every

from pytest_toolsandbox.builtin.queries.data import world
from pytest_toolsandbox.builtin.queries.data_files import data_of

call = partial(call_in, world)
error = partial(error_in, world)


@every(
    ("arguments", "codes"),
    [
        ({"currency_code": "AUR"}, ["AUR", "BLM", "GAV", "LUS"]),
        ({"currency_code": "aur", "landlocked": True}, ["GAV"]),
        ({"official_language": "solennais", "region": "Southern Isles"}, ["MRV", "SOL", "UMB"]),
        ({"sort_by": "area_km2", "descending": True}, ["PAS", "YAL", "KSH", "OST", "UMB"]),
        ({"sort_by": "area_km2", "max_area_km2": 10000}, ["ORV", "ZEP"]),
        ({"min_area_km2": 41280, "max_area_km2": 52480}, ["BLM", "RHO"]),
        # Of those of the same year, the codes decide.
        (
            {"sort_by": "founded", "descending": True, "page": 2},
            ["NEM", "TAR", "NHV", "KSH", "WEX"],
        ),
        ({"name": "pas"}, ["PAS"]),
        ({"name": "caria"}, []),
        ({"region": "Southern Isles", "page": 2}, ["UMB", "ZEP"]),
    ],
)
def test_search_countries(arguments: dict[str, Any], codes: list[str]) -> None:
    found = call("search_countries", **arguments)["results"]
    assert [country["country_code"] for country in found] == codes


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        ({"country_codes": ["QUI"], "is_coastal": True}, ["Lagarza", "Port Amiel"]),
        ({"country_codes": ["QUI"], "is_coastal": True, "is_capital": False}, ["Lagarza"]),
        ({"name": "amiel"}, ["Port Amiel"]),
        (
            {"min_elevation_m": 700, "is_capital": True, "sort_by": "elevation_m"},
            ["Mirova", "Kisimo", "Dahran"],
        ),
        ({"min_elevation_m": 747, "max_elevation_m": 921}, ["Dolenz", "Mirova"]),
        (
            {"sort_by": "founded", "country_codes": ["AUR", "YAL"]},
            ["Sant Orell", "Portavel", "Zaporin", "Vallescura", "Sevano"],
        ),
        ({"country_codes": []}, []),
    ],
)
def test_search_cities(arguments: dict[str, Any], names: list[str]) -> None:
    assert [city["name"] for city in call("search_cities", **arguments)["results"]] == names


def test_an_indicator_of_a_country_year_by_year() -> None:
    assert call(
        "get_country_indicator",
        country_code="VEL",
        indicator="gdp_per_capita",
        start_year=2022,
        end_year=2024,
    ) == {
        "country_code": "VEL",
        "country_name": "Velmark",
        "indicator": "gdp_per_capita",
        "unit": "dollars",
        "values": [
            {"year": 2022, "value": 50470},
            {"year": 2023, "value": 51541},
            {"year": 2024, "value": 52837},
        ],
    }


def test_without_years_it_is_the_last_one() -> None:
    indicator = call("get_country_indicator", country_code="LUS", indicator="unemployment_rate")
    assert indicator["values"] == [{"year": 2024, "value": 4.3}]


def test_an_indicator_of_a_city() -> None:
    assert call("get_city_indicator", city_id="WEX-02", indicator="median_rent", year=2023) == {
        "city_id": "WEX-02",
        "city_name": "Tarnwick",
        "indicator": "median_rent",
        "unit": "dollars a month",
        "year": 2023,
        "value": 2032,
    }


AS_TEXT = "TypeError: Parameter 'country_codes' is of type 'string', but expected 'array or null'."
SERIES = {"country_code": "VEL", "indicator": "population"}


@pytest.mark.parametrize(
    ("tool", "arguments", "message"),
    [
        ("search_countries", {"page": 0}, "ValueError: page must be 1 or more, not 0"),
        (
            "search_cities",
            {"country_codes": ["VEL", "Velmark"]},
            "NoDataError: there is no country with country_code 'Velmark'",
        ),
        (
            "search_cities",
            {"country_codes": "VEL"},
            AS_TEXT,
        ),
        (
            "get_country_indicator",
            SERIES | {"country_code": "VEL-01"},
            "NoDataError: there is no country with country_code 'VEL-01'",
        ),
        (
            "get_country_indicator",
            SERIES | {"start_year": 2014},
            "ValueError: start_year must be from 2015 to 2024, not 2014",
        ),
        (
            "get_country_indicator",
            SERIES | {"end_year": 2025},
            "ValueError: end_year must be from 2015 to 2024, not 2025",
        ),
        (
            "get_country_indicator",
            SERIES | {"start_year": 2020, "end_year": 2019},
            "ValueError: end_year must not be before start_year",
        ),
        (
            "get_city_indicator",
            {"city_id": "VEL", "indicator": "population"},
            "NoDataError: there is no city with city_id 'VEL'",
        ),
        (
            "get_city_indicator",
            {"city_id": "VEL-01", "indicator": "population", "year": 2019},
            "ValueError: year must be from 2020 to 2024, not 2019",
        ),
    ],
)
def test_errors(tool: str, arguments: dict[str, Any], message: str) -> None:
    assert error(tool, **arguments) == message


def test_identifiers_are_unique_and_lead_somewhere() -> None:
    countries, cities = data_of("data")["countries"], data_of("data")["cities"]
    codes = [country["country_code"] for country in countries]
    identifiers = [city["city_id"] for city in cities]
    assert len(set(codes)) == len(codes)
    assert len(set(identifiers)) == len(identifiers)
    assert len({city["name"] for city in cities}) == len(cities)
    assert {city["country_code"] for city in cities} == set(codes)
    capitals = {(city["country_code"], city["city_id"]) for city in cities if city["is_capital"]}
    assert capitals == {(c["country_code"], c["capital_city_id"]) for c in countries}


def test_no_coast_without_coast() -> None:
    landlocked = {c["country_code"] for c in data_of("data")["countries"] if c["landlocked"]}
    coastal = {c["country_code"] for c in data_of("data")["cities"] if c["is_coastal"]}
    assert not landlocked & coastal


@pytest.mark.parametrize(
    ("places", "key", "kind", "years"),
    [("countries", "country_code", "country", 10), ("cities", "city_id", "city", 5)],
)
def test_all_indicators_are_complete(places: str, key: str, kind: str, years: int) -> None:
    content = data_of("data")
    units, indicators = content[f"{kind}_units"], content[f"{kind}_indicators"]
    assert set(indicators) == {place[key] for place in content[places]}
    shown = world.tools[f"get_{kind}_indicator"].parameters["indicator"].schema["enum"]
    assert list(units) == shown
    for series in indicators.values():
        assert list(series) == shown
        assert {len(values) for values in series.values()} == {years}
