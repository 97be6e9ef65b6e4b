"""What the pages about reports and options show is what the program prints."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
REPORTS = (ROOT / "docs" / "reports.md").read_text(encoding="utf-8")
OPTIONS = (ROOT / "docs" / "options.md").read_text(encoding="utf-8")
PHONE = "scenarios/phone"


def blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)


def run(*command: str) -> str:
    finished = subprocess.run(
        [sys.executable, "-m", *command], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return finished.stdout


def test_the_page_and_the_properties(tmp_path: Path) -> None:
    file = f"{PHONE}/state_dependency/landed_without_signal.scenario.yaml"
    agent = "--agent=counterexample:texts_kat_of_the_office"
    xml = tmp_path / "junit.xml"
    output = run("pytest", "-p", "no:cacheprovider", agent, file, f"--junitxml={xml}")
    assert blocks(REPORTS, "text")[0] in output
    written = xml.read_text()
    for block in blocks(REPORTS, "xml"):
        assert block.replace("\n", "") in written


def test_the_summary_and_the_gates() -> None:
    minimums = ("--sandbox-min-score=0.8", "--sandbox-min-score=state_dependency=0.7")
    folder = f"{PHONE}/multiple_user_turn"
    output = run("pytest", "-p", "no:cacheprovider", "--agent=counterexample", folder, *minimums)
    assert "".join(blocks(REPORTS, "text")[2:4]) in output


def test_the_check() -> None:
    command, summary = blocks(OPTIONS, "console")[0].splitlines()
    assert run("pytest_toolsandbox", *command.split()[2:]) == f"{summary}\n"
