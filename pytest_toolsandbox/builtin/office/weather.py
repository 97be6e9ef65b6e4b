"""The weather: current, forecast and historic."""
# ruff: noqa: N802  # tools have the names that ToolTalk gave them

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from pytest_toolsandbox.worlds.context import Context, NoDataError
from pytest_toolsandbox.worlds.state import Row
from pytest_toolsandbox.worlds.tool import tool

PLUGIN = "Weather"
FORECAST_DAYS = 3
"""Days of a forecast, which begins tomorrow."""


@tool(PLUGIN)
def CurrentWeather(context: Context, location: str) -> dict[str, Any]:
    """Look up the weather of today.

    Args:
        location: The name of the place, such as a city.

    Returns:
        The weather, with date, high, low and conditions.

    Raises:
        NoDataError: If nothing is known of the place, or of the weather there today.
    """
    days = _of_place(context, "weather", location)
    return {"weather": _day(context, days, 0)}


@tool(PLUGIN)
def ForecastWeather(context: Context, location: str) -> dict[str, Any]:
    """Look up the weather of the next three days, from tomorrow on.

    Args:
        location: The name of the place, such as a city.

    Returns:
        The forecast, a list of three days, each with date, high, low and conditions.

    Raises:
        NoDataError: If nothing is known of the place, or of the weather there on one of the days.
    """
    days = _of_place(context, "weather", location)
    return {"forecast": [_day(context, days, ahead) for ahead in range(1, FORECAST_DAYS + 1)]}


@tool(PLUGIN)
def HistoricWeather(context: Context, location: str, month: str) -> dict[str, Any]:
    """Look up what the weather of a month is usually like.

    Args:
        location: The name of the place, such as a city.
        month: The English name of the month.

    Returns:
        The weather, with min_temp, max_temp, record_min_temp, record_max_temp, avg_rainfall and
        snow_days.

    Raises:
        NoDataError: If nothing is known of the place, or of that month there.
    """
    months = _of_place(context, "historic_weather", location)
    rows = [row for row in months if row["month"] == month.lower()]
    if not rows:
        raise NoDataError(
            f"Historic weather data for {_name(location)} missing for month {month.lower()}"
        )
    return {"weather": _shown(rows[0], "month")}


def _of_place(context: Context, table: str, location: str) -> tuple[Row, ...]:
    rows = context.state[table].where(location=_name(location))
    if not rows:
        raise NoDataError(f"Location {_name(location)} not found in database")
    return rows


def _name(location: str) -> str:
    return location.lower().strip()


def _day(context: Context, days: Sequence[Row], ahead: int) -> dict[str, Any]:
    date = (context.now + timedelta(days=ahead)).date().isoformat()
    rows = [row for row in days if row["date"] == date]
    if not rows:
        raise NoDataError(f"No weather is known for {days[0]['location']} on {date}")
    return _shown(rows[0])


def _shown(row: Row, *hidden: str) -> dict[str, Any]:
    return {column: value for column, value in row.items() if column not in ("location", *hidden)}


TOOLS = (CurrentWeather, ForecastWeather, HistoricWeather)
