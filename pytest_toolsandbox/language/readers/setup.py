"""Reads ``setup:`` and makes its calls, which change the world before the conversation."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any

from pytest_toolsandbox.language.mistakes import Mistakes, Path
from pytest_toolsandbox.language.roles import ToolStep
from pytest_toolsandbox.language.values import FromResult, substituted
from pytest_toolsandbox.text.error_text import type_and_text
from pytest_toolsandbox.text.formatting import one_line
from pytest_toolsandbox.text.nearest_name import unknown
from pytest_toolsandbox.worlds.context import WorldError
from pytest_toolsandbox.worlds.protocol import RunningWorld
from pytest_toolsandbox.worlds.state import State
from pytest_toolsandbox.worlds.tool import Tool

from .base_reader import Reader
from .steps import StepReader, read_call


@dataclass(frozen=True, kw_only=True)
class SetupReader(StepReader):
    """Reads calls that nobody makes in the conversation: of any tool that scenarios may call."""

    @property
    def named_by(self) -> str | None:
        """``call``."""
        return "call"

    def _without_result(self, name: str) -> str:
        if name in self.further:
            return f"no call before this one is of {name}; call it first"
        return unknown("earlier call", name, sorted(self.called))


def read_setup(
    reader: Reader, calls: list[Any], start: State | None
) -> tuple[State | None, tuple[str, ...]]:
    """Return the state after the calls of ``setup:``, which must all succeed, and these calls."""
    if not calls or start is None:
        return start, ()
    tools = reader.world.callable_tools
    steps = SetupReader(*reader.context, offered=(), strict=True, beside=(), further=tools)
    try:
        opened = reader.world.open(reader.now)
    except ValueError:  # the start has been reported
        return start, ()
    with closing(opened) as world:
        preparation = _Preparation(reader.mistakes, tools, world, start)
        for index, call in enumerate(calls):
            path: Path = ("setup", index)
            before = len(reader.mistakes.entries)
            if (step := _step(steps, call, path)) is not None:
                if len(reader.mistakes.entries) == before:
                    preparation.make(step, (*path, step.tool))
                steps = replace(steps, called=steps.called | {step.tool})
            if len(reader.mistakes.entries) > before:
                break  # the calls after it may need what it does
    return preparation.state, tuple(preparation.calls)


def _step(reader: SetupReader, call: Any, path: Path) -> ToolStep | None:
    written = {call: None} if isinstance(call, str) else call
    if not isinstance(written, dict) or len(written) != 1:
        reader.mistakes.expected(path, "one tool with its arguments", call)
        return None
    ((name, value),) = written.items()
    return read_call(reader, name, value, path if written is not call else (*path, name))


class _Preparation:
    """Makes calls in a world, one after the other."""

    def __init__(
        self, mistakes: Mistakes, tools: Mapping[str, Tool], world: RunningWorld, state: State
    ) -> None:
        self.mistakes, self.tools, self.world, self.state = mistakes, tools, world, state
        self.results: dict[str, Any] = {}
        self.calls: list[str] = []
        """The calls that were made, as Python code."""

    def make(self, step: ToolStep, path: Path) -> None:
        """Make a call, or note why it fails."""
        tool, place = self.tools[step.tool], "/".join(map(str, path))
        try:
            arguments = _filled(step.arguments, self.results)
            running = self.world.fork(self.state, place, "setup")
            running.check_precondition(tool)
            self.results[step.tool] = json.loads(running.call(tool, tool.bind(arguments)))
            self.state = running.snapshot()
            written = ", ".join(f"{key}={value!r}" for key, value in arguments.items())
            self.calls.append(f"{step.tool}({written})")
        except KeyboardInterrupt:
            raise
        except WorldError as error:
            self.mistakes.add(path, one_line(str(error)), key=True)
        except BaseException as error:  # noqa: BLE001  # what a tool declares may be any exception
            text = f"the call fails, and calls of setup must succeed: {type_and_text(error)}"
            self.mistakes.add(path, one_line(text), key=True)


def _filled(arguments: Mapping[str, Any], results: Mapping[str, Any]) -> dict[str, Any]:
    """Return arguments with the values of earlier results. Raises ``ValueError``."""

    def latest(source: FromResult) -> Any:
        value = source.value(results[source.name])
        if value is None:
            where = f" at {source.path!r}" if source.path else ""
            raise ValueError(f"there is nothing{where} in the result of {source.name}")
        return value

    filled: dict[str, Any] = substituted(dict(arguments), latest)
    return filled
