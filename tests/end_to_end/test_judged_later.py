"""A conversation that is whole is judged later, or by another judge, without the agent."""

from __future__ import annotations

from typing import Any

import pytest
from desk import Suite, saying

from pytest_toolsandbox.__main__ import main

pytestmark = pytest.mark.any_pytest

LIGHT, IDLE = saying("Es werde Licht."), saying("Well.", calls="")
AGENT = """
from pathlib import Path

@pytest.fixture(scope="session")
def agent():
    switch = {"id": "1", "function": {"name": "switch_lamp", "arguments": '{"on": true}'}}
    def agent(messages, tools):
        if messages[-1]["role"] == "user":
            with Path("played.txt").open("a") as file:
                file.write("x")
            return {"content": None, "tool_calls": [switch]}
        return "Es werde Licht."
    return agent
"""
JUDGES = """
from pathlib import Path
from pytest_toolsandbox import Opinion, ProviderError

def noted(name):
    with Path(f"{name}.txt").open("a") as file:
        file.write("x")

def kind(question):
    noted("kind")
    if Path("out").exists():
        raise ProviderError("down for repair")
    return Opinion("right")

def stern(question):
    noted("stern")
    if Path("out").exists():
        raise ProviderError("down for repair")
    return Opinion("incomplete", why="It is no English.")
"""
RESULTS = "--sandbox-results=results.jsonl"
RESUME = "--sandbox-resume=results.jsonl"
KIND, STERN = ("--sandbox-judge=my:kind", "--sandbox-judge=my:stern")


@pytest.fixture
def suite(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Suite:
    suite = Suite(pytester)
    suite.conftest(AGENT)
    suite.write("my.py", JUDGES)
    suite.write("light.scenario.yaml", LIGHT)
    monkeypatch.syspath_prepend(suite.path)
    return suite


def count(suite: Suite, name: str) -> int:
    """Return how often something was asked since it was counted last."""
    file = suite.path / f"{name}.txt"
    size = len(file.read_text()) if file.exists() else 0
    file.unlink(missing_ok=True)
    return size


def records(suite: Suite, name: str = "results.jsonl") -> list[dict[str, Any]]:
    """Return what a run has written, but for how long it took."""
    return [{k: v for k, v in record.items() if k != "duration"} for record in suite.records(name)]


def is_out(suite: Suite, *, really: bool) -> None:
    """Let the judges answer, or not."""
    (suite.write if really else lambda path, _: (suite.path / path).unlink())("out", "")


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_a_resumed_run_judges_what_an_outage_left(suite: Suite, workers: str) -> None:
    run = suite.run if workers == "-n0" else suite.run_apart
    three = ("--sandbox-trials=3", workers)
    run(KIND, *three, "--sandbox-results=whole.jsonl").assert_outcomes(passed=1)
    is_out(suite, really=True)
    run(KIND, RESULTS, *three).assert_outcomes(errors=1)
    assert {record["unjudged"] for record in records(suite)} == {True}
    is_out(suite, really=False)
    for name in ("played", "kind"):
        count(suite, name)
    result = run(KIND, RESUME, *three)
    result.assert_outcomes(passed=1)
    assert (count(suite, "played"), count(suite, "kind")) == (0, 3)
    assert records(suite) == records(suite, "whole.jsonl")
    lines = [line for line in result.outlines if line.startswith("resume: ")]
    file = suite.path / "results.jsonl"
    assert lines == [f"resume: 3 conversations of {file} judged, and not held again"]

    run(KIND, RESUME, *three).assert_outcomes(passed=1)  # which is whole now
    assert (count(suite, "played"), count(suite, "kind")) == (0, 0)


@pytest.mark.parametrize(
    ("first", "outcome"), [((), "passed"), ((STERN,), "failed")], ids=["no judge", "another judge"]
)
def test_a_resumed_run_may_have_another_judge_and_more_trials(
    suite: Suite, first: tuple[str, ...], outcome: str
) -> None:
    suite.run(*first, RESULTS).assert_outcomes(**{outcome: 1})
    assert count(suite, "played") == 1
    result = suite.run(KIND, RESUME, "--sandbox-trials=3")
    result.assert_outcomes(passed=1)
    assert (count(suite, "played"), count(suite, "kind")) == (2, 3)
    file = suite.path / "results.jsonl"
    line = f"resume: 1 conversation of {file} judged, and not held again"
    assert [text for text in result.outlines if text.startswith("resume: ")] == [line]
    opinions = [(record["judge"], record["opinion"]["verdict"]) for record in records(suite)]
    assert opinions == [("my:kind", "right")] * 3


def test_a_judge_that_is_out_or_left_out_takes_no_verdict_away(suite: Suite) -> None:
    suite.run(STERN, RESULTS)
    before = records(suite)
    is_out(suite, really=True)
    suite.run(KIND, RESUME).assert_outcomes(errors=1)
    result = suite.run(RESUME)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    line = "*: judge was 'my:stern', is not set (light.scenario.yaml::light)*"
    result.stderr.fnmatch_lines([line])
    assert records(suite) == before


@pytest.mark.parametrize("change", ["agent", "scenario"])
def test_what_an_outage_left_is_played_again_where_it_is_another_one(
    suite: Suite, change: str
) -> None:
    is_out(suite, really=True)
    suite.run(KIND, RESULTS).assert_outcomes(errors=1)
    is_out(suite, really=False)
    count(suite, "played")
    if change == "agent":
        suite.conftest(
            AGENT.replace("def agent(messages", "def other(messages").replace(
                "return agent", "return other"
            )
        )
    else:
        suite.write("light.scenario.yaml", LIGHT.replace("the light.", "the lamp."))
    suite.run(KIND, RESUME).assert_outcomes(passed=1)
    assert count(suite, "played") == 1
    assert len(records(suite)) == 1


def test_a_cassette_keeps_the_conversation_that_an_outage_left(suite: Suite) -> None:
    is_out(suite, really=True)
    suite.run(KIND, "--sandbox-record=new").assert_outcomes(errors=1)
    is_out(suite, really=False)
    count(suite, "played")
    (cassette,) = suite.path.glob("cassettes/*/*.yaml")
    assert "to: judge" not in cassette.read_text()
    suite.run(KIND, RESULTS, "--sandbox-record=new").assert_outcomes(passed=1)
    assert count(suite, "played") == 0
    suite.conftest(AGENT.replace('"Es werde', '"No: es werde'))
    suite.run(KIND, "--sandbox-record=replay").assert_outcomes(passed=1)
    assert count(suite, "kind") == 2  # in the outage, and after it
    assert cassette.read_text().count("to: judge") == 1


def test_a_cassette_keeps_the_conversation_for_another_judge(suite: Suite) -> None:
    suite.run(KIND, RESULTS, "--sandbox-record=new").assert_outcomes(passed=1)
    (cassette,) = suite.path.glob("cassettes/*/*.yaml")
    recorded = cassette.read_text()
    assert count(suite, "played") == 1
    result = suite.run(STERN, "--sandbox-record=replay")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["request 1 to the judge is not recorded: judge differs from *"])
    is_out(suite, really=True)
    suite.run(STERN, "--sandbox-record=new").assert_outcomes(errors=1)
    assert cassette.read_text() == recorded
    is_out(suite, really=False)
    suite.run(STERN, "--sandbox-record=new").assert_outcomes(failed=1)
    assert count(suite, "played") == 0
    assert cassette.read_text().count("to: judge") == 1
    suite.run(STERN, "--sandbox-record=replay").assert_outcomes(failed=1)


