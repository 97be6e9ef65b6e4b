"""The summary that ends a run in the terminal: tables, lines about judges, and remarks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final

from pytest_toolsandbox.models.aliases import NO_JUDGE
from pytest_toolsandbox.models.finish_reasons import CUT_OFF
from pytest_toolsandbox.records.record import Summary
from pytest_toolsandbox.records.trials import by_item, verdict
from pytest_toolsandbox.scoring.results import OPINIONS
from pytest_toolsandbox.scoring.words import UNREAD
from pytest_toolsandbox.text.formatting import pluralize
from pytest_toolsandbox.text.redaction import redacted_line

from .error_table import error_lines
from .robustness_table import robustness_lines
from .tables import aligned, joined_tables
from .tooltalk_table import call_lines
from .totals import summary_table
from .usage_table import usage_lines
from .user_tables import user_lines

_MOST_CRITERIA: Final = 5
FIXTURE: Final = "fixture"
"""Stands in records for the name of an agent that a conftest's fixture gives."""


def all_tables(records: Sequence[Summary], *, is_verbose: bool = False) -> list[str]:
    """Return the tables of a run, one below the other; ``is_verbose`` also those without errors."""
    errors = partial(error_lines, always=is_verbose)
    tables = (
        *(call_lines, errors, summary_lines, robustness_lines),
        *(usage_lines, user_lines, judge_lines),
    )
    return joined_tables(lines(records) for lines in tables)


def summary_lines(records: Sequence[Summary]) -> list[str]:
    """Return the table of means per category and overall; empty without records."""
    return aligned(summary_table(records).rows())


def judge_lines(records: Sequence[Summary]) -> list[str]:
    """Return how often a judge was asked and what it found; empty without a judge."""
    models = dict.fromkeys(record["judge"] for record in records if "judge" in record)
    models.pop(NO_JUDGE, None)
    if not models:
        return [*_unjudged(records)]
    asked = [record for record in records if "opinion" in record]
    verdicts = Counter(record["opinion"]["verdict"] for record in asked)
    counts = ", ".join(f"{verdicts[name]} {name}" for name in OPINIONS)
    share = f"{len(asked)} of {pluralize(len(records), 'conversation')}"
    line = f"judge: {', '.join(models)} judged {share}: {counts}"
    return [line, *_unjudged(records), *_unmet_criteria(asked)]


def _unmet_criteria(asked: Sequence[Summary]) -> Iterator[str]:
    """Yield a line for each criterion that was not met, with how often it was not."""
    criteria = [each for record in asked for each in record["opinion"].get("criteria", ())]
    checked = Counter(each["criterion"] for each in criteria)
    unmet = Counter(each["criterion"] for each in criteria if not each["met"])
    for criterion, count in unmet.most_common(_MOST_CRITERIA):
        yield f"judge: not met in {count} of {checked[criterion]}: {redacted_line(criterion)}"


def _unjudged(records: Sequence[Summary]) -> Iterator[str]:
    """Yield how many conversations got no opinion, and how to judge them without the agent."""
    # Without a cause, the stored conversation does not fit the scenario: asking again is no use.
    if lost := sum(
        bool(record.get("unjudged") and record.get("cause", "judge")) for record in records
    ):
        remedy = "--sandbox-rejudge asks again, of what --sandbox-results has kept"
        yield f"judge: {pluralize(lost, 'conversation')} could not be judged; {remedy}"


def words_lines(records: Sequence[Summary]) -> list[str]:
    """Return how many passed items no judge has read; empty if there are none."""
    share = _unread_share(by_item(records))
    return [f"words: {share} unread; --sandbox-judge=MODEL (docs/judge.md)"] if share else []


def unread_remark(items: Iterable[Sequence[Summary]]) -> list[str]:
    """Return the remark beside a verdict that passed items were not read; empty with a judge."""
    share = _unread_share(t for t in items if all(r.get("judge", NO_JUDGE) == NO_JUDGE for r in t))
    why = "so a false report may have passed; --sandbox-judge=MODEL reads them"
    return [f"words: {share} unread, {why}"] if share else []


