"""What is said of a conversation with milestones: what was asked, and what happened."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import tzinfo
from functools import cached_property

from pytest_toolsandbox.records.parts import EventRecord
from pytest_toolsandbox.records.record import Record
from pytest_toolsandbox.scoring.results import TableChange

from .differences import (
    constraint_rows,
    difference_row,
    pattern_sections,
    score_text,
    shown_value,
    value,
    with_findings,
    zone_of,
)
from .opinion import (
    UNMET,
    are_words_wrong,
    faulted_words,
    faults_at,
    has_unmet_criteria,
    is_faulted,
    opinion_sections,
    words_sections,
)
from .transcript import cut_off_lines, said, shortened
from .view import Compared, Entry, Note, PageView, Section, titled

SAID = {"says", "user_says"}
"""The labels of what is asked of messages."""

SEARCHES = {
    "matching": "The search for the best mapping ran out of its budget",
    "rows": "There were too many rows to try them all with the expected ones",
}


def milestones_view(record: Record) -> PageView:
    """Return the score, what was missed, hit or changed, and what was found at each message."""
    page = _Page(record)
    notes = with_findings(record, page.notes())
    return PageView(page.verdict(), tuple(page.sections()), notes, tuple(cut_off_lines(record)))


@dataclass(frozen=True)
class _Page:
    record: Record

    @cached_property
    def zone(self) -> tzinfo:
        return zone_of(self.record)

    @property
    def hit(self) -> list[EventRecord]:
        return [event for event in self.record["minefields"] if event.similarity > 0]

    @property
    def effects(self) -> list[TableChange]:
        return self.record.get("side_effects", [])

    def sections(self) -> Iterator[Section]:
        record = self.record
        yield from words_sections(record)
        yield from titled("milestones", self.milestones())
        yield from titled("minefields", map(self.minefield, self.hit))
        yield from titled("protected tables", map(self.change, record["protected"]))
        yield from titled("side effects", map(self.change, self.effects))
        yield from opinion_sections(record)
        for search in (name for name in record.get("ran_out", []) if name in SEARCHES):
            yield Section(f"{SEARCHES[search]}: scores may be higher.")
        yield from pattern_sections(record, self.otherwise())

    def otherwise(self) -> Iterator[str]:
        """Yield what is wrong where no error pattern is found."""
        hit = {asked["label"] for event in self.hit for asked in event.asks}
        missed = {label for event in self.record["milestones"] for label in missing(event)}
        changed = self.record["protected"] or self.effects or hit - SAID
        if changed or any(label.startswith("guardrail") for label in missed):
            yield "a side effect"
        if "user_says" in missed:
            yield "it asked nothing"
        if are_words_wrong(self.record) or "says" in missed | hit:
            yield "a wrong report"
        if has_unmet_criteria(self.record):
            yield UNMET

    def verdict(self) -> str:
        milestones = self.record["milestones"]
        missed = [event.name for event in milestones if not event.reached]
        parts = [faulted_words(self.record)] if is_faulted(self.record) else []
        parts += [
            f"{what} {', '.join(names)}"
            for what, names in (
                ("hit", [event.name for event in self.hit]),
                ("changed protected", [change.table for change in self.record["protected"]]),
                ("side effects", [change.table for change in self.effects]),
                ("missed", missed),
            )
            if names
        ]
        count = len(milestones)
        reached = f" ({count - len(missed)} of {count} milestones reached)" if count else ""
        score = (self.record["scores"] or {})["score"]
        colon = ": " if parts else ""
        return f"score {score_text(score)} of 1{colon}{'; '.join(parts)}{reached}"

    def milestones(self) -> Iterator[Entry]:
        width = max((len(event.name) for event in self.record["milestones"]), default=0)
        for event in self.record["milestones"]:
            start = f"{event.name:<{width}}  {score_text(event.similarity)}"
            if event.reached:
                reached = "unread " if self.is_unread(event) else "reached"
                words = f"{reached}  {start}  at [{event.snapshot}]"
                yield Entry(words, message=event.snapshot, kind="reached", name=event.name)
                continue
            at = event.nearest.snapshot if event.nearest else None
            near = "nothing near it" if at is None else f"nearest at [{at}]"
            rows = tuple(self.constraints(event))
            yield Entry(f"missed   {start}  {near}", rows, at, kind="missed", name=event.name)

    def is_unread(self, event: EventRecord) -> bool:
        """Whether an event asks for words that nobody has read."""
        is_read = self.record.get("words") in ("exact", "judged")
        return not is_read and any(one.unread for one in event.constraints)

    def constraints(self, event: EventRecord) -> Iterator[Compared]:
        asks, nearest, message = event.asks, event.nearest, None
        found, broken = event.constraints[: len(asks)], event.constraints[len(asks) :]
        if nearest:
            found, broken = nearest.constraints, nearest.broken
            message = self.record["messages"][nearest.snapshot]
        for asked, result in zip(asks, found, strict=True):
            yield from constraint_rows(asked, result, message, self.zone)
        for rule in broken:
            for difference in rule.differences:
                yield difference_row(rule.label, difference, (), self.zone)

    def minefield(self, event: EventRecord) -> Entry:
        asks = ((asked["label"], asked["expected"]) for asked in event.asks)
        rows = tuple(Compared(label, found=shown_value(text, self.zone)) for label, text in asks)
        at = event.snapshot
        words, by = f"hit  {event.name}  at [{at}]", self.said_or_call(at)
        return Entry(words, rows, at, by, kind="hit", name=event.name)

    def change(self, change: TableChange) -> Entry:
        at = change.snapshot
        changes = {one["message"]: one["changes"] for one in self.record["snapshots"]}
        table = changes[at][change.table]
        pairs = (("removed", table["removed"]), ("added", table["added"]))
        rows = tuple(
            Compared(what, found=shown_value(value(row), self.zone))
            for what, some in pairs
            for row in some
        )
        words, by = f"changed  {change.table}  at [{at}]", self.said_or_call(at)
        return Entry(words, rows, at, by, kind="changed")

    def notes(self) -> dict[int, list[Note]]:
        found: dict[int, list[Note]] = defaultdict(list)
        for event in self.record["milestones"]:
            name, near = event.name, event.nearest
            if event.reached:
                what = "unread" if self.is_unread(event) else "reached"
                found[event.snapshot].append(Note(f"{what} {name}", "reached", name))
            elif near:
                found[near.snapshot].append(Note(f"nearest to {name}", "nearest", name))
        for event in self.hit:
            found[event.snapshot].append(Note(f"hit {event.name}", "hit", event.name))
        for change in self.record["protected"]:
            note = Note(f"changed protected {change.table}", "changed")
            found[change.snapshot].append(note)
        for change in self.effects:
            found[change.snapshot].append(Note(f"side effect on {change.table}", "changed"))
        for place, words in faults_at(self.record):
            found[place].append(Note(words, "changed"))
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
