"""New files are written all at once, or not at all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from pytest_toolsandbox.commands import CommandError
from pytest_toolsandbox.commands.init import write_new


def test_files_are_written_with_their_folders(tmp_path: Path) -> None:
    files = {tmp_path / "a" / "b" / "c": b"one", tmp_path / "a" / "d": b"two"}
    write_new(files)
    assert {file: file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()} == files


def test_a_file_that_is_there_stays_and_nothing_else_is_written(tmp_path: Path) -> None:
    (tmp_path / "there").write_bytes(b"mine")
    with pytest.raises(CommandError, match=r"nothing was written: .*there: File exists"):
        write_new({tmp_path / "a" / "b": b"one", tmp_path / "there": b"two"})
    assert [file.name for file in tmp_path.iterdir()] == ["there"]
    assert (tmp_path / "there").read_bytes() == b"mine"


class Interrupted(Mapping[Path, bytes]):
    """Files of which only the first one comes."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def __getitem__(self, file: Path) -> bytes:
        assert file == self.file
        return b"one"

    def __iter__(self) -> Iterator[Path]:
        yield self.file
        raise KeyboardInterrupt

    def __len__(self) -> int:
        return 2


def test_after_an_interruption_nothing_is_there(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        write_new(Interrupted(tmp_path / "a" / "b"))
    assert list(tmp_path.iterdir()) == []
