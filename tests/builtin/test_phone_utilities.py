from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, strategies as st
from phone import call, error
from rows import every

from pytest_toolsandbox.builtin.phone import world
from pytest_toolsandbox.builtin.phone.federal_holidays import federal_holidays

ZONE = world.now.tzinfo
FIELDS = ("year", "month", "day", "hour", "minute", "second")
PLACES = {"latitude_0": 0.0, "longitude_0": 0.0, "latitude_1": 0.0, "longitude_1": 0.0}
TIMESTAMPS = st.integers(315529200, 2524604400)


def utc(text: str) -> float:
    return datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()


def fields(text: str) -> dict[str, int]:
    return dict(zip(FIELDS, datetime.fromisoformat(text).timetuple(), strict=False))


def run(tool: str, **arguments: Any) -> Any:
    return call(tool, **arguments)[0]


@pytest.mark.parametrize(
    ("places", "kilometers"),
    [
        ((37.7955, -122.3937, 37.7955, -122.3937), 0.0),
        # One degree along the equator, and along a meridian from it, on the ellipsoid WGS-84.
        ((0, 0, 0, 1), 111.31949079),
        ((0, 0, 1, 0), 110.57438856),
        ((90, 0, -90, 0), 20003.93145863),
        ((0, 180, 0, -180), 0.0),
        ((37.7955, -122.3937, 34.0522, -118.2437), 559.14529988),
    ],
)
def test_distance(places: tuple[float, ...], kilometers: float) -> None:
    arguments = dict(zip(PLACES, places, strict=True))
    assert run("calculate_lat_lon_distance", **arguments) == pytest.approx(kilometers, abs=1e-6)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (
            {"latitude_0": 90.5},
            "ValueError: latitude_0 90.5 is larger than its valid range maximum 90",
        ),
        (
            {"longitude_0": -181},
            "ValueError: longitude_0 -181 is smaller than its valid range minimum -180",
        ),
        (
            {"latitude_1": -90.5},
            "ValueError: latitude_1 -90.5 is smaller than its valid range minimum -90",
        ),
        ({"longitude_1": 1e9, "latitude_1": math.nan}, "ValueError: latitude_1 is not a number"),
        (
            {"longitude_1": 180.5},
            "ValueError: longitude_1 180.5 is larger than its valid range maximum 180",
        ),
    ],
)
def test_distance_refuses(arguments: dict[str, Any], text: str) -> None:
    assert error("calculate_lat_lon_distance", **PLACES | arguments) == text


@pytest.mark.parametrize(
    ("wall", "time"),
    [
        ("2025-05-14T10:30:00", "2025-05-14T17:30:00"),
        ("2025-01-01T00:00:00", "2025-01-01T08:00:00"),
        ("2024-02-29T23:59:59", "2024-03-01T07:59:59"),
        # The clocks skip 02:30 on one day, and show 01:30 twice on another.
        ("2025-03-09T02:30:00", "2025-03-09T10:30:00"),
        ("2025-11-02T01:30:00", "2025-11-02T08:30:00"),
        # No range but that of the calendar.
        ("1970-01-01T00:00:00", "1970-01-01T08:00:00"),
        ("2100-01-01T00:00:00", "2100-01-01T08:00:00"),
    ],
)
def test_datetime_info_to_timestamp(wall: str, time: str) -> None:
    timestamp = run("datetime_info_to_timestamp", **fields(wall))
    assert timestamp == utc(time)
    assert type(timestamp) is float


@pytest.mark.parametrize("year", [1, 9999])
def test_the_ends_of_the_calendar(year: int) -> None:
    edge = {1: "0001-01-01T00:00:00", 9999: "9999-12-31T23:59:59"}[year]
    assert isinstance(run("datetime_info_to_timestamp", **fields(edge)), float)


def test_a_flag_may_stand_for_a_whole_number() -> None:
    arguments = fields("2025-01-01T01:00:00") | {"month": True, "hour": True}
    assert run("datetime_info_to_timestamp", **arguments) == utc("2025-01-01T09:00:00")


def test_current_timestamp() -> None:
    assert call("get_current_timestamp")[0] == utc("2025-05-14T17:30:00")
    now = datetime(2025, 12, 31, 23, 59, 59, tzinfo=ZONE)
    assert call("get_current_timestamp", now=now)[0] == utc("2026-01-01T07:59:59")


