from __future__ import annotations

from functools import partial

import pytest
from lookups import call_in

from pytest_toolsandbox.builtin.queries.data import world
from pytest_toolsandbox.builtin.queries.data_files import data_of

call = partial(call_in, world)


def test_without_years_it_is_the_last_one() -> None:
    indicator = call("get_country_indicator", country_code="LUS", indicator="unemployment_rate")
    assert indicator["values"] == [{"year": 2024, "value": 4.3}]


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
