"""What docs/cassettes.md shows is what comes out."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from desk import Suite, section

from pytest_toolsandbox.__main__ import main

PAGE = Path(__file__).parents[2] / "docs" / "cassettes.md"
PROMPT = "Be brief. Ask for the full name before you look for an order.\n"


@pytest.fixture(scope="module")
def page() -> str:
    return PAGE.read_text(encoding="utf-8")


def blocks(page: str, kind: str) -> list[str]:
    return [part.partition("```")[0] for part in page.split(f"```{kind}\n")[1:]]


def test_the_page_shows_what_comes_out(
    pytester: pytest.Pytester, page: str, capsys: pytest.CaptureFixture[str]
) -> None:
    suite = Suite(pytester)
    main(["init", str(suite.path)])
    suite.write("prompt.txt", PROMPT)
    suite.run("scenarios", "--sandbox-record=new").assert_outcomes(passed=1)
    (cassette,) = suite.path.rglob("*.cassette.yaml")
    assert str(cassette.relative_to(suite.path)) in page
    assert cassette.read_text().startswith(blocks(page, "yaml")[0])
    replay = ("scenarios", "--sandbox-record=replay", "--sandbox-prompt=prompt.txt")
    result = suite.run(*replay)
    assert section(result, "ERROR at setup of cancel_an_order") == blocks(page, "text")[0].rstrip()
    capsys.readouterr()
    main(["cassettes", "scenarios"])
    assert capsys.readouterr().out in page
    before = cassette.read_text()
    shutil.rmtree(suite.path / "scenarios" / "__pycache__", ignore_errors=True)
    suite.run(*replay[:1], "--sandbox-record=new", replay[2]).assert_outcomes(passed=1)
    old, new = (
        "".join(line[1:] for line in blocks(page, "diff")[0].splitlines(True) if line[0] in kinds)
        for kinds in (" -", " +")
    )
    assert before.replace(old, new) == cassette.read_text()
