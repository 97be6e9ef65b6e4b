"""Digests of prompt, tools, world and starting rows, to see whether two trials are comparable."""

from __future__ import annotations

import hashlib
import json
from functools import lru_cache
from typing import Any

from pytest_toolsandbox.conversation.play import system_prompt
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.worlds.state import State, Table, TableSchema, plain
from pytest_toolsandbox.worlds.world import World

_worlds: dict[str, tuple[World, dict[bool, str]]] = {}


def scenario_digests(scenario: Scenario) -> dict[str, str]:
    """Return digests of the system prompt, the offered tools and the world."""
    return {
        "task_digest": task_digest(scenario),
        "prompt_digest": _digest(system_prompt(scenario)),
        "tools_digest": _digest(scenario.tool_schemas_as_json),
        "world_digest": _world_digest(scenario.world),
    }


def task_digest(scenario: Scenario) -> str:
    """Return a digest that changes if results of the scenario are no longer comparable.

    It covers the task, the world and how the scenario is played. The descriptions of tools and the
    agent's prompt belong to the agent, and are left out unless the scenario itself states them.
    """
    facts = [
        *([scenario.criteria.lists] if scenario.criteria else []),  # of the world and ini, too
        *(scenario.task_digest, scenario.variant, scenario.gives_feedback, scenario.call_format),
        *(scenario.now.isoformat(), start_digests(scenario.start), scenario.tools),
        *(
            _world_digest(scenario.world, described=False),
            scenario.max_messages,
            scenario.max_calls,
        ),
    ]
    return _digest_of(facts)


def start_digests(state: State) -> dict[str, str]:
    """Return table → a digest of its rows in any order."""
    return {name: _table_digest(table) for name, table in state.items()}


@lru_cache(maxsize=1024)  # many scenarios start with the same tables
def _table_digest(table: Table) -> str:
    rows = sorted(json.dumps(plain(row), sort_keys=True, default=str) for row in table)
    return _digest("\n".join(rows))


def _world_digest(world: World, *, described: bool = True) -> str:
    """Return a digest of a world, with or without the descriptions of its tools."""
    if (known := _worlds.get(world.name)) is None or known[0] is not world:
        tables = {name: _facts(schema) for name, schema in world.tables.items()}
        tools = [[s.schema, s.tool.module, s.tool.action] for s in world.shown().values()]
        facts = {"tables": tables, "tools": tools}
        both = {True: _digest_of(facts), False: _digest_of(_undescribed(facts))}
        _worlds[world.name] = known = world, both
    return known[1][described]


def _undescribed(schema: Any) -> Any:
    """Return a schema without descriptions."""
    if isinstance(schema, dict):
        kept = (name for name, value in schema.items() if not _is_description(name, value))
        return {name: _undescribed(schema[name]) for name in kept}
    return [_undescribed(value) for value in schema] if isinstance(schema, list) else schema


def _is_description(name: str, value: Any) -> bool:
    return name == "description" and isinstance(value, str)  # else a parameter of that name


def _facts(schema: TableSchema) -> dict[str, Any]:
    columns = {
        name: [column.type.__name__, column.nullable, column.measure]
        for name, column in schema.columns.items()
    }
    return {"columns": columns, "kind": [schema.single_row, schema.bookkeeping]}


def _digest_of(facts: Any) -> str:
    return _digest(json.dumps(facts, sort_keys=True))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]
