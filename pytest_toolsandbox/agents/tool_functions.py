"""Tools as Python functions, made of their JSON Schemas."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Iterator, Mapping
from functools import reduce
from operator import or_
from types import NoneType
from typing import Any, Final, NamedTuple

from pytest_toolsandbox.worlds.schemas import allowed_types

_TYPES: Final[Mapping[str, Any]] = {
    "string": str,
    "integer": int,
    "number": float,
    "boolean": bool,
    "array": list,
    "object": dict,
    "null": NoneType,
}


class CallableTool(NamedTuple):
    """A tool of a conversation: what frameworks ask of one, and three ways to call it.

    ``call`` takes all arguments as one mapping or as its JSON, ``call_named`` each by its name, and
    ``wait`` does so for those who cannot await. All return the text that a model would read.
    """

    name: str
    description: str
    parameters: dict[str, Any]
    call: Callable[[Mapping[str, Any] | str], Awaitable[str]]
    call_named: Callable[..., Awaitable[str]]
    wait: Callable[..., str]


def plain_function(
    tool: Mapping[str, Any], call: Callable[[str, dict[str, Any]], str]
) -> Callable[..., str]:
    """Return a function that is a tool: it does ``call(name, arguments)``.

    Name, docstring and signature are those of ``tool``, the function of a chat API. ``None`` for
    an argument that may be left out leaves it out, unless it has another default.
    """

    def function(*given: Any, **named: Any) -> str:
        return call(tool["name"], _arguments(function, given, named))

    return _described(function, tool)


def async_function(
    tool: Mapping[str, Any], call: Callable[[str, dict[str, Any]], Awaitable[str]]
) -> Callable[..., Awaitable[str]]:
    """Return a coroutine function that is a tool, as :func:`plain_function` does."""

    async def function(*given: Any, **named: Any) -> str:
        return await call(tool["name"], _arguments(function, given, named))

    return _described(function, tool)


def callable_tool(
    tool: Mapping[str, Any],
    call: Callable[[str, Any], str],
    call_async: Callable[[str, Any], Awaitable[str]],
) -> CallableTool:
    """Return a tool as frameworks need it, of the function of a chat API."""
    name = tool["name"]

    async def at_once(arguments: Mapping[str, Any] | str) -> str:
        return await call_async(name, arguments)

    async def named(**arguments: Any) -> str:
        return await call_async(name, arguments)

    def wait(**arguments: Any) -> str:
        return call(name, arguments)

    described = name, tool.get("description", ""), tool["parameters"]
    return CallableTool(*described, at_once, named, wait)


def _described(function: Callable[..., Any], tool: Mapping[str, Any]) -> Callable[..., Any]:
    parameters = list(_parameters(tool["parameters"]))
    function.__name__ = function.__qualname__ = tool["name"]
    function.__doc__ = _docstring(tool)
    function.__annotations__ = {one.name: one.annotation for one in parameters} | {"return": str}
    signature = inspect.Signature(parameters, return_annotation=str)
    function.__signature__ = signature  # type: ignore[attr-defined]  # inspect reads it
    return function


def _parameters(schema: Mapping[str, Any]) -> Iterator[inspect.Parameter]:
    required = set(schema.get("required", ()))
    properties = schema.get("properties", {})
    for name in sorted(properties, key=lambda one: one not in required):  # stable
        types = allowed_types(properties[name], schema)
        annotation = reduce(or_, (_TYPES[one] for one in types)) if types else Any
        default = inspect.Parameter.empty
        if name not in required:
            default = properties[name].get("default")
            annotation = annotation if default is not None or not types else annotation | None
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        yield inspect.Parameter(name, kind, default=default, annotation=annotation)


def _arguments(function: Callable[..., Any], given: Any, named: Any) -> dict[str, Any]:
    signature = inspect.signature(function)
    try:
        bound = signature.bind(*given, **named).arguments
    except TypeError:
        if given:
            raise
        return dict(named)  # a model's mistake, which it is told in the result
    left_out = {name for name, one in signature.parameters.items() if one.default is None}
    return {name: one for name, one in bound.items() if one is not None or name not in left_out}


def _docstring(tool: Mapping[str, Any]) -> str:
    described = {
        name: schema["description"]
        for name, schema in tool["parameters"].get("properties", {}).items()
        if schema.get("description")
    }
    lines = [f"    {name}: {' '.join(text.split())}" for name, text in described.items()]
    arguments = ["\n".join(["Args:", *lines])] if lines else []
    return "\n\n".join([*filter(None, [tool.get("description")]), *arguments])
