"""Scenarios that are played and reported, and gate nothing."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from desk import LIGHT, Suite

from pytest_toolsandbox.__main__ import main

TWO = f"""
scenarios:
  sound:
  flaky: {{quarantine: "the lamp is old, see #12"}}
{LIGHT}
"""
FAILS = """
@pytest.fixture
def agent(agent, request):
    def played(messages, tools):
        if request.node.name == {name!r}:
            {does}
        return agent(messages, tools)
    return played
"""


def two(suite: Suite, name: str = "flaky", does: str = "return 'No.'") -> Suite:
    suite.write("two.scenario.yaml", TWO)
    suite.conftest(FAILS.format(name=name, does=does))
    return suite


OPTIONS = ("--agent=oracle", "--sandbox-results=results.jsonl", "--junitxml=junit.xml", "-rx")


@pytest.mark.parametrize(
    ("does", "outcome"),
    [("return 'No.'", "failed"), ("raise AgentError('closed')", "error")],
)
@pytest.mark.parametrize("option", ["-n0", "-n1"])
def test_what_it_does_fails_nothing(suite: Suite, does: str, outcome: str, option: str) -> None:
    two(suite, does=does)
    run = suite.run if option == "-n0" else suite.run_apart
    result = run(*OPTIONS, option, "--sandbox-min-score=1", "-o", "xfail_strict=true")
    result.assert_outcomes(passed=1, xfailed=1)
    assert result.ret == pytest.ExitCode.OK
    result.stdout.fnmatch_lines(
        [
            "all scenarios * 1 * 1 * 0 * 0 * 1.000 *",
            f"quarantine: 1 item in no table and no gate: 1 {outcome}",
            "XFAIL*two.scenario.yaml::flaky - *quarantine: the lamp is old, see #12*",
        ]
    )
    flaky, sound = suite.records()
    assert (flaky["outcome"], flaky["quarantine"]) == (outcome, "the lamp is old, see #12")
    assert "quarantine" not in sound
    properties, cases = suite.junit()
    assert properties["toolsandbox.quarantined"] == properties["toolsandbox.scenarios"] == "1"
    assert cases["flaky"]["quarantine"] == "the lamp is old, see #12"
    (skipped,) = ET.parse(suite.path / "junit.xml").getroot().iter("skipped")
    assert skipped.attrib["type"] == "pytest.xfail"
    assert skipped.attrib["message"] == "quarantine: the lamp is old, see #12"


@pytest.mark.parametrize(
    ("fails", "outcomes", "status"),
    [
        ("none", {"passed": 1, "xpassed": 1}, pytest.ExitCode.OK),
        ("sound", {"failed": 1, "xpassed": 1}, pytest.ExitCode.TESTS_FAILED),
    ],
)
def test_it_may_pass_and_others_fail_as_ever(
    suite: Suite, fails: str, outcomes: dict[str, int], status: pytest.ExitCode
) -> None:
    result = two(suite, name=fails).run(*OPTIONS, "-o", "xfail_strict=true")
    result.assert_outcomes(**outcomes)
    assert result.ret == status
    result.stdout.fnmatch_lines("quarantine: 1 item in no table and no gate: 1 passed")


def test_pytest_can_be_told_to_take_it_as_any_other(suite: Suite) -> None:
    result = two(suite).run(*OPTIONS, "--runxfail")
    result.assert_outcomes(passed=1, failed=1)
    assert result.ret == pytest.ExitCode.TESTS_FAILED


def test_only_quarantine_leaves_a_minimum_unproved(suite: Suite) -> None:
    result = two(suite).run(*OPTIONS, "-k", "flaky", "--sandbox-min-score=0.5")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines("min-score: all scenarios must reach 0.5, but nothing was scored")


def record(number: int, outcome: str, digest: str = "new", **fields: object) -> str:
    about = {"id": "a.yaml::flaky", "world": "desk", "agent": "gpt", "trial": number}
    trial = {"outcome": outcome, "reason": None, "scenario_digest": digest}
    return json.dumps({"record": 2, **about, **trial, "quarantine": "old lamp", **fields}) + "\n"


def test_which_may_leave(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    monday, tuesday = tmp_path / "monday.jsonl", tmp_path / "tuesday.jsonl"
    monday.write_text(
        record(1, "passed", "old")  # the scenario was another one
        + record(1, "failed")
        + record(2, "passed")
        + record(3, "error")  # says nothing of the agent
        + record(1, "passed", id="a.yaml::left", quarantine=None).replace(
            ', "quarantine": null', ""
        )
        + record(1, "passed", id="a.yaml::other", agent="claude")
    )
    tuesday.write_text(record(1, "passed") + record(2, "passed"))
    assert main(["stats", "--quarantine", str(monday), str(tuesday), "--passes=3"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "scenario       agent   because   trials  passed  in a row",
        "a.yaml::flaky  gpt     old lamp       4       3         3  may leave",
        "a.yaml::other  claude  old lamp       1       1         1    2 to go",
        "",
        "3 passes in a row: at most 63% of the conversations fail, with 95 % confidence",
    ]
    assert main(["stats", "--quarantine", str(monday)]) == 0
    table = capsys.readouterr().out
    assert "       2       1         1  19 to go\n" in table
    assert "20 passes in a row: at most 14% of the conversations fail" in table


def test_none_is_in_quarantine(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "results.jsonl"
    line = record(1, "passed").replace(', "quarantine": "old lamp"', "")
    file.write_text(f"{line}torn")
    assert main(["stats", "--quarantine", str(file)]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "no scenario of these records is in quarantine",
        f"1 stored record cannot be used: {file}:2: torn: the run was stopped while it was written",
    ]


def test_the_page_shows_what_is_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = (Path(__file__).parents[2] / "docs" / "trials.md").read_text(encoding="utf-8")
    (block,) = re.findall(
        r"^\$ toolsandbox stats --quarantine .*\n([\s\S]*?)```", page, re.MULTILINE
    )
    file = tmp_path / "results.jsonl"
    outcomes = ("failed", "passed", "passed", "passed")
    flaky = "".join(record(number, outcome) for number, outcome in enumerate(outcomes))
    file.write_text(flaky + record(1, "passed", id="a.yaml::other", agent="claude"))
    assert main(["stats", "--quarantine", str(file), "--passes=3"]) == 0
    assert capsys.readouterr().out == block


@pytest.mark.parametrize("passes", ["0", "-1", "many", "1.5", "10000"])
def test_how_many_passes(passes: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["stats", "--quarantine", "a.jsonl", f"--passes={passes}"])
    assert (
        f"argument --passes: {passes!r} is not a number from 1 to 9999" in capsys.readouterr().err
    )


def test_a_baseline_neither_counts_nor_misses_it(suite: Suite) -> None:
    two(suite, name="none").run(*OPTIONS)
    assert main(["baseline", "add", "results.jsonl", "--date=2025-03-14"]) == 0
    baseline = ("--sandbox-baseline=baseline.jsonl", "--agent=oracle")
    result = two(suite).run(*baseline)
    assert result.ret == pytest.ExitCode.OK
    result.stdout.no_fnmatch_line("*missing*")
