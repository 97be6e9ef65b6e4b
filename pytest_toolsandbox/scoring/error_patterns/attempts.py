"""The attempts of an agent: its calls, texts instead of calls, their faults and repetitions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from pytest_toolsandbox.calls.faults import Fault, faults_of
from pytest_toolsandbox.calls.text_format import is_spoken_call
from pytest_toolsandbox.calls.tool_call import ToolCall, readable_arguments
from pytest_toolsandbox.conversation.messages import MadeCall, Trajectory
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.worlds.parameter import NOT_GIVEN
from pytest_toolsandbox.worlds.state import State, frozen, identity
from pytest_toolsandbox.worlds.tool import Tool
from pytest_toolsandbox.worlds.tool_view import ToolView

_UNREADABLE: Final = Fault("IFE", "", expected="a function call")


@dataclass(frozen=True)
class WrongArgument:
    """An argument, by the world's name, with the expectation in words and the actual value."""

    name: str
    expected: str
    actual: Any
    is_given: bool


@dataclass(frozen=True)
class Attempt:
    """A call that an agent made, or a text instead of a call (without ``made``).

    ``text`` is that text, or the called name. ``faults`` are those of the first four patterns.
    ``tool`` is the called tool, if it exists. ``arguments`` have the world's names, or are ``None``
    if they could not be parsed. ``before`` is the state before the attempt. ``turn`` counts the
    user's messages before it. A text ``concludes`` if the agent did nothing after it.
    """

    message: int
    text: str
    before: State
    turn: int
    faults: tuple[Fault, ...]
    made: MadeCall | None = None
    tool: ToolView | None = None
    arguments: Mapping[str, Any] | None = None
    concludes: bool = False

    @property
    def call(self) -> ToolCall | None:
        """The call as the agent requested it."""
        return self.made.call if self.made else None

    @property
    def failed(self) -> bool:
        """Whether it was not executed, or ended in an error."""
        return self.made is None or self.made.failed

    @property
    def changed_the_world(self) -> bool:
        """Whether it succeeded and changed the state."""
        return self.made is not None and self.made.changed_the_world

    @cached_property
    def request(self) -> Hashable:
        """The identity of a request: the tool and all arguments, defaults included."""
        tool = self.tool.tool if self.tool else None
        defaults = {
            name: parameter.default
            for name, parameter in (tool.parameters if tool else {}).items()
            if not parameter.required and parameter.default is not NOT_GIVEN
        }
        arguments = {**defaults, **(self.arguments or {})}.items()
        values = frozenset((name, value_of(value, name, tool)) for name, value in arguments)
        return tool.name if tool else None, values

    def repeats(self, earlier: Attempt) -> bool:
        """Return whether the same request before it makes it return and change nothing new."""
        if earlier.made and earlier.made.fault:  # the agent cannot rely on what came of it
            return False
        # The world already is as the call wants it; doing it once more is a repetition.
        if earlier.changed_the_world:
            return True
        trace = earlier.made.trace if earlier.made else None
        # If the tool does not record what it reads, the whole state must be unchanged.
        if trace is None or trace.reads is None:
            return self.before == earlier.before
        if self.before.now != earlier.before.now:  # no table, but tools may read it
            return False
        return all(self.before[name] == earlier.before[name] for name in trace.reads)

    def found_all_of(self, attempt: Attempt) -> bool:
        """Return whether both are look-ups and this one returned all rows of the other."""
        rows, asked = self._results, attempt._results
        return bool(asked) and all(row in rows for row in asked)

    @property
    def found_something(self) -> bool:
        """Whether it is a successful look-up with a result."""
        return any(self._results)

    @property
    def _results(self) -> list[Any]:
        trace = self.made.trace if self.made and not self.made.changed_the_world else None
        result = trace.result if trace else []
        return result if isinstance(result, list) else [result]

    def lost_race(self, attempts: Iterable[Attempt]) -> bool:
        """Return whether it failed and was executed before a parallel call that precedes it."""
        made = [attempt.made for attempt in attempts if attempt.made]
        mine = self.made
        return (
            mine is not None
            and mine.failed
            and any(
                call.batch == mine.batch and call.request < mine.request and call.order > mine.order
                for call in made
            )
        )

    @cached_property
    def refused(self) -> tuple[WrongArgument, ...]:
        """The arguments without another fault that prevent the execution of the call."""
        # With a wrong name or format, the tool would refuse arguments that the fault explains
        # already.
        if self.tool is None or any(fault.pattern != "IAT" for fault in self.faults):
            return ()
        faulty = {self.tool.world_names[fault.argument or ""] for fault in self.faults}
        wrong = _refused(self.tool, self.arguments or {})
        return tuple(argument for argument in wrong if argument.name not in faulty)


