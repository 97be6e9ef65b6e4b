"""The parts of a world that conversations touch."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Final, Literal, NamedTuple

from pytest_toolsandbox.calls.tool_call import readable_arguments
from pytest_toolsandbox.conversation.messages import Message, Trajectory
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.records.parts import ChangeRecord
from pytest_toolsandbox.records.record import Record
from pytest_toolsandbox.worlds.state import plain
from pytest_toolsandbox.worlds.tool import Tool
from pytest_toolsandbox.worlds.world import World

Kind = Literal["tools", "errors", "changes", "dependencies"]
KINDS: Final[tuple[Kind, ...]] = ("tools", "errors", "changes", "dependencies")
_SHORTEST: Final = 3
"""Characters of a text, or digits of a number, from which on it is known where it comes from."""


class Part(NamedTuple):
    """A part of a world: a tool that succeeds, an error of a tool, a change, a dependency.

    ``name`` is a tool or table; ``what`` the error, the change, or the tool that uses the result.
    """

    kind: Kind
    name: str
    what: str = ""

    @property
    def words(self) -> str:
        """The part in a line."""
        if self.kind == "dependencies":
            return f"{self.name} -> {self.what}"
        return f"{self.name}: {self.what}" if self.what else self.name


class Talk(NamedTuple):
    """A conversation: its messages, and the changes of tables."""

    messages: Sequence[Message]
    changes: Sequence[Mapping[str, ChangeRecord]]

    @classmethod
    def of_trajectory(cls, played: Trajectory) -> Talk:
        """Return the conversation of a solution."""
        states = pairwise((played.start, *played.states))
        changes: Any = [b.changes_since(a) for a, b in states if b is not a]
        return cls(played.messages, changes)

    @classmethod
    def of_record(cls, record: Record) -> Talk:
        """Return the conversation of a record."""
        return cls(record["messages"], [s["changes"] for s in record["snapshots"]])


@dataclass
class Coverage:
    """The parts of a world that conversations touched, and the calls that were made."""

    world: World
    touched: set[Part] = field(default_factory=set)
    calls: dict[str, dict[str, Mapping[str, Any]]] = field(default_factory=dict)
    """Tool → arguments as text → arguments, of calls that succeeded."""

    def add(self, talk: Talk) -> None:
        """Add what a conversation touches."""
        self.touched |= {*_outcomes(talk.messages), *changes_in(talk.changes)}
        self.touched |= {*_dependencies(talk.messages)}
        for message in talk.messages:
            if message.trace is not None and message.call is not None:
                arguments = readable_arguments(message.call.arguments) or {}
                made = self.calls.setdefault(message.trace.tool_name, {})
                made.setdefault(repr(arguments), arguments)

    @property
    def declared(self) -> list[Part]:
        """The tools of the world, and the errors that they declare."""
        tools = [*self.world.tools.values()]
        errors = (Part("errors", t.name, error) for t in tools for error in self._errors(t))
        return [*(Part("tools", tool.name) for tool in tools), *errors]

    def known(self, part: Part) -> bool:
        """Whether something is a part of this world: an agent may call what there is not."""
        if part.kind == "changes":
            schema = self.world.tables.get(part.name)
            return schema is not None and not schema.bookkeeping
        tools = self.world.tools
        if part.kind == "errors":
            return part.name in tools and part.what in self._errors(tools[part.name])
        return part.name in tools and (not part.what or part.what in tools)

    def _errors(self, tool: Tool) -> list[str]:
        """Return the names of the exceptions that a tool declares, beside those of its world."""
        further = (kind.__name__ for kind in tool.raises if kind not in self.world.raises)
        return sorted({*tool.signature.raises, *further})


def _outcomes(messages: Iterable[Message]) -> Iterator[Part]:
    for message in messages:
        if message.sender is Role.EXECUTION_ENVIRONMENT and message.call is not None:
            yield outcome(message.call.name, message.error)


def outcome(tool: str, error: str | None) -> Part:
    """Return the part that a call touches by its outcome."""
    if error is None:
        return Part("tools", tool)
    return Part("errors", tool, error.partition(":")[0])


def changes_in(changes: Iterable[Mapping[str, Any]]) -> Iterator[Part]:
    """Yield how tables changed: rows came, went, or became others."""
    for change in changes:
        for table, rows in change.items():
            counts = len(rows["added"]), len(rows["removed"])
            if min(counts):
                yield Part("changes", table, "changed")
            if counts[0] != counts[1]:
                yield Part("changes", table, "added" if counts[0] > counts[1] else "removed")


def _dependencies(messages: Iterable[Message]) -> Iterator[Part]:
    """Yield which tool uses a value from a result of which tool that nobody has said."""
    sources: dict[Any, str | None] = {}
    texts: list[str] = []
    for message in messages:
        if message.trace is not None:
            for value in leaves(plain(message.trace.result)):
                if is_telling(value):
                    sources.setdefault(value, message.trace.tool_name)
        elif message.call is not None and message.recipient is Role.EXECUTION_ENVIRONMENT:
            arguments = readable_arguments(message.call.arguments) or {}
            for value in {*leaves(arguments)} & sources.keys():
                if not any(str(value) in text for text in texts):
                    yield Part("dependencies", str(sources[value]), message.call.name)
        elif message.sender is Role.USER:
            texts.append(message.content)


def is_telling(value: Any) -> bool:
    """Whether a value is long enough for it to be known where it comes from."""
    return not isinstance(value, bool) and value is not None and len(str(value)) >= _SHORTEST


def leaves(value: Any) -> Iterator[Any]:
    """Yield the texts and numbers in a JSON value."""
    if isinstance(value, Mapping):
        value = [*value.values()]
    if isinstance(value, (list, tuple)):
        for item in value:
            yield from leaves(item)
    elif isinstance(value, (str, int, float)):
        yield value
