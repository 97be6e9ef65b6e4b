"""Worlds of tables and plain functions, their registry, and the checks of registered worlds."""

from __future__ import annotations

import builtins
import inspect
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, tzinfo
from functools import cache, cached_property, partial
from itertools import chain
from pathlib import Path
from typing import Any, Final, cast

from pytest_toolsandbox.text.error_text import describe_exception, place_of_caller
from pytest_toolsandbox.text.formatting import join_words
from pytest_toolsandbox.text.nearest_name import did_you_mean, nearest_name

from .context import DECLARED, Checks, Context, WorldError, check, stable_identifier
from .live.instance import Source
from .live.methods import Method
from .live.objects import Look, object_source
from .live.running import Instances, Origin, RunningLive
from .policy import read_policy_file
from .protocol import RunningWorld
from .state import (
    COLUMN_TYPES,
    NEW_IDENTIFIER,
    NO_DEFAULT,
    Caller,
    Column,
    State,
    Table,
    TableSchema,
)
from .tool import Tool, is_exception, raises_rule
from .tool_view import Scrambled, ToolView, tool_views


@dataclass(frozen=True)
class Sessions:
    """How a world's state says which user is logged in, for replayed conversations.

    ``logged_in(state, user, token)`` is the state in which the user has a session, with any token
    if ``token`` is ``None``; ``sent_code(state, user, code)`` is the state in which the user has
    received a verification code. Both raise ``ValueError`` for an unknown user. ``token(state,
    tool)`` is the token of the session in which a tool is called, ``None`` if no user is logged in
    or the tool needs no session. ``user(state)`` is the name of the user who is logged in.
    """

    logged_in: Callable[[State, str, str | None], State]
    sent_code: Callable[[State, str, str], State]
    token: Callable[[State, Tool], str | None]
    user: Callable[[State], str | None] = lambda _: None


NOON: Final = datetime(2025, 1, 1, 12, tzinfo=UTC)
"""The time of a world of objects that does not say which."""


def _no_rows(_: datetime) -> Mapping[str, Iterable[Mapping[str, Any]]]:
    """Return no rows: those of a live world are read from its instances."""
    return {}


