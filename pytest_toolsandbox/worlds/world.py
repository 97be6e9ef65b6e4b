"""Worlds: tables, tools, a clock that stands still, and a seed for identifiers."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from functools import cached_property
from typing import Any, Final

from .context import identifier
from .sessions import Sessions
from .state import State, Table
from .tool import Tool
from .tool_view import Scrambled, ShownTool, shown_tools

REQUIRED: Final = object()
NEW_IDENTIFIER: Final = object()


@dataclass(frozen=True)
class Column:
    """A column: the Python type of its values, and how a plain expected value is compared.

    ``type`` is ``str``, ``int``, ``float``, ``bool``, ``list`` or ``dict``. ``measure`` names a
    matcher (``exact`` or ``rouge_l``, say). ``default`` is what a row gets whose author leaves the
    column out: a value, ``NEW_IDENTIFIER``, or nothing (the author must give one).
    """

    type: type
    nullable: bool = False
    measure: str = "exact"
    default: Any = REQUIRED

    def accepts(self, value: Any) -> bool:
        """Whether a value may stand in the column; whole numbers may stand for floats."""
        if value is None:
            return self.nullable
        if isinstance(value, bool):
            return self.type is bool
        return isinstance(value, (int, float) if self.type is float else self.type)


@dataclass(frozen=True)
class TableSchema:
    """The columns of a table, and whether it is one that always has a single row.

    A table of ``bookkeeping`` holds what a world has to remember and no tool shows, such as which
    identifiers are taken: implicit guardrails do not watch it.
    """

    columns: Mapping[str, Column]
    single_row: bool = False
    bookkeeping: bool = False


ENVIRONMENTS: Final = (
    "patent",
    "movies",
    "travel",
    "sports",
    "tools",
    "data",
    "social",
    "media",
    "spaceflight",
    "video_images",
)
"""SpecTool's environments, in the order of the paper (table 2)."""


@dataclass(frozen=True)
class World:
    """A simulated world.

    ``initial`` gives the rows of every table at the start, from the world's time, so that "last
    week" stays last week when a scenario sets another time; it must give the same rows for the same
    time, and is called once for each. ``now`` is that time unless a scenario
    says otherwise; its time zone is the world's. ``sessions`` is for worlds whose users log in.
    """

    name: str
    now: datetime
    tables: Mapping[str, TableSchema]
    toolset: Iterable[Tool]
    initial: Callable[[datetime], Mapping[str, Iterable[Mapping[str, Any]]]]
    summary: str = field(default="", compare=False)
    sessions: Sessions | None = field(default=None, kw_only=True, compare=False)

    @cached_property
    def tools(self) -> Mapping[str, Tool]:
        """Name → tool, in the order in which they were given."""
        return {tool.name: tool for tool in self.toolset}

    @cached_property
    def agent_tools(self) -> Mapping[str, Tool]:
        """The tools that may be offered to an agent."""
        return {name: tool for name, tool in self.tools.items() if not tool.for_user}

    def shown(self, scrambled: Scrambled | None = None) -> Mapping[str, ShownTool]:
        """Return tool → how an agent sees it, with one part of all tools scrambled or none."""
        if scrambled not in self._shown:
            self._shown[scrambled] = shown_tools(self.tools, scrambled)
        return self._shown[scrambled]

    @cached_property
    def _shown(self) -> dict[Scrambled | None, Mapping[str, ShownTool]]:
        return {}

    def start(self, now: datetime) -> State:
        """Return the state of the world before anything happened."""
        clock = now, now.tzinfo  # equal moments in two zones are different clocks
        if clock not in self._starts:
            self._starts[clock] = self._start(now)
        return self._starts[clock]

    @cached_property
    def _starts(self) -> dict[tuple[datetime, tzinfo | None], State]:
        """The states that were asked for; most scenarios of a world start at the same time."""
        return {}

    def _start(self, now: datetime) -> State:
        rows = self.initial(now)
        return State(
            {
                name: Table(
                    self.complete(name, row, f"initial/{index}")
                    for index, row in enumerate(rows.get(name, ()))
                )
                for name in self.tables
            }
        )

    def complete(self, table: str, row: Mapping[str, Any], place: str) -> dict[str, Any]:
        """Return a row with the defaults of the columns that it leaves out.

        Raises ``ValueError`` for an unknown column, a missing one and a value of another type.
        """
        columns = self.tables[table].columns
        if unknown := [name for name in row if name not in columns]:
            raise ValueError(f"table {table!r} has no column {unknown[0]!r}")
        whole = {}
        for name, column in columns.items():
            value = row.get(name, column.default)
            if value is REQUIRED:
                raise ValueError(f"a row of table {table!r} needs a value for {name!r}")
            if value is NEW_IDENTIFIER:
                value = identifier(self.name, table, place)
            if not column.accepts(value):
                raise ValueError(
                    f"column {name!r} of table {table!r} takes {column.type.__name__}, "
                    f"not {value!r}"
                )
            if column.type is float and value is not None:
                value = float(value)
            whole[name] = value
        return whole


_BUILT_IN = {
    "office": "pytest_toolsandbox.builtin.office",
    "phone": "pytest_toolsandbox.builtin.phone",
    **{f"queries.{name}": f"pytest_toolsandbox.builtin.queries.{name}" for name in ENVIRONMENTS},
}
_registered: dict[str, World] = {}


def register_world(world: World) -> World:
    """Make a world known by its name, for ``world:`` in scenarios. The last one of a name wins."""
    _registered[world.name] = world
    return world


def known_worlds() -> list[str]:
    """Return the names of all worlds, in alphabetical order."""
    return sorted({*_BUILT_IN, *_registered})


def find_world(name: str) -> World:
    """Return the world of that name. Raises ``KeyError``."""
    if name not in _registered:
        register_world(importlib.import_module(_BUILT_IN[name]).world)
    return _registered[name]