def test_a_resumed_run_judges_by_its_cassettes(suite: Suite) -> None:
    suite.run(RESULTS, "--sandbox-record=new").assert_outcomes(passed=1)
    result = suite.run(KIND, RESUME, "--sandbox-record=replay")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["request 1 to the judge is not recorded: *"])
    assert count(suite, "kind") == 0
    suite.run(KIND, RESUME, "--sandbox-record=new").assert_outcomes(passed=1)
    assert (count(suite, "played"), count(suite, "kind")) == (1, 1)
    suite.run(KIND, "--sandbox-record=replay").assert_outcomes(passed=1)
    assert (count(suite, "played"), count(suite, "kind")) == (0, 0)


def test_a_recording_is_whole_in_which_no_judge_was_asked(
    suite: Suite, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    suite.conftest("")
    suite.write("idle.scenario.yaml", IDLE)
    monkeypatch.chdir(suite.path)
    agent = ("--agent=counterexample", "--sandbox-trials=2", KIND)
    suite.run(*agent, "--sandbox-record=new").assert_outcomes(passed=1, failed=1)
    capsys.readouterr()
    assert main(["cassettes", ".", "--check"]) == 0, capsys.readouterr().out
    suite.run(*agent, "--sandbox-record=replay").assert_outcomes(passed=1, failed=1)
    assert count(suite, "kind") == 2


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_trials_that_a_run_has_spared_are_played_where_a_judge_decides(
    suite: Suite, workers: str
) -> None:
    run = suite.run if workers == "-n0" else suite.run_apart
    two = ("--sandbox-trials=2", "--sandbox-pass=any", workers)
    result = run(*two, RESULTS)
    result.assert_outcomes(passed=1)
    again = (*two, "--sandbox-resume=results.jsonl", "--sandbox-results=results-judged.jsonl")
    result.stdout.fnmatch_lines([f"  pytest *{' '.join(again)} --sandbox-judge=MODEL"])
    assert count(suite, "played") == 1

    result = run("--sandbox-rejudge=results.jsonl", STERN, workers)
    result.assert_outcomes(errors=1)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    few = "undecided: 0 of 1 stored trial passed, 1 of 2 must; --sandbox-resume plays the others"
    why = "the records have too few trials for a verdict, --sandbox-resume plays the others; "
    result.stdout.fnmatch_lines([few, f"{why}1 of 1 item unfinished (1 trial)"])
    assert "stopped" not in result.stdout.str()
    result = run("--sandbox-rejudge=results.jsonl", "--sandbox-results=facts.jsonl", workers)
    assert "--sandbox-judge=MODEL (docs/judge.md)" in result.stdout.str()
    assert "  pytest " not in result.stdout.str()

    run(*again, STERN).assert_outcomes(failed=1)
    assert count(suite, "played") == 1
    judged = records(suite, "results-judged.jsonl")
    assert [(record["trial"], record["outcome"]) for record in judged] == [
        (1, "failed"),
        (2, "failed"),
    ]


SLOW = """
import time
from types import SimpleNamespace
from pytest_toolsandbox import Opinion
from pytest_toolsandbox.models import usage as budget

now = [time.monotonic()]
budget.time = SimpleNamespace(monotonic=lambda: now[0])


def judge(question):
    now[0] += 40
    return Opinion("right")
"""


def test_what_is_judged_longer_than_the_budget_does_not_pass(suite: Suite) -> None:
    """By a clock that stands still until the judge is asked."""
    suite.run(RESULTS)
    suite.write("slow.py", SLOW)
    again = ("--sandbox-rejudge=results.jsonl", "--sandbox-judge=slow:judge")
    result = suite.run_apart(*again, "--sandbox-max-time=30")
    result.assert_outcomes(passed=1)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["budget: 40.0 s were used, more than --sandbox-max-time=30: *"])
    assert suite.run_apart(*again, "--sandbox-max-time=50").ret == pytest.ExitCode.OK
