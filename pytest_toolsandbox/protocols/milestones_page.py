"""The page of a conversation with milestones: what was asked, and what happened."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import tzinfo

from pytest_toolsandbox.conversation.messages import Message
from pytest_toolsandbox.matchers.registry import ROUNDING
from pytest_toolsandbox.output.pages.messages import message_text
from pytest_toolsandbox.output.pages.shared_sections import (
    fault_notes,
    fault_text,
    is_faulted,
    opinion_sections,
    pattern_sections,
    reached_limits,
    with_findings,
    words_sections,
)
from pytest_toolsandbox.output.pages.view import (
    Compared,
    Entry,
    Kind,
    Note,
    PageView,
    Section,
    section_of,
    verdict_line,
)
from pytest_toolsandbox.output.pages.wording import (
    is_unread,
    score_text,
    shortened,
    shown_value,
    value_text,
    zone_of,
)
from pytest_toolsandbox.records.parts import AskedRecord, EventRecord
from pytest_toolsandbox.records.record import Record
from pytest_toolsandbox.scoring.results import (
    ConstraintResult,
    Difference,
    MissingConsent,
    TableChange,
)

_SEARCHES = {
    "matching": "The search for the best mapping ran out of its budget",
    "rows": "There were too many rows to try them all with the expected ones",
}


def milestones_view(record: Record) -> PageView:
    """Return the score, what was missed, hit or changed, and what was found at each message."""
    page = _Page(record)
    notes = with_findings(record, page.notes())
    return PageView(page.verdict(), tuple(page.sections()), notes, tuple(reached_limits(record)))


class _Page:
    def __init__(self, record: Record) -> None:
        self.record = record
        self.zone = zone_of(record)
        self.milestones = record["milestones"]
        self.hits = [event for event in record["minefields"] if event.similarity > 0]
        self.protected = record["protected"]
        self.side_effects = record.get("side_effects", [])
        self.unagreed = record.get("without_consent", [])

    def sections(self) -> Iterator[Section]:
        record = self.record
        yield from words_sections(record)
        width = max((len(event.name) for event in self.milestones), default=0)
        yield from section_of("milestones", (self.milestone(e, width) for e in self.milestones))
        yield from section_of("minefields", map(self.minefield, self.hits))
        yield from section_of("protected tables", map(self.change, self.protected))
        yield from section_of("side effects", map(self.change, self.side_effects))
        yield from section_of("without consent", map(self.without_consent, self.unagreed))
        yield from opinion_sections(record)
        for search in (name for name in record.get("ran_out", []) if name in _SEARCHES):
            yield Section(f"{_SEARCHES[search]}: scores may be higher.")
        yield from pattern_sections(record)

    def verdict(self) -> str:
        missed = [event.name for event in self.milestones if not event.reached]
        parts = [limit.strip() for limit in reached_limits(self.record)]
        parts += [fault_text(self.record)] if is_faulted(self.record) else []
        parts += [
            f"{what} {', '.join(names)}"
            for what, names in (
                ("hit", [event.name for event in self.hits]),
                ("changed protected", [change.table for change in self.protected]),
                ("side effect on", [change.table for change in self.side_effects]),
                ("without consent", dict.fromkeys(call.tool for call in self.unagreed)),
                ("missed", missed),
            )
            if names
        ]
        score = score_text((self.record["scores"] or {})["score"])
        return verdict_line(parts, f"{score} of 1", self.counts(len(missed)))

    def counts(self, missed: int) -> str:
        """Return how many milestones were reached; unread words are no proof of one."""
        if not (count := len(self.milestones)):
            return ""
        unread = sum(event.reached and is_unread(event, self.record) for event in self.milestones)
        rest = f", {unread} unread" if unread else ""
        return f" ({count - missed - unread} of {count} milestones reached{rest})"

    def milestone(self, event: EventRecord, width: int) -> Entry:
        start = f"{event.name:<{width}}  {score_text(event.similarity)}"
        if event.reached:
            kind: Kind = "unread" if is_unread(event, self.record) else "reached"
            words = f"{kind:7}  {start}  at [{event.snapshot}]"
            return Entry(words, message=event.snapshot, kind=kind, name=event.name)
        at = event.nearest.snapshot if event.nearest else None
        near = "nothing near it" if at is None else f"nearest at [{at}]"
        rows = tuple(self.constraint_rows(event))
        return Entry(f"missed   {start}  {near}", rows, at, kind="missed", name=event.name)

    def constraint_rows(self, event: EventRecord) -> Iterator[Compared]:
        """Yield how each constraint fared where the event was nearest, and which rules broke."""
        asks, nearest, message = event.asks, event.nearest, None
        results, broken = event.constraints[: len(asks)], event.constraints[len(asks) :]
        if nearest:
            results, broken = nearest.constraints, nearest.broken
            message = self.record["messages"][nearest.snapshot]
        for asked, result in zip(asks, results, strict=True):
            yield from _constraint_rows(asked, result, message, self.zone)
        for rule in broken:
            for difference in rule.differences:
                yield _difference_row(rule.label, difference, (), self.zone)

    def minefield(self, event: EventRecord) -> Entry:
        asks = ((asked["label"], asked["expected"]) for asked in event.asks)
        rows = tuple(Compared(label, found=shown_value(text, self.zone)) for label, text in asks)
        at = event.snapshot
        words, by = f"hit  {event.name}  at [{at}]", self.text_or_call(at)
        return Entry(words, rows, at, by, kind="hit", name=event.name)

    def change(self, change: TableChange) -> Entry:
        at = change.snapshot
        changes = {
            snapshot["message"]: snapshot["changes"] for snapshot in self.record["snapshots"]
        }
        table = changes[at][change.table]
        rows = tuple(
            Compared(what, found=shown_value(value_text(row), self.zone))
            for what, changed in (("removed", table["removed"]), ("added", table["added"]))
            for row in changed
        )
        words, by = f"changed  {change.table}  at [{at}]", self.text_or_call(at)
        return Entry(words, rows, at, by, kind="changed")

    def without_consent(self, call: MissingConsent) -> Entry:
        at = call.snapshot
        rows = (Compared("consent", found=call.reason),)
        words = f"without consent  {call.tool}  at [{at}]"
        return Entry(words, rows, at, self.text_or_call(at), kind="hit")

    def notes(self) -> dict[int, list[Note]]:
        notes: dict[int, list[Note]] = defaultdict(list)
        for event in self.milestones:
            name, near = event.name, event.nearest
            if event.reached:
                kind: Kind = "unread" if is_unread(event, self.record) else "reached"
                notes[event.snapshot].append(Note(f"{kind} {name}", kind, name))
            elif near:
                notes[near.snapshot].append(Note(f"nearest to {name}", "nearest", name))
        for event in self.hits:
            notes[event.snapshot].append(Note(f"hit {event.name}", "hit", event.name))
        for change in self.protected:
            note = Note(f"changed protected {change.table}", "changed")
            notes[change.snapshot].append(note)
        for change in self.side_effects:
            notes[change.snapshot].append(Note(f"side effect on {change.table}", "changed"))
        for move in self.record.get("clock", ()):
            notes[move["message"]].append(Note(f"the clock moved to {move['now']}", "plain"))
        for call in self.unagreed:
            notes[call.snapshot].append(Note(f"without consent {call.tool}", "hit"))
        for place, note in fault_notes(self.record):
            notes[place].append(note)
        return notes

    def text_or_call(self, index: int) -> str:
        """Return what happened at a snapshot: the call that was answered, or what was said."""
        messages = self.record["messages"]
        message = messages[index]
        if message.call is None:
            return repr(shortened(message.content))
        requests = (c["request"] for c in self.record["tool_calls"] if c["answer"] == index)
        return message_text(messages[next(requests, index)])


def _constraint_rows(
    asked: AskedRecord, result: ConstraintResult, message: Message | None, zone: tzinfo
) -> Iterator[Compared]:
    """Yield a row for each difference of a constraint from ``message``, if there is any."""
    label = result.label
    if result.reached:
        yield Compared(label, holds=True)
        return
    if not result.differences:
        yield Compared(label, shown_value(asked["expected"], zone))
        return
    if label in ("call", "tried") and message and message.call:
        label = f"{label} {message.call.name}"
    for difference in result.differences:
        if difference.similarity < difference.threshold - ROUNDING:
            yield _difference_row(label, difference, asked["columns"], zone)


def _difference_row(
    label: str, difference: Difference, columns: Sequence[str], zone: tzinfo
) -> Compared:
    """Return what was expected and what was found in its place."""
    is_said = difference.where in (*label.split(), "rows", "snapshot")
    expected = shown_value(difference.expected, zone, difference.where)
    text = _actual_text(difference, columns)
    actual = shown_value(text, zone, difference.where) + _remarks(difference)
    return Compared(f"{label}{'' if is_said else f', {difference.where}'}", expected, actual)


def _remarks(difference: Difference) -> str:
    remarks = []
    if difference.threshold < 1 or difference.similarity > 0:
        similarity, least = score_text(difference.similarity), f"{difference.threshold:g}"
        remarks.append(f"similarity {similarity}, at least {least} was asked")
    if difference.note:
        remarks.append(shortened(difference.note))
    return f" ({'; '.join(remarks)})" if remarks else ""


def _actual_text(difference: Difference, columns: Sequence[str]) -> str:
    """Return what was found; of rows only the ``columns`` that are asked for, if any are."""
    if difference.where == "snapshot":
        return f"[{difference.found}]"
    if difference.where.split()[-1] != "rows":
        return value_text(difference.found)
    rows = difference.found if isinstance(difference.found, list) else [difference.found]
    if not rows:
        return "none"
    shown = [{name: row.get(name) for name in columns} if columns else row for row in rows]
    count = "1 row" if len(rows) == 1 else f"{len(rows)} rows"
    return f"{count}: {' and '.join(map(value_text, shown))}"
