"""The overview of the HTML report: who played, scores with intervals, items, what changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from pytest_toolsandbox.output.arms import Place, Player, arm_names, arms_of, place_of
from pytest_toolsandbox.output.error_table import judged, mistakes, most_frequent
from pytest_toolsandbox.output.pages.differences import score_text
from pytest_toolsandbox.output.paper_tables import PaperTable, paper_tables
from pytest_toolsandbox.output.tables import ALL_SCENARIOS, ReportColumn, ReportTable, Total, row
from pytest_toolsandbox.output.totals import (
    MEAN_SCORE,
    SUMMARY_COLUMNS,
    Trials,
    by_variant,
    grouped,
    item_mean,
    mean_interval,
    summary_table,
)
from pytest_toolsandbox.output.usage_table import USAGE_COLUMNS, used_in
from pytest_toolsandbox.records.record import Summary
from pytest_toolsandbox.records.trials import counted_trials, played_items, verdict
from pytest_toolsandbox.text.formatting import pluralize
from pytest_toolsandbox.text.redaction import redacted_line

WORST = ("error", "failed", "inconclusive", "not run", "passed")
"""Outcomes of trials and items, those to look at first before others."""
MOST_CHANGED = 100
"""How many items are listed as changed."""


@dataclass(frozen=True)
class Talk:
    """A conversation as the overview knows it; ``says`` tells its messages from others."""

    key: str
    player: Player
    summary: Summary
    verdict: str
    says: tuple[int, ...]


@dataclass(frozen=True)
class Item:
    """The trials of an item that one arm played: a row of the table."""

    arm: str
    talks: tuple[Talk, ...]

    @property
    def trials(self) -> Trials:
        """The summaries of the trials."""
        return [talk.summary for talk in self.talks]

    @property
    def worst(self) -> Talk:
        """The trial to look at first."""
        return min(self.talks, key=lambda talk: WORST.index(talk.summary["outcome"]))

    @property
    def key(self) -> str:
        """What tells its conversation from others, in addresses."""
        return self.worst.key

    @property
    def outcome(self) -> str:
        """What its trials say together."""
        return verdict(self.trials).replace("_", " ")

    @cached_property
    def place(self) -> Place:
        """What was played, by any agent."""
        return place_of(self.talks[0].summary)

    @cached_property
    def counted(self) -> Trials:
        """The trials that count in means."""
        return counted_trials(self.trials)

    @cached_property
    def score(self) -> float | None:
        """The mean score of the trials that count; ``None`` where these decide nothing."""
        return MEAN_SCORE.value([self.counted])


class Bar(NamedTuple):
    """A mean score, its interval, and over how many items it is."""

    mean: float
    low: float
    high: float
    items: int


class Group(NamedTuple):
    """Scores by something: the name of each row, and a bar for each arm."""

    title: str
    rows: Sequence[tuple[str, Sequence[Bar | None]]]


class Changed(NamedTuple):
    """The items that two arms played, those that changed most first; ``left`` are not listed."""

    first: str = ""
    last: str = ""
    rows: Sequence[Mapping[str, Any]] = ()
    left: int = 0


class Overview:
    """What all conversations together say."""

    def __init__(self, talks: Sequence[Talk]) -> None:
        self.names = arm_names(talk.player for talk in talks)
        groups: dict[tuple[str, str], list[Talk]] = {}
        for talk in talks:
            groups.setdefault((self.names[talk.player], talk.summary["id"]), []).append(talk)
        self.items = [Item(name, tuple(some)) for (name, _), some in groups.items()]
        self.items.sort(key=lambda item: WORST.index(item.outcome))
        self.arms = arms_of([(talk.player, talk.summary) for talk in talks])

    @property
    def verdict(self) -> str:
        """How many items did not pass, and why not."""
        outcomes = [item.outcome for item in self.items]
        parts = [f"{outcomes.count(one)} {one}" for one in WORST if one in outcomes]
        return f"{pluralize(len(self.items), 'item')}: {', '.join(parts)}"

    def arms_tables(self) -> list[PaperTable]:
        """Return counts and means of each arm, and what was used, as the summary has them."""
        played = [Total(arm.name, played_items(arm.records)) for arm in self.arms]
        used = [Total(arm.name, used_in(arm.records)) for arm in self.arms]
        has_used = any(total.items for total in used)
        return [_of_arms(played, SUMMARY_COLUMNS), *([_of_arms(used, USAGE_COLUMNS)] * has_used)]

    def papers(self) -> list[PaperTable]:
        """Return the papers' tables, with a column for each arm."""
        return paper_tables(self.arms)

    def mistakes(self) -> list[str]:
        """Return the most frequent mistakes of all."""
        found = judged(record for arm in self.arms for record in arm.records)
        return most_frequent(mistakes(found), most=10)

    def groups(self) -> Iterator[Group]:
        """Yield the scores by category, augmentation and world, as far as they differ."""
        tables = [summary_table(arm.records) for arm in self.arms]
        everything = [[Total(ALL_SCENARIOS, table.items)] for table in tables]
        worlds = [grouped(t.items, lambda trials: [trials[0]["world"]]) for t in tables]
        yield from _group(
            "category", [[*t.parts, *a] for t, a in zip(tables, everything, strict=True)]
        )
        yield from _group("augmentation", [by_variant(table.items) for table in tables])
        if len({total.name for totals in worlds for total in totals}) > 1:
            yield from _group("world", worlds)

    def changed(self) -> Changed:
        """Return how the items changed from the first arm to the last, if there are two."""
        if len(self.arms) < 2:  # noqa: PLR2004  # one has nothing to be compared with
            return Changed()
        first, last = self.arms[0].name, self.arms[-1].name
        played = {item.place: item for item in self.items if item.arm == first}
        pairs = [(played.get(item.place), item) for item in self.items if item.arm == last]
        rows = [_change(old, new) for old, new in pairs if old is not None]
        rows = [one for one in rows if one["differs"]]
        rows.sort(key=lambda one: (-one["size"], one["name"]))
        return Changed(first, last, rows[:MOST_CHANGED], max(0, len(rows) - MOST_CHANGED))


