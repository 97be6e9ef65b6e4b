"""Calls in the layouts that models were trained on, in the text of a reply.

These are JSON in a fence, Hermes' ``<tool_call>``, Mistral's ``[TOOL_CALLS]`` and Gorilla's
``<<function>>``, whose models ToolSandbox compares (table 10).
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

Call = tuple[str, str]
"""Name and arguments; a call that cannot be read has no name, and its text as arguments."""

_BLOCK: Final = re.compile(
    r"<tool_call>\s*(?P<hermes>.*?)\s*(?:</tool_call>|\Z)"
    r"|\[TOOL_CALLS\]\s*(?P<mistral>.*?)\s*(?=\[TOOL_CALLS\]|\Z)"
    r"|<<function>>\s*(?P<gorilla>.*?)\s*(?=<<function>>|\Z)"
    r"|```\w*\s*\n(?P<fenced>.*?)```",
    re.DOTALL,
)
_NAMES: Final = ("name", "action", "tool", "function", "tool_name")
_ARGUMENTS: Final = ("arguments", "action_input", "parameters", "args", "input")
"""Keys under which models write the name of a tool and its arguments."""

_MISTRAL: Final = re.compile(r"(?P<name>[\w.-]+)\s*(?:\[CALL_ID\]\s*\w+\s*)?(?:\[ARGS\]\s*)?(?=\{)")
"""What precedes the arguments in Mistral's newer layout: ``[TOOL_CALLS]weigh[ARGS]{…}``."""

_ESCAPE: Final = re.compile(r"\\(.)", re.DOTALL)
_ESCAPED: Final = frozenset("\\'\"abfnrtvxuUN01234567\n")
"""What has a meaning after a backslash in Python; before anything else it stands for itself."""


def calls_in_layouts(text: str) -> tuple[int, list[Call]]:
    """Return where the first block with a call begins, and the calls of all blocks.

    A fence is such a block if its JSON has a name and arguments; the others always are.
    """
    blocks = [(block.start(), list(_calls_in_block(block))) for block in _BLOCK.finditer(text)]
    start = next((start for start, calls in blocks if calls), 0)
    return start, [call for _, calls in blocks for call in calls]


def _calls_in_block(block: re.Match[str]) -> Iterator[Call]:
    if (code := block["gorilla"]) is not None:
        yield _python_call(code) or ("", code)
    elif (content := block["mistral"]) is not None:
        yield from _mistral_calls(content)
    elif (content := block["hermes"]) is not None:
        yield from (call or ("", content) for call in _calls_in_json(_json(content)))
    else:
        yield from filter(None, _calls_in_json(_json(block["fenced"])))


def _mistral_calls(content: str) -> Iterator[Call]:
    """Yield the calls; models go on talking after them, which is ignored as in ToolSandbox."""
    named = _MISTRAL.match(content)
    value = _json_at(content, named.end() if named else 0)
    if named and isinstance(value, Mapping):
        yield named["name"], json.dumps(value, ensure_ascii=False)
    else:
        yield from (call or ("", content) for call in _calls_in_json(value))


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _json_at(text: str, start: int) -> Any:
    try:
        return json.JSONDecoder().raw_decode(text, start)[0]
    except (ValueError, RecursionError):
        return None


def _calls_in_json(value: Any) -> Iterator[Call | None]:
    """Yield each call of a list, or the only one; ``None`` for what is not a call."""
    for item in value if isinstance(value, list) else [value]:
        yield _call(item)


def _call(value: Any) -> Call | None:
    if not isinstance(value, Mapping):
        return None
    name = next((value[key] for key in _NAMES if key in value), None)
    arguments = next((value[key] for key in _ARGUMENTS if key in value), None)
    if not isinstance(name, str) or arguments is None:
        return None
    text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    return name, text


def _python_call(code: str) -> Call | None:
    """Return a call in Python whose arguments are literals with names; nothing is evaluated."""
    try:
        call = ast.parse(_ESCAPE.sub(_escaped, code), mode="eval").body
        if not isinstance(call, ast.Call) or call.args:
            return None
        arguments = {each.arg: ast.literal_eval(each.value) for each in call.keywords}
        text = json.dumps(arguments, ensure_ascii=False, allow_nan=False)
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        return None
    return None if None in arguments else (ast.unparse(call.func), text)


def _escaped(match: re.Match[str]) -> str:
    """Return an escape that Python knows, which would warn of others."""
    return match[0] if match[1] in _ESCAPED else f"\\{match[0]}"
