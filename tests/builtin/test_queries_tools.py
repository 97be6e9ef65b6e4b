from __future__ import annotations

from functools import partial
from typing import Any

import pytest
from lookups import call_in, error_in
from rows import every

from pytest_toolsandbox.builtin.queries.data_files import data_of
from pytest_toolsandbox.builtin.queries.tools import world

call = partial(call_in, world)
error = partial(error_in, world)


def test_a_page_tells_how_much_there_is() -> None:
    page = call("search_postal_codes", country_code="VEL", page=2)
    assert (page["page"], page["total_pages"], page["total_results"]) == (2, 2, 9)


def test_what_is_found_may_be_changed() -> None:
    product = call("lookup_barcode", barcode="27292266", symbology="ean8")
    product["maker"]["name"] = "somebody else"
    again = call("lookup_barcode", barcode="27292266", symbology="ean8")
    assert again["maker"]["name"] == "Skogland Foods"


KILOGRAM = {"amount": 1, "from_unit": "kilogram", "to_unit": "gram"}


def test_an_unknown_unit_is_told_the_known_ones() -> None:
    message = error("convert_unit", **KILOGRAM | {"from_unit": "kg"})
    assert message.startswith("ValueError: from_unit must be one of millimeter, centimeter, ")
    assert message.endswith(", kelvin, fahrenheit, not 'kg'")


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        ("time_zones", ["time_zone"]),
        ("postal_codes", ["country_code", "postal_code"]),
        ("products", ["barcode"]),
        ("products", ["name"]),
        ("translations", ["segment_id"]),
    ],
)
def test_identifiers_are_unique(kind: str, fields: list[str]) -> None:
    keys = [tuple(record[field] for field in fields) for record in data_of("tools")[kind]]
    assert len(set(keys)) == len(keys)


def test_places_have_known_zones() -> None:
    zones = {zone["time_zone"] for zone in data_of("tools")["time_zones"]}
    assert {code["time_zone"] for code in data_of("tools")["postal_codes"]} <= zones


@every("product", data_of("tools")["products"], ids=lambda p: p["barcode"])
def test_products_are_sound(product: dict[str, Any]) -> None:
    digits = [int(digit) for digit in reversed(product["barcode"])]
    assert sum(digits[::2]) % 10 == -3 * sum(digits[1::2]) % 10  # the check digit of GS1
    assert product["net_unit"] in data_of("tools")["units"]
    maker = product["maker"]
    page = call(
        "search_postal_codes",
        country_code=maker["country_code"],
        postal_code=maker["postal_code"],
    )
    assert page["total_results"] == 1


def test_translations_are_complete() -> None:
    for unit in data_of("tools")["translations"]:
        assert set(unit["texts"]) == {"de", "en", "es", "fr"}
        assert unit["domain"] in {"food", "electronics", "travel", "household"}
