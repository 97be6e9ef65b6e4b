"""``toolsandbox suites``, and what docs/suites.md says of the bundled suites."""

from __future__ import annotations

import re
import shlex
from functools import cache
from pathlib import Path
from statistics import mean

import pytest
from command_line import Run
from desk import Suite
from shipped import shipped

from pytest_toolsandbox import suites
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.plugin.collection import files
from pytest_toolsandbox.protocols import load_file

TWO = """
world: phone
user: {opening: Hello}
milestones: {told: {says: {mentions: hello}}}
scenarios: {morning: {}, evening: {}}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the suites ``talk``, with two files, and ``nothing``."""
    package = tmp_path / "with space" / "pytest_toolsandbox"
    monkeypatch.setattr(suites, "__file__", str(package / "suites.py"))
    for name in ("talk/one/two.scenario.yaml", "talk/three.scenario.yaml", "nothing/read.me"):
        file = package / "scenarios" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(TWO)
    return package / "scenarios"


def test_lists_the_suites(folder: Path, run: Run) -> None:
    assert run("suites").lines == [
        f"nothing  0 files  0 scenarios  {folder}/nothing",
        f"talk     2 files  4 scenarios  {folder}/talk",
    ]
    assert run("suites", "talk") == (0, f"{folder}/talk\n", "")
    (folder / "talk" / "three.scenario.yaml").write_text("world: phnoe")
    status, _, errors = run("suites")
    assert (status, "unknown world 'phnoe'; did you mean 'phone'?" in errors) == (1, True)


def test_lists_what_comes_with_this_package(run: Run) -> None:
    status, out, _ = run("suites")
    path = re.escape(str(suites.suites()["phone"]))
    assert status == 0
    assert re.search(rf"^phone +\d+ files  \d+ scenarios  {path}$", out, re.MULTILINE)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("name", "hint"),
    [("tlak", "; did you mean 'talk'?"), ("office", ""), ("../scenarios", "")],
)
def test_an_unknown_suite(name: str, hint: str, run: Run) -> None:
    """The message is on stderr, where the shell's ``$(…)`` leaves it for the user to see."""
    message = f"unknown suite '{name}'{hint} (allowed: nothing, talk)\n"
    assert run("suites", name) == (1, "", message)


PAGE = (Path(__file__).parents[2] / "docs" / "suites.md").read_text(encoding="utf-8")
COMMANDS = [line.partition(" #")[0] for line in re.findall(r"^\$ (.*)$", PAGE, re.MULTILINE)]


def arguments(command: str) -> list[str]:
    """Return what a shell makes of a command, but for the program."""
    path = shlex.quote(str(suites.suites()["phone"]))
    return shlex.split(command.replace('"$(toolsandbox suites phone)"', path))[1:]


@cache
def read_once(path: Path) -> list[Scenario]:
    return load_file(path)


@pytest.mark.parametrize("command", [line for line in COMMANDS if line.startswith("pytest ")])
def test_the_commands_of_the_page_collect_what_they_say(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    """Which files a command selects is tested, and not what is in them: each is read once."""
    monkeypatch.setattr(files, "load_file", lambda path, **_: read_once(path))
    options = [argument for argument in arguments(command) if not argument.startswith("--sandbox")]
    if "-n" in options:
        del options[options.index("-n") :][:2]
    collecting = {"--collect-only", "-q"} - {*options}
    result = Suite(pytester).run(*options, *collecting, "-p", "no:cacheprovider")
    items = [line for line in result.outlines if "::" in line]
    assert result.ret == 0
    assert items
    folder = "single_tool_call/" if "single_tool_call" in command else ""
    assert all(line.startswith(f"scenarios/phone/{folder}") for line in items)


@pytest.mark.usefixtures("pytester")
def test_the_other_commands_of_the_page(run: Run) -> None:
    (stats,) = [line for line in COMMANDS if line.startswith("toolsandbox stats")]
    status, out, _ = run(*arguments(stats))
    assert (status, "mean turns" in out, "mean tool calls" in out) == (0, True, True)


def test_the_page_lists_the_suites_and_says_how_long_they_take() -> None:
    """A step of a solution is a message of the agent, which a model is asked for."""
    assert re.findall(r"^\| `scenarios/(\w+)` \|", PAGE, re.MULTILINE) == list(suites.suites())
    steps = [len(next(iter(scenario.solutions.values()))) for scenario in shipped("phone")]
    assert round(mean(steps)) == 4
    assert "A phone scenario that goes well takes about four requests" in " ".join(PAGE.split())
