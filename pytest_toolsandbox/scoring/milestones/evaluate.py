"""Score a trajectory by milestones and minefields (ToolSandbox, section 2.3).

``Events`` finds the best mapping of milestones or minefields to snapshots and explains each one.
``evaluate`` combines their scores with protected tables and side effects.
"""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import closing
from functools import partial
from typing import Final

from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.language.constraints import START, Event, Guard, SaysConstraint
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.tasks import Milestones
from pytest_toolsandbox.matchers.embedding import in_use
from pytest_toolsandbox.scoring.results import (
    ConstraintResult,
    Difference,
    Evaluation,
    EventResult,
    LatestResults,
    Nearest,
    SearchBudget,
)

from .comparison import geometric_mean
from .consent import missing_consents
from .constraints import SnapshotComparer
from .decidable import decidable, has_facts, is_said
from .matching import best_mapping
from .reference import Reference
from .side_effects import protected_changes, side_effects, unasked_columns
from .tree import Node


class Events:
    """The milestones, or the minefields, of a scenario on one trajectory.

    Positions count from the first snapshot that may be matched. ``limits`` maps milestones to the
    snapshots at which they were reached, for minefields that only count before one. The
    ``reference`` has the conversations of solutions, and answers questions.
    """

    def __init__(
        self,
        events: Mapping[str, Event],
        trajectory: Trajectory,
        limits: Mapping[str, int] | None = None,
        reference: Reference | None = None,
    ) -> None:
        self.events = events
        self.index = {name: place for place, name in enumerate(events)}
        self.comparer = SnapshotComparer(trajectory, events, reference)
        self.first = trajectory.first
        self.count = len(trajectory.messages) - self.first
        self.limits = limits or {}
        self.guarded = {name: self._guarded(event) for name, event in events.items()}
        numbered = {guards: self._versions(guards) for guards in {*self.guarded.values()}}
        self.versions = {name: numbered[guards] for name, guards in self.guarded.items()}

    def results(self) -> tuple[tuple[EventResult, ...], list[SearchBudget]]:
        """Return how each event was matched, and the searches that exceeded their budget."""
        mapping = best_mapping(list(map(self._node, self.events.values())), self.count)
        positions = {
            name: self.first + at for name, at in zip(self.events, mapping.positions, strict=True)
        }
        results = tuple(self._result(event, positions) for event in self.events.values())
        # Both searches have budgets. A result that may not be the best one is marked in the
        # record.
        exact: dict[SearchBudget, bool] = {"matching": mapping.exact, "rows": self.comparer.exact}
        return results, [name for name in exact if not exact[name]]

    def _guarded(self, event: Event) -> tuple[Guard, ...]:
        """Return the guarded tables, except those that the event or its parents constrain."""
        around = (event.name, *self._parents(event))
        # A table that the event or a parent constrains is compared explicitly, so it needs no
        # guardrail.
        constrained = {table for name in around for table in self.events[name].constrained_tables}
        tables = sorted(event.guarded.keys() - constrained)
        return tuple(Guard(name, event.guarded[name]) for name in tables)

    def _versions(self, guards: tuple[Guard, ...]) -> list[int]:
        """Number the guarded tables of each snapshot and the start; equal ones share a number."""
        states = (*self.comparer.states("agent"), self.comparer.trajectory.start)
        first: dict[Hashable, int] = {}
        numbers: list[int] = []
        for number, state in enumerate(states):
            if number and state is states[number - 1]:  # as after most messages
                numbers.append(numbers[-1])
            else:
                seen = tuple(guard.seen_in(state) for guard in guards)
                numbers.append(first.setdefault(seen, number))
        return numbers

    def _parents(self, event: Event) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*event.after, *sorted(event.references - {START}))))

    def _node(self, event: Event) -> Node:
        parents, first = self._parents(event), self.first
        views = [self._views(event, parent) for parent in parents]
        fits = [self._fits(event, parent) for parent in parents]
        places = [_places(there) for _, there, _ in fits]

        def similarity(at: int, positions: tuple[int, ...]) -> float:
            named = {n: first + p for n, p in zip(parents, positions, strict=True)}
            return self._similarity(event, first + at, named)

        def feasible(at: int, place: int, position: int) -> bool:
            wanted, there, stays = fits[place]
            return wanted[at] == there[position] or (stays and at == position)

        def near(at: int, place: int) -> Sequence[int]:
            wanted, _, stays = fits[place]
            places_there = places[place].get(wanted[at], [])
            return [*places_there, at] if stays and at not in places_there else places_there

        return Node(
            tuple(self.index[name] for name in event.after),
            similarity,
            tuple(self.index[name] for name in parents),
            upper_bound=lambda at: self._similarity(event, first + at, {}, waiting=True),
            # Without references only the implicit guardrails depend on the parents, all or
            # nothing.
            is_tight=not event.references - {START},
            view=lambda place, position: views[place][position],
            own_view=self._own_views(event).__getitem__,
            feasible=feasible,
            near=near,
        )

    def _fits(self, event: Event, parent: str) -> tuple[list[Hashable], list[Hashable], bool]:
        """Return what an event requires of a parent at each of its positions, and what is there.

        These are the versions of its guarded tables and the row counts of the tables that it
        compares with the parent's. The last value says whether the event may also be at its
        parent's own position, if no row must be added.
        """
        wanted: list[Sequence[int]] = [self._before_call(event)]
        there: list[Sequence[int]] = [self.versions[event.name][self.first : -1]]
        stays = True
        for constraint in event.state_constraints:
            if constraint.since == parent:
                states = self.comparer.states(constraint.by)[self.first :]
                there.append([len(state[constraint.table]) for state in states])
                wanted.append([count - constraint.growth for count in there[-1]])
                stays = stays and not constraint.growth
        return list(zip(*wanted, strict=True)), list(zip(*there, strict=True)), stays

    def _before_call(self, event: Event) -> list[int]:
        """Return the versions of the guarded tables, before the call if the event asks for one."""
        versions, start = self.versions[event.name], self.first - event.call_is_meant
        return [versions[at] for at in range(start, start + self.count)]

    def _own_views(self, event: Event) -> list[Hashable]:
        """Return all that an event sees of each snapshot, wherever other events are mapped."""
        views = (self.comparer.views(constraint)[self.first :] for constraint in event.constraints)
        end = self.limits.get(event.before or "", self.first + self.count)
        is_late = (self.first + at >= end for at in range(self.count))
        return list(zip(is_late, self._before_call(event), *views, strict=True))

    def _views(self, event: Event, parent: str) -> list[Hashable]:
        """Return all that an event sees of its parent, at each position of the parent."""
        versions, places = self.versions[event.name], range(self.first, self.first + self.count)
        looked = (
            [self.comparer.reference_view(constraint, parent, at) for at in places]
            for constraint in event.constraints
            if parent in constraint.references
        )
        # The event's own call may change guarded tables. If the parent is at that very call, the
        # change is allowed only for this position, so its view must differ from all others.
        alone = (
            at if event.call_is_meant and versions[at] != versions[at - 1] else None
            for at in places
        )
        return list(zip(versions[self.first : -1], alone, *looked, strict=True))

    def _similarity(
        self, event: Event, at: int, positions: Mapping[str, int], *, waiting: bool = False
    ) -> float:
        """Return how well an event matches a snapshot, given the positions of other events.

        With ``waiting``, constraints that refer to other events get their upper bound.
        """
        if event.before in self.limits and at >= self.limits[event.before or ""]:
            return 0.0
        versions = self.versions[event.name]
        # The start is a parent at a fixed position, so its guardrails are checked here.
        if START in event.references and versions[at - event.call_is_meant] != versions[-1]:
            return 0.0
        graded = []
        for constraint in event.constraints:
            if waiting and constraint.references - {START}:
                compared = self.comparer.at_most(constraint, at)
            else:
                compared = self.comparer.compare(constraint, at, positions)
            if compared.similarity == 0.0 or (event.must_be_reached and not compared.reached):
                return 0.0
            # Guardrails hold or break an event, but do not raise its mean.
            if not constraint.is_guardrail:
                graded.append(compared.similarity)
        return geometric_mean(graded)

    def _result(self, event: Event, positions: Mapping[str, int]) -> EventResult:
        at = positions[event.name]
        broken = self._broken_guardrails(event, at, positions)
        similarity = 0.0 if broken else self._similarity(event, at, positions)
        constraints = tuple(self._explained(event, at, positions))
        reached = similarity > 0.0 and all(c.reached for c in constraints)
        nearest = None if reached else self._nearest(event, positions)
        return EventResult(event.name, at, similarity, reached, (*constraints, *broken), nearest)

    def _explained(
        self, event: Event, at: int, positions: Mapping[str, int]
    ) -> Iterator[ConstraintResult]:
        for constraint in event.constraints:
            compared = self.comparer.compare(constraint, at, positions)
            yield ConstraintResult(
                constraint.label,
                compared.similarity,
                compared.reached,
                constraint.is_guardrail,
                compared.differences,
                compared.reached and is_said(constraint) and not has_facts(constraint),
            )

    def _broken_guardrails(
        self, event: Event, at: int, positions: Mapping[str, int]
    ) -> tuple[ConstraintResult, ...]:
        """Return the implicit guardrails that are violated, one result per table."""
        earlier: list[tuple[str, int | None]] = [(n, positions[n]) for n in self._parents(event)]
        if START in event.references:
            earlier.append((START, None))
        broken: dict[str, ConstraintResult] = {}
        for (name, position), guard in itertools.product(earlier, self.guarded[event.name]):
            table = guard.table
            # At the same snapshot nothing can have changed in between.
            if position == at:
                continue
            now = self.comparer.table((table, "agent"), at - event.call_is_meant)
            then = self.comparer.table((table, "agent"), position)
            changed = guard.seen_in({table: now}) != guard.seen_in({table: then})
            if changed and table not in broken:
                rows = [dict(row) for row in (*now.minus(then), *then.minus(now))]
                difference = Difference("rows", f"no change since {name}", rows, 0.0)
                broken[table] = _violated(f"guardrail.{table}", difference)
        return tuple(broken.values())

    def _nearest(self, event: Event, positions: Mapping[str, int]) -> Nearest | None:
        """Return the snapshot that came nearest to a missed event, or ``None`` if none came near.

        Snapshots after the predecessors are preferred. Of several, the first one is returned, or
        the last one if an expected text has nothing in common with any message: that is how the
        agent ended.
        """

        def nearness(at: int) -> float:
            parts = [self.comparer.compare(c, at, positions).nearness for c in event.constraints]
            return sum(parts) / len(parts)

        places = range(self.first, self.first + self.count)
        near = [nearness(at) for at in places]
        if max(near) == 0.0:
            return None
        equal = [at for at, value in zip(places, near, strict=True) if value == max(near)]
        in_order = [at for at in equal if all(positions[name] <= at for name in event.after)]
        at = (in_order or equal)[-1 if self._nothing_in_common(event, equal, positions) else 0]
        later = {name: positions[name] for name in event.after if positions[name] > at}
        expected = {name: f"at [{place}] or later, like {name}" for name, place in later.items()}
        too_early = tuple(
            _violated(f"after.{name}", Difference("snapshot", words, at, 0.0))
            for name, words in expected.items()
        )
        broken = too_early or self._broken_guardrails(event, at, positions)
        return Nearest(at, tuple(self._explained(event, at, positions)), broken)

    def _nothing_in_common(
        self, event: Event, places: Sequence[int], positions: Mapping[str, int]
    ) -> bool:
        """Return whether an expected text has nothing in common with these messages."""
        texts = [
            constraint for constraint in event.constraints if isinstance(constraint, SaysConstraint)
        ]
        compared = (
            self.comparer.compare(constraint, at, positions)
            for constraint in texts
            for at in places
        )
        return bool(texts) and all(comparison.similarity == 0.0 for comparison in compared)


