"""A conversation as the steps of a solution, without the calls that make no difference."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator, Sequence
from datetime import datetime
from typing import Any, Final

from pytest_toolsandbox.authoring.literals import literal
from pytest_toolsandbox.scoring.words import compared_columns
from pytest_toolsandbox.text.numerals import is_number
from pytest_toolsandbox.worlds.clock import read_moment
from pytest_toolsandbox.worlds.context import WorldError
from pytest_toolsandbox.worlds.state import State, Table, TableSchema

from .conversations import Conversation, arguments_of, played_without
from .origins import Group, Origins, leaves

Document = dict[str, Any]
_TIMESTAMP: Final = 10**8
"""Numbers from here on are taken for seconds since 1970, as mutants take them."""


def needed_calls(conversation: Conversation) -> list[int]:
    """Return the numbers of the calls that matter, found by playing without each of the others.

    A call matters if without it the world ends otherwise, another call that worked fails, or a
    value of a later call or of an answer has no source.
    """
    kept = [*range(len(conversation.calls))]
    origins = Origins(conversation)
    for number in reversed([*kept]):
        without = [other for other in kept if other != number]
        if not _matters(origins, number, without):
            kept = without
    return kept


def _matters(origins: Origins, number: int, without: Sequence[int]) -> bool:
    conversation = origins.conversation
    try:
        again = played_without(conversation, {*range(len(conversation.calls))} - {*without})
    except WorldError:
        return True
    if not _ends_alike(conversation, again.end):
        return True
    if any(again.responses[n].failed and not conversation.calls[n].failed for n in without):
        return True
    groups = _groups(origins, without)
    return any(number in group and not {*without} & {*group} for group in groups)


def _groups(origins: Origins, numbers: Sequence[int]) -> Iterator[Group]:
    """Yield from which calls the values of these calls and of answers come."""
    for number in numbers:
        call = origins.conversation.calls[number]
        for leaf in leaves(dict(arguments_of(call))):
            yield from origins.groups(leaf.value, call.request)
    for answer in origins.conversation.answers:
        yield from origins.groups_in_text(answer.content, answer.message)


def _ends_alike(conversation: Conversation, end: State) -> bool:
    """Return whether the rows at the end are the same, apart from new identifiers."""
    return all(
        conversation.end[name] == end[name]
        or _has_same_rows(schema, conversation.end[name], end[name])
        for name, schema in conversation.scenario.world.tables.items()
        if not schema.bookkeeping
    )


def _has_same_rows(schema: TableSchema, table: Table, other: Table) -> bool:
    columns = compared_columns(schema, [table, other])
    first, second = (
        Table({column: row.get(column) for column in columns} for row in rows)
        for rows in (table, other)
    )
    return first == second


def solution_steps(conversation: Conversation, kept: Collection[int]) -> list[Document]:
    """Return a conversation with the kept calls as steps; values from results are references."""
    origins, calls = Origins(conversation), conversation.calls
    steps: list[tuple[int, Document]] = [
        (answer.message, {"say": literal(answer.content)}) for answer in conversation.answers
    ]
    numbers = sorted(kept, key=lambda number: calls[number].request)
    made: list[int] = []
    for _, batch in itertools.groupby(numbers, key=lambda number: calls[number].batch):
        batched = list(batch)
        written_calls = [_call_step(origins, number, made) for number in batched]
        step = written_calls[0] if len(batched) == 1 else {"parallel": written_calls}
        steps.append((calls[batched[0]].request, step))
        made += sorted(batched)
    return [step for _, step in sorted(steps, key=lambda pair: pair[0])]


def _call_step(origins: Origins, number: int, made: Sequence[int]) -> Document:
    call, now = origins.conversation.calls[number], origins.conversation.scenario.now

    def step_value(value: Any) -> Any:
        if isinstance(value, list):
            return [step_value(item) for item in value]
        if isinstance(value, dict):
            return {key: step_value(item) for key, item in value.items()}
        return origins.reference(value, call.request, made) or written(literal(value), now)

    arguments = arguments_of(call).items()
    return {call.call.name: {name: step_value(value) for name, value in arguments}}


def written(value: Any, now: datetime) -> Any:
    """Return a value as scenarios write it: a timestamp as a moment."""
    if not is_number(value) or value < _TIMESTAMP:
        return value
    try:
        moment = datetime.fromtimestamp(value, now.tzinfo)
        text = moment.replace(tzinfo=None).isoformat(sep=" ").removesuffix(":00")
        is_same = read_moment(text, now).timestamp() == value
    except (OSError, OverflowError, ValueError):
        return value
    return {"at": text} if is_same else value
