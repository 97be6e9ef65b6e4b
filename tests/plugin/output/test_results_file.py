"""Records are appended, each whole."""

from __future__ import annotations

import errno
import json
from io import FileIO
from pathlib import Path
from typing import Any

import pytest

from pytest_toolsandbox.plugin.output.results_file import ResultsFile, append, latest_lines


def test_two_runs_into_one_file_do_not_mix_their_lines(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    files = [ResultsFile(path, overwrite=False) for _ in range(2)]
    for number in range(2):
        for name, file in zip("ab", files, strict=True):
            file.write([f"{name}{number}", name])
    for file in files:
        file.close()
    assert path.read_text().split() == ["a0", "a", "b0", "b", "a1", "a", "b1", "b"]


def test_a_run_that_replaces_a_file_has_it_alone(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    first, second, third = (ResultsFile(path, overwrite=each) for each in (True, True, False))
    first.write(["a"])
    with pytest.raises(pytest.UsageError) as caught:
        second.refuse_to_overwrite("--sandbox-results")
    busy = "is being written by another run; name another file, or wait"
    assert str(caught.value) == f"--sandbox-results: {path} {busy}"
    for late in (second, third):
        late.write(["b"])
        line = f"results: 1 record could not be written to {path}: another run is writing it"
        assert late.failures() == [line]
    first.write(["a"])
    assert path.read_text() == "a\na\n"
    first.close()
    second.refuse_to_overwrite("--sandbox-results")
    second.write(["c"])
    second.close()
    assert path.read_text() == "c\n"


class FullDisk(FileIO):
    """A file that takes two bytes, then no more."""

    def write(self, line: Any, /) -> int:
        if len(line) < 5:
            raise OSError(errno.ENOSPC, "No space left on device")
        return super().write(line[:2])


@pytest.mark.parametrize(("other", "left"), [("", "whole\n"), ("other\n", "whole\ntoother\n")])
def test_a_torn_line_is_taken_back_unless_others_stand_behind_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, other: str, left: str
) -> None:
    path = tmp_path / "results.jsonl"
    path.write_text("whole\n")
    with FullDisk(path, "a") as file:
        seek = file.seek

        def seek_late(*place: int) -> int:
            if path.read_text() == "whole\nto":
                path.write_text(f"whole\nto{other}")
            return seek(*place)

        monkeypatch.setattr(file, "seek", seek_late)
        with pytest.raises(OSError, match="No space"):
            append(file, b"torn!")
    assert path.read_text() == left


def test_what_is_played_later_stands_where_it_was_played() -> None:
    """What was not run takes the place of nothing, and leaves none behind."""
    told = [("a", "passed"), ("c", "not_run"), ("b", "error"), ("b", "not_run"), ("d", "not_run")]
    told += [("b", "failed"), ("c", "passed")]
    lines = [json.dumps({"id": name, "trial": 1, "outcome": one}) for name, one in told]
    left = [json.loads(line) for line in latest_lines(lines, {"b": [1], "c": [1]})]
    assert [(one["id"], one["outcome"]) for one in left] == [
        *(("a", "passed"), ("b", "failed")),
        *(("c", "passed"), ("d", "not_run")),
    ]