def _unread_share(items: Iterable[Sequence[Summary]]) -> str:
    passed = [trials for trials in items if verdict(trials) == "passed"]
    unread = sum(any(trial.get("words") in UNREAD for trial in trials) for trials in passed)
    return f"{unread} of {pluralize(len(passed), 'passed item')}" if unread else ""


_WHOSE: Final = {
    "agent": "of",
    "user": "of the user in",
    "reviewer": "of the reviewer in",
    "judge": "of the judge in",
}
"""Asker → what a line says between its replies and the items."""


def reply_lines(records: Sequence[Summary]) -> Iterator[str]:
    """Yield how many replies were cut off at the token limit, by asker, and how many are empty."""
    reasons: Any = [(record["id"], record.get("finish_reasons", {})) for record in records]
    for asker, whose in _WHOSE.items():
        counts = [(name, by_asker.get(asker, {}).get(CUT_OFF, 0)) for name, by_asker in reasons]
        yield from _replies("cut off at the token limit", whose, counts)
    empty = [(record["id"], record["counts"].get("empty_replies", 0)) for record in records]
    yield from _replies("empty", "of", empty)


def _replies(what: str, whose: str, counts: Sequence[tuple[str, int]]) -> Iterator[str]:
    """Yield how many replies of how many items, by the items' ids, are so, if there are any."""
    if total := sum(count for _, count in counts):
        items = pluralize(len({name for name, count in counts if count}), "item")
        yield f"{what}: {total} {'reply' if total == 1 else 'replies'} {whose} {items}"


def remarks(
    records: Sequence[Summary], named: str | None, unread_files: int, skipped: Mapping[str, int]
) -> Iterator[str]:
    """Yield what the tables do not count, and whether another agent than ``named`` played."""
    played = {record["id"] for record in records if record.get("agent") == FIXTURE}
    if named is not None and played:
        items = pluralize(len(played), "item")
        yield f"the fixture 'agent' of a conftest.py played {items}, not --agent={named}"
    other_calls = sum(
        (Counter(record.get("other_calls", {})) for record in records), Counter[str]()
    )
    if other_calls:
        named_calls = ", ".join(f"{name} {count}" for name, count in sorted(other_calls.items()))
        yield f"calls of tools that are no scenario's, which nothing here sees: {named_calls}"
    yield from reply_lines(records)
    if unread_files:
        files = pluralize(unread_files, "scenario file")
        whose = "its" if unread_files == 1 else "their"
        yield f"{files} could not be read: {whose} scenarios are not counted"
    if without_agent := skipped["without agent"]:
        yield f"{pluralize(without_agent, 'scenario')} skipped without an agent: give --agent=NAME"
    if without_record := skipped["without record"]:
        items = pluralize(without_record, "item")
        yield f"{items} skipped without a stored conversation: -rs tells why"


def resumed(counts: Mapping[str, int], file: object) -> Iterator[str]:
    """Yield how many items were ``kept`` from ``file`` or have ``changed`` and were played again.

    Conversations that were only ``judged`` are counted as well.
    """
    if kept := counts["kept"]:
        yield f"resume: {pluralize(kept, 'item')} not played, but told from {file}"
    if judged := counts["judged"]:
        yield f"resume: {pluralize(judged, 'conversation')} of {file} judged, and not held again"
    if changed := counts["changed"]:
        items = pluralize(changed, "item")
        yield f"resume: {items} played again, whose scenario, tools or world are others now"


def in_turn_lines(reasons: Mapping[str, int]) -> Iterator[str]:
    """Yield how many items were not played ahead, but one at a time, and why."""
    count = sum(reasons.values())
    if count <= 1:  # nothing to be played beside it
        return
    ordered = sorted(reasons.items(), key=lambda pair: (-pair[1], pair[0]))
    why = "; ".join(f"{reason} ({number})" for reason, number in ordered)
    yield f"{pluralize(count, 'item')} could not be played ahead, but one at a time: {why}"
