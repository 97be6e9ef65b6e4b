"""Records are appended, each whole."""

from __future__ import annotations

import errno
import json
from io import FileIO
from pathlib import Path
from typing import Any

import pytest

from pytest_toolsandbox.plugin.output.results_file import ResultsFile, append, latest_lines


@pytest.mark.parametrize("overwrite", [True, False])
def test_a_run_has_its_file_alone(tmp_path: Path, *, overwrite: bool) -> None:
    path = tmp_path / "results.jsonl"
    first, second = (ResultsFile(path, overwrite=overwrite) for _ in range(2))
    first.reserve("--sandbox-results")
    with pytest.raises(pytest.UsageError) as caught:
        second.reserve("--sandbox-results")
    busy = "is being written by another run; name another file, or wait"
    assert str(caught.value) == f"--sandbox-results: {path} {busy}"
    first.write(["a", "a"])
    assert path.read_text() == "a\na\n"
    first.close()
    if overwrite:
        second.reserve("--sandbox-results")
        second.write(["c"])
        assert path.read_text() == "c\n"
    second.close()
    assert [file.name for file in tmp_path.iterdir()] == ["results.jsonl"]


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
    outcomes = [
        ("a", "passed"),
        ("c", "not_run"),
        ("b", "error"),
        ("b", "not_run"),
        ("d", "not_run"),
    ]
    outcomes += [("b", "failed"), ("c", "passed")]
    lines = [json.dumps({"id": name, "trial": 1, "outcome": outcome}) for name, outcome in outcomes]
    left = [json.loads(line) for line in latest_lines(lines, {"b": [1], "c": [1]})]
    assert [(record["id"], record["outcome"]) for record in left] == [
        *(("a", "passed"), ("b", "failed")),
        *(("c", "passed"), ("d", "not_run")),
    ]
