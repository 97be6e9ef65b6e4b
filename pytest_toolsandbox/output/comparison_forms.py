"""A comparison as plain text, and as Markdown that fits where it is shown.

A comparison as plain JSON values, for other programs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from pytest_toolsandbox.gate.samples import estimates
from pytest_toolsandbox.gate.verdict import Change, Verdict

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
from .tables import DIGITS
from .verdict_lines import figures, left_out, part_lines, pass_rates, verdict_sentence

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


def comparison_json(verdict: Verdict) -> dict[str, Any]:
    """Return all that is known of a comparison; figures are rounded, and shares from 0 to 1."""
    pairing = verdict.pairing
    known: dict[str, Any] = {
        "verdict": verdict.kind,
        "why": verdict_sentence(verdict),
        "margin": verdict.margin,
        "levels": verdict.levels._asdict(),
        "missing": pairing.missing,
        "scenarios": len(verdict.strata),
        "not_compared": {
            name: list(getattr(pairing, name))
            for name in ("changed", "new", "absent", "quarantined")
        },
        **(_figures(verdict) if verdict.strata else {}),
        "costs": _rows(changed_costs(pairing)),
        "findings": _rows(changed_findings(pairing)),
        "setup": _rows(changed_setup(pairing)),
        "prompt_diff": prompt_diff(pairing),
        "estimates": [one._asdict() for one in estimates(pairing.candidate)],
    }
    rounded: dict[str, Any] = _rounded(known)
    return rounded


def _figures(verdict: Verdict) -> dict[str, Any]:
    before, now = pass_rates(verdict.strata)
    return {
        "pass_rate": {"before": before, "now": now},
        "drop": {"found": verdict.model.found, **verdict.interval._asdict()},
        "p": verdict.tails._asdict(),
        "p_of_scenarios_like_these": verdict.tails_of_others._asdict(),
        "score": verdict.scores._asdict() if verdict.scores else None,
        "critical_broken": list(verdict.broken_critical),
        "broken": list(map(_change, verdict.broken)),
        "mended": list(map(_change, verdict.mended)),
        "groups": [one._asdict() for one in verdict.groups],
    }


def _change(one: Change) -> dict[str, Any]:
    further = one.further and one.further._asdict()
    return {**one._asdict(), "stratum": one.stratum._asdict(), "further": further}


def _rows(parts: Iterable[Part]) -> list[dict[str, str]]:
    return [
        dict(zip(("name", *part.rows[0][1:]), row, strict=True))
        for part in parts
        for row in part.rows[1:]
    ]


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, DIGITS)
    if hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, dict):
        return {name: _rounded(one) for name, one in value.items()}
    is_list = isinstance(value, Sequence) and not isinstance(value, str)
    return [_rounded(one) for one in value] if is_list else value
