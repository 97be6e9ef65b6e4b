"""The worlds that scenarios may name, and what is wrong with one of a user's own."""

from __future__ import annotations

import builtins
import importlib
import inspect
from collections.abc import Collection, Mapping
from datetime import datetime
from itertools import chain
from typing import Any, Final, cast

from pytest_toolsandbox.wording.error_text import place_of_caller
from pytest_toolsandbox.wording.nearest_name import nearest_name
from pytest_toolsandbox.wording.phrases import listed

from .errors import DECLARED, Checks, WorldError, check
from .tables import COLUMN_TYPES, NEW_IDENTIFIER, NO_DEFAULT, Column, TableSchema
from .tool import Tool, is_exception, raises_rule
from .world import Sessions, World

_BUILT_IN: Final = "pytest_toolsandbox.builtin"
_registered: dict[str, World] = {}

MISTYPED: Final = 0.85
"""From which likeness on, in [0, 1], the name of an exception is another's with a slip in it."""


def register_world(world: World) -> World:
    """Make a world known by its name; the last of a name wins. Raises :class:`WorldError`."""
    place, given = place_of_caller(), cast("object", world)
    if not isinstance(given, World):
        raise WorldError(f"{place}: register_world takes a World, not {given!r}")
    rules = chain(_head(world), _tables(world), _tools(world), _first_rows(world))
    check(rules, f"{place}: the world {world.name!r}")
    _registered[world.name] = world
    return world


def known_worlds() -> list[str]:
    """Return the names of all worlds, in alphabetical order."""
    return sorted({*importlib.import_module(_BUILT_IN).WORLDS, *_registered})


def find_world(name: str) -> World:
    """Return the world of that name. Raises ``KeyError``."""
    if name not in known_worlds():
        raise KeyError(name)
    if name not in _registered:
        _registered[name] = importlib.import_module(f"{_BUILT_IN}.{name}").world
    return _registered[name]


def _head(world: Any) -> Checks:
    name, now, sessions = world.name, world.now, world.sessions
    is_line = isinstance(name, str) and name.strip() and name.isprintable()
    yield is_line, "its name must be a text of one line, as scenarios write it"
    is_aware = isinstance(now, datetime) and now.tzinfo is not None
    yield is_aware, f"now must be a datetime with a time zone, not {now!r}; give it tzinfo=..."
    yield raises_rule(world.raises)
    is_known = isinstance(sessions, (Sessions, type(None)))
    yield is_known, f"sessions must be Sessions(...), not {sessions!r}"


def _tables(world: Any) -> Checks:
    are_named = isinstance(world.tables, Mapping)
    yield are_named, f"tables must map names to TableSchema(...), not {world.tables!r}"
    for name, table in world.tables.items():
        yield isinstance(name, str), f"the name of table {name!r} must be a text"
        must = f"table {name!r} must be TableSchema({{column: Column(...)}})"
        yield isinstance(table, TableSchema), f"{must}, not {table!r}"
        must = f"the columns of table {name!r} must map names to Column(...)"
        yield isinstance(table.columns, Mapping), f"{must}, not {table.columns!r}"
        for column, about in table.columns.items():
            for holds, problem in _column(column, about):
                yield holds, f"column {column!r} of table {name!r} {problem}"


def _column(name: object, column: Any) -> Checks:
    written = column.__name__ if isinstance(column, type) else "type"
    types = listed([one.__name__ for one in COLUMN_TYPES])
    yield isinstance(name, str), "must have a text for a name"
    yield isinstance(column, Column), f"must be a Column; write Column({written})"
    allowed = f"allowed are {types}, with nullable=True where null is"
    yield column.type in COLUMN_TYPES, f"is of type {column.type!r}; {allowed}"
    remedy = "write the name of a matcher, such as 'rouge_l'"
    yield isinstance(column.measure, str), f"has the measure {column.measure!r}; {remedy}"
    default, remedy = column.default, "; write nullable=True" if column.default is None else ""
    if default is NEW_IDENTIFIER:
        yield column.type is str, "has NEW_IDENTIFIER as its default, which is a str"
    else:
        fits = default is NO_DEFAULT or column.accepts(default)
        yield fits, f"takes {column.type_in_words}, and its default is {default!r}{remedy}"


def _tools(world: Any) -> Checks:
    is_list = isinstance(world.toolset, Collection)
    yield is_list, f"toolset must be a list of tools, not {world.toolset!r}"
    places: dict[str, str] = {}
    for tool in world.toolset:
        name = getattr(tool, "__name__", repr(tool))
        is_tool = isinstance(tool, Tool)
        yield is_tool, f"{name} in its toolset is no tool; put @tool(...) above it"
        place = tool.signature.place  # which reads it, and refuses it where it cannot be a tool
        start = f"{place}: the tool {tool.name!r}"
        if other := places.get(tool.name):
            raise WorldError(f"{start} is there twice: another is at {other}; rename one")
        places[tool.name] = place
        check(_raised_names(tool), start)


def _raised_names(tool: Tool) -> Checks:
    """Refuse names under ``Raises:`` that are probably mistyped; others may come from elsewhere."""
    known = vars(builtins) | getattr(inspect.unwrap(tool.function), "__globals__", {})
    exceptions = {name for name, value in known.items() if is_exception(value)}
    for name in sorted(tool.signature.raises - exceptions - {one.__name__ for one in DECLARED}):
        meant = nearest_name(name, exceptions, MISTYPED)
        problem = f"Raises: names {name!r}, which is no exception; did you mean {meant!r}?"
        yield not meant, problem


def _first_rows(world: Any) -> Checks:
    takes_time = callable(world.initial)
    yield takes_time, f"initial must be a function of the time, not {world.initial!r}"
    try:
        same = world.start(world.now) == world.initial_state(world.now)
    except ValueError as error:
        yield False, str(error)
    yield same, "initial gives other rows when it is called again; make them from its time alone"
