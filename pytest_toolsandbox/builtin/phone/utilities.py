"""Calculations: with time, places and units."""

import math
from calendar import monthrange
from datetime import MAXYEAR, MINYEAR, datetime, timedelta

from pytest_toolsandbox.worlds.context import Context
from pytest_toolsandbox.worlds.tool import tool

from . import arguments, units
from .federal_holidays import find_holiday


@tool("utilities")
def calculate_lat_lon_distance(
    latitude_0: float, longitude_0: float, latitude_1: float, longitude_1: float
) -> float:
    """Calculate how far two places on Earth are from each other, as the crow flies.

    Args:
        latitude_0: The latitude of the first place, from -90 to 90 degrees.
        longitude_0: The longitude of the first place, from -180 to 180 degrees.
        latitude_1: The latitude of the second place, from -90 to 90 degrees.
        longitude_1: The longitude of the second place, from -180 to 180 degrees.

    Returns:
        The distance in kilometers.

    Raises:
        ValueError: If a coordinate is out of range.
    """
    from geographiclib.geodesic import Geodesic

    meters = Geodesic.WGS84.Inverse(
        arguments.latitude("latitude_0", latitude_0),
        arguments.longitude("longitude_0", longitude_0),
        arguments.latitude("latitude_1", latitude_1),
        arguments.longitude("longitude_1", longitude_1),
    )["s12"]
    return float(meters) / 1000


@tool("utilities")
def datetime_info_to_timestamp(
    context: Context, year: int, month: int, day: int, hour: int, minute: int, second: int
) -> float:
    """Convert a date and time of day, in the phone's time zone, to a POSIX timestamp.

    Args:
        year: The year, such as 2024.
        month: The month, from 1 to 12.
        day: The day of the month, from 1.
        hour: The hour, from 0 to 23.
        minute: The minute, from 0 to 59.
        second: The second, from 0 to 59.

    Returns:
        The timestamp in seconds. Of a time that occurs twice when the clocks go back, it is the
        first; a time that the clocks skip is taken for one as much later.

    Raises:
        ValueError: If there is no such date or time.
    """
    _check_field("year", year, MINYEAR, MAXYEAR)
    _check_field("month", month, 1, 12)
    _check_field("day", day, 1, monthrange(year, month)[1])
    _check_field("hour", hour, 0, 23)
    _check_field("minute", minute, 0, 59)
    _check_field("second", second, 0, 59)
    zone = context.now.tzinfo
    return datetime(year, month, day, hour, minute, second, tzinfo=zone).timestamp()


@tool("utilities")
def get_current_timestamp(context: Context) -> float:
    """Tell the current time.

    Returns:
        The time as a POSIX timestamp in seconds.
    """
    return context.now.timestamp()


@tool("utilities")
def search_holiday(context: Context, holiday_name: str, year: int | None = None) -> float | None:
    """Find out when a federal holiday of the United States is.

    Args:
        holiday_name: The name of the holiday, or most of it.
        year: The year in which to look. Null for the current one.

    Returns:
        The POSIX timestamp, in seconds, of the start of that day in the phone's time zone; null if
        there is no such holiday.

    Raises:
        ConnectionError: If wifi is off.
    """
    if not context.row("setting")["wifi"]:
        raise ConnectionError("Wifi is not enabled")
    day = find_holiday(holiday_name, context.now.year if year is None else year)
    if day is None:
        return None
    return datetime(day.year, day.month, day.day, tzinfo=context.now.tzinfo).timestamp()


@tool("utilities")
def seconds_to_hours_minutes_seconds(seconds: float) -> dict[str, int]:
    """Convert a number of seconds to hours, minutes and seconds.

    Args:
        seconds: The number of seconds, at least 0. Parts of a second are dropped.

    Returns:
        The hour, minute and second that they make; there are as many hours as it takes, so that
        90000 seconds are 25 hours.

    Raises:
        ValueError: If seconds is negative or not a finite number.
    """
    if not 0 <= seconds < math.inf:
        raise ValueError(f"seconds must be 0 or more, not {seconds}")
    minute, second = divmod(int(round(seconds, 6)), 60)
    hour, minute = divmod(minute, 60)
    return {"hour": hour, "minute": minute, "second": second}


