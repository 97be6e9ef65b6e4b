"""``toolsandbox stats``: what scenarios are made of, whatever is wrong with some of them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from desk import LIGHT, Suite

from pytest_toolsandbox.__main__ import main
from pytest_toolsandbox.commands.scenarios import RULE

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
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.scenario.yaml").write_text(WORKS)
    return tmp_path


def stats(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, list[str]]:
    status = main(["stats", *arguments])
    return status, capsys.readouterr().out.splitlines()


def size(lines: list[str]) -> dict[str, str]:
    """Return the numbers of the first table."""
    start = lines.index("Size (ToolSandbox, table 4)") + 1
    return dict(line.rsplit(maxsplit=1) for line in lines[start : start + 6])


def test_the_first_solutions_are_played(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    two = WORKS.replace("Hello!}]}", "Hello!}], other: [{say: Hello!}]}")
    (folder / "b.scenario.yaml").write_text(two)
    status, lines = stats(capsys, ".")
    assert status == 0
    assert ["search_contacts", "2"] in [line.split() for line in lines]
    found = size(lines)
    del found["tools"]
    assert found == {
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
    folder: Path, capsys: pytest.CaptureFixture[str], augmentations: str, factor: int
) -> None:
    status, lines = stats(capsys, str(folder), "--augment", augmentations)
    assert status == 0
    assert (size(lines)["scenarios"], size(lines)["test cases"]) == ("1", str(factor))
    column = f"           {factor}" if factor > 1 else ""
    assert f"single_user_turn          1{column}" in lines


def test_an_augmentation_that_is_none(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["stats", str(folder), "--augment=al"]) == 1
    assert capsys.readouterr().err.startswith("--augment: unknown augmentation 'al'")


def test_other_files_are_counted(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "b.scenario.yaml").write_text("world: [")
    (folder / "c.scenario.yaml").write_text(WORKS.replace("hello}", "hello, hi: 1}"))
    status, lines = stats(capsys, "nowhere", ".")
    assert status == 1
    assert lines[0] == "nowhere: there is no such file or folder"
    assert lines[1].startswith("b.scenario.yaml:2:1: invalid YAML: ")
    assert lines[2].startswith("c.scenario.yaml:5:")
    assert size(lines)["scenarios"] == "1"
    assert lines[-1] == "3 files not read"


def test_a_solution_that_cannot_be_played(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "b.scenario.yaml").write_text(FAILS)
    status, lines = stats(capsys, ".")
    assert status == 1
    assert lines[0] == (
        "b.scenario.yaml::b: solution 's' cannot be played: "
        "the script finds nothing at '[0].name' in the result of search_contacts"
    )
    assert (size(lines)["scenarios"], size(lines)["mean turns"]) == ("2", "4.0")


def test_scenarios_without_a_solution(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "b.scenario.yaml").write_text(WORKS[: WORKS.index("solutions")])
    status, lines = stats(capsys, ".")
    assert status == 0
    assert (size(lines)["scenarios"], size(lines)["mean turns"]) == ("2", "4.0")
    assert lines[-1] == (
        "1 scenario without a solution: turns, tool calls and needed tools are those of the others"
    )


def test_a_file_that_is_found_twice_counts_once(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "below").mkdir()
    (folder / "below" / "b.scenario.yaml").write_text(WORKS)
    _, lines = stats(capsys, "below", ".", str(folder / "a.scenario.yaml"))
    assert size(lines)["scenarios"] == "2"


def test_nothing_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert stats(capsys, str(tmp_path)) == (1, [f"no scenario was found: {RULE}"])


def test_the_order_of_paths_does_not_matter(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = ("z", "a", "m")
    for name in names:
        (folder / f"{name}.scenario.yaml").write_text(
            WORKS.replace("[single_user_turn]", f"[{name}, canonicalization]")
        )
    files = [f"{name}.scenario.yaml" for name in names]
    assert stats(capsys, *files) == stats(capsys, *reversed(files)) == stats(capsys, ".")


def test_worlds_of_conftests(suite: Suite) -> None:
    suite.write("sub/light.scenario.yaml", LIGHT)
    command = [sys.executable, "-m", "pytest_toolsandbox", "stats", str(suite.path)]
    finished = subprocess.run(command, capture_output=True, text=True, check=True)
    assert ["lamp", "on", "1"] in [line.split() for line in finished.stdout.splitlines()]
    assert finished.stdout.endswith(
        "switch_lamp          1\n\nTools that no scenario needs: 2\nread_notes, write_note\n"
    )


def test_a_conftest_that_cannot_be_imported(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path])
    (folder / "conftest.py").write_text("\nraise LookupError('no database')")
    assert main(["stats", "."]) == 1
    assert capsys.readouterr().err == (
        f"{folder}/conftest.py: LookupError: no database (conftest.py:2)\n"
    )


def test_usage(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["stats"])
    assert caught.value.code == 2
    message = "toolsandbox stats: error: the following arguments are required: PATH"
    assert capsys.readouterr().err.splitlines()[-1] == message


QUERY = """\
world: queries.sports
scenarios:
  first: {query: Which?, answer: squash, solutions: {s: [{list_sports: {}}, {finish: {answer: x}}]}}
  second: {query: Or which?, answer: chess, base: first, manner: sentences}
"""


def test_queries_are_counted_by_their_manner(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "a.scenario.yaml").write_text(QUERY)
    status, lines = stats(capsys, ".")
    start = lines.index("Queries (SpecTool, table 2), and how they were made from others")
    assert (status, lines[start + 1 : start + 3]) == (
        0,
        [
            "world           queries  mean calls  tools  base  constraints  sentences  irrelevance",
            "queries.sports        2         2.0      4     1            0          1            0",
        ],
    )
    assert "Milestones and minefields" not in lines


def test_how_alike_the_names_of_tools_are(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "a.scenario.yaml").write_text(
        QUERY.replace("query: Or", "tools: [], solutions: {}, query: Or")
    )
    assert stats(capsys, "--api-similarity", ".") == (
        0,
        [
            "Similarity of the tools' names (SpecTool, section 7.2.2)",
            "world           tools  similarity  scenarios  of those offered",
            "queries.sports      4       0.167          2             0.167",
        ],
    )


def test_the_names_of_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert stats(capsys, "--api-similarity", str(tmp_path)) == (
        1,
        [f"no scenario was found: {RULE}"],
    )
