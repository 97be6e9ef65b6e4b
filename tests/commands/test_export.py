"""``toolsandbox export``."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from html_records import records

from pytest_toolsandbox.__main__ import main
from pytest_toolsandbox.records.writing import as_line


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
