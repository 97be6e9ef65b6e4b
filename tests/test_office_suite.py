"""The office suite is spread as the published conversations are."""

from __future__ import annotations

from collections import Counter

from shipped import shipped

from pytest_toolsandbox.builtin.office import world
from pytest_toolsandbox.conversation.replay import ground_truth_turns
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.tasks import Replay, UserTurn
from pytest_toolsandbox.scoring.tooltalk.evaluate_replay import ground_truth_calls

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
    said = [turn for scenario in HARD for turn in scenario.task_as(Replay).turns]
    assert 228 <= len(made) <= 248
    assert 148 <= sum(world.tools[name].action for name in made) <= 162
    assert 169 <= len(turns) <= 185
    assert 130 <= sum(bool(turn.calls) for turn in turns) <= 142
    assert 186 <= sum(isinstance(turn, UserTurn) for turn in said) <= 202
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
        said = " ".join(turn.content for turn in turns if isinstance(turn, UserTurn))
        arguments = [call.arguments or {} for call in ground_truth_calls(scenario)]
        texts = [
            given[name] for given in arguments for name in ("message", "body") if name in given
        ]
        dictated += sum(text.rstrip(".!?") in said for text in texts)
        asked += len(texts)
    assert dictated < asked / 4
