"""The protocol of worlds: what a conversation needs of a world, whatever the world is made of.

:class:`~pytest_toolsandbox.worlds.world.World` implements it with tables and plain functions.
Worlds of live objects, or behind a server, implement it in ``live``.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Protocol

from .state import Caller, State, TableSchema
from .tool import Tool


class RunningWorld(Protocol):
    """A world during a conversation: it executes calls, one after the other."""

    def fork(self, state: State, place: str, by: Caller = "agent") -> RunningWorld:
        """Return the world in another state; calls in the fork do not change this world.

        ``place`` names the next call: in the same place and state a call does the same. ``by`` says
        who makes it.
        """

    def check_precondition(self, tool: Tool) -> None:
        """Raise an error for the agent if a tool cannot be called now, whatever its arguments."""

    def call(self, tool: Tool, arguments: Mapping[str, Any]) -> str:
        """Execute a call and return its result as JSON.

        Raises an error for the agent, or :class:`~pytest_toolsandbox.worlds.context.WorldError`.
        """

    def snapshot(self) -> State:
        """Return the state after the last call: the same object if the call changed nothing."""

    def move_clock(self, now: datetime, place: str) -> State:
        """Move the clock on, and return the state after all that was due until then.

        ``place`` names the move, as that of a call. Raises
        :class:`~pytest_toolsandbox.worlds.context.WorldError`.
        """

    @property
    def tables_read(self) -> tuple[str, ...] | None:
        """The names of the tables that the calls have read, if they are known."""

    def explore(self) -> None:
        """Begin to try the orders of parallel calls, in which calls are executed in many states."""

    def may_explore(self) -> bool:
        """Whether a call may be executed in yet another state; the limits are the world's."""

    def settle(self, state: State) -> None:
        """End :meth:`explore`: the conversation goes on in this state."""

    def close(self) -> None:
        """End all that the conversation needed of the world, such as processes."""


class SimulatedWorld(Protocol):
    """A world: its tools, its tables at the start, and how it begins anew."""

    @property
    def name(self) -> str:
        """The name by which scenarios select the world."""

    @property
    def tools(self) -> Mapping[str, Tool]:
        """Name → tool, those of the user included."""

    @property
    def tables(self) -> Mapping[str, TableSchema]:
        """Name → schema of each table of a snapshot."""

    def start(self, now: datetime) -> State:
        """Return the snapshot before anything has happened. Raises ``ValueError``."""

    def open(self, now: datetime) -> RunningWorld:
        """Begin anew, at the start. Raises ``ValueError``."""
