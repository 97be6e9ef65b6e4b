"""Reads solutions and counterexamples: the steps of an agent.

This covers the shorthands of steps: ``each`` (one call per value), ``one_of`` (alternatives; a
solution is read once for each combination), and scripts that only list what differs from the first
solution.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Final

from pytest_toolsandbox.language.mistakes import Mistakes, Path, not_offered
from pytest_toolsandbox.language.protocol import InWorld
from pytest_toolsandbox.language.roles import ParallelStep, SayStep, Step, ToolStep, calls_of
from pytest_toolsandbox.language.values import UNREADABLE_RESULT, FromResult, results_in
from pytest_toolsandbox.text.formatting import quote
from pytest_toolsandbox.text.nearest_name import did_you_mean, unknown
from pytest_toolsandbox.worlds.tool import Tool

from .base_reader import SHORT_FROM, Reader, argument_problems

_Placed = tuple[Path, Any]
"""A step as it is written, and its path."""

_EACH: Final = "each"
"""The key of an argument whose values follow: the step makes one call for each of them."""


def _placed(steps: Any, path: Path, mistakes: Mistakes) -> list[_Placed]:
    """Return the steps of a script with their paths; none if it is not a list."""
    return [
        ((*path, index), call)
        for index, step in enumerate(steps if isinstance(steps, list) else ())
        for call in _expanded(step, (*path, index), mistakes)
    ]


def _expanded(step: Any, path: Path, mistakes: Mistakes) -> Iterator[Any]:
    """Yield the steps that a step means: ``{id: {each: [1, 2]}}`` makes two calls."""
    if not isinstance(step, dict) or len(step) != 1:
        yield step
        return
    ((name, value),) = step.items()
    if name == "parallel" and isinstance(value, list):
        calls = [call for _, call in _placed(value, (*path, name), mistakes)]
        yield {name: calls}
    elif isinstance(value, dict) and (several := [key for key in value if _is_each(value[key])]):
        if len(several) > 1:
            mistakes.add((*path, name), f"only one argument of a step can use {_EACH}", key=True)
        argument, items = several[0], value[several[0]][_EACH]
        if isinstance(items, list) and len(items) > 1:
            yield from ({name: value | {argument: item}} for item in items)
        else:
            where = (*path, name, argument, _EACH)
            mistakes.expected(where, "a list of two values or more", items)
    else:
        yield step


def _is_each(value: Any) -> bool:
    return isinstance(value, dict) and set(value) == {_EACH}


def _names_in(step: Any) -> Iterator[str]:
    """Yield the names of the tools that a step calls, also in parallel."""
    if isinstance(step, dict):
        yield from step
        if isinstance(calls := step.get("parallel"), list):
            yield from (name for call in calls for name in _names_in(call))


def _with_calls_taken_from(steps: Sequence[_Placed], plain: Collection[str]) -> list[_Placed]:
    """Insert calls of tools without arguments before the first step that uses their results.

    ``plain`` are these tools.
    """
    whole: list[_Placed] = []
    called: set[str] = set()
    for place, step in steps:
        needed = [name for name in dict.fromkeys(_sources(step)) if name in plain]
        whole += [(place, {name: None}) for name in needed if name not in called]
        whole.append((place, step))
        called.update(needed, _names_in(step))
    return whole


def _sources(value: Any) -> Iterator[str]:
    """Yield the names of the tools whose results a step uses."""
    if isinstance(value, str):
        short = SHORT_FROM.fullmatch(value)
        yield from [short[2]] if short and not short[1] else []
    elif isinstance(value, dict) and set(value) == {"from"} and isinstance(value["from"], dict):
        if isinstance(name := value["from"].get("call"), str):
            yield name
    elif isinstance(value, dict | list):
        items = value.values() if isinstance(value, dict) else value
        yield from (name for item in items for name in _sources(item))


ONE_OF: Final = "one_of"
_MOST_WAYS: Final = 32
"""The largest number of scripts that the alternatives of one solution may make."""


def ways_of(steps: Sequence[_Placed], mistakes: Mistakes) -> list[list[_Placed]]:
    """Return a script for each combination of alternatives; the first uses the first of each."""
    ways: list[list[_Placed]] = [[]]
    for place, step in steps:
        if isinstance(step, dict) and list(step) == [ONE_OF]:
            options = _options(step[ONE_OF], (*place, ONE_OF), mistakes)
        else:
            options = [[(place, step)]]
        if len(ways) * len(options) > _MOST_WAYS:
            mistakes.add(
                place, f"the solution has more than {_MOST_WAYS} ways; use fewer alternatives"
            )
            options = options[:1]
        ways = [[*way, *option] for way in ways for option in options]
    return ways


def _options(value: Any, path: Path, mistakes: Mistakes) -> list[list[_Placed]]:
    """Read alternatives: each is a step or a list of steps, which may be empty."""
    if not isinstance(value, list) or len(value) <= 1:
        mistakes.expected(
            path, "a list of two alternatives or more, steps or lists of steps", value
        )
        return [[]]
    options = []
    for index, item in enumerate(value):
        here = (*path, index)
        if isinstance(item, list):
            options.append(_placed(item, here, mistakes))
        else:
            options.append([(here, step) for step in _expanded(item, here, mistakes)])
    return options


def _changed(
    first: Sequence[_Placed], changes: Mapping[str, Any], path: Path, mistakes: Mistakes
) -> list[_Placed]:
    """Return the first solution with changes: step name → what replaces its last occurrence.

    A mapping replaces arguments, a list replaces the whole step, another text what is said.
    """
    steps = list(first)
    for name, value in changes.items():
        places = [at for at, (_, step) in enumerate(steps) if name in _names_in(step)]
        if places:
            at = places[-1]
            steps[at : at + 1] = _instead(steps[at][1], name, value, path, mistakes)
        else:
            text = f"the first solution has no such step; write all steps of {path[-1]!r} as a list"
            mistakes.add((*path, name), text, key=True)
    if changes and not steps:
        mistakes.add(path, "no step of the first solution is left")
    return steps


def _instead(
    step: dict[str, Any], name: str, value: Any, path: Path, mistakes: Mistakes
) -> list[_Placed]:
    if name not in step:
        calls = list(step["parallel"])
        at = max(place for place, call in enumerate(calls) if name in _names_in(call))
        calls[at : at + 1] = [call for _, call in _instead(calls[at], name, value, path, mistakes)]
        return [(path, {"parallel": calls})] if calls else []
    if isinstance(value, list):
        return _placed(value, (*path, name), mistakes)
    old = step[name] or {}
    are_arguments = isinstance(old, dict) and isinstance(value, dict) and name != "say"
    changed_step = {name: old | value if are_arguments else value}
    return [(path, step) for step in _expanded(changed_step, path, mistakes)]


@dataclass(frozen=True, kw_only=True)
class StepReader(Reader):
    """Reads the steps of a solution or, if not ``strict``, of a counterexample.

    ``offered`` are the tools of the world that the agent has, ``further`` are tools of the
    protocol, and ``called`` those that earlier steps call. ``beside`` are the allowed keys of steps
    that are not tools.
    """

    offered: Collection[str]
    strict: bool
    called: frozenset[str] = frozenset()
    beside: tuple[str, ...] = ("parallel", "say")
    further: Mapping[str, Tool] = field(default_factory=dict)

    @property
    def named_by(self) -> str | None:
        """``call``; in recordings ``None``, since their texts are literal."""
        return "call" if self.beside else None

    @property
    def known(self) -> Mapping[str, Tool]:
        """The tools that might be called, offered or not."""
        return {**self.world.agent_tools, **self.further}

    def not_offered(self, tool: str) -> str:
        """Return the message for a known tool that cannot be called."""
        return not_offered(tool)

    @property
    def plain(self) -> list[str]:
        """The offered tools without arguments; using their results calls them implicitly."""
        tools = self.world.tools
        return [name for name in self.offered if name in tools and not tools[name].parameters]

    def from_result(self, value: Any, path: Path) -> FromResult:
        """Read a reference to the latest result of a tool."""
        source = self.read_from(value, path, "call")
        if source is not UNREADABLE_RESULT and source.name not in self.called:
            self.mistakes.add((*path, "call"), self._without_result(source.name))
        return source

    def _without_result(self, name: str) -> str:
        """Return the message for a tool that has no result yet."""
        tools = self.known
        if self.strict and name in tools and name not in (*self.offered, *self.further):
            return self.not_offered(name)
        if name in tools:
            return f"no step before this one calls {name}; call it first"
        known = sorted({*self.called, *self.plain})
        if did_you_mean(name, tools) and not did_you_mean(name, known):
            return f"unknown tool {quote(name)}{did_you_mean(name, tools)}"
        return unknown("earlier call", name, known)


def read_solutions(
    in_world: InWorld,
    solutions: Mapping[str, Any],
    counterexamples: Mapping[str, Any],
    further: Mapping[str, Tool] = MappingProxyType({}),
) -> dict[str, dict[str, tuple[Step, ...]]]:
    """Return solutions and counterexamples; in the latter, tools and arguments need not exist.

    Each is a list of steps, a text (the only thing that the agent says), or a mapping of what
    differs from the first solution. Alternatives of a solution are numbered: ``plain (2)``.
    """
    right = StepReader(
        *in_world.reader.context, offered=in_world.tools, further=further, strict=True
    )
    wrong = replace(right, strict=False)
    solutions, counterexamples = _as_steps(solutions), _as_steps(counterexamples)
    ways = {
        name if number == 1 else f"{name} ({number})": _with_calls_taken_from(way, right.plain)
        for name, script in solutions.items()
        if isinstance(script, list)
        for number, way in enumerate(
            ways_of(_placed(script, ("solutions", name), right.mistakes), right.mistakes), 1
        )
    }
    first = next(iter(ways.values()), [])
    right_ones = {name: _read(right, way) for name, way in ways.items()}
    for name, script in solutions.items():
        if name not in ways or not script:
            right_ones[name] = _script(right, script, first, ("solutions", name))
    return {
        "solutions": right_ones,
        "counterexamples": {
            name: _script(wrong, script, first, ("counterexamples", name))
            for name, script in counterexamples.items()
        },
    }


def _as_steps(scripts: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: [{"say": script}] if isinstance(script, str) else script
        for name, script in scripts.items()
    }


def _script(
    reader: StepReader, script: Any, first: Sequence[_Placed], path: Path
) -> tuple[Step, ...]:
    steps = _placed(script, path, reader.mistakes)
    left_out: Collection[str] = ()
    if isinstance(script, dict) and script and first:
        steps, left_out = _changed(first, script, path, reader.mistakes), script
    elif not isinstance(script, list):
        reader.mistakes.expected(
            path, "a list of steps, or a mapping of what differs from the first solution;", script
        )
    if script == []:
        reader.mistakes.add(path, "expected at least one step")
    plain = [name for name in reader.plain if name not in left_out]
    return _read(reader, _with_calls_taken_from(steps, plain))


def _read(reader: StepReader, steps: Sequence[_Placed]) -> tuple[Step, ...]:
    script: list[Step] = []
    for path, written in steps:
        step = _step(reader, written, path)
        if step is not None:
            script.append(step)
            called = reader.called.union(call.tool for call in calls_of(step))
            reader = replace(reader, called=called)
    return tuple(script)


def _step(reader: StepReader, step: Any, path: Path) -> Step | None:
    if not isinstance(step, dict) or len(step) != 1:
        reader.mistakes.expected(path, "one tool with its arguments, parallel or say;", step)
        return None
    ((name, value),) = step.items()
    if name == "say":
        return _say(reader, value, (*path, name))
    if name == "parallel":
        return _parallel(reader, value, (*path, name))
    return read_call(reader, name, value, (*path, name))


def _say(reader: StepReader, value: Any, path: Path) -> SayStep | None:
    text = reader.literal(value, path)
    if isinstance(text, FromResult):
        return None if text is UNREADABLE_RESULT else SayStep(text)
    return SayStep(text) if reader.mistakes.is_text(text, path) else None


def _parallel(reader: StepReader, value: Any, path: Path) -> ParallelStep | None:
    if not isinstance(value, list) or not value:
        reader.mistakes.expected(path, "a list of tool calls", value)
        return None
    steps = [_step(reader, item, (*path, index)) for index, item in enumerate(value)]
    for index, step in enumerate(steps):
        if isinstance(step, SayStep | ParallelStep):
            reader.mistakes.add((*path, index), "only tools can be called in parallel")
    return ParallelStep(tuple(step for step in steps if isinstance(step, ToolStep)))


def read_call(reader: StepReader, name: str, value: Any, path: Path) -> ToolStep | None:
    """Return a call of a tool with its arguments."""
    if isinstance(value, str) and name not in reader.known and "say" in reader.beside:
        text = f"unknown tool {quote(name)}; write what the agent says under say"
        reader.mistakes.add(path, text, key=True)
        return None
    arguments = reader.arguments(value, path)
    if arguments is None:
        return None
    values = {key: _choices(reader, item, (*path, key)) for key, item in arguments.items()}
    for place in range(max(map(len, values.values()), default=1) if reader.strict else 0):
        chosen = {key: choices[min(place, len(choices) - 1)] for key, choices in values.items()}
        _check_call(reader, name, _without_null(chosen, values), path)
    alternatives = {key: tuple(choices[1:]) for key, choices in values.items() if len(choices) > 1}
    first = {key: choices[0] for key, choices in values.items()}
    return ToolStep(name, _without_null(first, values), alternatives)


def _choices(reader: StepReader, value: Any, path: Path) -> list[Any]:
    """Return the accepted values of an argument; the first is the one to play."""
    if not (isinstance(value, dict) and set(value) == {ONE_OF}):
        return [reader.literal(value, path)]
    choices = value[ONE_OF]
    if not isinstance(choices, list) or len(choices) <= 1:
        reader.mistakes.expected((*path, ONE_OF), "a list of two values or more", choices)
        return [None]
    for index, choice in enumerate(choices):
        if any(results_in(reader.literal(choice, (*path, ONE_OF, index)))):
            text = "alternatives for an argument are plain values; write the step with one_of"
            reader.mistakes.add((*path, ONE_OF, index), text)
    return choices


def _without_null(chosen: Mapping[str, Any], values: Mapping[str, list[Any]]) -> dict[str, Any]:
    """Leave out arguments whose chosen alternative is null."""
    return {
        key: value for key, value in chosen.items() if value is not None or len(values[key]) == 1
    }


def _check_call(reader: StepReader, name: str, arguments: Mapping[str, Any], path: Path) -> None:
    known = reader.known
    if name not in known:
        allowed = (*reader.offered, *reader.further, *reader.beside)
        reader.mistakes.unknown(path, "tool", name, allowed)
        return
    if name not in (*reader.offered, *reader.further):
        reader.mistakes.add(path, reader.not_offered(name), key=True)
        return
    tool = known[name]
    for key in reader.only_known(arguments, path, "argument", tool.parameters, f"of {name}"):
        for wrong in argument_problems(arguments[key], tool, key):
            reader.mistakes.add((*path, key, *wrong.path), wrong.text, key=wrong.key)
    for key, parameter in tool.parameters.items():
        if parameter.required and key not in arguments:
            reader.mistakes.add(path, f"the argument {key!r} is missing", key=True)
