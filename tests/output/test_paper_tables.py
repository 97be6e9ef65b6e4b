"""How those are named who played, and the papers' tables of what they played."""

from __future__ import annotations

from typing import Any

import pytest
from replayed import recorded

from pytest_toolsandbox.agents.scripted import oracle, unhelpful
from pytest_toolsandbox.output.paper_tables import (
    Arm,
    Player,
    arm_names,
    paper_tables,
    place_of,
    player_of,
)
from pytest_toolsandbox.records.record import summary_of
from pytest_toolsandbox.runs.trial import play_trial

A = Player("monday", "claude", None)


@pytest.mark.parametrize(
    ("other", "names"),
    [
        (A, ["claude"]),
        (A._replace(agent="gpt"), ["claude", "gpt"]),
        (A._replace(run="tuesday"), ["claude (monday)", "claude (tuesday)"]),
        (A._replace(parameter="small"), ["claude", "claude [small]"]),
    ],
)
def test_a_name_says_what_differs(other: Player, names: list[str]) -> None:
    assert list(arm_names([A, other]).values()) == names


def test_nobody_has_no_name() -> None:
    assert arm_names([]) == {}


def test_a_place_is_the_same_whoever_plays() -> None:
    small: Any = {"id": "a.yaml::x[small]", "agent": "fixture", "variant": None, "feedback": False}
    large: Any = {**small, "id": "a.yaml::x[large]", "agent_settings": {"parameter": "large"}}
    assert place_of(small) == place_of(large)
    assert player_of(large, "run") == Player("run", "fixture", "large")
    assert player_of(small, "run").parameter is None


def replayed(name: str) -> Arm[Any]:
    scenario = recorded()
    agent = oracle(scenario) if name == "oracle" else unhelpful
    return Arm(name, [summary_of(play_trial(scenario, agent).record)])


def test_recorded_conversations_are_named_and_have_figures_for_each_plugin() -> None:
    arms = [replayed("oracle"), replayed("unhelpful")]
    tables = {table.title: table for table in paper_tables(arms)}
    assert [*tables][:2] == [
        "mean score of recorded conversations (as ToolSandbox, table 5)",
        "mean number of turns of recorded conversations (as ToolSandbox, table 11)",
    ]
    title = "calls of recorded conversations by plugin (ToolTalk)"
    assert tables[title].headings == ("", "oracle", "unhelpful")
    assert tables[title].rows[:3] == [
        ("Alarm: precision", "100.0%", "n/a"),
        ("Alarm: recall", "100.0%", "0.0%"),
        ("Alarm: incorrect actions", "0.0%", "n/a"),
    ]
    by_tool = tables["calls of recorded conversations by tool (ToolTalk)"].rows
    assert ("AddAlarm: recall", "100.0%", "0.0%") in by_tool
    assert by_tool[-3:] == tables[title].rows[-3:]  # of all calls
    for arm in arms:  # as records of earlier versions
        del arm.records[0]["calls"]["tools"]
    assert not [table for table in paper_tables(arms) if "by tool" in table.title]
    below = {table.title: table for table in paper_tables(arms, "agents")}
    assert below[title].headings == ("", "", "precision", "recall", "incorrect actions")
    assert below[title].rows[1] == ("oracle", "Alarm", "100.0%", "100.0%", "0.0%")
    assert below[title].words == 2
    assert below["recorded conversations (ToolTalk, table 1)"].rows[:2] == [
        ("oracle", "all scenarios", "100.0%", "100.0%", "100.0%", "0.0%"),
        ("oracle", "easy", "100.0%", "100.0%", "100.0%", "0.0%"),
    ]