def _places(values: Sequence[Hashable]) -> dict[Hashable, list[int]]:
    """Return the places of each value."""
    places: dict[Hashable, list[int]] = {}
    for place, value in enumerate(values):
        places.setdefault(value, []).append(place)
    return places


def _violated(label: str, difference: Difference) -> ConstraintResult:
    return ConstraintResult(label, 0.0, False, is_guardrail=True, differences=(difference,))


_LATEST: Final = LatestResults[Evaluation]()


def evaluate(scenario: Scenario, trajectory: Trajectory, *, judged: bool = False) -> Evaluation:
    """Return scores, verdict and explanation of a trajectory by state, calls and exact facts.

    Constraints that only a reader can decide count as met. With ``judged`` a judge reads the texts,
    and similarity matchers do not decide either.
    """
    sources = scenario.task, judged, scenario.solutions, scenario.now, in_use()
    compute = partial(_evaluated, scenario, trajectory, judged=judged)
    return _LATEST.value(sources, trajectory, compute)


def _evaluated(scenario: Scenario, trajectory: Trajectory, *, judged: bool) -> Evaluation:
    written = scenario.task_as(Milestones)
    name = "decidable beside a judge" if judged else "decidable"
    task = scenario.memory.value(name, written, partial(decidable, written, judged=judged))
    with closing(Reference(scenario)) as reference:
        return _compared(scenario, task, trajectory, reference)


