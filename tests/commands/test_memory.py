"""Commands keep what they need of a record: a file may have a gigabyte of them."""

from __future__ import annotations

import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from command_line import Run
from html_records import record

from pytest_toolsandbox.records.writing import as_line

pytestmark = pytest.mark.any_pytest

COUNT, SIZE = 40, 200_000


def written(file: Path, some: dict[str, Any], count: int) -> None:
    lines = (as_line({**some, "id": f"a.yaml::{number:03}"}) for number in range(count))
    file.write_text("\n".join(lines), encoding="utf-8")


@pytest.mark.parametrize(
    "command",
    [
        "tables FILE",
        "compare FILE FILE",
        "baseline add FILE",
        "show FILE",
        "merge FILE -o OUT",
        "report FILE",
    ],
)
def test_of_many_records_little_is_kept(folder: Path, run: Run, command: str) -> None:
    small = record("fork", "oracle")
    large = {**small, "summary": "fork " * (SIZE // 5)}
    written(folder / "few", small, 2)
    written(folder / "many", large, COUNT)
    texts = command.replace("FILE", "few").replace("OUT", "few.jsonl").split()
    assert run(*texts).status == 0  # what is imported and compiled now is not measured
    (folder / "baseline.jsonl").unlink(missing_ok=True)
    tracemalloc.start()
    result = run(*command.replace("FILE", "many").replace("OUT", "many.jsonl").split())
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert result.status == 0, result
    assert peak < COUNT * SIZE / 2
