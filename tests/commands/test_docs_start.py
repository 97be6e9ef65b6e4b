"""What the page about a start of one's own shows is what the program does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pytest_toolsandbox.__main__ import main
from pytest_toolsandbox.commands.init import COMMANDS

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "start.md").read_text(encoding="utf-8")


@pytest.mark.usefixtures("pytester")
def test_the_page_shows_what_the_command_prints(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["init"]) == 0
    assert f"$ toolsandbox init\n{capsys.readouterr().out}```" in PAGE


def test_the_steps_name_the_commands() -> None:
    commands = set(re.findall(r"`((?:pytest|toolsandbox) [^`]*)`", PAGE))
    assert commands == {*COMMANDS, "pytest scenarios/ --agent=claude", "toolsandbox init DIR"}
