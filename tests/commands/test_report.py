"""``toolsandbox report``: a page from files of records."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from html_records import records

from pytest_toolsandbox.__main__ import main
from pytest_toolsandbox.records.writing import as_line


def written(file: Path, some: Sequence[dict[str, Any]]) -> Path:
    file.parent.mkdir(exist_ok=True)
    file.write_text("".join(f"{as_line(one)}\n" for one in some), encoding="utf-8")
    return file


def test_a_page_of_two_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one = written(tmp_path / "monday.jsonl", records("claude"))
    other = written(tmp_path / "tuesday.jsonl", records("claude"))
    page = tmp_path / "pages" / "report.html"
    assert main(["report", str(one), str(other), "-o", str(page)]) == 0
    assert capsys.readouterr().out == f"{page}: 8 records\n"
    text = page.read_text(encoding="utf-8")
    assert 'data-arm="claude (monday)"' in text
    assert 'data-arm="claude (tuesday)"' in text
    assert str(tmp_path) not in text


def test_files_of_the_same_name(tmp_path: Path) -> None:
    files = [written(tmp_path / name / "r.jsonl", records("claude")) for name in ("a", "b")]
    page = tmp_path / "report.html"
    assert main(["report", *map(str, files), "-o", str(page)]) == 0
    assert 'data-arm="claude (b/r)"' in page.read_text(encoding="utf-8")


def test_lines_that_cannot_be_used_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = written(tmp_path / "torn.jsonl", records("claude"))
    file.write_text(file.read_text() + '{"record": 2, "id"', encoding="utf-8")
    page = tmp_path / "report.html"
    assert main(["report", str(file), "-o", str(page)]) == 1
    told = (
        f"1 stored record cannot be used: {file}:5: torn: the run was stopped while it was written"
    )
    assert capsys.readouterr().out == f"{page}: 4 records\n{told}\n"
    shown = page.read_text(encoding="utf-8")
    assert "torn.jsonl:5: torn: the run was stopped" in shown
    assert str(tmp_path) not in shown


def test_no_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", str(tmp_path / "none.jsonl")]) == 1
    assert (
        capsys.readouterr().err
        == f"{tmp_path}/none.jsonl: cannot be read: No such file or directory\n"
    )
