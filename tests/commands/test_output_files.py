"""What a command writes takes the place of nothing that is to be kept."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from gate_records import write
from html_records import records

from pytest_toolsandbox.__main__ import main
from pytest_toolsandbox.records.writing import as_line

COMMANDS = (["report"], ["export", "--format=chat-jsonl"], ["export", "--format=inspect"])


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with ``own.jsonl`` and a link to it, other records and a baseline."""
    monkeypatch.chdir(tmp_path)
    lines = "".join(f"{as_line(one)}\n" for one in records("oracle"))
    (tmp_path / "own.jsonl").write_text(lines, encoding="utf-8")
    (tmp_path / "link.jsonl").symlink_to("own.jsonl")
    write(tmp_path / "other.jsonl")
    (tmp_path / "baseline.jsonl").write_text('{"baseline": 1}\n')
    return tmp_path


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    ("out", "why_not"),
    [
        ("own.jsonl", "it is read, too; name another file"),
        ("link.jsonl", "it is read, too; name another file"),
        ("other.jsonl", "it holds records, which would be lost; name another file"),
        ("baseline.jsonl", "it holds a baseline, which would be lost; name another file"),
    ],
)
def test_records_and_baselines_are_kept(
    folder: Path, capsys: pytest.CaptureFixture[str], command: list[str], out: str, why_not: str
) -> None:
    before = (folder / out).read_bytes()
    assert main([*command, "own.jsonl", "-o", out]) == 1
    assert capsys.readouterr() == ("", f"cannot write to {out}: {why_not}\n")
    assert (folder / out).read_bytes() == before


@pytest.mark.parametrize("command", COMMANDS)
def test_what_a_command_wrote_is_replaced(folder: Path, command: list[str]) -> None:
    words = [*command, "own.jsonl", "-o", "out.json"]
    assert main(words) == main(words) == 0
    assert (folder / "out.json").stat().st_size


@pytest.mark.parametrize(
    "words",
    [
        ["report", "own.jsonl", "-o"],
        ["merge", "own.jsonl", "-o"],
        ["baseline", "accept", "own.jsonl", "--reason=x", "--file"],
    ],
)
def test_a_slash_at_the_end_names_no_file(
    folder: Path, capsys: pytest.CaptureFixture[str], words: list[str]
) -> None:
    (folder / "conftest.py").write_text("mine")
    with pytest.raises(SystemExit):
        main([*words, "conftest.py/"])
    assert capsys.readouterr().err.endswith(": conftest.py/ is a folder; name a file in it\n")
    assert (folder / "conftest.py").read_text() == "mine"


@pytest.mark.parametrize(
    ("form", "why_not"),
    [
        ("chat-jsonl", "it is a folder; name a file in it"),
        ("inspect", "conftest.py is not a folder"),
    ],
)
def test_an_export_to_a_folder_that_is_none(
    folder: Path, capsys: pytest.CaptureFixture[str], form: str, why_not: str
) -> None:
    (folder / "conftest.py").write_text("mine")
    assert main(["export", "own.jsonl", f"--format={form}", "-o", "conftest.py/"]) == 1
    assert capsys.readouterr() == ("", f"cannot write to conftest.py/: {why_not}\n")
    assert (folder / "conftest.py").read_text() == "mine"


def test_a_slash_makes_a_folder_of_a_name_with_an_ending(folder: Path) -> None:
    assert main(["export", "own.jsonl", "--format=inspect", "-o", "logs.new/"]) == 0
    assert [one.suffix for one in (folder / "logs.new").iterdir()] == [".json"]


WRITERS = (
    ["report", "own.jsonl", "-o"],
    ["merge", "own.jsonl", "-o"],
    ["export", "own.jsonl", "--format=chat-jsonl", "-o"],
    ["export", "own.jsonl", "--format=inspect", "-o"],
    ["baseline", "add", "other.jsonl", "--file"],
    ["baseline", "accept", "other.jsonl", "--reason=x", "--file"],
)


@pytest.mark.parametrize("words", WRITERS)
def test_what_lies_below_a_file(
    folder: Path, capsys: pytest.CaptureFixture[str], words: list[str]
) -> None:
    (folder / "conftest.py").write_text("mine")
    assert main([*words, "conftest.py/x.json"]) == 1
    told = "cannot write to conftest.py/x.json: conftest.py is not a folder\n"
    assert capsys.readouterr() == ("", told)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("words", WRITERS)
def test_a_folder_that_takes_no_files(capsys: pytest.CaptureFixture[str], words: list[str]) -> None:
    assert main([*words, "/proc/x.json"]) == 1
    is_root = os.access("/proc", os.W_OK)
    why_not = "no file can be made there" if is_root else "permission denied"
    assert capsys.readouterr() == ("", f"cannot write to /proc/x.json: {why_not}\n")


@pytest.mark.parametrize("words", WRITERS[:3])
@pytest.mark.parametrize(
    ("out", "why_not"),
    [
        ("folder", "it is a folder; name a file in it"),
        ("/dev/null", "it is not a regular file"),
        (f"{'x' * 300}.json", "File name too long"),
    ],
)
def test_what_cannot_be_written(
    folder: Path, capsys: pytest.CaptureFixture[str], words: list[str], out: str, why_not: str
) -> None:
    (folder / "folder").mkdir()
    assert main([*words, out]) == 1
    assert capsys.readouterr() == ("", f"cannot write to {out}: {why_not}\n")
