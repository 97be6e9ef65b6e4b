"""Worlds: tables, tools, a clock that stands still, and a seed for identifiers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from functools import cache, cached_property, partial
from typing import Any

from pytest_toolsandbox.wording.error_text import describe_exception
from pytest_toolsandbox.wording.nearest_name import did_you_mean

from .context import stable_identifier
from .state import State, Table
from .tables import TableSchema
from .tool import Tool
from .tool_view import Scrambled, ToolView, tool_views


@dataclass(frozen=True)
class Sessions:
    """How a world's state says which user is logged in, for replayed conversations.

    ``logged_in(state, user, token)`` is the state in which the user's session is open, with any
    token where that is ``None``; ``sent_code(state, user, code)`` the one in which the user has
    been sent a verification code. Both raise ``ValueError`` for a user who does not exist.
    ``token(state, tool)`` says in whose session a call of the tool is made; it is ``None`` if no
    user is logged in, or the tool needs no session. ``user(state)`` is the name of the user who is
    logged in, for tools that add it to what they are given.
    """

    logged_in: Callable[[State, str, str | None], State]
    sent_code: Callable[[State, str, str], State]
    token: Callable[[State, Tool], str | None]
    user: Callable[[State], str | None] = lambda _: None


@dataclass(frozen=True)
class World:
    """A simulated world.

    ``initial`` gives the rows of every table at the start, from the world's time, so that "last
    week" stays last week when a scenario sets another time; it must give the same rows for the same
    time. ``now`` is that time unless a scenario says otherwise; its time zone is the world's.
    ``sessions`` is for worlds whose users log in. All tools raise ``raises`` for agents to read.
    ``judge`` are criteria that a judge checks in every scenario of the world: a list, all of which
    must be met, or a mapping with ``all_of`` and ``any_of``.
    """

    name: str
    now: datetime
    tables: Mapping[str, TableSchema]
    toolset: Iterable[Tool]
    initial: Callable[[datetime], Mapping[str, Iterable[Mapping[str, Any]]]]
    summary: str = field(default="", compare=False)
    sessions: Sessions | None = field(default=None, kw_only=True, compare=False)
    raises: tuple[type[BaseException], ...] = field(default=(), kw_only=True, compare=False)
    judge: Sequence[str] | Mapping[str, Sequence[str]] = field(
        default=(), kw_only=True, compare=False
    )

    @cached_property
    def tools(self) -> Mapping[str, Tool]:
        """Name → tool, in the order in which they were given."""
        return {tool.name: tool.with_raises(self.raises) for tool in self.toolset}

    @cached_property
    def agent_tools(self) -> Mapping[str, Tool]:
        """The tools that may be offered to an agent."""
        return {name: tool for name, tool in self.tools.items() if not tool.for_user}

    def shown(self, scrambled: Scrambled | None = None) -> Mapping[str, ToolView]:
        """Return tool → how an agent sees it, with one part of all tools scrambled or none."""
        return self._views(scrambled)

    def start(self, now: datetime) -> State:
        """Return the state of the world before anything happened. Raises ``ValueError``."""
        return self._starts(now, now.tzinfo)  # equal moments in two zones are different clocks

    @cached_property
    def _views(self) -> Callable[[Scrambled | None], Mapping[str, ToolView]]:
        return cache(partial(tool_views, self.tools))

    @cached_property
    def _starts(self) -> Callable[[datetime, tzinfo | None], State]:
        return cache(lambda now, _: self.initial_state(now))

    def initial_state(self, now: datetime) -> State:
        """Return the state that ``initial`` gives. Raises ``ValueError``."""
        try:
            given = self.initial(now)
        except (ValueError, OverflowError) as error:
            raise ValueError(str(error)) from error
        except Exception as error:
            raise ValueError(f"initial raised {describe_exception(error)}") from error
        if not isinstance(given, Mapping):
            raise ValueError(f"initial must return tables with their rows, not {given!r}")  # noqa: TRY004
        for name in given:
            if name not in self.tables:
                hint = did_you_mean(str(name), self.tables)
                raise ValueError(f"initial has rows for {name!r}, which is no table{hint}")
        rows = {name: self._first_rows(name, given.get(name, ())) for name in self.tables}
        return State(rows, self.name)

    def _first_rows(self, table: str, rows: object) -> Table:
        if isinstance(rows, (str, Mapping)) or not isinstance(rows, Iterable):
            raise ValueError(f"initial must give table {table!r} a list of rows, not {rows!r}")  # noqa: TRY004
        first = list(rows)
        for row in first:
            if not isinstance(row, Mapping):
                raise ValueError(f"a row of table {table!r} must be a mapping, not {row!r}")  # noqa: TRY004
        if self.tables[table].single_row and len(first) != 1:
            raise ValueError(f"table {table!r} needs a single row, and has {len(first)}")
        return Table(self.complete(table, row, f"initial/{i}") for i, row in enumerate(first))

    def complete(self, table: str, row: Mapping[str, Any], place: str) -> dict[str, Any]:
        """Return a row as :meth:`TableSchema.complete` does, with identifiers of this ``place``."""
        new_identifier = partial(stable_identifier, self.name, table, place)
        return self.tables[table].complete(table, row, new_identifier)
