from __future__ import annotations

import json
from datetime import datetime
from typing import Any

import pytest

from pytest_toolsandbox.builtin.office import logged_in, world
from pytest_toolsandbox.calls.tool_call import ToolCall
from pytest_toolsandbox.conversation.environment import ExecutionEnvironment
from pytest_toolsandbox.conversation.messages import Response

START = world.start(world.now)


def call(tool: str, now: datetime = world.now, /, **arguments: Any) -> Response:
    office = ExecutionEnvironment(world, now, world.shown())
    return office.run(ToolCall("", tool, json.dumps(arguments)), START, "")


@pytest.mark.parametrize("location", ["duluth", "Duluth", "  DULUTH "])
def test_the_weather_of_today(location: str) -> None:
    response = call("CurrentWeather", location=location)
    assert json.loads(response.content) == {
        "weather": {"date": "2025-09-15", "high": 63, "low": 50, "conditions": "Mostly Cloudy"}
    }
    assert response.state is START


def test_the_weather_of_another_day_is_that_days() -> None:
    weather = json.loads(
        call("CurrentWeather", world.now.replace(day=23, hour=23), location="denver").content
    )
    assert weather["weather"]["conditions"] == "Snow Showers"


def test_the_forecast_is_of_the_next_three_days() -> None:
    response = call("ForecastWeather", location="Lisbon")
    assert json.loads(response.content) == {
        "forecast": [
            {"date": "2025-09-16", "high": 83, "low": 66, "conditions": "Partly Cloudy"},
            {"date": "2025-09-17", "high": 79, "low": 64, "conditions": "Sunny"},
            {"date": "2025-09-18", "high": 77, "low": 63, "conditions": "Sunny"},
        ]
    }


@pytest.mark.parametrize(
    ("location", "month"), [("oslo", "october"), ("Oslo", "October"), (" OSLO ", "OCTOBER")]
)
def test_the_weather_of_a_month(location: str, month: str) -> None:
    response = call("HistoricWeather", location=location, month=month)
    assert json.loads(response.content) == {
        "weather": {
            "min_temp": 39,
            "max_temp": 50,
            "record_min_temp": 18,
            "record_max_temp": 70,
            "avg_rainfall": 3.5,
            "snow_days": 1,
        }
    }


@pytest.mark.parametrize(
    ("tool", "arguments", "error"),
    [
        ("CurrentWeather", {"location": "Atlantis"}, "Location atlantis not found in database"),
        (
            "CurrentWeather",
            {"location": "oslo, norway"},
            "Location oslo, norway not found in database",
        ),
        ("ForecastWeather", {"location": " Rome"}, "Location rome not found in database"),
        ("ForecastWeather", {"location": "Tromso"}, "No weather is known for tromso on 2025-09-16"),
        (
            "HistoricWeather",
            {"location": "Tromso", "month": "May"},
            "Location tromso not found in database",
        ),
        (
            "HistoricWeather",
            {"location": " Oslo", "month": "Oct"},
            "Historic weather data for oslo missing for month oct",
        ),
        # months are not trimmed
        (
            "HistoricWeather",
            {"location": "oslo", "month": "october "},
            "Historic weather data for oslo missing for month october",
        ),
    ],
)
def test_what_is_not_known(tool: str, arguments: dict[str, Any], error: str) -> None:
    assert call(tool, **arguments).error == f"NoDataError: {error}"


@pytest.mark.parametrize(
    ("tool", "day", "date"),
    [
        ("CurrentWeather", 11, "2025-09-11"),
        ("CurrentWeather", 26, "2025-09-26"),
        ("ForecastWeather", 10, "2025-09-11"),
        ("ForecastWeather", 23, "2025-09-26"),
    ],
)
def test_before_and_after_the_two_weeks_nothing_is_known(tool: str, day: int, date: str) -> None:
    response = call(tool, world.now.replace(day=day), location="oslo")
    assert response.error == f"NoDataError: No weather is known for oslo on {date}"


@pytest.mark.parametrize("tool", ["CurrentWeather", "ForecastWeather"])
def test_the_weather_is_for_everybody(tool: str) -> None:
    office = ExecutionEnvironment(world, world.now, world.shown())
    made = ToolCall("", tool, '{"location": "oslo"}')
    alone, together = (office.run(made, state, "") for state in (START, logged_in(START, "mbell")))
    assert alone.content == together.content
