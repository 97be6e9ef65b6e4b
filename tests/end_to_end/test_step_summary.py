"""What a run tells the summary of a step of CI."""

from __future__ import annotations

import re

import pytest
from desk import LIGHT, Suite

from pytest_toolsandbox.__main__ import main


@pytest.fixture
def step(suite: Suite, monkeypatch: pytest.MonkeyPatch) -> Suite:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(suite.path / "summary.md"))
    return suite


def summary_of(step: Suite) -> str:
    return (step.path / "summary.md").read_text(encoding="utf-8")


def test_failures_come_first_and_are_linked(step: Suite, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("SERVER_URL", "https://github.com"), ("REPOSITORY", "a/b"), ("SHA", "c0")):
        monkeypatch.setenv(f"GITHUB_{name}", value)
    monkeypatch.setenv("GITHUB_WORKSPACE", str(step.path))
    step.write("my folder/a.scenario.yaml", LIGHT)
    step.run("--agent=counterexample")
    text = summary_of(step)
    assert text.startswith("### \N{CROSS MARK} 1 of 1 scenario did not pass: 1 failed\n")
    link = "https://github.com/a/b/blob/c0/my%20folder/a.scenario.yaml"
    why = "missed user\\_told (1 of 2 milestones reached); score 0.50 of 1"
    assert f"| failed | [a]({link}) | {why} |\n" in text
    assert text.index("| failed |") < text.index("| all scenarios | 1 | 0 | 1 | 0 | 0.500 |")


WORSE_NOW = """
import pytest
from pytest_toolsandbox.agents.scripted import counterexample, oracle

@pytest.fixture
def agent(request):
    scenario, now = request.node.scenario, request.config.getoption("--sandbox-baseline")
    if scenario.name == "steady" or (now and scenario.name == "none"):
        return counterexample(scenario, "does_nothing")
    return counterexample(scenario) if now else oracle(scenario)
"""


def test_the_most_telling_comes_first(step: Suite) -> None:
    step.write("a.scenario.yaml", f"scenarios: {{half: , none: , steady: }}\n{LIGHT}")
    step.conftest(WORSE_NOW)
    step.run("--sandbox-results=r.jsonl")
    assert main(["baseline", "add", "r.jsonl"]) == 0
    (step.path / "summary.md").unlink()
    step.run("--sandbox-baseline=baseline.jsonl", "--sandbox-html=r.html")
    text = summary_of(step)
    table = "| wrong report | 0 | 33 |\n"
    assert table in text
    assert "| IAC (insufficient API calls) switch\\_lamp | 33 | 67 |\n" in text
    assert "| before | now | p | parts at | scenario |\n| ---: | ---: | ---: | ---: | --- |" in text
    assert "#### what did not pass\n\n| outcome |" in text
    # What broke comes before what had failed before, though that scores no better.
    names = re.findall(r"^\| failed \| (\w+) \|", text, re.MULTILINE)
    assert names == ["none", "half", "steady"]
    assert text.index(table) < text.index("#### most frequent mistakes") < text.index("| failed")
    page = (step.path / "r.html").read_text(encoding="utf-8")
    missed = page.partition('<ul id="missed">')[2].partition("</ul>")[0]
    assert re.findall(r'data-talk="\w+">(\w+)<', missed) == names


def test_it_is_added_to_what_is_there(step: Suite) -> None:
    step.write("summary.md", "before\n")
    step.write("a.scenario.yaml", LIGHT)
    step.run("--agent=oracle")
    assert summary_of(step).startswith("before\n### \N{WHITE HEAVY CHECK MARK} 1 scenario passed\n")
    step.run("--agent=counterexample", "-n1", "--sandbox-min-score=0.9")
    assert "| failed | a | missed user" in summary_of(step)  # without a repository there is no link
    assert "- min-score: all scenarios reached 0.5000, less than 0.9" in summary_of(step)


def test_a_run_of_something_else_says_nothing(step: Suite) -> None:
    step.write("test_a.py", "def test_a(): pass")
    step.run()
    assert not (step.path / "summary.md").exists()


def test_a_file_that_is_full_stays_as_it_is(step: Suite) -> None:
    step.write("summary.md", "x" * 1_000_000)
    step.write("a.scenario.yaml", LIGHT)
    result = step.run("--agent=oracle")
    result.stdout.fnmatch_lines(["GITHUB_STEP_SUMMARY: the file is full, *"])
    assert len(summary_of(step)) == 1_000_000
    assert result.ret == 0
