"""The execution environment: carries out tool calls and says what came of them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from pytest_toolsandbox.calls.faults import feedback, no_call_feedback
from pytest_toolsandbox.calls.text_format import TEXT, TextFormat
from pytest_toolsandbox.calls.tool_call import ToolCall, ToolTrace, read_arguments
from pytest_toolsandbox.wording.regular_expression import SlowSearchError
from pytest_toolsandbox.worlds.context import Context
from pytest_toolsandbox.worlds.errors import WorldError
from pytest_toolsandbox.worlds.json_values import as_json
from pytest_toolsandbox.worlds.state import State
from pytest_toolsandbox.worlds.tables import TableSchema
from pytest_toolsandbox.worlds.tool_view import ToolView

from .messages import Response
from .parallel import Happened, execute_parallel

NO_CALL = "SyntaxError: there is no tool call that could be read"


class _Refused(Exception):  # noqa: N818  # it never leaves this module
    """A tool does not take these arguments. The text is the line for the agent."""


@dataclass(frozen=True)
class ExecutionEnvironment:
    """Executes calls of the tools that are offered, in a world whose clock stands still.

    ``tools`` maps the names under which they are offered to the tools, and ``tables`` those of
    the world's tables to what they take. With ``feedback`` a call that is not valid is answered
    with what is allowed (SpecTool, section 4); ``written`` is how calls in a text should be.
    """

    now: datetime
    tools: Mapping[str, ToolView]
    feedback: bool = False
    tables: Mapping[str, TableSchema] = field(default_factory=dict)
    written: TextFormat = TEXT
    _simple: dict[tuple[str, str], dict[str, Any]] = field(default_factory=dict, init=False)

    def execute(self, calls: Sequence[ToolCall], state: State, place: int) -> Happened:
        """Execute calls that were made at once, and return the responses as they happened.

        ``place`` is the index of the first call's message: identifiers derive from it.
        """

        def run(call: int, before: State) -> Response:
            return self.run(calls[call], before, f"{place}/{call}")

        return execute_parallel(len(calls), state, run)

    def run(self, call: ToolCall, state: State, place: str) -> Response:
        """Execute one call. What its tool declares goes back in one line, ``Type: message``.

        Raises :class:`WorldError` for anything else that the tool raises.
        """
        if self.feedback and (told := feedback(call, self.tools)):
            return Response(told, state, error=told.partition("\n")[0])
        read: set[str] = set()
        context = Context(state.watched(read), self.now, place, self.tables)
        try:
            content, trace = self._executed(call, context)
        except _Refused as refused:
            return Response(str(refused), state, error=str(refused))
        except (WorldError, SlowSearchError, KeyboardInterrupt):
            raise
        except BaseException as error:  # noqa: BLE001  # what the tool declares
            line = _line(error, self.tools.get(call.written[0]))
            return Response(line, state, error=line)
        after = state if context.state == state else context.state
        return Response(content, after, replace(trace, reads=tuple(sorted(read))))

    def refusal(self, state: State) -> Response:
        """Return the answer to a text without the call that should be in it."""
        told = no_call_feedback(self.written) if self.feedback else NO_CALL
        return Response(told, state, error=told)

    def _executed(self, call: ToolCall, context: Context) -> tuple[str, ToolTrace]:
        name, written = call.written
        if name not in self.tools:
            raise _Refused(f"NameError: name {name!r} is not defined: there is no such tool")
        tool = self.tools[name]
        tool.tool.check_precondition(context)
        bound = self._bound(tool, written)
        arguments = as_json(bound)  # now: the tool may do with them what it likes
        content = tool.tool.answer(context, bound)
        whole = tool.tool.completed(json.loads(arguments))
        return content, ToolTrace(tool.tool.name, whole, json.loads(content))

    def _bound(self, tool: ToolView, written: str) -> dict[str, Any]:
        key = tool.name, written  # parallel calls are tried again and again
        if key not in self._simple:
            try:
                bound = tool.bind(read_arguments(written))
            except (TypeError, ValueError) as error:  # these are in the terms of the call
                raise _Refused(_line(error)) from None
            if any(isinstance(value, (list, dict)) for value in bound.values()):
                return bound  # the tool may change what is in them
            self._simple[key] = bound
        return dict(self._simple[key])


def _line(error: BaseException, tool: ToolView | None = None) -> str:
    """Write an error in one line, in the names under which the agent knows the tool."""
    try:
        message = " ".join(str(error).split())
    except Exception:  # noqa: BLE001  # an exception of a user's own that cannot be written
        message = ""
    message = message if tool is None else tool.renamed(message)
    return type(error).__name__ + (f": {message}" if message else "")