@dataclass(frozen=True)
class World:
    """A simulated world of tables, which plain functions change.

    ``initial`` gives the rows of every table at the start, from the world's time, so that "last
    week" stays last week when a scenario sets another time; equal times must give equal rows.
    ``now`` is that time unless a scenario sets another; its time zone is the world's. ``sessions``
    is for worlds whose users log in. Agents read the exceptions ``raises`` of all tools. ``judge``
    are criteria that a judge checks in every scenario of the world: a list, all of which must be
    met, or a mapping with ``all_of`` and ``any_of``. ``policy`` has rules that agents must follow
    in scenarios without a policy of their own: a text, or the absolute path of a file. With
    ``show_defaults=False``, the schemas of tools do not have the defaults of arguments, as those
    that ToolSandbox and ToolTalk published.
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
    show_defaults: bool = field(default=True, kw_only=True, compare=False)
    policy: str | Path = field(default="", kw_only=True, compare=False)
    source: Source | None = field(default=None, kw_only=True, compare=False)
    arguments: Mapping[str, Any] = field(default_factory=dict, kw_only=True, compare=False)

    @classmethod
    def of(
        cls,
        factory: Callable[..., Any],
        *,
        state: Look,
        name: str | None = None,
        tools: Iterable[Method] | None = None,
        reads: Iterable[Method] = (),
        writes: Iterable[Method] | None = None,
        fork: Callable[[Any], Any] | None = None,
        tables: Mapping[str, TableSchema] | None = None,
        now: datetime = NOON,
        arguments: Mapping[str, Any] | None = None,
        check_arguments: bool = True,
        **options: Any,
    ) -> World:
        """Return a world of an object that changes itself, of which each conversation gets one.

        ``factory`` is its class, or a function that returns one: an object, or a context manager.
        It gets ``arguments``, and the world's time if it takes ``now``. ``state`` returns the
        tables of an object; or it names the attributes that are tables, or the method. ``tools``
        are names of methods, or functions that take the object first; by default all public methods
        of the class. Those in ``reads`` change nothing, or all but those in ``writes``; without
        both, any call may change something. ``fork`` copies an object, where ``copy.deepcopy`` is
        wrong or slow. ``tables`` has schemas of tables, where those inferred from the first rows do
        not do. With ``check_arguments=False``, methods get whatever an agent passes. ``options``
        are those of ``World``: ``summary``, ``judge``, ``raises``, ``show_defaults``.

        Raises :class:`WorldError`.
        """
        given = dict(arguments or {})
        source, toolset = object_source(
            factory,
            state,
            now,
            given,
            name=name,
            tools=tools,
            reads=reads,
            writes=writes,
            fork=fork,
            check_arguments=check_arguments,
        )
        schemas = {**source.schemas(now, given), **(tables or {})}
        return cls(
            source.name, now, schemas, toolset, _no_rows, source=source, arguments=given, **options
        )

    @cached_property
    def policy_text(self) -> str:
        """The policy, or what its file says; empty if there is none. Raises ``ValueError``."""
        if isinstance(self.policy, Path):
            return read_policy_file(self.policy)
        return self.policy.strip()

    @cached_property
    def tools(self) -> Mapping[str, Tool]:
        """Name → tool, in the order of ``toolset``."""
        return {
            tool.name: tool.in_world(self.raises, show_defaults=self.show_defaults)
            for tool in self.toolset
        }

    @cached_property
    def agent_tools(self) -> Mapping[str, Tool]:
        """The tools that may be offered to an agent."""
        return {name: tool for name, tool in self.tools.items() if not tool.for_user}

    def shown(self, scrambled: Scrambled | None = None) -> Mapping[str, ToolView]:
        """Return tool → how an agent sees it, with one part of every tool scrambled or none."""
        return self._views(scrambled)

    def start(self, now: datetime) -> State:
        """Return the state before anything has happened. Raises ``ValueError``."""
        if self._origin is not None:
            try:
                return self._origin.start(now).state
            except WorldError as error:
                raise ValueError(str(error)) from error
        return self._starts(now, now.tzinfo)  # equal moments in two zones are different clocks

    def open(self, now: datetime) -> RunningWorld:
        """Begin anew, at the start. Raises ``ValueError``."""
        if self._origin is not None:
            return RunningLive(Instances(self._origin, now), self.start(now))
        return _RunningTables(self.tables, now, self.start(now), "")

    @cached_property
    def _views(self) -> Callable[[Scrambled | None], Mapping[str, ToolView]]:
        return cache(partial(tool_views, self.tools))

    @cached_property
    def _origin(self) -> Origin | None:
        """Where the instances of a live world come from, ``None`` for tables."""
        if self.source is None:
            return None
        return Origin(self.name, self.source, self.tools, self.tables, self.arguments)

    @cached_property
    def _starts(self) -> Callable[[datetime, tzinfo | None], State]:
        return cache(lambda now, _: self.initial_state(now))

    def initial_state(self, now: datetime) -> State:
        """Return the state that ``initial`` gives. Raises ``ValueError``."""
        try:
            tables = self.initial(now)
        except (ValueError, OverflowError) as error:
            raise ValueError(str(error)) from error
        except Exception as error:
            raise ValueError(f"initial raised {describe_exception(error)}") from error
        if not isinstance(tables, Mapping):
            raise ValueError(f"initial must return tables with their rows, not {tables!r}")  # noqa: TRY004
        for name in tables:
            if name not in self.tables:
                hint = did_you_mean(str(name), self.tables)
                raise ValueError(f"initial has rows for {name!r}, which is not a table{hint}")
        rows = {name: self._first_rows(name, tables.get(name, ())) for name in self.tables}
        return State(rows, self.name)

    def _first_rows(self, table: str, rows: object) -> Table:
        if isinstance(rows, (str, Mapping)) or not isinstance(rows, Iterable):
            raise ValueError(f"initial must give table {table!r} a list of rows, not {rows!r}")  # noqa: TRY004
        first_rows = list(rows)
        for row in first_rows:
            if not isinstance(row, Mapping):
                raise ValueError(f"a row of table {table!r} must be a mapping, not {row!r}")  # noqa: TRY004
        if self.tables[table].single_row and len(first_rows) != 1:
            raise ValueError(f"table {table!r} needs a single row, and has {len(first_rows)}")
        return Table(self.complete(table, row, f"initial/{i}") for i, row in enumerate(first_rows))

    def complete(self, table: str, row: Mapping[str, Any], place: str) -> dict[str, Any]:
        """Return a row with its defaults; new identifiers depend on ``place``."""
        new_identifier = partial(stable_identifier, self.name, table, place)
        return self.tables[table].complete(table, row, new_identifier)


class _RunningTables:
    """Tables that plain functions change: states are immutable, so a fork copies nothing."""

    __slots__ = ("_context", "_now", "_read", "_schemas", "_state")

    def __init__(
        self, schemas: Mapping[str, TableSchema], now: datetime, state: State, place: str
    ) -> None:
        self._schemas, self._now, self._state = schemas, now, state
        self._read: set[str] = set()
        self._context = Context(state.watched(self._read), now, place, schemas)

    def fork(self, state: State, place: str, by: Caller = "agent") -> RunningWorld:
        del by  # a change is the same, whoever makes it
        return _RunningTables(self._schemas, self._now, state, place)

    def check_precondition(self, tool: Tool) -> None:
        tool.check_precondition(self._context)

    def call(self, tool: Tool, arguments: Mapping[str, Any]) -> str:
        try:
            content = tool.answer(self._context, arguments)
        except BaseException:  # a call that fails has changed nothing
            self._context.state = self._state.watched(self._read)
            raise
        if self._context.state != self._state:
            self._state = self._context.state
        return content

    def snapshot(self) -> State:
        return self._state

    @property
    def tables_read(self) -> tuple[str, ...]:
        return tuple(sorted(self._read))

    def explore(self) -> None:
        pass  # all states are there already

    def may_explore(self) -> bool:
        return True

    def settle(self, state: State) -> None:
        pass

    def close(self) -> None:
        pass


_registered: dict[str, World] = {}
_offered: dict[str, Callable[[str], World]] = {}

MISTYPED: Final = 0.85
"""The least similarity of an unknown name to that of an exception that makes it a typo."""


def register_world(world: World) -> World:
    """Make a world known by its name, in place of an earlier one. Raises :class:`WorldError`."""
    place, argument = place_of_caller(), cast("object", world)
    if not isinstance(argument, World):
        raise WorldError(f"{place}: register_world takes a World, not {argument!r}")
    rules = chain(_head(world), _policy(world), _tables(world), _tools(world), _first_rows(world))
    check(rules, f"{place}: the world {world.name!r}")
    _registered[world.name] = world
    return world


def offer_worlds(names: Iterable[str], load: Callable[[str], World]) -> None:
    """Make worlds known by name that ``load`` makes when they are first used."""
    _offered.update(dict.fromkeys(names, load))


def known_worlds() -> list[str]:
    """Return the names of all worlds in alphabetical order."""
    return sorted({*_offered, *_registered})


def find_world(name: str) -> World:
    """Return the world with this name. Raises ``KeyError``."""
    if name not in _registered:
        _registered[name] = _offered[name](name)
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
    is_list = isinstance(world.toolset, Collection)
    yield is_list, f"toolset must be a list of tools, not {world.toolset!r}"
    places: dict[str, str] = {}
    for tool in world.toolset:
        name = getattr(tool, "__name__", repr(tool))
        is_tool = isinstance(tool, Tool)
        yield is_tool, f"{name} in its toolset is not a tool; put @tool(...) above it"
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
