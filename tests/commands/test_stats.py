"""``toolsandbox stats``: what scenarios are made of, whatever is wrong with some of them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from command_line import Run
from desk import LIGHT, Suite

WORKS = """\
world: phone
tools: [search_contacts]
categories: [single_user_turn]
user: {opening: Hello}
milestones: {told: {says: {mentions: hello}}}
solutions: {s: [{search_contacts: {name: Ada}}, {say: Hello!}]}
"""
FAILS = WORKS.replace("{say: Hello!}", "{say: {from: {call: search_contacts, path: '[0].name'}}}")


@pytest.fixture
def folder(folder: Path) -> Path:
    (folder / "a.scenario.yaml").write_text(WORKS)
    return folder


def size(lines: list[str]) -> dict[str, str]:
    """Return the numbers of the first table."""
    start = lines.index("Size (ToolSandbox, table 4)") + 1
    return dict(line.rsplit(maxsplit=1) for line in lines[start : start + 6])


def test_the_first_solutions_are_played(folder: Path, run: Run) -> None:
    two = WORKS.replace("Hello!}]}", "Hello!}], other: [{say: Hello!}]}")
    (folder / "b.scenario.yaml").write_text(two)
    printed = run("stats", ".")
    assert printed.status == 0
    assert ["search_contacts", "2"] in [line.split() for line in printed.lines]
    assert {name: number for name, number in size(printed.lines).items() if name != "tools"} == {
        "scenarios": "2",
        "test cases": "2",
        "mean messages": "6.0",
        "mean turns": "4.0",
        "mean tool calls": "1.0",
    }


@pytest.mark.parametrize(
    ("augmentations", "factor"),
    [
        ("none", 1),
        ("all", 8),
        ("all,argument_name_scrambled", 9),
        ("tool_name_scrambled, no_distraction_tools,tool_name_scrambled", 2),
    ],
)
def test_augmentations_multiply_test_cases(
    folder: Path, run: Run, augmentations: str, factor: int
) -> None:
    status, out, _ = run("stats", folder, "--augment", augmentations)
    numbers = size(out.splitlines())
    assert (status, numbers["scenarios"], numbers["test cases"]) == (0, "1", str(factor))
    column = f"           {factor}" if factor > 1 else ""
    assert f"single_user_turn          1{column}\n" in out


def test_an_unknown_augmentation(folder: Path, run: Run) -> None:
    status, _, errors = run("stats", folder, "--augment=al")
    assert (status, errors.partition("; ")[0]) == (1, "--augment: unknown augmentation 'al'")


def test_other_files_are_counted(folder: Path, run: Run) -> None:
    (folder / "b.scenario.yaml").write_text("world: [")
    (folder / "c.scenario.yaml").write_text(WORKS.replace("hello}", "hello, hi: 1}"))
    printed = run("stats", "nowhere", ".")
    assert printed.lines[0] == "nowhere: there is no such file or folder"
    assert printed.lines[1].startswith("b.scenario.yaml:2:1: invalid YAML: ")
    assert printed.lines[2].startswith("c.scenario.yaml:5:")
    assert (printed.status, size(printed.lines)["scenarios"]) == (1, "1")
    assert printed.lines[-1] == "3 files not read"


def test_scenarios_without_a_solution_that_can_be_played(folder: Path, run: Run) -> None:
    (folder / "b.scenario.yaml").write_text(FAILS)
    fails = run("stats", ".")
    assert fails.lines[0] == (
        "b.scenario.yaml::b: solution 's' cannot be played: "
        "the script finds nothing at '[0].name' in the result of search_contacts"
    )
    (folder / "b.scenario.yaml").write_text(WORKS[: WORKS.index("solutions")])
    none = run("stats", ".")
    assert none.lines[-1] == (
        "1 scenario without a solution: turns, tool calls and needed tools are those of the others"
    )
    for printed, status in ((fails, 1), (none, 0)):
        numbers = size(printed.lines)
        expected = (status, "2", "4.0")
        assert (printed.status, numbers["scenarios"], numbers["mean turns"]) == expected


def test_files_are_counted_once_in_any_order(folder: Path, run: Run) -> None:
    names = ("z", "a", "below/m")
    (folder / "below").mkdir()
    for name in names:
        text = WORKS.replace("[single_user_turn]", f"[{name[-1]}, canonicalization]")
        (folder / f"{name}.scenario.yaml").write_text(text)
    files = [f"{name}.scenario.yaml" for name in names]
    printed = run("stats", *files)
    assert size(printed.lines)["scenarios"] == "3"
    assert printed == run("stats", *reversed(files)) == run("stats", ".")
    assert printed == run("stats", "below", ".", folder / "a.scenario.yaml")


def test_worlds_of_conftests(suite: Suite) -> None:
    suite.write("sub/light.scenario.yaml", LIGHT)
    command = [sys.executable, "-m", "pytest_toolsandbox", "stats", str(suite.path)]
    finished = subprocess.run(command, capture_output=True, text=True, check=True)
    assert ["lamp", "on", "1"] in [line.split() for line in finished.stdout.splitlines()]
    assert finished.stdout.endswith(
        "switch_lamp          1\n\nTools that no scenario needs: 2\nread_notes, write_note\n"
    )


QUERY = """\
world: queries.sports
scenarios:
  first: {query: Which?, answer: squash, solutions: {s: [{list_sports: {}}, {finish: {answer: x}}]}}
  second: {query: Or which?, answer: chess, base: first, manner: sentences}
"""
QUERIES = """
Queries (SpecTool, table 2), and how they were made from others
world           queries  mean calls  tools  base  constraints  sentences  irrelevance
queries.sports        2         2.0      4     1            0          1            0
"""
SIMILARITY = """\
Similarity of the tools' names (SpecTool, section 7.2.2)
world           tools  similarity  scenarios  of those offered
queries.sports      4       0.167          2             0.167
"""


def test_queries(folder: Path, run: Run) -> None:
    (folder / "a.scenario.yaml").write_text(QUERY)
    status, out, _ = run("stats", ".")
    assert (status, QUERIES in out, "Milestones and minefields" in out) == (0, True, False)
    without_tools = QUERY.replace("query: Or", "tools: [], solutions: {}, query: Or")
    (folder / "a.scenario.yaml").write_text(without_tools)
    assert run("stats", "--api-similarity", ".") == (0, SIMILARITY, "")
