"""The interface between the phone's search tools and the outside world."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol

Entry = Mapping[str, Any]
"""What an agent gets about a place, a day or a stock: JSON values by name."""


class Knowledge(Protocol):
    """Knows addresses, places, weather, stocks and exchange rates.

    Latitudes and longitudes are in degrees, from -90 to 90 and from -180 to 180. The agent reads
    the exceptions of a method as errors of its calls. Equal calls must have equal results: a tool
    may be called more often than the agent calls it.
    """

    def address_at(self, latitude: float, longitude: float) -> str | None:
        """Return the address of a point, or None if it has none."""

    def places_like(self, query: str, latitude: float, longitude: float) -> Sequence[Entry]:
        """Return the places that a query may mean, the most useful at a point first.

        The agent gets the first four.
        """

    def weather_at(
        self, now: datetime, days: int, latitude: float, longitude: float
    ) -> Entry | None:
        """Return the weather at a point, ``days`` (0 or more) after the day of ``now``.

        For today it includes what is observed at the moment. None if it is not known.
        """

    def stock_like(self, query: str) -> Entry | None:
        """Return the first stock that a query may mean, or None."""

    def exchange_rate(self, source: str, target: str) -> float | None:
        """Return how many units of ``target`` one unit of ``source`` buys, or None.

        Both are ISO 4217 codes in upper case.
        """
