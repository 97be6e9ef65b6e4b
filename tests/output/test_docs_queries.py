"""What the pages about queries and error patterns show is what happens."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from desk import Suite, section

from pytest_toolsandbox.__main__ import main
from pytest_toolsandbox.calls.faults import no_call_feedback
from pytest_toolsandbox.calls.text_format import REACT, read_call_text
from pytest_toolsandbox.conversation.environment import NO_CALL
from pytest_toolsandbox.language import models

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "queries.md").read_text(encoding="utf-8")
PATTERNS = (DOCS / "error-patterns.md").read_text(encoding="utf-8")


def blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)


FAILURE, TABLE, CALL, RESULT, THOUGHT = blocks(PAGE, "text")
ARMS, _ = blocks(PATTERNS, "text")


@pytest.fixture
def numbers(suite: Suite) -> Suite:
    suite.write("scenarios/numbers.scenario.yaml", blocks(PAGE, "yaml")[0])
    suite.write("mine.py", blocks(PAGE, "python")[0])
    return suite


def test_the_page_and_the_table(numbers: Suite) -> None:
    numbers.run("--agent=oracle", "scenarios").assert_outcomes(passed=3)
    numbers.run("--agent=oracle:by_name", "scenarios").assert_outcomes(passed=3)
    numbers.run("--agent=counterexample", "scenarios").assert_outcomes(failed=3)
    result = numbers.run("--agent=mine:hasty", "scenarios")
    assert section(result, "sister_and_a_taxi") == FAILURE.rstrip()
    assert TABLE in result.stdout.str()


def test_the_arms(numbers: Suite) -> None:
    result = numbers.run("--agent=mine:hasty", "--sandbox-feedback=on,off", "scenarios")
    assert ARMS in result.stdout.str()


def test_calls_in_text(numbers: Suite) -> None:
    found = read_call_text(CALL, must_call=True)
    assert found is not None
    assert found.calls == (("search_contacts", '{"relationship": "sister"}'),)
    seen = "def seeing(messages, tools):\n    print(messages[-1]['content'])\n    return "
    numbers.write("mine.py", f"{seen}{CALL.strip()!r}\n")
    result = numbers.run("--agent=mine:seeing", "--sandbox-call-format=text", "-s", "scenarios")
    assert RESULT in result.stdout.str()
    assert f"`{no_call_feedback()}`" in PAGE
    assert f"`{NO_CALL}`" in PAGE


def test_the_other_layouts() -> None:
    found = read_call_text(THOUGHT, must_call=True, text_format=REACT)
    assert found is not None
    assert found.calls == (("search_contacts", '{"relationship": "sister"}'),)
    layouts = (
        "**Action:** weigh with **Action Input:** {…}",
        "Action: [weigh] with Action Input: [{…}]",
    )
    for shown in layouts:
        assert shown in " ".join(PAGE.split())
        read = read_call_text(shown.replace("…", ""), must_call=True)
        assert read is not None
        assert read.calls == (("weigh", "{}"),)


def test_every_key_is_named() -> None:
    assert set(models.QueryDocument.model_fields) <= set(re.findall(r"`(\w+)", PAGE))


def test_the_proof(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    command, shown = blocks(PAGE, "console")[-1].split("\n", 1)
    monkeypatch.chdir(DOCS.parent)
    assert main(command.split()[2:]) == 0
    assert capsys.readouterr().out == shown
