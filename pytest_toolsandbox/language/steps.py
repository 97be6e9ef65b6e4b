"""Solutions and counterexamples: what an agent does, step by step."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from .mistakes import Path, found, unknown
from .reader import Reader
from .scenario import ParallelStep, SayStep, Step, ToolStep
from .values import FromCall, FromResult, results_in


def read_solutions(
    reader: Reader, solutions: Mapping[str, list[Any]], offered: Collection[str]
) -> dict[str, tuple[Step, ...]]:
    """Return the solutions. They may only do what the scenario's tools allow."""
    return _read(reader, "solutions", solutions, offered, strict=True)


def read_counterexamples(
    reader: Reader, examples: Mapping[str, list[Any]], offered: Collection[str]
) -> dict[str, tuple[Step, ...]]:
    """Return the counterexamples. They may call tools and arguments that do not exist."""
    return _read(reader, "counterexamples", examples, offered, strict=False)


def _read(
    reader: Reader,
    section: str,
    solutions: Mapping[str, list[Any]],
    offered: Collection[str],
    *,
    strict: bool,
) -> dict[str, tuple[Step, ...]]:
    reading = _Steps(reader, offered, strict)
    return {name: tuple(reading.read(steps, (section, name))) for name, steps in solutions.items()}


class _Steps:
    def __init__(self, reader: Reader, offered: Collection[str], strict: bool) -> None:
        self.reader = reader
        self.offered = offered
        self.strict = strict

    def read(self, steps: list[Any], path: Path) -> list[Step]:
        read: list[Step] = []
        called: set[str] = set()
        for index, step in enumerate(steps):
            one = self._step(step, (*path, index), called)
            if one is not None:
                read.append(one)
                called |= _tools_of(one)
        if not steps:
            self.reader.mistakes.add(path, "expected at least one step")
        return read

    def _step(self, step: Any, path: Path, called: set[str]) -> Step | None:
        if not isinstance(step, dict) or len(step) != 1:
            text = f"expected one tool with its arguments, parallel or say; found {found(step)}"
            self.reader.mistakes.add(path, text)
            return None
        ((name, value),) = step.items()
        if name == "say":
            return self._say(value, (*path, name), called)
        if name == "parallel":
            return self._parallel(value, (*path, name), called)
        return self._call(name, value, (*path, name), called)

    def _say(self, value: Any, path: Path, called: set[str]) -> SayStep | None:
        text = self.reader.literal(value, path, FromCall)
        if not isinstance(text, (str, FromCall)):
            self.reader.mistakes.add(path, f"expected text, found {found(value)}")
            return None
        self._check_results(text, path, called)
        return SayStep(text)

    def _parallel(self, value: Any, path: Path, called: set[str]) -> ParallelStep | None:
        if not isinstance(value, list) or not value:
            self.reader.mistakes.add(path, f"expected a list of tool calls, found {found(value)}")
            return None
        steps = []
        for index, item in enumerate(value):
            step = self._step(item, (*path, index), called)
            if isinstance(step, ToolStep):
                steps.append(step)
            elif step is not None:
                self.reader.mistakes.add((*path, index), "only tools can be called in parallel")
        return ParallelStep(tuple(steps))

    def _call(self, name: str, value: Any, path: Path, called: set[str]) -> ToolStep | None:
        arguments = {} if value is None else value
        if not isinstance(arguments, dict):
            text = f"expected arguments, name: value; found {found(value)}"
            self.reader.mistakes.add(path, text)
            return None
        read = {
            key: self.reader.literal(item, (*path, key), FromCall)
            for key, item in arguments.items()
        }
        for key, item in read.items():
            self._check_results(item, (*path, key), called)
        if self.strict:
            self._check_call(name, read, path)
        return ToolStep(name, read)

    def _check_call(self, name: str, arguments: Mapping[str, Any], path: Path) -> None:
        mistakes = self.reader.mistakes
        if name not in self.reader.world.agent_tools:
            allowed = (*self.offered, "parallel", "say")
            mistakes.unknown(path, "tool", name, allowed)
            return
        if name not in self.offered:
            mistakes.add(path, f"{name} is not offered to the agent here", key=True)
            return
        tool = self.reader.world.tools[name]
        for key in self.reader.only_known(arguments, path, f"argument of {name}", tool.parameters):
            value = arguments[key]
            if not any(results_in(value)) and (problem := tool.problem(key, value)):
                mistakes.add((*path, key), problem)
        for key, parameter in tool.parameters.items():
            if parameter.required and key not in arguments:
                mistakes.add(path, f"{name} needs the argument {key!r}", key=True)

    def _check_results(self, value: Any, path: Path, called: set[str]) -> None:
        for result in results_in(value):
            self._check_result(result, path, called)

    def _check_result(self, result: FromResult, path: Path, called: set[str]) -> None:
        if result.name not in called:
            text = unknown("earlier call", result.name, sorted(called))
            self.reader.mistakes.add((*path, "from", "call"), text)


def _tools_of(step: Step) -> set[str]:
    if isinstance(step, ToolStep):
        return {step.tool}
    if isinstance(step, ParallelStep):
        return {inner.tool for inner in step.steps}
    return set()