def _of_arms(totals: Sequence[Total[Any]], columns: Sequence[ReportColumn[Any]]) -> PaperTable:
    headings = ReportTable("agent", columns, ()).headings
    return PaperTable("who played", headings, tuple(row(total, columns) for total in totals))


def _group(title: str, totals: Sequence[Sequence[Total[Trials]]]) -> Iterator[Group]:
    found = [{total.name: _bar(total) for total in some} for some in totals]
    names = dict.fromkeys(name for one in found for name in one)
    if names:
        yield Group(title, [(name, [one.get(name) for one in found]) for name in names])


def _bar(total: Total[Trials]) -> Bar | None:
    scored = [trials for trials in total.items if all(record["scores"] for record in trials)]
    mean = item_mean(scored, lambda record: (record["scores"] or {})["score"])
    return None if mean is None else Bar(mean, *mean_interval(mean, len(scored)), len(scored))


def _change(old: Item, new: Item) -> dict[str, Any]:
    before, after = old.score, new.score
    size = abs(after - before) if before is not None and after is not None else 0.0
    flips = old.outcome != new.outcome
    parting = _parting(old.talks[0].says, new.talks[0].says)
    return {
        "first": old,
        "last": new,
        "name": item_name(new.talks[0].summary),
        "before": written_score(before),
        "after": written_score(after),
        "change": "" if before is None or after is None else f"{after - before:+.2f}",
        "parting": "nowhere" if parting is None else f"[{parting}]",
        "size": size + flips,
        "differs": bool(size or flips or parting is not None),
    }


def _parting(one: Sequence[int], other: Sequence[int]) -> int | None:
    """Return the index of the first message in which two conversations differ, if they do."""
    if one == other:
        return None
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))


def written_score(score: float | None) -> str:
    """Write a score with two digits, or ``n/a`` where there is none."""
    return "n/a" if score is None else score_text(score)


def item_name(summary: Summary) -> str:
    """Return the short name of an item: that of its scenario, with what stands in brackets."""
    return redacted_line(summary["id"].partition("::")[2] or summary["id"])
