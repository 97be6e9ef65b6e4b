from __future__ import annotations

from pantry import scenario
from replayed import ALARMS, recorded

from pytest_toolsandbox.reporting.tables import row
from pytest_toolsandbox.statistics.recordings import COLUMNS, recordings
from pytest_toolsandbox.statistics.suite import SolvedScenario, size
from pytest_toolsandbox.statistics.tables import statistics_lines

HARD = ALARMS.replace("categories: [easy]", "categories: [hard, odd]")
SILENT = """
world: office
categories: [easy]
session: {user: mbell}
conversation: [user: Hello., assistant: Hello.]
"""


def test_of_every_category_and_all() -> None:
    suite = [recorded(HARD), recorded(), recorded(SILENT), scenario("query: Hi\nanswer: Ho")]
    assert [row(total, COLUMNS) for total in recordings(suite)] == [
        ("easy", "2", "4", "3", "2", "1.0"),
        ("hard", "1", "3", "3", "2", "2.0"),
        ("odd", "1", "3", "3", "2", "2.0"),
        ("all scenarios", "3", "7", "6", "4", "1.3"),
    ]


def test_without_any_there_are_none() -> None:
    assert recordings([scenario("query: Hi\nanswer: Ho")]) == []


def test_the_table() -> None:
    lines = statistics_lines([SolvedScenario(recorded(), None)])
    start = lines.index("Recorded conversations (ToolTalk, section 2)")
    assert lines[start + 1 : start + 5] == [
        "               conversations  turns  ground-truth calls  of actions  mean plugins",
        "easy                       1      3                   3           2           2.0",
        "all scenarios              1      3                   3           2           2.0",
        "",
    ]


def test_only_a_simulated_user_has_tools() -> None:
    asked, told = scenario("query: Hi\nanswer: Ho"), scenario("protected: [door]")
    tools = told.world.tools
    assert size([SolvedScenario(asked, None)]).tools == len(told.world.agent_tools)
    assert size([SolvedScenario(asked, None), SolvedScenario(told, None)]).tools == len(tools)
    assert len(told.world.agent_tools) < len(tools)
