"""The search for rows: by several criteria at once, or by identifier."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pytest_toolsandbox.worlds.context import Context, DuplicateError, NoDataError
from pytest_toolsandbox.worlds.state import Row, plain

from .arguments import without_missing

Filter = Callable[[Sequence[Row], Any], Sequence[Row]]

IDENTIFIERS = {"contact": "person_id", "reminder": "reminder_id"}

# As many rows as rapidfuzz returns unless it is told otherwise, and so ToolSandbox.
MOST_SIMILAR = 5
# Of two words in percent, beside which one may be in the other: "book" in "books".
ALIKE = 75
# Letters of a word that is looked for in others.
LONG = 3


def search(
    rows: Sequence[Row], filters: Mapping[str, Filter], arguments: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """Return the rows that pass the filters of all given arguments, one filter after the other.

    ``filters`` and ``arguments`` have the same keys, in the order in which they apply. Raises
    ``ValueError`` if no argument is given.
    """
    criteria = without_missing(arguments)
    if not criteria:
        names = ", ".join(map(repr, filters))
        raise ValueError(
            f"No search criteria are given. At least one of these must be given: {names}"
        )
    for name, value in criteria.items():
        rows = filters[name](rows, value)
    return [plain(row) for row in rows]


def equal_to(column: str) -> Filter:
    """Keep the rows with this value."""
    return lambda rows, value: [row for row in rows if row[column] == value]


def at_least(column: str) -> Filter:
    """Keep the rows with this value or a larger one."""
    return lambda rows, value: [row for row in rows if row[column] >= value]


def at_most(column: str) -> Filter:
    """Keep the rows with this value or a smaller one."""
    return lambda rows, value: [row for row in rows if row[column] <= value]


def similar(column: str, cutoff: float) -> Filter:
    """Keep the five most similar texts, the most similar first.

    Similarity is rapidfuzz's ``WRatio`` (0 to 100, at least ``cutoff``), case and punctuation
    aside. A null cell is similar to nothing.
    """

    def keep(rows: Sequence[Row], value: str) -> list[Row]:
        from rapidfuzz import fuzz, process, utils

        matches = process.extract(
            value,
            [row[column] for row in rows],
            scorer=fuzz.WRatio,
            processor=utils.default_process,
            limit=MOST_SIMILAR,
            score_cutoff=cutoff,
        )
        return [rows[index] for _, _, index in matches]

    return keep


def about(column: str, cutoff: float) -> Filter:
    """Keep the five most similar texts of those that have a word of the value.

    A short value is fairly similar to many longer texts by its letters alone: "dentist" to "budget
    slides". So the text must have one of its words, or a similar one.
    """
    most_similar = similar(column, cutoff)

    def keep(rows: Sequence[Row], value: str) -> Sequence[Row]:
        return most_similar([row for row in rows if _share_a_word(value, row[column])], value)

    return keep


def _share_a_word(asked: str, text: str) -> bool:
    from rapidfuzz import utils

    asked_words, text_words = (utils.default_process(word).split() for word in (asked, text))
    return any(_are_alike(word, other) for word in asked_words for other in text_words)


def _are_alike(word: str, other: str) -> bool:
    from rapidfuzz import fuzz

    short, long = sorted((word, other), key=len)
    return fuzz.ratio(word, other) >= ALIKE or (len(short) >= LONG and short in long)


def identified(context: Context, table: str, identifier: str) -> tuple[Row, ...]:
    """Return the rows with this identifier. Raises ``NoDataError`` if there is none."""
    column = IDENTIFIERS[table]
    rows = context.state[table].where(**{column: identifier})
    if not rows:
        raise NoDataError(f"No {table} has the {column} {identifier!r}")
    return rows


def only_row(context: Context, table: str, identifier: str) -> Row:
    """Return the only row with this identifier. Raises ``NoDataError`` or ``DuplicateError``."""
    rows = identified(context, table, identifier)
    if len(rows) > 1:
        column = IDENTIFIERS[table]
        raise DuplicateError(f"{len(rows)} {table}s have the {column} {identifier!r}")
    return rows[0]
