"""``toolsandbox suites``: what comes with the package, and where it lies."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pytest_toolsandbox import suites
from pytest_toolsandbox.__main__ import main

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


def test_lists_the_suites(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["suites"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        f"nothing  0 files  0 scenarios  {folder}/nothing",
        f"talk     2 files  4 scenarios  {folder}/talk",
    ]


def test_lists_what_comes_with_this_package(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["suites"]) == 0
    lines = capsys.readouterr().out.splitlines()
    path = re.escape(str(suites.suites()["phone"]))
    assert [
        line for line in lines if re.fullmatch(rf"phone +\d+ files  \d+ scenarios  {path}", line)
    ]


def test_prints_nothing_but_the_path(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["suites", "talk"]) == 0
    assert capsys.readouterr() == (f"{folder}/talk\n", "")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("tlak", "unknown suite 'tlak'; did you mean 'talk'? (allowed: nothing, talk)"),
        ("office", "unknown suite 'office' (allowed: nothing, talk)"),
        ("../scenarios", "unknown suite '../scenarios' (allowed: nothing, talk)"),
    ],
)
@pytest.mark.usefixtures("folder")
def test_says_in_one_line_which_suite_is_meant(
    name: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """On stderr, where the shell's ``$(…)`` leaves it for the user to see."""
    assert main(["suites", name]) == 1
    assert capsys.readouterr() == ("", f"{message}\n")


def test_a_file_that_cannot_be_read_is_told(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = folder / "talk" / "three.scenario.yaml"
    file.write_text("world: phnoe")
    assert main(["suites"]) == 1
    assert "unknown world 'phnoe'; did you mean 'phone'?" in capsys.readouterr().err
