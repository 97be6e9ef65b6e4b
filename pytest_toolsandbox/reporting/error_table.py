"""The error patterns of a run, in the layout of SpecTool's table 4."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from pytest_toolsandbox.evaluation.error_patterns.patterns import PATTERNS
from pytest_toolsandbox.language.tasks import Pattern
from pytest_toolsandbox.records.record import Summary

from .error_totals import ErrorTotal, ErrorTotals
from .irrelevance import irrelevance, irrelevance_lines, irrelevance_properties
from .tables import aligned, decimal, joined_tables, with_total
from .totals import ALL

ORDER: Sequence[Pattern] = ("IAC", "RAC", "IAV", "IFE", "IAT", "IAN", "IFN")
"""The patterns as they stand in the table."""

HEADER = ("error patterns", "items", "success", *ORDER)
PREFIX = "toolsandbox.error_patterns"
DIGITS = 6
TIMES = "\N{MULTIPLICATION SIGN}"


def error_lines(records: Sequence[Summary]) -> list[str]:
    """Return the tables of error patterns; nothing where no conversation was judged."""
    totals = ErrorTotals.of(records)
    if not totals.items:
        return []
    scores = [*_scores(totals), *_lowest(totals.worlds[-1])]
    words = [f"  {line}" for line in most_frequent(totals.words)]
    compared = irrelevance_lines(irrelevance(totals.items))
    return joined_tables([scores, compared, ["most frequent", *words] if words else []])


def most_frequent(words: Mapping[str, int], most: int = 5) -> list[str]:
    """Return the ``most`` frequent mistakes with how often, such as ``6x IAN page for search``.

    Of equally frequent ones those of the patterns that are checked first come first, then those
    that come first in the alphabet.
    """

    def rank(text: str) -> tuple[int, int, str]:
        pattern = text.partition(" ")[0]
        return -words[text], PATTERNS.index(cast("Pattern", pattern)), text

    return [f"{words[text]}{TIMES} {text}" for text in sorted(words, key=rank)[:most]]


def error_properties(records: Sequence[Summary]) -> dict[str, object]:
    """Return the scores of error patterns as properties of a suite."""
    totals = ErrorTotals.of(records)
    if not totals.items:
        return {}
    properties: dict[str, object] = {}
    for total in (*totals.worlds, *totals.arms):
        prefix = PREFIX if total.name == ALL else f"{PREFIX}.{total.name.replace(' ', '_')}"
        properties |= {f"{prefix}.{key}": value for key, value in _figures(total).items()}
    return properties | irrelevance_properties(irrelevance(totals.items))


def item_error_properties(trials: Sequence[Summary]) -> dict[str, object]:
    """Return the scores of an item, over its trials, and its findings in words."""
    totals = ErrorTotals.of(trials)
    if not totals.items:
        return {}
    properties = _figures(totals.worlds[-1])
    del properties["success"]
    words = [f"{count}{TIMES} {text}" for text, count in sorted(totals.words.items())]
    return {**properties, **({"findings": "; ".join(words)} if words else {})}


def _scores(totals: ErrorTotals) -> list[str]:
    *worlds, everything = map(_cells, totals.worlds)
    several = worlds if len(worlds) > 1 else []
    return aligned([HEADER, *with_total(several, [list(map(_cells, totals.arms))], everything)])


def _figures(total: ErrorTotal) -> dict[str, object]:
    scores: dict[str, float | None] = {"success": total.success}
    scores |= {pattern: total.score(pattern) for pattern in ORDER}
    for pattern in ("IAC", "IAV"):
        scores[f"{pattern}.lowest"] = total.score(pattern, "lowest_scores")
    return {name: round(value, DIGITS) for name, value in scores.items() if value is not None}


def _lowest(total: ErrorTotal) -> list[str]:
    """Return the scores as the paper has them, where they are others."""
    names: Sequence[Pattern] = ("IAC", "IAV")
    lowest = {name: total.score(name, "lowest_scores") for name in names}
    if all(lowest[name] == total.score(name) for name in names):
        return []
    text = ", ".join(f"{name} {decimal(score, 2)}" for name, score in lowest.items())
    return [f"the least over all solutions, as published: {text}"]


def _cells(total: ErrorTotal) -> tuple[str, ...]:
    scores = (total.success, *(total.score(pattern) for pattern in ORDER))
    return (total.name, str(len(total.items)), *(decimal(score, 2) for score in scores))
