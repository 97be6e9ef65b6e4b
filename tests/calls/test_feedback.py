from __future__ import annotations

from dataclasses import replace

import pytest
from pantry import scenario

from pytest_toolsandbox.calls.faults import feedback, no_call_feedback
from pytest_toolsandbox.calls.tool_call import ToolCall

SCENE = scenario(
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
    assert feedback(ToolCall("1", name, arguments), SCENE.tool_views) == text


def test_a_call_without_fault_is_executed() -> None:
    assert feedback(ToolCall("1", "list_items", "{}"), SCENE.tool_views) is None
    assert feedback(ToolCall("1", "add_item", "{}"), SCENE.tool_views) is None


def test_what_is_kept_from_the_agent_stands_in_no_feedback() -> None:
    call = ToolCall("1", "add_item", '{"page": 3}')
    line = "ERROR | Invalid argument name page for function add_item, valid arguments are "
    shown = replace(SCENE, scrambled="argument_name").tool_views
    assert feedback(call, shown) == (
        f"{line}['argument_1', 'argument_0', 'argument_2']\n"
        "- argument_1 (string, necessary): What it is.\n"
        "- argument_0 (number): How much of it.\n"
        "- argument_2 (string): What to remember of it."
    )
    shown = replace(SCENE, scrambled="argument_description").tool_views
    assert feedback(call, shown) == (
        f"{line}['name', 'amount', 'note']\n"
        "- name (string, necessary)\n- amount (number)\n- note (string)"
    )
    shown = replace(SCENE, scrambled="argument_type").tool_views
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
