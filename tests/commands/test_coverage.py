"""``toolsandbox coverage``: what no scenario touches, and the shortest calls to it."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from command_line import Run
from late_texts import Recorded

WORLD = '''
from datetime import UTC, datetime

from pytest_toolsandbox import (
    NEW_IDENTIFIER, Column, Context, TableSchema, World, register_world, tool
)


@tool("safe", action=True)
def open_safe(context: Context, code: str) -> None:
    """Open the safe.

    Args:
        code: Its code.

    Raises:
        PermissionError: If the code is wrong.
    """
    if code != "4711":
        raise PermissionError("the code is wrong")
    context.update("safe", context.row("safe"), is_open=True)


@tool("safe", action=True)
def put_in(context: Context, thing: str) -> str:
    """Put something into the safe.

    Args:
        thing: What.

    Raises:
        RuntimeError: If it is closed.
    """
    if not context.row("safe")["is_open"]:
        raise RuntimeError("it is closed")
    identifier = context.new_identifier()
    context.add("thing", {"id": identifier, "thing": thing})
    return identifier


@tool("safe")
def read_note(context: Context) -> str:
    """Read the note beside the safe.

    Raises:
        OverflowError: Never.
    """
    return "4711"


register_world(World(
    "safe",
    datetime(2025, 3, 14, 9, tzinfo=UTC),
    {
        "safe": TableSchema({"is_open": Column(bool)}, single_row=True),
        "thing": TableSchema({"id": Column(str, default=NEW_IDENTIFIER), "thing": Column(str)}),
    },
    [open_safe, put_in, read_note],
    lambda now: {"safe": [{"is_open": False}], "thing": []},
))
'''
SCENARIO = """
world: safe
summary: Open the safe.
tools: [open_safe, read_note]
user: {opening: Open it.}
milestones: {opened: {state: {safe: {is_open: true}}}}
solutions: {reads: [{read_note: }, {open_safe: {code: {from: {call: read_note}}}}, {say: Done.}]}
"""


@pytest.fixture
def suite(folder: Path) -> Path:
    (folder / "conftest.py").write_text(WORLD, encoding="utf-8")
    (folder / "open.scenario.yaml").write_text(SCENARIO, encoding="utf-8")
    return folder


def test_what_is_touched_and_how_the_rest_is_reached(suite: Path, run: Run) -> None:
    printed = run("coverage", suite)
    assert printed.status == 0, printed.err
    assert printed.lines[:2] == [
        "       tools  errors  changes  dependencies",
        "safe  2 of 3  0 of 3   1 of 2        1 of 1",
    ]
    ways = dict(zip(printed.lines[2:], printed.lines[3:], strict=False))
    assert ways["  put_in"].strip() == "open_safe(code='4711'), then put_in(thing='something')"
    assert ways["  put_in: RuntimeError"].strip() == "put_in(thing='something')"
    assert ways["  open_safe: PermissionError"].strip() == "open_safe(code='something')"
    assert ways["  read_note: OverflowError"].strip() == "not reached"
    assert "open_safe(code='4711')" in ways["  thing: added"]


def test_a_skeleton_makes_the_calls(suite: Path, run: Run) -> None:
    skeletons = yaml.safe_load(run("coverage", suite, "--skeletons").out)
    steps = skeletons["reach_put_in"]["solutions"]["shortest"]
    assert steps[:2] == [{"open_safe": {"code": "4711"}}, {"put_in": {"thing": "something"}}]


def test_conversations_of_runs_count(recorded: Recorded, run: Run) -> None:
    file = recorded("hasty")
    before, after = (
        run("coverage", file.with_name("late.scenario.yaml"), *options).lines[1].split()
        for options in ([], [f"--results={file}"])
    )
    assert int(after[1]) == int(before[1]) + 1  # search_contacts
