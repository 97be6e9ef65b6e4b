"""Whether conversations of a model solve its draft: each ends by itself, all in the same way."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any

from pytest_toolsandbox.authoring.proposing.answers import facts_told
from pytest_toolsandbox.authoring.proposing.changes import (
    changed_rows,
    changed_tables,
    differing_columns,
)
from pytest_toolsandbox.authoring.proposing.conversations import Conversation, arguments_of
from pytest_toolsandbox.records.writing import Trial
from pytest_toolsandbox.worlds.state import TableSchema
from pytest_toolsandbox.worlds.tool import END_CONVERSATION

Change = tuple[str, str, tuple[str, ...]]
"""What happened to a row: a kind, its table, and the columns if it was updated."""


def why_unsolved(trials: Sequence[Trial]) -> str:
    """Return why conversations do not solve a draft; empty if they do.

    Each must end by itself and without an error. They must change the same kinds of rows, or if
    they change none, tell the user the same facts.
    """
    for number, trial in enumerate(trials, 1):
        if trial.outcome == "error" or trial.is_user_fault:
            return f"conversation {number}: {trial.reason}"
        if not _has_ended(trial):
            most = trial.scenario.max_messages
            return f"conversation {number}: it does not end within {most} messages"
    conversations = conversations_of(trials)
    changes = [changes_in(conversation, settings=False) for conversation in conversations]
    differing = next((n for n, change in enumerate(changes) if change != changes[0]), None)
    if differing is not None:
        first, other = (_in_words(changes[n]) for n in (0, differing))
        return f"its conversations end differently: 1 {first}, {differing + 1} {other}"
    if any([*changed_tables(conversation)] for conversation in conversations):
        return ""
    if all(any(not call.failed for call in c.calls) for c in conversations) and facts_told(
        conversations
    ):
        return ""
    return "it changes nothing, and tells no fact that a tool returned"


def conversations_of(trials: Sequence[Trial]) -> list[Conversation]:
    """Return the conversations of trials, as proposals take them."""
    return [
        Conversation(f"solution_{number}", trial.scenario, trial.trajectory)
        for number, trial in enumerate(trials, 1)
    ]


def _has_ended(trial: Trial) -> bool:
    last = trial.trajectory.messages[-1]
    return last.call is not None and last.call.name == END_CONVERSATION


def changes_in(conversation: Conversation, *, settings: bool = True) -> Counter[Change]:
    """Return which kinds of rows a conversation changes from its start to its end, how often.

    Tables with a single row count as ``settings``.
    """
    changes: Counter[Change] = Counter()
    for table, schema in conversation.scenario.world.tables.items():
        if not schema.bookkeeping and (settings or not schema.single_row):
            changes.update(_changes(conversation, table, schema))
    return changes


def _changes(conversation: Conversation, table: str, schema: TableSchema) -> list[Change]:
    if schema.single_row:
        start, end = conversation.start[table].rows, conversation.end[table].rows
        columns = differing_columns(end[0], start[0]) if start and end else ()
        return [("updated", table, tuple(columns))] if columns else []
    changes: list[Change] = []
    for change in changed_rows(conversation, table):
        before = change.before if change.kind == "updated" else None
        changed = differing_columns(change.row, before) if before else ()
        changes.append((change.kind, table, tuple(changed)))
    return changes


def _in_words(changes: Counter[Change]) -> str:
    counts = [f"{count} {table} {kind}" for (kind, table, _), count in sorted(changes.items())]
    return f"has {', '.join(counts)}" if counts else "changes nothing"


def calls_in(conversation: Conversation) -> list[tuple[str, str]]:
    """Return the calls of a conversation that worked: tools, and arguments as JSON, sorted."""
    worked = [call for call in conversation.calls if not call.failed]
    return sorted((call.call.name, _key(arguments_of(call))) for call in worked)


def _key(arguments: Any) -> str:
    return json.dumps(dict(arguments), sort_keys=True, ensure_ascii=False, default=str)
