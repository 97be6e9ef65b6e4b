"""The page of a conversation that missed a milestone: what was asked, and what happened."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, tzinfo
from functools import cached_property
from itertools import chain

from pytest_toolsandbox.evaluation.results import Invention, TableChange
from pytest_toolsandbox.records.record import EventRecord, Record

from .differences import constraint_lines, difference_lines, score_text, shown_value, value, zone_of
from .findings import page_text, pattern_lines
from .transcript import cut_off_lines, said, section, shortened

SAID = {"says", "user_says"}
"""The labels of what is asked of messages."""

SEARCHES = {
    "matching": "The search for the best mapping ran out of its budget",
    "rows": "There were too many rows to try them all with the expected ones",
}


def milestones_page(record: Record) -> str:
    """Return the page: the score, then what was missed, hit or changed, then the conversation."""
    page = _Page(record)
    end = cut_off_lines(record)
    return page_text(record, page.verdict(), page.parts(), page.findings(), end)


@dataclass(frozen=True)
class _Page:
    record: Record

    @cached_property
    def zone(self) -> tzinfo:
        return zone_of(self.record) or UTC

    @property
    def hit(self) -> list[EventRecord]:
        return [event for event in self.record["minefields"] if event.similarity > 0]

    @property
    def effects(self) -> list[TableChange]:
        return self.record.get("side_effects", [])

    @property
    def inventions(self) -> list[Invention]:
        return self.record.get("inventions", [])

    def parts(self) -> Iterator[str]:
        record = self.record
        yield from section("milestones", self.milestones())
        yield from section("minefields", chain(*map(self.minefield, self.hit)))
        yield from section("protected tables", chain(*map(self.change, record["protected"])))
        yield from section("side effects", chain(*map(self.change, self.effects)))
        yield from section("invented reports", map(self.invention, self.inventions))
        for search in (name for name in record["ran_out"] if name in SEARCHES):
            yield from ("", f"{SEARCHES[search]}: scores may be higher.")
        yield from pattern_lines(record, self.otherwise())

    def otherwise(self) -> Iterator[str]:
        """Yield what is wrong where no error pattern is found."""
        hit = {asked["label"] for event in self.hit for asked in event.asks}
        missed = {label for event in self.record["milestones"] for label in missing(event)}
        changed = self.record["protected"] or self.effects or hit - SAID
        if changed or any(label.startswith("guardrail") for label in missed):
            yield "a side effect"
        if "user_says" in missed:
            yield "it asked nothing"
        if self.inventions or "says" in missed | hit:
            yield "a wrong report"

    def verdict(self) -> str:
        milestones = self.record["milestones"]
        missed = [event.name for event in milestones if not event.reached]
        parts = [
            f"{what} {', '.join(names)}"
            for what, names in (
                ("hit", [event.name for event in self.hit]),
                ("changed protected", [change.table for change in self.record["protected"]]),
                ("side effects", [change.table for change in self.effects]),
                ("invented", [repr(shortened(one.claim)) for one in self.inventions]),
                ("missed", missed),
            )
            if names
        ]
        count = len(milestones)
        reached = f" ({count - len(missed)} of {count} milestones reached)" if count else ""
        score = (self.record["scores"] or {})["score"]
        return f"score {score_text(score)} of 1: {'; '.join(parts)}{reached}"

    def milestones(self) -> Iterator[str]:
        width = max((len(event.name) for event in self.record["milestones"]), default=0)
        for event in self.record["milestones"]:
            start = f"{event.name:<{width}}  {score_text(event.similarity)}"
            if event.reached:
                yield f"  reached  {start}  at [{event.snapshot}]"
                continue
            nearest = event.nearest
            near = f"nearest at [{nearest.snapshot}]" if nearest else "nothing near it"
            yield f"  missed   {start}  {near}"
            yield from self.constraints(event)

    def constraints(self, event: EventRecord) -> Iterator[str]:
        asks, nearest, message = event.asks, event.nearest, None
        found, broken = event.constraints[: len(asks)], event.constraints[len(asks) :]
        if nearest:
            found, broken = nearest.constraints, nearest.broken
            message = self.record["messages"][nearest.snapshot]
        for asked, result in zip(asks, found, strict=True):
            yield from constraint_lines(asked, result, message, self.zone)
        for rule in broken:
            for difference in rule.differences:
                yield from difference_lines(rule.label, difference, (), self.zone)

    def minefield(self, event: EventRecord) -> Iterator[str]:
        yield f"  hit  {event.name}  at [{event.snapshot}]"
        for asked in event.asks:
            yield f"      - {asked['label']}: {shown_value(asked['expected'], self.zone)}"
        yield f"        by {self.said_or_call(event.snapshot)}"

    def change(self, change: TableChange) -> Iterator[str]:
        yield f"  changed  {change.table}  at [{change.snapshot}]"
        changes = {one["message"]: one["changes"] for one in self.record["snapshots"]}
        rows = changes[change.snapshot][change.table]
        for what, some in (("removed", rows["removed"]), ("added", rows["added"])):
            for row in some:
                yield f"      - {what} {shown_value(value(row), self.zone)}"
        yield f"        by {self.said_or_call(change.snapshot)}"

    def invention(self, one: Invention) -> str:
        return f"  claimed  {shortened(one.claim)!r}  at [{one.snapshot}], which did not happen"

    def findings(self) -> dict[int, list[str]]:
        found: dict[int, list[str]] = defaultdict(list)
        for event in self.record["milestones"]:
            if event.reached:
                found[event.snapshot].append(f"reached {event.name}")
            elif event.nearest:
                found[event.nearest.snapshot].append(f"nearest to {event.name}")
        for event in self.hit:
            found[event.snapshot].append(f"hit {event.name}")
        for change in self.record["protected"]:
            found[change.snapshot].append(f"changed protected {change.table}")
        for change in self.effects:
            found[change.snapshot].append(f"side effect on {change.table}")
        for one in self.inventions:
            found[one.snapshot].append("invented report")
        return found

    def said_or_call(self, index: int) -> str:
        """Write what happened at a snapshot: the call whose result came in, or what was said."""
        messages = self.record["messages"]
        message = messages[index]
        if message.call is None:
            return repr(shortened(message.content))
        requests = (c["request"] for c in self.record["tool_calls"] if c["answer"] == index)
        return said(messages[next(requests, index)])


def missing(event: EventRecord) -> Iterator[str]:
    """Yield the labels of what keeps an event from being reached, where it was nearest."""
    if event.reached:
        return
    if event.nearest is None:
        yield from (asked["label"] for asked in event.asks)
        return
    rules = (*event.nearest.constraints, *event.nearest.broken)
    yield from (one.label for one in rules if not one.reached)
