"""What a run tells the summary of a step of CI."""

from __future__ import annotations

import pytest
from desk import LIGHT, Suite


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
