"""What is wrong with a world of a user's own: its names, tables, tools and first rows."""

from __future__ import annotations

import builtins
import inspect
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, Final

from pytest_toolsandbox.wording.error_text import place_of_caller
from pytest_toolsandbox.wording.nearest_name import nearest_name
from pytest_toolsandbox.wording.phrases import listed

from .errors import DECLARED
from .sessions import Sessions
from .tables import COLUMN_TYPES, NEW_IDENTIFIER, REQUIRED, Column, TableSchema, type_in_words
from .tool import Tool, raises_problem
from .world import World

MISTYPED: Final = 0.85
"""From which likeness on, in [0, 1], the name of an exception is another's with a slip in it."""


def world_problem(world: object) -> str | None:
    """Return the first thing that is wrong with a world, in one line with its place, if any is.

    Types are checked that annotations promise: few type-check a ``conftest.py``.
    """
    if not isinstance(world, World):
        return f"{place_of_caller()}: register_world takes a World, not {world!r}"
    checks = (_head, _tables, _tools, _raised_names, _first_rows)
    problems = (problem for check in checks for problem in check(world))
    return next(problems, None)


def _in_world(world: World, text: str) -> str:
    return f"{place_of_caller()}: the world {world.name!r}: {text}"


def _head(world: Any) -> Iterator[str]:
    name = world.name
    if not isinstance(name, str) or not name.strip() or not name.isprintable():
        yield _in_world(world, "its name must be a text of one line, as scenarios write it")
    if not isinstance(world.now, datetime) or world.now.tzinfo is None:
        text = f"now must be a datetime with a time zone, not {world.now!r}; give it tzinfo=..."
        yield _in_world(world, text)
    if problem := raises_problem(world.raises):
        yield _in_world(world, problem)
    if not isinstance(world.sessions, (Sessions, type(None))):
        yield _in_world(world, f"sessions must be Sessions(...), not {world.sessions!r}")


def _tables(world: Any) -> Iterator[str]:
    if not isinstance(world.tables, Mapping):
        yield _in_world(world, f"tables must map names to TableSchema(...), not {world.tables!r}")
    for name, table in world.tables.items():
        if not isinstance(name, str):
            yield _in_world(world, f"the name of table {name!r} must be a text")
        if not isinstance(table, TableSchema):
            text = f"table {name!r} must be TableSchema({{column: Column(...)}}), not {table!r}"
            yield _in_world(world, text)
        if not isinstance(table.columns, Mapping):
            text = f"the columns of table {name!r} must map names to Column(...)"
            yield _in_world(world, f"{text}, not {table.columns!r}")
        for column, about in table.columns.items():
            if problem := _column_problem(column, about):
                yield _in_world(world, f"column {column!r} of table {name!r} {problem}")


def _column_problem(name: object, column: Any) -> str | None:  # noqa: PLR0911
    if not isinstance(name, str):
        return "must have a text for a name"
    if not isinstance(column, Column):
        written = column.__name__ if isinstance(column, type) else "type"
        return f"must be a Column; write Column({written})"
    measure: Any = column.measure
    if column.type not in COLUMN_TYPES:
        types = listed([one.__name__ for one in COLUMN_TYPES])
        return f"is of type {column.type!r}; allowed are {types}, with nullable=True where null is"
    if not isinstance(measure, str):
        return f"has the measure {measure!r}; write the name of a matcher, such as 'rouge_l'"
    if column.default is NEW_IDENTIFIER:
        return None if column.type is str else "has NEW_IDENTIFIER as its default, which is a str"
    if column.default is not REQUIRED and not column.accepts(column.default):
        remedy = "; write nullable=True" if column.default is None else ""
        return f"takes {type_in_words(column)}, and its default is {column.default!r}{remedy}"
    return None


def _tools(world: Any) -> Iterator[str]:
    try:
        toolset = list(world.toolset)
    except TypeError:
        toolset = []
        yield _in_world(world, f"toolset must be a list of tools, not {world.toolset!r}")
    places: dict[str, str] = {}
    for tool in toolset:
        if not isinstance(tool, Tool):
            name = getattr(tool, "__name__", repr(tool))
            yield _in_world(world, f"{name} in its toolset is no tool; put @tool(...) above it")
        place = tool.signature.place  # which reads it, and refuses it where it cannot be a tool
        if tool.name in places:
            other = places[tool.name]
            text = f"the tool {tool.name!r} is there twice: another is at {other}; rename one"
            yield f"{place}: {text}"
        places[tool.name] = place


def _raised_names(world: World) -> Iterator[str]:
    """Yield which names under ``Raises:`` are probably mistyped: others may come from elsewhere."""
    for tool in world.toolset:
        known = vars(builtins) | getattr(inspect.unwrap(tool.function), "__globals__", {})
        exceptions = {name for name, value in known.items() if _is_exception(value)}
        for name in sorted(tool.signature.raises - exceptions - {one.__name__ for one in DECLARED}):
            if meant := nearest_name(name, exceptions, MISTYPED):
                text = f"the tool {tool.name!r}: Raises: names {name!r}, which is no exception"
                yield f"{tool.signature.place}: {text}; did you mean {meant!r}?"


def _is_exception(value: object) -> bool:
    return isinstance(value, type) and issubclass(value, BaseException)


def _first_rows(world: Any) -> Iterator[str]:
    if not callable(world.initial):
        yield _in_world(world, f"initial must be a function of the time, not {world.initial!r}")
    try:
        same = world.start(world.now) == world.initial_state(world.now)
    except ValueError as error:
        yield _in_world(world, str(error))
    else:
        if not same:
            text = "initial gives other rows when it is called again; make them from its time alone"
            yield _in_world(world, text)
