"""What a command writes takes the place of nothing that is to be kept."""

from __future__ import annotations

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
