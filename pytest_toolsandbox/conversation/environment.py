"""The execution environment: carries out tool calls and says what came of them."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pytest_toolsandbox.worlds.context import Context
from pytest_toolsandbox.worlds.state import State, plain
from pytest_toolsandbox.worlds.world import World

from .messages import ToolCall, ToolTrace
from .parallel import order_of_calls


@dataclass(frozen=True)
class Response:
    """What came of a call: the text for whoever made it, and the state that it left."""

    content: str
    state: State
    trace: ToolTrace | None = None
    error: str | None = None

    @property
    def failed(self) -> bool:
        """Whether the call did not come through. It has then changed nothing."""
        return self.error is not None


@dataclass(frozen=True)
class ExecutionEnvironment:
    """Executes calls of the tools that are offered, in a world whose clock stands still."""

    world: World
    now: datetime
    tools: Collection[str]

    def execute(self, calls: Sequence[ToolCall], state: State, place: int) -> list[Response]:
        """Execute calls that were made at once, and return the responses in the calls' order.

        ``place`` is the index of the first call's message: identifiers derive from it. The states
        of the responses follow one another as the calls happened, whatever the calls' order.
        """

        def run(call: int, before: State) -> Response:
            return self.run(calls[call], before, f"{place}/{call}")

        order = order_of_calls(len(calls), state, run)
        responses: dict[int, Response] = {}
        states = []
        for call in order:
            responses[call] = run(call, state)
            state = responses[call].state
            states.append(state)
        return [
            Response(response.content, after, response.trace, response.error)
            for (_, response), after in zip(sorted(responses.items()), states, strict=True)
        ]

    def run(self, call: ToolCall, state: State, place: str) -> Response:
        """Execute one call. Whatever it raises goes back in one line, ``Type: message``."""
        context = Context(state, self.now, place)
        try:
            arguments = self._arguments(call)
            tool = self.world.tools[call.name]
            bound = tool.bind(arguments)
            result = plain(tool.run(context, bound))
        except Exception as error:  # noqa: BLE001  # any error is the call's
            line = error_line(error)
            return Response(line, state, error=line)
        after = state if context.state == state else context.state
        return Response(as_json(result), after, ToolTrace(call.name, plain(bound), result))

    def _arguments(self, call: ToolCall) -> dict[str, Any]:
        if call.name not in self.tools:
            raise NameError(f"name {call.name!r} is not defined: there is no such tool")
        try:
            arguments = json.loads(call.arguments or "{}", parse_constant=_refuse)
        except ValueError as error:
            raise ValueError(f"the arguments are no JSON: {error}") from None
        except RecursionError:
            raise ValueError("the arguments are no JSON: nested too deeply") from None
        if not isinstance(arguments, dict):
            raise TypeError("the arguments are no JSON object")
        return arguments


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is not allowed")


def error_line(error: BaseException) -> str:
    """Write an error as ``Type: message``, in one line."""
    message = " ".join(str(error).split())
    return f"{type(error).__name__}: {message}" if message else type(error).__name__


def as_json(value: Any) -> str:
    """Write a result as JSON; what JSON does not know, as text."""
    return json.dumps(value, ensure_ascii=False, default=str)
