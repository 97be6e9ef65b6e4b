"""A run in 8 kB, for a coding agent or a person in a hurry: what fails, where, and how to see it.

It is Markdown: the verdict, then for each scenario that did not pass its place, the nearest miss
and one command that plays it again.

The summary of a step of CI in Markdown: the verdict, what did not pass, and the figures.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from pytest_toolsandbox.output.pages.record_view import failure_page
from pytest_toolsandbox.records.reading import without_agent
from pytest_toolsandbox.records.record import Summary
from pytest_toolsandbox.records.trials import played_items, verdict
from pytest_toolsandbox.text.formatting import pluralize, truncate
from pytest_toolsandbox.text.redaction import redacted, redacted_line

from .comparison_forms import MARKS
from .tables import markdown_cell, markdown_row, markdown_table, plain_markdown
from .totals import summary_table

LIMIT: Final = 8000
"""Bytes of the whole."""
_TAIL: Final = 200
"""Bytes for what is left out."""
_LINES: Final = 10
_WIDTH: Final = 220
_CONVERSATION: Final = "conversation"


class Missed(NamedTuple):
    """An item that did not pass: its id, its ``place`` as file and line, and its first such record.

    A record is whole where the run kept it whole, else a summary.
    """

    id: str
    place: str
    record: Mapping[str, Any]


def brief(records: Iterable[Summary], missed: Sequence[Missed], told: Sequence[str]) -> str:
    """Return the brief of a run; ``told`` are the lines of its verdict or of other gates."""
    items = played_items(records)
    ids = {one.id for one in missed}
    passed = sum(trials[0]["id"] not in ids for trials in items)
    head = [
        f"# {passed} of {pluralize(len(items), 'scenario')} passed",
        "",
        *(["```text", *(truncate(line, _WIDTH) for line in told[:30]), "```", ""] if told else []),
    ]
    text = _cut_bytes("\n".join(head), LIMIT // 2)
    for place, one in enumerate(missed):
        entry = _entry(one)
        if len((text + entry).encode()) > LIMIT - _TAIL:
            more = pluralize(len(missed) - place, "more scenario")
            return f"{text}\n{more} did not pass: pytest --lf plays them again\n"
        text += f"\n{entry}"
    return text


def _entry(one: Missed) -> str:
    lines = [truncate(line, _WIDTH) for line in _why(one.record)[:_LINES]]
    agent = one.record["agent"]
    option = "" if agent in ("fixture", "unknown") else f" --agent={shlex.quote(agent)}"
    alone = without_agent(one.id, (one.record.get("agent_settings") or {}).get("label"))
    judge = one.record.get("judge")
    option += f" --sandbox-judge={shlex.quote(judge)}" if judge else ""
    again = f"    pytest {shlex.quote(alone)}{option}"
    return "\n".join([f"## {one.id}", f"at {one.place}", "```text", *lines, "```", again, ""])


def _why(record: Mapping[str, Any]) -> list[str]:
    if record["outcome"] != "failed" or "messages" not in record:
        return [record["reason"] or record["outcome"]]
    page = failure_page(record).splitlines()
    above = page[: page.index(_CONVERSATION)] if _CONVERSATION in page else page
    return [line for line in above if line.strip()]


def _cut_bytes(text: str, limit: int) -> str:
    return text.encode()[:limit].decode("utf-8", "ignore")


STEP_SUMMARY_LIMIT: Final = 100_000
"""Bytes: a step of GitHub's may have 1024 kB, and loses all of it where it has more."""
_WORST: Final = ("error", "failed", "inconclusive")
_VERDICT: Final = "baseline: "
_STEP_SUMMARY_TAIL: Final = 80
"""Bytes for the line that says how many are left out."""
Link = Callable[[str], str | None]


class Told(NamedTuple):
    """What a session tells below its verdict: lines, and sections in Markdown."""

    lines: Sequence[str] = ()
    sections: Sequence[str] = ()


NOTHING: Final = Told()


def step_summary(
    records: Sequence[Summary],
    why: Mapping[str, str],
    link: Link,
    told: Told = NOTHING,
    limit: int = STEP_SUMMARY_LIMIT,
) -> str:
    """Return Markdown of at most ``limit`` bytes: what did not pass comes before the figures.

    ``why`` maps the ids of items to a line that says why they did not pass, ``link`` their ids to
    where their file is shown. Sections of what is ``told`` take half of the bytes at most.
    """
    outcomes = {trials[0]["id"]: verdict(trials) for trials in played_items(records)}
    missed = [name for kind in _WORST for name, one in outcomes.items() if one == kind]
    counts = [f"{one} {kind}" for kind in _WORST if (one := [*outcomes.values()].count(kind))]
    of = pluralize(len(outcomes), "scenario")
    bad = f"### ❌ {len(missed)} of {of} did not pass: {', '.join(counts)}"
    head = bad if missed else f"### ✅ {of} passed"
    lines = [head, "", *(f"- {plain_markdown(redacted_line(one))}" for one in told.lines)]
    if told.lines and told.lines[0].startswith(_VERDICT):  # failures are weighed by it
        first = told.lines[0].removeprefix(_VERDICT)
        mark = MARKS.get(first.partition(":")[0], "❌")
        lines[0], lines[2] = f"### {mark} {plain_markdown(redacted_line(first))}", f"- {head[6:]}"
    found = summary_table(records)
    figures = markdown_table(found.headings, [one for one in found.rows()[1:] if one])
    for section in map(redacted, told.sections):
        if len("\n".join([*lines, section]).encode()) < limit // 2:
            lines += ["", section]
    rows = [_row(outcomes[name], name, why.get(name, ""), link) for name in missed]
    return _fitting(lines, rows, figures, limit)


def _fitting(lines: Sequence[str], rows: Sequence[str], figures: str, limit: int) -> str:
    text = "\n".join([*lines, ""])
    if rows:
        text += f"\n{markdown_row(('outcome', 'scenario', 'why'))}\n{markdown_row(('---',) * 3)}\n"
    for place, one in enumerate(rows):
        if len((text + one).encode()) + len(figures.encode()) + _STEP_SUMMARY_TAIL > limit:
            text += f"\nand {len(rows) - place} more, which the terminal's summary names\n"
            break
        text += f"{one}\n"
    return f"{text}\n{figures}\n"


def _row(outcome: str, name: str, why: str, link: Link) -> str:
    shown = markdown_cell(redacted_line(name.partition("::")[2] or name))
    target = link(name)
    linked = f"[{shown}]({target})" if target else shown
    return markdown_row((outcome, linked, markdown_cell(redacted_line(why))))
