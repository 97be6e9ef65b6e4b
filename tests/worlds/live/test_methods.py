"""Tools made of methods and functions: which, with what schema, and what they may do."""

from __future__ import annotations

import functools
import json
import os
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from pydantic import BaseModel

from pytest_toolsandbox.calls.tool_call import ToolCall
from pytest_toolsandbox.conversation.environment import ExecutionEnvironment
from pytest_toolsandbox.conversation.messages import Response
from pytest_toolsandbox.worlds.context import WorldError
from pytest_toolsandbox.worlds.state import plain
from pytest_toolsandbox.worlds.world import World


def counted(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def wrapper(*arguments: Any, **named: Any) -> Any:
        return function(*arguments, **named)

    return wrapper


STRANGE: dict[str, Callable[[], Any]] = {
    "set": lambda: {"b", "a"},
    "bytes": lambda: b"abc",
    "binary": lambda: b"\xff",
    "number": lambda: np.float64(1.5),
    "array": lambda: np.array([[1, 2]]),
    "generator": lambda: (number for number in (1, 2)),
    "object": object,
    "note": lambda: Desk(notes=[]),
    "nan": lambda: float("nan"),
}


class Base:
    def inherited(self) -> int:
        """Return one."""
        return 1


class Desk(Base, BaseModel):
    """A desk, whose base class has many public methods of its own."""

    notes: list[dict[str, Any]] = []  # pydantic copies it

    @property
    def broken(self) -> str:
        raise RuntimeError("nobody asks for properties")

    @staticmethod
    def double(number: int) -> int:
        """Double a number."""
        return 2 * number

    @classmethod
    def kind(cls) -> str:
        """Say what this is."""
        return cls.__name__

    @counted
    def decorated(self, text: str) -> str:
        """Return a text.

        Args:
            text: Which.
        """
        return text

    def write(self, text: str, title: str = None, tags: list[str] = []) -> list[Any]:  # type: ignore[assignment]  # noqa: B006, RUF013
        """Write a note.

        Args:
            text: What.
            title: How it is called.
            tags: Of what it is.
        """
        tags.append("new")
        self.notes.append({"text": text, "title": title, "tags": tags})
        return self.notes

    async def wait(self) -> str:
        """Wait.

        Args:
            None
        """
        return "waited"

    def print(self) -> None:
        """Print."""
        print("something")  # noqa: T201

    def leave(self) -> None:
        """Leave."""
        sys.exit(3)

    def split(self) -> str:
        """Split the process."""
        if (child := os.fork()) == 0:
            return "child"
        os.waitpid(child, 0)
        return "parent"

    def strange(self, what: str) -> Any:
        """Return something strange."""
        return STRANGE[what]()

    def _private(self) -> None:
        raise NotImplementedError


def run(world: World, *calls: tuple[str, dict[str, Any]]) -> list[Response]:
    state, responses = world.start(world.now), []
    with ExecutionEnvironment(world, world.now, world.shown()) as played:
        for place, (name, arguments) in enumerate(calls):
            made = ToolCall("call", name, json.dumps(arguments))
            responses.append(played.run(made, state, f"{place}/0"))
            state = responses[-1].state
    return responses


@pytest.fixture
def world() -> World:
    return World.of(Desk, state=["notes"])


def test_public_methods_of_the_users_own_classes_are_tools(world: World) -> None:
    assert [*world.tools] == [
        *("inherited", "double", "kind", "decorated", "write", "wait", "print", "leave", "split"),
        "strange",
    ]
    assert world.name == "desk"


def test_schemas_come_from_hints_and_docstrings(world: World) -> None:
    function = world.tools["write"].schema["function"]
    assert function["description"] == "Write a note."
    assert function["parameters"] == {
        "type": "object",
        "properties": {
            "text": {"type": "string", "description": "What."},
            "title": {"type": "string", "description": "How it is called."},
            "tags": {
                "type": "array",
                "items": {"type": "string"},
                "default": [],
                "description": "Of what it is.",
            },
        },
        "required": ["text"],
    }
    wait = world.tools["wait"].schema["function"]
    assert (wait["description"], wait["parameters"]["properties"]) == ("Wait.", {})


@pytest.mark.parametrize(
    ("name", "arguments", "content"),
    [
        ("inherited", {}, "1"),
        ("double", {"number": 4}, "8"),
        ("kind", {}, '"Desk"'),
        ("decorated", {"text": "x"}, '"x"'),
        ("wait", {}, '"waited"'),
        ("print", {}, "null"),
        ("strange", {"what": "set"}, '["a", "b"]'),
        ("strange", {"what": "bytes"}, '"abc"'),
        ("strange", {"what": "number"}, "1.5"),
        ("strange", {"what": "array"}, "[[1, 2]]"),
        ("strange", {"what": "generator"}, "[1, 2]"),
        ("strange", {"what": "note"}, '{"notes": []}'),
        ("split", {}, '"parent"'),
    ],
)
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_what_methods_return(
    world: World, name: str, arguments: dict[str, Any], content: str
) -> None:
    (response,) = run(world, (name, arguments))
    assert response.content == content


@pytest.mark.parametrize(
    ("name", "arguments", "line"),
    [
        ("leave", {}, "raised SystemExit: 3"),
        ("strange", {"what": "binary"}, "its result cannot be written as JSON"),
        ("strange", {"what": "object"}, "its result cannot be written as JSON"),
        ("strange", {"what": "nan"}, "its result cannot be written as JSON"),
        ("strange", {"what": "nothing"}, "raised KeyError: 'nothing'; fix it, or declare KeyError"),
    ],
)
def test_what_is_an_error_of_the_world(
    world: World, name: str, arguments: dict[str, Any], line: str
) -> None:
    with pytest.raises(WorldError) as caught:
        run(world, (name, arguments))
    text = str(caught.value)
    assert f"the tool {name!r}" in text
    assert line in text
    assert "\n" not in text
    assert "test_methods.py:" in text


def test_results_arguments_and_defaults_are_not_shared(world: World) -> None:
    tags = ["old"]
    first, second, third = run(
        world,
        ("write", {"text": "a", "tags": tags}),
        ("write", {"text": "b"}),
        ("write", {"text": "c"}),
    )
    assert len(json.loads(first.content)) == 1, "a tool may return its own state"
    assert first.trace
    assert first.trace.arguments["tags"] == ["old"], "a tool may change its arguments"
    assert [note["tags"] for note in json.loads(third.content)] == [
        ["old", "new"],
        ["new"],
        ["new"],
    ]
    assert plain(first.state["notes"].rows) == [
        {"text": "a", "title": None, "tags": ["old", "new"]}
    ]
    assert len(second.state["notes"]) == 2


def test_functions_that_take_the_object_are_tools() -> None:
    def count_notes(desk: Desk, at_least: int = 0) -> int:
        """Count the notes.

        Args:
            at_least: What to return if there are fewer.
        """
        return max(len(desk.notes), at_least)

    world = World.of(Desk, state=["notes"], tools=["write", count_notes], reads=[count_notes])
    assert [*world.tools] == ["write", "count_notes"]
    assert world.tools["count_notes"].schema["function"]["parameters"]["required"] == []
    _, counted_notes = run(world, ("write", {"text": "a"}), ("count_notes", {}))
    assert counted_notes.content == "1"


def test_tools_of_the_user_and_of_scenarios_are_not_the_agents() -> None:
    world = World.of(Desk, state=["notes"], user_tools=["print"], scenario_tools=["leave"])
    assert {"print", "leave"}.isdisjoint(world.agent_tools)
    assert world.tools["print"].for_user
    assert not any(tool.action for tool in world.tools.values())
    world = World.of(Desk, state=["notes"], writes=["write"], tools=["write", "kind"])
    assert [name for name, tool in world.tools.items() if tool.action] == ["write"]


def test_arguments_may_be_passed_on_unchecked() -> None:
    options: dict[str, Any] = {"tools": ["double"], "raises": (Exception,)}
    world = World.of(Desk, state=["notes"], check_arguments=False, **options)
    doubled, wrong, missing = run(
        world, ("double", {"number": "a"}), ("double", {"nummer": 1}), ("double", {})
    )
    assert doubled.content == '"aa"'
    assert wrong.error == ("TypeError: Desk.double() got an unexpected keyword argument 'nummer'")
    assert missing.error == (
        "TypeError: Desk.double() missing 1 required positional argument: 'number'"
    )
    (refused,) = run(World.of(Desk, state=["notes"]), ("double", {"number": "a"}))
    assert refused.error == (
        "TypeError: Parameter 'number' is of type 'string', but expected 'integer'."
    )


class Wrong:
    def __init__(self) -> None:
        self.rows: list[Any] = []

    def silent(self, text: str) -> None:
        raise NotImplementedError

    def unhinted(self, text) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001
        """Do something."""

    def described(self) -> None:
        """Do something.

        Args:
            nobody
        """

    def yields(self) -> Iterator[int]:
        """Yield."""
        yield 1


MISTAKES: list[tuple[dict[str, Any], str]] = [
    ({"tools": ["silent"]}, "the tool 'silent': it has no docstring, from which agents learn"),
    (
        {"tools": ["unhinted"]},
        "the tool 'unhinted': parameter 'text' has no type hint; write",
    ),
    ({"tools": ["described"]}, "its docstring has 'nobody' below Args:; write name: text for each"),
    ({"tools": ["yields"]}, "the tool 'yields': it yields, and agents read one result; return a"),
    ({"tools": ["silnt"]}, "Wrong has no method 'silnt'; did you mean 'silent'?"),
    ({"tools": [3]}, "3 has no name; write names of methods, or functions that take the object"),
    (
        {"reads": ["look"], "tools": []},
        "reads or writes of world 'wrong' name 'look', which is not",
    ),
    ({"state": lambda _: [1], "tools": []}, "its state must be tables with their rows, not [1]"),
    (
        {"state": lambda _: {"a": 3}, "tools": []},
        "the table 'a' of its state cannot be read: expe",
    ),
    ({"state": lambda _: 1 / 0, "tools": []}, "its state raised ZeroDivisionError: division by"),
    ({"state": ["nothing"], "tools": []}, "its state raised AttributeError: 'Wrong' object has no"),
]


@pytest.mark.parametrize(("options", "line"), MISTAKES)
def test_a_mistake_is_one_line(options: dict[str, Any], line: str) -> None:
    with pytest.raises(WorldError) as caught:
        World.of(Wrong, **{"state": ["rows"], **options})
    text = str(caught.value)
    assert line in text
    assert "\n" not in text


class Named:
    def __init__(self, name: str, now: object, number: int = 0) -> None:
        raise NotImplementedError


def broken() -> None:
    raise ValueError("no")


@pytest.mark.parametrize(
    ("factory", "line"),
    [
        (
            3,
            "World.of takes a factory, not 3; give the class, or a function that returns an object",
        ),
        (
            Named,
            "the world 'named': its factory needs the argument 'name'; write arguments=",
        ),
        (broken, "the world 'broken': its factory raised ValueError: no"),
    ],
)
def test_a_factory_that_cannot_make_an_object_is_a_mistake(factory: Any, line: str) -> None:
    with pytest.raises(WorldError) as caught:
        World.of(factory, state=[])
    assert line in str(caught.value)
    assert "test_methods.py:" in str(caught.value)


def test_arguments_of_a_factory_are_json_values_that_it_takes() -> None:
    for arguments in ({"name": object()}, {"nmae": "a"}):
        with pytest.raises(WorldError, match="arguments must be JSON values that the factory take"):
            World.of(Named, state=[], arguments=arguments)
