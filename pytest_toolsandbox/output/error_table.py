"""The error patterns of a run, in the layout of SpecTool's table 4."""

from __future__ import annotations

import re
import textwrap
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from operator import itemgetter

from pytest_toolsandbox.language.error_patterns import PATTERNS, Pattern
from pytest_toolsandbox.records.record import Summary
from pytest_toolsandbox.records.trials import played_items
from pytest_toolsandbox.text.formatting import pluralize

from .tables import ReportColumn, ReportTable, Total, aligned, figures, format_figure, joined_tables
from .totals import Items, Trials, by_agent, by_feedback, by_player, grouped, item_mean, passed

_RANKS = {str(name): rank for rank, name in enumerate(PATTERNS)}
BY_COLUMN = sorted(PATTERNS, key=lambda pattern: PATTERNS[pattern].column)
LOWEST = [pattern for pattern in BY_COLUMN if PATTERNS[pattern].solutions_only]
_PREFIX = "toolsandbox.error_patterns"
_KEY_WIDTH = 80
_NO_BREAK = "\N{NO-BREAK SPACE}"
_TIMES = "\N{MULTIPLICATION SIGN}"
_CODE = re.compile(rf"\b({'|'.join(PATTERNS)})\b( \([A-Za-z ]+\))?")
"""The code of a pattern, and what it stands for if that follows."""


def _score(items: Items, pattern: Pattern) -> float | None:
    """Return the mean score of a pattern, in [0, 1]; ``None`` if nothing was compared."""
    return item_mean(items, lambda record: record["error_patterns"]["scores"][pattern])


def _lowest_score(items: Items, pattern: Pattern) -> float | None:
    """Return the mean score of a pattern as in the paper: the least over all solutions."""
    return item_mean(items, lambda record: record["error_patterns"]["lowest_scores"][pattern])


ERROR_COLUMNS: Sequence[ReportColumn[Trials]] = (
    ReportColumn("items", len),
    ReportColumn("success", lambda items: passed(items) / len(items), ".2f", "success"),
    *(ReportColumn(name, partial(_score, pattern=name), ".2f", name) for name in BY_COLUMN),
    *(
        ReportColumn(None, partial(_lowest_score, pattern=name), name=f"{name}.lowest")
        for name in LOWEST
    ),
)

Pair = tuple[Trials, Trials]
"""The trials of a query, and of the same with something irrelevant added."""


_IRRELEVANCE_COLUMNS: Sequence[ReportColumn[Pair]] = (
    ReportColumn("pairs", len, name="pairs"),
    ReportColumn(
        "IFN without", lambda pairs: _score([base for base, _ in pairs], "IFN"), ".2f", "IFN_base"
    ),
    ReportColumn(
        "IFN with", lambda pairs: _score([added for _, added in pairs], "IFN"), ".2f", "IFN"
    ),
)
"""What something irrelevant in a query does to the names of functions (section 7.2.1, figure 5)."""


def error_lines(records: Iterable[Summary], *, always: bool = False) -> list[str]:
    """Return the tables of error patterns; empty if no conversation was judged.

    Without any error the tables are one line, except if they are ``always`` wanted.
    """
    items = judged_items(records)
    if not items:
        return []
    occurring = [name for name in BY_COLUMN if _occurs(items, name)]
    if not (occurring or always):
        return joined_tables([[_none_line(items)], _frequent_lines(items)])
    table = error_table(items)
    shown = replace(table, parts=table.parts if len(table.parts) > 1 else ())
    scores = [*aligned(shown.rows()), *key_lines(occurring), *_published_line(items)]
    irrelevance = aligned(irrelevance_table(items).rows())
    return joined_tables([scores, irrelevance, _frequent_lines(items)])


def key_lines(patterns: Iterable[Pattern]) -> list[str]:
    """Return what the headings of patterns stand for, and what the best score is."""
    names = ", ".join(f"{name} {PATTERNS[name].name}".replace(" ", _NO_BREAK) for name in patterns)
    best = "1.00 is without errors".replace(" ", _NO_BREAK)
    text = "; ".join(filter(None, [names, best]))
    lines = textwrap.wrap(text, _KEY_WIDTH)
    return [line.rstrip(",").replace(_NO_BREAK, " ") for line in lines]


def spelled_out(texts: Iterable[str]) -> list[str]:
    """Return texts in which the first mention of each pattern says what its code stands for."""
    seen: set[str] = set()

    def explained(match: re.Match[str]) -> str:
        code: Pattern = match[1]  # type: ignore[assignment]  # the expression has no others
        is_known = code in seen or match[2]
        seen.add(code)
        return match[0] if is_known else f"{code} ({PATTERNS[code].name})"

    return [_CODE.sub(explained, text) for text in texts]


