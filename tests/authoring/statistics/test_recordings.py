from __future__ import annotations

from pantry import scenario
from replayed import ALARMS, recorded

from pytest_toolsandbox.authoring.measures import SolvedScenario
from pytest_toolsandbox.authoring.statistics import statistics_lines

TITLE = "Recorded conversations (ToolTalk, section 2)"
HARD = ALARMS.replace("categories: [easy]", "categories: [hard, odd]")
SILENT = """
world: office
categories: [easy]
session: {user: mbell}
conversation: [user: Hello., assistant: Hello.]
"""


def test_of_every_category_and_all() -> None:
    suite = [recorded(HARD), recorded(), recorded(SILENT), scenario("query: Hi\nanswer: Ho")]
    lines = statistics_lines([SolvedScenario(scene, None) for scene in suite])
    start = lines.index(TITLE) + 2
    assert [line.split() for line in lines[start : lines.index("", start)]] == [
        ["easy", "2", "4", "3", "2", "1.0"],
        ["hard", "1", "3", "3", "2", "2.0"],
        ["odd", "1", "3", "3", "2", "2.0"],
        ["all", "scenarios", "3", "7", "6", "4", "1.3"],
    ]


def test_without_any_there_are_none() -> None:
    asked = scenario("query: Hi\nanswer: Ho")
    assert TITLE not in statistics_lines([SolvedScenario(asked, None)])


def test_the_table() -> None:
    lines = statistics_lines([SolvedScenario(recorded(), None)])
    start = lines.index(TITLE)
    assert lines[start + 1 : start + 5] == [
        "               conversations  turns  ground-truth calls  of actions  mean plugins",
        "easy                       1      3                   3           2           2.0",
        "all scenarios              1      3                   3           2           2.0",
        "",
    ]


def test_only_a_simulated_user_has_tools() -> None:
    asked, protecting = scenario("query: Hi\nanswer: Ho"), scenario("protected: [door]")
    world = protecting.world
    for scenarios, tools in (([asked], world.agent_tools), ([asked, protecting], world.tools)):
        lines = statistics_lines([SolvedScenario(scene, None) for scene in scenarios])
        assert f"tools {len(tools)}" in [" ".join(line.split()) for line in lines]
    assert len(world.agent_tools) < len(world.tools)
