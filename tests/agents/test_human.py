"""What somebody types who plays the agent: calls, and what is completed of them."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_toolsandbox.users.typed_calls import CallError, candidates, read_call

TOOLS: dict[str, dict[str, Any]] = {
    "send": {
        "description": "Send a text.\nAnd more.",
        "parameters": {
            "properties": {"number": {"type": "string"}, "copies": {"type": "integer"}},
            "required": ["number"],
        },
    },
    "mark": {
        "parameters": {"properties": {"urgent": {"type": "boolean"}, "to": {"type": "array"}}}
    },
    "stop": {"parameters": {"properties": {}}},
}


@pytest.mark.parametrize(
    ("line", "arguments"),
    [
        ("/send number=4155550100", {"number": "4155550100"}),
        ("/send number='two words' copies=2", {"number": "two words", "copies": 2}),
        ("/mark urgent=true", {"urgent": True}),
        ("""/mark to='["a", "b"]'""", {"to": ["a", "b"]}),
        ("/send copies=many", {"copies": "many"}),
        ("/send number=a=b", {"number": "a=b"}),
        ("/send", {}),
    ],
)
def test_a_call(line: str, arguments: dict[str, object]) -> None:
    assert read_call(line, TOOLS) == (line[1:5], arguments)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("/sent", "There is no tool sent; did you mean 'send'? (see /tools)"),
        (
            "/send numbr=1",
            "send has no 'numbr=1'; did you mean 'number'? (its arguments: number=, copies=)",
        ),
        ("/stop now", "stop has no 'now' (its arguments: none)"),
        (
            "/send number='x",
            "This cannot be read: No closing quotation. Close each quotation mark.",
        ),
    ],
)
def test_a_line_that_is_not_a_call(line: str, message: str) -> None:
    with pytest.raises(CallError) as caught:
        read_call(line, TOOLS)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("typed", "completions"),
    [
        ("", []),
        ("Hello", []),
        ("/", ["/help", "/tools", "/end", "/send ", "/mark ", "/stop "]),
        ("/tools s", ["send", "mark", "stop"]),
        ("/send ", ["number=", "copies="]),
        ("/send number=1 ", ["copies="]),
        ("/mark urgent=", ["urgent=true", "urgent=false"]),
        ("/send copies=", []),
        ("/nothing ", []),
    ],
)
def test_tab_completion(typed: str, completions: list[str]) -> None:
    assert candidates(typed, TOOLS) == completions
