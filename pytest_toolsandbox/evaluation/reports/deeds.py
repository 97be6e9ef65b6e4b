"""Rows of the world as reports speak of them, and what calls did to them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import zip_longest
from typing import Any, Final, NamedTuple

from pytest_toolsandbox.matchers.normal_text import normal_text

from .things import stems, words

Rows = dict[str, list[dict[str, Any]]]
Row = Mapping[str, Any]

NAMED_BY: Final = ("name", "full_name", "first_name", "last_name", "username", "relationship")
"""Columns that say who somebody is; the others of such a row tell how to reach them."""
GETS: Final = re.compile(r"recipient|attendee|(?:^|_)to(?:_|$)")
"""Columns that say who gets something."""


_TEXT: Final = re.compile(r"content|body|text|subject|message")
"""Columns that hold what somebody is told; what has none may be money."""


class Deed(NamedTuple):
    """What a call did to a row: ``added``, ``sent``, ``removed``, ``changed``, ``on`` or ``off``.

    ``words`` are the stems of its words before and after; ``columns`` those of what was set.
    ``rows`` are the row before and after, of which one may be missing.
    """

    kind: str
    table: str
    words: frozenset[str]
    columns: frozenset[str]
    rows: tuple[Row, ...]


def deeds_of(table: str, rows: Mapping[str, Sequence[Row]]) -> Iterator[Deed]:
    """Yield what was done to the rows of a table that were ``added`` and ``removed``."""
    for old, new in zip_longest(rows["removed"], rows["added"]):
        before, after = old or {}, new or {}
        columns = [one for one in {**before, **after} if before.get(one) != after.get(one)]
        known = tuple(one for one in (old, new) if one)
        own = words_of(before) | words_of(after), stems(columns), known
        if old and new:
            switched = [after[one] for one in columns if isinstance(after.get(one), bool)]
            yield from (Deed("on" if one else "off", table, *own) for one in switched)
            yield Deed("changed", table, *own)
        else:
            kind = "removed" if old else "sent" if is_sent(after) else "added"
            yield Deed(kind, table, *own)


@lru_cache(maxsize=4096)
def _words_of_text(text: str) -> frozenset[str]:
    return stems([text])


def words_of(row: Row) -> frozenset[str]:
    """Return the stems of the words of a row."""
    return _words_of_text(text_of(row))


def is_sent(row: Row) -> bool:
    """Whether a row is a text or an invitation, and says who gets it."""
    is_text = any(_TEXT.search(column) for column in row)
    return any(GETS.search(one) and (is_text or "attendee" in one) for one in row)


def is_person(row: Row) -> bool:
    """Whether a row says how to reach somebody."""
    return _reaches_people(tuple(row))


@lru_cache(maxsize=256)
def _reaches_people(columns: tuple[str, ...]) -> bool:
    return "name" in columns and any(re.search("phone|email", column) for column in columns)


@lru_cache(maxsize=4096)
def person_of(row: Row) -> tuple[frozenset[str], frozenset[str]]:
    """Return the words for a person, and what reaches them."""
    named = " ".join(str(row.get(column) or "") for column in NAMED_BY)
    ways = {normal_text(str(row[one])) for one in row if one not in NAMED_BY and row[one]}
    return words(named), frozenset(ways)


def text_of(row: Row) -> str:
    """Return what a row has in columns of text."""
    return " ".join(str(value) for value in row.values() if isinstance(value, str))
