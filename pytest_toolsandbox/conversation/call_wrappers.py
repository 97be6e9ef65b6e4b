"""Call wrappers: what a tool call passes through between the environment and the world.

A wrapper may answer a call itself, as feedback on an invalid call does, change the call before it
is executed, or change the response: a timeout, a truncated result, an injected text.

Requests and responses are immutable: copy a request with ``_replace``, and a response with
``dataclasses.replace``. ``environment_of`` in ``environment.py`` lists the wrappers in use.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from pytest_toolsandbox.calls.faults import feedback
from pytest_toolsandbox.calls.tool_call import ToolCall
from pytest_toolsandbox.worlds.state import Caller, State
from pytest_toolsandbox.worlds.tool_view import ToolView

from .messages import Response


class CallRequest(NamedTuple):
    """A call, the state in which it is executed, its place in the conversation, and its caller."""

    call: ToolCall
    state: State
    place: str
    by: Caller = "agent"


Execute = Callable[[CallRequest], Response]
CallWrapper = Callable[[Execute, CallRequest], Response]
"""Takes the function that executes a call, and the call; returns the response.

Equal requests must get equal responses: parallel calls are tried in several orders.
"""


def wrapped(execute: Execute, wrappers: Sequence[CallWrapper]) -> Execute:
    """Return ``execute`` within wrappers; a call passes through the first of them first."""
    for wrapper in reversed(wrappers):
        execute = partial(wrapper, execute)
    return execute


def feedback_wrapper(tools: Mapping[str, ToolView]) -> CallWrapper:
    """Return what answers an invalid call with what is allowed (SpecTool, section 4)."""

    def wrapper(execute: Execute, request: CallRequest) -> Response:
        text = feedback(request.call, tools)
        if text is None:
            return execute(request)
        return Response(text, request.state, error=text.partition("\n")[0])

    return wrapper
