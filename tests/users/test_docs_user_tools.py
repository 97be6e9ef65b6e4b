"""The conversation of docs/user-tools.md is the one that its scenario has."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pytest_toolsandbox.authoring.proof.played_solution import played
from pytest_toolsandbox.output.pages.messages import transcript
from pytest_toolsandbox.protocols import read_file
from pytest_toolsandbox.records.conversation import conversation_fields
from pytest_toolsandbox.worlds import world as worlds

PAGE = Path(__file__).parents[2].joinpath("docs", "user-tools.md").read_text(encoding="utf-8")
CODE, SCENARIO, DIALOGUE = re.findall(r"^```\w*\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)[:3]


def test_the_dialogue_is_that_of_the_scenario(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worlds, "_registered", dict(worlds._registered))
    exec(compile(CODE, "conftest.py", "exec"), {"__name__": "conftest"})
    (scenario,) = read_file(SCENARIO.encode(), "page", "roaming")
    trajectory = played(scenario, scenario.solutions["asks"])
    fields = conversation_fields(trajectory)
    assert [*transcript(fields)] == DIALOGUE.splitlines()  # type: ignore[arg-type]
