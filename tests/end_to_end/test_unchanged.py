"""A verdict is used again where nothing changed that it depends on."""

from __future__ import annotations

import pytest
from desk import LIGHT, WORLD, Suite

from pytest_toolsandbox.__main__ import main

pytestmark = pytest.mark.any_pytest

NAMES = [f"lamp_{number:02}" for number in range(12)]
MANY = LIGHT + "\nscenarios:\n" + "".join(f"  {name}: {{}}\n" for name in NAMES)
GATED = ("--agent=oracle", "--sandbox-baseline=baseline.jsonl", "--sandbox-margin=0.4")
AGAIN = (
    "baseline: no worse: the drop is smaller than the margin of 0.4 "
    "(as before: nothing changed that the verdict depends on)"
)


@pytest.fixture
def judged(suite: Suite) -> Suite:
    """A suite that was no worse than its baseline, whose agent is two files."""
    suite.write("many.scenario.yaml", MANY)
    suite.write("prompts/one.md", "Be kind.")
    suite.write("loop.py", "WAIT = 1")
    suite.run("--agent=oracle", "--sandbox-results=results.jsonl")
    assert main(["baseline", "add", "results.jsonl"]) == 0
    suite.ini("sandbox_agent_files =", "    loop.py", "    prompts/**/*.md")
    suite.run(*GATED).assert_outcomes(passed=12)
    return suite


@pytest.mark.parametrize("option", ["-n0", "-n1"])
def test_nothing_is_played_and_the_verdict_stands(judged: Suite, option: str) -> None:
    result = judged.run_apart(*GATED, option, "--junitxml=junit.xml")
    result.assert_outcomes(skipped=12)
    assert result.ret == pytest.ExitCode.OK
    assert AGAIN in result.outlines
    assert judged.junit()[0]["toolsandbox.verdict"] == "no worse"


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("loop.py", "WAIT = 2"),
        ("prompts/two.md", "Be brief."),
        ("many.scenario.yaml", MANY.replace("Turn on", "Switch on")),
        ("conftest.py", WORLD.replace("Switch the lamp.", "Light the lamp.")),
    ],
)
def test_any_change_is_played(judged: Suite, path: str, text: str) -> None:
    judged.write(path, text)
    judged.run(*GATED).assert_outcomes(passed=12)


@pytest.mark.parametrize(
    "options",
    [["--sandbox-margin=0.5"], ["-k", "lamp_0"], ["--cache-clear"], ["--sandbox-trials=2"]],
)
def test_any_other_run_is_played(judged: Suite, options: list[str]) -> None:
    result = judged.run(*GATED, *options)
    assert AGAIN not in result.outlines
    assert result.parseoutcomes().get("skipped") is None


def test_a_dry_run_knows_that_nothing_is_played(judged: Suite) -> None:
    for played in ("0 conversations of 0 of", "12 conversations of"):
        result = judged.run(*GATED, "--sandbox-dry-run")
        assert f"dry run: {played} 12 items would be played" in result.outlines
        judged.write("loop.py", "WAIT = 2")
    judged.run(*GATED).assert_outcomes(passed=12)
    judged.write("loop.py", "WAIT = 1")  # a change that is taken back needs no run
    judged.run(*GATED).assert_outcomes(skipped=12)


def test_a_bad_verdict_is_never_kept(judged: Suite) -> None:
    worse = ("--agent=counterexample", *GATED[1:])
    for _ in range(2):
        judged.run(*worse).assert_outcomes(failed=12)


def test_a_pattern_without_files_is_a_mistake(judged: Suite) -> None:
    judged.ini("sandbox_agent_files = nowhere/*.py")
    result = judged.run(*GATED)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines("ERROR: sandbox_agent_files: no file is named nowhere/[*].py")
