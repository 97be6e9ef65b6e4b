"""``toolsandbox report``, ``export`` and ``tables``, and what their output files may replace."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from gate_records import write
from html_records import record, records

from pytest_toolsandbox.__main__ import main
from pytest_toolsandbox.records.writing import as_line, lost_record, not_run_record


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


@pytest.mark.parametrize(
    "command", [("show",), ("export", "--format=otlp-json"), ("report", "-o", "report.html")]
)
def test_a_process_that_loaded_no_scenarios_shows_verdicts(
    tmp_path: Path, command: tuple[str, ...]
) -> None:
    """A record names its protocol, which says what its verdict is."""
    file = written(tmp_path / "monday.jsonl", [record("cellar", "clumsy")])
    python = (sys.executable, "-m", "pytest_toolsandbox")
    printed = subprocess.run(
        [*python, command[0], str(file), *command[1:]],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    page = tmp_path / "report.html"
    text = page.read_text(encoding="utf-8") if page.exists() else printed
    assert "milestones reached)" in text


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


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    for agent in ("oracle", "clumsy"):
        lines = "".join(f"{as_line(one)}\n" for one in records(agent))
        (tmp_path / f"{agent}.jsonl").write_text(lines, encoding="utf-8")
    return [str(tmp_path / f"{agent}.jsonl") for agent in ("oracle", "clumsy")]


def test_transcripts_of_what_passed(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", *files, "--format=chat-jsonl", "--outcome=passed"]) == 0
    lines = capsys.readouterr().out.splitlines()
    last = [json.loads(line)["messages"][-1]["role"] for line in lines]
    assert last == ["assistant", "assistant", "tool", "assistant"]  # a query ends with its answer


@pytest.mark.parametrize(("form", "key"), [("inspect", "eval"), ("otlp-json", "resourceSpans")])
def test_to_a_file(
    form: str, key: str, files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out.json"
    assert main(["export", files[0], f"--format={form}", "-o", str(out)]) == 0
    assert capsys.readouterr().out == f"{out}: 4 conversations\n"
    assert key in json.loads(out.read_text(encoding="utf-8"))


def test_a_log_in_a_folder_is_named_as_inspect_view_lists_it(
    files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    logs = tmp_path / "new" / "logs"
    assert main(["export", files[0], "--format=inspect", "-o", str(logs)]) == 0
    (written,) = logs.iterdir()
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\S*_oracle_\w{22}\.json", written.name)
    assert capsys.readouterr().out == f"{written}: 4 conversations\n"


def test_a_log_of_inspect_is_of_one_agent(
    files: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["export", *files, "--format=inspect"]) == 1
    told = "a log of Inspect is of one model, and there are oracle, clumsy; export each by itself"
    assert capsys.readouterr().err == f"{told}\n"


def test_nothing_that_ended_so(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", files[0], "--format=inspect", "--outcome=failed"]) == 1
    assert capsys.readouterr().err == "there is no conversation whose outcome is failed\n"


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
