"""Search tools of the phone: places, weather, stocks and exchange rates.

They ask a :class:`Knowledge`, which uses no network unless a project has its own. Which service a
tool needs is only in the errors: agents have to find out.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cached_property
from itertools import islice
from typing import Any

from pytest_toolsandbox.worlds.context import Context
from pytest_toolsandbox.worlds.state import plain
from pytest_toolsandbox.worlds.tool import Tool, tool

from . import arguments
from .currency_codes import ISO_4217
from .knowledge import Knowledge

MOST_PLACES = 4


class SearchTools:
    """The tools over one knowledge, which is loaded when the first tool needs it."""

    def __init__(self, knowledge: Callable[[], Knowledge]) -> None:
        self._ask_for_knowledge = knowledge

    @cached_property
    def _knowledge(self) -> Knowledge:
        return self._ask_for_knowledge()

    @property
    def tools(self) -> tuple[Tool, ...]:
        """The tools, in alphabetical order."""
        return tuple(
            tool("rapid_api_search_tools")(function)
            for function in (
                self.convert_currency,
                self.search_lat_lon,
                self.search_location_around_lat_lon,
                self.search_stock,
                self.search_weather_around_lat_lon,
            )
        )

    def convert_currency(
        self,
        context: Context,
        amount: float,
        from_currency_code: str,
        to_currency_code: str,
    ) -> float:
        """Convert an amount of money from one currency to another.

        Args:
            amount: The amount to convert.
            from_currency_code: The ISO 4217 code of the amount's currency, such as USD.
            to_currency_code: The ISO 4217 code of the currency to convert to.

        Returns:
            The amount in the other currency.

        Raises:
            ValueError: If a code is not of ISO 4217.
            ConnectionError: If wifi is off.
            RuntimeError: If the exchange rate is not known.
        """
        source = _currency("from_currency_code", from_currency_code)
        target = _currency("to_currency_code", to_currency_code)
        _need_wifi(context)
        rate = self._knowledge.exchange_rate(source, target)
        converted = math.nan if rate is None else _product(amount, rate)
        if not math.isfinite(converted):
            raise RuntimeError("Conversion failed")
        return converted

    def search_lat_lon(self, context: Context, latitude: float, longitude: float) -> str | None:
        """Find out the address of a point on Earth.

        Args:
            latitude: The latitude of the point, from -90 to 90 degrees.
            longitude: The longitude of the point, from -180 to 180 degrees.

        Returns:
            The address; null if none is known there.

        Raises:
            ValueError: If a coordinate is out of range.
            ConnectionError: If wifi is off.
        """
        latitude = arguments.latitude("latitude", latitude)
        longitude = arguments.longitude("longitude", longitude)
        _need_wifi(context)
        return self._knowledge.address_at(latitude, longitude)

    def search_location_around_lat_lon(
        self,
        context: Context,
        location: str,
        latitude: float | None = None,
        longitude: float | None = None,
    ) -> list[dict[str, Any]]:
        """Find places near a point on Earth, or near the phone.

        Args:
            location: What to look for: the name of a shop, a landmark or a city, a kind of place
                such as restaurant, or an address.
            latitude: The latitude of the point, from -90 to 90 degrees. Null, together with the
                longitude, for where the phone is.
            longitude: The longitude of the point, from -180 to 180 degrees.

        Returns:
            At most four places, the nearest first, each with what is known of it, such as name,
            types, full_address, latitude, longitude, phone_number, rating and opening_hours; an
            empty list if there are none.

        Raises:
            ValueError: If a coordinate is out of range, or there is only one of them.
            PermissionError: If there are no coordinates and location service is off.
            ConnectionError: If wifi is off.
        """
        point = _point(context, latitude, longitude)
        _need_wifi(context)
        places = self._knowledge.places_like(location, *point)
        return [plain(place) for place in islice(places, MOST_PLACES)]

    def search_stock(self, context: Context, query: str) -> dict[str, Any] | None:
        """Find out the price of a stock and how it has changed.

        Args:
            query: The company's name, the stock's symbol or the exchange.

        Returns:
            What is known of the first stock that is found, such as symbol, name, exchange,
            currency, price, previous_close, change and change_percent; null if there is none.

        Raises:
            ConnectionError: If wifi is off.
        """
        _need_wifi(context)
        stock = self._knowledge.stock_like(query)
        if stock is None:
            return None
        listing: dict[str, Any] = plain(stock)
        if isinstance(symbol := listing.get("symbol"), str):
            listing["symbol"] = symbol.partition(":")[0]
        return listing

    def search_weather_around_lat_lon(
        self,
        context: Context,
        days: int = 0,
        latitude: float | None = None,
        longitude: float | None = None,
    ) -> dict[str, Any] | None:
        """Find out the weather at a point on Earth, or where the phone is, now or in some days.

        Args:
            days: How many days from today. 0 for today, with what it is like at the moment.
            latitude: The latitude of the point, from -90 to 90 degrees. Null, together with the
                longitude, for where the phone is.
            longitude: The longitude of the point, from -180 to 180 degrees.

        Returns:
            The forecast of that day, such as condition, max_temperature, min_temperature and
            daily_chance_of_rain, in degrees Celsius, kilometers and kilometers per hour; for today
            also current_temperature, perceived_temperature, humidity and wind_speed. Null if none
            is known.

        Raises:
            ValueError: If a coordinate is out of range, there is only one of them, or days is
                negative.
            PermissionError: If there are no coordinates and location service is off.
            ConnectionError: If wifi is off.
        """
        point = _point(context, latitude, longitude)
        if days < 0:
            raise ValueError(f"days must be 0 or more, not {days}")
        _need_wifi(context)
        weather = self._knowledge.weather_at(context.now, int(days), *point)
        return None if weather is None else plain(weather)


def _currency(name: str, code: str) -> str:
    if code.upper() not in ISO_4217:
        raise ValueError(f"{name} {code!r} is not a currency code of ISO 4217, such as 'USD'")
    return code.upper()


def _product(amount: float, rate: float) -> float:
    try:
        return float(amount) * rate
    except OverflowError:  # of a whole number beyond all floats
        return math.inf


def _need_wifi(context: Context) -> None:
    if not context.row("setting")["wifi"]:
        raise ConnectionError("Wifi is not enabled")


def _point(
    context: Context, latitude: float | None, longitude: float | None
) -> tuple[float, float]:
    """Return the given point, or where the phone is if there is none."""
    latitude = arguments.latitude("latitude", latitude)
    longitude = arguments.longitude("longitude", longitude)
    if latitude is not None and longitude is not None:
        return latitude, longitude
    if latitude is not None or longitude is not None:
        raise ValueError("'latitude' and 'longitude' must either both be given or both be left out")
    setting = context.row("setting")
    if not setting["location_service"]:
        raise PermissionError("Location service is not enabled.")
    return setting["latitude"], setting["longitude"]
