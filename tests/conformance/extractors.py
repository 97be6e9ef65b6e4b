"""What a later milestone may take from the result of a call: name → values, in several forms."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

Values = list[dict[str, Any]]
Extractor = Callable[[Any], Values]


def extracted(extract: Extractor, results: Sequence[Any]) -> Iterator[dict[str, Any]]:
    """Yield what an extractor finds in results; what it cannot read gives nothing."""
    for result in results:
        try:
            yield from extract(result)
        except (KeyError, IndexError, TypeError, ValueError):
            continue


def _days(result: Any) -> Values:
    return [{"days": int(result["days"])}]


def _place(result: Any) -> Values:
    return [{name: result[name] for name in ("latitude", "longitude")}]


def _number(name: str, *path: str) -> Extractor:
    return lambda result: [{name: _float_at(result, path)}]


def _decimals(name: str, *path: str) -> Extractor:
    return lambda result: [{name: f"{_float_at(result, path):.{n}f}"} for n in range(4)]


def _float_at(result: Any, path: tuple[str, ...]) -> float:
    for key in path:
        result = result[key]
    return float(result)


EXTRACTORS: Mapping[str, Extractor] = {
    "days_extractor": _days,
    "lat_lon_dict_extractor": _place,
    "result_to_timestamp0_extractor": _number("timestamp_0"),
    "result_to_timestamp1_extractor": _number("timestamp_1"),
    "current_temperature_extractor": _number("amount", "current_temperature"),
    "result_to_temperature_extractor": _decimals("temperature"),
    "search_weather_around_lat_lon_temperature_extractor": _decimals(
        "temperature", "current_temperature"
    ),
    "result_to_reminder_timestamp_lowerbound_extractor": _number("reminder_timestamp_lowerbound"),
    "min_temperature_amount_extractor": _number("amount", "min_temperature"),
    "min_temperature_extractor": _decimals("min_temperature"),
}