def attempted_calls(
    trajectory: Trajectory, shown: Mapping[str, ToolView], since: int
) -> Iterator[Attempt]:
    """Yield the attempts of an agent in order.

    ``shown`` maps the tool names that the agent sees to the tools. Messages before ``since`` are
    the history. A text to the execution environment is a format error, and so is a call that is
    written into a text to the user.
    """
    turn, calls = 0, {call.request: call for call in trajectory.calls}
    for index, message in enumerate(trajectory.messages):
        turn += message.sender is Role.USER and message.call is None
        if index < since or message.sender is not Role.AGENT:
            continue
        if index in calls:
            yield _attempt(calls[index], turn, shown)
        elif message.recipient is not Role.USER or is_spoken_call(message.content, shown):
            text, state = message.content, trajectory.states[index]
            later = trajectory.messages[index + 1 :]
            acts = (m.call or m.recipient is Role.USER for m in later if m.sender is Role.AGENT)
            yield Attempt(index, text, state, turn, (_UNREADABLE,), concludes=not any(acts))


def repetitions(attempts: Sequence[Attempt], *, turns_apart: bool) -> Collection[int]:
    """Return the places of attempts that return and change nothing new after an earlier one (RAC).

    An attempt repeats an earlier one with the same tool and arguments, defaults included, if the
    earlier one changed the world, or if all that it read is unchanged. The clock stands still, so a
    second question for the time is a repetition. An attempt with a fault is not a repetition. With
    ``turns_apart`` only attempts since the last message of the user count.
    """
    repeated = set()
    seen: defaultdict[Hashable, list[Attempt]] = defaultdict(list)
    for place, attempt in enumerate(attempts):
        if not attempt.faults:
            earlier = seen[attempt.request, attempt.turn if turns_apart else 0]
            if any(map(attempt.repeats, earlier)):
                repeated.add(place)
            earlier.append(attempt)
    return frozenset(repeated)


def value_of(value: Any, name: str = "", tool: Tool | None = None) -> Hashable:
    """Return the identity of an argument's value; the members of a set are in any order.

    Members that are left out inside of it, as in a model, have their defaults.
    """
    value = whole_value(value, name, tool)
    measure = tool.comparison.arguments.get(name) if tool else None
    if measure == "set" and isinstance(value, (list, tuple)):
        return frozenset(identity(frozen(member)) for member in value)
    return identity(frozen(value))  # type: ignore[no-any-return]


def whole_value(value: Any, name: str, tool: Tool | None) -> Any:
    """Return a value with the defaults inside of it, such as those of a model."""
    parameter = tool.parameters.get(name) if tool else None
    return parameter.completed(value) if parameter else value


def _attempt(made: MadeCall, turn: int, shown: Mapping[str, ToolView]) -> Attempt:
    name, text = made.call.written
    tool, faults = shown.get(name), tuple(faults_of(made.call, shown))
    names, read = tool.world_names if tool else {}, readable_arguments(text)
    arguments = None if read is None else {names.get(n, n): value for n, value in read.items()}
    return Attempt(made.request, name, made.before, turn, faults, made, tool, arguments)


def _refused(tool: ToolView, arguments: Mapping[str, Any]) -> Iterator[WrongArgument]:
    for name, parameter in tool.tool.parameters.items():
        if name not in arguments:
            if parameter.required:
                yield WrongArgument(name, "a value", None, is_given=False)
        elif problem := tool.tool.problem(name, arguments[name], tool.argument_names[name]):
            yield WrongArgument(name, problem, arguments[name], is_given=True)
