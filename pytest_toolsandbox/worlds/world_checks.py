"""Checks a world when it is registered; each mistake is one line with place and remedy."""

from __future__ import annotations

import builtins
import inspect
from collections.abc import Callable, Collection, Mapping
from datetime import datetime
from itertools import chain
from pathlib import Path
from typing import Any, Final

from pytest_toolsandbox.text.formatting import join_words
from pytest_toolsandbox.text.nearest_name import did_you_mean, nearest_name, unknown

from .context import DECLARED, Checks, WorldError, check
from .due import Due
from .sessions import Sessions
from .state import COLUMN_TYPES, NEW_IDENTIFIER, NO_DEFAULT, Column, TableSchema
from .tool import Tool, is_exception, raises_rule

MISTYPED: Final = 0.85
"""The least similarity of an unknown name to that of an exception that makes it a typo."""


def world_rules(world: Any) -> Checks:
    """Return the rules of a world."""
    return chain(
        _head(world),
        _policy(world),
        _tables(world),
        _due(world),
        _people(world),
        _tools(world),
        _first_rows(world),
    )


def _head(world: Any) -> Checks:
    name, now, sessions = world.name, world.now, world.sessions
    is_line = isinstance(name, str) and name.strip() and name.isprintable()
    yield is_line, "its name must be a text of one line, as scenarios write it"
    is_aware = isinstance(now, datetime) and now.tzinfo is not None
    yield is_aware, f"now must be a datetime with a time zone, not {now!r}; give it tzinfo=..."
    yield raises_rule(world.raises)
    is_known = isinstance(sessions, (Sessions, type(None)))
    yield is_known, f"sessions must be Sessions(...), not {sessions!r}"


def _policy(world: Any) -> Checks:
    policy, remedy = world.policy, 'write Path(__file__).parent / "policy.md"'
    is_text = isinstance(policy, (str, Path))
    yield is_text, f"policy must be a text or a Path, not {policy!r}"
    is_placed = isinstance(policy, str) or policy.is_absolute()
    yield is_placed, f"the path of policy must be absolute, not {str(policy)!r}; {remedy}"
    try:
        world.policy_text  # noqa: B018  # reads the file
    except ValueError as error:
        yield False, f"policy {str(policy)!r}: {error}"


def _tables(world: Any) -> Checks:
    are_named = isinstance(world.tables, Mapping)
    yield are_named, f"tables must map names to TableSchema(...), not {world.tables!r}"
    for name, table in world.tables.items():
        yield isinstance(name, str), f"the name of table {name!r} must be a text"
        must = f"table {name!r} must be TableSchema({{column: Column(...)}})"
        yield isinstance(table, TableSchema), f"{must}, not {table!r}"
        must = f"the columns of table {name!r} must map names to Column(...)"
        yield isinstance(table.columns, Mapping), f"{must}, not {table.columns!r}"
        for column_name, column in table.columns.items():
            for holds, problem in _column(column_name, column):
                yield holds, f"column {column_name!r} of table {name!r} {problem}"


def _due(world: Any) -> Checks:
    for due in world.due:
        yield isinstance(due, Due), f"due must be a list of Due(...), not {due!r}"
        is_known = due.table in world.tables
        yield is_known, f"due is for {due.table!r}, which is not a table"
        columns = world.tables[due.table].columns
        is_column = not isinstance(due.at, str) or due.at in columns
        yield is_column, f"due names {due.at!r}, which is not a column of table {due.table!r}"


def _people(world: Any) -> Checks:
    must = "people must map tables to lists of their columns with names of people"
    is_mapping = world.people is None or isinstance(world.people, Mapping)
    yield is_mapping, f"{must}, not {world.people!r}"
    for table, columns in (world.people or {}).items():
        hint = did_you_mean(str(table), world.tables)
        yield table in world.tables, f"{must}; there is no table {table!r}{hint}"
        yield isinstance(columns, (list, tuple)), f"{must}, not {columns!r}"
        for column in columns:
            known = world.tables[table].columns
            hint = did_you_mean(str(column), known)
            yield column in known, f"{must}; {table!r} has no column {column!r}{hint}"


def _column(name: object, column: Any) -> Checks:
    written = column.__name__ if isinstance(column, type) else "type"
    types = join_words([getattr(kind, "__name__", "Any") for kind in COLUMN_TYPES])
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
    places: dict[str, str] = {}
    for listed, tools in (("toolset", world.toolset), ("scenario_tools", world.scenario_tools)):
        yield isinstance(tools, Collection), f"{listed} must be a list of tools, not {tools!r}"
        for tool in tools:
            name = getattr(tool, "__name__", repr(tool))
            is_tool = isinstance(tool, Tool)
            yield is_tool, f"{name} in its {listed} is not a tool; put @tool(...) above it"
            _check_tool(tool, places)


def _check_tool(tool: Tool, places: dict[str, str]) -> None:
    """Check a tool, and add its place to those of the others. Raises :class:`WorldError`."""
    place = tool.signature.place  # raises if the function cannot be a tool
    start = f"{place}: the tool {tool.name!r}"
    if earlier_place := places.get(tool.name):
        raise WorldError(f"{start} is there twice: another is at {earlier_place}; rename one")
    places[tool.name] = place
    check(_raised_names(tool), start)


def _raised_names(tool: Tool) -> Checks:
    """Refuse typos under ``Raises:``; unknown names may be defined in another module."""
    known = vars(builtins) | getattr(inspect.unwrap(tool.function), "__globals__", {})
    exceptions = {name for name, value in known.items() if is_exception(value)}
    for name in sorted(tool.signature.raises - exceptions - {kind.__name__ for kind in DECLARED}):
        nearest = nearest_name(name, exceptions, MISTYPED)
        problem = f"Raises: names {name!r}, which is not an exception; did you mean {nearest!r}?"
        yield not nearest, problem


def _first_rows(world: Any) -> Checks:
    takes_time = callable(world.initial)
    yield takes_time, f"initial must be a function of the time, not {world.initial!r}"
    try:
        start = world.start(world.now)
        same = world.source is not None or start == world.initial_state(world.now)
    except ValueError as error:
        yield False, str(error)
    yield same, "initial gives other rows when it is called again; use no input but its time"


def check_initial(world: str, initial: Callable[..., Any], arguments: Collection[str]) -> None:
    """Check the arguments that a scenario gives to ``initial``. Raises ``ValueError``."""
    _, *further = inspect.signature(initial).parameters.values()
    takes_any = any(parameter.kind is parameter.VAR_KEYWORD for parameter in further)
    by_name = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    known = [parameter.name for parameter in further if parameter.kind in by_name]
    for name in arguments if not takes_any else ():
        if name not in known and not known:
            remedy = f"give it one with a default: def initial(now, *, {name}=...)"
            text = f"the world {world!r} takes no arguments: initial has only its time"
            raise ValueError(f"{text}; {remedy}")
        if name not in known:
            raise ValueError(unknown("argument", name, known, f"of initial of world {world!r}"))
