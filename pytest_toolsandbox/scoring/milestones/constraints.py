"""Compare a snapshot of a trajectory with constraints on state, calls or messages."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from operator import attrgetter
from typing import Any

from pytest_toolsandbox.calls.tool_call import ToolTrace, readable_arguments
from pytest_toolsandbox.conversation.messages import Message, Trajectory
from pytest_toolsandbox.language.constraints import (
    START,
    CallConstraint,
    CallPattern,
    Constraint,
    EndsAsConstraint,
    Event,
    HoldsConstraint,
    MomentConstraint,
    ResultsConstraint,
    SaysConstraint,
    StateConstraint,
)
from pytest_toolsandbox.language.roles import Party, Role
from pytest_toolsandbox.scoring.results import Difference
from pytest_toolsandbox.worlds.state import Row, State, Table

from .attribution import states_by
from .comparison import (
    FULL,
    NOTHING,
    Comparison,
    Target,
    combined,
    compare_value,
    differing,
    geometric_mean,
    no_match,
)
from .end_states import compare_end
from .moments import compare_moment, end_of_turn, moments
from .reference import Reference
from .rows import Changes, compare_changes, compare_table
from .turn_results import compare_results, is_result

_SAME_TOOL = 0.5
_FAILED_CALL = 0.25
"""The nearness of a call that has nothing else in common with the expected one."""


def _compare_calls(
    constraint: CallConstraint, message: Message, results: Mapping[str, Any]
) -> Comparison:
    """Compare a call with the alternatives of a constraint: the best one counts."""
    if not constraint.alternatives:
        return FULL
    compared = [_compare_call(pattern, message, results) for pattern in constraint.alternatives]
    if len(compared) == 1:
        return compared[0]
    best = max(compared, key=lambda c: (c.similarity, c.nearness))
    if best.reached or not any(c.reached for c in compared):
        return best
    # The most similar alternative may miss its threshold while another one reaches its own.
    return replace(best, reached=True, explain=tuple)


def _compare_call(pattern: CallPattern, message: Message, results: Mapping[str, Any]) -> Comparison:
    name, arguments = _name_and_arguments(message)
    if name != pattern.tool:
        return NOTHING
    if not message.was_executed:
        error = message.error
        return differing(lambda: Difference(name, "a call without error", error, 0.0), _FAILED_CALL)
    cells = {key: expected.alternatives(results) for key, expected in pattern.arguments.items()}
    parts = [
        compare_value(key, cell, arguments[key])
        if key in arguments
        else no_match(key, cell, note="the argument was not given")
        for key, cell in cells.items()
    ]
    compared = combined(parts)
    return compared.at_nearness(_SAME_TOOL + (1 - _SAME_TOOL) * compared.nearness)


def _name_and_arguments(message: Message) -> tuple[str, Mapping[str, Any]]:
    """Return the executed call with defaults, or else the call as it was requested."""
    if message.trace is not None:
        return message.trace.tool_name, message.trace.arguments
    assert message.call is not None
    return message.call.name, readable_arguments(message.call.arguments) or {}


_Positions = Mapping[str, int]
"""Event → the index of its snapshot."""
_OfTheWorld = EndsAsConstraint | HoldsConstraint | MomentConstraint | ResultsConstraint
_OF_THE_WORLD = (EndsAsConstraint, HoldsConstraint, MomentConstraint, ResultsConstraint)

_CALLERS: Mapping[Party, Collection[Role]] = {
    "agent": (Role.AGENT,),
    "user": (Role.USER,),
    "any": (Role.AGENT, Role.USER),
}
_TableOf = tuple[str, Party]
"""A table, and whose changes of it count."""

_SAID_SOMETHING = 0.1
"""The nearness of a text that has nothing in common with the expected one."""


class SnapshotComparer:
    """Compares snapshots with constraints, which may refer to ``events``; equal views only once.

    The ``reference`` has the conversations of solutions, and answers questions.
    """

    def __init__(
        self,
        trajectory: Trajectory,
        events: Mapping[str, Event] | None = None,
        reference: Reference | None = None,
    ) -> None:
        self.trajectory = trajectory
        self.events = events or {}
        self.reference = reference or Reference()
        self._counting: dict[int, range] = {}
        self._judged: dict[Hashable, Comparison] = {}
        self._states: dict[Party, tuple[State, ...]] = {"any": trajectory.states}
        self._numbers: dict[_TableOf, list[int]] = {}
        self._views: dict[Hashable, list[Hashable]] = {}
        self._changes: dict[tuple[_TableOf, int, int | None], Changes] = {}
        self._expected: dict[Hashable, Sequence[Target]] = {}
        self._came: dict[_TableOf, set[Row]] = {}
        self._fresh: dict[tuple[_TableOf, int], set[Row]] = {}
        self._at_most: dict[tuple[int, int], Comparison] = {}
        self._suiting: dict[int, list[tuple[float, Row]]] = {}

    @property
    def exact(self) -> bool:
        """Whether every assignment of rows to targets is known to be the best."""
        return all(compared.exact for compared in self._judged.values())

    def states(self, by: Party) -> tuple[State, ...]:
        """Return the state at each snapshot, with the changes of one party alone, or of ``any``."""
        if by not in self._states:
            self._states[by] = states_by(self.trajectory, by)
        return self._states[by]

    def table(self, of: _TableOf, position: int | None) -> Table:
        """Return a table at a snapshot, or at the start (``None``)."""
        name, by = of
        return (self.trajectory.start if position is None else self.states(by)[position])[name]

    def _versions(self, of: _TableOf) -> list[int]:
        """Return, for each snapshot, the first one with an equal table."""
        if of not in self._numbers:
            first: dict[Table, int] = {}
            name, by = of
            tables = enumerate(state[name] for state in self.states(by))
            self._numbers[of] = [first.setdefault(table, place) for place, table in tables]
        return self._numbers[of]

    def changes(self, of: _TableOf, at: int, since: int | None) -> Changes:
        """Return the rows that were added to and removed from a table since another snapshot."""
        earlier = None if since is None else self._versions(of)[since]
        key = of, self._versions(of)[at], earlier
        if key not in self._changes:
            now, then = self.table(of, at), self.table(of, since)
            self._changes[key] = now.minus(then), then.minus(now)
        return self._changes[key]

    def compare(self, constraint: Constraint, at: int, positions: _Positions) -> Comparison:
        """Compare the snapshot ``at`` with a constraint."""
        if isinstance(constraint, MomentConstraint):
            return compare_moment(constraint, self._moments(constraint), at)
        view = self.views(constraint)[at]
        seen = id(constraint), view, *self._references(constraint, positions)
        if seen not in self._judged:
            self._judged[seen] = self._compare(constraint, at, positions)
        return self._judged[seen]

    def views(self, constraint: Constraint) -> Sequence[Hashable]:
        """Return what a constraint sees of each snapshot; equal views have equal results."""
        if isinstance(constraint, StateConstraint):
            return self._versions(_table_of(constraint))
        if isinstance(constraint, (EndsAsConstraint, HoldsConstraint)):
            return list(map(id, self.trajectory.states))
        if isinstance(constraint, ResultsConstraint):
            return self._answer_counts
        if isinstance(constraint, MomentConstraint):
            counting = self._moments(constraint)
            return [place in counting for place in range(len(self.trajectory.messages))]
        # Answers of calls are compared by identity, texts by content: agents repeat texts.
        look: Callable[[Message], Hashable] = id
        kind: Hashable
        if isinstance(constraint, CallConstraint):
            kind = constraint.tried, constraint.by
        else:
            kind, look = (constraint.sender, constraint.recipient), attrgetter("content")
        if kind not in self._views:
            messages = self.trajectory.messages
            self._views[kind] = [look(m) if _concerns(constraint, m) else None for m in messages]
        return self._views[kind]

    @cached_property
    def _answer_counts(self) -> Sequence[int]:
        """Return how many results the agent has got at each snapshot."""
        is_answer = (is_result(message) for message in self.trajectory.messages)
        return [*itertools.accumulate(is_answer, initial=0)][1:]

    def _moments(self, constraint: MomentConstraint) -> range:
        if id(constraint) not in self._counting:
            self._counting[id(constraint)] = moments(constraint, self.trajectory)
        return self._counting[id(constraint)]

    def _compare_end(self, constraint: EndsAsConstraint, at: int) -> Comparison:
        solution = self.reference.solution(constraint.solution)
        last: int | None = len(solution.states) - 1
        if constraint.turn is not None:
            last = end_of_turn(solution, constraint.turn, constraint.before_opening)
        if last is None:
            note = f"solution {constraint.solution!r} has no turn {constraint.turn}"
            where, words = constraint.label, "the tables after it"
            return differing(lambda: Difference(where, words, None, 0.0, note))
        states = solution.states[last], self.trajectory.states[at]
        return compare_end(constraint, *states, self.trajectory.start)

    def at_most(self, constraint: Constraint, at: int) -> Comparison:
        """Return the upper bound of a constraint at a snapshot, for any mapping of other events."""
        if isinstance(constraint, StateConstraint):
            return self._rows_at_most(constraint, at)
        if isinstance(constraint, _OF_THE_WORLD):
            return FULL
        message = self.trajectory.messages[at]
        may_hold = _concerns(constraint, message)
        if may_hold and isinstance(constraint, CallConstraint):
            name, _ = _name_and_arguments(message)
            named = any(name == call.tool for call in constraint.alternatives)
            is_any = not constraint.alternatives
            may_hold = is_any or (message.was_executed and named)
        return FULL if may_hold else NOTHING

    def _rows_at_most(self, constraint: StateConstraint, at: int) -> Comparison:
        """Compare each expected row with the best of all rows that were added so far."""
        # Other kinds have no cheap bound, and rows from results are unknown at this point.
        if constraint.kind not in ("added", "updated") or constraint.sources:
            return FULL
        table = _table_of(constraint)
        number = self._versions(table)[at]
        seen = id(constraint), number
        if seen not in self._at_most:
            self._at_most[seen] = self._suited(self._targets(constraint, {}), table, number)
        return self._at_most[seen]

    def _suited(self, targets: Sequence[Target], table: _TableOf, number: int) -> Comparison:
        if table not in self._came:
            name, by = table
            states = (self.trajectory.start, *self.states(by))
            steps = itertools.pairwise(state[name] for state in states)
            # All rows that were ever added, since changes are relative to an unknown earlier
            # snapshot.
            self._came[table] = {row for then, now in steps for row in now.minus(then)}
        if (table, number) not in self._fresh:
            self._fresh[table, number] = self._came[table].intersection(self.table(table, number))
        fresh = self._fresh[table, number]
        suiting = (self._suiting_rows(target, table) for target in targets)
        best = [next((how for how, row in rows if row in fresh), 0.0) for rows in suiting]
        most = min(1.0, geometric_mean(best) * (1 + 1e-9))  # never less for how it is rounded
        return Comparison(most, True, most) if most else NOTHING

    def _suiting_rows(self, target: Target, table: _TableOf) -> list[tuple[float, Row]]:
        """Return the added rows with a similarity above 0, the best first."""
        if id(target) not in self._suiting:
            alike = ((target.likeness(row)[0], row) for row in self._came[table])
            suiting = sorted((pair for pair in alike if pair[0]), key=lambda pair: -pair[0])
            self._suiting[id(target)] = suiting
        return self._suiting[id(target)]

    def reference_view(self, constraint: Constraint, name: str, position: int) -> Hashable:
        """Return what a constraint sees of the snapshot of an event that it refers to."""
        trace = id(self._trace(name, position)) if name in constraint.sources else None
        if isinstance(constraint, StateConstraint) and constraint.since == name:
            return self._versions(_table_of(constraint))[position], trace
        return None, trace

    def _references(self, constraint: Constraint, positions: _Positions) -> tuple[Hashable, ...]:
        names = constraint.earlier
        if not names:  # as of most
            return ()
        return tuple(self.reference_view(constraint, n, positions[n]) for n in names)

    def _trace(self, name: str, position: int) -> ToolTrace | None:
        """Return the call that an event matches at a snapshot, if there is one.

        If the event's own call refers to results of others, any call matches it.
        """
        trace = self.trajectory.messages[position].trace
        event = self.events.get(name)
        calls = [c for c in event.constraints if isinstance(c, CallConstraint)] if event else []
        if trace is None or not calls or any(call.references for call in calls):
            return trace
        matched = any(self.compare(call, position, {}).similarity > 0 for call in calls)
        return trace if matched else None

    def _compare(self, constraint: Constraint, at: int, positions: _Positions) -> Comparison:
        if isinstance(constraint, StateConstraint):
            return self._compare_tables(constraint, at, positions)
        results = self._results(constraint, positions)
        if isinstance(constraint, _OF_THE_WORLD):
            return self._compare_world(constraint, at, results)
        message = self.trajectory.messages[at]
        if not _concerns(constraint, message):
            return NOTHING
        if isinstance(constraint, CallConstraint):
            return _compare_calls(constraint, message, results)
        cell = constraint.content.alternatives(results)
        compared = compare_value(constraint.label, cell, message.content)
        return compared.at_nearness(_SAID_SOMETHING + (1 - _SAID_SOMETHING) * compared.nearness)

    def _compare_tables(
        self, constraint: StateConstraint, at: int, positions: _Positions
    ) -> Comparison:
        targets = self._targets(constraint, positions)
        if not constraint.compares_changes:
            return compare_table(constraint.kind, targets, self.table(_table_of(constraint), at))
        since = positions.get(constraint.since or START)
        changes = self.changes(_table_of(constraint), at, since)
        return compare_changes(constraint.kind, targets, *changes)

    def _compare_world(
        self, constraint: _OfTheWorld, at: int, results: Mapping[str, Any]
    ) -> Comparison:
        if isinstance(constraint, MomentConstraint):
            return compare_moment(constraint, self._moments(constraint), at)
        if isinstance(constraint, EndsAsConstraint):
            return self._compare_end(constraint, at)
        if isinstance(constraint, ResultsConstraint):
            solution = self.reference.solution(constraint.solution)
            return compare_results(constraint, solution, self.trajectory.messages[: at + 1])
        cell = constraint.returns.alternatives(results)
        answer = self.reference.answer(constraint, self.trajectory.states[at])
        if answer.error is not None:
            return no_match(constraint.label, cell, None, answer.error)
        return compare_value(constraint.label, cell, answer.value)

    def _targets(self, constraint: StateConstraint, positions: _Positions) -> Sequence[Target]:
        """Return the expected rows; equal results give the same row objects, which cache."""
        traces = (self._trace(name, positions[name]) for name in sorted(constraint.sources))
        seen = id(constraint), *map(id, traces)
        if seen not in self._expected:
            results = self._results(constraint, positions)
            self._expected[seen] = [
                Target({name: cell.alternatives(results) for name, cell in row.items()})
                for row in constraint.rows
            ]
        return self._expected[seen]

    def _results(self, constraint: Constraint, positions: _Positions) -> dict[str, Any]:
        """Return event → result, for the events with a call that a constraint refers to."""
        if not constraint.sources:  # as of most
            return {}
        names = constraint.sources & positions.keys()
        traces = {name: self._trace(name, positions[name]) for name in names}
        return {name: trace.result for name, trace in traces.items() if trace is not None}


def _concerns(constraint: SaysConstraint | CallConstraint, message: Message) -> bool:
    """Return whether a constraint applies to a message: by its roles, or as an answer to a call."""
    if isinstance(constraint, SaysConstraint):
        return (message.sender, message.recipient) == (constraint.sender, constraint.recipient)
    role = message.sender if constraint.tried else message.recipient
    return role in _CALLERS[constraint.by] and message.call is not None


def _table_of(constraint: StateConstraint) -> _TableOf:
    return constraint.table, constraint.by
