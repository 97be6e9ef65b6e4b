"""What the pages about reports and options show is what the program prints."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from pytest_toolsandbox.language.variants import AUGMENTATIONS as AUGMENTATION_NAMES

pytestmark = pytest.mark.usefixtures("warm")

ROOT = Path(__file__).parents[2]
REPORTS = (ROOT / "docs" / "reports.md").read_text(encoding="utf-8")
AUGMENTATIONS = (ROOT / "docs" / "augmentations.md").read_text(encoding="utf-8")
OPTIONS = (ROOT / "docs" / "options.md").read_text(encoding="utf-8")
CHECK = (ROOT / "docs" / "check.md").read_text(encoding="utf-8")
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


@pytest.mark.parametrize("page", [OPTIONS, CHECK])
def test_the_check(page: str) -> None:
    found = (block for block in blocks(page, "console") if "mutants " in block)
    (block,) = (one for one in found if "scenarios/" in one)  # tests/test_docs_examples.py: others
    command, output = block.split("\n", 1)
    assert run("pytest_toolsandbox", *command.split()[2:]) == output


def test_the_augmentations() -> None:
    command = blocks(AUGMENTATIONS, "console")[1].split()[2:]
    assert blocks(AUGMENTATIONS, "text")[1] in run("pytest", "-p", "no:cacheprovider", *command)
    listed = re.findall(r"^\| `(\w+)` \|", AUGMENTATIONS, re.MULTILINE)
    assert tuple(listed) == tuple(AUGMENTATION_NAMES)
