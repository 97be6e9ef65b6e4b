"""``--sandbox-gate=means``: what fails a session are means, and all that no mean tells of."""

from __future__ import annotations

import re

import pytest
from desk import LIGHT, Suite, gate_text

pytestmark = pytest.mark.any_pytest

TWO = (
    LIGHT
    + """
scenarios:
  right: {categories: [state_dependency]}
  half:
    categories: [state_dependency, canonicalization]
    solutions: {directly: [{switch_lamp: {on: true}}, {say: Nothing}]}
"""
)
"""With the oracle the means are 0.75, and 0.5 (canonicalization)."""
FAILS = (
    "gate: the session fails, since {} 1 failed scenario alone would not fail it: the means decide"
)
GATE = ("--agent=oracle", "--sandbox-gate=means")


@pytest.fixture
def two(suite: Suite) -> Suite:
    suite.write("two.scenario.yaml", TWO)
    return suite


@pytest.mark.parametrize("option", ["-n0", "-n1"])
def test_failed_scenarios_do_not_fail_the_session_and_a_missed_minimum_does(
    two: Suite, option: str
) -> None:
    two.ini("sandbox_gate = means", "sandbox_min_score = 0.75")
    result = two.run_apart("--agent=oracle", option, "--junitxml=junit.xml")
    assert result.ret == pytest.ExitCode.OK
    result.assert_outcomes(passed=1, failed=1)
    excused = "gate: 1 failed scenario did not fail the session, because the means decide"
    assert gate_text(result) == excused
    result.stdout.fnmatch_lines(
        ["*_ half _*", "missed user_told*; score 0.50 of 1", "all scenarios * 2 * 1 * 1 *"]
    )
    assert '<failure message="missed user_told' in (two.path / "junit.xml").read_text()
    result = two.run_apart(*GATE, "--sandbox-min-score=0.76", option)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines("min-score: all scenarios reached 0.7500, less than 0.76")
    assert gate_text(result) == FAILS.format("a minimum was missed")


@pytest.mark.parametrize("option", ["-n0", "-n1"])
@pytest.mark.parametrize(
    ("path", "text", "reason"),
    [
        ("test_python.py", "def test(): assert False", "there is 1 other failure"),
        ("test_python.py", "import nowhere", None),
        ("bad.scenario.yaml", "world: desk\nmilestone: 1", "there is 1 other failure"),
        ("other.scenario.yaml", f"marks: [{{xfail: {{strict: true}}}}]\n{LIGHT}", None),
    ],
)
def test_any_other_failure_fails_it(
    two: Suite, option: str, path: str, text: str, reason: str | None
) -> None:
    two.write(path, text)
    result = two.run_apart(*GATE, "--sandbox-min-score=0.1", option)
    assert result.ret not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED)
    if reason:
        assert gate_text(result) == FAILS.format(reason)


ERRING = """
import unittest

def skipping(messages, tools):
    raise unittest.SkipTest("no quota")

@pytest.fixture
def agent(agent, request):
    return agent if request.node.name != "right" else {erring}
"""


@pytest.mark.parametrize("option", ["-n0", "-n1"])
@pytest.mark.parametrize("erring", ["lambda messages, tools: 1 / 0", "skipping"])
def test_an_error_fails_it(two: Suite, erring: str, option: str) -> None:
    """An agent that raises what skips tests is an error, too."""
    two.conftest(ERRING.format(erring=erring))
    result = two.run_apart(*GATE, "--sandbox-min-score=0.5", option)
    result.assert_outcomes(failed=1, errors=1)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert gate_text(result) == FAILS.format("there is 1 other failure")


LEAVING = """
@pytest.fixture
def guard(request):
    yield
    assert request.node.name != "half"
"""


def test_an_error_of_its_teardown_fails_it(two: Suite) -> None:
    two.conftest(LEAVING)
    two.write("two.scenario.yaml", f"marks: [{{usefixtures: guard}}]\n{TWO}")
    result = two.run(*GATE, "--sandbox-min-score=0.5")
    result.assert_outcomes(passed=1, failed=1, errors=1)
    assert result.ret == pytest.ExitCode.TESTS_FAILED


def test_a_failed_scenario_of_which_no_minimum_speaks_fails_it(two: Suite) -> None:
    two.ini("sandbox_min_score = single_user_turn = 0.1")
    result = two.run(*GATE)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    reason = "no minimum covers two.scenario.yaml::half"
    assert gate_text(result) == FAILS.format(reason)


def test_a_run_that_was_cut_short_fails(two: Suite) -> None:
    enough = "--sandbox-min-score=0.1"
    result = two.run(*GATE, enough, "-x")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    reason = "the run was stopped early, and its means leave scenarios out"
    assert gate_text(result) == FAILS.format(reason)
    assert two.run(*GATE, enough, "--maxfail=2").ret == pytest.ExitCode.OK
    result = two.run(*GATE, "--sandbox-min-score=0.75", "--lf")  # which has its own means
    result.assert_outcomes(failed=1)
    assert result.ret == pytest.ExitCode.TESTS_FAILED


CRASHING = """
import os

@pytest.fixture
def agent(agent, request):
    return agent if request.node.name != "right" else lambda messages, tools: os._exit(3)
"""


def test_a_worker_that_crashes_leaves_an_error(two: Suite) -> None:
    two.conftest(CRASHING)
    result = two.run_apart(
        *GATE, "-n2", "--sandbox-min-score=0.1", "--sandbox-results=results.jsonl"
    )
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines("all scenarios * 2 * 0 * 1 * 1 * 0.500*")
    assert gate_text(result) == FAILS.format("there is 1 other failure")
    lost = two.records()[1]
    assert (lost["scenario"], lost["outcome"]) == ("right", "error")
    crash = r"it came to no end: worker 'gw[01]' crashed while running 'two.scenario.yaml::right'"
    assert lost["cause"] is None
    assert re.fullmatch(crash, lost["reason"])


def test_an_exit_in_a_fixture_leaves_an_error(two: Suite) -> None:
    two.conftest("@pytest.fixture\ndef agent(): raise SystemExit(3)")
    result = two.run("--sandbox-results=results.jsonl", "-k", "right")
    result.assert_outcomes(errors=1, deselected=1)
    result.stdout.fnmatch_lines("all scenarios * 1 * 0 * 0 * 1 * n/a*")
    (record,) = two.records()
    assert (record["outcome"], record["scores"]) == ("error", None)
    assert "SystemExit: 3" in record["reason"]
