"""The phone suite is spread as the published one is, and every scenario is complete."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from statistics import median

from shipped import shipped

from pytest_toolsandbox.agents.scripted import oracle
from pytest_toolsandbox.authoring.statistics import (
    SolvedScenario,
    called_tools,
    columns,
    count,
    needed_tools,
)
from pytest_toolsandbox.conversation.play import play
from pytest_toolsandbox.language.tasks import Milestones
from pytest_toolsandbox.language.variants import PUBLISHED
from pytest_toolsandbox.users.user import scripted_user

SUITE = Path(__file__).parents[1] / "scenarios" / "phone"

# ToolSandbox, tables 6, 7 and 8, divided by the eight variants.
CATEGORIES = {
    "single_tool_call": 19,
    "multiple_tool_call": 82,
    "single_user_turn": 73,
    "multiple_user_turn": 28,
    "state_dependency": 24,
    "canonicalization": 59,
    "insufficient_information": 28,
}
COLUMNS = {
    "contact": {"is_self": 6, "name": 7, "person_id": 17, "phone_number": 11, "relationship": 7},
    "messaging": {"content": 5, "recipient_phone_number": 5},
    "reminder": {
        "content": 17,
        "latitude": 5,
        "longitude": 5,
        "reminder_id": 4,
        "reminder_timestamp": 19,
    },
    "setting": {"cellular": 7, "location_service": 7, "low_battery_mode": 15, "wifi": 17},
}
TOOLS = {
    "calculate_lat_lon_distance": 4,
    "convert_currency": 2,
    "datetime_info_to_timestamp": 4,
    "get_cellular_service_status": 1,
    "get_current_location": 6,
    "get_current_timestamp": 37,
    "get_wifi_status": 1,
    "search_contacts": 21,
    "search_holiday": 7,
    "search_lat_lon": 3,
    "search_location_around_lat_lon": 6,
    "search_messages": 13,
    "search_reminder": 10,
    "search_stock": 3,
    "search_weather_around_lat_lon": 10,
    "timestamp_diff": 12,
    "unit_conversion": 7,
}
PHONE = shipped("phone")


def test_the_phone_suite_has_the_categories_of_the_paper() -> None:
    assert (len(PHONE), len(PHONE) * len(PUBLISHED)) == (129, 1032)
    found = Counter(name for scenario in PHONE for name in scenario.categories)
    assert found == CATEGORIES
    turns = {"single_user_turn", "multiple_user_turn"}
    calls = {"single_tool_call", "multiple_tool_call"}
    for scenario in PHONE:
        expected = 0 if "insufficient_information" in scenario.categories else 1
        assert len(turns & set(scenario.categories)) == expected, scenario.name
        assert len(calls & set(scenario.categories)) == expected, scenario.name
        if not expected:  # a tool is withheld, and what it would have returned may not be invented
            assert scenario.withheld, scenario.name
            assert scenario.task_as(Milestones).minefields, scenario.name


def test_milestones_of_the_phone_suite_are_spread_as_in_the_paper() -> None:
    numbers = sorted(len(scenario.task_as(Milestones).milestones) for scenario in PHONE)
    assert (numbers[0], numbers[len(numbers) // 2], numbers[-1]) == (1, 3, 6)
    suite = [SolvedScenario(scenario, None) for scenario in PHONE]
    asked, called = count(suite, columns), count(suite, called_tools)
    columns_of = {(table, name): n for table, names in COLUMNS.items() for name, n in names.items()}
    assert {c: n for c, n in columns_of.items() if asked["phone", *c] < n} == {}
    assert {tool: n for tool, n in TOOLS.items() if called["phone", tool] < n} == {}


def test_every_published_tool_is_needed_twice() -> None:
    suite = [
        SolvedScenario(scenario, play(scenario, oracle(scenario), scripted_user(scenario)))
        for scenario in PHONE
    ]
    needs = count(suite, needed_tools)
    assert sum(needed >= 2 for needed in needs.values()) >= 34  # as many as there are published


def test_every_user_is_briefed() -> None:
    for scenario in PHONE:
        user = scenario.task.user_script
        assert user.wants, scenario.name
        assert user.knowledge_boundary, scenario.name
        assert user.agrees, scenario.name
    several = [one for one in PHONE if "multiple_user_turn" in one.categories]
    shown = [one.task.user_script.demonstration for one in several]
    assert all(shown)
    assert all(one.goal != one.lines[0].content for one in filter(None, shown))
    facts = [one.task.user_script.knows for one in several if one.task.user_script.knows]
    assert len(facts) >= 6
    assert max(map(len, facts)) > 1


def test_every_user_evades_in_words_of_its_own() -> None:
    """Scenarios of one file may share them."""
    evasions = {scenario.task.user_script.otherwise for scenario in PHONE}
    assert [texts for texts in evasions if len(texts) == 1] == []
    said = Counter(text for texts in evasions for text in texts)
    assert [text for text, times in said.items() if times > 1] == []


def test_a_scenario_is_short() -> None:
    files = [file.read_text(encoding="utf-8").splitlines() for file in SUITE.rglob("*.yaml")]
    assert median(map(len, files)) <= 60
