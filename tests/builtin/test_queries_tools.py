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


@pytest.mark.parametrize(
    ("amount", "from_unit", "to_unit", "decimals", "result"),
    [
        (375, "milliliter", "fluid_ounce", 2, 12.68),
        (20, "celsius", "fahrenheit", 2, 68),
        (-40, "fahrenheit", "celsius", 6, -40),
        (0, "kelvin", "celsius", 2, -273.15),
        (1, "mile", "kilometer", 6, 1.609344),
        (1, "mile", "kilometer", 0, 2),
        (1, "imperial_pint", "pint", 3, 1.201),
        (2, "hectare", "acre", 2, 4.94),
        (1.5, "kilogram", "gram", 2, 1500),
    ],
)
def test_convert_unit(
    amount: float, from_unit: str, to_unit: str, decimals: int, result: float
) -> None:
    assert call(
        "convert_unit", amount=amount, from_unit=from_unit, to_unit=to_unit, decimals=decimals
    ) == {"amount": amount, "from_unit": from_unit, "to_unit": to_unit, "result": result}


@every(
    ("local_time", "from_zone", "to_zone", "to_time", "offset"),
    [
        ("2025-05-14 15:00", "Quintara/Cordal", "Velmark/Lomvik", "2025-05-14 22:00", "+02:00"),
        ("2025-12-14 15:00", "Quintara/Cordal", "Velmark/Lomvik", "2025-12-14 22:00", "+01:00"),
        # Between the changes of the two countries.
        ("2025-03-15 15:00", "Quintara/Cordal", "Velmark/Lomvik", "2025-03-15 21:00", "+01:00"),
        # Zones with half hours and without daylight saving time, and over midnight.
        (
            "2025-07-01 23:15",
            "Solenne/Pointe-Grise",
            "Gavaria/Hochmark",
            "2025-07-02 04:15",
            "+01:30",
        ),
        # Summer in the south is from one year to the next.
        ("2025-01-01 12:00", "UTC", "Solenne/Baie-Marine", "2025-01-01 09:00", "-03:00"),
        ("2025-06-01 12:00", "UTC", "Solenne/Baie-Marine", "2025-06-01 08:00", "-04:00"),
        ("2025-11-02 12:00", "UTC", "Solenne/Baie-Marine", "2025-11-02 09:00", "-03:00"),
        ("2025-06-01 12:00", "UTC", "Solenne/Pointe-Grise", "2025-06-01 08:30", "-03:30"),
        # The clocks go forward with the day that begins in the zone.
        ("2025-03-29 22:59", "UTC", "Velmark/Lomvik", "2025-03-29 23:59", "+01:00"),
        ("2025-03-29 23:00", "UTC", "Velmark/Lomvik", "2025-03-30 01:00", "+02:00"),
        ("2025-10-25 22:59", "UTC", "Velmark/Lomvik", "2025-10-26 00:59", "+02:00"),
        ("2025-10-25 23:00", "UTC", "Velmark/Lomvik", "2025-10-26 00:00", "+01:00"),
    ],
)
def test_convert_time(
    local_time: str, from_zone: str, to_zone: str, to_time: str, offset: str
) -> None:
    assert call("convert_time", local_time=local_time, from_zone=from_zone, to_zone=to_zone) == {
        "from_time": local_time,
        "from_zone": from_zone,
        "to_time": to_time,
        "to_zone": to_zone,
        "to_utc_offset": offset,
    }


@pytest.mark.parametrize(
    ("arguments", "codes"),
    [
        ({"country_code": "GAV", "region": "elmgau", "kind": "street"}, ["30121", "30455"]),
        ({"country_code": "VEL", "place_name": "hella"}, ["4720", "4725"]),
        ({"country_code": "VEL", "postal_code": "47", "place_name": "little"}, ["4725"]),
        ({"country_code": "QUI", "postal_code": "060-19"}, ["060-19"]),
        ({"country_code": "QUI", "kind": "po_box", "region": "Costa Alta"}, []),
        ({"country_code": "VEL"}, ["1004", "1007", "1090", "1099", "2310"]),
        ({"country_code": "VEL", "page": 2}, ["2315", "2390", "4720", "4725"]),
        ({"country_code": "VEL", "page": 3}, []),
    ],
)
def test_search_postal_codes(arguments: dict[str, Any], codes: list[str]) -> None:
    page = call("search_postal_codes", **arguments)
    assert [code["postal_code"] for code in page["results"]] == codes


def test_a_page_tells_how_much_there_is() -> None:
    page = call("search_postal_codes", country_code="VEL", page=2)
    assert (page["page"], page["total_pages"], page["total_results"]) == (2, 2, 9)


