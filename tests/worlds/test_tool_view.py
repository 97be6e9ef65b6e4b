"""What an agent reads of a tool, and in which terms its calls are checked and answered."""

from __future__ import annotations

import json
import re
from typing import Any, get_args

import pytest
from rows import every

from pytest_toolsandbox.builtin.phone import world as phone
from pytest_toolsandbox.worlds.context import Context
from pytest_toolsandbox.worlds.tool import Tool, tool
from pytest_toolsandbox.worlds.tool_view import Scrambled, ToolView, tool_views


@tool("garden")
def plant(context: Context, row: int, seed_name: str, note: str | None = None) -> None:
    """Plant seeds. The seed_name must be known.

    Args:
        row: Which row, counted from the fence.
        seed_name: What to plant; see 'note' for more.
        note: What to remember.
    """
    context.add("bed", {"row": row, "seed_name": seed_name, "note": note})


@tool("garden")
def harvest() -> str:
    """Harvest what is ripe."""
    return "carrots"


@tool("")
def whistle() -> None:
    """Whistle."""


@tool("the shed")
def lock_up() -> None:
    """Lock the shed up, after 'harvest' and not after harvest or lock_up. Harvests can wait."""


TOOLS = {item.name: item for item in (plant, harvest, whistle, lock_up)}


def function(scrambled: Scrambled | None, name: str = "plant") -> dict[str, Any]:
    schema = tool_views(TOOLS, scrambled)[name].schema
    assert schema["type"] == "function"
    return schema["function"]  # type: ignore[no-any-return]


def test_nothing_scrambled() -> None:
    assert function(None) == plant.schema["function"]


def test_a_name_is_that_of_the_module_and_the_place_in_it() -> None:
    shown = tool_views(TOOLS, "tool_name")
    assert {name: item.name for name, item in shown.items()} == {
        "plant": "garden_1",
        "harvest": "garden_0",
        "whistle": "tool_0",
        "lock_up": "the_shed_0",
    }
    assert function("tool_name") == {**plant.schema["function"], "name": "garden_1"}


def test_modules_that_an_api_cannot_tell_apart_count_together() -> None:
    tools = {
        name: Tool(function, module)
        for name, function, module in (
            ("harvest", harvest.function, "a.b"),
            ("plant", plant.function, "a b"),
            ("whistle", whistle.function, "a_b"),
        )
    }
    shown = tool_views(tools, "tool_name")
    assert [item.name for item in shown.values()] == ["a_b_0", "a_b_1", "a_b_2"]


def test_names_of_tools_are_scrambled_in_the_texts_of_others() -> None:
    assert function("tool_name", "lock_up")["description"] == (
        "Lock the shed up, after 'garden_0' and not after harvest or the_shed_0. Harvests can wait."
    )
    shown = tool_views(TOOLS, "tool_name")["plant"]
    assert shown.renamed("harvest first, then lock_up") == "harvest first, then the_shed_0"


@pytest.mark.parametrize("name", ["plant", "harvest"])
def test_a_description_is_left_out_whatever_the_tool_takes(name: str) -> None:
    whole = TOOLS[name].schema["function"]
    expected = {key: value for key, value in whole.items() if key != "description"}
    assert function("tool_description", name) == expected


def test_descriptions_of_arguments_are_left_out() -> None:
    assert function("argument_description")["parameters"]["properties"] == {
        "row": {"type": "integer"},
        "seed_name": {"type": "string"},
        "note": {"type": "string"},
    }
    assert function("argument_description")["description"] == plant.description


def test_types_of_arguments_are_left_out() -> None:
    assert function("argument_type")["parameters"] == {
        "type": "object",
        "properties": {
            "row": {"description": "Which row, counted from the fence."},
            "seed_name": {"description": "What to plant; see 'note' for more."},
            "note": {"description": "What to remember."},
        },
        "required": ["row", "seed_name"],
    }


