"""What an agent attempted: its calls, and texts where a call was asked for, with their faults."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from pytest_toolsandbox.calls.faults import Fault, fault_of
from pytest_toolsandbox.calls.tool_call import ToolCall, readable_arguments
from pytest_toolsandbox.conversation.messages import MadeCall, Message, Trajectory
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.worlds.parameter import NOT_GIVEN
from pytest_toolsandbox.worlds.state import State, frozen, identity
from pytest_toolsandbox.worlds.tool_view import ToolView

UNREADABLE: Final = Fault("IFE", "", expected="a function call")


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
    def request(self) -> Hashable:
        """What makes it the same request as another one: its tool and all arguments."""
        tool = self.tool.tool if self.tool else None
        defaults = {
            name: parameter.default
            for name, parameter in (tool.parameters if tool else {}).items()
            if not parameter.required and parameter.default is not NOT_GIVEN
        }
        arguments = {**defaults, **(self.arguments or {})}.items()
        values = frozenset((name, identity(frozen(value))) for name, value in arguments)
        return tool.name if tool else None, values

    @cached_property
    def refused(self) -> tuple[WrongArgument, ...]:
        """The arguments that keep a call without fault from being executed."""
        if self.fault is not None or self.tool is None:
            return ()
        return tuple(_refused(self.tool, self.arguments or {}))


def attempted_calls(
    trajectory: Trajectory, shown: Mapping[str, ToolView], since: int
) -> Iterator[Attempt]:
    """Yield the attempts of an agent, in the order in which it made them.

    ``shown`` maps names of tools as the agent knows them to the tools. Messages before ``since``
    were there from the start. A text to the execution environment is a format error.
    """
    turn, calls = 0, {call.request: call for call in trajectory.calls}
    for index, message in enumerate(trajectory.messages):
        turn += message.sender is Role.USER
        if index < since or message.sender is not Role.AGENT:
            continue
        if index in calls:
            yield _attempt(calls[index], turn, shown)
        elif message.recipient is Role.EXECUTION_ENVIRONMENT:
            text, state = message.content, trajectory.states[index]
            last = not any(map(_acts, trajectory.messages[index + 1 :]))
            yield Attempt(index, text, state, turn, UNREADABLE, concludes=last)


def repetitions(attempts: Sequence[Attempt], *, turns_apart: bool) -> Collection[int]:
    """Return the places of attempts that find and change only what an earlier one did (RAC).

    An attempt repeats an earlier one with the same tool and arguments, defaults included, if it
    finds the same state of the world. The clock stands still, so asking for the time again is a
    repetition. An attempt with a fault repeats nothing. With ``turns_apart`` an agent only knows
    what it did since the user last spoke.
    """
    repeated = set()
    seen: defaultdict[Hashable, list[State]] = defaultdict(list)
    for place, attempt in enumerate(attempts):
        if attempt.fault is None:
            states = seen[attempt.request, attempt.turn if turns_apart else 0]
            if attempt.before in states:
                repeated.add(place)
            states.append(attempt.before)
    return frozenset(repeated)


def _acts(message: Message) -> bool:
    """Whether the agent calls a tool with a message, or speaks to the user."""
    free = message.call is not None or message.recipient is Role.USER
    return message.sender is Role.AGENT and free


def _attempt(made: MadeCall, turn: int, shown: Mapping[str, ToolView]) -> Attempt:
    name, text = made.call.written
    tool, fault = shown.get(name), fault_of(made.call, shown)
    own, read = tool.world_names if tool else {}, readable_arguments(text)
    arguments = None if read is None else {own.get(n, n): value for n, value in read.items()}
    return Attempt(made.request, name, made.before, turn, fault, made, tool, arguments)


def _refused(tool: ToolView, given: Mapping[str, Any]) -> Iterator[WrongArgument]:
    for name, parameter in tool.tool.parameters.items():
        if name not in given:
            if parameter.required:
                yield WrongArgument(name, "a value", None, given=False)
        elif problem := tool.tool.problem(name, given[name], tool.argument_names[name]):
            yield WrongArgument(name, problem, given[name], given=True)
