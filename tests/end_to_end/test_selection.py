"""Scenarios are selected, and runs cut short, as pytest does it with any item."""

from __future__ import annotations

import pytest
from desk import Suite

THREE = """
world: desk
user: {opening: Turn on the light.}
milestones: {light_on: {state: {lamp: {on: true}}}}
solutions: {directly: [{switch_lamp: {on: true}}]}
scenarios:
  dark: {categories: [state_dependency], solutions: {directly: [{say: "No."}]}}
  light: {categories: [state_dependency], tags: [mine]}
  lit: {categories: [single_tool_call]}
"""
"""With the oracle ``dark`` fails and the others pass."""


@pytest.fixture
def three(suite: Suite) -> Suite:
    suite.write("three.scenario.yaml", THREE)
    return suite


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        ((), ["dark", "light", "lit"]),
        (("-k", "lit"), ["lit"]),
        (("-k", "li and not lit"), ["light"]),
        (("-k", "three"), ["dark", "light", "lit"]),
        (("-m", "state_dependency"), ["dark", "light"]),
        (("-m", "state_dependency and not mine"), ["dark"]),
        (("-m", "mine or single_tool_call"), ["light", "lit"]),
        (("three.scenario.yaml::lit",), ["lit"]),
        (("--deselect", "three.scenario.yaml::dark"), ["light", "lit"]),
    ],
)
def test_selects(three: Suite, arguments: tuple[str, ...], names: list[str]) -> None:
    result = three.run("--collect-only", "-q", *arguments)
    selected = [line.partition("::")[2] for line in result.outlines if "::" in line]
    assert selected == names


def test_collecting_asks_no_agent_and_writes_nothing(three: Suite) -> None:
    three.write("results.jsonl", "of an earlier run")
    three.conftest("@pytest.fixture\ndef agent(): raise AssertionError('asked')")
    options = ("--sandbox-results=results.jsonl", "--sandbox-min-score=1", "--junitxml=junit.xml")
    result = three.run("--collect-only", *options)
    assert result.ret == pytest.ExitCode.OK
    result.stdout.no_fnmatch_line("*= toolsandbox =*")
    assert (three.path / "results.jsonl").read_text() == "of an earlier run"


def test_an_error_counts_as_last_failed(three: Suite) -> None:
    three.conftest("@pytest.fixture\ndef agent(): return lambda messages, tools: 1 / 0")
    three.run("-k", "light").assert_outcomes(errors=1, deselected=2)
    three.run("--lf").assert_outcomes(errors=1)


def test_stepwise_goes_on_where_it_stopped(three: Suite) -> None:
    three.run("--agent=oracle", "--sw").assert_outcomes(failed=1)
    three.write(
        "three.scenario.yaml", THREE.replace('[{say: "No."}]', "[{switch_lamp: {on: true}}]")
    )
    three.run("--agent=oracle", "--sw").assert_outcomes(passed=3)


def test_failed_first(three: Suite) -> None:
    three.run("--agent=counterexample", "-k", "lit")
    result = three.run("--agent=oracle", "--ff", "-v")
    names = [line.partition("::")[2].split()[0] for line in result.outlines if "::" in line]
    assert names[0] == "lit"


def test_on_several_cores(three: Suite) -> None:
    result = three.run_apart("--agent=oracle", "-n2", "-m", "state_dependency")
    result.assert_outcomes(failed=1, passed=1)
    result.stdout.fnmatch_lines(["*_ dark _*", "missed light_on*"])
