"""A run in a few kilobytes of Markdown: ``--sandbox-brief``, and the summary of a step of CI.

The brief is for a coding agent or a person in a hurry: the verdict, then for each scenario that did
not pass its place, the nearest miss, and one command that plays it again. The step summary has the
verdict, a row for each scenario that did not pass, and the figures.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from pytest_toolsandbox.output.pages.record_view import failure_page
from pytest_toolsandbox.records.record import Summary
from pytest_toolsandbox.records.trials import (
    Counts,
    failed_counts,
    outcome_words,
    played_items,
    reason_words,
    verdict,
)
from pytest_toolsandbox.text.formatting import pluralize, truncate
from pytest_toolsandbox.text.redaction import redacted, redacted_line

from .comparison_forms import MARKS
from .error_table import judged_items, mistakes, most_frequent, spelled_out
from .tables import markdown_cell, markdown_row, markdown_table, plain_markdown
from .totals import MEAN_SCORE, summary_table

LIMIT: Final = 8000
"""Bytes of a brief."""
_TAIL: Final = 200
"""Bytes for the line that says how many are left out."""
_MOST_LINES: Final = 10
_MOST_VERDICT_LINES: Final = 30
_WIDTH: Final = 220
_CONVERSATION: Final = "conversation"


class Missed(NamedTuple):
    """An item that did not pass: its id, its ``place`` as file and line, and its first such record.

    The record is whole if the run kept it whole, else a summary. ``again`` is the command that
    plays it again.
    """

    id: str
    place: str
    record: Mapping[str, Any]
    again: str


def brief(records: Iterable[Summary], missed: Sequence[Missed], decided: Sequence[str]) -> str:
    """Return the brief of a run; ``decided`` has the lines of its verdict or of other gates."""
    items = played_items(records)
    passed = sum(verdict(trials) == "passed" for trials in items)
    head = [f"# {passed} of {pluralize(len(items), 'scenario')} passed", ""]
    if decided:
        lines = (truncate(line, _WIDTH) for line in decided[:_MOST_VERDICT_LINES])
        head += ["```text", *lines, "```", ""]
    text = "\n".join(head).encode()[: LIMIT // 2].decode("utf-8", "ignore")
    for place, item in enumerate(missed):
        entry = _entry(item)
        if len((text + entry).encode()) > LIMIT - _TAIL:
            left = pluralize(len(missed) - place, "more scenario")
            return f"{text}\n{left} did not pass: pytest --lf plays them again\n"
        text += f"\n{entry}"
    return text


def _entry(item: Missed) -> str:
    record = item.record
    lines = [truncate(line, _WIDTH) for line in _reason_lines(record)[:_MOST_LINES]]
    again = f"    {item.again}"
    return "\n".join([f"## {item.id}", f"at {item.place}", "```text", *lines, "```", again, ""])


def _reason_lines(record: Mapping[str, Any]) -> list[str]:
    if record["outcome"] != "failed" or "messages" not in record:
        return [reason_words(record)]
    page = failure_page(record).splitlines()
    above = page[: page.index(_CONVERSATION)] if _CONVERSATION in page else page
    return [line for line in above if line.strip()]


STEP_SUMMARY_LIMIT: Final = 100_000
"""Bytes. GitHub drops a step's summary that has more than 1024 kB."""
_WORST: Final = ("error", "failed", "inconclusive")
_VERDICT: Final = "baseline: "
_STEP_SUMMARY_TAIL: Final = 80
"""Bytes for the line that says how many are left out."""
Link = Callable[[str], str | None]


def step_summary(  # noqa: PLR0913  # all that it shows
    records: Sequence[Summary],
    why: Mapping[str, str],
    link: Link,
    *,
    remarks: Sequence[str] = (),
    sections: Sequence[str] = (),
    broken: Sequence[str] = (),
    limit: int = STEP_SUMMARY_LIMIT,
) -> str:
    """Return Markdown of at most ``limit`` bytes: what did not pass comes before the figures.

    ``why`` maps the ids of items to a line that says why they did not pass, ``link`` their ids to
    where their file is shown. The ``sections``, in Markdown, take half of the bytes at most. Of
    what did not pass, ``broken`` items come first, then those with the worst scores.
    """
    items = {trials[0]["id"]: trials for trials in played_items(records)}
    outcomes = {name: verdict(trials) for name, trials in items.items()}
    places = {name: place for place, name in enumerate(broken)}

    def rank(name: str) -> tuple[int, int, float, str]:
        score = MEAN_SCORE.value([items[name]])
        place = places.get(name, len(places))
        return _WORST.index(outcomes[name]), place, score or 0.0, name

    missed = sorted((name for name in outcomes if outcomes[name] in _WORST), key=rank)
    if frequent := most_frequent(mistakes(judged_items(records))):
        sections = [*sections, "\n".join(["#### most frequent mistakes", "", *_listed(frequent)])]
    texts = spelled_out([*remarks, *sections])
    remarks, sections = texts[: len(remarks)], texts[len(remarks) :]
    text = "\n".join([*_head([*outcomes.values()], remarks, failed_counts(records)), ""])
    for section in map(redacted, sections):
        if len(f"{text}{section}".encode()) < limit // 2:
            text += f"\n{section}\n"
    table = summary_table(records)
    means = markdown_table(table.headings, [row for row in table.rows()[1:] if row])
    figures = f"#### means by category\n\n{means}"
    rows = [_row(outcomes[name], name, why.get(name, ""), link) for name in missed]
    if rows:
        head = [markdown_row(cells) for cells in (("outcome", "scenario", "why"), ("---",) * 3)]
        text += "\n".join(["", "#### what did not pass", "", *head, ""])
    for place, row in enumerate(rows):
        if len((text + row).encode()) + len(figures.encode()) + _STEP_SUMMARY_TAIL > limit:
            text += f"\nand {len(rows) - place} more, which the terminal's summary names\n"
            break
        text += f"{row}\n"
    return f"{text}\n{figures}\n"


def _listed(lines: Iterable[str]) -> list[str]:
    return [f"- {plain_markdown(redacted_line(line))}" for line in lines]


def _head(outcomes: Sequence[str], remarks: Sequence[str], failed: Counts) -> list[str]:
    """Return a heading and a list of remarks; the heading is the verdict, if there is one."""
    counts = [
        f"{outcomes.count(kind)} {outcome_words(kind)}" for kind in _WORST if kind in outcomes
    ]
    missed, scenarios = sum(map(outcomes.count, _WORST)), pluralize(len(outcomes), "scenario")
    passed = f"✅ {scenarios} passed"
    head = f"❌ {missed} of {scenarios} did not pass: {', '.join(counts)}" if missed else passed
    if failed.all_trials != failed.first:
        head = f"{head} {failed.words}"
    items = _listed(remarks)
    if remarks and remarks[0].startswith(_VERDICT):
        verdict = remarks[0].removeprefix(_VERDICT)
        mark = MARKS.get(verdict.partition(":")[0], "❌")
        head, items[0] = f"{mark} {plain_markdown(redacted_line(verdict))}", f"- {head[2:]}"
    return [f"### {head}", "", *items]


def _row(outcome: str, name: str, why: str, link: Link) -> str:
    shown = markdown_cell(redacted_line(name.partition("::")[2] or name))
    target = link(name)
    linked = f"[{shown}]({target})" if target else shown
    return markdown_row((outcome_words(outcome), linked, markdown_cell(redacted_line(why))))
