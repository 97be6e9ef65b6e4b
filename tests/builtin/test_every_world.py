"""What holds for every bundled world and every tool in it; ``worlds.txt`` lists them.

After an intended change, write the list again with
``PYTHONPATH=tests python tests/builtin/test_every_world.py``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from operator import attrgetter
from pathlib import Path

import jsonschema
from rows import every

from pytest_toolsandbox.builtin import WORLDS
from pytest_toolsandbox.worlds.parameter import NOT_GIVEN, Parameter
from pytest_toolsandbox.worlds.schemas import type_in_words
from pytest_toolsandbox.worlds.state import NO_DEFAULT, Column
from pytest_toolsandbox.worlds.tool import CallComparison, Tool
from pytest_toolsandbox.worlds.tool_view import ToolView
from pytest_toolsandbox.worlds.world import World, find_world, known_worlds

FILE = Path(__file__).with_name("worlds.txt")
TOOLS = [tool for name in WORLDS for tool in find_world(name).tools.values()]


def described(world: World) -> Iterator[str]:
    """Yield a line for the world, each table and each tool, with the scrambled name of the tool."""
    rows = {name: len(table) for name, table in world.start(world.now).items()}
    yield f"world {world.name} at {world.now}, {world.now.tzinfo}: {world.summary}"
    for name, schema in world.tables.items():
        marks = " single_row" * schema.single_row + " bookkeeping" * schema.bookkeeping
        columns = " ".join(described_column(*column) for column in schema.columns.items())
        yield f"table {name}{marks} ({rows[name]} rows) {columns}"
    for name, view in world.shown("tool_name").items():
        yield f"tool {described_tool(world.tools[name], view)}"


def described_column(name: str, column: Column) -> str:
    default = "" if column.default is NO_DEFAULT else "="
    measure = "" if column.measure == "exact" else f"~{column.measure}"
    return f"{name}:{column.type.__name__}{'|null' * column.nullable}{measure}{default}"


def described_tool(tool: Tool, view: ToolView) -> str:
    marks = " user" * tool.for_user + " action" * tool.action + " checked" * bool(tool.precondition)
    parameters = (described_parameter(tool, parameter) for parameter in tool.parameters.values())
    line = f"{view.name} {tool.module}.{tool.name}{marks} {' '.join(parameters)}".rstrip()
    has_comparison = tool.comparison != CallComparison()
    return f"{line} {tool.comparison}" if has_comparison else line


def described_parameter(tool: Tool, parameter: Parameter) -> str:
    kind = "/".join(parameter.shown.get("enum", [type_in_words(parameter.shown).replace(" ", "_")]))
    null = "|null" * (tool.problem(parameter.name, None) is None)
    default = "*" if parameter.required else ""
    if not parameter.required and parameter.default is not NOT_GIVEN:
        default = f"={json.dumps(parameter.default)}"
    return f"{parameter.name}:{kind}{null}{default}"


def all_worlds() -> str:
    return "\n\n".join("\n".join(described(find_world(name))) for name in WORLDS) + "\n"


def test_the_worlds_are_as_listed() -> None:
    assert all_worlds() == FILE.read_text(encoding="utf-8")
    assert set(WORLDS) <= set(known_worlds())
    for name in WORLDS:
        world = find_world(name)
        assert len(world.tools) == len(tuple(world.toolset))


@every("tool", TOOLS, ids=attrgetter("module", "name"))
def test_every_tool_and_every_argument_is_described(tool: Tool) -> None:
    parameters = tool.schema["function"]["parameters"]
    jsonschema.Draft202012Validator.check_schema(parameters)
    assert re.fullmatch(r"[A-Z].*[.:\]]", tool.description)
    assert tool.description == " ".join(tool.description.split())
    for shown in parameters["properties"].values():
        start = r"[A-Z]|\w+ for "  # or with a value: "net for the earliest first"
        assert re.fullmatch(rf"(?:{start}).*\.", shown["description"])


@every("tool", TOOLS, ids=attrgetter("module", "name"))
def test_defaults_are_bound_unless_they_mean_not_given(tool: Tool) -> None:
    samples = {"string": "x", "number": 1.5, "integer": 1, "boolean": True, "array": []}
    parameters = tool.parameters.items()
    needed = {
        name: parameter.shown.get("enum", [samples.get(parameter.shown.get("type", ""))])[0]
        for name, parameter in parameters
        if parameter.required
    }
    assert tool.bind(needed) == needed | {
        name: parameter.default
        for name, parameter in parameters
        if not parameter.required and parameter.default is not NOT_GIVEN
    }


@every("tool", TOOLS, ids=attrgetter("module", "name"))
def test_arguments_of_another_type_are_refused(tool: Tool) -> None:
    for name, parameter in tool.parameters.items():
        kind = parameter.shown.get("type")
        value: object = {"x": []} if kind == "array" else ["x"]
        if kind is not None:
            null = " or null" * (tool.problem(name, None) is None)
            wrong_type = "object" if kind == "array" else "array"
            assert tool.problem(name, value) == (
                f"Parameter {name!r} is of type '{wrong_type}', but expected '{kind}{null}'."
            )


@every("name", [name for name in WORLDS if name.startswith("queries.")])
def test_worlds_of_queries_have_no_state(name: str) -> None:
    assert not list(find_world(name).start(find_world(name).now))


if __name__ == "__main__":
    FILE.write_text(all_worlds(), encoding="utf-8")
