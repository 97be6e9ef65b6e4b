"""The world ``queries.data``: statistics of countries and of their cities."""

from __future__ import annotations

from typing import Any, Literal

from pytest_toolsandbox.worlds.tool import CallComparison, tool

from .data_files import data_of
from .listing import between, ordered, paged
from .records import allows, find_record, mentions, whole
from .world import look_up_world

FIRST_YEAR, LAST_YEAR = 2015, 2024
FIRST_CITY_YEAR = 2020  # of the indicators of cities

CountryIndicator = Literal[
    "population",
    "gdp_per_capita",
    "life_expectancy",
    "unemployment_rate",
    "forest_area_share",
    "internet_users_share",
]
CityIndicator = Literal[
    "population",
    "median_rent",
    "fine_particles",
    "commute_minutes",
    "green_space_share",
]


@tool("data")
def search_countries(
    name: str | None = None,
    region: Literal["Central Basin", "Eastern Rim", "Northern Reach", "Southern Isles"]
    | None = None,
    official_language: str | None = None,
    currency_code: str | None = None,
    landlocked: bool | None = None,
    min_area_km2: float | None = None,
    max_area_km2: float | None = None,
    sort_by: Literal["name", "area_km2", "founded"] = "name",
    descending: bool = False,
    page: int = 1,
) -> dict[str, Any]:
    """Search countries. Only those are found that fit all the arguments that are given.

    Args:
        name: The first letters of one or more words of the name.
        region: The part of the world that the country lies in.
        official_language: A language that is official there, by its English name.
        currency_code: The currency, by its code of three letters.
        landlocked: Whether the country has no coast.
        min_area_km2: The least area, in square kilometers.
        max_area_km2: The greatest area, in square kilometers.
        sort_by: What the results are sorted by; founded is the year of foundation.
        descending: Whether the greatest, or the last in the alphabet, comes first.
        page: The page of the results, from 1; there are 5 on a page.

    Returns:
        The page: countries with country_code, name, region, capital_city_id, official_languages,
        currency_code, area_km2, landlocked and founded.

    Raises:
        ValueError: If the page is less than 1.
    """
    matches = [
        country
        for country in data_of("data")["countries"]
        if mentions(name, country["name"])
        and allows(region, country["region"])
        and _among(official_language, country["official_languages"])
        and _among(currency_code, [country["currency_code"]])
        and allows(landlocked, country["landlocked"])
        and between(min_area_km2, country["area_km2"], max_area_km2)
    ]
    return paged(ordered(matches, sort_by, "country_code", descending=descending), page)


@tool("data", comparison=CallComparison(arguments={"country_codes": "set"}))
def search_cities(
    name: str | None = None,
    country_codes: list[str] | None = None,
    is_capital: bool | None = None,
    is_coastal: bool | None = None,
    min_elevation_m: int | None = None,
    max_elevation_m: int | None = None,
    sort_by: Literal["name", "elevation_m", "founded"] = "name",
    descending: bool = False,
    page: int = 1,
) -> dict[str, Any]:
    """Search cities. Only those are found that fit all the arguments that are given.

    Args:
        name: The first letters of one or more words of the name.
        country_codes: The countries that the city may lie in, by their codes of three letters.
        is_capital: Whether the city is the capital of its country.
        is_coastal: Whether the city lies at the sea.
        min_elevation_m: The least height above the sea, in meters.
        max_elevation_m: The greatest height above the sea, in meters.
        sort_by: What the results are sorted by; founded is the year of foundation.
        descending: Whether the greatest, or the last in the alphabet, comes first.
        page: The page of the results, from 1; there are 5 on a page.

    Returns:
        The page: cities with city_id, name, country_code, is_capital, is_coastal, elevation_m and
        founded.

    Raises:
        NoDataError: If a country is not known.
        ValueError: If the page is less than 1.
    """
    countries = data_of("data")["countries"]
    for code in country_codes or []:
        find_record(countries, "country_code", code, "country")
    matches = [
        city
        for city in data_of("data")["cities"]
        if mentions(name, city["name"])
        and (country_codes is None or city["country_code"] in country_codes)
        and allows(is_capital, city["is_capital"])
        and allows(is_coastal, city["is_coastal"])
        and between(min_elevation_m, city["elevation_m"], max_elevation_m)
    ]
    return paged(ordered(matches, sort_by, "city_id", descending=descending), page)


@tool("data")
def get_country_indicator(
    country_code: str,
    indicator: CountryIndicator,
    start_year: int = LAST_YEAR,
    end_year: int = LAST_YEAR,
) -> dict[str, Any]:
    """Get the values of an indicator of a country, year by year.

    Args:
        country_code: The country, by its code of three letters, such as VEL.
        indicator: What is measured: population in persons, gdp_per_capita in dollars,
            life_expectancy in years, or a rate or share in percent.
        start_year: The first year, from 2015 to 2024.
        end_year: The last year, from the first year to 2024.

    Returns:
        The unit, and a value for each of the years.

    Raises:
        NoDataError: If the country is not known.
        ValueError: If the years are out of range or in the wrong order.
    """
    country = find_record(data_of("data")["countries"], "country_code", country_code, "country")
    whole("start_year", start_year, FIRST_YEAR, LAST_YEAR)
    whole("end_year", end_year, FIRST_YEAR, LAST_YEAR)
    if end_year < start_year:
        raise ValueError("end_year must not be before start_year")
    series = data_of("data")["country_indicators"][country_code][indicator]
    return {
        "country_code": country_code,
        "country_name": country["name"],
        "indicator": indicator,
        "unit": data_of("data")["country_units"][indicator],
        "values": [
            {"year": year, "value": series[year - FIRST_YEAR]}
            for year in range(start_year, end_year + 1)
        ],
    }


@tool("data")
def get_city_indicator(
    city_id: str, indicator: CityIndicator, year: int = LAST_YEAR
) -> dict[str, Any]:
    """Get the value of an indicator of a city in one year.

    Args:
        city_id: The identifier of the city, such as VEL-01.
        indicator: What is measured: population in persons, median_rent in dollars a month,
            fine_particles in micrograms per cubic meter of air, commute_minutes for one way, or
            green_space_share in percent.
        year: The year, from 2020 to 2024.

    Returns:
        The unit and the value.

    Raises:
        NoDataError: If the city is not known.
        ValueError: If the year is out of range.
    """
    city = find_record(data_of("data")["cities"], "city_id", city_id, "city")
    whole("year", year, FIRST_CITY_YEAR, LAST_YEAR)
    return {
        "city_id": city_id,
        "city_name": city["name"],
        "indicator": indicator,
        "unit": data_of("data")["city_units"][indicator],
        "year": year,
        "value": data_of("data")["city_indicators"][city_id][indicator][year - FIRST_CITY_YEAR],
    }


def _among(wanted: str | None, values: list[str]) -> bool:
    return wanted is None or wanted.casefold() in [value.casefold() for value in values]


world = look_up_world(
    name="queries.data",
    toolset=(search_countries, search_cities, get_country_indicator, get_city_indicator),
    summary="Statistics of countries and cities: population, income, rents, air and more.",
)
