"""Makes tools of the methods of an object, and of functions that take the object first."""

from __future__ import annotations

import functools
import inspect
import types
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

from pytest_toolsandbox.text.error_text import place_of_caller
from pytest_toolsandbox.text.formatting import type_name
from pytest_toolsandbox.text.nearest_name import did_you_mean
from pytest_toolsandbox.worlds.context import WorldError
from pytest_toolsandbox.worlds.tool import Tool

_FUNCTIONS: Final = (types.FunctionType, staticmethod, classmethod)
_NOT_TOOLS: Final = ("close", "fork")
"""Public methods that end or copy an object."""

Method = str | Callable[..., Any]
"""The name of a method, or a function that takes the object first."""


def public_methods(subject: object) -> list[str]:
    """Return the names of the public methods that an object's class defines, in their order.

    Methods of base classes of other packages, such as those of pydantic's ``BaseModel``, are not
    meant for agents. Properties are no methods.
    """
    kind = type(subject)
    package = kind.__module__.partition(".")[0]
    names: dict[str, None] = {}
    for base in reversed(kind.__mro__):
        if base.__module__.partition(".")[0] == package:
            members = vars(base).items()
            names |= dict.fromkeys(name for name, member in members if _is_method(name, member))
    return [name for name in names if _is_method(name, inspect.getattr_static(kind, name))]


def _is_method(name: str, member: object) -> bool:
    is_public = not name.startswith("_") and name not in _NOT_TOOLS
    # A decorator such as functools.cache makes other callables; those keep what they wrap.
    wraps_one = callable(member) and hasattr(member, "__wrapped__") and not isinstance(member, type)
    return is_public and (isinstance(member, _FUNCTIONS) or wraps_one)


def method_name(method: Method) -> str:
    """Return the name of a method or function."""
    name = method if isinstance(method, str) else getattr(method, "__name__", None)
    if not isinstance(name, str):
        remedy = "write names of methods, or functions that take the object first"
        raise WorldError(f"{place_of_caller()}: {method!r:.100} has no name; {remedy}")
    return name


def method_tools(
    subject: object, methods: Iterable[Method], module: str, **options: Any
) -> Iterator[tuple[Tool, Method]]:
    """Yield a tool for each method, and the method. Raises :class:`WorldError`."""
    for method in methods:
        if callable(method):
            function, bound = method, functools.partial(method, subject)
        else:
            function = bound = _method(subject, method)
        tool = Tool(_described(method_name(method), function, bound), module, **options)
        tool.signature  # noqa: B018  # raises if it cannot be a tool
        yield tool, method


def _method(subject: object, name: str) -> Any:
    method = getattr(subject, name, None)
    if not callable(method):
        known = did_you_mean(name, public_methods(subject))
        text = f"{type(subject).__name__} has no method {name!r}{known}"
        raise WorldError(f"{place_of_caller()}: {text}")
    return method


def _described(name: str, function: Any, bound: Any) -> Callable[..., Any]:
    """Return a function with the name, docstring, hints and signature of a method.

    It stands for the method where its schema is made; instances execute the method itself.
    """
    plain = inspect.unwrap(function)
    plain = getattr(plain, "__func__", plain)
    if not isinstance(plain, types.FunctionType):
        text = f"the tool {name!r} is {type_name(plain)}; write a method"
        raise WorldError(f"{place_of_caller()}: {text}")

    def stand_in(**_: Any) -> Any:
        raise NotImplementedError(name)

    functools.update_wrapper(stand_in, plain)
    stand_in.__name__ = name
    stand_in.__doc__ = function.__doc__ or plain.__doc__
    signature = inspect.signature(bound)
    hints = typing.get_type_hints
    try:
        known = hints(plain, include_extras=True)
    except Exception:  # noqa: BLE001  # reading the signature says why
        known = {}
    parameters = [_parameter(parameter, known) for parameter in signature.parameters.values()]
    annotations = {p.name: p.annotation for p in parameters if p.annotation is not p.empty}
    if "return" in plain.__annotations__:
        annotations["return"] = plain.__annotations__["return"]
    stand_in.__annotations__ = annotations
    stand_in.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    return stand_in


def _parameter(parameter: inspect.Parameter, hints: Mapping[str, Any]) -> inspect.Parameter:
    """Return a parameter whose hint allows its default: many write ``name: str = None``."""
    hint = hints.get(parameter.name, parameter.annotation)
    is_left_out = parameter.default is None and hint is not parameter.empty
    if is_left_out and hint in hints.values() and type(None) not in typing.get_args(hint):
        hint = typing.Optional[hint]  # noqa: UP045  # of any hint, also a text
    return parameter.replace(annotation=hint)
