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
from command_line import Run
from gate_records import write
from html_records import record, records

from pytest_toolsandbox.records.writing import as_line, lost_record, not_run_record


def written(file: Path, some: Sequence[dict[str, Any]]) -> Path:
    file.parent.mkdir(exist_ok=True)
    file.write_text("".join(f"{as_line(played)}\n" for played in some), encoding="utf-8")
    return file


@pytest.fixture
def files(folder: Path) -> list[str]:
    return [
        written(folder / f"{agent}.jsonl", records(agent)).name for agent in ("oracle", "clumsy")
    ]


def test_a_page_of_two_runs(folder: Path, run: Run) -> None:
    names = ("monday.jsonl", "tuesday.jsonl", "a/r.jsonl", "b/r.jsonl")
    files = [written(folder / name, records("claude")) for name in names]
    page = folder / "pages" / "report.html"
    assert run("report", *files, "-o", page) == (0, f"{page}: 16 records\n", "")
    text = page.read_text(encoding="utf-8")
    for arm in ("monday", "tuesday", "a/r", "b/r"):
        assert f'data-arm="claude ({arm})"' in text
    assert str(folder) not in text


def test_lines_that_cannot_be_used(folder: Path, run: Run) -> None:
    file, page = written(folder / "torn.jsonl", records("claude")), folder / "report.html"
    file.write_text(file.read_text() + '{"record": 2, "id"', encoding="utf-8")
    torn = f"{file}:5: torn: the run was stopped while it was written"
    printed = f"{page}: 4 records\n1 stored record cannot be used: {torn}\n"
    assert run("report", file, "-o", page) == (1, printed, "")
    shown = page.read_text(encoding="utf-8")
    assert "torn.jsonl:5: torn: the run was stopped" in shown
    assert str(folder) not in shown


@pytest.mark.parametrize(
    "command", [("show",), ("export", "--format=otlp-json"), ("report", "-o", "report.html")]
)
def test_a_process_that_loaded_no_scenarios_shows_verdicts(
    folder: Path, command: tuple[str, ...]
) -> None:
    """A record names its protocol, which says what its verdict is."""
    written(folder / "monday.jsonl", [record("cellar", "clumsy")])
    words = [sys.executable, "-m", "pytest_toolsandbox", command[0], "monday.jsonl", *command[1:]]
    printed = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    page = folder / "report.html"
    text = page.read_text(encoding="utf-8") if page.exists() else printed
    assert "milestones reached)" in text


def test_no_file(run: Run) -> None:
    problem = "none.jsonl: cannot be read: No such file or directory\n"
    for command in ("report", "user-tables"):
        assert run(command, "none.jsonl") == (1, "", problem)


def test_transcripts_of_what_passed(files: list[str], run: Run) -> None:
    status, out, _ = run("export", *files, "--format=chat-jsonl", "--outcome=passed")
    last = [json.loads(line)["messages"][-1]["role"] for line in out.splitlines()]
    assert (status, last) == (0, ["assistant", "assistant", "tool", "assistant"])  # a query's last


@pytest.mark.parametrize(("form", "key"), [("inspect", "eval"), ("otlp-json", "resourceSpans")])
def test_to_a_file(form: str, key: str, files: list[str], run: Run) -> None:
    printed = run("export", files[0], f"--format={form}", "-o", "out.json")
    assert printed == (0, "out.json: 4 conversations\n", "")
    assert key in json.loads(Path("out.json").read_text(encoding="utf-8"))


def test_a_log_in_a_folder_is_named_as_inspect_view_lists_it(files: list[str], run: Run) -> None:
    printed = run("export", files[0], "--format=inspect", "-o", "new/logs")
    (log,) = Path("new/logs").iterdir()
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\S*_oracle_\w{22}\.json", log.name)
    assert printed == (0, f"{log}: 4 conversations\n", "")


def test_what_cannot_be_exported(files: list[str], run: Run) -> None:
    problem = (
        "a log of Inspect is of one model, and there are oracle, clumsy; export each by itself"
    )
    assert run("export", *files, "--format=inspect") == (1, "", f"{problem}\n")
    problem = "there is no conversation whose outcome is failed"
    failed = run("export", files[0], "--format=inspect", "--outcome=failed")
    assert failed == (1, "", f"{problem}\n")


