"""Adds the names of worlds to the JSON Schema of scenario files: tools, arguments, tables, columns.

Editors suggest them. Nothing is refused: a counterexample may call a tool that does not exist, and
which world a file means is known only when it is read.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from pytest_toolsandbox.worlds.state import TableSchema
from pytest_toolsandbox.worlds.tool import Tool
from pytest_toolsandbox.worlds.world import World

_JsonSchema = dict[str, Any]
_ROWS: Final = ("rows", "includes", "excludes", "added", "removed", "updated")
_TOOLS: Final = ("tools", "withheld", "user_tools")
_KNOWN: Final = {
    "KnownTools": ("#/$defs/Arguments", "#/$defs/StepArguments"),
    "KnownTables": ("#/$defs/Block", "#/$defs/Changes"),
}
"""What mappings of tools to their arguments, and of tables to their rows, refer to."""


def with_worlds(schema: _JsonSchema, worlds: Iterable[World]) -> _JsonSchema:
    """Return the schema with the names of ``worlds``; what has one name in several, has all of it.

    ``KnownTools`` and ``KnownTables`` of its ``$defs`` have the arguments and the columns.
    """
    tools: dict[str, list[Tool]] = {}
    tables: dict[str, list[TableSchema]] = {}
    names = []
    for world in worlds:
        names.append(world.name)
        for tool in world.tools.values():
            tools.setdefault(tool.name, []).append(tool)
        for name, table in world.tables.items():
            if not table.bookkeeping:
                tables.setdefault(name, []).append(table)
    definitions = {
        "KnownTools": {"properties": {name: _tool(same) for name, same in sorted(tools.items())}},
        "KnownTables": {
            "properties": {name: _table(same) for name, same in sorted(tables.items())}
        },
    }

    changed: _JsonSchema = _suggesting(schema)
    for definition in changed["$defs"].values():
        properties = definition.get("properties", {})
        for key in _TOOLS:
            if key in properties:
                properties[key] = _listing(properties[key], sorted(tools))
        if "world" in properties:
            properties["world"] = _also(properties["world"], sorted(names))
    changed["$defs"]["Tables"] = _listing(changed["$defs"]["Tables"], sorted(tables))
    changed["$defs"] |= definitions
    return changed


def _suggesting(part: Any) -> Any:
    """Return a schema whose mappings of tools and of tables suggest their names."""
    if isinstance(part, list):
        return [_suggesting(item) for item in part]
    if not isinstance(part, dict):
        return part
    further = _reference(part.get("additionalProperties"))
    whole = {key: _suggesting(item) for key, item in part.items()}
    for known, references in _KNOWN.items():
        if further in references:
            whole["allOf"] = [*whole.get("allOf", ()), {"$ref": f"#/$defs/{known}"}]
    return whole


def _reference(schema: Any) -> str:
    """Return what a schema refers to, be it directly or as one of several."""
    if not isinstance(schema, dict):
        return ""
    inner = next(filter(None, map(_reference, schema.get("anyOf", ()))), "")
    reference: str = schema.get("$ref", inner)
    return reference


def _listing(schema: Any, names: Sequence[str]) -> Any:
    """Return a schema whose lists of texts suggest names."""
    if isinstance(schema, list):
        return [_listing(item, names) for item in schema]
    if not isinstance(schema, dict):
        return schema
    if schema.get("items") == {"type": "string"}:
        return schema | {"items": _also({"type": "string"}, names)}
    return {key: _listing(item, names) for key, item in schema.items()}


def _also(schema: _JsonSchema, names: Sequence[str]) -> _JsonSchema:
    """Return a schema that suggests names, and takes what it took before."""
    described = {key: schema[key] for key in ("description", "default") if key in schema}
    rest = {key: value for key, value in schema.items() if key not in described}
    return described | {"anyOf": [{"enum": [*names]}, *rest.get("anyOf", [rest])]}


def _tool(tools: Sequence[Tool]) -> _JsonSchema:
    """Return the schema of the arguments of the tools of one name."""
    properties: dict[str, _JsonSchema] = {}
    for tool in tools:
        parameters = tool.schema["function"]["parameters"]
        for name, argument in parameters.get("properties", {}).items():
            properties.setdefault(name, _argument(argument))
    return {"description": tools[0].description.partition("\n")[0], "properties": properties}


def _argument(schema: Mapping[str, Any]) -> _JsonSchema:
    described = {"description": schema["description"]} if "description" in schema else {}
    return described | ({"anyOf": [{"enum": schema["enum"]}, {}]} if "enum" in schema else {})


def _table(tables: Sequence[TableSchema]) -> _JsonSchema:
    """Return the schema of how the tables of one name are: rows, or the fields of a single row."""
    properties: dict[str, _JsonSchema] = {}
    for table in tables:
        columns = {
            name: {"description": f"{column.type_in_words}{' or null' * column.nullable}"}
            for name, column in table.columns.items()
        }
        if table.single_row:
            properties |= columns
        else:
            for key in _ROWS:
                rows = properties.setdefault(key, {"items": {"properties": {}}})
                rows["items"]["properties"] |= columns
    return {"properties": properties}