def _compared(
    scenario: Scenario, task: Milestones, trajectory: Trajectory, reference: Reference
) -> Evaluation:
    events = Events(task.milestones, trajectory, reference=reference)
    milestones, out_of_milestones = events.results()
    reached = {result.name: result.snapshot for result in milestones if result.reached}
    # Milestones come first, since a minefield may count only before a milestone is reached.
    mines = Events(task.minefields, trajectory, reached, reference)
    minefields, out_of_minefields = mines.results()
    protected = tuple(protected_changes(task, trajectory))
    milestone_score = _mean(milestones, of_none=1.0)
    minefield_score = _mean(minefields, of_none=0.0)
    effects = tuple(side_effects(task, trajectory, milestones, minefields))
    is_whole = bool(milestones) and all(result.reached for result in milestones)
    # Changes can be called side effects only if all milestones account for theirs.
    if is_whole and not effects:
        effects = tuple(unasked_columns(scenario, trajectory, milestones))
    unagreed = tuple(missing_consents(scenario, trajectory))
    unharmed = minefield_score == 0.0 and not (protected or effects or unagreed)
    return Evaluation(
        milestones=milestones,
        minefields=minefields,
        protected=protected,
        milestone_score=milestone_score,
        minefield_score=minefield_score,
        score=milestone_score if unharmed else 0.0,
        passed=unharmed and all(result.reached for result in milestones),
        side_effects=effects,
        without_consent=unagreed,
        ran_out=tuple(sorted({*out_of_milestones, *out_of_minefields})),
    )


def _mean(results: Sequence[EventResult], of_none: float) -> float:
    return sum(result.similarity for result in results) / len(results) if results else of_none
