"""Look-ups that found all that another one found: by themselves, together, or elsewhere."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
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


@dataclass(frozen=True)
class Sought:
    """A look-up of a solution, for which others of the agent's may stand.

    ``listed`` is what it found, ``step`` how it is written, ``usual`` are the defaults of its tool.
    """

    listed: ToolTrace
    step: ToolStep
    question: str
    usual: Mapping[str, Any]

    def found_more(self, one: ToolTrace) -> bool:
        """Whether a look-up found all that this one did, and kept to what was asked for."""
        return self.keeps_to_it(one) and _holds([one.result], self.listed.result)

    def parts(self, traces: Sequence[ToolTrace]) -> list[ToolTrace]:
        """Return the look-ups that together found all that this one did, if they did.

        Each takes a part, such as a page or a year.
        """
        parts = [
            one
            for one in traces
            if self.keeps_to_it(one) and _is_of_same(one.result, self.listed.result)
        ]
        together = len(parts) > 1 and _holds([one.result for one in parts], self.listed.result)
        return parts if together else []

    def keeps_to_it(self, one: ToolTrace) -> bool:
        """Whether a look-up of the same tool gives all arguments that were asked for."""
        given = {k: v for k, v in one.arguments.items() if v != self.usual.get(k)}
        return one.tool_name == self.listed.tool_name and given.keys() >= self._asked

    @cached_property
    def _asked(self) -> frozenset[str]:
        """The arguments that the question asks for, so that none of them may be left out.

        What is taken from earlier results was not asked for, nor was what has no word in it.
        """
        return frozenset(
            name
            for name, value in self.listed.arguments.items()
            if value != self.usual.get(name)
            and _is_asked(value, self.question)
            and name not in self.step.others
            and not any(results_in(self.step.arguments.get(name)))
        )


def _is_of_same(one: Any, listed: Any) -> bool:
    """Whether two results are about the same thing: what they have beside lists agrees."""
    if not isinstance(one, Mapping) or not isinstance(listed, Mapping):
        return isinstance(one, list) and isinstance(listed, list)
    return all(
        isinstance(value, list) or one.get(key) == value or _is_count(key, value)
        for key, value in listed.items()
    )


def _holds(parts: Sequence[Any], less: Any) -> bool:
    """Whether all of a result is in at least one of several."""
    if isinstance(less, list):
        items = [[item] for part in parts if isinstance(part, list) for item in part]
        has_list = any(isinstance(part, list) for part in parts)
        return has_list and all(any(_holds(item, one) for item in items) for one in less)
    if isinstance(less, Mapping):
        maps = [part for part in parts if isinstance(part, Mapping)]
        return bool(maps) and all(
            _is_count(key, value) or _holds([part[key] for part in maps if key in part], value)
            for key, value in less.items()
        )
    return any(part == less for part in parts)


def tells(result: Any, value: Any) -> bool:
    """Whether a result has a value somewhere in it."""
    inside = result.values() if isinstance(result, Mapping) else result
    parts = inside if isinstance(result, (Mapping, list, tuple)) else ()
    return bool(result == value) or any(tells(part, value) for part in parts)


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
