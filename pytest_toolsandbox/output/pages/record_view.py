"""What is said of a record, made once: for failure pages, ``show``, HTML and exports.

Also the page of an item with several trials, and two conversations beside each other: they are
compared message by message until the first difference, by the keys of ``message_keys``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import zip_longest
from typing import Any, Final, NamedTuple

from pytest_toolsandbox.conversation.messages import Message
from pytest_toolsandbox.conversation.play import policy_in
from pytest_toolsandbox.gate.played import first_difference
from pytest_toolsandbox.language.protocol import find_protocol
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.output.usage_table import usage_words
from pytest_toolsandbox.records.record import ConversationRecord, Record, read_record
from pytest_toolsandbox.records.trials import SCORED, outcome_words, planned_trials, reason_words
from pytest_toolsandbox.runs.resuming import AnyTrial
from pytest_toolsandbox.text.error_text import cause_first
from pytest_toolsandbox.text.formatting import pluralize
from pytest_toolsandbox.text.redaction import redacted_line

from .forks import fork_sections
from .messages import (
    MessageView,
    message_keys,
    message_line,
    message_views,
    numbered_transcript,
    transcript,
    usage_notes,
)
from .shared_sections import reply_notes, with_findings
from .view import Notes, PageView, Section, section_lines
from .wording import shortened

_MOST_PARTINGS: Final = 3
_LETTERS: Final = ("A", "B")


class RecordView:
    """A record with the page that its protocol makes of it, and what ``forks`` of it say.

    ``own_text`` is the page of a failed conversation if its protocol makes only a text.
    """

    def __init__(self, record: Record, forks: Sequence[Record] = ()) -> None:
        self.record = record
        self.own_text: str | None = None
        page = self._page()
        self.page = replace(page, sections=(*fork_sections(record, forks), *page.sections))

    def _page(self) -> PageView:
        record = self.record
        if record["outcome"] in ("error", "inconclusive") or record["scores"] is None:
            differs = "\n".join(record.get("unrecorded", ()))
            parts = (Section(differs),) if differs else ()
            reason = redacted_line(reason_words(record))
            return PageView(reason, parts, with_findings(record, {}))
        try:
            protocol = find_protocol(record.get("protocol", ""))
        except KeyError:  # a user's own protocol, or version 1 of records, which lacks the field
            return PageView(record["outcome"], notes=with_findings(record, {}))
        page: PageView | None = protocol.view(record)
        if page is None:
            if record["outcome"] == "failed":
                self.own_text = protocol.page(record)
            verdict, *lines = (self.own_text or "passed").splitlines()
            parts = (Section("\n".join(lines)),) if lines else ()
            page = PageView(verdict, parts, with_findings(record, {}))
        return page

    @cached_property
    def messages(self) -> tuple[MessageView, ...]:
        """The messages one by one, with the notes about them."""
        return tuple(message_views(self.record, self.page.notes))

    @property
    def other_calls(self) -> list[str]:
        """Lines about calls of tools that are not the scenario's, if there were any."""
        lines = (f"  {name} {count}" for name, count in self.record.get("other_calls", {}).items())
        return [*_titled("calls of tools that are not the scenario's", lines)]

    @property
    def policy(self) -> str:
        """The policy that the agent was given; empty if it was given none."""
        prompts = (m.content for m in self.record["messages"] if m.sender is Role.SYSTEM)
        return next(filter(None, map(policy_in, prompts)), "")

    @property
    def setup(self) -> str:
        """The calls that prepared the world, as Python code; empty if there were none."""
        return ", ".join(self.record.get("setup", ()))

    def text(self, *, with_usage: bool = False) -> str:
        """Return the page: the verdict, what it rests on, and the conversation."""
        record, page, notes = self.record, self.page, self.page.notes or {}
        if with_usage:
            usage = usage_notes(record)
            notes = {at: [*usage.get(at, ()), *notes.get(at, ())] for at in {*usage, *notes}}
        summary = ("", shortened(record["summary"])) if record["summary"] else ()
        setup = ("", f"setup: {shortened(self.setup)}") if self.setup else ()
        policy = ("", f"policy: {shortened(self.policy)}") if self.policy else ()
        parts = (line for section in page.sections for line in section_lines(section))
        conversation = ("", "conversation", *transcript(record, notes))
        return "\n".join(
            (page.verdict, *summary, *setup, *policy, *parts, *conversation, *page.end)
        )


def failure_page(values: Mapping[str, Any]) -> str:
    """Return the page of a conversation that failed."""
    view = RecordView(read_record(values))
    return "\n".join([view.own_text or view.text(), *view.other_calls])


def error_page(reason: str, record: ConversationRecord) -> str:
    """Return the page of a conversation that could not be finished, if it had begun."""
    differs = ["", *record.get("unrecorded", ())] if "unrecorded" in record else []
    notes = {index: [note] for index, note in reply_notes(record)}
    lines = transcript(record, notes)
    return "\n".join([reason, *differs, *_titled("conversation so far", lines)])


class ItemPage(NamedTuple):
    """The page of an item, and a line for pytest's short summary that begins with the cause."""

    text: str
    cause: str


