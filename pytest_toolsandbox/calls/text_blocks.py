"""Calls as blocks of JSON in a text: in ``<tool_call>``, as Hermes writes them, or in a fence."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

_BLOCK: Final = re.compile(
    r"<tool_call>\s*(?P<tagged>.*?)\s*(?:</tool_call>|\Z)|```\w*\s*\n(?P<fenced>.*?)```", re.DOTALL
)
_NAMES: Final = ("name", "action", "tool", "function", "tool_name")
_ARGUMENTS: Final = ("arguments", "action_input", "parameters", "args", "input")
"""Keys under which models write the name of a tool and its arguments."""


def block_calls(text: str) -> tuple[int, list[tuple[str, str]]]:
    """Return where the first block with a call begins, and name and arguments of each call.

    A fence is such a block where its JSON has a name and arguments; ``<tool_call>`` always is. A
    call in it that cannot be read has no name, and its text as arguments.
    """
    found = [(block.start(), list(_calls(block))) for block in _BLOCK.finditer(text)]
    found = [(start, calls) for start, calls in found if calls]
    return (found[0][0] if found else 0), [call for _, calls in found for call in calls]


def _calls(block: re.Match[str]) -> Iterator[tuple[str, str]]:
    is_tagged = block["tagged"] is not None
    content = block["tagged"] if is_tagged else block["fenced"]
    try:
        value = json.loads(content)
    except (ValueError, RecursionError):
        value = None
    for one in value if isinstance(value, list) else [value]:
        if call := _call(one):
            yield call
        elif is_tagged:
            yield "", content


def _call(value: Any) -> tuple[str, str] | None:
    if not isinstance(value, Mapping):
        return None
    name = next((value[key] for key in _NAMES if key in value), None)
    arguments = next((value[key] for key in _ARGUMENTS if key in value), None)
    if not isinstance(name, str) or arguments is None:
        return None
    text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    return name, text
