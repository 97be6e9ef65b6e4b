"""Describes a world to a model: its tools, its tables, and a seeded sample of their rows."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from random import Random
from typing import Any, Final

from pytest_toolsandbox.text.formatting import truncate
from pytest_toolsandbox.worlds.state import Row, TableSchema, plain
from pytest_toolsandbox.worlds.tool import Tool
from pytest_toolsandbox.worlds.world import World

from .assignments import can_change_start
from .linked_rows import sampled

ROWS: Final = 24_000
"""Characters of all rows that are shown. Small worlds are shown whole."""
_TOOLS: Final = 16_000
"""Characters of tools; those that are not asked for have a line each beyond that."""
_CELL: Final = 160
"""Characters of a text in a row."""
_POLICY: Final = 12_000
"""Characters of a policy."""


def description(world: World, focus: Collection[str], random: Random) -> str:
    """Return the world in Markdown, with all about the tools in ``focus``.

    The rows are a sample that fits a budget.
    """
    head = [f"# The world {world.name}", world.summary, f"Its clock says {_clock(world)}."]
    parts = ["\n".join(filter(None, head))]
    if world.policy_text:
        policy = truncate(world.policy_text, _POLICY)
        parts.append(f"# The policy that the assistant must follow\n{policy}")
    parts.append("\n".join(("# Its tools", *_tools(world, focus))))
    if tables := [*_tables(world, random)]:
        parts.append("\n".join(("# Its tables, with rows at the start", *tables)))
    if not can_change_start(world):
        parts.append("The start of this world cannot be changed: leave state empty.")
    return "\n\n".join(parts)


def _clock(world: World) -> str:
    return f"{world.now:%A}, {world.now.isoformat(sep=' ', timespec='minutes')}"


def _tools(world: World, focus: Collection[str]) -> Iterator[str]:
    tools = world.agent_tools
    wanted = [tools[name] for name in focus if name in tools]
    left = _TOOLS
    for tool in (*wanted, *(tool for name, tool in tools.items() if name not in focus)):
        text = "\n".join(_tool(tool))
        if tool.name not in focus and len(text) > left:
            text = f"- {tool.name}: {_first_sentence(tool.description)}"
        left -= len(text)
        yield text


def _tool(tool: Tool) -> Iterator[str]:
    parameters = tool.schema["function"]["parameters"]
    yield f"- {tool.name}: {tool.description}"
    for name, schema in parameters.get("properties", {}).items():
        kind = {key: value for key, value in schema.items() if key != "description"}
        need = "needed" if name in parameters.get("required", ()) else "optional"
        text = f": {schema['description']}" if schema.get("description") else ""
        yield f"  - {name} ({need}, {json.dumps(kind, ensure_ascii=False, default=str)}){text}"


def _first_sentence(text: str) -> str:
    return text.partition("\n")[0].partition(". ")[0]


def _tables(world: World, random: Random) -> Iterator[str]:
    start = world.start(world.now)
    shown = {name: schema for name, schema in world.tables.items() if not schema.bookkeeping}
    rows = _within_budget({name: start[name].rows for name in shown}, random)
    for name, schema in shown.items():
        yield f"## {name}: {_size(schema, len(start[name]), len(rows[name]))}"
        yield f"Columns: {', '.join(_columns(schema)) or 'any'}"
        yield from rows[name]


def _size(schema: TableSchema, count: int, shown: int) -> str:
    if schema.single_row:
        return "always a single row"
    return f"{count} rows" if shown == count else f"{shown} of {count} rows"


def _columns(schema: TableSchema) -> Iterator[str]:
    for name, column in schema.columns.items():
        yield f"{name} ({column.type_in_words}{' or null' * column.nullable})"


def _within_budget(rows: Mapping[str, Sequence[Row]], random: Random) -> dict[str, list[str]]:
    """Return some rows of each table as texts, as long as they fit."""
    kept: dict[str, list[str]] = {name: [] for name in rows}
    left = ROWS
    for table, index in sampled(rows, random):
        text = _row(rows[table][index])
        if len(text) > left:
            break
        kept[table].append(text)
        left -= len(text)
    return kept


def _row(row: Row) -> str:
    cells: Any = plain(row)
    return json.dumps({k: _cell(v) for k, v in cells.items()}, ensure_ascii=False, default=str)


def _cell(value: Any) -> Any:
    if isinstance(value, str):
        return truncate(value, _CELL)
    if isinstance(value, (list, dict)):
        text = json.dumps(value, ensure_ascii=False, default=str)
        return value if len(text) <= _CELL else truncate(text, _CELL)
    return value