@tool("utilities")
def shift_timestamp(
    context: Context,
    timestamp: float,
    weeks: int = 0,
    days: int = 0,
    hours: int = 0,
    minutes: int = 0,
    seconds: int = 0,
) -> float:
    """Move a POSIX timestamp forwards, or backwards by negative amounts.

    The shift is made on the calendar and the clock on the wall in the phone's time zone, so that a
    day later is the same time of day even if the clocks change in between.

    Args:
        timestamp: The POSIX timestamp to start from, in seconds.
        weeks: The number of weeks to add.
        days: The number of days to add.
        hours: The number of hours to add.
        minutes: The number of minutes to add.
        seconds: The number of seconds to add.

    Returns:
        The shifted POSIX timestamp in seconds.

    Raises:
        ValueError: If timestamp is out of range.
        OverflowError: If the result is before the year 1 or after the year 9999.
    """
    start = _wall_time(context, "timestamp", timestamp)
    try:
        shifted = start + timedelta(
            weeks=weeks, days=days, hours=hours, minutes=minutes, seconds=seconds
        )
    except OverflowError:
        raise OverflowError("The shifted time is not in the years 1 to 9999") from None
    # In the hour that occurs twice, a shift stays with the first or the second.
    return shifted.replace(tzinfo=context.now.tzinfo, fold=start.fold).timestamp()


@tool("utilities")
def timestamp_diff(context: Context, timestamp_0: float, timestamp_1: float) -> dict[str, int]:
    """Calculate how much time passes from one POSIX timestamp to another.

    The time is measured on the calendar and the clock on the wall in the phone's time zone, so that
    the same time on the next day is one day later even if the clocks change in between.

    Args:
        timestamp_0: The POSIX timestamp to measure from, in seconds.
        timestamp_1: The POSIX timestamp to measure to, in seconds.

    Returns:
        The number of days, negative if timestamp_1 is the earlier one, and the number of seconds,
        from 0 to 86399, to add to the days. One second earlier is -1 days and 86399 seconds.

    Raises:
        ValueError: If a timestamp is out of range.
    """
    start = _wall_time(context, "timestamp_0", timestamp_0)
    difference = _wall_time(context, "timestamp_1", timestamp_1) - start
    return {"days": difference.days, "seconds": difference.seconds}


@tool("utilities")
def timestamp_to_datetime_info(context: Context, timestamp: float) -> dict[str, int]:
    """Convert a POSIX timestamp to a date and time of day in the phone's time zone.

    Args:
        timestamp: The POSIX timestamp in seconds.

    Returns:
        The year, month, day, hour, minute and second, and isoweekday: 1 for Monday to 7 for Sunday.

    Raises:
        ValueError: If timestamp is out of range.
    """
    wall = _wall_time(context, "timestamp", timestamp)
    return {
        "year": wall.year,
        "month": wall.month,
        "day": wall.day,
        "hour": wall.hour,
        "minute": wall.minute,
        "second": wall.second,
        "isoweekday": wall.isoweekday(),
    }


@tool("utilities", preload=units.registry)
def unit_conversion(amount: float, from_unit: str, to_unit: str) -> float:
    """Convert an amount from one unit of measurement to another.

    Args:
        amount: The amount to convert.
        from_unit: The unit of the amount, such as mile, km/h, degC or cubic foot.
        to_unit: The unit to convert to.

    Returns:
        The amount in to_unit.

    Raises:
        UndefinedUnitError: If there is no such unit.
        DimensionalityError: If the units do not measure the same.
        ValueError: If the result is not a finite number.
    """
    return units.convert(amount, from_unit, to_unit)


def _check_field(name: str, value: int, minimum: int, maximum: int) -> None:
    if not minimum <= value <= maximum:
        raise ValueError(f"{name} must be from {minimum} to {maximum}, not {value}")


def _wall_time(context: Context, name: str, timestamp: float) -> datetime:
    """Return what calendar and clock show, without a time zone: what shifts are made on."""
    moment = datetime.fromtimestamp(arguments.timestamp(name, timestamp), context.now.tzinfo)
    return moment.replace(tzinfo=None)


TOOLS = (
    calculate_lat_lon_distance,
    datetime_info_to_timestamp,
    get_current_timestamp,
    search_holiday,
    seconds_to_hours_minutes_seconds,
    shift_timestamp,
    timestamp_diff,
    timestamp_to_datetime_info,
    unit_conversion,
)
