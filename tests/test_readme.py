"""The README, held to what really happens."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from shipped import shipped

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def block(language: str) -> str:
    """Return the README's first block in a language."""
    found = re.search(rf"```{language}\n(.*?)```", README, re.DOTALL)
    assert found
    return found[1]


def test_the_scenario_is_solved_by_its_oracle(pytester: pytest.Pytester) -> None:
    pytester.path.joinpath("running_late.scenario.yaml").write_text(block("yaml"))
    pytester.runpytest_subprocess("--agent=oracle").assert_outcomes(passed=1)


def test_the_page_is_that_of_the_counterexample(pytester: pytest.Pytester) -> None:
    pytester.path.joinpath("running_late.scenario.yaml").write_text(block("yaml"))
    output = pytester.runpytest_subprocess("--agent=counterexample").stdout.str()
    assert block("text") in output


@pytest.mark.any_pytest
def test_the_number_of_scenarios() -> None:
    assert f"plays all {len(shipped())} scenarios" in " ".join(README.split())


@pytest.mark.any_pytest
def test_continuous_integration_runs_the_test_command_as_it_stands() -> None:
    (command,) = re.findall(r"^\$ (.*/tox.*)$", README, re.MULTILINE)
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    assert command in script


@pytest.mark.any_pytest
def test_the_worked_example_is_the_scenario_that_comes_with_the_project() -> None:
    example = ROOT / "scenarios/phone/state_dependency/landed_without_signal.scenario.yaml"
    guide = (ROOT / "docs" / "writing-scenarios.md").read_text(encoding="utf-8")
    assert example.read_text(encoding="utf-8") in guide
