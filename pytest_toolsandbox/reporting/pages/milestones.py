"""The page of a conversation that missed a milestone: what was asked, and what happened."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, tzinfo

from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.evaluation.error_patterns.patterns import ErrorPatterns
from pytest_toolsandbox.evaluation.results import Evaluation, EventResult, ProtectedChange
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.language.scenario import Event, Scenario
from pytest_toolsandbox.worlds.state import plain

from .constraint_text import asked
from .differences import LONGEST, constraint_lines, number, rule_lines, value
from .findings import pattern_lines, with_patterns
from .timestamps import with_moments
from .transcript import said, shortened, transcript


def milestones_page(
    scenario: Scenario, trajectory: Trajectory, result: Evaluation, patterns: ErrorPatterns
) -> str:
    """Return the page, its verdict in the first line."""
    return "\n".join(_Page(scenario, trajectory, result, patterns).lines())


@dataclass(frozen=True)
class _Page:
    scenario: Scenario
    trajectory: Trajectory
    result: Evaluation
    patterns: ErrorPatterns

    @property
    def zone(self) -> tzinfo:
        return self.scenario.now.tzinfo or UTC

    @property
    def hit(self) -> list[EventResult]:
        return [event for event in self.result.minefields if event.similarity > 0]

    def lines(self) -> Iterator[str]:
        yield self.verdict()
        if self.scenario.summary:
            yield ""
            yield shortened(self.scenario.summary)
        if self.result.milestones:
            yield from ("", "milestones")
            yield from self.milestones()
        if self.hit:
            yield from ("", "minefields")
            for event in self.hit:
                yield from self.minefield(event)
        if self.result.protected:
            yield from ("", "protected tables")
            for change in self.result.protected:
                yield from self.protected(change)
        if not self.result.exact:
            text = "The search for the best mapping ran out of its budget: scores may be higher."
            yield from ("", text)
        yield from pattern_lines(self.patterns)
        yield from ("", "conversation")
        yield from transcript(self.trajectory, self.findings())
        last = self.trajectory.messages[-1]
        if (last.sender, last.recipient) != (Role.EXECUTION_ENVIRONMENT, Role.USER):
            yield f"  cut off: max_messages is {self.scenario.max_messages}"

    def verdict(self) -> str:
        missed = [event.name for event in self.result.milestones if not event.reached]
        parts = [
            f"{what} {', '.join(names)}"
            for what, names in (
                ("hit", [event.name for event in self.hit]),
                ("changed protected", [change.table for change in self.result.protected]),
                ("missed", missed),
            )
            if names
        ]
        count = len(self.result.milestones)
        reached = f" ({count - len(missed)} of {count} milestones reached)" if count else ""
        return f"score {number(self.result.score)} of 1: {'; '.join(parts)}{reached}"

    def milestones(self) -> Iterator[str]:
        width = max(len(event.name) for event in self.result.milestones)
        for event in self.result.milestones:
            start = f"{event.name:<{width}}  {number(event.similarity)}"
            if event.reached:
                yield f"  reached  {start}  at [{event.snapshot}]"
                continue
            near = f"nearest at [{event.nearest.snapshot}]" if event.nearest else "nothing near it"
            yield f"  missed   {start}  {near}"
            yield from self.constraints(self.scenario.milestones[event.name], event)

    def constraints(self, milestone: Event, event: EventResult) -> Iterator[str]:
        count = len(milestone.constraints)
        found, broken, message = event.constraints[:count], event.constraints[count:], None
        if event.nearest:
            found, broken = event.nearest.constraints, event.nearest.broken
            message = self.trajectory.messages[event.nearest.snapshot]
        for constraint, result in zip(milestone.constraints, found, strict=True):
            yield from constraint_lines(constraint, result, message, self.zone)
        for rule in broken:
            yield from rule_lines(rule, self.zone)

    def minefield(self, event: EventResult) -> Iterator[str]:
        yield f"  hit  {event.name}  at [{event.snapshot}]"
        for constraint in self.scenario.minefields[event.name].constraints:
            words = with_moments(shortened(asked(constraint), LONGEST), self.zone)
            yield f"      - {constraint.label}: {words}"
        yield f"        by {said_or_call(self.trajectory, event.snapshot)}"

    def protected(self, change: ProtectedChange) -> Iterator[str]:
        yield f"  changed  {change.table}  at [{change.snapshot}]"
        start = self.trajectory.start[change.table]
        table = self.trajectory.states[change.snapshot][change.table]
        for what, rows in (("removed", start.minus(table)), ("added", table.minus(start))):
            for row in rows:
                shown = with_moments(shortened(value(plain(row)), LONGEST), self.zone)
                yield f"      - {what} {shown}"
        yield f"        by {said_or_call(self.trajectory, change.snapshot)}"

    def findings(self) -> dict[int, list[str]]:
        found: dict[int, list[str]] = defaultdict(list)
        for event in self.result.milestones:
            if event.reached:
                found[event.snapshot].append(f"reached {event.name}")
            elif event.nearest:
                found[event.nearest.snapshot].append(f"nearest to {event.name}")
        for event in self.hit:
            found[event.snapshot].append(f"hit {event.name}")
        for change in self.result.protected:
            found[change.snapshot].append(f"changed protected {change.table}")
        return with_patterns(found, self.patterns)


def said_or_call(trajectory: Trajectory, index: int) -> str:
    """Write what happened at a snapshot: the call whose result came in, or what was said."""
    message = trajectory.messages[index]
    if message.call is None:
        return repr(shortened(message.content))
    requests = (call.request for call in trajectory.calls if call.answer == index)
    return said(trajectory.messages[next(requests, index)])