SCORES = """\
mean score of scenarios and queries (as ToolSandbox, table 5)
                          oracle  clumsy
multiple_tool_call         1.000   0.000
insufficient_information   1.000   0.000
query                      1.000   0.000
all scenarios              1.000   0.000
"""
PATTERNS = """
error patterns of queries (SpecTool, table 4)
        success   IAC   RAC   IAV   IFE   IAT   IAN   IFN
oracle     1.00  1.00  1.00  1.00  1.00  1.00  1.00  1.00
clumsy     0.00  0.93  1.00  1.00  1.00  1.00  1.00  1.00
"""
AGENTS = f"""\
{SCORES.partition(chr(10))[0]}
        all scenarios  multiple_tool_call  insufficient_information  query
oracle          1.000               1.000                     1.000  1.000
clumsy          0.000               0.000                     0.000  0.000
"""
MARKDOWN = """\
**mean score of scenarios and queries (as ToolSandbox, table 5)**

|  | oracle | clumsy |
| --- | ---: | ---: |
| multiple\\_tool\\_call | 1.000 | 0.000 |
"""
LATEX = "\\begin{table}\n\\caption{mean score of scenarios and queries (as ToolSandbox, table 5)}\n"


def test_agents_are_columns(files: list[str], run: Run) -> None:
    status, text, _ = run("tables", *files)
    assert (status, text.startswith(SCORES)) == (0, True)
    assert "mean number of turns of scenarios and queries (as ToolSandbox, table 11)" in text
    assert PATTERNS in text
    assert "ToolTalk" not in text
    assert run("tables", *files, "--format=markdown").out.startswith(MARKDOWN)
    latex = run("tables", *files, "--format=latex").out
    assert latex.startswith(LATEX)
    assert "multiple\\_tool\\_call & 1.000 & 0.000 \\\\\n" in latex


def test_agents_are_rows_on_request(files: list[str], run: Run) -> None:
    status, text, _ = run("tables", *files, "--rows=agents")
    assert (status, text.startswith(AGENTS)) == (0, True)
    assert PATTERNS in text
    latex = run("tables", *files, "--rows=agents", "--format=latex").out
    assert "oracle & 1.000 & 1.000 & 1.000 & 1.000 \\\\\n" in latex


def test_scores_by_call_format_are_of_what_was_played_with_both(folder: Path, run: Run) -> None:
    native = [record(name, "claude") for name in ("fork", "cellar")]
    written(folder / "native.jsonl", native)
    written(folder / "idle.jsonl", [record("fork", "idle")])
    text = [{**record(name, "claude"), "call_format": "react"} for name in ("fork", "most")]
    text = [{**each, "scores": {**each["scores"], "score": 0.5}} for each in text]
    written(folder / "react.jsonl", text)
    title = "\nmean score by call format (ToolSandbox, table 9)\n"
    _, _, table = run("tables", "native.jsonl", "idle.jsonl", "react.jsonl").out.partition(title)
    assert table.split("\n\n")[0].splitlines() == [
        "        native  react",
        "claude   0.000  0.500",
    ]
    assert title not in run("tables", "native.jsonl").out


def test_as_csv(files: list[str], run: Run) -> None:
    first = run("tables", *files, "--format=csv").out.split("\n\n")[0]
    rows = list(csv.reader(io.StringIO(first)))
    assert rows[0] == [
        "mean score of scenarios and queries (as ToolSandbox, table 5)",
        "oracle",
        "clumsy",
    ]
    assert rows[-1] == ["all scenarios", "1.000", "0.000"]
    written(Path("r.jsonl"), [record("cellar", "=1+1")])
    rows = list(csv.reader(io.StringIO(run("tables", "r.jsonl", "--format=csv").out)))
    assert rows[0][1] == "'=1+1"  # a name is not a formula


def test_without_figures(folder: Path, run: Run) -> None:
    written(folder / "r.jsonl", [lost_record("a.yaml::x", "crashed")])
    problem = "there are no figures: no conversation in these records was scored\n"
    assert run("tables", "r.jsonl") == (1, "", problem)


