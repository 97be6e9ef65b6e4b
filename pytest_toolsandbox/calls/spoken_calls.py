"""Calls that an agent writes into what it says, where they are executed by nobody."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

_LONGEST: Final = 2_000
"""How many characters of arguments are looked at."""

_BEGIN: Final = r"^[^\w\n]*(?:\w+\s*=\s*|await\s+|return\s+|print\()*(?:\w+\.)*"
"""What may stand before a call in a line."""

_MARKS: Final = re.compile(
    r"(?i:<\|?/?(?:tool_calls?|tool_use|function_calls?|python_tag|invoke)\b|\[TOOL_CALLS\])"
    r"|\bAction Input[^\w\n]*:"
)
"""What only models write: ``<tool_call>``, ``[TOOL_CALLS]``, ``Action Input:``."""
_FORMS: Final = (
    # {"name": "weigh", "arguments": {...}} and {"weigh": {...}}
    r"""["'](?:name|tool|function|action|tool_name|function_name)["']\s*:\s*["'](?:NAME)["']""",
    r"""["'](?:NAME)["']\s*:\s*\{""",
    # weigh(name="rice") in a line of its own, assigned or printed
    rf"{_BEGIN}(?:NAME)\((?:[^()]|\([^()]*\)){{0,{_LONGEST}}}\)(?:[^\w\n]*$|,\s*(?:NAME)\()",
    # <function=weigh>, <weigh>
    r"<(?:function=)?(?:NAME)\b",
    # Action: weigh
    r"^[^\w\n]*Action[^\w\n]*:[^\w\n]*(?:NAME)\b",
)


def is_spoken_call(text: str, names: Iterable[str]) -> bool:
    """Whether a text has a call of a tool of these names: as JSON, code, tags or an action.

    A text that speaks of a tool, or names it in a sentence, has none.
    """
    if _MARKS.search(text):
        return True
    named = [name for name in names if name in text]  # before anything has to be compiled
    either = "|".join(map(re.escape, named))
    return bool(named) and any(
        re.search(form.replace("NAME", either), text, re.MULTILINE) for form in _FORMS
    )
