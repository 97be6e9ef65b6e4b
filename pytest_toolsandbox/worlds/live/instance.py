"""The protocols of live worlds: a source begins instances, and an instance executes calls."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Protocol

from pytest_toolsandbox.worlds.state import TableSchema
from pytest_toolsandbox.worlds.tool import Tool


class Instance(Protocol):
    """One living copy of a world, such as an object or a process with a server."""

    def call(self, tool: Tool, arguments: Mapping[str, Any]) -> str:
        """Execute a call and return its result as JSON; ``arguments`` are JSON values.

        Raises an error for the agent, or :class:`~pytest_toolsandbox.worlds.context.WorldError`.
        """

    def tables(self) -> Mapping[str, Any]:
        """Return table → its rows as they are now, in a stable order.

        ``row_reading.read_rows`` says what may stand for rows. Raises ``WorldError``.
        """

    def load(self, tables: Mapping[str, list[dict[str, Any]]]) -> None:
        """Make the rows of some tables the given ones. Raises ``WorldError``."""

    def move_clock(self, now: datetime) -> None:
        """Move the clock on, if the source ``has_clock``. Raises ``WorldError``."""

    def fork(self) -> Instance | None:
        """Return an independent copy in the same state, ``None`` if there is no way to make one."""

    def close(self) -> None:
        """End the instance. Raises ``WorldError``."""


class Source(Protocol):
    """What begins the instances of a live world, each at the start."""

    reads: frozenset[str]
    """The names of the tools that change nothing; all other tools may change something."""
    in_process: bool
    """Whether instances live in this process, where they may share state: this is then checked."""

    @property
    def has_clock(self) -> bool:
        """Whether the clock of instances can move (:meth:`Instance.move_clock`)."""

    @property
    def loads(self) -> bool:
        """Whether instances can :meth:`Instance.load` rows."""

    fixtures: tuple[str, ...]
    """The names of the fixtures of pytest that instances need."""

    @property
    def replayable(self) -> bool:
        """Whether several instances can live at once, so that a replay can reach a state."""

    @property
    def other_start(self) -> str:
        """How an error goes on about an instance that begins with other rows than the first."""

    def first_tables(self, arguments: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """Return the tables at the start if they are known without an instance."""

    def begin(self, now: datetime, arguments: Mapping[str, Any]) -> Instance:
        """Begin anew. Raises ``WorldError``."""

    def check_arguments(self, arguments: Mapping[str, Any]) -> None:
        """Check the names of arguments that a scenario gives. Raises ``ValueError``."""

    def schemas(self, now: datetime, arguments: Mapping[str, Any]) -> Mapping[str, TableSchema]:
        """Return name → schema of the tables of an instance. Raises ``WorldError``."""

    def never_forks(self) -> None:
        """Note that a fork shares state with its original: forks are no longer made."""
