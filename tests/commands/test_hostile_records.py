"""Files of records that were edited by hand: a line with file and line number, no traceback."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from command_line import Run
from html_records import records

Record = dict[str, Any]
Change = Callable[[Record], object]
ITEM = ["show", "r.jsonl"]
EXPORT = ["export", "r.jsonl", "--format"]
MERGE = ["merge", "r.jsonl", "-o", "merged.jsonl"]
COMPARE = ["compare", "good.jsonl", "r.jsonl"]
ANOTHER = "r.jsonl:1: its {} has another type than that of a record"
LACKING = "r.jsonl:1: the record is not complete: it lacks {}"
AT_ODDS = "{}: a record contradicts itself ({}); leave the line out, or play the scenarios again\n"


@pytest.fixture(autouse=True)
def folder(folder: Path) -> Path:
    return folder


def change_first(change: Change) -> None:
    """Write records, the first of which is changed, and the others alone."""
    first, *further = records("claude")
    change(first)
    lines = [f"{json.dumps(record)}\n" for record in (first, *further)]
    Path("r.jsonl").write_text("".join(lines))
    Path("good.jsonl").write_text("".join(lines[1:]))


@pytest.mark.parametrize(
    ("change", "command", "problem"),
    [
        (lambda r: r["tools"].append(True), ["report", "r.jsonl"], ANOTHER.format("tools.{}")),
        (lambda r: r.update(tags=1), ITEM, ANOTHER.format("tags")),
        (lambda r: r["messages"][1].pop("sender"), [*EXPORT, "inspect"], LACKING),
        (lambda r: r["messages"][1].pop("content"), COMPARE, LACKING),
        (lambda r: r.update(usage={"agent": 5}), COMPARE, ANOTHER.format("usage.agent")),
    ],
)
def test_a_field_of_another_type(
    change: Change, command: list[str], problem: str, run: Run
) -> None:
    change_first(change)
    status, *printed = run(*command)
    assert status == (0 if command is COMPARE else 1)
    assert problem.partition("{")[0] in "".join(printed)


@pytest.mark.parametrize(
    ("change", "command", "problem"),
    [
        (lambda r: r["scores"].clear(), ["report", "r.jsonl"], "r.jsonl:1 KeyError: 'score'"),
        (lambda r: r["scores"].clear(), ["tables", "r.jsonl"], "r.jsonl KeyError: 'score'"),
        (lambda r: r.pop("error_patterns"), ["report", "r.jsonl"], "r.jsonl:1 KeyError"),
        (lambda r: r.pop("error_patterns"), [*EXPORT, "otlp-json"], "r.jsonl KeyError"),
        (lambda r: r.pop("error_patterns"), ITEM, "r.jsonl:1 KeyError: 'error_patterns'"),
        (lambda r: r["counts"].update(turns=10**400), COMPARE, "r.jsonl OverflowError"),
        (lambda r: r.update(duration=math.nan), MERGE, "r.jsonl ValueError"),
    ],
)
def test_fields_that_contradict_each_other(
    change: Change, command: list[str], problem: str, run: Run
) -> None:
    change_first(change)
    status, *texts = run(*command)
    printed = "".join(texts)
    where, _, what = problem.partition(" ")
    begins, ends = AT_ODDS.format(where, "|").split("|")
    assert status == 1
    assert f"{begins}{what}" in printed
    assert printed.endswith(ends)


@pytest.mark.parametrize("command", [ITEM, ["report", "r.jsonl"], [*EXPORT, "otlp-json"]])
def test_what_older_records_lack_and_a_clock_that_says_nothing(
    command: list[str], run: Run
) -> None:
    def change(record: Record) -> None:
        del record["ran_out"], record["limits"]
        record["now"] = "%s"

    change_first(change)
    assert run(*command).status == 0


def test_an_unknown_augmentation(run: Run) -> None:
    change_first(lambda r: r.update(variant="of_tomorrow", id=f"{r['id']}[of_tomorrow]"))
    status, out, _ = run("tables", "r.jsonl")
    assert (status, "of_tomorrow" in out) == (0, True)


@pytest.mark.parametrize(
    "command",
    [["show"], COMPARE[:2], ["gate", "--self-test"], ["check"]],
)
def test_a_pipe_is_not_read(command: list[str], run: Run) -> None:
    """Opening it would wait for a writer."""
    change_first(dict)
    os.mkfifo("pipe.yaml")
    status, *printed = run(*command, "pipe.yaml")
    assert status == 1
    assert "cannot be read: it is not a regular file" in "".join(printed)
