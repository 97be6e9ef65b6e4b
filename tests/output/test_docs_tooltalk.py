"""What the page about recorded conversations shows is what happens."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from desk import Suite, section

from pytest_toolsandbox.language import models

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "tooltalk.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
(SCENARIO,) = (text for language, text in BLOCKS if language == "yaml")
FAILURE, TABLE, SHOWN = (text for language, text in BLOCKS if language == "text")
SEVEN = """
def seven(messages, tools):
    if messages[-1]["role"] == "user":
        function = {"name": "AddAlarm", "arguments": '{"time": "07:00:00"}'}
        return {"content": None, "tool_calls": [{"id": "1", "function": function}]}
    return "Done."
"""


@pytest.fixture
def office(suite: Suite) -> Suite:
    suite.write("scenarios/half_past_six.scenario.yaml", SCENARIO)
    suite.write("mine.py", SEVEN)
    return suite


def test_the_page_and_the_table(office: Suite) -> None:
    office.run("--agent=oracle", "scenarios").assert_outcomes(passed=1)
    result = office.run("--agent=mine:seven", "scenarios")
    assert section(result, "half_past_six") == FAILURE.rstrip()
    assert TABLE in result.stdout.str()


def test_each_kind_of_tools_shown_has_a_row(office: Suite) -> None:
    (kinds,) = re.findall(r"--sandbox-augment=(\w+(?:,\w+)+) ", PAGE)
    result = office.run("--agent=oracle", f"--sandbox-augment={kinds}", "scenarios")
    assert SHOWN in result.stdout.str()
    assert set(kinds.split(",")) == set(
        re.findall(r"^\| `\w+` \| `(\w+_tools\w*)` \|$", PAGE, re.MULTILINE)
    )


def test_every_key_is_named() -> None:
    keys = {*models.ConversationDocument.model_fields, *models.SessionDocument.model_fields}
    assert keys <= set(re.findall(r"`(\w+)", PAGE))
