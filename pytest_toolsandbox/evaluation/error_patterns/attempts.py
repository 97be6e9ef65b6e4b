"""What an agent attempted: its calls, and texts where a call was asked for, with their faults."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from pytest_toolsandbox.calls.faults import Fault, fault_of
from pytest_toolsandbox.calls.json_arguments import readable_arguments
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

    A text to the execution environment is a format error; where every reply had to be a call that
    is written in a ``text``, so is a text to the user. With ``turns_apart``, as in a replayed
    conversation, the agent does not know what it did before the user last spoke. Messages before
    ``since`` were there from the start.
    """

    text: bool = False
    turns_apart: bool = False
    since: int = 0


NATIVE: Final = CallingProtocol()


@dataclass(frozen=True)
class WrongArgument:
    """An argument, by its own name, with what was expected, in words, and what was found."""

    name: str
    expected: str
    found: Any
    given: bool


@dataclass(frozen=True)
class Attempt:
    """A call that an agent made or meant to make; what was not ``made`` as a call is a text.

    ``text`` is that text, or the name that was called. ``fault`` is why it was not executed.
    ``tool`` is the one that was called, if there is one, and ``arguments`` has its own names for
    them, ``None`` where they could not be read. ``before`` is the state that it found. ``turn``
    counts what the user said before. A text ``concludes`` if the agent did nothing after it.
    """

    message: int
    text: str
    before: State
    turn: int
    fault: Fault | None
    made: MadeCall | None = None
    tool: ToolView | None = None
    arguments: Mapping[str, Any] | None = None
    concludes: bool = False

    @property
    def call(self) -> ToolCall | None:
        """The call as it was asked for."""
        return self.made.call if self.made else None

    @property
    def failed(self) -> bool:
        """Whether it was not executed, or with an error."""
        return self.made is None or self.made.failed

    @cached_property
    def arguments_with_defaults(self) -> Mapping[str, Any]:
        """The arguments with the defaults of those that were not given."""
        parameters = self.tool.tool.parameters if self.tool else {}
        defaults = {
            name: parameter.default
            for name, parameter in parameters.items()
            if not parameter.required and parameter.default is not NOT_GIVEN
        }
        return {**defaults, **(self.arguments or {})}

    @cached_property
    def request(self) -> Hashable:
        """What makes it the same request as another one: its tool and all arguments."""
        name = self.tool.tool.name if self.tool else None
        arguments = self.arguments_with_defaults.items()
        return name, frozenset((key, identity(frozen(value))) for key, value in arguments)

    @cached_property
    def refused(self) -> tuple[WrongArgument, ...]:
        """The arguments that keep a call without fault from being executed."""
        if self.fault is not None or self.tool is None:
            return ()
        return tuple(_refused(self.tool, self.arguments or {}))


def attempted_calls(
    trajectory: Trajectory, shown: Mapping[str, ToolView], protocol: CallingProtocol = NATIVE
) -> tuple[Attempt, ...]:
    """Return the attempts of an agent, in the order in which it made them.

    ``shown`` maps names of tools as the agent knows them to the tools.
    """
    return tuple(_attempts(trajectory, shown, protocol))


def _attempts(
    trajectory: Trajectory, shown: Mapping[str, ToolView], protocol: CallingProtocol
) -> Iterator[Attempt]:
    turn, calls = 0, {call.request: call for call in trajectory.calls}
    for index, message in enumerate(trajectory.messages):
        turn += message.sender is Role.USER
        if index < protocol.since or message.sender is not Role.AGENT:
            continue
        if index in calls:
            yield _attempt(calls[index], turn, shown)
        elif protocol.text or message.recipient is Role.EXECUTION_ENVIRONMENT:
            state, concludes = trajectory.states[index], _concludes(trajectory, index, protocol)
            text = message.content
            yield Attempt(index, text, state, turn, UNREADABLE, concludes=concludes)


def _attempt(made: MadeCall, turn: int, shown: Mapping[str, ToolView]) -> Attempt:
    name, text = made.call.written
    tool, fault = shown.get(name), fault_of(made.call, shown)
    own, read = tool.world_names if tool else {}, readable_arguments(text)
    arguments = None if read is None else {own.get(n, n): value for n, value in read.items()}
    return Attempt(made.request, name, made.before, turn, fault, made, tool, arguments)


def _concludes(trajectory: Trajectory, index: int, protocol: CallingProtocol) -> bool:
    """Whether the agent neither called anything after a message, nor said what it was free to."""
    return not any(
        message.call is not None or (message.recipient is Role.USER and not protocol.text)
        for message in trajectory.messages[index + 1 :]
        if message.sender is Role.AGENT
    )


def _refused(tool: ToolView, given: Mapping[str, Any]) -> Iterator[WrongArgument]:
    for name, parameter in tool.tool.parameters.items():
        if name not in given:
            if parameter.required:
                yield WrongArgument(name, "a value", None, given=False)
        elif problem := tool.tool.problem(name, given[name], tool.argument_names[name]):
            yield WrongArgument(name, problem, given[name], given=True)
