"""Look-ups that found all that another one found, and more."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from pytest_toolsandbox.calls.tool_call import ToolTrace
from pytest_toolsandbox.language.steps import ToolStep
from pytest_toolsandbox.language.values import results_in
from pytest_toolsandbox.matchers.mentions import is_mentioned

_COUNT: Final = re.compile(r"total|count|page|limit|offset|more|next", re.IGNORECASE)
"""Names of what tells how long a list is, or where it goes on."""
_CODE: Final = 3
"""Letters of a code, such as a country's, which a question hardly spells out."""
_STEM: Final = 4
"""Letters by which a word is known in another form: rent, rented."""


def found_more(one: ToolTrace, listed: ToolTrace, step: ToolStep, question: str) -> bool:
    """Whether a look-up found all that the ``listed`` one did, and kept to what was asked for.

    ``step`` is the listed one as it is written. What it takes from earlier results was not asked
    for, nor was what has no word in the question.
    """
    if one.tool_name != listed.tool_name or not _holds(one.result, listed.result):
        return False
    return not any(
        one.arguments.get(name) != value and _is_asked(value, question)
        for name, value in listed.arguments.items()
        if not any(results_in(step.arguments.get(name)))
    )


def _holds(more: Any, less: Any) -> bool:
    if isinstance(less, list):
        return isinstance(more, list) and all(any(_holds(m, one) for m in more) for one in less)
    if isinstance(less, Mapping):
        return isinstance(more, Mapping) and all(
            key in more and (_holds(more[key], value) or _is_count(key, value))
            for key, value in less.items()
        )
    return bool(more == less)


def _is_count(key: str, value: Any) -> bool:
    return bool(_COUNT.search(key)) and (value is None or isinstance(value, (int, bool)))


def _is_asked(value: Any, question: str) -> bool:
    """Whether an argument may be a constraint of the question: it names it, or cannot name it."""
    if isinstance(value, (list, tuple)):
        return any(_is_asked(one, question) for one in value)
    if isinstance(value, str):
        return len(value) <= _CODE or any(_has_stem(word, question) for word in _words(value))
    return isinstance(value, bool) or is_mentioned(value, question)


def _words(value: str) -> Iterator[str]:
    yield from re.findall(rf"\d{{{_STEM}}}|[^\W\d_]{{{_STEM},}}", value)


def _has_stem(word: str, question: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(word[:_STEM])}", question, re.IGNORECASE) is not None
