"""``toolsandbox show``: a conversation as a page, passed ones too."""

from __future__ import annotations

from pathlib import Path

import pytest
from html_records import records

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
