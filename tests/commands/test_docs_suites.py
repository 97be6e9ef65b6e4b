"""What the page about the shipped suites says is so."""

from __future__ import annotations

import re
import shlex
from functools import cache
from pathlib import Path
from statistics import mean

import pytest
from desk import Suite
from shipped import shipped

from pytest_toolsandbox.__main__ import main
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.plugin.collection import files
from pytest_toolsandbox.protocols import load_file
from pytest_toolsandbox.suites import suites

PAGE = (Path(__file__).parents[2] / "docs" / "suites.md").read_text(encoding="utf-8")
COMMANDS = [line.partition(" #")[0] for line in re.findall(r"^\$ (.*)$", PAGE, re.MULTILINE)]


def arguments(command: str) -> list[str]:
    """Return what a shell makes of a command, but for the program."""
    path = shlex.quote(str(suites()["phone"]))
    return shlex.split(command.replace('"$(toolsandbox suites phone)"', path))[1:]


@cache
def read_once(path: Path) -> list[Scenario]:
    return load_file(path)


@pytest.fixture
def loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Which files a command selects is tested, and not what is in them: each is read once."""
    monkeypatch.setattr(files, "load_file", lambda path, **_: read_once(path))


@pytest.mark.usefixtures("loaded")
@pytest.mark.parametrize("command", [line for line in COMMANDS if line.startswith("pytest ")])
def test_the_commands_collect_what_they_say(pytester: pytest.Pytester, command: str) -> None:
    given = [argument for argument in arguments(command) if not argument.startswith("--sandbox")]
    if "-n" in given:
        del given[given.index("-n") :][:2]
    collecting = {"--collect-only", "-q"} - {*given}
    result = Suite(pytester).run(*given, *collecting, "-p", "no:cacheprovider")
    found = [line for line in result.outlines if "::" in line]
    assert result.ret == 0
    assert found
    folder = "single_tool_call/" if "single_tool_call" in command else ""
    assert all(line.startswith(f"scenarios/phone/{folder}") for line in found)


@pytest.mark.usefixtures("pytester")
def test_the_other_commands_do_what_they_say(capsys: pytest.CaptureFixture[str]) -> None:
    (stats,) = [line for line in COMMANDS if line.startswith("toolsandbox stats")]
    assert main(arguments(stats)) == 0
    out = capsys.readouterr().out
    assert "mean turns" in out
    assert "mean tool calls" in out


def test_the_table_lists_the_suites() -> None:
    assert re.findall(r"^\| `scenarios/(\w+)` \|", PAGE, re.MULTILINE) == list(suites())


def test_a_scenario_takes_about_four_requests() -> None:
    """A step of a solution is a message of the agent, which a model is asked for."""
    steps = [len(next(iter(scenario.solutions.values()))) for scenario in shipped("phone")]
    assert round(mean(steps)) == 4
    assert "A phone scenario that goes well takes about four requests" in " ".join(PAGE.split())
