"""The world ``queries.tools``: small utilities, such as for units, times and postal codes."""

from __future__ import annotations

import math
from datetime import date, datetime, timedelta
from typing import Any, Literal

from pytest_toolsandbox.worlds.context import NoDataError
from pytest_toolsandbox.worlds.tool import tool

from .data_files import data_of
from .listing import ordered, paged
from .records import Entry, allows, find_record, shown, whole
from .world import look_up_world

Language = Literal["de", "en", "es", "fr"]
TIME = "%Y-%m-%d %H:%M"


@tool("tools")
def convert_unit(amount: float, from_unit: str, to_unit: str, decimals: int = 2) -> dict[str, Any]:
    """Convert an amount from one unit of measurement to another of the same quantity.

    Args:
        amount: The amount, in the unit that it is converted from.
        from_unit: The unit of the amount, by its English name in the singular, such as gram,
            fluid_ounce or fahrenheit.
        to_unit: The unit to convert to, named in the same way.
        decimals: How many decimals the result is rounded to, from 0 to 6.

    Returns:
        The amount, both units, and the result.

    Raises:
        ValueError: If a unit is not known, if the two do not measure the same quantity, if
            decimals are out of range, or if the result is too large.
    """
    whole("decimals", decimals, 0, 6)
    source, target = _unit("from_unit", from_unit), _unit("to_unit", to_unit)
    if source["quantity"] != target["quantity"]:
        raise ValueError(
            f"{from_unit} is a unit of {source['quantity']}, {to_unit} one of {target['quantity']}"
        )
    result = _converted(amount, source, target)
    if not math.isfinite(result):
        raise ValueError("the result is too large")
    return {
        "amount": amount,
        "from_unit": from_unit,
        "to_unit": to_unit,
        "result": round(result, decimals),
    }


@tool("tools")
def convert_time(local_time: str, from_zone: str, to_zone: str) -> dict[str, Any]:
    """Convert a date and time from one time zone to another, daylight saving time included.

    Args:
        local_time: The date and time on the clocks of the first zone, such as 2025-05-14 10:30.
        from_zone: The identifier of the first time zone, such as Velmark/Lomvik, or UTC.
        to_zone: The identifier of the time zone to convert to.

    Returns:
        The time on the clocks of the second zone, and its offset from UTC at that time.

    Raises:
        ValueError: If the time is not of that form, or too early or late for the calendar.
        NoDataError: If a time zone is not known.
    """
    clock = _clock(local_time)
    zones = data_of("tools")["time_zones"]
    source = find_record(zones, "time_zone", from_zone, "time zone")
    target = find_record(zones, "time_zone", to_zone, "time zone")
    try:
        moment = clock - timedelta(minutes=_offset(source, clock.date()))
        # The rules of a zone go by the days of its standard time.
        standard = moment + timedelta(minutes=target["offset"])
        offset = _offset(target, standard.date())
        shown_time = _shown(moment + timedelta(minutes=offset))
    except OverflowError:  # before the year 1, or after 9999
        raise ValueError(f"there is no such time in {to_zone}") from None
    return {
        "from_time": local_time,
        "from_zone": from_zone,
        "to_time": shown_time,
        "to_zone": to_zone,
        "to_utc_offset": _offset_text(offset),
    }


@tool("tools")
def search_postal_codes(
    country_code: str,
    postal_code: str | None = None,
    place_name: str | None = None,
    region: str | None = None,
    kind: Literal["street", "po_box", "business"] | None = None,
    page: int = 1,
) -> dict[str, Any]:
    """Search the postal codes of a country, by any combination of the optional arguments.

    Args:
        country_code: The country, by its code of three letters, such as VEL.
        postal_code: The postal code, or the first characters of it.
        place_name: The place, or a part of its name.
        region: The full name of the region.
        kind: What the postal code is for: street addresses, boxes, or one business.
        page: The page of the results, from 1; there are 5 on a page.

    Returns:
        The page: postal codes with place, region, coordinates and the identifier of the time zone.

    Raises:
        NoDataError: If the country is not known.
        ValueError: If the page is less than 1.
    """
    codes = data_of("tools")["postal_codes"]
    if country_code not in {code["country_code"] for code in codes}:
        raise NoDataError(f"there is no country with country_code {country_code!r}")
    matches = [
        code
        for code in codes
        if code["country_code"] == country_code
        and (postal_code is None or code["postal_code"].startswith(postal_code))
        and (place_name is None or place_name.casefold() in code["place_name"].casefold())
        and (region is None or region.casefold() == code["region"].casefold())
        and allows(kind, code["kind"])
    ]
    return paged(ordered(matches, "postal_code", "place_name"), page)


