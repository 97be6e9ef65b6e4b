"""What an agent does in a conversation, act by act: calls with their effects, and texts.

Effects are compared by rows. Identifiers that the world makes up differ between two conversations,
so they are left out, and a reference to a row that was added has a placeholder.
"""

from __future__ import annotations

import itertools
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from pytest_toolsandbox.calls.tool_call import readable_arguments
from pytest_toolsandbox.conversation.messages import MadeCall, Trajectory
from pytest_toolsandbox.conversation.play import opening_messages
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.tasks import FINISH
from pytest_toolsandbox.scoring.tooltalk.comparison import token_f1
from pytest_toolsandbox.worlds.state import NEW_IDENTIFIER, Row, State, TableSchema, plain

_NEW: Final = "\0new"
"""Stands for an identifier that was made up in the conversation."""
_SIMILAR: Final = 0.5
"""The F1 of the words of two free texts from which on one may stand for the other."""


class RowEffect(NamedTuple):
    """A row that a call added or removed: its exact cells as JSON, and its free texts."""

    table: str
    is_added: bool
    exact: str
    texts: tuple[str, ...]


@dataclass(frozen=True)
class Act:
    """A call or a text of the agent; ``place`` is the index of its message.

    ``start`` is the first message of calls that were made at once, ``end`` the one after the last
    answer to them. A call of ``finish`` is a text, too. ``effect`` are the changes of the world;
    ``is_action`` is whether the tool may change it.
    """

    place: int
    start: int
    end: int
    text: str | None = None
    made: MadeCall | None = None
    effect: tuple[RowEffect, ...] = ()
    is_action: bool = False

    @property
    def tool(self) -> str | None:
        """The tool that is called; ``None`` for what concludes."""
        return self.made.call.name if self.made and self.text is None else None

    @property
    def arguments(self) -> Mapping[str, Any]:
        """The arguments of the call, if they can be read."""
        return (readable_arguments(self.made.call.arguments) or {}) if self.made else {}

    @property
    def failed(self) -> bool:
        """Whether the call was refused or failed."""
        return self.made is not None and self.made.failed

    @property
    def result(self) -> Any:
        """The result of the call; ``None`` if it failed."""
        return self.made.trace.result if self.made and self.made.trace else None


def acts_of(scenario: Scenario, trajectory: Trajectory) -> tuple[Act, ...]:
    """Return what the agent did, in the order of its messages, without what was said before."""
    new = new_identifiers(scenario, trajectory)
    messages, opening = trajectory.messages, len(opening_messages(scenario))
    acts: dict[int, Act] = {}
    batches: dict[int, list[MadeCall]] = {}
    for call in trajectory.calls:
        batches.setdefault(call.batch, []).append(call)
    for calls in batches.values():
        start = min(call.request for call in calls)
        answers = (call.answer for call in calls if call.answer is not None)
        end = max(answers, default=len(messages) - 1) + 1
        for call in calls:
            effect = tuple(_effect(scenario, call.before, call.after, new))
            effect = effect or tuple(_unseen_effect(scenario, call, new))
            text = _conclusion(call)
            tool = scenario.world.tools.get(call.call.name)
            acts[call.request] = Act(
                call.request, start, end, text, call, effect, tool is not None and tool.action
            )
    for place, message in enumerate(messages):
        if message.sender is Role.AGENT and message.call is None and place >= opening:
            acts[place] = Act(place, place, place + 1, message.content)
    return tuple(acts[place] for place in sorted(acts))


def _conclusion(call: MadeCall) -> str | None:
    if call.call.name != FINISH.name or call.trace is None:
        return None
    answer = call.trace.arguments.get("answer")
    return answer if isinstance(answer, str) else json.dumps(plain(answer), default=str)


def new_identifiers(scenario: Scenario, trajectory: Trajectory) -> frozenset[str]:
    """Return the identifiers of rows that were added in a conversation."""
    known, start = scenario.world.tables, trajectory.start
    added = [*added_rows(trajectory)]
    changed = [*dict.fromkeys(name for name, _ in added)]
    before = {
        identifier for n in changed for row in start[n] for identifier in _ids(known.get(n), row)
    }
    return frozenset(i for n, row in added for i in _ids(known.get(n), row)) - before


