"""Digests that tell whether two trials had the same prompt, tools, world and starting rows."""

from __future__ import annotations

import hashlib
import json
from functools import lru_cache
from typing import Any

from pytest_toolsandbox.conversation.conversation import system_prompt
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.worlds.state import State, Table, plain
from pytest_toolsandbox.worlds.tables import TableSchema
from pytest_toolsandbox.worlds.world import World

_worlds: dict[str, tuple[World, str]] = {}


def scenario_digests(scenario: Scenario) -> dict[str, str]:
    """Return what changes when the system prompt does, the tools on offer, or the world."""
    return {
        "prompt_digest": _digest(system_prompt(scenario)),
        "tools_digest": _digest(scenario.tool_schemas_as_json),
        "world_digest": _world_digest(scenario.world),
    }


def start_digests(state: State) -> dict[str, str]:
    """Return table → what tells its rows from others, whatever their order."""
    return {name: _table_digest(table) for name, table in state.items()}


@lru_cache(maxsize=1024)  # many scenarios start with the same tables
def _table_digest(table: Table) -> str:
    rows = sorted(json.dumps(plain(row), sort_keys=True, default=str) for row in table)
    return _digest("\n".join(rows))


def _world_digest(world: World) -> str:
    if (known := _worlds.get(world.name)) is None or known[0] is not world:
        facts = {
            "tables": {name: _facts(schema) for name, schema in world.tables.items()},
            "tools": [[s.schema, s.tool.module, s.tool.action] for s in world.shown().values()],
        }
        _worlds[world.name] = known = world, _digest(json.dumps(facts, sort_keys=True))
    return known[1]


def _facts(schema: TableSchema) -> dict[str, Any]:
    columns = {
        name: [column.type.__name__, column.nullable, column.measure]
        for name, column in schema.columns.items()
    }
    return {"columns": columns, "kind": [schema.single_row, schema.bookkeeping]}


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]
