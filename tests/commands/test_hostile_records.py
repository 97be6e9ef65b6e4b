"""Files of records that somebody has changed: a line with file and line number, no traceback."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from html_records import records

from pytest_toolsandbox.__main__ import main

Record = dict[str, Any]
Change = Callable[[Record], object]
ITEM = ["show", "r.jsonl"]
EXPORT = ["export", "r.jsonl", "--format"]
COMPARE = ["compare", "good.jsonl", "r.jsonl"]
ANOTHER = "r.jsonl:1: its {} has another type than that of a record"
LACKING = "r.jsonl:1: the record is not complete: it lacks {}"
AT_ODDS = "{}: a record contradicts itself ({}); leave the line out, or play the scenarios again\n"


def run(
    changes: Change, command: list[str], capsys: pytest.CaptureFixture[str], folder: Path
) -> tuple[int, str]:
    first, *others = records("claude")
    changes(first)
    lines = [f"{json.dumps(one)}\n" for one in (first, *others)]
    (folder / "r.jsonl").write_text("".join(lines))
    (folder / "good.jsonl").write_text("".join(lines[1:]))
    capsys.readouterr()
    return main(command), "".join(capsys.readouterr())


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("change", "command", "told"),
    [
        (lambda r: r["tools"].append(True), ["report", "r.jsonl"], ANOTHER.format("tools.{}")),
        (lambda r: r.update(tags=1), ITEM, ANOTHER.format("tags")),
        (lambda r: r["messages"][1].pop("sender"), [*EXPORT, "inspect"], LACKING),
        (lambda r: r["messages"][1].pop("content"), COMPARE, LACKING),
        (lambda r: r.update(usage={"agent": 5}), COMPARE, ANOTHER.format("usage.agent")),
    ],
)
def test_a_field_of_another_type(
    change: Change,
    command: list[str],
    told: str,
    capsys: pytest.CaptureFixture[str],
    folder: Path,
) -> None:
    status, printed = run(change, command, capsys, folder)
    assert status == (0 if command is COMPARE else 1)
    assert told.partition("{")[0] in printed


@pytest.mark.parametrize(
    ("change", "command", "told"),
    [
        (lambda r: r["scores"].clear(), ["report", "r.jsonl"], "r.jsonl:1 KeyError: 'score'"),
        (lambda r: r["scores"].clear(), ["tables", "r.jsonl"], "r.jsonl KeyError: 'score'"),
        (lambda r: r.pop("error_patterns"), ["report", "r.jsonl"], "r.jsonl:1 KeyError"),
        (lambda r: r.pop("error_patterns"), [*EXPORT, "otlp-json"], "r.jsonl KeyError"),
        (lambda r: r.pop("error_patterns"), ITEM, "r.jsonl:1 KeyError: 'error_patterns'"),
    ],
)
def test_fields_that_contradict_each_other(
    change: Change,
    command: list[str],
    told: str,
    capsys: pytest.CaptureFixture[str],
    folder: Path,
) -> None:
    status, printed = run(change, command, capsys, folder)
    where, _, what = told.partition(" ")
    begins, ends = AT_ODDS.format(where, "|").split("|")
    assert status == 1
    assert f"{begins}{what}" in printed
    assert printed.endswith(ends)


@pytest.mark.parametrize("command", [ITEM, ["report", "r.jsonl"], [*EXPORT, "otlp-json"]])
def test_what_older_records_lack_and_a_clock_that_says_nothing(
    command: list[str], capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    def change(record: Record) -> None:
        del record["ran_out"], record["limits"]
        record["now"] = "%s"

    assert run(change, command, capsys, folder)[0] == 0


def test_an_augmentation_that_is_not_known_here(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    def change(record: Record) -> None:
        record.update(variant="of_tomorrow", id=f"{record['id']}[of_tomorrow]")

    status, printed = run(change, ["tables", "r.jsonl"], capsys, folder)
    assert (status, "of_tomorrow" in printed) == (0, True)


@pytest.mark.parametrize(
    "command",
    [["show", "pipe"], [*COMPARE[:2], "pipe"], ["gate", "--self-test", "pipe"], ["check", "pipe"]],
)
def test_a_pipe_is_no_file(
    command: list[str], capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    """Whoever opens it would wait for somebody who writes."""
    os.mkfifo(folder / "pipe.yaml" if command[0] == "check" else folder / "pipe")
    given = [f"{one}.yaml" if one == "pipe" and command[0] == "check" else one for one in command]
    status, printed = run(dict, given, capsys, folder)
    assert (status, "cannot be read: it is not a regular file" in printed) == (1, True)
