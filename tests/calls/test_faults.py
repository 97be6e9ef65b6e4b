from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace

import pytest
from pantry import scenario, world
from rows import every

from pytest_toolsandbox.calls.faults import Fault, faults_of, feedback, no_call_feedback
from pytest_toolsandbox.calls.tool_call import ToolCall, to_world_names
from pytest_toolsandbox.worlds.tool_view import ToolView

SCENE = scenario(
    """
    tools: [add_item, set_amount, list_items, spoil]
    milestones: {done: {state: {door: {open: true}}}}
    """
)
TOOLS = "add_item, set_amount, list_items, spoil"


def call(name: str, arguments: str) -> ToolCall:
    return ToolCall("1", name, arguments)


def fault_of(made: ToolCall, shown: Mapping[str, ToolView]) -> Fault | None:
    """Return the first fault of a call, which is what its agent is told."""
    return next(faults_of(made, shown), None)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("list_items", ""),
        ("list_items", "{}"),
        ("add_item", '{"name": "rice"}'),
        ("add_item", '{"amount": 2, "name": "rice", "note": null}'),
        ("add_item", "{}"),
        ("spoil", '{"values": [1, 2]}'),
    ],
)
def test_a_call_without_fault(name: str, arguments: str) -> None:
    assert fault_of(call(name, arguments), SCENE.tool_views) is None


@every(
    ("name", "arguments", "fault"),
    [
        (
            "add_item",
            '{"name": "rice"',
            Fault(
                "IFE",
                "add_item",
                expected="a JSON object (the arguments are no JSON: "
                "Expecting ',' delimiter: line 1 column 16 (char 15))",
                found='{"name": "rice"',
            ),
        ),
        (
            "add_item",
            '["rice"]',
            Fault(
                "IFE",
                "add_item",
                expected="a JSON object (the arguments are no JSON object)",
                found='["rice"]',
            ),
        ),
        ("", "{}", Fault("IFE", "", expected="the name of a function", found="{}")),
        ("item_add", "{}", Fault("IFN", "item_add", None, TOOLS, "item_add", "add_item")),
        ("add_itm", "{}", Fault("IFN", "add_itm", None, TOOLS, "add_itm", "add_item")),
        ("close_door", "{}", Fault("IFN", "close_door", None, TOOLS, "close_door", None)),
        (
            "add_item",
            '{"nme": "rice", "amount": "two"}',
            Fault("IAN", "add_item", "nme", "name, amount, note", "nme", "name"),
        ),
        (
            "add_item",
            '{"name": "rice", "names": 1}',
            Fault("IAN", "add_item", "names", "name, amount, note", "names", None),
        ),
        ("list_items", '{"page": 1}', Fault("IAN", "list_items", "page", "", "page")),
        (
            "add_item",
            '{"name": "rice", "amount": "2"}',
            Fault("IAT", "add_item", "amount", "number", "2"),
        ),
        ("add_item", '{"name": null}', Fault("IAT", "add_item", "name", "string", None)),
        (
            "spoil",
            '{"values": [1, "2"]}',
            Fault("IAT", "spoil", "values", "array of integer", [1, "2"]),
        ),
    ],
)
def test_the_first_fault_of_a_call(name: str, arguments: str, fault: Fault) -> None:
    assert fault_of(call(name, arguments), SCENE.tool_views) == fault


@pytest.mark.parametrize(
    ("name", "arguments", "patterns"),
    [
        ("add_item", '{"nme": "rice", "amount": "two"}', ["IAN nme", "IAT amount"]),
        ("add_item", '{"amount": true, "nme": "a", "b": 1}', ["IAN nme", "IAN b", "IAT amount"]),
        (
            "add_item",
            '{"name": 1, "amount": "2", "note": 3}',
            ["IAT name", "IAT amount", "IAT note"],
        ),
        ("add_item", '{"name": 1, ', ["IFE None"]),
        ("no_such_tool", '{"name": 1}', ["IFN None"]),
        ("spoil", '{"values": [true]}', ["IAT values"]),
    ],
)
def test_every_fault_of_a_call(name: str, arguments: str, patterns: list[str]) -> None:
    faults = faults_of(call(name, arguments), SCENE.tool_views)
    assert [f"{fault.pattern} {fault.argument}" for fault in faults] == patterns


def test_an_earlier_check_comes_first() -> None:
    shown = SCENE.tool_views
    fault = fault_of(call("no_such_tool", '{"page": '), shown)
    assert fault is not None
    assert fault.pattern == "IFE"
    fault = fault_of(call("no_such_tool", '{"page": 1}'), shown)
    assert fault is not None
    assert fault.pattern == "IFN"
    fault = fault_of(call("add_item", '{"name": 1, "page": 1}'), shown)
    assert fault is not None
    assert fault.pattern == "IAN"