def trials_page(trials: Sequence[AnyTrial]) -> ItemPage:
    """Return the page of an item: errors first, passed trials last, equal pages once."""
    order = ("error", "inconclusive", "failed", "passed")
    numbers: dict[str, list[int]] = {}
    for trial in sorted(trials, key=lambda trial: order.index(trial.outcome)):
        numbers.setdefault(_trial_page(trial), []).append(trial.number)
    usage = (f"  {line}" for line in usage_words([trial.summary for trial in trials]))
    used = _titled("used", usage)
    cause = cause_first(next(iter(numbers)).partition("\n")[0])
    if len(trials) == 1:
        return ItemPage("\n".join([*numbers, *used]), cause)
    counts = Counter[str](trial.outcome for trial in trials)
    head = [
        f"{counts[outcome]} of {len(trials)} trials {what}"
        for outcome, what in (
            ("error", "could not be scored"),
            ("inconclusive", "had a user fault"),
            ("failed", "failed"),
        )
        if counts[outcome]
    ]
    plan = trials[0].of_trials
    if plan is not None and not plan["planned"] == plan["needed"] == len(trials):
        head.append(f"{plan['needed']} of {plan['planned']} must pass")
    parts = [f"{_trial_names(same)}: {text}" for text, same in numbers.items()]
    if parting := "\n".join(parting_lines(trials)):
        parts.append(parting)
    pages, counted = "\n\n".join(parts), ", ".join(head)
    return ItemPage("\n".join([f"{counted}; {pages}", *used]), f"{cause} ({counted})")


def undecided_page(trials: Sequence[AnyTrial]) -> ItemPage:
    """Return the page of an item whose stored trials are too few for a verdict."""
    planned, needed = planned_trials([trial.summary for trial in trials])
    passed = [trial.outcome for trial in trials].count("passed")
    count = f"{passed} of {pluralize(len(trials), 'stored trial')} passed"
    rule = f"{needed} of {planned} must; --sandbox-resume plays the others"
    line = f"undecided: {count}, {rule}"
    return ItemPage(f"{line}\n\n{trials_page(trials).text}", line)


def _trial_page(trial: AnyTrial) -> str:
    if trial.outcome == "passed":
        return "passed"
    if trial.reason is not None:
        return error_page(trial.reason, read_record(trial.record))
    return failure_page(trial.record)


def _titled(title: str, lines: Iterable[str]) -> Iterator[str]:
    """Yield an empty line, the title and the lines, if there are any."""
    listed = list(lines)
    if listed:
        yield from ("", title, *listed)


def _trial_names(numbers: Sequence[int]) -> str:
    return f"trial{'s' * (len(numbers) > 1)} {', '.join(map(str, numbers))}"


def parting_lines(trials: Sequence[AnyTrial]) -> list[str]:
    """Return where trials part from the first one that passed, or else from the first.

    Trials that part at the same message, and say the same there, share their lines. Trials without
    a score, which were not finished, are left out.
    """
    messages = {trial.number: trial.messages for trial in trials if trial.outcome in SCORED}
    if len(messages) <= 1:
        return []
    passed = [trial.number for trial in trials if trial.outcome == "passed"]
    first = passed[0] if passed else next(iter(messages))
    partings: dict[tuple[int, str, str], list[int]] = {}
    for number, other_messages in messages.items():
        if (at := _parting(messages[first], other_messages)) is not None:
            here, there = [*zip_longest(messages[first], other_messages)][at]
            key = at, message_line(here), message_line(there)
            partings.setdefault(key, []).append(number)
    lines: list[str] = []
    for (index, here, there), numbers in list(partings.items())[:_MOST_PARTINGS]:
        sides = {_trial_names([first]): here, _trial_names(numbers): there}
        width = max(map(len, sides))
        lines += [f"{' and '.join(sides)} part at [{index}]"]
        lines += [f"  {name:<{width}}  {line}" for name, line in sides.items()]
    left = len(partings) - _MOST_PARTINGS
    return [*lines, *[f"and {left} more ways"] * (left > 0)]


def _parting(first: Sequence[Message], second: Sequence[Message]) -> int | None:
    return first_difference(message_keys(first), message_keys(second))


def beside_text(first: Record, second: Record) -> str:
    """Return what is said of two records, what both conversations say, and then each of them."""
    views = dict(zip(_LETTERS, map(RecordView, (first, second)), strict=True))
    lines: list[str] = []
    for letter, view in views.items():
        record, page = view.record, view.page
        name, agent = redacted_line(record["id"]), redacted_line(record["agent"])
        outcome = outcome_words(record["outcome"])
        lines += [f"{letter}  {name}  trial {record['trial']}  {agent}  {outcome}"]
        lines += [page.verdict, *(line for part in page.sections for line in section_lines(part))]
        lines += [""]
    at = _parting(first["messages"], second["messages"])
    prompts = [message.content for message in (first["messages"][:1] + second["messages"][:1])]
    if len(set(prompts)) > 1:
        lines += ["their system prompts differ", ""]
    if at is None:
        return "\n".join([*lines, "both say the same", *transcript(first)])
    lines += ["what both say", *_lines_in(first, range(at)), "", f"they part at [{at}]"]
    for letter, view in views.items():
        lines_after = _lines_in(
            view.record, range(at, len(view.record["messages"])), view.page.notes
        )
        lines += ["", f"{letter} goes on", *(lines_after or ["  nothing more"])]
    return "\n".join(lines)


def _lines_in(record: Record, places: range, notes: Notes | None = None) -> list[str]:
    return [line for index, line in numbered_transcript(record, notes) if index in places]
