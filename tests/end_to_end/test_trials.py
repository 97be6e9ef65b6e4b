"""Scenarios that are played several times."""

from __future__ import annotations

import pytest
from desk import LIGHT, Suite, section

AGENT = """
@pytest.fixture
def agent(agent):
    played = []
    def agent_of_the_day(messages, tools):
        if len(messages) == 2:
            played.append(1)
        if len(played) in {fails}:
            return "Not today."
        if len(played) in {raises}:
            raise AgentError("closed")
        return agent(messages, tools)
    return agent_of_the_day
"""


def trials(suite: Suite, fails: str = "()", raises: str = "()") -> None:
    suite.conftest(AGENT.format(fails=fails, raises=raises))
    suite.write("light.scenario.yaml", f"trials: 3\n{LIGHT}")


OPTIONS = ("--agent=oracle", "--sandbox-results=results.jsonl", "--junitxml=junit.xml")


def test_all_must_pass(suite: Suite) -> None:
    trials(suite)
    result = suite.run(*OPTIONS)
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines("all scenarios * 1 * 1 * 0 * 0 * 1.000 * 4.0 * 1.0")
    assert [(r["trial"], r["outcome"]) for r in suite.records()] == [
        (1, "passed"),
        (2, "passed"),
        (3, "passed"),
    ]


def test_one_that_fails_is_enough(suite: Suite) -> None:
    trials(suite, fails="(2,)")
    result = suite.run(*OPTIONS)
    result.assert_outcomes(failed=1)
    assert section(result, "light").startswith(
        "1 of 3 trials failed; trial 2: score 0.00 of 1: missed light_on, user_told (0 of 2 "
        "milestones reached)\n"
    )
    result.stdout.fnmatch_lines("all scenarios * 1 * 0 * 1 * 0 * 0.667 * 3.3 * 0.7")
    assert [r["scores"]["score"] for r in suite.records()] == [1.0, 0.0, 1.0]
    _, cases = suite.junit()
    assert cases["light"] == {
        "score": "0.666667",
        "milestone_score": "0.666667",
        "minefield_score": "0.0",
        "turn_count": "3.333333",
        "tool_calls": "0.666667",
        "categories": "single_tool_call,single_user_turn",
        **dict.fromkeys(("RAC", "IAV", "IFE", "IAT", "IAN", "IFN", "IAV.lowest"), "1.0"),
        **dict.fromkeys(("IAC", "IAC.lowest"), "0.977778"),  # one call of three trials' fifteen
        "findings": "1\N{MULTIPLICATION SIGN} IAC switch_lamp",
    }


def test_trials_with_the_same_page_share_it(suite: Suite) -> None:
    trials(suite, fails="(1, 3)")
    page = section(suite.run(*OPTIONS), "light")
    assert page.startswith("2 of 3 trials failed; trials 1, 3: score 0.00 of 1: missed light_on")
    assert page.count("Not today.") == 2  # as a difference, and in the conversation


def test_an_error_of_one_is_an_error_of_all(suite: Suite) -> None:
    trials(suite, fails="(1,)", raises="(2,)")
    result = suite.run(*OPTIONS)
    result.assert_outcomes(errors=1)
    assert section(result, "ERROR at setup of light").startswith(
        "1 of 3 trials could not be scored, 1 of 3 trials failed; trial 2: closed\n"
    )
    page = section(result, "ERROR at setup of light")
    assert "\n\ntrial 1: score 0.00 of 1: missed light_on, user_told (0 of 2 " in page
    assert page.endswith("\n\ntrial 3: passed")
    result.stdout.fnmatch_lines("all scenarios * 1 * 0 * 0 * 1 * n/a * n/a * n/a")
    assert [(r["trial"], r["outcome"]) for r in suite.records()] == [
        (1, "failed"),
        (2, "error"),
        (3, "passed"),
    ]
    _, cases = suite.junit()
    assert "score" not in cases["light"]


@pytest.mark.parametrize("raises", ["(1,)", "(2,)", "(3,)"])
def test_an_error_of_any_is_no_failure_that_was_expected(suite: Suite, raises: str) -> None:
    trials(suite, raises=raises)
    suite.write("light.scenario.yaml", f"marks: [xfail]\ntrials: 3\n{LIGHT}")
    suite.run("--agent=oracle").assert_outcomes(errors=1)


@pytest.mark.parametrize(
    ("ends", "raised"),
    [
        ("pytest.fail('took too long')", "Failed: took too long"),
        ("pytest.skip('closed')", "Skipped: closed"),
    ],
)
def test_finished_trials_stay_where_a_later_one_ends_the_item(
    suite: Suite, ends: str, raised: str
) -> None:
    trials(suite, fails="(1,)", raises="(3,)")
    conftest = suite.path / "conftest.py"
    conftest.write_text(conftest.read_text().replace('raise AgentError("closed")', ends))
    result = suite.run(*OPTIONS)
    result.assert_outcomes(errors=1)
    records = suite.records()
    assert [record["outcome"] for record in records] == ["failed", "passed", "error"]
    assert records[2]["reason"].startswith(f"the agent raised {raised} (conftest.py:")


@pytest.mark.parametrize("count", ["0", "1.5", "many"])
def test_how_often(suite: Suite, count: str) -> None:
    suite.write("light.scenario.yaml", f"trials: {count}\n{LIGHT}")
    suite.run("--agent=oracle").assert_outcomes(errors=1)
