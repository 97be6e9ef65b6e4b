from __future__ import annotations

import asyncio
import inspect
from typing import Any

import pytest

from pytest_toolsandbox.agents.tool_functions import async_function, plain_function

TOOL = {
    "name": "add_item",
    "description": "Put something in.",
    "parameters": {
        "type": "object",
        "properties": {
            "note": {"type": "string", "description": "What to\nremember."},
            "name": {"type": "string", "description": "What it is."},
            "amount": {"type": "number", "default": 1},
            "tags": {"anyOf": [{"type": "array"}, {"type": "null"}], "default": None},
            "any": {},
        },
        "required": ["name", "any"],
    },
}


def echo(name: str, arguments: dict[str, Any]) -> str:
    return f"{name} {arguments}"


async def echo_later(name: str, arguments: dict[str, Any]) -> str:
    return echo(name, arguments)


def test_a_function_has_the_name_the_signature_and_the_docstring_of_its_tool() -> None:
    function = plain_function(TOOL, echo)
    assert function.__name__ == "add_item"
    assert str(inspect.signature(function)) == (
        "(name: str, any: Any, note: str | None = None, amount: float = 1, "
        "tags: list | None = None) -> str"
    )
    assert function.__doc__ == (
        "Put something in.\n\nArgs:\n    note: What to remember.\n    name: What it is."
    )
    assert function.__annotations__["note"] == str | None


@pytest.mark.parametrize(
    ("positional", "named", "passed"),
    [
        (["rice", 1], {}, {"name": "rice", "any": 1}),
        (["rice"], {"any": None}, {"name": "rice", "any": None}),
        (["rice", 1], {"note": None, "amount": None}, {"name": "rice", "any": 1, "amount": None}),
    ],
)
def test_arguments_are_passed_on(positional: list[Any], named: Any, passed: Any) -> None:
    wanted = f"add_item {passed}"
    assert plain_function(TOOL, echo)(*positional, **named) == wanted
    function = async_function(TOOL, echo_later)
    assert inspect.iscoroutinefunction(function)
    assert asyncio.run(function(*positional, **named)) == wanted


def test_names_that_a_model_makes_up_are_passed_on() -> None:
    assert plain_function(TOOL, echo)(nam="rice") == "add_item {'nam': 'rice'}"
    assert plain_function(TOOL, echo)() == "add_item {}"
    with pytest.raises(TypeError, match="too many positional arguments"):
        plain_function(TOOL, echo)(*range(9))


def test_a_tool_without_a_description() -> None:
    tool = {"name": "look", "parameters": {"type": "object", "properties": {}}}
    function = plain_function(tool, echo)
    assert (function.__doc__, function()) == ("", "look {}")


def test_names_that_python_lacks() -> None:
    arguments = {"from": {"type": "string", "description": "Whence."}, "from_": {}, "in-box": {}}
    tool = {"name": "send", "parameters": {"type": "object", "properties": arguments}}
    function = plain_function(tool, echo)
    assert list(inspect.signature(function).parameters) == ["from_", "from__", "in_box"]
    assert function.__doc__ == "Args:\n    from_: Whence."
    assert function("Rome", from__=1, in_box=2) == "send {'from': 'Rome', 'from_': 1, 'in-box': 2}"
    assert function(**{"from": "Rome", "in-box": 2}) == "send {'from': 'Rome', 'in-box': 2}"