@every(
    ("name", "year", "day"),
    [
        ("Thanksgiving", None, "2025-11-27"),
        ("Thanksgiving Day", 2024, "2024-11-28"),
        ("THANKSGIVING!", 2023, "2023-11-23"),
        ("christmas day", None, "2025-12-25"),
        ("christmas", 2024, "2024-12-25"),
        ("New Year's Day", 2025, "2025-01-01"),
        ("Memorial Day", None, "2025-05-26"),
        ("Labor Day", 2026, "2026-09-07"),
        ("Juneteenth", None, "2025-06-19"),
        ("Martin Luther King", 2026, "2026-01-19"),
        ("Washington's Birthday", 2025, "2025-02-17"),
        ("veterans day", 2025, "2025-11-11"),
        ("Columbus Day", 2025, "2025-10-13"),
        # The day itself, or the Monday on which it is observed: the later one.
        ("Independence Day", 2026, "2026-07-04"),
        ("Independence Day", 2021, "2021-07-05"),
        ("New Year's Day", 2021, "2021-12-31"),
        # Similarity of more than 90 is needed: 91, 91 and 92 are enough, 87 is not.
        ("Veteran Day", 2025, "2025-11-11"),
        ("Colombus Day", 2025, "2025-10-13"),
        ("new years day", 2025, "2025-01-01"),
        ("Christmas Eve", 2025, None),
        ("LaborDay", 2025, None),
        # Every name has a day in it, and Christmas is the last.
        ("day", 2025, "2025-12-25"),
        ("Diwali", None, None),
        ("Presidents Day", None, None),
        ("", None, None),
        ("?", None, None),
        ("Juneteenth", 1999, None),
        ("Christmas", 1800, None),
        ("Christmas", 0, None),
        ("Christmas", -1, None),
        ("Christmas", 9999, None),
        ("Christmas", 10**20, None),
    ],
)
def test_search_holiday(name: str, year: int | None, day: str | None) -> None:
    timestamp = run("search_holiday", holiday_name=name, year=year)
    if day is None:
        assert timestamp is None
    else:
        assert datetime.fromtimestamp(timestamp, ZONE).isoformat()[:19] == f"{day}T00:00:00"
        assert type(timestamp) is float


def test_the_year_of_a_holiday_is_the_worlds() -> None:
    now = datetime(2030, 12, 31, 23, 0, tzinfo=ZONE)  # 2031 already in UTC
    timestamp, _ = call("search_holiday", holiday_name="Thanksgiving", now=now)
    assert datetime.fromtimestamp(timestamp, ZONE).date().isoformat() == "2030-11-28"


def test_names_of_holidays() -> None:
    """Those that results depend on, whichever release of the package gave them."""
    assert [(day.isoformat()[5:], name) for day, name in federal_holidays(2022)] == [
        ("01-01", "New Year's Day"),
        ("01-17", "Martin Luther King Jr. Day"),
        ("02-21", "Washington's Birthday"),
        ("05-30", "Memorial Day"),
        ("06-19", "Juneteenth National Independence Day"),
        ("06-20", "Juneteenth National Independence Day (observed)"),
        ("07-04", "Independence Day"),
        ("09-05", "Labor Day"),
        ("10-10", "Columbus Day"),
        ("11-11", "Veterans Day"),
        ("11-24", "Thanksgiving Day"),
        ("12-25", "Christmas Day"),
        ("12-26", "Christmas Day (observed)"),
    ]


@every(
    ("seconds", "hour", "minute", "second"),
    [
        (0, 0, 0, 0),
        (59.999, 0, 0, 59),
        (59.9999999, 0, 1, 0),
        (7199.9999999, 2, 0, 0),
        (3661, 1, 1, 1),
        (86399, 23, 59, 59),
        (86400, 24, 0, 0),
        (90000, 25, 0, 0),
        (360000.5, 100, 0, 0),
        (True, 0, 0, 1),
        (10**20, 27777777777777777, 46, 40),
    ],
)
def test_hours_minutes_seconds(seconds: float, hour: int, minute: int, second: int) -> None:
    assert run("seconds_to_hours_minutes_seconds", seconds=seconds) == {
        "hour": hour,
        "minute": minute,
        "second": second,
    }


@given(st.integers(0, 10**9))
def test_hours_minutes_and_seconds_make_the_seconds_again(seconds: int) -> None:
    made = run("seconds_to_hours_minutes_seconds", seconds=seconds)
    assert made["hour"] * 3600 + made["minute"] * 60 + made["second"] == seconds
    assert made["minute"] < 60
    assert made["second"] < 60


@pytest.mark.parametrize("seconds", [-1, -0.5, math.inf, -math.inf, math.nan])
def test_hours_minutes_seconds_refuses(seconds: float) -> None:
    assert error("seconds_to_hours_minutes_seconds", seconds=seconds) == (
        f"ValueError: seconds must be 0 or more, not {seconds}"
    )


