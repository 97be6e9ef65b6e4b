"""What a call brings in that nobody asked for: further changes of a thing, and invented facts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from pytest_toolsandbox.calls.tool_call import readable_arguments
from pytest_toolsandbox.conversation.messages import MadeCall
from pytest_toolsandbox.worlds.state import State, plain
from pytest_toolsandbox.worlds.tool import Tool

from .comparison import same_members, same_moment

_CAPITAL: Final = re.compile(r"(?<![\w-])[A-Z][a-z]{2,}(?![\w-])")
_COUNTRY: Final = re.compile(r"(?<=[\w]), [A-Z]\w+(?: [A-Z]\w+)*$")
"""What is added to a place: ``Kyoto, Japan``."""


def unasked(made: MadeCall, tool: Tool, user: str | None, known: Sequence[str]) -> Iterator[str]:
    """Yield the arguments of an executed call that are differences where no recorded call has them.

    Of a tool that changes a thing these are the ones that change it, and of other actions the texts
    that have a name or a number which is not ``known`` from the conversation.
    """
    given = readable_arguments(made.call.arguments) or {}
    if made.failed or not tool.action or not made.changed_the_world:
        return
    by = tool.comparison.merged_by
    there = list(_replaced(made.before, made.after)) if by else []
    for name, value in given.items():
        others = (plain(other) for one, other in given.items() if one != name)
        if by and name != by and value is not None:
            if not any(_is_same(value, cell, user) for cell in there):
                yield name
        elif not by and isinstance(value, str) and is_invented(value, [*known, str([*others])]):
            yield name


def _replaced(before: State, after: State) -> Iterator[Any]:
    """Yield the values of the rows in the place of which others came."""
    for table in before:
        if before[table] != after[table]:
            left = {*after[table].rows}
            yield from (cell for row in before[table] if row not in left for cell in row.values())


def _is_same(value: Any, cell: Any, user: str | None) -> bool:
    if isinstance(value, (list, tuple)):
        return any(same_members(one, cell) for one in (value, [*value, user]))
    return same_moment(value, cell)


def is_invented(text: str, known: Sequence[str]) -> bool:
    """Whether a text has a name, a number, a time or a date that is in none of the known ones."""
    from .quantities import unknown_quantities  # which is not light

    place = _COUNTRY.sub("", text)
    said = {word.casefold() for one in known for word in re.findall(r"[^\W\d_]{3,}", one)}
    if any(name.casefold() not in said for name in _names(place)):
        return True
    return next(unknown_quantities(text, known), None) is not None


def _names(text: str) -> frozenset[str]:
    """Return the words with a capital; the first one counts if there are no others than these."""
    words, names = re.findall(r"[^\W\d_]{3,}", text), _CAPITAL.findall(text)
    return frozenset(names if len(names) == len(words) else (n for n in names if n != words[0]))
