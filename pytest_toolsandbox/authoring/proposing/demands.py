"""What conversations of a task have in common, which becomes milestones and guardrails."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pytest_toolsandbox.worlds.state import identity, plain

from .answers import facts_told, last_words
from .changes import changed_settings, changed_tables, is_kept, setting_value
from .conversations import Conversation
from .look_ups import LookUp, LookUps
from .rows import Block, common_block

Document = dict[str, Any]


@dataclass
class Demands:
    """The parts of the milestones.

    ``state`` has what is asked of tables at the end, ``ends_as`` the tables that are compared with
    a solution. Tables and settings that are ``free`` may change, ``protected`` tables may not.
    """

    look_ups: LookUps
    state: dict[str, Document] = field(default_factory=dict)
    since: dict[str, str] = field(default_factory=dict)
    ends_as: list[str] = field(default_factory=list)
    told: list[Any] = field(default_factory=list)
    says: Any = None
    free: list[str] = field(default_factory=list)
    protected: list[str] = field(default_factory=list)


def demands(conversations: Sequence[Conversation]) -> Demands:
    """Return what conversations of the same task have in common."""
    common = Demands(LookUps(conversations))
    changed = {name for conversation in conversations for name in changed_tables(conversation)}
    for name, schema in conversations[0].scenario.world.tables.items():
        if schema.bookkeeping:
            continue
        if name not in changed:
            common.protected.append(name)
        elif schema.single_row:
            _add_settings(common, name, conversations)
        else:
            _add_rows(common, name, conversations)
    _add_answers(common, conversations)
    common.look_ups.complete()
    return common


def relaxed(common: Demands) -> Iterator[Demands]:
    """Yield the demands, and then looser ones, if conversations do things in another order."""
    yield common
    if common.since:
        yield replace(common, since={})
    if common.look_ups.names:
        for look_up in common.look_ups.names.values():
            look_up.after = {name: None for name in look_up.after if _is_used(look_up, name)}
        yield replace(common, since={})
        yield replace(common, since={}, look_ups=LookUps(common.look_ups.conversations))


def _is_used(look_up: LookUp, name: str) -> bool:
    """Return whether an argument has a value from the result of another look-up."""
    return any(str(value).startswith(f"${name}") for value in look_up.arguments.values())


def _add_settings(common: Demands, table: str, conversations: Sequence[Conversation]) -> None:
    """Ask for the settings that are wanted; leave those free that are changed on the way."""
    changes = [changed_settings(conversation) for conversation in conversations]
    settings = dict.fromkeys(s for change in changes for s in change if s[0] == table)
    wanted: Document = {}
    for setting in settings:
        values = [setting_value(conversation.end, setting) for conversation in conversations]
        is_same = len({*map(identity, values)}) == 1
        is_set_back = len(conversations) > 1 and all(
            setting in change and not is_kept(conversation, setting)
            for conversation, change in zip(conversations, changes, strict=True)
        )
        if is_same and (is_set_back or all(change.get(setting) for change in changes)):
            wanted[setting[1]] = plain(values[0])
        else:
            common.free.append(".".join(setting))
    if wanted:
        schema, start = conversations[0].scenario.world.tables[table], conversations[0].start[table]
        flags = {
            name: start.rows[0][name]
            for name, column in schema.columns.items()
            if column.type is bool and (table, name) not in settings
        }
        common.state[table] = {**wanted, **flags}


def _add_rows(common: Demands, table: str, conversations: Sequence[Conversation]) -> None:
    """Ask for the rows that all conversations add, remove or update, and for their look-ups."""
    block = common_block(conversations, table)
    if block is None:
        common.free.append(table)
    elif block.written is None:
        common.ends_as.append(table)
    else:
        common.state[table] = block.written
        _add_look_ups(common, table, block, conversations)


def _add_look_ups(
    common: Demands, table: str, block: Block, conversations: Sequence[Conversation]
) -> None:
    """Ask for the look-ups from which the cells come, and for the change to come after them."""
    look_ups = common.look_ups
    names: dict[str, None] = {}
    for column in block.cells[0]:
        sink = [
            [g for cell in cells.get(column, ()) for g in origins.groups(cell.value, cell.before)]
            for origins, cells in zip(look_ups.origins, block.cells, strict=True)
        ]
        names |= dict.fromkeys(look_ups.need(sink))
    changes = [_first_change(conversation, table) for conversation in conversations]
    before = [
        (look_ups.names[name].first(conversations), name)
        for name in names
        if all(
            first < change
            for first, change in zip(
                look_ups.names[name].first(conversations), changes, strict=True
            )
        )
    ]
    if before:
        common.since[table] = max(before)[1]


def _first_change(conversation: Conversation, table: str) -> int:
    """Return the message after which a table first differs from the start."""
    states = enumerate(conversation.trajectory.states)
    return next(i for i, state in states if state[table] != conversation.start[table])


def _add_answers(common: Demands, conversations: Sequence[Conversation]) -> None:
    """Ask for the facts that all conversations tell, and for the look-ups behind them."""
    if not all(conversation.answers for conversation in conversations):
        return
    common.says = last_words(conversations)
    report = facts_told(conversations)
    if report is None:
        return
    common.told = report.matchers
    common.look_ups.need(
        [
            [g for text in texts for g in origins.groups_in_text(text.content, text.message)]
            for origins, texts in zip(common.look_ups.origins, report.texts, strict=True)
        ],
        conversions=True,
    )
