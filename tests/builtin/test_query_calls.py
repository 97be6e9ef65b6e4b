"""Calls of the query worlds with their results: ``query_calls/*.txt``, a file for each world.

A line ``> tool {arguments}`` is a call; the lines below it are its result, or its error after
``!``. After an intended change, write the results again with ``python test_query_calls.py``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from lookups import call_in

from pytest_toolsandbox.worlds.world import World, find_world

FILES = sorted(Path(__file__).with_name("query_calls").glob("*.txt"))


def as_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def lines_of(result: Any) -> Iterator[str]:
    """Yield the lines of a result: one for each key, and one for each item of a list of objects."""
    if isinstance(result, list) and result and all(isinstance(item, dict) for item in result):
        yield from (f"- {as_json(item)}" for item in result)
    elif isinstance(result, dict):
        for key, value in result.items():
            is_list = isinstance(value, list) and value and isinstance(value[0], dict)
            yield from [f"{key}:", *lines_of(value)] if is_list else [f"{key}: {as_json(value)}"]
    else:
        yield as_json(result)


def outcome(world: World, tool: str, arguments: dict[str, Any]) -> Iterator[str]:
    try:
        yield from lines_of(call_in(world, tool, **arguments))
    except Exception as error:  # noqa: BLE001  # any error is a line for the agent
        yield f"! {type(error).__name__}: {error}"


def played(file: Path) -> str:
    """Return the text of a file with the results that its calls have now."""
    world = find_world(f"queries.{file.stem}")
    lines: list[str] = []
    for line in file.read_text(encoding="utf-8").splitlines():
        if line.startswith("> "):
            tool, _, arguments = line.removeprefix("> ").partition(" ")
            lines += [line, *outcome(world, tool, json.loads(arguments))]
        elif line.startswith("# "):
            lines += ["", line] if lines else [line]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_calls_have_their_results(file: Path) -> None:
    assert played(file) == file.read_text(encoding="utf-8")


if __name__ == "__main__":
    for file in FILES:
        file.write_text(played(file), encoding="utf-8")