def _occurs(items: Items, pattern: Pattern) -> bool:
    scores = (trial["error_patterns"]["scores"][pattern] for trials in items for trial in trials)
    return any(score is not None and score < 1 for score in scores)


def _none_line(items: Items) -> str:
    """Return that there are no errors, and which ones nothing could be compared for."""
    unknown = [name for name in BY_COLUMN if _score(items, name) is None]
    but = f"; {' and '.join(unknown)} were not looked for without solutions" if unknown else ""
    return f"error patterns: none in the calls of {pluralize(len(items), 'item')}{but}"


def _frequent_lines(items: Items) -> list[str]:
    """Return the most frequent mistakes, of each agent if there are several."""
    lines = []
    for played in by_agent(items, itemgetter(0)) or [Total("", items)]:
        words = [f"  {line}" for line in most_frequent(mistakes(played.items))]
        whose = f" of {played.name}" if played.name else ""
        lines += [f"most frequent mistakes{whose}", *words] if words else []
    return lines


def most_frequent(words: Mapping[str, int], most: int = 5) -> list[str]:
    """Return the ``most`` frequent mistakes, such as ``IAN page for search``, with their counts."""

    def rank(text: str) -> tuple[int, int, str]:
        return -words[text], _RANKS.get(text.partition(" ")[0], len(_RANKS)), text

    return [f"{words[text]}{_TIMES} {text}" for text in sorted(words, key=rank)[:most]]


def error_properties(records: Iterable[Summary]) -> dict[str, object]:
    """Return the scores of error patterns as properties of a suite."""
    items = judged_items(records)
    scores = error_table(items).properties(_PREFIX)
    return scores | irrelevance_table(items).properties(f"{_PREFIX}.irrelevance")


def item_error_properties(trials: Trials) -> dict[str, object]:
    """Return the scores of an item, over its trials, and its findings in words."""
    items = judged_items(trials)
    if not items:
        return {}
    scores = figures(items, [column for column in ERROR_COLUMNS if column.name != "success"])
    words = [f"{count}{_TIMES} {text}" for text, count in sorted(mistakes(items).items())]
    return {**scores, **({"findings": "; ".join(words)} if words else {})}


def judged_items(records: Iterable[Summary]) -> list[Trials]:
    """Return the items in which error patterns were looked for: those without an error."""
    items = played_items(records)
    return [trials for trials in items if all("error_patterns" in trial for trial in trials)]


def error_table(items: Items) -> ReportTable[Trials]:
    """Return the figures of every world, of queries if of several, of each player, and of all."""
    worlds = grouped(items, lambda trials: [trials[0]["world"]])
    queries = [trials for trials in items if "query" in trials[0]]
    if len(queries) < len(items) and len({trials[0]["world"] for trials in queries}) > 1:
        worlds.append(Total("all queries", queries))
    first: Callable[[Trials], Summary] = itemgetter(0)
    apart = [*by_player(items, first), by_feedback(items, first)]
    return ReportTable("error patterns", ERROR_COLUMNS, items, worlds, apart)


def irrelevance_table(items: Items) -> ReportTable[Pair]:
    """Return the figures of queries that were asked both ways, per world if there are several."""
    pairs = list(_pairs(items))
    worlds = grouped(pairs, lambda pair: [pair[1][0]["world"]])
    apart = [*by_player(pairs, _first_of_pair), by_feedback(pairs, _first_of_pair)]
    parts = worlds if len(worlds) > 1 else []
    return ReportTable("irrelevance added", _IRRELEVANCE_COLUMNS, pairs, parts, apart)


def _first_of_pair(pair: Pair) -> Summary:
    return pair[1][0]


def mistakes(items: Items) -> Counter[str]:
    """Return each mistake in a few words → how often it was made: findings and failure modes."""
    records = [record for trials in items for record in trials]
    words = ((*r["error_patterns"]["words"], *r.get("failure_modes", ())) for r in records)
    return Counter(chain.from_iterable(words))


def _published_line(items: Items) -> list[str]:
    """Return the scores as the paper defines them, if they differ from ours."""
    lowest = {name: _lowest_score(items, name) for name in LOWEST}
    if all(lowest[name] == _score(items, name) for name in LOWEST):
        return []
    text = ", ".join(f"{name} {format_figure(score, '.2f')}" for name, score in lowest.items())
    return [f"the least over all solutions, as published: {text}"]


def _pairs(items: Items) -> Iterator[Pair]:
    played = {trials[0]["id"]: trials for trials in items}
    for name, trials in played.items():
        query = trials[0].get("query")
        if query and query["manner"] == "irrelevance":
            # The base is a scenario of the same file, played in the same way.
            file, separator, remainder = name.partition("::")
            _, bracket, parameters = remainder.partition("[")
            base = played.get(f"{file}{separator}{query['base'] or ''}{bracket}{parameters}")
            if base is not None:
                yield base, trials
