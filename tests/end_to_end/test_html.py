"""The HTML report and the brief of a run: ``--sandbox-html`` and ``--sandbox-brief``."""

from __future__ import annotations

import re

import pytest
from desk import LIGHT, Suite

from pytest_toolsandbox.__main__ import main
from pytest_toolsandbox.output.brief import LIMIT

pytestmark = pytest.mark.any_pytest

PAGE = "pages/report.html"


def unmarked(page: str) -> str:
    """Return the text of a page without its markup."""
    return re.sub(r"<[^>]*>", "", page)


@pytest.mark.parametrize("option", ["-n0", "-n2"])
def test_a_page_replaces_that_of_an_earlier_run(suite: Suite, option: str) -> None:
    suite.ini(f"sandbox_html = {PAGE}")
    suite.write(PAGE, "old")
    for name in "ab":
        suite.write(f"{name}.scenario.yaml", LIGHT)
    result = suite.run("--agent=counterexample", option)
    result.stdout.fnmatch_lines([f"html: *{PAGE}"])
    text = (suite.path / PAGE).read_text(encoding="utf-8")
    assert "2 items: 2 failed" in text
    assert "missed user_told" in text
    assert str(suite.path) not in text


def test_an_error_of_an_agent_names_no_folder_of_the_machine(suite: Suite) -> None:
    suite.write("a.scenario.yaml", LIGHT)
    suite.conftest(
        """
@pytest.fixture
def agent():
    import pathlib

    return lambda messages, tools: pathlib.Path("prompt.txt").absolute().read_text()
"""
    )
    suite.run(f"--sandbox-html={PAGE}")
    text = (suite.path / PAGE).read_text(encoding="utf-8")
    assert "the agent raised FileNotFoundError" in text
    assert "&#39;prompt.txt&#39;" in text
    assert str(suite.path) not in text


def test_agents_of_a_parametrized_fixture_are_columns(suite: Suite) -> None:
    suite.write("a.scenario.yaml", LIGHT)
    suite.conftest(
        """
@pytest.fixture(params=["says on", "says no"])
def agent(request):
    return lambda messages, tools: request.param
"""
    )
    suite.run(f"--sandbox-html={PAGE}")
    text = (suite.path / PAGE).read_text(encoding="utf-8")
    for name in ("fixture [says on]", "fixture [says no]"):
        assert f'<th scope="col">{name}</th>' in text
    assert "What changed" in text


def test_a_run_that_plays_nothing_leaves_it(suite: Suite) -> None:
    suite.write("test_a.py", "def test_a(): pass")
    suite.write(PAGE, "old")
    suite.run(f"--sandbox-html={PAGE}")
    assert (suite.path / PAGE).read_text() == "old"


@pytest.mark.parametrize("what", ["html", "brief"])
def test_a_page_that_cannot_be_written_fails_the_run(
    what: str, suite: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pytest_toolsandbox.text.files.os.fsync", full)
    suite.write("a.scenario.yaml", LIGHT)
    result = suite.run("--agent=oracle", f"--sandbox-{what}=page")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines([f"{what}: *page cannot be written: No space left on device"])


def test_the_page_begins_with_the_verdict_and_has_the_command(suite: Suite) -> None:
    for name in "abcdefgh":
        suite.write(f"{name}.scenario.yaml", LIGHT)
    suite.run("--agent=oracle", "--sandbox-results=results.jsonl")
    assert main(["baseline", "add", "results.jsonl"]) == 0
    suite.run(
        "--agent=counterexample", f"--sandbox-html={PAGE}", "--sandbox-baseline=baseline.jsonl"
    )
    text = (suite.path / PAGE).read_text(encoding="utf-8")
    banner = text.partition('<section class="gate worse"')[2].partition("</section>")[0]
    assert "The gate says: worse" in banner
    assert "<dt>drop</dt><dd>1.000</dd>" in banner
    assert ">a</a>" in banner
    assert "--agent=counterexample --sandbox-html=pages/report.html" in unmarked(text)


FAILING = """\
# 1 of 3 scenarios passed

## two.scenario.yaml::broken
at two.scenario.yaml:16
```text
the agent raised ZeroDivisionError: division by zero (conftest.py:70)
```
    pytest two.scenario.yaml::broken

## two.scenario.yaml::half
at two.scenario.yaml:17
```text
missed user_told (1 of 2 milestones reached); score 0.50 of 1
milestones
  reached  light_on   1.00  at [3]
  missed   user_told  0.00  nearest at [4]
      - says: expected mentions on, found 'It is dark.' (missing: on)
error patterns: none, but a wrong report
```
    pytest two.scenario.yaml::half
"""
AGENT = """
@pytest.fixture
def agent(request):
    call = {"id": "1", "function": {"name": "switch_lamp", "arguments": '{"on": true}'}}
    def agent(messages, tools):
        if request.node.name == "broken":
            1 / 0
        if messages[-1]["role"] == "user":
            return {"content": None, "tool_calls": [call]}
        return "It is dark." if request.node.name == "half" else "The lamp is on."
    return agent
"""


@pytest.mark.parametrize("option", ["-n0", "-n1"])
def test_what_fails_and_how_to_see_it_again(suite: Suite, option: str) -> None:
    suite.write(
        "two.scenario.yaml", f"{LIGHT}\nscenarios:\n  right: {{}}\n  broken: {{}}\n  half: {{}}\n"
    )
    suite.conftest(AGENT)
    suite.run_apart("--sandbox-brief=brief.md", option)
    assert (suite.path / "brief.md").read_text(encoding="utf-8") == FAILING


def test_a_long_one_is_cut_and_what_broke_comes_first(suite: Suite) -> None:
    names = [f"lamp_{number:02}" for number in range(60)]
    suite.write(
        "many.scenario.yaml", LIGHT + "\nscenarios:\n" + "".join(f"  {n}: {{}}\n" for n in names)
    )
    suite.run("--agent=oracle", "--sandbox-results=results.jsonl", "-k", "lamp_5")
    assert main(["baseline", "add", "results.jsonl"]) == 0
    suite.run(
        "--agent=counterexample", "--sandbox-brief=brief.md", "--sandbox-baseline=baseline.jsonl"
    )
    text = (suite.path / "brief.md").read_text(encoding="utf-8")
    assert len(text.encode()) <= LIMIT
    assert text.startswith("# 0 of 60 scenarios passed\n\n```text\nbaseline: worse: ")
    headings = [line for line in text.splitlines() if line.startswith("## ")]
    assert headings[:10] == [f"## many.scenario.yaml::lamp_{number}" for number in range(50, 60)]
    assert text.splitlines()[-1] == (
        f"{60 - len(headings)} more scenarios did not pass: pytest --lf plays them again"
    )
    assert "    pytest many.scenario.yaml::lamp_50 --agent=counterexample\n" in text


def test_a_failure_names_the_command_that_plays_it_again(suite: Suite) -> None:
    suite.write("a.scenario.yaml", f"scenarios: {{one: , two: }}\n{LIGHT}")
    result = suite.run("--agent=counterexample", "--sandbox-html=r.html")
    again = "pytest a.scenario.yaml::{} --agent=counterexample"
    at = result.outlines.index("play a failure again:")
    assert result.outlines[at + 1] == f"  {again.format('one')}"
    page = (suite.path / "r.html").read_text(encoding="utf-8")
    for name in ("one", "two"):
        assert f" {again.format(name)}\n" in unmarked(page)
    passed = suite.run("--agent=oracle")
    assert "play a failure again:" not in passed.outlines