@tool("tools")
def lookup_barcode(
    barcode: str, symbology: Literal["ean13", "upca", "ean8"] = "ean13"
) -> dict[str, Any]:
    """Look up the product that a barcode is printed on.

    Args:
        barcode: The digits of the barcode, without blanks.
        symbology: The kind of barcode: ean13 has 13 digits, upca 12 and ean8 8.

    Returns:
        The product: name, brand, category, net_amount with net_unit, storage_note in note_language,
        and its maker with country_code and postal_code.

    Raises:
        ValueError: If there are other characters, or not as many digits as the kind has.
        NoDataError: If no product has the barcode.
    """
    length = {"ean13": 13, "upca": 12, "ean8": 8}[symbology]
    if not (barcode.isascii() and barcode.isdigit() and len(barcode) == length):
        raise ValueError(f"a barcode of symbology {symbology} has {length} digits")
    product = find_record(data_of("tools")["products"], "barcode", barcode, "product")
    return shown(product, *product)


@tool("tools")
def search_translation_memory(
    segment: str,
    source_language: Language,
    target_language: Language,
    domain: Literal["food", "electronics", "travel", "household"] | None = None,
    min_score: int = 70,
) -> list[dict[str, Any]]:
    """Find earlier translations of a text, or of texts that are like it.

    Args:
        segment: The text to find translations of.
        source_language: The code of the language that the text is in.
        target_language: The code of the language to translate to.
        domain: Only translations from this field.
        min_score: The least likeness of a found text, in percent, from 1 to 100: the same words.

    Returns:
        At most five translations, the most alike first: segment_id, score, source, target and
        domain, and whether a person has approved it.

    Raises:
        ValueError: If the two languages are the same, or the least likeness is out of range.
    """
    if source_language == target_language:
        raise ValueError("source_language and target_language must differ")
    whole("min_score", min_score, 1, 100)
    units = [
        {
            "segment_id": unit["segment_id"],
            "score": _likeness(segment, unit["texts"][source_language]),
            "source": unit["texts"][source_language],
            "target": unit["texts"][target_language],
            "domain": unit["domain"],
            "approved": unit["approved"],
        }
        for unit in data_of("tools")["translations"]
        if {source_language, target_language} <= set(unit["texts"])
        and allows(domain, unit["domain"])
    ]
    good = [unit for unit in units if unit["score"] >= min_score]
    return sorted(good, key=lambda unit: (-unit["score"], unit["segment_id"]))[:5]


def _unit(argument: str, name: str) -> Entry:
    units: dict[str, Entry] = data_of("tools")["units"]
    if name not in units:
        raise ValueError(f"{argument} must be one of {', '.join(units)}, not {name!r}")
    return units[name]


def _converted(amount: float, source: Entry, target: Entry) -> float:
    try:
        base = (amount + source.get("offset", 0)) * source["factor"]
        return float(base / target["factor"] - target.get("offset", 0))
    except OverflowError:  # of a whole number beyond all floats
        return math.inf


def _shown(clock: datetime) -> str:
    return clock.isoformat(" ", "minutes")


def _clock(text: str) -> datetime:
    try:
        clock = datetime.strptime(text, TIME)  # noqa: DTZ007  # the zone is another argument
    except ValueError:
        clock = None
    if clock is None or _shown(clock) != text:
        raise ValueError(f"local_time must be a time such as 2025-05-14 10:30, not {text!r}")
    return clock


def _offset(zone: Entry, today: date) -> int:
    """Return the minutes that the clocks of a zone are ahead of UTC on a day."""
    if "daylight" not in zone:
        return int(zone["offset"])
    start, end = zone["daylight"]["start"], zone["daylight"]["end"]
    now = today.strftime("%m-%d")
    # South of the equator summer lasts from one year to the next.
    summer = start <= now < end if start < end else not end <= now < start
    return int(zone["offset"]) + (60 if summer else 0)


def _offset_text(minutes: int) -> str:
    sign = "-" if minutes < 0 else "+"
    return f"{sign}{abs(minutes) // 60:02}:{abs(minutes) % 60:02}"


def _likeness(text: str, other: str) -> int:
    """Return the share of words that two texts have in common, in percent."""
    words, other_words = _words(text), _words(other)
    if not words or not other_words:
        return 0
    return 200 * len(words & other_words) // (len(words) + len(other_words))


def _words(text: str) -> set[str]:
    return set("".join(c if c.isalnum() else " " for c in text.casefold()).split())


world = look_up_world(
    name="queries.tools",
    toolset=(
        convert_unit,
        convert_time,
        search_postal_codes,
        lookup_barcode,
        search_translation_memory,
    ),
    summary="Utilities: units, time zones, postal codes, barcodes and a translation memory.",
)
