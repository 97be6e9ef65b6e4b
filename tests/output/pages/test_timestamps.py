from __future__ import annotations

from datetime import UTC, tzinfo
from zoneinfo import ZoneInfo

import pytest

from pytest_toolsandbox.output.pages.wording import with_wall_times

LOS_ANGELES = ZoneInfo("America/Los_Angeles")


@pytest.mark.parametrize(
    ("name", "text", "written"),
    [
        ("", "{a_timestamp: 1741968000.0}", "{a_timestamp: 1741968000.0 (2025-03-14 16:00)}"),
        ("", "f(timestamp_min: 1741968001)", "f(timestamp_min: 1741968001 (2025-03-14 16:00:01))"),
        ("", "{phone: 1741968000, timestamp: null}", "{phone: 1741968000, timestamp: null}"),
        ("reminder_timestamp", "1741968000.0 ± 60", "1741968000.0 (2025-03-14 16:00) ± 60"),
        ("rows[0].timestamp", "1741968000", "1741968000 (2025-03-14 16:00)"),
        ("timestamp", "null", "null"),
        ("timestamp", "12345678", "12345678"),
        ("timestamp", "'1741968000' or '+1741968000'", "'1741968000' or '+1741968000'"),
        ("content", "1741968000", "1741968000"),
    ],
)
def test_the_wall_time_stands_behind_a_timestamp(name: str, text: str, written: str) -> None:
    assert with_wall_times(text, UTC, name) == written


@pytest.mark.parametrize(
    ("zone", "written"), [(UTC, "2025-03-14 16:00"), (LOS_ANGELES, "2025-03-14 09:00")]
)
def test_it_is_the_time_of_the_world(zone: tzinfo, written: str) -> None:
    assert with_wall_times("1741968000", zone, "timestamp") == f"1741968000 ({written})"
