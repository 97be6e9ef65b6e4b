"""Make Python functions from the JSON Schemas of tools."""

from __future__ import annotations

import inspect
import re
from collections.abc import Awaitable, Callable, Iterator, Mapping
from functools import reduce
from keyword import iskeyword
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
    """A tool of a conversation as frameworks need it, with three ways to call it.

    ``call`` takes all arguments as one mapping or its JSON, ``call_named`` takes keyword arguments,
    and ``wait`` does the same without ``await``. All return the text that a model would read.
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
    """Return a function that does ``call(name, arguments)``.

    Name, docstring and signature are those of ``tool``, a function of a chat API. An optional
    argument that is ``None`` is left out, unless it has another default. An argument whose name is
    not one of Python's has ``_`` for what Python does not allow, and after a keyword: ``from_``.
    """
    names = _python_names(tool["parameters"])

    def function(*args: Any, **kwargs: Any) -> str:
        return call(tool["name"], _arguments(function, names, args, kwargs))

    return _described(function, tool, names)


def async_function(
    tool: Mapping[str, Any], call: Callable[[str, dict[str, Any]], Awaitable[str]]
) -> Callable[..., Awaitable[str]]:
    """Return a coroutine function, as :func:`plain_function` does."""
    names = _python_names(tool["parameters"])

    async def function(*args: Any, **kwargs: Any) -> str:
        return await call(tool["name"], _arguments(function, names, args, kwargs))

    return _described(function, tool, names)


def callable_tool(
    tool: Mapping[str, Any],
    call: Callable[[str, Any], str],
    call_async: Callable[[str, Any], Awaitable[str]],
) -> CallableTool:
    """Return a tool as frameworks need it, from a function of a chat API."""
    name = tool["name"]

    async def call_named(**arguments: Any) -> str:
        return await call_async(name, arguments)

    return CallableTool(
        name,
        tool.get("description", ""),
        tool["parameters"],
        call=lambda arguments: call_async(name, arguments),
        call_named=call_named,
        wait=lambda **arguments: call(name, arguments),
    )


def _python_names(schema: Mapping[str, Any]) -> dict[str, str]:
    """Return argument → name of the function's parameter; all of them differ."""
    names: dict[str, str] = {}
    for name in schema.get("properties", {}):
        python_name = re.sub(r"\W|^(?=\d)", "_", name)
        while iskeyword(python_name) or python_name in names.values():
            python_name += "_"
        names[name] = python_name
    return names


def _described(
    function: Callable[..., Any], tool: Mapping[str, Any], names: Mapping[str, str]
) -> Callable[..., Any]:
    parameters = list(_parameters(tool["parameters"], names))
    function.__name__ = function.__qualname__ = tool["name"]
    function.__doc__ = _docstring(tool, names)
    function.__annotations__ = {p.name: p.annotation for p in parameters} | {"return": str}
    signature = inspect.Signature(parameters, return_annotation=str)
    function.__signature__ = signature  # type: ignore[attr-defined]  # inspect reads it
    return function


def _parameters(schema: Mapping[str, Any], names: Mapping[str, str]) -> Iterator[inspect.Parameter]:
    required = set(schema.get("required", ()))
    properties = schema.get("properties", {})
    for name in sorted(properties, key=lambda name: name not in required):  # stable
        types = allowed_types(properties[name], schema)
        annotation = reduce(or_, (_TYPES[type_name] for type_name in types)) if types else Any
        default = inspect.Parameter.empty
        if name not in required:
            default = properties[name].get("default")
            annotation = annotation if default is not None or not types else annotation | None
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        yield inspect.Parameter(names[name], kind, default=default, annotation=annotation)


def _arguments(
    function: Callable[..., Any], names: Mapping[str, str], args: Any, kwargs: Any
) -> dict[str, Any]:
    signature = inspect.signature(function)
    try:
        bound = signature.bind(*args, **kwargs).arguments
    except TypeError:
        if args:
            raise
        bound = kwargs  # a mistake of the model: the result of the call says so
    name_of = {python_name: name for name, python_name in names.items()}
    optional = {name for name, p in signature.parameters.items() if p.default is None}
    return {
        name_of.get(name, name): value
        for name, value in bound.items()
        if value is not None or name not in optional
    }


def _docstring(tool: Mapping[str, Any], names: Mapping[str, str]) -> str:
    described = {
        name: schema["description"]
        for name, schema in tool["parameters"].get("properties", {}).items()
        if schema.get("description")
    }
    lines = [f"    {names[name]}: {' '.join(text.split())}" for name, text in described.items()]
    arguments = ["\n".join(["Args:", *lines])] if lines else []
    return "\n\n".join([*filter(None, [tool.get("description")]), *arguments])