def test_names_of_arguments_are_scrambled_in_every_text() -> None:
    assert function("argument_name") == {
        "name": "plant",
        "description": "Plant seeds. The argument_2 must be known.",
        "parameters": {
            "type": "object",
            "properties": {
                "argument_1": {
                    "type": "integer",
                    "description": "Which row, counted from the fence.",
                },
                "argument_2": {
                    "type": "string",
                    "description": "What to plant; see 'argument_0' for more.",
                },
                "argument_0": {"type": "string", "description": "What to remember."},
            },
            "required": ["argument_1", "argument_2"],
        },
    }


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({}, "missing a required argument: 'argument_1'"),
        (
            {"argument_1": 1, "argument_2": "pea", "note": "x"},
            "got an unexpected keyword argument 'note'",
        ),
        (
            {"argument_1": "1", "argument_2": "pea"},
            "Parameter 'argument_1' is of type 'string', but expected 'integer'.",
        ),
    ],
)
def test_calls_are_checked_in_the_agents_terms(arguments: dict[str, Any], text: str) -> None:
    shown = tool_views(TOOLS, "argument_name")["plant"]
    with pytest.raises(TypeError, match=f"^{re.escape(text)}$"):
        shown.bind(arguments)


def test_calls_are_bound_in_the_tools_terms() -> None:
    shown = tool_views(TOOLS, "argument_name")["plant"]
    bound = shown.bind({"argument_2": "pea", "argument_1": 3})
    assert bound == {"row": 3, "seed_name": "pea", "note": None}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("row must be positive", "argument_1 must be positive"),
        ("the third row is full", "the third row is full"),
        ("'row' or 'note' must be given", "'argument_1' or 'argument_0' must be given"),
        ("no seed_name, no seed_names", "no argument_2, no seed_names"),
    ],
)
def test_names_in_texts(text: str, expected: str) -> None:
    assert tool_views(TOOLS, "argument_name")["plant"].renamed(text) == expected
    assert tool_views(TOOLS, "tool_name")["plant"].renamed(text) == text


def test_without_arguments_texts_stay() -> None:
    assert tool_views(TOOLS, "argument_name")["whistle"].renamed("too loud") == "too loud"


ALL = [(name, scrambled) for name in phone.agent_tools for scrambled in get_args(Scrambled)]


@every(("name", "scrambled"), ALL)
def test_nothing_of_the_phone_gives_away_what_is_scrambled(name: str, scrambled: Scrambled) -> None:
    shown = phone.shown(scrambled)[name]
    plain, text = phone.tools[name], json.dumps(shown.schema)
    properties = shown.schema["function"]["parameters"]["properties"]
    match scrambled:
        case "tool_name":
            assert not any(re.search(rf"\b{other}\b", text) for other in phone.tools)
            assert re.fullmatch(rf"{plain.module}_\d", shown.name)
        case "tool_description":
            assert plain.description not in text
        case "descriptions":
            assert "description" not in text
        case "argument_description":
            assert not any("description" in item for item in properties.values())
        case "argument_type":
            assert all(set(item) == {"description"} for item in properties.values())
        case "argument_name":
            names = [other for other in plain.parameters if "_" in other]
            assert not any(re.search(rf"\b{other}\b", text) for other in names)
            assert sorted(properties) == sorted(f"argument_{i}" for i in range(len(properties)))


def test_scrambled_names_of_the_phone_are_the_published_ones() -> None:
    shown = phone.shown("tool_name")
    modules: dict[str, list[str]] = {}
    for name in sorted(phone.tools):
        modules.setdefault(phone.tools[name].module, []).append(name)
    assert {name: view.name for name, view in shown.items()} == {
        name: f"{module}_{place}"
        for module, names in modules.items()
        for place, name in enumerate(names)
    }
    assert shown["end_conversation"].name == "user_tools_0"


def test_what_is_shown_is_made_once() -> None:
    assert phone.shown("tool_name") is phone.shown("tool_name")
    assert isinstance(phone.shown()["add_contact"], ToolView)
