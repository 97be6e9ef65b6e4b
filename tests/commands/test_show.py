"""``toolsandbox show``: a conversation as a page, passed ones too."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from command_line import Run
from html_records import record, records

from pytest_toolsandbox.records.writing import as_line


def write(file: str, lines: list[dict[str, Any]]) -> str:
    Path(file).write_text("".join(f"{as_line(line)}\n" for line in lines), encoding="utf-8")
    return file


@pytest.fixture
def file(folder: Path) -> str:
    return write(str(folder / "r.jsonl"), records("oracle"))


PASSED = """\
pantry.yaml::cellar  trial 1  oracle  passed
score 1.00 of 1 (1 of 1 milestones reached)

milestones
  reached  told  1.00  at [2]

conversation
  [ 1] user -> agent         What is in the cellar?
  [ 2] agent -> user         I cannot look there.
       ^ reached told
  [ 3] user -> environment   end_conversation()
  [ 4] environment -> user   null
"""


@pytest.mark.parametrize("item", ["cellar", "pantry.yaml::cellar"])
def test_one_that_passed(item: str, file: str, run: Run) -> None:
    assert run("show", file, item, "--width=100") == (0, PASSED, "")


def test_all_trials_or_one(file: str, run: Run) -> None:
    assert run("show", file, "fork").out.count("pantry.yaml::fork  trial") == 2
    shown = run("show", file, "fork", "--trial=2").out
    assert shown.startswith("pantry.yaml::fork  trial 2  oracle  passed\n")


def test_no_line_is_longer_than_asked(file: str, run: Run) -> None:
    lines = run("show", file, "most", "--width=60").lines
    assert max(map(len, lines)) <= 60
    assert any(line.startswith(" " * 10) for line in lines)


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["celar"], "there is no item 'celar'; did you mean 'cellar'?"),
        (["xyz"], "there is no item 'xyz': cellar, fork, most"),
        (["fork", "--trial=7"], "fork has no trial 7; it has 1, 2"),
    ],
)
def test_what_is_not_there(arguments: list[str], problem: str, file: str, run: Run) -> None:
    assert run("show", file, *arguments) == (1, "", f"{problem}\n")


def test_what_there_is(file: str, run: Run) -> None:
    write(file, [*records("oracle"), record("fork", "hasty")])
    assert run("show", file, "--width=100") == (0, WHAT_THERE_IS.format(file), "")


WHAT_THERE_IS = """\
failed  0.00  trial 1  hasty   fork
    hit salt_in; missed rice_in, told (2 of 4 milestones reached)
passed  1.00  trial 2  oracle  fork
passed  1.00  trial 1  oracle  most
passed  1.00  trial 1  oracle  cellar

toolsandbox show {} ITEM prints one; ITEM is its name, or all of its id
"""


@pytest.mark.parametrize("beside", ["2", "other.jsonl"])
def test_two_and_where_they_part(beside: str, file: str, run: Run) -> None:
    other = record("fork", "hasty", 2)
    write("other.jsonl", [other])
    if beside == "2":
        write(file, [records("oracle")[0], other])
    status, shown, _ = run("show", file, "fork", f"--beside={beside}", "--width=100")
    assert status == 0
    assert shown.startswith("A  pantry.yaml::fork  trial 1  oracle  passed\nscore 1.00 of 1 (")
    assert "\n\nB  pantry.yaml::fork  trial 2  hasty  failed\nhit salt_in" in shown
    assert shown[shown.index("what both say") :] == TWO


def test_two_that_differ_in_the_prompt_alone(file: str, run: Run) -> None:
    first, second = record("fork", "oracle", 1), record("fork", "oracle", 2)
    second["messages"][0]["content"] = "Be brief."
    write(file, [first, second])
    _, shown, _ = run("show", file, "fork", "--beside=2")
    assert "\ntheir system prompts differ\n\nboth say the same\n" in shown


TWO = """\
what both say
  [ 1] user -> agent         Put tea and rice in.
  [ 2] agent -> environment  open_door()
  [ 3] environment -> agent  null
  [ 4] agent -> environment  add_item(name='tea')
  [ 5] environment -> agent  "fb330b36-41a6-5b3c-942b-2b2973dea9c2"

they part at [6]

A goes on
  [ 6] agent -> environment  add_item(name='rice')
  [ 7] environment -> agent  "341dba97-a3ef-5296-8157-73b01fffebc5"
       ^ reached rice_in
  [ 8] agent -> user         It is done.
       ^ reached told
  [ 9] user -> environment   end_conversation()
  [10] environment -> user   null

B goes on
  [ 6] agent -> environment  add_item(name='salt')
       ^ IAV name for add_item: expected 'rice', found 'salt'
  [ 7] environment -> agent  "341dba97-a3ef-5296-8157-73b01fffebc5"
       ^ hit salt_in
  [ 8] agent -> user         It is over.
       ^ nearest to told
  [ 9] user -> environment   end_conversation()
  [10] environment -> user   null
"""


def test_two_that_say_the_same(file: str, run: Run) -> None:
    status, shown, _ = run("show", file, "fork", "--beside=fork")
    assert (status, "\nboth say the same\n  [ 1] user -> agent" in shown) == (0, True)


def test_a_torn_line(file: str, run: Run) -> None:
    with Path(file).open("a", encoding="utf-8") as lines:
        lines.write('{"record"')
    status, shown, errors = run("show", file, "cellar")
    assert (status, shown.startswith("pantry.yaml::cellar")) == (1, True)
    assert "torn: the run was stopped while it was written" in errors


def test_what_are_no_records_and_no_scenarios(folder: Path, file: str, run: Run) -> None:
    text = "it is a folder; name a file in it that --sandbox-results wrote"
    assert run("show", folder) == (1, "", f"{folder}: {text}\n")
    text = "it has records of a run, no scenarios; toolsandbox report, show and tables read it"
    for command in ("stats", "check"):
        assert run(command, file) == (1, "", f"{file}: {text}\n")
