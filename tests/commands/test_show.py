"""``toolsandbox show``: a conversation as a page, passed ones too."""

from __future__ import annotations

from pathlib import Path

import pytest
from html_records import record, records

from pytest_toolsandbox.__main__ import main
from pytest_toolsandbox.records.writing import as_line


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "r.jsonl"
    path.write_text("".join(f"{as_line(one)}\n" for one in records("oracle")), encoding="utf-8")
    return str(path)


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
def test_one_that_passed(item: str, file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", file, item, "--width=100"]) == 0
    assert capsys.readouterr().out == PASSED


def test_all_trials_or_one(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    main(["show", file, "fork"])
    assert capsys.readouterr().out.count("pantry.yaml::fork  trial") == 2
    main(["show", file, "fork", "--trial=2"])
    assert capsys.readouterr().out.startswith("pantry.yaml::fork  trial 2  oracle  passed\n")


def test_no_line_is_longer_than_asked(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    main(["show", file, "most", "--width=60"])
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 60
    assert any(line.startswith(" " * 10) for line in lines)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["celar"], "there is no item 'celar'; did you mean 'cellar'?"),
        (["xyz"], "there is no item 'xyz': cellar, fork, most"),
        (["fork", "--trial=7"], "fork has no trial 7; it has 1, 2"),
    ],
)
def test_what_is_not_there(
    arguments: list[str], told: str, file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["show", file, *arguments]) == 1
    assert capsys.readouterr().err == f"{told}\n"


def test_what_there_is(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    lines = [*records("oracle"), record("fork", "hasty")]
    Path(file).write_text("".join(f"{as_line(one)}\n" for one in lines), encoding="utf-8")
    assert main(["show", file, "--width=100"]) == 0
    assert capsys.readouterr().out == WHAT_THERE_IS.format(file)


WHAT_THERE_IS = """\
failed  0.00  trial 1  hasty   fork
    hit salt_in; missed rice_in, told (2 of 4 milestones reached)
passed  1.00  trial 2  oracle  fork
passed  1.00  trial 1  oracle  most
passed  1.00  trial 1  oracle  cellar

toolsandbox show {} ITEM prints one; ITEM is its name, or all of its id
"""


@pytest.mark.parametrize("beside", ["2", "other.jsonl"])
def test_two_and_where_they_part(
    beside: str,
    file: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    other = record("fork", "hasty", 2)
    folder = Path(file).parent
    monkeypatch.chdir(folder)
    (folder / "other.jsonl").write_text(f"{as_line(other)}\n", encoding="utf-8")
    if beside == "2":
        text = f"{as_line(records('oracle')[0])}\n{as_line(other)}\n"
        Path(file).write_text(text, encoding="utf-8")
    assert main(["show", file, "fork", f"--beside={beside}", "--width=100"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("A  pantry.yaml::fork  trial 1  oracle  passed\nscore 1.00 of 1 (")
    assert "\n\nB  pantry.yaml::fork  trial 2  hasty  failed\nscore 0.00 of 1: hit salt_in" in shown
    assert shown[shown.index("what both say") :] == TWO


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


def test_two_that_say_the_same(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", file, "fork", "--beside=fork"]) == 0
    assert "\nboth say the same\n  [ 1] user -> agent" in capsys.readouterr().out


def test_a_torn_line_is_told(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = Path(file).read_text(encoding="utf-8")
    Path(file).write_text(f'{text}{{"record"', encoding="utf-8")
    assert main(["show", file, "cellar"]) == 1
    shown = capsys.readouterr()
    assert shown.out.startswith("pantry.yaml::cellar")
    assert "torn: the run was stopped while it was written" in shown.err


def test_a_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", str(tmp_path)]) == 1
    text = "it is a folder; name a file in it that --sandbox-results wrote"
    assert capsys.readouterr().err == f"{tmp_path}: {text}\n"


@pytest.mark.parametrize("command", ["stats", "check"])
def test_records_are_no_scenarios(
    command: str, file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([command, file]) == 1
    text = "it has records of a run, no scenarios; toolsandbox report, show and tables read it"
    assert capsys.readouterr().err == f"{file}: {text}\n"
