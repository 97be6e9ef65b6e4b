"""Every whole scenario that the documentation shows: it is proved, as a reader would prove it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pytest_toolsandbox.__main__ import main

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^( *)```yaml\n(.*?)^\1```", re.MULTILINE | re.DOTALL)
BUILT_IN = re.compile(r"^world: (?:phone|office|queries\.\w+)$", re.MULTILINE)
LEFT_OUT = re.compile("…|^  openning: ", re.MULTILINE)
"""Parts of scenarios, and one that has each kind of mistake."""
PROVED = re.compile(r"^(?:solutions|counterexamples|conversation):", re.MULTILINE)


def whole(page: Path) -> list[str]:
    """Return the scenarios of a page that stand there with all that their proof needs."""
    blocks = (match[2] for match in BLOCK.finditer(page.read_text(encoding="utf-8")))
    shown = (one for one in blocks if BUILT_IN.search(one) and PROVED.search(one))
    return [one for one in shown if not LEFT_OUT.search(one)]


EXAMPLES = [
    pytest.param(text, id=f"{page.stem}-{place}")
    for page in PAGES
    for place, text in enumerate(whole(page), start=1)
]


@pytest.mark.parametrize("text", EXAMPLES)
def test_an_example_is_proved(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "example.scenario.yaml"
    file.write_text(text, encoding="utf-8")
    status = main(["check", str(file)])
    output = capsys.readouterr().out
    assert (status, output.splitlines()[-1].rpartition(": ")[2]) == (0, "0 findings"), output


def test_pages_have_whole_examples() -> None:
    assert {"README", "writing-scenarios", "scenarios", "queries", "tooltalk"} <= {
        page.stem for page in PAGES if whole(page)
    }


def test_the_small_scenario_is_small_and_its_proof_is_the_real_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = ROOT / "docs" / "writing-scenarios.md"
    _, small = whole(page)
    assert len(small.splitlines()) < 30
    file = tmp_path / "two_of_three.scenario.yaml"
    file.write_text(small, encoding="utf-8")
    assert main(["check", str(file)]) == 0
    assert capsys.readouterr().out in page.read_text(encoding="utf-8")
