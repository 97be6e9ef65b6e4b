"""What an agent attempted: its calls, and texts where a call was asked for, with their faults."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from pytest_toolsandbox.calls.faults import Fault, fault_of
from pytest_toolsandbox.calls.json_arguments import read_arguments
from pytest_toolsandbox.calls.tool_call import ToolCall
from pytest_toolsandbox.conversation.messages import MadeCall, Trajectory
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.worlds.parameter import NOT_GIVEN
from pytest_toolsandbox.worlds.state import State, frozen, identity
from pytest_toolsandbox.worlds.tool_view import ToolView

UNREADABLE: Final = Fault("IFE", "", expected="a function call")


@dataclass(frozen=True)
class CallingProtocol:
    """How an agent was to make its calls, and what it knows when it does.

    What goes to the execution environment and is no call is a format error; where every reply had
    to be a call that is written in a ``text``, so is what goes to the user. With ``turns_apart``,
    as in a conversation that is replayed, the agent does not know what it did itself before the
    user last spoke. Messages before ``since`` were there from the start.
    """

    text: bool = False
    turns_apart: bool = False
    since: int = 0


NATIVE: Final = CallingProtocol()


@dataclass(frozen=True)
class Attempt:
    """A call that an agent made or meant to make; without a ``call`` it is a text.

    ``fault`` is why it was not executed. ``tool`` is the one that was called, if there is one, and
    ``given`` its arguments under the tool's own names, ``None`` where they could not be read.
    ``failed`` says that it was not executed, or with an error; ``before`` is the state that it
    found, and ``changed`` says whether it left another one. ``turn`` counts what the user said
    before. A text ``concludes`` if the agent did nothing after it.
    """

    message: int
    text: str
    call: ToolCall | None
    fault: Fault | None
    tool: ToolView | None
    given: Mapping[str, Any] | None
    failed: bool
    before: State
    turn: int
    changed: bool = False
    concludes: bool = False

    @cached_property
    def bound(self) -> Mapping[str, Any]:
        """The arguments with the defaults of those that were not given."""
        given = self.given or {}
        if self.tool is None:
            return given
        defaults = {
            name: parameter.default
            for name, parameter in self.tool.tool.parameters.items()
            if not parameter.required and parameter.default is not NOT_GIVEN
        }
        return {**defaults, **given}

    @cached_property
    def request(self) -> Hashable:
        """What makes it the same request as another one: its tool and all arguments."""
        name = self.tool.tool.name if self.tool else None
        return name, frozenset((key, identity(frozen(v))) for key, v in self.bound.items())

    @cached_property
    def refused(self) -> Mapping[str, str]:
        """Argument that keeps the call from being executed → what is expected, in words."""
        if self.fault is not None or self.tool is None:
            return {}
        return dict(_refused(self.tool, self.given or {}))


def attempts(
    trajectory: Trajectory, shown: Mapping[str, ToolView], protocol: CallingProtocol = NATIVE
) -> tuple[Attempt, ...]:
    """Return the attempts of an agent, in the order in which it made them.

    ``shown`` maps names of tools as the agent knows them to the tools.
    """
    return tuple(_Reading(trajectory, shown).attempts(protocol))


@dataclass(frozen=True)
class _Reading:
    """A conversation as it is read."""

    trajectory: Trajectory
    shown: Mapping[str, ToolView]

    def attempts(self, protocol: CallingProtocol) -> Iterator[Attempt]:
        turn, calls = 0, {call.request: call for call in self.trajectory.calls}
        for index, message in enumerate(self.trajectory.messages):
            turn += message.sender is Role.USER
            if index < protocol.since or message.sender is not Role.AGENT:
                continue
            if index in calls:
                yield self.attempt(calls[index], turn)
            elif protocol.text or message.recipient is Role.EXECUTION_ENVIRONMENT:
                yield self.text(index, turn, concludes=not self.goes_on(index, protocol))

    def attempt(self, made: MadeCall, turn: int) -> Attempt:
        name, text = made.call.written
        tool = self.shown.get(name)
        return Attempt(
            made.request,
            name,
            made.call,
            fault_of(made.call, self.shown),
            tool,
            _own(text, tool.world_names if tool else {}),
            made.failed,
            made.before,
            turn,
            made.changed_the_world,
        )

    def text(self, index: int, turn: int, *, concludes: bool) -> Attempt:
        text, state = self.trajectory.messages[index].content, self.trajectory.states[index]
        return Attempt(
            index, text, None, UNREADABLE, None, None, True, state, turn, concludes=concludes
        )

    def goes_on(self, index: int, protocol: CallingProtocol) -> bool:
        """Whether the agent made a call after a message, or said what it was free to say."""
        return any(
            message.call is not None or (message.recipient is Role.USER and not protocol.text)
            for message in self.trajectory.messages[index + 1 :]
            if message.sender is Role.AGENT
        )


def _own(text: str, world_names: Mapping[str, str]) -> dict[str, Any] | None:
    """Return arguments under a tool's own names, where they can be read."""
    try:
        read = read_arguments(text)
    except (ValueError, TypeError):
        return None
    return {world_names.get(name, name): value for name, value in read.items()}


def _refused(tool: ToolView, given: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name, parameter in tool.tool.parameters.items():
        if name not in given:
            if parameter.required:
                yield name, "a value"
        elif problem := tool.tool.problem(name, given[name], tool.argument_names[name]):
            yield name, problem