def test_lookup_barcode() -> None:
    assert call("lookup_barcode", barcode="27292266", symbology="ean8") == {
        "barcode": "27292266",
        "name": "Salt Sticks",
        "brand": "Skogland",
        "category": "food",
        "net_amount": 50,
        "net_unit": "gram",
        "storage_note": "Store in a dry place.",
        "note_language": "en",
        "maker": {"name": "Skogland Foods", "country_code": "VEL", "postal_code": "1099"},
    }


def test_what_is_found_may_be_changed() -> None:
    product = call("lookup_barcode", barcode="27292266", symbology="ean8")
    product["maker"]["name"] = "somebody else"
    again = call("lookup_barcode", barcode="27292266", symbology="ean8")
    assert again["maker"]["name"] == "Skogland Foods"


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({"domain": "food", "min_score": 100}, [("tm-100", 100)]),
        ({"domain": "household"}, [("tm-114", 100)]),
        ({"min_score": 90}, [("tm-100", 100), ("tm-114", 100), ("tm-184", 90)]),
        ({"domain": "travel"}, []),
    ],
)
def test_search_translation_memory(arguments: dict[str, Any], found: list[tuple[str, int]]) -> None:
    units = call(
        "search_translation_memory",
        segment="store in a cool dry place",
        source_language="en",
        target_language="fr",
        **arguments,
    )
    assert [(unit["segment_id"], unit["score"]) for unit in units] == found


def test_a_translation_has_both_texts() -> None:
    (unit,) = call(
        "search_translation_memory",
        segment="Store upright.",
        source_language="en",
        target_language="es",
        domain="household",
    )
    assert unit == {
        "segment_id": "tm-177",
        "score": 100,
        "source": "Store upright.",
        "target": "Almacenar de pie.",
        "domain": "household",
        "approved": False,
    }


def test_a_text_without_words_is_like_none() -> None:
    found = call(
        "search_translation_memory",
        segment="?",
        source_language="en",
        target_language="es",
        min_score=1,
    )
    assert found == []


KILOGRAM = {"amount": 1, "from_unit": "kilogram", "to_unit": "gram"}
NOON = {"local_time": "2025-05-14 12:00", "from_zone": "UTC", "to_zone": "Velmark/Lomvik"}
TEXT = {"segment": "Store upright.", "source_language": "en", "target_language": "de"}


@every(
    ("tool", "arguments", "message"),
    [
        (
            "convert_unit",
            KILOGRAM | {"to_unit": "liter"},
            "ValueError: kilogram is a unit of mass, liter one of volume",
        ),
        (
            "convert_unit",
            KILOGRAM | {"decimals": 7},
            "ValueError: decimals must be from 0 to 6, not 7",
        ),
        (
            "convert_unit",
            KILOGRAM | {"amount": "1"},
            "TypeError: Parameter 'amount' is of type 'string', but expected 'number'.",
        ),
        (
            "convert_unit",
            KILOGRAM | {"amount": 1e308},
            "ValueError: the result is too large",
        ),
        (
            "convert_unit",
            KILOGRAM | {"amount": 10**400},
            "ValueError: the result is too large",
        ),
        (
            "convert_time",
            NOON | {"local_time": "9999-12-31 23:30"},
            "ValueError: there is no such time in Velmark/Lomvik",
        ),
        (
            "convert_time",
            NOON | {"to_zone": "Velmark"},
            "NoDataError: there is no time zone with time_zone 'Velmark'",
        ),
        (
            "convert_time",
            NOON | {"local_time": "2025-05-14T9:00"},
            "ValueError: local_time must be a time such as 2025-05-14 10:30, not '2025-05-14T9:00'",
        ),
        (
            "convert_time",
            NOON | {"local_time": "2025-5-14 12:00"},
            "ValueError: local_time must be a time such as 2025-05-14 10:30, not '2025-5-14 12:00'",
        ),
        (
            "search_postal_codes",
            {"country_code": "vel"},
            "NoDataError: there is no country with country_code 'vel'",
        ),
        (
            "search_postal_codes",
            {"country_code": "VEL", "page": 0},
            "ValueError: page must be 1 or more, not 0",
        ),
        (
            "lookup_barcode",
            {"barcode": "27292266"},
            "ValueError: a barcode of symbology ean13 has 13 digits",
        ),
        (
            "lookup_barcode",
            {"barcode": "2729 226", "symbology": "ean8"},
            "ValueError: a barcode of symbology ean8 has 8 digits",
        ),
        (
            "lookup_barcode",
            {"barcode": "2729226600000"},
            "NoDataError: there is no product with barcode '2729226600000'",
        ),
        (
            "search_translation_memory",
            TEXT | {"target_language": "en"},
            "ValueError: source_language and target_language must differ",
        ),
        (
            "search_translation_memory",
            TEXT | {"min_score": 0},
            "ValueError: min_score must be from 1 to 100, not 0",
        ),
    ],
)
def test_errors(tool: str, arguments: dict[str, Any], message: str) -> None:
    assert error(tool, **arguments) == message


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