def test_what_was_not_run_is_in_no_mean_and_said(files: list[str], run: Run) -> None:
    before = run("tables", *files).out
    line = f"{as_line(not_run_record('a.yaml::x', 'the run was stopped'))}\n"
    with Path(files[1]).open("a", encoding="utf-8") as file:
        file.write(line)
    assert run("tables", *files) == (0, f"{before}{files[1]}: 1 item not run\n", "")
    Path(files[0]).write_text(line, encoding="utf-8")
    status, _, errors = run("tables", *files)
    assert (status, f"{files[0]}: 1 item not run, and no other" in errors) == (1, True)


COMMANDS = (["report"], ["export", "--format=chat-jsonl"], ["export", "--format=inspect"])
WRITERS = (
    *([*command, "own.jsonl", "-o"] for command in (["merge"], *COMMANDS)),
    ["baseline", "add", "other.jsonl", "--file"],
    ["baseline", "accept", "other.jsonl", "--reason=x", "--file"],
)
MERGE, REPORT, CHAT, INSPECT, ADD, ACCEPT = WRITERS


@pytest.fixture
def other_files(folder: Path) -> None:
    """The records ``own.jsonl`` and a link to them, other records, a baseline and a source file."""
    written(folder / "own.jsonl", records("oracle"))
    (folder / "link.jsonl").symlink_to("own.jsonl")
    write(folder / "other.jsonl")
    (folder / "baseline.jsonl").write_text('{"baseline": 1}\n')
    (folder / "conftest.py").write_text("mine")
    (folder / "folder").mkdir()


READ = "it is read, too; name another file"
LOST = "which would be lost; name another file"
FOLDER = "it is a folder; name a file in it"
IN_PROC = "no file can be made there" if os.access("/proc", os.W_OK) else "permission denied"


@pytest.mark.usefixtures("other_files")
@pytest.mark.parametrize(
    ("words", "out", "why_not"),
    [
        *(
            (words, *row)
            for words in (REPORT, CHAT, INSPECT)
            for row in (
                ("own.jsonl", READ),
                ("link.jsonl", READ),
                ("other.jsonl", f"it holds records, {LOST}"),
                ("baseline.jsonl", f"it holds a baseline, {LOST}"),
            )
        ),
        *(
            (words, *row)
            for words in WRITERS
            for row in (
                ("conftest.py/x.json", "conftest.py is not a folder"),
                ("/proc/x.json", IN_PROC),
            )
        ),
        *(
            (words, *row)
            for words in (MERGE, REPORT, CHAT)
            for row in (
                ("folder", FOLDER),
                ("/dev/null", "it is not a regular file"),
                (f"{'x' * 300}.json", "File name too long"),
            )
        ),
        (CHAT, "conftest.py/", FOLDER),
        (INSPECT, "conftest.py/", "conftest.py is not a folder"),
    ],
)
def test_what_is_not_written(
    folder: Path, run: Run, words: list[str], out: str, why_not: str
) -> None:
    before = {file: file.read_bytes() for file in folder.iterdir() if file.is_file()}
    assert run(*words, out) == (1, "", f"cannot write to {out}: {why_not}\n")
    assert before == {file: file.read_bytes() for file in folder.iterdir() if file.is_file()}


@pytest.mark.usefixtures("other_files")
@pytest.mark.parametrize("words", [REPORT, MERGE, ACCEPT])
def test_a_slash_at_the_end_names_no_file(run: Run, words: list[str]) -> None:
    status, _, errors = run(*words, "conftest.py/")
    assert (status, errors.rpartition(": ")[2]) == (
        2,
        "conftest.py/ is a folder; name a file in it\n",
    )
    assert Path("conftest.py").read_text() == "mine"


@pytest.mark.usefixtures("other_files")
@pytest.mark.parametrize("words", [REPORT, CHAT, INSPECT])
def test_what_a_command_wrote_is_replaced(run: Run, words: list[str]) -> None:
    assert [run(*words, "out.json").status for _ in range(2)] == [0, 0]
    assert Path("out.json").stat().st_size


@pytest.mark.usefixtures("other_files")
def test_a_slash_makes_a_folder_of_a_name_with_an_ending(run: Run) -> None:
    assert run(*INSPECT, "logs.new/").status == 0
    assert [log.suffix for log in Path("logs.new").iterdir()] == [".json"]
