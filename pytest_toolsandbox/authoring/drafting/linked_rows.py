"""A seeded sample of the rows of a world, in which rows come together with those they refer to.

A task needs rows that belong together, such as a customer with its orders. Rows of a large world
that are drawn alone seldom do.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any, Final

Place = tuple[str, int]
"""A table, and the index of a row."""
Rows = Mapping[str, Sequence[Mapping[str, Any]]]
_GROUP: Final = 12
"""The most rows that come together."""
_LINKED: Final = 3
"""The most rows of a table that come because of one value of another row."""


def sampled(rows: Rows, random: Random) -> Iterator[Place]:
    """Yield the places of all rows: first one of each table, then groups of rows that are linked.

    Rows are linked if they have the same identifier: a value that is different in all rows of some
    column.
    """
    by_value = _index(rows)
    shuffled = {table: random.sample(range(len(some)), len(some)) for table, some in rows.items()}
    seen: set[Place] = {(table, places[0]) for table, places in shuffled.items() if places}
    yield from sorted(seen)
    left = [(table, place) for table, places in shuffled.items() for place in places[1:]]
    random.shuffle(left)
    for first in left:
        for place in _group(rows, by_value, first, seen):
            seen.add(place)
            yield place


def _group(
    rows: Rows, by_value: Mapping[Any, list[Place]], first: Place, seen: set[Place]
) -> Iterator[Place]:
    """Yield a row, unless it was there, and rows that it is linked with, the nearest first."""
    if first in seen:
        return
    waiting, reached = deque([first]), {first}
    while waiting and len(reached) <= _GROUP:
        table, index = place = waiting.popleft()
        if place not in seen:
            yield place
        for value in filter(_may_identify, rows[table][index].values()):
            counts: defaultdict[str, int] = defaultdict(int)
            for other in by_value.get(value, ()):
                counts[other[0]] += 1
                if other not in reached and counts[other[0]] <= _LINKED:
                    reached.add(other)
                    waiting.append(other)
    yield from (place for place in waiting if place not in seen)


def _index(rows: Rows) -> Mapping[Any, list[Place]]:
    """Return identifier → the rows that have it."""
    identifiers: set[Any] = set()
    for some in rows.values():
        for column in dict.fromkeys(name for row in some for name in row):
            values = [row.get(column) for row in some]
            if len(values) > 1 and all(map(_may_identify, values)):
                distinct = {*values}
                identifiers |= distinct if len(distinct) == len(values) else set()
    by_value: defaultdict[Any, list[Place]] = defaultdict(list)
    for table, some in rows.items():
        for index, row in enumerate(some):
            for value in {*filter(_may_identify, row.values())} & identifiers:
                by_value[value].append((table, index))
    return by_value


def _may_identify(value: object) -> bool:
    return isinstance(value, str) and bool(value)
