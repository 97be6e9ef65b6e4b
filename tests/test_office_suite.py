"""The office suite is spread as the published conversations are."""

from __future__ import annotations

from collections import Counter

from shipped import shipped

from pytest_toolsandbox.builtin.office import world
from pytest_toolsandbox.conversation.replay import ground_truth_turns
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.tasks import Replay, UserTurn
from pytest_toolsandbox.scoring.tooltalk.evaluate_replay import ground_truth_calls


def split(name: str) -> list[Scenario]:
    found = shipped("office", name)
    assert all(scenario.categories == (name,) for scenario in found)
    return found


EASY, HARD = split("easy"), split("hard")


def calls(scenarios: list[Scenario]) -> list[str]:
    return [call.tool for scenario in scenarios for call in ground_truth_calls(scenario)]


def plugins(scenario: Scenario) -> set[str]:
    return {world.tools[name].module for name in calls([scenario])}


def test_an_easy_conversation_for_each_tool() -> None:
    assert len(EASY) == 28
    assert sorted(calls(EASY)) == sorted(world.agent_tools)


def test_hard_conversations_need_three_plugins_or_more() -> None:
    assert len(HARD) == 50
    assert [scenario.name for scenario in HARD if len(plugins(scenario)) < 3] == []


def test_the_calls_of_the_hard_ones_are_as_many_as_published() -> None:
    made = calls(HARD)
    turns = [turn for scenario in HARD for turn in ground_truth_turns(scenario)]
    said = [
        turn
        for scenario in HARD
        if isinstance(scenario.task, Replay)
        for turn in scenario.task_as(Replay).turns
        if isinstance(turn, UserTurn)
    ]
    assert 228 <= len(made) <= 248
    assert 148 <= sum(world.tools[name].action for name in made) <= 162
    assert 169 <= len(turns) <= 185
    assert 130 <= sum(bool(turn.calls) for turn in turns) <= 142
    assert 186 <= len(said) <= 202
    assert max(len(turn.calls) for turn in turns) == 7


def test_every_tool_is_needed_in_hard_conversations() -> None:
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


def sent(scenario: Scenario) -> list[str]:
    texts = [call.arguments or {} for call in ground_truth_calls(scenario)]
    return [text for one in texts for text in (one.get("message"), one.get("body")) if text]


def test_few_texts_are_dictated() -> None:
    dictated = asked = 0
    for scenario in (*EASY, *HARD):
        turns = scenario.task_as(Replay).turns
        said = " ".join(turn.content for turn in turns if isinstance(turn, UserTurn))
        dictated += sum(text.rstrip(".!?") in said for text in sent(scenario))
        asked += len(sent(scenario))
    assert dictated < asked / 4