@every(
    ("start", "shift", "end"),
    [
        ("2025-05-14T17:30:00", {}, "2025-05-14T17:30:00"),
        ("2025-05-14T17:30:00", {"weeks": 1, "days": -1}, "2025-05-20T17:30:00"),
        ("2025-05-14T17:30:00", {"hours": 7, "minutes": 30, "seconds": 1}, "2025-05-15T01:00:01"),
        ("2025-05-14T17:30:00.250", {"seconds": -1}, "2025-05-14T17:29:59.250"),
        # Shifts are made on the wall clock, by hours as well: the clocks went forward in between.
        ("2025-03-08T17:00:00", {"days": 1}, "2025-03-09T16:00:00"),
        ("2025-03-08T17:00:00", {"hours": 24}, "2025-03-09T16:00:00"),
        ("2025-03-09T09:30:00", {"hours": 1}, "2025-03-09T10:30:00"),
        ("2025-11-01T17:00:00", {"days": 1}, "2025-11-02T18:00:00"),
        # In the hour that occurs twice: first and second.
        ("2025-11-02T08:10:00", {"minutes": 10}, "2025-11-02T08:20:00"),
        ("2025-11-02T09:10:00", {"minutes": 10}, "2025-11-02T09:20:00"),
        ("2025-11-02T09:10:00", {}, "2025-11-02T09:10:00"),
        ("2025-11-02T08:50:00", {"minutes": 20}, "2025-11-02T10:10:00"),
        # The result may lie outside of the range of what goes in.
        ("2025-05-14T17:30:00", {"weeks": -5000}, "1929-07-17T18:30:00"),
    ],
)
def test_shift_timestamp(start: str, shift: dict[str, int], end: str) -> None:
    assert run("shift_timestamp", timestamp=utc(start), **shift) == utc(end)


@pytest.mark.parametrize(
    ("start", "end", "days", "seconds"),
    [
        ("2025-05-14T17:30:00", "2025-05-14T17:30:00", 0, 0),
        ("2025-05-14T17:30:00", "2025-05-16T17:30:01", 2, 1),
        ("2025-05-14T17:30:00", "2025-05-14T17:29:59", -1, 86399),
        ("2025-05-14T17:30:00", "2025-05-12T18:30:00", -2, 3600),
        ("2025-05-14T17:30:00", "2025-05-14T17:30:01.900", 0, 1),
        # From noon to noon is a day, when the clocks change as well.
        ("2025-03-08T20:00:00", "2025-03-09T19:00:00", 1, 0),
        ("2025-11-01T19:00:00", "2025-11-02T20:00:00", 1, 0),
    ],
)
def test_timestamp_diff(start: str, end: str, days: int, seconds: int) -> None:
    assert run("timestamp_diff", timestamp_0=utc(start), timestamp_1=utc(end)) == {
        "days": days,
        "seconds": seconds,
    }


@given(TIMESTAMPS, st.integers(-10000, 10000))
def test_a_shift_by_days_is_a_difference_of_days(timestamp: int, days: int) -> None:
    shifted = run("shift_timestamp", timestamp=timestamp, days=days)
    if not 315529200 <= shifted <= 2524604400:
        return
    difference = run("timestamp_diff", timestamp_0=timestamp, timestamp_1=shifted)
    # A time of day that the clocks skip is one hour later.
    assert difference in ({"days": days, "seconds": 0}, {"days": days, "seconds": 3600})


@pytest.mark.parametrize(
    ("time", "wall", "weekday"),
    [
        ("2025-05-14T17:30:00", "2025-05-14T10:30:00", 3),
        ("2025-05-18T17:30:00.999", "2025-05-18T10:30:00", 7),
        ("2025-01-01T07:59:59", "2024-12-31T23:59:59", 2),
        ("2025-03-09T10:00:00", "2025-03-09T03:00:00", 7),
        ("2025-11-02T08:30:00", "2025-11-02T01:30:00", 7),
        ("2025-11-02T09:30:00", "2025-11-02T01:30:00", 7),
    ],
)
def test_timestamp_to_datetime_info(time: str, wall: str, weekday: int) -> None:
    info = run("timestamp_to_datetime_info", timestamp=utc(time))
    assert info == fields(wall) | {"isoweekday": weekday}
    assert list(info) == [*FIELDS, "isoweekday"]


def test_timestamp_to_datetime_info_refuses() -> None:
    assert error("timestamp_to_datetime_info", timestamp=-1) == (
        "ValueError: timestamp -1 is smaller than its valid range minimum 315529200"
    )


@given(TIMESTAMPS)
def test_a_date_and_time_lead_back_to_the_timestamp(timestamp: int) -> None:
    info = run("timestamp_to_datetime_info", timestamp=timestamp)
    del info["isoweekday"]
    back = run("datetime_info_to_timestamp", **info)
    # Of the hour that occurs twice, the first.
    assert timestamp - back in (0.0, timedelta(hours=1).total_seconds())


@pytest.mark.parametrize("zone", ["UTC", "Asia/Kathmandu"])
def test_the_time_zone_is_that_of_the_worlds_clock(zone: str) -> None:
    from zoneinfo import ZoneInfo

    now = world.now.astimezone(ZoneInfo(zone))
    info, _ = call("timestamp_to_datetime_info", timestamp=utc("2025-05-14T17:30:00"), now=now)
    assert (info["hour"], info["minute"]) == (now.hour, now.minute)
    del info["isoweekday"]
    assert call("datetime_info_to_timestamp", **info, now=now)[0] == utc("2025-05-14T17:30:00")
