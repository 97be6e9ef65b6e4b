"""The page of the query worlds lists their tools, with their arguments, and counts their data."""

from __future__ import annotations

import json
import re
from pathlib import Path

from rows import every

from pytest_toolsandbox.builtin.queries.data_files import data_of
from pytest_toolsandbox.worlds.tool import Tool
from pytest_toolsandbox.worlds.world import find_world, known_worlds

PAGE = (Path(__file__).parents[2] / "docs" / "query-worlds.md").read_text(encoding="utf-8")
SECTIONS = dict(
    re.findall(r"^## `queries\.(\w+)`\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)
)


def written(tool: Tool) -> str:
    """Return a tool with its arguments as the page has it."""
    arguments = (
        f"`{name}`" if parameter.required else f"[`{name}` = {json.dumps(parameter.default)}]"
        for name, parameter in tool.parameters.items()
    )
    return f"| `{tool.name}` | {', '.join(arguments)} |".replace("|  |", "| |")


def test_every_world_has_a_section() -> None:
    worlds = [name.removeprefix("queries.") for name in known_worlds() if "queries." in name]
    assert sorted(SECTIONS) == sorted(worlds)


@every("name", SECTIONS)
def test_its_tools_are_listed(name: str) -> None:
    world = find_world(f"queries.{name}")
    rows = re.findall(r"^(\| `.*? \|.*? \|) \w", SECTIONS[name], re.MULTILINE)
    assert rows == [written(tool) for tool in world.agent_tools.values()]
    assert f"{world.now:%d %B %Y, %H:%M} UTC" in PAGE


@every("name", SECTIONS)
def test_its_data_are_counted(name: str) -> None:
    section = " ".join(SECTIONS[name].partition("| tool")[0].split())
    counts = {
        key.replace("_", " "): len(rows)
        for key, rows in data_of(name).items()
        if isinstance(rows, list)
    }
    (sentence,) = re.findall(r"There are (.*?)\.$", section)
    numbered = re.findall(r"(\d+) ([a-z ]+?)(?:,| and |$)", sentence)
    assert {key: int(count) for count, key in numbered} == counts
