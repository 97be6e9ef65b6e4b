"""A comparison as plain text, and as Markdown that fits where it is shown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from pytest_toolsandbox.gate.verdict import Verdict

from . import markdown
from .comparison import (
    Part,
    changed_costs,
    changed_findings,
    changed_groups,
    changed_scenarios,
    changed_setup,
    estimate_parts,
    prompt_diff,
)
from .markdown import plain
from .verdict_lines import figures, left_out, part_lines, verdict_sentence

MARKER: Final = "<!-- toolsandbox compare -->"
"""What a comment is found by that is to be written anew."""
MARKS: Final[Mapping[str, str]] = {
    "worse": "❌",
    "inconclusive": "❔",
    "no worse": "✅",
    "better": "✅",
}
_SHOWN: Final = 40
"""Rows of a table in Markdown."""
_TAIL: Final = 80
"""Characters for the line that says what was left out."""


def parts_of(verdict: Verdict) -> Iterator[Part]:
    """Yield all that is said below a verdict, the most telling first."""
    pairing = verdict.pairing
    if verdict.strata:
        yield from changed_scenarios(verdict)
        yield from changed_groups(verdict)
    yield from changed_findings(pairing)
    yield from changed_costs(pairing)
    yield from changed_setup(pairing)
    yield from estimate_parts(pairing.candidate)


def comparison_text(baseline: str, name: str, verdict: Verdict) -> str:
    """Return a comparison as plain text."""
    lines = [f"{name} beside {baseline}", verdict_sentence(verdict)]
    if verdict.strata:
        lines += [f"  {line}" for line in figures(verdict)]
    lines += [f"  {line}" for line in left_out(verdict)]
    for part in parts_of(verdict):
        lines += ["", *part_lines(part, _SHOWN)]
    if diff := prompt_diff(verdict.pairing):
        lines += ["", "the prompt", *(f"  {line}" for line in diff)]
    return "\n".join(lines)


def comparison_markdown(baseline: str, verdicts: Mapping[str, Verdict], limit: int) -> str:
    """Return comparisons as Markdown of at most ``limit`` characters.

    All verdicts come first, within a kilobyte of each; then what changed, as far as it fits.
    """
    text = "\n".join([MARKER, *(_first_tier(baseline, n, v) for n, v in verdicts.items())])
    blocks = [block for name, one in verdicts.items() for block in _blocks(name, one)]
    for place, block in enumerate(blocks):
        if len(text) + len(block) + _TAIL > limit:
            return f"{text}\n{len(blocks) - place} more sections: see the text of the comparison\n"
        text += f"\n{block}\n"
    return text


def _first_tier(baseline: str, name: str, verdict: Verdict) -> str:
    head = f"### {MARKS[verdict.kind]} {plain(verdict_sentence(verdict))}"
    about = f"`{name}` beside `{baseline}`"
    lines = figures(verdict) if verdict.strata else ()
    told = [f"- {plain(line)}" for line in (*lines, *left_out(verdict))]
    return "\n".join([head, "", about, "", *told])[:1024]


def _blocks(name: str, verdict: Verdict) -> Iterator[str]:
    for part in parts_of(verdict):
        yield section(part)
    if diff := prompt_diff(verdict.pairing):
        fence = "`" * (3 + max(line.count("`") for line in diff))
        yield "\n".join([f"#### the prompt ({name})", "", f"{fence}diff", *diff, fence])


def section(part: Part) -> str:
    """Return a part as Markdown: its title, and its table."""
    return f"#### {part.title}\n\n{_table(part)}"


def changed_sections(verdict: Verdict) -> list[str]:
    """Return what changed of scenarios and groups of them as Markdown."""
    if not verdict.strata:
        return []
    return [section(one) for one in (*changed_scenarios(verdict), *changed_groups(verdict))]


def _table(part: Part) -> str:
    headings, *rows = part.rows
    table = markdown.table(headings, rows[:_SHOWN], part.words)
    more = len(rows) - _SHOWN
    return f"{table}\n\nand {more} more" if more > 0 else table
