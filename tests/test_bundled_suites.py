"""The bundled suites are spread as the published ones are, and each scenario is complete.

First the phone suite, then the office suite, then the query suite.
"""

from __future__ import annotations

import re
from collections import Counter
from statistics import mean, median

import pytest
from rows import every
from shipped import SCENARIOS, shipped

from pytest_toolsandbox.agents.scripted import oracle
from pytest_toolsandbox.authoring.measures import (
    SolvedScenario,
    called_tools,
    columns,
    count,
    needed_tools,
)
from pytest_toolsandbox.builtin import ENVIRONMENTS
from pytest_toolsandbox.builtin.office import world
from pytest_toolsandbox.conversation.play import ask, play
from pytest_toolsandbox.conversation.replay import ground_truth_turns
from pytest_toolsandbox.language.files import find_files
from pytest_toolsandbox.language.roles import calls_of
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.tasks import Milestones, Query, Replay, UserTurn
from pytest_toolsandbox.language.variants import PUBLISHED
from pytest_toolsandbox.scoring.tooltalk.evaluate_replay import ground_truth_calls
from pytest_toolsandbox.users.user import scripted_user
from pytest_toolsandbox.worlds.world import find_world

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
CALLED = {
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
    sizes = Counter(name for scenario in PHONE for name in scenario.categories)
    assert sizes == CATEGORIES
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
    assert {tool: n for tool, n in CALLED.items() if called["phone", tool] < n} == {}


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
    several = [multi_turn for multi_turn in PHONE if "multiple_user_turn" in multi_turn.categories]
    shown = [multi_turn.task.user_script.demonstration for multi_turn in several]
    assert all(shown)
    assert all(script.goal != script.lines[0].content for script in filter(None, shown))
    facts = [
        multi_turn.task.user_script.knows
        for multi_turn in several
        if multi_turn.task.user_script.knows
    ]
    assert len(facts) >= 6
    assert max(map(len, facts)) > 1


def test_every_user_evades_in_words_of_its_own() -> None:
    """Scenarios of one file may share them."""
    evasions = {scenario.task.user_script.otherwise for scenario in PHONE}
    assert [texts for texts in evasions if len(texts) == 1] == []
    times_of_text = Counter(text for texts in evasions for text in texts)
    assert [text for text, times in times_of_text.items() if times > 1] == []


def test_a_scenario_is_short() -> None:
    files = [
        file.read_text(encoding="utf-8").splitlines()
        for file in SCENARIOS.joinpath("phone").rglob("*.yaml")
    ]
    assert median(map(len, files)) <= 60


EASY, HARD = shipped("office", "easy"), shipped("office", "hard")


def calls(scenarios: list[Scenario]) -> list[str]:
    return [call.tool for scenario in scenarios for call in ground_truth_calls(scenario)]


def test_an_easy_conversation_for_each_tool_and_hard_ones_of_three_plugins_or_more() -> None:
    assert (len(EASY), len(HARD)) == (28, 50)
    assert {scenario.categories for scenario in EASY} == {("easy",)}
    assert {scenario.categories for scenario in HARD} == {("hard",)}
    assert sorted(calls(EASY)) == sorted(world.agent_tools)
    plugins = [{world.tools[name].module for name in calls([scenario])} for scenario in HARD]
    assert min(map(len, plugins)) >= 3


def test_the_calls_of_the_hard_ones_are_as_many_as_published() -> None:
    made = calls(HARD)
    turns = [turn for scenario in HARD for turn in ground_truth_turns(scenario)]
    replayed = [turn for scenario in HARD for turn in scenario.task_as(Replay).turns]
    assert 228 <= len(made) <= 248
    assert 148 <= sum(world.tools[name].action for name in made) <= 162
    assert 169 <= len(turns) <= 185
    assert 130 <= sum(bool(turn.calls) for turn in turns) <= 142
    assert 186 <= sum(isinstance(turn, UserTurn) for turn in replayed) <= 202
    assert max(len(turn.calls) for turn in turns) == 7
    needed = Counter(name for scenario in HARD for name in set(calls([scenario])))
    assert {tool: needed[tool] for tool in world.agent_tools if needed[tool] < 3} == {}


def test_some_conversations_begin_logged_out_and_some_calls_are_refused() -> None:
    scenarios = [*EASY, *HARD]
    logged_out = [s for s in scenarios if s.start["session"].rows[0]["token"] is None]
    assert 10 <= len(logged_out) <= 22
    refused = [
        call for scenario in HARD for call in ground_truth_calls(scenario) if call.error is not None
    ]
    assert 1 <= len(refused) <= 4


def test_few_texts_are_dictated() -> None:
    dictated = asked = 0
    for scenario in (*EASY, *HARD):
        turns = scenario.task_as(Replay).turns
        user_texts = " ".join(turn.content for turn in turns if isinstance(turn, UserTurn))
        arguments = [call.arguments or {} for call in ground_truth_calls(scenario)]
        texts = [
            values[name] for values in arguments for name in ("message", "body") if name in values
        ]
        dictated += sum(text.rstrip(".!?") in user_texts for text in texts)
        asked += len(texts)
    assert dictated < asked / 4


SIZES = {
    "patent": (20, 7, 6),
    "movies": (30, 11, 11),
    "travel": (5, 6, 8),
    "sports": (8, 4, 4),
    "tools": (12, 5, 5),
    "data": (14, 4, 7),
    "social": (16, 3, 7),
    "media": (11, 6, 6),
    "spaceflight": (25, 10, 9),
    "video_images": (9, 6, 5),
}
"""Environment → queries, tools, mean interactions."""

QUERIES = shipped("queries")


def queries(environment: str) -> list[Scenario]:
    return [scenario for scenario in QUERIES if scenario.world.name == f"queries.{environment}"]


def query(scenario: Scenario) -> Query:
    return scenario.task_as(Query)


def test_a_file_for_each_environment() -> None:
    assert sorted(file.name for file in find_files([SCENARIOS / "queries"])) == sorted(
        f"{environment}.scenario.yaml" for environment in ENVIRONMENTS
    )
    assert tuple(SIZES) == ENVIRONMENTS
    assert len(QUERIES) == 150


@every("environment", ENVIRONMENTS)
def test_an_environment_is_as_large_as_published(environment: str) -> None:
    count, tools, interactions = SIZES[environment]
    scenarios = queries(environment)
    assert len(scenarios) == count
    assert len(find_world(f"queries.{environment}").agent_tools) == tools
    calls = [ask(scenario, oracle(scenario)).tool_call_count for scenario in scenarios]
    assert mean(calls) == pytest.approx(interactions, abs=1)


@every("environment", ENVIRONMENTS)
def test_each_tool_is_needed_and_every_manner_occurs(environment: str) -> None:
    scenarios = queries(environment)
    steps = (step for scenario in scenarios for way in scenario.solutions.values() for step in way)
    needed = {call.tool for step in steps for call in calls_of(step)}
    assert needed >= set(find_world(f"queries.{environment}").agent_tools)
    manners = {query(scenario).manner for scenario in scenarios}
    assert manners == {None, "constraints", "sentences", "irrelevance"}


def test_a_query_is_made_from_one_that_is_made_from_none() -> None:
    by_name = {scenario.name: scenario for scenario in QUERIES}
    for scenario in QUERIES:
        task = query(scenario)
        assert (task.base is None) == (task.manner is None), scenario.name
        base = by_name[task.base or scenario.name]
        assert query(base).manner is None, scenario.name
        if task.manner in ("sentences", "irrelevance"):  # these change neither answer nor way
            assert scenario.solutions == base.solutions, scenario.name
            assert task.answer == query(base).answer, scenario.name


def test_an_invented_call_fails_a_query_with_something_irrelevant() -> None:
    for scenario in QUERIES:
        if query(scenario).manner == "irrelevance":
            assert set(query(scenario).forbidden) == {"IFN", "IAN"}, scenario.name
            assert scenario.counterexamples, scenario.name
        else:
            assert query(scenario).forbidden == (), scenario.name


def test_no_question_is_asked_twice() -> None:
    texts = Counter(" ".join(query(scenario).text.casefold().split()) for scenario in QUERIES)
    assert max(texts.values()) == 1


def test_most_can_be_answered_in_several_ways() -> None:
    def has_ways(scenario: Scenario) -> bool:
        steps = (step for way in scenario.solutions.values() for step in way)
        return len(scenario.solutions) > 1 or any(
            c.alternatives for step in steps for c in calls_of(step)
        )

    assert sum(map(has_ways, QUERIES)) > 75


def test_a_query_is_short() -> None:
    lines = [
        len(part.splitlines())
        for file in find_files([SCENARIOS / "queries"])
        for part in re.split(r"\n+(?=  \w+:\n)", file.read_text(encoding="utf-8"))[1:]
    ]
    assert len(lines) == len(QUERIES)
    assert median(lines) <= 25
