"""The query suite is spread as the published queries are (SpecTool, table 2)."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from statistics import mean, median

import pytest
from rows import every
from shipped import shipped

from pytest_toolsandbox.agents.scripted import oracle
from pytest_toolsandbox.builtin import ENVIRONMENTS
from pytest_toolsandbox.conversation.play import ask
from pytest_toolsandbox.language.files import find_files
from pytest_toolsandbox.language.roles import calls_of
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.tasks import Query
from pytest_toolsandbox.worlds.world import find_world

SUITE = Path(__file__).parents[1] / "scenarios" / "queries"
PUBLISHED = {
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

SCENARIOS = shipped("queries")


def queries(environment: str) -> list[Scenario]:
    return [one for one in SCENARIOS if one.world.name == f"queries.{environment}"]


def query(scenario: Scenario) -> Query:
    return scenario.task_as(Query)


def test_a_file_for_each_environment() -> None:
    assert sorted(file.name for file in find_files([SUITE])) == sorted(
        f"{environment}.scenario.yaml" for environment in ENVIRONMENTS
    )
    assert tuple(PUBLISHED) == ENVIRONMENTS
    assert len(SCENARIOS) == 150


@every("environment", ENVIRONMENTS)
def test_an_environment_is_as_large_as_published(environment: str) -> None:
    count, tools, interactions = PUBLISHED[environment]
    scenarios = queries(environment)
    assert len(scenarios) == count
    assert len(find_world(f"queries.{environment}").agent_tools) == tools
    calls = [ask(one, oracle(one)).tool_call_count for one in scenarios]
    assert mean(calls) == pytest.approx(interactions, abs=1)


@every("environment", ENVIRONMENTS)
def test_each_tool_is_needed_and_every_manner_occurs(environment: str) -> None:
    scenarios = queries(environment)
    steps = (step for one in scenarios for way in one.solutions.values() for step in way)
    needed = {call.tool for step in steps for call in calls_of(step)}
    assert needed >= set(find_world(f"queries.{environment}").agent_tools)
    manners = {query(scenario).manner for scenario in scenarios}
    assert manners == {None, "constraints", "sentences", "irrelevance"}


def test_a_query_is_made_from_one_that_is_made_from_none() -> None:
    by_name = {scenario.name: scenario for scenario in SCENARIOS}
    for scenario in SCENARIOS:
        one = query(scenario)
        assert (one.base is None) == (one.manner is None), scenario.name
        base = by_name[one.base or scenario.name]
        assert query(base).manner is None, scenario.name
        if one.manner in ("sentences", "irrelevance"):  # these change neither answer nor way
            assert scenario.solutions == base.solutions, scenario.name
            assert one.answer == query(base).answer, scenario.name


def test_an_invented_call_fails_a_query_with_something_irrelevant() -> None:
    for scenario in SCENARIOS:
        if query(scenario).manner == "irrelevance":
            assert set(query(scenario).forbidden) == {"IFN", "IAN"}, scenario.name
            assert scenario.counterexamples, scenario.name
        else:
            assert query(scenario).forbidden == (), scenario.name


def test_no_question_is_asked_twice() -> None:
    texts = Counter(" ".join(query(scenario).text.casefold().split()) for scenario in SCENARIOS)
    assert max(texts.values()) == 1


def test_most_can_be_answered_in_several_ways() -> None:
    def has_ways(scenario: Scenario) -> bool:
        steps = (step for way in scenario.solutions.values() for step in way)
        return len(scenario.solutions) > 1 or any(
            c.others for step in steps for c in calls_of(step)
        )

    assert sum(map(has_ways, SCENARIOS)) > 75


def test_a_query_is_short() -> None:
    lines = [
        len(one.splitlines())
        for file in find_files([SUITE])
        for one in re.split(r"\n+(?=  \w+:\n)", file.read_text(encoding="utf-8"))[1:]
    ]
    assert len(lines) == len(SCENARIOS)
    assert median(lines) <= 25
