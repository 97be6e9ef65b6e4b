"""Scores a trajectory by its scenario's milestones and minefields (ToolSandbox, section 2.3)."""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.evaluation.results import (
    ConstraintResult,
    Difference,
    Evaluation,
    EventResult,
    Nearest,
    ProtectedChange,
    SearchBudget,
)
from pytest_toolsandbox.language.constraints import START, Constraint, Event
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.tasks import Milestones

from .comparison import FULL, NOTHING, Comparison, geometric_mean
from .constraints import SnapshotComparer
from .matching import best_mapping
from .shares import Node


def evaluate(scenario: Scenario, trajectory: Trajectory) -> Evaluation:
    """Return scores, verdict and explanation of a trajectory."""
    task = scenario.task_as(Milestones)
    milestones = _Events(task.milestones, trajectory).results()
    reached = {result.name: result.snapshot for result in milestones.results if result.reached}
    minefields = _Events(task.minefields, trajectory, reached).results()
    protected = tuple(_protected_changes(task.protected, trajectory))
    milestone_score = _mean(milestones.results, of_none=1.0)
    minefield_score = _mean(minefields.results, of_none=0.0)
    unharmed = minefield_score == 0.0 and not protected
    return Evaluation(
        milestones=milestones.results,
        minefields=minefields.results,
        protected=protected,
        milestone_score=milestone_score,
        minefield_score=minefield_score,
        score=milestone_score if unharmed else 0.0,
        passed=unharmed and all(result.reached for result in milestones.results),
        ran_out=tuple(sorted(milestones.ran_out | minefields.ran_out)),
    )


def _mean(results: Sequence[EventResult], of_none: float) -> float:
    if not results:
        return of_none
    return sum(result.similarity for result in results) / len(results)


def _protected_changes(protected: Iterable[str], trajectory: Trajectory) -> list[ProtectedChange]:
    changes = []
    for table in protected:
        start = trajectory.start[table]
        changed = (i for i, state in enumerate(trajectory.states) if state[table] != start)
        first = next(changed, None)
        if first is not None:
            changes.append(ProtectedChange(table, first))
    return changes


@dataclass(frozen=True)
class _Results:
    results: tuple[EventResult, ...]
    ran_out: frozenset[SearchBudget]


