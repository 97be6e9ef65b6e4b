from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, strategies as st
from rows import every

from pytest_toolsandbox.worlds.clock import FORMS, read_moment

ZONE = ZoneInfo("America/Los_Angeles")
NOW = datetime(2025, 5, 14, 10, 30, tzinfo=ZONE)  # a Wednesday


def at(text: str, zone: ZoneInfo = ZONE) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=zone)


@every(
    ("text", "expected"),
    [
        ("2025-03-15 17:00", "2025-03-15T17:00"),
        ("2025-03-15T17:00:05", "2025-03-15T17:00:05"),
        ("2025-03-15", "2025-03-15T00:00"),
        ("2024-02-29", "2024-02-29T00:00"),
        ("0001-01-01", "0001-01-01T00:00"),
        ("now", "2025-05-14T10:30"),
        ("now+2h", "2025-05-14T12:30"),
        ("now-1d12h", "2025-05-12T22:30"),
        ("now+1w2d3h4m5s", "2025-05-23T13:34:05"),
        ("now+90m", "2025-05-14T12:00"),
        ("now+1d1d", "2025-05-16T10:30"),
        ("today", "2025-05-14T00:00"),
        ("today 09:00", "2025-05-14T09:00"),
        ("yesterday 23:59:59", "2025-05-13T23:59:59"),
        ("tomorrow 17:00", "2025-05-15T17:00"),
        ("today+3d 17:00", "2025-05-17T17:00"),
        ("today-2w", "2025-04-30T00:00"),
        ("tomorrow+1w 08:15", "2025-05-22T08:15"),
        ("today+2h 09:00", "2025-05-14T11:00"),
        ("today+18d", "2025-06-01T00:00"),
    ],
)
def test_moments(text: str, expected: str) -> None:
    moment = read_moment(text, NOW)
    assert moment == at(expected)
    assert moment.tzinfo is ZONE


@every(
    "text",
    [
        "",
        "soon",
        "Today",
        " now",
        "now ",
        "now+",
        "now+2",
        "now+2y",
        "now 09:00",
        "now+1d-2h",
        "now+1234567890s",
        "2025-3-15",
        "2025-03-15 9:00",
        "2025-03-15 24:00",
        "2025-03-15 12:60",
        "2025-03-15 12:00:60",
        "2025-03-15T12:00Z",
        "today 25:00",
        "\u0662025-03-15",
        "now+\u0662d",
    ],
)
def test_other_forms_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not a date or time") as caught:
        read_moment(text, NOW)
    assert str(caught.value) == f"{text!r} is not a date or time; allowed are {FORMS}"


@pytest.mark.parametrize("text", ["2025-02-29", "2025-13-01 10:00", "2025-04-31", "0000-01-01"])
def test_days_that_the_calendar_lacks_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="calendar") as caught:
        read_moment(text, NOW)
    assert str(caught.value) == f"{text!r} does not exist: the calendar has no such day"


@pytest.mark.parametrize(
    "text", ["now+9999999d", "today-999999999w", "now+999999999h", "now-9999999d", "today-740000d"]
)
def test_what_lies_beyond_the_calendar_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="years") as caught:
        read_moment(text, NOW)
    assert str(caught.value) == f"{text!r} is not in the years 1 to 9999"


@pytest.mark.parametrize(
    ("text", "now"),
    [
        ("2025-03-09 02:30", NOW),
        ("today 02:00", at("2025-03-09T12:00")),
        ("now+1d", at("2025-03-08T02:59")),
        ("tomorrow-1w 02:15", at("2025-03-15T12:00")),
    ],
)
def test_wall_times_that_the_clocks_skip_are_refused(text: str, now: datetime) -> None:
    with pytest.raises(ValueError, match="skip") as caught:
        read_moment(text, now)
    assert str(caught.value) == (
        f"{text!r} does not exist in America/Los_Angeles: the clocks skip it"
    )


@every(
    ("text", "now", "utc"),
    [
        # The clocks go forward at 2025-03-09 10:00 UTC: the day has 23 hours.
        ("now+1d", at("2025-03-08T10:30"), "2025-03-09T17:30"),
        ("now+24h", at("2025-03-08T10:30"), "2025-03-09T18:30"),
        ("now-1w", at("2025-03-12T09:00"), "2025-03-05T17:00"),
        ("today 03:00", at("2025-03-09T12:00"), "2025-03-09T10:00"),
        ("today+3h", at("2025-03-09T12:00"), "2025-03-09T11:00"),
        # They go back at 2025-11-02 09:00 UTC: 01:30 occurs twice, and the first one is meant.
        ("2025-11-02 01:30", NOW, "2025-11-02T08:30"),
        ("now+1h", at("2025-11-02T01:30"), "2025-11-02T09:30"),
        ("now", at("2025-11-02T01:30").replace(fold=1), "2025-11-02T09:30"),
        ("now+30m", at("2025-11-02T01:30").replace(fold=1), "2025-11-02T10:00"),
        ("now-1h", at("2025-11-02T01:30").replace(fold=1), "2025-11-02T08:30"),
        ("now-1d", at("2025-11-02T01:30").replace(fold=1), "2025-11-01T08:30"),
    ],
)
def test_when_the_clocks_change(text: str, now: datetime, utc: str) -> None:
    assert read_moment(text, now).astimezone(UTC) == datetime.fromisoformat(utc).replace(tzinfo=UTC)


@pytest.mark.parametrize("zone", ["UTC", "Asia/Tokyo", "Asia/Kathmandu"])
def test_the_first_and_last_days_exist_in_every_zone(zone: str) -> None:
    now = NOW.astimezone(ZoneInfo(zone))
    assert read_moment("0001-01-01", now).replace(tzinfo=None) == datetime(1, 1, 1)  # noqa: DTZ001
    assert read_moment("9999-12-31", now).replace(tzinfo=None) == datetime(9999, 12, 31)  # noqa: DTZ001


@given(st.datetimes(datetime(1990, 1, 1), datetime(2040, 1, 1)), st.integers(-5000, 5000))  # noqa: DTZ001
def test_hours_are_shifted_on_the_time_line(wall: datetime, hours: int) -> None:
    now = wall.replace(tzinfo=UTC).astimezone(ZONE)
    shifted = read_moment(f"now{hours:+}h", now)
    assert shifted.astimezone(UTC) - now.astimezone(UTC) == timedelta(hours=hours)


@given(st.datetimes(datetime(1990, 1, 1), datetime(2040, 1, 1)))  # noqa: DTZ001
def test_now_is_now(wall: datetime) -> None:
    now = wall.replace(tzinfo=UTC).astimezone(ZONE)
    assert read_moment("now", now).timestamp() == now.timestamp()
