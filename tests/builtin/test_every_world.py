"""What holds for every world that comes with the package, and every tool in it."""

from __future__ import annotations

from operator import attrgetter

from rows import every

from pytest_toolsandbox.builtin import WORLDS
from pytest_toolsandbox.worlds.tool import Tool
from pytest_toolsandbox.worlds.world import find_world

TOOLS = [tool for name in WORLDS for tool in find_world(name).tools.values()]


@every("tool", TOOLS, ids=attrgetter("module", "name"))
def test_every_tool_and_every_argument_is_described(tool: Tool) -> None:
    assert tool.description
    assert {name for name, parameter in tool.parameters.items() if not parameter.description} == (
        set()
    )


@every("name", [name for name in WORLDS if name.startswith("queries.")])
def test_worlds_of_queries_have_no_state(name: str) -> None:
    world = find_world(name)
    assert world.name == name
    assert not list(world.start(world.now))
