"""Calls of the bundled worlds with their results and changes: ``world_calls/WORLD[-PART].txt``.

A line ``> tool {arguments}`` is a call at the start of the world, ``>>`` a call in the state after
the previous one, and ``= {…}`` says who is logged in or how the phone's settings differ at the
start. Below a call are its result, or after ``!`` its error, and the rows that it adds (``+``),
removes (``-``) and changes (``~``). After an intended change, write the results again with
``python test_world_calls.py``.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pytest_toolsandbox.builtin.office import logged_in
from pytest_toolsandbox.calls.tool_call import ToolCall
from pytest_toolsandbox.conversation.environment import ExecutionEnvironment
from pytest_toolsandbox.worlds.state import State, Table, plain
from pytest_toolsandbox.worlds.world import World, find_world

FILES = sorted(Path(__file__).with_name("world_calls").glob("*.txt"))


def as_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def lines_of(result: Any) -> Iterator[str]:
    """Yield the lines of a result: one for each key, and one for each item of a list of objects."""
    if isinstance(result, list) and result and all(isinstance(item, dict) for item in result):
        yield from (f"  {as_json(item)}" for item in result)
    elif isinstance(result, dict):
        for key, value in result.items():
            is_list = isinstance(value, list) and value and isinstance(value[0], dict)
            yield from [f"{key}:", *lines_of(value)] if is_list else [f"{key}: {as_json(value)}"]
    else:
        yield as_json(result)


def changes(before: State, after: State) -> Iterator[str]:
    for name in before:
        removed, added = before[name].minus(after[name]), after[name].minus(before[name])
        places = (before[name].rows.index, after[name].rows.index)
        if len(removed) == len(added) == 1:
            cells = {k: v for k, v in plain(added[0]).items() if plain(removed[0])[k] != v}
            yield f"~ {name}[{places[1](added[0])}] {as_json(cells)}"
            continue
        yield from (f"- {name}[{places[0](row)}] {as_json(plain(row))}" for row in removed)
        yield from (f"+ {name}[{places[1](row)}] {as_json(plain(row))}" for row in added)


def start_of(world: World, start: dict[str, Any]) -> State:
    state = world.start(world.now)
    if "user" in start:
        return logged_in(state, start["user"])
    if start:
        return state.with_table("setting", Table([state["setting"].rows[0].changed(**start)]))
    return state


def played(file: Path) -> str:
    """Return the text of a file with the results that its calls have now."""
    world = find_world(file.stem.partition("-")[0])
    environment = ExecutionEnvironment(world, world.now, world.shown())
    start = state = start_of(world, {})
    lines: list[str] = []
    for line in file.read_text(encoding="utf-8").splitlines():
        mark, _, text = line.partition(" ")
        if mark == "#":
            start = start_of(world, {})
            lines += ["", line] if lines else [line]
        elif mark == "=":
            start = start_of(world, json.loads(text))
            lines.append(line)
        elif mark in (">", ">>"):
            tool, _, arguments = text.partition(" ")
            before = start if mark == ">" else state
            response = environment.run(ToolCall("", tool, arguments), before, "call")
            state = response.state
            result = [f"! {response.error}"]
            assert state is before or not response.failed
            if not response.failed:
                result = [*lines_of(json.loads(response.content)), *changes(before, state)]
            lines += [line, *result]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_calls_have_their_results(file: Path) -> None:
    assert played(file) == file.read_text(encoding="utf-8")


def test_they_have_the_same_results_anywhere() -> None:
    folders = os.pathsep.join(str(folder) for folder in Path(__file__).parents[:3])
    where = {"PYTHONHASHSEED": "2", "TZ": "Asia/Kathmandu", "LANGUAGE": "th", "LC_ALL": "C.UTF-8"}
    same = "calls.played(file) == file.read_text('utf-8') for file in calls.FILES"
    code = f"import test_world_calls as calls; print(sum({same}))"
    finished = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, **where, "PYTHONPATH": folders},
        capture_output=True,
        text=True,
        check=True,
    )
    assert finished.stdout == f"{len(FILES)}\n"


if __name__ == "__main__":
    for file in FILES:
        file.write_text(played(file), encoding="utf-8")