def test_a_fault_is_in_the_terms_of_the_agent() -> None:
    shown = replace(SCENE, scrambled="argument_name").tool_views
    wrong = to_world_names(call("add_item", json.dumps({"argument_1": "rice", "nme": 1})), shown)
    names = "argument_1, argument_0, argument_2"
    assert fault_of(wrong, shown) == Fault("IAN", "add_item", "nme", names, "nme", None)
    wrong = to_world_names(call("add_item", json.dumps({"argument_1": 1})), shown)
    assert wrong.name == "add_item"
    assert fault_of(wrong, shown) == Fault("IAT", "add_item", "argument_1", "string", 1)
    shown = replace(SCENE, scrambled="tool_name").tool_views
    fault = fault_of(call("add_item", '{"name": "rice"}'), shown)
    assert fault is not None
    assert (fault.pattern, fault.expected) == ("IFN", "items_0, items_3, items_1, odd_2")
    assert "add_item" in world.tools


PANTRY = scenario(
    """
    tools: [add_item, list_items, spoil]
    milestones: {done: {state: {door: {open: true}}}}
    """
)
ADD_ITEM = """
- name (string, necessary): What it is.
- amount (number): How much of it.
- note (string): What to remember of it."""


@pytest.mark.parametrize(
    ("name", "arguments", "text"),
    [
        (
            "add_item",
            '{"name": "rice", "page_num": 3}',
            "ERROR | Invalid argument name page_num for function add_item, "
            "valid arguments are ['name', 'amount', 'note']" + ADD_ITEM,
        ),
        (
            "add_item",
            '{"name": "rice", "amount": "3"}',
            "ERROR | Invalid argument type for amount for function add_item, "
            "valid argument type is 'number'" + ADD_ITEM,
        ),
        (
            "spoil",
            '{"values": ["a"]}',
            (
                "ERROR | Invalid argument type for values for function spoil, "
                "valid argument type is 'array of integer'\n"
                "- values (array of integer, necessary): Some numbers."
            ),
        ),
        (
            "list_items",
            '{"page\\nnum": 3}',
            (
                "ERROR | Invalid argument name page num for function list_items, "
                "valid arguments are []"
            ),
        ),
        (
            "list_markets",
            "{}",
            (
                "ERROR | Invalid function name list_markets, "
                "valid functions are ['add_item', 'list_items', 'spoil']"
            ),
        ),
        (
            "add_item",
            '{"name": ',
            (
                "ERROR | Invalid format of function add_item: expected a JSON object (the "
                "arguments are no JSON: Expecting value: line 1 column 10 (char 9))"
            ),
        ),
        ("", "{}", "ERROR | Invalid format: expected the name of a function"),
    ],
)
def test_what_is_wrong_and_what_is_allowed(name: str, arguments: str, text: str) -> None:
    assert feedback(ToolCall("1", name, arguments), PANTRY.tool_views) == text


def test_a_call_without_fault_is_executed() -> None:
    assert feedback(ToolCall("1", "list_items", "{}"), PANTRY.tool_views) is None
    assert feedback(ToolCall("1", "add_item", "{}"), PANTRY.tool_views) is None


def test_what_is_kept_from_the_agent_stands_in_no_feedback() -> None:
    call = ToolCall("1", "add_item", '{"page": 3}')
    line = "ERROR | Invalid argument name page for function add_item, valid arguments are "
    shown = replace(PANTRY, scrambled="argument_name").tool_views
    assert feedback(call, shown) == (
        f"{line}['argument_1', 'argument_0', 'argument_2']\n"
        "- argument_1 (string, necessary): What it is.\n"
        "- argument_0 (number): How much of it.\n"
        "- argument_2 (string): What to remember of it."
    )
    shown = replace(PANTRY, scrambled="argument_description").tool_views
    assert feedback(call, shown) == (
        f"{line}['name', 'amount', 'note']\n"
        "- name (string, necessary)\n- amount (number)\n- note (string)"
    )
    shown = replace(PANTRY, scrambled="argument_type").tool_views
    assert feedback(call, shown) == (
        f"{line}['name', 'amount', 'note']\n"
        "- name (necessary): What it is.\n- amount: How much of it.\n"
        "- note: What to remember of it."
    )


def test_a_text_in_which_there_is_no_call() -> None:
    assert no_call_feedback() == (
        "ERROR | Invalid format: no function call could be read, "
        "expected Action: NAME with Action Input: {JSON}"
    )
