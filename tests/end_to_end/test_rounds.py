"""``--sandbox-trials=auto``: as many trials as decide, and no more."""

from __future__ import annotations

from collections import Counter

import pytest
from desk import LIGHT, Suite

from pytest_toolsandbox.__main__ import main

NAMES = [f"lamp_{number:02}" for number in range(12)]
MANY = LIGHT + "\nscenarios:\n" + "".join(f"  {name}: {{}}\n" for name in NAMES)
RESULTS = "--sandbox-results=results.jsonl"
AUTO = ("--sandbox-baseline=baseline.jsonl", "--sandbox-trials=auto", "--sandbox-margin=0.3")
AGENT = """
import threading
from collections import Counter
from pytest_toolsandbox.models.errors import ProviderError
played, lock = Counter(), threading.Lock()

@pytest.fixture(scope={scope!r})
def agent({fixture}):
    def played_by(messages, tools):
        if messages[-1]["role"] == "tool":
            return "The lamp is on."
        with lock:
            played["all"] += 1
            count = played["all"]
        {fails}
        function = {{"name": "switch_lamp", "arguments": '{{"on": true}}'}}
        return {{"content": None, "tool_calls": [{{"id": "1", "function": function}}]}}
    return played_by
"""
"""An agent that counts its conversations, and fails some of them."""
TWO = "if count % 12 in (0, 1): return 'Not today.'"
"""Two of twelve, as often as in the baseline, but always the same ones."""
OPEN = "--sandbox-margin=0.12"
"""A margin that one trial of each does not prove."""

BASELINES: list[str] = []
"""What ``grown`` has made, once."""


@pytest.fixture
def grown(suite: Suite, capsys: pytest.CaptureFixture[str]) -> Suite:
    """Twelve scenarios, and a baseline in which two of them failed each day, in turn."""
    suite.write("many.scenario.yaml", MANY)
    if BASELINES:
        suite.write("baseline.jsonl", BASELINES[0])
        return suite
    for day in range(1, 11):
        agent(suite, f"if count % 12 in ({day}, {day + 1}): return 'Not today.'")
        suite.run(RESULTS, "--sandbox-overwrite")
        assert main(["baseline", "add", "results.jsonl", f"--date=2025-03-{day:02}"]) == 0
    (suite.path / "results.jsonl").unlink()
    BASELINES.append((suite.path / "baseline.jsonl").read_text())
    capsys.readouterr()
    return suite


def agent(suite: Suite, fails: str = "pass", scope: str = "session") -> None:
    suite.conftest(AGENT.format(fails=fails, scope=scope, fixture=""))


def rounds(result: pytest.RunResult) -> list[str]:
    return [line for line in result.outlines if line.startswith("toolsandbox: inconclusive")]


def trials(suite: Suite) -> Counter[int]:
    played = (record for record in suite.records() if record["outcome"] != "not_run")
    return Counter(record["trial"] for record in played)


def test_what_is_clear_is_not_played_twice(grown: Suite) -> None:
    agent(grown, "return 'Not today.'")
    result = grown.run(*AUTO, RESULTS)
    result.assert_outcomes(failed=12)
    assert rounds(result) == []
    result.stdout.fnmatch_lines("baseline: worse: *")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert trials(grown) == {1: 12}


@pytest.mark.parametrize("options", [(), ("--sandbox-concurrency=4",)])
@pytest.mark.parametrize("scope", ["session", "function"])
def test_what_is_open_is_played_on(grown: Suite, options: tuple[str, ...], scope: str) -> None:
    agent(grown, TWO, scope)
    result = grown.run(*AUTO, RESULTS, OPEN, *options)
    lines = rounds(result)
    assert lines[0] == "toolsandbox: inconclusive after 1 trial of each scenario; playing on to 2"
    last = int(lines[-1].rpartition(" ")[2])
    played = trials(grown)
    assert played == dict.fromkeys(range(1, last + 1), 12)
    assert sum(record["outcome"] == "failed" for record in grown.records()) == 2 * last
    result.stdout.fnmatch_lines("all scenarios * 12 *")
    assert len(grown.records()) == 12 * last


def test_an_outage_of_a_later_round_fails_nothing_and_other_errors_do(grown: Suite) -> None:
    agent(grown, f"if count == 15: raise ProviderError('closed')\n        {TWO}")
    result = grown.run(*AUTO, RESULTS, OPEN)
    result.assert_outcomes(passed=10, failed=2)
    assert result.ret == pytest.ExitCode.OK
    assert "error" in {record["outcome"] for record in grown.records()}
    agent(grown, f"if count == 15: raise AgentError('closed')\n        {TWO}")
    result = grown.run(*AUTO, OPEN)
    result.assert_outcomes(passed=10, failed=2, errors=1)
    assert result.ret == pytest.ExitCode.TESTS_FAILED


def test_a_run_that_is_stopped_plays_no_more(grown: Suite) -> None:
    agent(grown, "if count == 2: return 'Not today.'")
    result = grown.run(*AUTO, RESULTS, "-x", OPEN)
    assert rounds(result) == []
    assert trials(grown) == {1: 2}


def test_those_in_quarantine_are_played_once(grown: Suite) -> None:
    grown.write("many.scenario.yaml", MANY.replace("lamp_00: {}", "lamp_00: {quarantine: old}"))
    agent(grown, TWO)
    grown.run(*AUTO, RESULTS, OPEN)
    played = Counter(record["scenario"] for record in grown.records())
    assert played["lamp_00"] == 1
    assert played["lamp_01"] > 1


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ((), "it plays until a baseline decides; give --sandbox-baseline=FILE"),
        (
            ("--sandbox-baseline=baseline.jsonl", "-n2"),
            (
                "it looks at all scenarios after each round, which -n cannot; leave -n out, "
                "conversations are held at the same time without it"
            ),
        ),
    ],
)
def test_what_cannot_be_meant(grown: Suite, options: tuple[str, ...], text: str) -> None:
    result = grown.run("--agent=oracle", "--sandbox-trials=auto", *options)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert result.errlines[0] == f"ERROR: --sandbox-trials=auto: {text}"


def test_a_budget_ends_the_rounds(grown: Suite) -> None:
    agent(grown, TWO)
    conftest = grown.path / "conftest.py"
    usage = '"usage": {"prompt_tokens": 10, "completion_tokens": 0}, "content": None, "tool_calls"'
    conftest.write_text(conftest.read_text().replace('"content": None, "tool_calls"', usage))
    result = grown.run(*AUTO, OPEN, RESULTS, "--sandbox-max-tokens=150")
    assert len(rounds(result)) == 1
    assert trials(grown)[1] == 12
    assert 0 < trials(grown)[2] < 12
    result.stdout.fnmatch_lines("*--sandbox-max-tokens*; * items not run")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
