"""A project to run pytest in, with a small world of its own."""

from __future__ import annotations

import functools
import importlib
import itertools
import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

NOT_TWICE = (np, yaml)
"""Extensions that cannot be imported twice, as they would be by runs of pytest in one process."""

PLUGINS = ("pytest_toolsandbox.plugin", "xdist.plugin")

WORLD = '''
from datetime import UTC, datetime

import pytest

from pytest_toolsandbox import (
    NEW_IDENTIFIER, AgentError, Column, Context, TableSchema, World, register_world, tool
)


@tool("desk")
def switch_lamp(context: Context, on: bool) -> None:
    """Switch the lamp.

    Args:
        on: Whether it is to be on.
    """
    context.update("lamp", context.row("lamp"), on=on)


@tool("desk")
def write_note(context: Context, text: str, title: str | None = None) -> str:
    """Write a note; the lamp must be on.

    Args:
        text: What to write.
        title: Its title.

    Raises:
        PermissionError: If the lamp is off.
    """
    if not context.row("lamp")["on"]:
        raise PermissionError("it is dark")
    identifier = context.new_identifier()
    context.add("note", {"note_id": identifier, "text": text, "title": title})
    return identifier


@tool("desk")
def read_notes(context: Context) -> list[str]:
    """Read all notes."""
    return [note["text"] for note in context.rows("note")]


register_world(
    World(
        name="desk",
        now=datetime(2025, 3, 14, 16, tzinfo=UTC),
        tables={
            "lamp": TableSchema({"on": Column(bool)}, single_row=True),
            "note": TableSchema(
                {
                    "note_id": Column(str, default=NEW_IDENTIFIER),
                    "text": Column(str, measure="rouge_l"),
                    "title": Column(str, nullable=True, default=None),
                }
            ),
        },
        toolset=(switch_lamp, write_note, read_notes),
        initial=lambda now: {"lamp": [{"on": False}], "note": [{"text": "Water the ferns."}]},
    )
)
'''
"""The ``conftest.py`` of every suite: a desk with a lamp and notes."""

LIGHT = """
world: desk
categories: [single_tool_call, single_user_turn]
user: {opening: Turn on the light.}
milestones:
  light_on: {state: {lamp: {on: true}}}
  user_told: {says: {mentions: ["on"]}}
solutions:
  directly: [{switch_lamp: {on: true}}, {say: The lamp is on.}]
counterexamples:
  says_nothing: [{switch_lamp: {on: true}}, {say: Anything else}]
  does_nothing: [{say: "No."}]
"""
"""One scenario, which the first counterexample half solves and the second not at all."""

SWITCHING = """
def switching(messages, tools):
    if messages[-1]["role"] == "tool":
        return "The lamp is on."
    function = {"name": "switch_lamp", "arguments": '{"on": true}'}
    return {"content": None, "tool_calls": [{"id": "1", "function": function}]}
"""
"""An agent that solves it."""

SWITCHED = "{switch_lamp: {on: true}}, "


def saying(says: str, calls: str = SWITCHED) -> str:
    """Return a scenario of what an agent says, whose counterexample says something else."""
    return f"""
world: desk
user: {{opening: Turn on the light.}}
milestones:
  light_on: {{state: {{lamp: {{on: true}}}}}}
  user_told: {{says: {{claims: [turned on]}}}}
solutions:
  rightly: [{SWITCHED}{{say: The lamp is turned on.}}]
counterexamples:
  played: [{calls}{{say: "{says}"}}]
"""


Run = Callable[..., pytest.RunResult]


def gate_text(result: pytest.RunResult) -> str:
    """Return what a run says of its gate, in one line; empty if it says nothing."""
    lines = iter(result.outlines)
    first = next((line for line in lines if line.startswith("gate: ")), "")
    rest = itertools.takewhile(lambda line: line.startswith("  "), lines) if first else ()
    return " ".join([first, *map(str.strip, rest)])


@dataclass(frozen=True)
class Suite:
    """A folder with scenarios."""

    pytester: pytest.Pytester

    @property
    def path(self) -> Path:
        return self.pytester.path

    def write(self, path: str, text: str | bytes) -> Path:
        """Write a file below the folder."""
        file = self.path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode() if isinstance(text, str) else text)
        return file

    def conftest(self, text: str) -> None:
        """Add to the ``conftest.py``."""
        self.write("conftest.py", f"{WORLD}\n{text}")

    def ini(self, *lines: str) -> None:
        """Write the ini file."""
        self.write("pytest.ini", "\n".join(("[pytest]", *lines)))

    def run(self, *arguments: str) -> pytest.RunResult:
        """Run pytest in this process.

        The plugins are given as modules: for their names all that are installed is looked through.
        """
        plugins = [importlib.import_module(name) for name in PLUGINS]
        run = functools.partial(self.pytester.runpytest_inprocess, plugins=plugins)
        return self._run(run, arguments)

    def run_apart(self, *arguments: str) -> pytest.RunResult:
        """Run pytest in a process of its own."""
        return self._run(self.pytester.runpytest_subprocess, arguments)

    def _run(
        self, run: Callable[..., pytest.RunResult], arguments: Sequence[str]
    ) -> pytest.RunResult:
        """Run pytest without the other plugins that are installed, which take their time."""
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
            patch.setenv("PYTEST_PLUGINS", ",".join(PLUGINS))
            return run(*arguments)

    def records(self, path: str = "results.jsonl") -> list[dict[str, Any]]:
        """Return the records of a file, in the order of items and trials.

        Without ``run``, which differs between commands and times.
        """
        records = self.whole_records(path)
        return [{name: v for name, v in record.items() if name != "run"} for record in records]

    def whole_records(self, path: str = "results.jsonl") -> list[dict[str, Any]]:
        """Return the records of a file as they are, in the order of items and trials."""
        lines = (self.path / path).read_text(encoding="utf-8").splitlines()
        records = map(json.loads, lines)
        return sorted(records, key=lambda record: (record["id"], record["trial"]))

    def junit(self, path: str = "junit.xml") -> tuple[dict[str, str], dict[str, dict[str, str]]]:
        """Return the properties of the suite, and those of each test case by its name."""
        (suite,) = ET.parse(self.path / path).getroot()
        cases = {case.attrib["name"]: _properties(case) for case in suite.iter("testcase")}
        return _properties(suite), cases


END = re.compile(r"===|___|-+ generated xml file")


def section(result: pytest.RunResult, title: str) -> str:
    """Return what pytest printed under a title such as ``light`` or ``ERROR at setup of light``."""
    lines = result.outlines
    start = next(i for i, line in enumerate(lines) if line.strip("_= ") == title) + 1
    rest = (i for i, line in enumerate(lines[start:], start) if END.match(line))
    return "\n".join(lines[start : next(rest)]).rstrip()


def _properties(node: ET.Element) -> dict[str, str]:
    properties = node.findall("properties/property")
    return {item.attrib["name"]: item.attrib["value"] for item in properties}


def small_record(
    name: str,
    score: float | None,
    *categories: str,
    outcome: str = "failed",
    turns: int = 4,
    calls: int = 1,
) -> Any:
    """Return the part of a record that totals look at; without a score it is an error."""
    parts = {"milestone_score": score, "minefield_score": 0.0}
    return {
        "id": f"a.yaml::{name}",
        "feedback": False,
        "categories": list(categories),
        "outcome": "error" if score is None else outcome,
        "scores": None if score is None else {"score": score, **parts},
        "counts": {"turns": turns, "messages": turns + 3, "tool_calls": calls},
    }
