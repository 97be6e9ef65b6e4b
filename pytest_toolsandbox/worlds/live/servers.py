"""Worlds behind servers: begin anew by a reset or a new server, and look by calls that only read.

``mcp`` and ``openapi`` have the two kinds of servers.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Final, Protocol

from pytest_toolsandbox.concurrency.time_limit import uncounted
from pytest_toolsandbox.text.nearest_name import did_you_mean, unknown
from pytest_toolsandbox.worlds.context import WorldError
from pytest_toolsandbox.worlds.json_values import as_json
from pytest_toolsandbox.worlds.schema_tool import SchemaTool, ToolError
from pytest_toolsandbox.worlds.state import TableSchema
from pytest_toolsandbox.worlds.tool import Tool

from .server_tables import TableQuery, ToolCallSetting, read_tables
from .snapshots import inferred_schemas
from .turns import Turns

NOON: Final = datetime(2025, 1, 1, 12, tzinfo=UTC)
"""The time of a world that does not say which: servers have clocks of their own."""


class Connection(Protocol):
    """A server, or a session with one, for one conversation."""

    def execute(self, name: str, arguments: dict[str, Any]) -> Any:
        """Call a tool by the server's name for it, and return the JSON value of the result.

        Raises :class:`ToolError`, :class:`WorldError`.
        """

    def close(self, *, is_clean: bool) -> None:
        """End the connection; after a clean end, the server may serve another conversation."""


@dataclass(eq=False)
class ServerSource:
    """Begins conversations with a server.

    ``connect`` returns a server that is at the start, or is so after the call ``reset``. ``start``
    has the tables at the start. With ``turns``, the server has one state for all conversations.
    """

    world: str
    connect: Callable[[], Connection]
    start: Mapping[str, Any]
    queries: Mapping[str, TableQuery]
    reset: ToolCallSetting | None
    reset_arguments: Collection[str]
    """The names of the arguments that the reset takes."""
    reads: frozenset[str]
    turns: Turns | None
    pull: str
    """The command that writes the kept file."""
    fixtures: tuple[str, ...]
    in_process: bool = field(default=False, init=False)
    loads: bool = field(default=False, init=False)
    has_clock: bool = field(default=False, init=False)

    @property
    def replayable(self) -> bool:
        """Whether several conversations can go on at once."""
        return self.turns is None

    @property
    def other_start(self) -> str:
        """What may be wrong if a conversation begins with other rows than the kept ones."""
        cause = "the server keeps its state, or has a clock or randomness"
        remedy = "" if self.reset else "name the tool that begins anew in reset:, or "
        return f"than the kept file has: {cause}; {remedy}run: {self.pull}"

    def first_tables(self, arguments: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """Return the tables at the start, unless they depend on arguments."""
        return None if arguments else self.start

    def begin(self, now: datetime, arguments: Mapping[str, Any]) -> ServerInstance:
        del now
        with uncounted():  # an agent need not be fast because a server starts slowly
            if self.turns is not None:
                self.turns.begin(self.world)
            try:
                connection = self.connect()
                instance = ServerInstance(self, connection)
                if self.reset is not None:
                    instance.begin_anew({**self.reset.arguments, **arguments})
            except BaseException:
                if self.turns is not None:
                    self.turns.end()
                raise
        return instance

    def check_arguments(self, arguments: Mapping[str, Any]) -> None:
        if self.reset is None and arguments:
            text = "takes arguments only with reset:, the tool that gets them"
            raise ValueError(f"the world {self.world!r} {text}")
        for name in arguments:
            if name not in self.reset_arguments:
                raise ValueError(unknown("argument", name, self.reset_arguments))

    def schemas(self, now: datetime, arguments: Mapping[str, Any]) -> Mapping[str, TableSchema]:
        del now, arguments
        return inferred_schemas(self.start)

    def never_forks(self) -> None:
        pass  # a server has no forks


class ServerInstance:
    """A conversation with a server."""

    def __init__(self, source: ServerSource, connection: Connection) -> None:
        self._source, self._connection = source, connection
        self._is_open, self._is_clean = True, True

    def begin_anew(self, arguments: dict[str, Any]) -> None:
        """Call the tool that resets the server. Raises :class:`WorldError`."""
        assert self._source.reset is not None
        name = self._source.reset.tool
        try:
            self._execute(name, arguments)
        except ToolError as error:
            self._end()
            raise WorldError(
                f"the world {self._source.world!r}: {name}() failed: {error}"
            ) from None
        except BaseException:
            self._end()
            raise

    def call(self, tool: Tool, arguments: Mapping[str, Any]) -> str:
        assert isinstance(tool, SchemaTool)
        return as_json(self._execute(tool.original_name, dict(arguments)))

    def tables(self) -> Mapping[str, Any]:
        return read_tables(self._source.queries, self._execute)

    def load(self, tables: Mapping[str, list[dict[str, Any]]]) -> None:
        raise NotImplementedError(f"a server cannot load {', '.join(tables)}")

    def move_clock(self, now: datetime) -> None:
        raise NotImplementedError(f"a server cannot move its clock to {now}")

    def fork(self) -> None:
        return None

    def close(self) -> None:
        if self._is_open:
            try:
                self._end()
            finally:
                if self._source.turns is not None:
                    self._source.turns.end()

    def _execute(self, name: str, arguments: dict[str, Any]) -> Any:
        try:
            return self._connection.execute(name, arguments)
        except ToolError:
            raise
        except BaseException:
            self._is_clean = False
            raise

    def _end(self) -> None:
        self._is_open = False
        with suppress(WorldError):  # the server may have ended by itself
            self._connection.close(is_clean=self._is_clean)


def check_names(world: str, setting: str, names: Collection[str], known: Sequence[str]) -> None:
    """Raise :class:`WorldError` if a setting names a tool that the server does not have."""
    for name in names:
        if name not in known:
            hint = did_you_mean(name, known) or f"; it has {', '.join(known)}"
            text = f"{setting} names {name!r}, which is not a tool of the server{hint}"
            raise WorldError(f"the world {world!r}: {text}")


def with_user_tools(world: str, tools: Sequence[SchemaTool], names: Iterable[str]) -> list[Tool]:
    """Return the tools of a server, of which the named ones are those of the user.

    Raises :class:`WorldError` for a name that the server does not have.
    """
    listed = [*names]
    check_names(world, "user_tools", listed, [tool.original_name for tool in tools])
    return [replace(tool, for_user=tool.original_name in listed) for tool in tools]
