"""A comparison in the forms in which it is shown: text, Markdown, JSON, properties of JUnit XML."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from textwrap import wrap
from typing import Any, Final

from pytest_toolsandbox.gate.samples import estimates
from pytest_toolsandbox.gate.verdict import Verdict

from .comparison_tables import (
    changed_costs,
    changed_findings,
    changed_setup,
    comparison_tables,
    prompt_diff,
    short_names,
    telling_tables,
    with_names,
)
from .tables import DIGITS, TitledTable, markdown_table, plain_markdown, table_lines
from .verdict_words import (
    not_compared,
    pass_rates,
    verdict_figures,
    verdict_sentence,
    where_it_fell,
)

MARKER: Final = "<!-- toolsandbox compare -->"
"""Marks the comment on a pull request that is to be replaced."""
MARKS: Final[Mapping[str, str]] = {
    "worse": "❌",
    "inconclusive": "❔",
    "no worse": "✅",
    "better": "✅",
}
_MOST_ROWS: Final = 40
_MOST_ROWS_IN_TERMINAL: Final = 10
_MOST_LUCKY_ROWS: Final = 5
_TAIL: Final = 80
"""Characters for the line that says what was left out."""
_HEAD: Final = 1024
"""Characters of a verdict in Markdown."""
_WIDTH: Final = 80
_NO_BREAK: Final = "\N{NO-BREAK SPACE}"
_FIGURES: Final = re.compile(r"\S+ -> .*")


def verdict_lines(verdict: Verdict) -> list[str]:
    """Return the sentence, where it fell, and its figures, as lines of the terminal."""
    figures = (f"  {line}" for line in verdict_figures(verdict))
    return [*sentence_lines(verdict), *_where_lines(verdict), *figures]


def _where_lines(verdict: Verdict) -> list[str]:
    """Return where the pass rate fell in lines of 80 columns, none of which ends within a part."""
    parts = "; ".join(map(_unbroken, where_it_fell(verdict)))
    lines = wrap(parts, _WIDTH, initial_indent="  ", subsequent_indent="  ")
    return [line.replace(_NO_BREAK, " ") for line in lines]


def _unbroken(part: str) -> str:
    """Return a part that no line end breaks; of one that is longer than a line, its figures."""
    whole = part.replace(" ", _NO_BREAK)
    if len(part) + len("  ;") <= _WIDTH:
        return whole
    return _FIGURES.sub(lambda match: match[0].replace(" ", _NO_BREAK), part)


def sentence_lines(verdict: Verdict) -> list[str]:
    """Return the sentence, with what would decide in further lines."""
    first, *remedies = verdict_sentence(verdict).split("; ")
    lines = [first, *(f"  {part}" for part in remedies)]
    return [f"{line};" for line in lines[:-1]] + lines[-1:]


def change_lines(verdict: Verdict) -> list[str]:
    """Return what changed, and what was not compared, as lines of the terminal."""
    costs = changed_costs(verdict.pairing) if verdict.strata else ()
    names = short_names(verdict.pairing.strata)
    lines: list[str] = []
    for table in (*(with_names(each, names) for each in telling_tables(verdict)), *costs):
        most = _MOST_LUCKY_ROWS if table.may_be_luck else _MOST_ROWS_IN_TERMINAL
        lines += table_lines(table, most)
    return [f"  {line}" for line in (*lines, *not_compared(verdict))]


def verdict_facts(verdict: Verdict) -> list[str]:
    """Return the sentence, the figures, and what was not compared: all that is no table."""
    return [verdict_sentence(verdict), *verdict_figures(verdict), *not_compared(verdict)]


def verdict_properties(verdict: Verdict, prefix: str) -> dict[str, object]:
    """Return the verdict as properties of a suite, whose names begin with ``prefix``."""
    known: dict[str, object] = {prefix: verdict.kind, f"{prefix}.why": verdict_sentence(verdict)}
    if not verdict.strata:
        return known
    before, now = pass_rates(verdict.strata)
    figures = {
        "pass_rate": now,
        "pass_rate.before": before,
        "drop": verdict.pairing.model.observed,
        "drop.low": verdict.interval.low,
        "drop.high": verdict.interval.high,
        "margin": verdict.margin,
        "p": verdict.pairing.tails.worse,
    }
    return known | {f"{prefix}.{name}": round(v, DIGITS) for name, v in figures.items()}


def comparison_text(baseline: str, name: str, verdict: Verdict) -> str:
    """Return a comparison as plain text."""
    left_out = (f"  {line}" for line in not_compared(verdict))
    lines = [f"{name} beside {baseline}", *verdict_lines(verdict), *left_out]
    for table in comparison_tables(verdict):
        lines += ["", *table_lines(table, _MOST_ROWS)]
    if diff := prompt_diff(verdict.pairing):
        lines += ["", "the prompt", *(f"  {line}" for line in diff)]
    return "\n".join(lines)


def comparison_markdown(baseline: str, verdicts: Mapping[str, Verdict], limit: int) -> str:
    """Return comparisons as Markdown of at most ``limit`` characters.

    All verdicts come first, within a kilobyte of each; then what changed, as far as it fits.
    """
    text = "\n".join([MARKER, *(_head(baseline, name, v) for name, v in verdicts.items())])
    sections = [section for name, v in verdicts.items() for section in _sections(name, v)]
    for place, section in enumerate(sections):
        if len(text) + len(section) + _TAIL > limit:
            left = len(sections) - place
            return f"{text}\n{left} more sections: see the text of the comparison\n"
        text += f"\n{section}\n"
    return text


def _head(baseline: str, name: str, verdict: Verdict) -> str:
    sentence, *facts = verdict_facts(verdict)
    sentence, *facts = map(plain_markdown, [sentence, *where_it_fell(verdict), *facts])
    about = f"`{name}` beside `{baseline}`"
    head = [f"### {MARKS[verdict.kind]} {sentence}", "", about, "", *(f"- {f}" for f in facts)]
    return "\n".join(head)[:_HEAD]


def _sections(name: str, verdict: Verdict) -> Iterator[str]:
    yield from map(_section, comparison_tables(verdict))
    if diff := prompt_diff(verdict.pairing):
        fence = "`" * (3 + max(line.count("`") for line in diff))
        yield "\n".join([f"#### the prompt ({name})", "", f"{fence}diff", *diff, fence])


def _section(table: TitledTable) -> str:
    left = len(table.rows) - _MOST_ROWS
    text = markdown_table(table.headings, table.rows[:_MOST_ROWS], table.words)
    return f"#### {table.title}\n\n{text}" + f"\n\nand {left} more" * (left > 0)


def changed_sections(verdict: Verdict) -> list[str]:
    """Return what changed, the most telling first, as sections in Markdown."""
    names = short_names(verdict.pairing.strata)
    return [_section(with_names(table, names)) for table in telling_tables(verdict)]


def comparison_json(verdict: Verdict) -> dict[str, Any]:
    """Return a comparison as JSON values; figures are rounded, and shares from 0 to 1."""
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
        "estimates": [estimate._asdict() for estimate in estimates(pairing.candidate)],
    }
    rounded: dict[str, Any] = _rounded(known)
    return rounded


def _figures(verdict: Verdict) -> dict[str, Any]:
    before, now = pass_rates(verdict.strata)
    return {
        "pass_rate": {"before": before, "now": now},
        "drop": {"found": verdict.pairing.model.observed, **verdict.interval._asdict()},
        "p": verdict.pairing.tails._asdict(),
        "p_of_scenarios_like_these": verdict.tails_of_others._asdict(),
        "score": verdict.scores._asdict() if verdict.scores else None,
        "critical_broken": list(verdict.broken_critical),
        "broken": [change._asdict() for change in verdict.broken],
        "mended": [change._asdict() for change in verdict.mended],
        "groups": [group._asdict() for group in verdict.groups],
    }


def _rows(tables: Iterable[TitledTable]) -> list[dict[str, str]]:
    return [
        dict(zip(("name", *table.headings[1:]), row, strict=True))
        for table in tables
        for row in table.rows
    ]


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, DIGITS)
    if hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, dict):
        return {name: _rounded(part) for name, part in value.items()}
    is_list = isinstance(value, Sequence) and not isinstance(value, str)
    return [_rounded(part) for part in value] if is_list else value