class _Events:
    """The milestones, or the minefields, of a scenario on one trajectory.

    Positions count from the first snapshot that may be matched. ``limits`` says at which snapshot
    a milestone was reached, for minefields that only count before it.
    """

    def __init__(
        self,
        events: Mapping[str, Event],
        trajectory: Trajectory,
        limits: Mapping[str, int] | None = None,
    ) -> None:
        self.events = list(events.values())
        self.index = {name: place for place, name in enumerate(events)}
        self.comparer = SnapshotComparer(trajectory, events)
        self.first = trajectory.first
        self.count = len(trajectory.messages) - self.first
        self.limits = limits or {}
        self.guarded = {event.name: self._guarded(event) for event in self.events}
        self.versions = {event.name: self._versions(event) for event in self.events}

    def results(self) -> _Results:
        """Return where and how well each event was matched in the best mapping."""
        mapping = best_mapping([self._node(event) for event in self.events], self.count)
        positions = {
            event.name: self.first + at
            for event, at in zip(self.events, mapping.positions, strict=True)
        }
        results = tuple(self._result(event, positions) for event in self.events)
        exact: dict[SearchBudget, bool] = {
            "matching": mapping.exact,
            "rows": self.comparer.exact,
        }
        return _Results(results, frozenset(name for name in exact if not exact[name]))

    def _guarded(self, event: Event) -> tuple[str, ...]:
        """Return the tables that must not change between an event and what comes before it.

        Not those that it, a predecessor or an event that it refers to constrains themselves.
        """
        around = (event.name, *self._parents(event))
        by_name = {e.name: e for e in self.events}
        constrained = {t for name in around for t in by_name[name].constrained_tables}
        return tuple(sorted(event.guarded - constrained))

    def _versions(self, event: Event) -> list[int]:
        """Number what an event guards as each snapshot has it, and last as the start has it.

        What is equal has the same number, so that tables are compared but once.
        """
        states = (*self.comparer.trajectory.states, self.comparer.trajectory.start)
        first: dict[Hashable, int] = {}
        return [
            first.setdefault(tuple(state[table] for table in self.guarded[event.name]), number)
            for number, state in enumerate(states)
        ]

    def _parents(self, event: Event) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*event.after, *sorted(event.references - {START}))))

    def _node(self, event: Event) -> Node:
        parents, first = self._parents(event), self.first
        versions = self.versions[event.name][first:]

        def similarity(at: int, positions: tuple[int, ...]) -> float:
            named = {n: first + p for n, p in zip(parents, positions, strict=True)}
            return self._similarity(event, first + at, named)

        return Node(
            tuple(self.index[name] for name in event.after),
            similarity,
            tuple(self.index[name] for name in parents),
            upper_bound=lambda at: self._similarity(event, first + at, {}, waiting=True),
            is_tight=not event.references - {START},
            view=lambda place, position: self._view(event, parents[place], first + position),
            feasible=lambda at, _place, position: versions[at] == versions[position],
        )

    def _view(self, event: Event, parent: str, position: int) -> Hashable:
        """Return all that an event sees of one that comes before it."""
        looked = [
            self.comparer.reference_view(constraint, parent, position)
            for constraint in event.constraints
            if parent in constraint.references
        ]
        return self.versions[event.name][position], *looked

    def _similarity(
        self, event: Event, at: int, positions: Mapping[str, int], *, waiting: bool = False
    ) -> float:
        """Return how well an event matches a snapshot, given where it is mapped to.

        Constraints that look at other events count as 1 while the positions of these are
        ``waiting`` to be found.
        """
        if event.before in self.limits and at >= self.limits[event.before or ""]:
            return 0.0
        versions = self.versions[event.name]
        if START in event.references and versions[at] != versions[-1]:
            return 0.0
        graded = []
        for constraint in event.constraints:
            if waiting and constraint.references - {START}:
                compared = FULL if self.comparer.may_hold(constraint, at) else NOTHING
            else:
                compared = self.comparer.compare(constraint, at, positions)
            if compared.similarity == 0.0 or (event.must_be_reached and not compared.reached):
                return 0.0
            if not constraint.is_guardrail:
                graded.append(compared.similarity)
        return geometric_mean(graded)

    def _result(self, event: Event, positions: Mapping[str, int]) -> EventResult:
        at = positions[event.name]
        broken = self._broken_guardrails(event, at, positions)
        similarity = 0.0 if broken else self._similarity(event, at, positions)
        constraints = self._explained(event, at, positions)
        reached = similarity > 0.0 and all(c.reached for c in constraints)
        nearest = None if reached else self._nearest(event, positions)
        return EventResult(event.name, at, similarity, reached, (*constraints, *broken), nearest)

    def _explained(
        self, event: Event, at: int, positions: Mapping[str, int]
    ) -> tuple[ConstraintResult, ...]:
        compared = ((c, self.comparer.compare(c, at, positions)) for c in event.constraints)
        return tuple(_constraint_result(c, comparison) for c, comparison in compared)

    def _broken_guardrails(
        self, event: Event, at: int, positions: Mapping[str, int]
    ) -> tuple[ConstraintResult, ...]:
        """Return the implicit guardrails that are violated, each once for every table."""
        earlier: list[tuple[str, int | None]] = [(n, positions[n]) for n in self._parents(event)]
        if START in event.references:
            earlier.append((START, None))
        broken: dict[str, ConstraintResult] = {}
        for (name, position), table in itertools.product(earlier, self.guarded[event.name]):
            now, then = self.comparer.table(table, at), self.comparer.table(table, position)
            if now != then and table not in broken:
                rows = [dict(row) for row in (*now.minus(then), *then.minus(now))]
                difference = Difference("rows", f"no change since {name}", rows, 0.0)
                label = f"guardrail.{table}"
                broken[table] = ConstraintResult(label, 0.0, False, True, (difference,))
        return tuple(broken.values())

    def _nearest(self, event: Event, positions: Mapping[str, int]) -> Nearest | None:
        """Return the snapshot that came nearest to an event, if anything came near at all."""
        best, best_at = 0.0, None
        for at in range(self.first, self.first + self.count):
            near = [self.comparer.compare(c, at, positions).nearness for c in event.constraints]
            mean = sum(near) / len(near)
            if mean > best:
                best, best_at = mean, at
        if best_at is None:
            return None
        too_early = tuple(self._too_early(event, best_at, positions))
        broken = too_early or self._broken_guardrails(event, best_at, positions)
        return Nearest(best_at, self._explained(event, best_at, positions), broken)

    def _too_early(
        self, event: Event, at: int, positions: Mapping[str, int]
    ) -> Iterator[ConstraintResult]:
        """Yield the predecessors that lie later."""
        for name in event.after:
            if positions[name] > at:
                expected = f"at [{positions[name]}] or later, like {name}"
                difference = Difference("snapshot", expected, at, 0.0)
                yield ConstraintResult(f"after.{name}", 0.0, False, True, (difference,))


def _constraint_result(constraint: Constraint, compared: Comparison) -> ConstraintResult:
    return ConstraintResult(
        constraint.label,
        compared.similarity,
        compared.reached,
        constraint.is_guardrail,
        compared.differences,
    )
