"""The README and the documentation: pages can be found and followed, and say what is so."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from shipped import shipped

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = [*ROOT.glob("*.md"), *sorted(DOCS.glob("*.md"))]
MOST_LINES = 400
CODE = re.compile(r"^( *)```.*?^\1```", re.MULTILINE | re.DOTALL)


def headings(page: Path) -> set[str]:
    """Return the anchors of a page, as GitHub makes them."""
    text = CODE.sub("", page.read_text(encoding="utf-8"))
    return {
        re.sub(r"[^\w\- ]", "", heading).strip().lower().replace(" ", "-")
        for heading in re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    }


def links(page: Path) -> list[str]:
    return re.findall(r"\]\(([^)\s]+)\)", CODE.sub("", page.read_text(encoding="utf-8")))


def test_the_index_names_every_page() -> None:
    named = {link.partition("#")[0] for link in links(DOCS / "README.md")}
    assert {page.name for page in DOCS.glob("*.md")} - named == {"README.md"}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_links_lead_somewhere(page: Path) -> None:
    for link in links(page):
        if link.startswith("http"):
            continue
        name, _, anchor = link.partition("#")
        target = page.parent / name if name else page
        assert target.exists(), link
        assert not anchor or anchor in headings(target), link


def test_pages_are_short() -> None:
    lines = {page.name: len(page.read_text("utf-8").splitlines()) for page in DOCS.glob("*.md")}
    assert {name: count for name, count in lines.items() if count > MOST_LINES} == {}


def test_the_table_has_a_row_for_each_dependency() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = (line for lines in project["optional-dependencies"].values() for line in lines)
    declared = {Requirement(line).name for line in (*project["dependencies"], *extras)}
    page = (DOCS / "dependencies.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^\| `([\w-]+)` \|", page, re.MULTILINE)) == declared


def block(language: str) -> str:
    """Return the README's first block in a language."""
    match = re.search(rf"```{language}\n(.*?)```", README, re.DOTALL)
    assert match
    return match[1]


def test_the_scenario_of_the_readme_and_its_page(pytester: pytest.Pytester) -> None:
    pytester.path.joinpath("running_late.scenario.yaml").write_text(block("yaml"))
    pytester.runpytest_subprocess("--agent=oracle").assert_outcomes(passed=1)
    output = pytester.runpytest_subprocess("--agent=counterexample").stdout.str()
    assert block("text") in output


@pytest.mark.any_pytest
def test_the_number_of_scenarios() -> None:
    (number,) = re.findall(r"plays more than (\d+) scenarios", README)
    assert int(number) < len([*shipped(), *shipped("frontier")]) <= 2 * int(number)


@pytest.mark.any_pytest
def test_continuous_integration_runs_the_test_command_as_it_stands() -> None:
    (command,) = re.findall(r"^\$ (.*/tox.*)$", README, re.MULTILINE)
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    assert command in script


@pytest.mark.any_pytest
def test_the_worked_example_is_the_scenario_that_comes_with_the_project() -> None:
    example = ROOT / "scenarios/phone/state_dependency/landed_without_signal.scenario.yaml"
    guide = (DOCS / "writing-scenarios.md").read_text(encoding="utf-8")
    assert example.read_text(encoding="utf-8") in guide


def test_named_tests_exist() -> None:
    """A path that pytest does not find ends a job without a test."""
    files = [ROOT / "tox.ini", ROOT / "CONTRIBUTING.md"]
    text = "".join(file.read_text(encoding="utf-8") for file in files)
    named = set(re.findall(r"\btests/[a-z_/]+(?:\.[a-z]+)?", text))
    assert {path for path in named if not (ROOT / path).exists()} == set()
