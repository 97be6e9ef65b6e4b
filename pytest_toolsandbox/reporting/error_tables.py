"""The error patterns of a run, in the layout of SpecTool's table 4, and what is read off them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import cast

from pytest_toolsandbox.evaluation.error_patterns import PATTERNS
from pytest_toolsandbox.language.scenario import Pattern

from .records import Record
from .stored import without_parameters
from .tables import aligned, number
from .totals import ALL, mean

ORDER: Sequence[Pattern] = ("IAC", "RAC", "IAV", "IFE", "IAT", "IAN", "IFN")
"""The patterns as they stand in the table."""

HEADER = ("error patterns", "items", "success", *ORDER)
QUERIES = "all queries"
PREFIX = "toolsandbox.error_patterns"
DIGITS = 6
TIMES = "\N{MULTIPLICATION SIGN}"


@dataclass(frozen=True)
class ErrorTotal:
    """Some of the items that were judged; an item of several trials counts once, as their mean.

    Scores lie in [0, 1], 1 is without errors; ``None`` where there is nothing to compare with.
    """

    name: str
    items: Sequence[Sequence[Record]]

    @cached_property
    def success(self) -> float | None:
        """The share of items that passed."""
        passed = (all(record["outcome"] == "passed" for record in trials) for trials in self.items)
        return mean(map(float, passed))

    def score(self, pattern: Pattern, which: str = "scores") -> float | None:
        """Return the mean score of a pattern; of ``lowest_scores`` as the paper has it."""
        return mean(
            mean(record["error_patterns"][which][pattern] for record in trials)
            for trials in self.items
        )


@dataclass(frozen=True)
class Irrelevance:
    """Queries and the same with something irrelevant added (section 7.2.1 and figure 5).

    ``base`` and ``irrelevant`` are mean scores of incorrect function names, over ``pairs``.
    """

    pairs: int
    base: float
    irrelevant: float


@dataclass(frozen=True)
class ErrorTables:
    """The records of conversations in which error patterns were looked for."""

    items: Mapping[str, Sequence[Record]]

    @classmethod
    def of(cls, records: Iterable[Record]) -> ErrorTables:
        """Group the records of a run by their items; those with an error are left out."""
        items: dict[str, list[Record]] = {}
        for record in records:
            items.setdefault(record["id"], []).append(record)
        judged = {
            name: trials
            for name, trials in items.items()
            if all("error_patterns" in record for record in trials)
        }
        return cls(judged)

    @cached_property
    def worlds(self) -> list[ErrorTotal]:
        """The total of every world, by name, of all queries if they are of several, and of all."""
        everything = list(self.items.values())
        names = sorted(_worlds(everything))
        parts = [(name, [t for t in everything if t[0]["world"] == name]) for name in names]
        queries = [trials for trials in everything if "query" in trials[0]]
        if len(queries) < len(everything) and len(_worlds(queries)) > 1:
            parts.append((QUERIES, queries))
        return [ErrorTotal(name, part) for name, part in (*parts, (ALL, everything))]

    @cached_property
    def arms(self) -> list[ErrorTotal]:
        """The totals with feedback and without, of the items that were played both ways."""
        arms: dict[tuple[str, str | None], set[bool]] = {}
        for name, trials in self.items.items():
            arms.setdefault(_place(name, trials), set()).add(trials[0]["feedback"])
        both = [
            trials for name, trials in self.items.items() if len(arms[_place(name, trials)]) > 1
        ]
        return [
            ErrorTotal(name, [trials for trials in both if trials[0]["feedback"] is on])
            for name, on in (("feedback on", True), ("feedback off", False))
            if both
        ]

    @cached_property
    def words(self) -> Counter[str]:
        """Each mistake in a few words → how often it was made."""
        words: Counter[str] = Counter()
        for trials in self.items.values():
            for record in trials:
                words.update(record["error_patterns"]["words"])
        return words

    @cached_property
    def irrelevance(self) -> Irrelevance | None:
        """What something irrelevant does to queries, if some were asked both ways."""
        bases: list[Sequence[Record]] = []
        irrelevant: list[Sequence[Record]] = []
        for name, trials in self.items.items():
            if (base := self._base(name, trials)) is not None:
                bases.append(base)
                irrelevant.append(trials)
        before, after = (ErrorTotal("", part).score("IFN") for part in (bases, irrelevant))
        return None if before is None or after is None else Irrelevance(len(bases), before, after)

    def _base(self, name: str, trials: Sequence[Record]) -> Sequence[Record] | None:
        """Return the item of the query to which something irrelevant was added here."""
        query = trials[0].get("query") or {}
        if query.get("manner") != "irrelevance":
            return None
        file, separator, rest = name.partition("::")
        scenario, bracket, parameters = rest.partition("[")
        del scenario
        return self.items.get(f"{file}{separator}{query['base']}{bracket}{parameters}")


def error_lines(records: Sequence[Record]) -> list[str]:
    """Return the tables of error patterns; none where they were looked for nowhere."""
    tables = ErrorTables.of(records)
    if not tables.items:
        return []
    totals = tables.worlds if len(tables.worlds) > 2 else tables.worlds[-1:]  # noqa: PLR2004  # one and all
    arms = list(map(_cells, tables.arms))
    lines = aligned([HEADER, *map(_cells, totals), *([()] if arms else []), *arms])
    everything = totals[-1]
    lines += _lowest(everything)
    if found := tables.irrelevance:
        queries = f"{found.pairs} {'query' if found.pairs == 1 else 'queries'}"
        text = f"IFN of {queries} {found.base:.2f}, with irrelevance added"
        lines.append(f"{text} {found.irrelevant:.2f}")
    if tables.words:
        lines += ["", f"most frequent: {', '.join(most_frequent(tables.words))}"]
    return lines


def most_frequent(words: Mapping[str, int], most: int = 5) -> list[str]:
    """Return the ``most`` frequent mistakes with how often, such as ``6x IAN page for search``.

    Of equally frequent ones those of the patterns that are checked first come first, then those
    that come first in the alphabet.
    """

    def rank(text: str) -> tuple[int, int, str]:
        pattern = text.partition(" ")[0]
        return -words[text], PATTERNS.index(cast("Pattern", pattern)), text

    return [f"{words[text]}{TIMES} {text}" for text in sorted(words, key=rank)[:most]]


def error_properties(records: Sequence[Record]) -> dict[str, object]:
    """Return the scores of error patterns as properties of a suite."""
    tables = ErrorTables.of(records)
    if not tables.items:
        return {}
    properties: dict[str, object] = {}
    for total in (*tables.worlds, *tables.arms):
        name = total.name.replace(" ", "_")
        prefix = (
            "toolsandbox.error_patterns"
            if total.name == ALL
            else f"toolsandbox.error_patterns.{name}"
        )
        properties |= {f"{prefix}.{key}": value for key, value in _figures(total).items()}
    if found := tables.irrelevance:
        properties[f"{PREFIX}.irrelevance.pairs"] = found.pairs
        properties[f"{PREFIX}.irrelevance.IFN_base"] = round(found.base, DIGITS)
        properties[f"{PREFIX}.irrelevance.IFN"] = round(found.irrelevant, DIGITS)
    return properties


def item_error_properties(trials: Sequence[Record]) -> dict[str, object]:
    """Return the scores of an item, over its trials, and its findings in words."""
    tables = ErrorTables.of(trials)
    if not tables.items:
        return {}
    properties = _figures(tables.worlds[-1])
    del properties["success"]
    words = [f"{count}{TIMES} {text}" for text, count in sorted(tables.words.items())]
    return {**properties, **({"findings": "; ".join(words)} if words else {})}


def _worlds(items: Iterable[Sequence[Record]]) -> set[str]:
    return {trials[0]["world"] for trials in items}


def _place(name: str, trials: Sequence[Record]) -> tuple[str, str | None]:
    return without_parameters(name), trials[0]["variant"]


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
    text = ", ".join(f"{name} {number(score, 2)}" for name, score in lowest.items())
    return [f"the least over all solutions, as published: {text}"]


def _cells(total: ErrorTotal) -> tuple[str, ...]:
    scores = (total.success, *(total.score(pattern) for pattern in ORDER))
    return (total.name, str(len(total.items)), *(number(score, 2) for score in scores))