def _ids(schema: TableSchema | None, row: Row) -> Iterator[str]:
    """Yield the identifiers of a row that the world makes up."""
    for name, column in schema.columns.items() if schema else ():
        if column.default is NEW_IDENTIFIER and name in row:
            yield str(row[name])


def added_rows(trajectory: Trajectory) -> Iterator[tuple[str, Row]]:
    """Yield the rows that were added in a conversation, each with the name of its table."""
    for before, after in itertools.pairwise((trajectory.start, *trajectory.states)):
        for name in sorted(after) if after is not before else ():
            if after[name] is not before[name]:
                yield from ((name, row) for row in after[name].minus(before[name]))


def _effect(
    scenario: Scenario, before: State, after: State, new: frozenset[str]
) -> Iterator[RowEffect]:
    """Yield the rows that were added and removed, in an order that does not depend on the world."""
    known = scenario.world.tables
    for name in sorted(after):
        if after[name] == before[name] or (name in known and known[name].bookkeeping):
            continue
        schema = known.get(name)
        for rows, is_added in (
            (before[name].minus(after[name]), False),
            (after[name].minus(before[name]), True),
        ):
            yield from sorted(_row_effect(name, row, schema, new, is_added) for row in rows)


def _unseen_effect(scenario: Scenario, call: MadeCall, new: frozenset[str]) -> Iterator[RowEffect]:
    """Yield the effect of an action that no table shows, where calls are judged and not the state.

    An e-mail to somebody outside of the world is one.
    """
    tool = scenario.world.tools.get(call.trace.tool_name) if call.trace else None
    if call.trace is None or tool is None or not tool.action or not scenario.task.agent_turns:
        return
    arguments = without_new(plain(call.trace.arguments), new)
    texts = {name for name, value in arguments.items() if isinstance(value, str) and " " in value}
    exact = {name: value for name, value in arguments.items() if name not in texts}
    written = json.dumps(exact, sort_keys=True, ensure_ascii=False, default=str)
    words = tuple(arguments[name] for name in sorted(texts))
    yield RowEffect(f"{tool.name}()", True, written, words)


def _row_effect(
    table: str, row: Row, schema: TableSchema | None, new: frozenset[str], is_added: bool
) -> RowEffect:
    exact, texts = {}, []
    for name in sorted(row):
        column = schema.column(name) if schema else None
        if column is not None and column.type is str and column.measure != "exact":
            texts.append(str(row[name]))
        else:
            exact[name] = without_new(plain(row[name]), new)
    written = json.dumps(exact, sort_keys=True, ensure_ascii=False, default=str)
    return RowEffect(table, is_added, written, tuple(texts))


def without_new(value: Any, new: frozenset[str]) -> Any:
    """Return a value with a placeholder for each identifier that was made up."""
    if isinstance(value, str):
        return _NEW if value in new else value
    if isinstance(value, Mapping):
        return {name: without_new(item, new) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [without_new(item, new) for item in value]
    return value


def same_effect(first: tuple[RowEffect, ...], second: tuple[RowEffect, ...]) -> float:
    """Return how alike two effects are, from 0 to 1: 0 if other rows or exact cells changed."""
    shapes = [Counter(effect[:3] for effect in effects) for effects in (first, second)]
    if shapes[0] != shapes[1]:
        return 0.0
    pairs = zip(sorted(first), sorted(second), strict=True)
    texts = (pair for a, b in pairs for pair in zip(a.texts, b.texts, strict=False))
    return min((alike(*pair) for pair in texts), default=1.0)


def alike(first: str, second: str) -> float:
    """Return how alike two texts are; 0 if they share too few words."""
    if first.split() == second.split():
        return 1.0
    return score if (score := token_f1(first, second)) >= _SIMILAR else 0.0
