"""End states, questions and prepared worlds, as a run prints and stores them."""

from __future__ import annotations

from desk import Suite

METER = '''
from pytest_toolsandbox import World, register_world


class Meter:
    """A meter whose count nobody sees."""

    def __init__(self) -> None:
        self.display = [{"text": "ready"}]
        self._count = 0

    def press(self) -> None:
        """Press the button."""
        self._count += 1

    def count(self) -> int:
        """Count the presses."""
        return self._count


register_world(World.of(Meter, state=["display"], scenario_tools=["count"], reads=["count"]))
'''
PRESSED = """
world: meter
setup: [press]
user: {turns: [Press twice., Once more.]}
protected: [display]
holds: {count: , returns: 4}
milestones: {half: {turn: 1, holds: {count: , returns: 3}}}
solutions: {plain: [press: {}, press: {}, say: Done., press: {}, say: Done.]}
counterexamples: {lazy: [press: {}, press: {}, say: Done., say: Done.]}
"""
NOTED = """
world: desk
setup: [switch_lamp: {on: true}]
user: {opening: "Note that the fern needs water, and turn off the light."}
ends_as: plain
solutions:
  plain: [write_note: {text: Water the fern.}, switch_lamp: {on: false}, say: Done.]
counterexamples:
  twice: [write_note: {text: Water the fern.}, write_note: {text: Milk}, say: Done.]
"""
PAGE = """
milestones
  missed   ends_as  0.00  nearest at [8]
      + end
      - ends_as, lamp: expected {on: false}, found {on: true}
      - ends_as, note rows: expected no such row, found 1 row: {text: 'Milk', title: null}
"""


def test_a_page_says_which_rows_differ(suite: Suite) -> None:
    suite.write("note.scenario.yaml", NOTED)
    suite.run("--agent=oracle").assert_outcomes(passed=1)
    result = suite.run("--agent=counterexample")
    assert PAGE.strip() in result.stdout.str()
    assert "setup: switch_lamp(on=True)" in result.stdout.lines
    assert "switch_lamp" not in result.stdout.str().partition("conversation")[2].partition("===")[0]


def test_an_object_is_asked_again_when_a_run_is_judged_again(suite: Suite) -> None:
    suite.conftest(METER)
    suite.write("press.scenario.yaml", PRESSED)
    suite.run("--agent=oracle", "--sandbox-results=right.jsonl").assert_outcomes(passed=1)
    suite.run("--agent=counterexample", "--sandbox-results=wrong.jsonl").assert_outcomes(failed=1)
    suite.run("--sandbox-rejudge=right.jsonl").assert_outcomes(passed=1)
    result = suite.run("--sandbox-rejudge=wrong.jsonl")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*holds count(): expected 4, found 3"])


def test_calls_that_prepare_are_apart_in_records(suite: Suite) -> None:
    suite.write("note.scenario.yaml", NOTED)
    suite.run("--agent=oracle", "--sandbox-results=results.jsonl")
    (record,) = suite.records()
    names = [record["messages"][call["request"]]["call"]["name"] for call in record["tool_calls"]]
    assert names == ["write_note", "switch_lamp"]
    assert record["counts"]["tool_calls"] == 2
    assert record["setup"] == ["switch_lamp(on=True)"]
