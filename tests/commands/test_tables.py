"""``toolsandbox tables``: the papers' tables with a column for each agent."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from html_records import record, records

from pytest_toolsandbox.__main__ import main
from pytest_toolsandbox.records.writing import as_line, lost_record, not_run_record


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    for agent in ("oracle", "clumsy"):
        lines = "".join(f"{as_line(one)}\n" for one in records(agent))
        (tmp_path / f"{agent}.jsonl").write_text(lines, encoding="utf-8")
    return [str(tmp_path / f"{agent}.jsonl") for agent in ("oracle", "clumsy")]


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["tables", *arguments]) == 0
    return capsys.readouterr().out


SCORES = """\
mean score (ToolSandbox, table 5)
                          oracle  clumsy
multiple_tool_call         1.000   0.000
insufficient_information   1.000   0.000
query                      1.000   0.000
all scenarios              1.000   0.000
"""


def test_agents_are_columns(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(capsys, *files)
    assert text.startswith(SCORES)
    assert "mean number of turns (ToolSandbox, table 11)" in text
    assert "error patterns (SpecTool, table 4)" in text
    assert "ToolTalk" not in text


def test_as_markdown(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    lines = printed(capsys, *files, "--format=markdown").splitlines()
    assert lines[:5] == [
        "**mean score (ToolSandbox, table 5)**",
        "",
        "|  | oracle | clumsy |",
        "| --- | ---: | ---: |",
        "| multiple\\_tool\\_call | 1.000 | 0.000 |",
    ]


def test_as_csv(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    first = printed(capsys, *files, "--format=csv").split("\n\n")[0]
    rows = list(csv.reader(io.StringIO(first)))
    assert rows[0] == ["mean score (ToolSandbox, table 5)", "oracle", "clumsy"]
    assert rows[-1] == ["all scenarios", "1.000", "0.000"]


def test_a_name_is_no_formula(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "r.jsonl"
    file.write_text(as_line(record("cellar", "=1+1")), encoding="utf-8")
    rows = list(csv.reader(io.StringIO(printed(capsys, str(file), "--format=csv"))))
    assert rows[0][1] == "'=1+1"


def test_as_latex(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(capsys, *files, "--format=latex")
    assert text.startswith("\\begin{table}\n\\caption{mean score (ToolSandbox, table 5)}\n")
    assert "multiple\\_tool\\_call & 1.000 & 0.000 \\\\\n" in text


def test_without_figures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "r.jsonl"
    file.write_text(as_line(lost_record("a.yaml::x", "crashed")), encoding="utf-8")
    assert main(["tables", str(file)]) == 1
    told = "there are no figures: no conversation in these records was scored\n"
    assert capsys.readouterr().err == told


def test_what_was_not_run_is_in_no_mean_and_said(
    files: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    before = printed(capsys, *files)
    line = f"{as_line(not_run_record('a.yaml::x', 'the run was stopped'))}\n"
    with Path(files[1]).open("a", encoding="utf-8") as file:
        file.write(line)
    assert printed(capsys, *files) == f"{before}{files[1]}: 1 item not run\n"
    Path(files[0]).write_text(line, encoding="utf-8")
    assert main(["tables", *files]) == 1
    assert f"{files[0]}: 1 item not run, and no other" in capsys.readouterr().err
