"""The class of worlds, of tables and plain functions or live, and the registry of worlds."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, tzinfo
from functools import cache, cached_property, partial
from pathlib import Path
from typing import Any, Final, cast

from pytest_toolsandbox.text.error_text import describe_exception, place_of_caller
from pytest_toolsandbox.text.nearest_name import did_you_mean

from .context import Context, WorldError, check, stable_identifier
from .due import Due, passed_time
from .json_values import as_json
from .live.instance import Source
from .live.methods import Method
from .live.objects import Look, object_source
from .live.origin import Origin
from .live.running import Instances, RunningLive
from .policy import read_policy_file
from .protocol import RunningWorld
from .sessions import Sessions
from .state import (
    Caller,
    State,
    Table,
    TableSchema,
)
from .tool import END_CONVERSATION, Tool
from .tool_view import Scrambled, ToolView, tool_views
from .world_checks import check_initial, world_rules

NOON: Final = datetime(2025, 1, 1, 12, tzinfo=UTC)
"""The time of a world of objects that does not say which."""


def _no_rows(_: datetime) -> Mapping[str, Iterable[Mapping[str, Any]]]:
    """Return no rows: those of a live world are read from its instances."""
    return {}


@dataclass(frozen=True)
class World:
    """A simulated world of tables, which plain functions change.

    ``initial`` gives the rows of every table at the start, from the world's time, so that "last
    week" stays last week when a scenario sets another time; equal times must give equal rows. It
    may have further parameters with defaults, for which a scenario gives values under ``with``.
    ``now`` is that time unless a scenario sets another; its time zone is the world's. ``sessions``
    is for worlds whose users log in. Agents read the exceptions ``raises`` of all tools. ``judge``
    are criteria that a judge checks in every scenario of the world: a list, all of which must be
    met, or a mapping with ``all_of`` and ``any_of``. ``policy`` has rules that agents must follow
    in scenarios without a policy of their own: a text, or the absolute path of a file. ``consent``
    maps tools to what users must have agreed to before they are called, as scenarios write it.
    ``due`` says what happens by itself when the clock moves. ``people`` maps tables to their
    columns with names of people, which the perturbation ``renamed`` changes. Agents never
    have the ``scenario_tools``, which scenarios call to prepare the world. With
    ``show_defaults=False``, the schemas of tools do not have the defaults of arguments, as those
    that ToolSandbox and ToolTalk published. In a live world (:meth:`of`), a ``source`` begins
    instances with ``arguments``, and ``described_tables`` replace schemas that are inferred.
    """

    name: str
    now: datetime
    tables: Mapping[str, TableSchema]
    toolset: Iterable[Tool]
    initial: Callable[..., Mapping[str, Iterable[Mapping[str, Any]]]]
    summary: str = field(default="", compare=False)
    sessions: Sessions | None = field(default=None, kw_only=True, compare=False)
    raises: tuple[type[BaseException], ...] = field(default=(), kw_only=True, compare=False)
    judge: Sequence[str] | Mapping[str, Sequence[str]] = field(
        default=(), kw_only=True, compare=False
    )
    show_defaults: bool = field(default=True, kw_only=True, compare=False)
    policy: str | Path = field(default="", kw_only=True, compare=False)
    due: Iterable[Due] = field(default=(), kw_only=True, compare=False)
    consent: Mapping[str, Any] = field(default_factory=dict, kw_only=True, compare=False)
    scenario_tools: Iterable[Tool] = field(default=(), kw_only=True, compare=False)
    people: Mapping[str, Sequence[str]] | None = field(default=None, kw_only=True, compare=False)
    source: Source | None = field(default=None, kw_only=True, compare=False)
    arguments: Mapping[str, Any] = field(default_factory=dict, kw_only=True, compare=False)
    described_tables: Mapping[str, TableSchema] = field(
        default_factory=dict, kw_only=True, compare=False
    )

    @classmethod
    def of(
        cls,
        factory: Callable[..., Any],
        *,
        state: Look,
        name: str | None = None,
        tools: Iterable[Method] | None = None,
        scenario_tools: Iterable[Method] = (),
        user_tools: Iterable[Method] = (),
        reads: Iterable[Method] = (),
        writes: Iterable[Method] | None = None,
        fork: Callable[[Any], Any] | None = None,
        load: Callable[[Any, Any], object] | None = None,
        tables: Mapping[str, TableSchema] | None = None,
        now: datetime = NOON,
        arguments: Mapping[str, Any] | None = None,
        check_arguments: bool = True,
        timeout: float | None = 30.0,
        move_clock: Callable[[Any, datetime], object] | None = None,
        **options: Any,
    ) -> World:
        """Return a world of an object that changes itself, of which each conversation gets one.

        ``factory`` is its class, or a function that returns one: an object, or a context manager.
        It gets ``arguments``, and the world's time if it takes ``now``. ``state`` returns the
        tables of an object; or it names the attributes that are tables, or the method. ``tools``
        are names of methods, or functions that take the object first; by default all public methods
        of the class. ``scenario_tools`` are those that scenarios alone call, ``user_tools`` those
        of the user. Those in ``reads`` change nothing, or all but those in ``writes``; without
        both, any call may change something.
        ``fork`` copies an object, where ``copy.deepcopy`` is wrong or slow. ``load(object,
        tables)`` puts the rows of ``state:`` of a scenario into an object; without it, scenarios
        have no ``state:``. ``tables`` has schemas of tables, where those inferred from the first
        rows do not do. With ``check_arguments=False``, methods get whatever an agent passes.
        ``timeout`` is the limit of each call in seconds. ``move_clock(object, now)`` tells an
        object that its clock has moved on; without it, scenarios cannot move it. ``options`` are
        those of ``World``: ``summary``, ``judge``, ``policy``, ``consent``, ``raises``,
        ``show_defaults``.

        Raises :class:`WorldError`.
        """
        settings = dict(arguments or {})
        source, toolset, hidden = object_source(
            factory,
            state,
            now,
            settings,
            name=name,
            tools=tools,
            scenario_tools=scenario_tools,
            user_tools=user_tools,
            reads=reads,
            writes=writes,
            fork=fork,
            load=load,
            check_arguments=check_arguments,
            timeout=timeout,
            move_clock=move_clock,
        )
        described = tables or {}
        schemas = {**source.schemas(now, settings), **described}
        options |= {"source": source, "arguments": settings, "described_tables": described}
        options["scenario_tools"] = hidden
        return cls(source.name, now, schemas, toolset, _no_rows, **options)

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
    def callable_tools(self) -> Mapping[str, Tool]:
        """Name → tool that a scenario may call: all tools, and ``scenario_tools``."""
        options = {"show_defaults": self.show_defaults}
        hidden = (tool.in_world(self.raises, **options) for tool in self.scenario_tools)
        return {**self.tools, **{tool.name: tool for tool in hidden}}

    @cached_property
    def agent_tools(self) -> Mapping[str, Tool]:
        """The tools that may be offered to an agent."""
        return {name: tool for name, tool in self.tools.items() if not tool.for_user}

    @cached_property
    def user_tools(self) -> Mapping[str, Tool]:
        """The tools that a user may have, without the one that ends the conversation."""
        tools = self.tools.items()
        return {name: tool for name, tool in tools if tool.for_user and name != END_CONVERSATION}

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

    def loaded(self, now: datetime, edited: State) -> State:
        """Return the start of a scenario, which edits rows of the world's start.

        Raises ``ValueError`` if a live world cannot load the rows.
        """
        if self._origin is None:
            return edited
        try:
            return self._origin.loaded(now, edited)
        except WorldError as error:
            raise ValueError(str(error)) from error

    def open(self, now: datetime) -> RunningWorld:
        """Begin anew, at the start. Raises ``ValueError``."""
        if self._origin is not None:
            return RunningLive(Instances(self._origin, now), self.start(now))
        return _RunningTables(self.tables, now, self.start(now), "", tuple(self.due))

    @property
    def has_moving_clock(self) -> bool:
        """Whether its clock can move during a conversation."""
        return self.source is None or self.source.has_clock

    @property
    def fixtures(self) -> tuple[str, ...]:
        """The names of the fixtures of pytest that conversations need."""
        return () if self.source is None else self.source.fixtures

    @property
    def plays_alone(self) -> bool:
        """Whether all conversations have the same state, and are played one at a time."""
        return self.source is not None and not self.source.replayable

    @cached_property
    def _views(self) -> Callable[[Scrambled | None], Mapping[str, ToolView]]:
        return cache(partial(tool_views, self.tools))

    def with_arguments(self, arguments: Mapping[str, Any]) -> World:
        """Return the world that begins with further arguments, JSON values.

        They are those of the factory of a live world, and of ``initial`` of tables. Equal arguments
        give the same world. Raises ``ValueError`` if it does not take them.
        """
        further = {**self.arguments, **arguments}
        try:
            if self.source is None:
                check_initial(self.name, self.initial, arguments)
            else:
                self.source.check_arguments(arguments)
            key = json.dumps(json.loads(as_json(further)), sort_keys=True)
            if key not in self._with_arguments:
                schemas = self.source.schemas(self.now, further) if self.source else self.tables
                tables = {**schemas, **self.described_tables}
                self._with_arguments[key] = replace(self, arguments=further, tables=tables)
        except (WorldError, TypeError, ValueError) as error:
            raise ValueError(str(error)) from error
        return self._with_arguments[key]

    @cached_property
    def _with_arguments(self) -> dict[str, World]:
        return {}

    @cached_property
    def _origin(self) -> Origin | None:
        """Where the instances of a live world come from, ``None`` for tables."""
        if self.source is None:
            return None
        return Origin(self.name, self.source, self.callable_tools, self.tables, self.arguments)

    @cached_property
    def _starts(self) -> Callable[[datetime, tzinfo | None], State]:
        return cache(lambda now, _: self.initial_state(now))

    def initial_state(self, now: datetime) -> State:
        """Return the state that ``initial`` gives. Raises ``ValueError``."""
        try:
            arguments = {} if self.source else json.loads(as_json(dict(self.arguments)))
            tables = self.initial(now, **arguments)
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

    __slots__ = ("_context", "_due", "_now", "_read", "_schemas", "_state")

    def __init__(
        self,
        schemas: Mapping[str, TableSchema],
        now: datetime,
        state: State,
        place: str,
        due: tuple[Due, ...] = (),
    ) -> None:
        self._schemas, self._now, self._state, self._due = schemas, now, state, due
        self._read: set[str] = set()
        self._context = Context(state.watched(self._read), state.now or now, place, schemas)

    def fork(self, state: State, place: str, by: Caller = "agent") -> RunningWorld:
        del by  # a change is the same, whoever makes it
        return _RunningTables(self._schemas, self._now, state, place, self._due)

    def move_clock(self, now: datetime, place: str) -> State:
        times = self._state.now or self._now, now
        return passed_time(self._due, self._schemas, self._state, times, place)

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


def register_world(world: World) -> World:
    """Make a world known by its name, in place of an earlier one. Raises :class:`WorldError`."""
    place, argument = place_of_caller(), cast("object", world)
    if not isinstance(argument, World):
        raise WorldError(f"{place}: register_world takes a World, not {argument!r}")
    check(world_rules(world), f"{place}: the world {world.name!r}")
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
