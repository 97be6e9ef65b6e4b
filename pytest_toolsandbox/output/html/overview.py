"""The overview of the HTML report: who played, scores with intervals, items, what changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, NamedTuple

from pytest_toolsandbox.gate.played import first_difference
from pytest_toolsandbox.language.error_patterns import PATTERNS
from pytest_toolsandbox.output.error_table import judged_items, mistakes, most_frequent
from pytest_toolsandbox.output.pages.wording import score_text, shortened
from pytest_toolsandbox.output.paper_tables import (
    Place,
    Player,
    arm_names,
    arms_of,
    paper_tables,
    place_of,
)
from pytest_toolsandbox.output.robustness_table import ROBUSTNESS_COLUMNS, robustness_table
from pytest_toolsandbox.output.tables import (
    ALL_SCENARIOS,
    ReportColumn,
    ReportTable,
    TitledTable,
    Total,
    figure_row,
)
from pytest_toolsandbox.output.terminal import unread_remark
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
from pytest_toolsandbox.output.usage_table import USAGE_COLUMNS, spent_words, used_in
from pytest_toolsandbox.records.reading import without_agent
from pytest_toolsandbox.records.record import Summary
from pytest_toolsandbox.records.trials import counted_trials, outcome_words, played_items, verdict
from pytest_toolsandbox.text.formatting import pluralize
from pytest_toolsandbox.text.redaction import redacted_line

from .who_played import Facts, Who, who_played

_WORST: Final = ("error", "failed", "inconclusive", "not_run", "passed")
"""Outcomes of trials and items, in the order in which they are shown."""
_MOST_CHANGED: Final = 100


@dataclass(frozen=True)
class ShownTrial:
    """A trial as the overview knows it; ``checksums`` has a checksum of each message.

    ``similarity`` says how alike the names of its tools are.
    """

    key: str
    player: Player
    summary: Summary
    verdict: str
    checksums: tuple[int, ...]
    facts: Facts
    similarity: float | None


@dataclass(frozen=True)
class Item:
    """The trials of an item that one arm played: a row of the table."""

    arm: str
    trials: tuple[ShownTrial, ...]

    @cached_property
    def summaries(self) -> Trials:
        """The summaries of the trials."""
        return [trial.summary for trial in self.trials]

    @property
    def worst(self) -> ShownTrial:
        """The trial that is shown first."""
        return min(self.trials, key=lambda trial: _WORST.index(trial.summary["outcome"]))

    @property
    def key(self) -> str:
        """The key of the trial that its link opens."""
        return self.worst.key

    @cached_property
    def outcome(self) -> str:
        """The outcome of its trials together."""
        return outcome_words(verdict(self.summaries))

    @cached_property
    def place(self) -> Place:
        """What was played, by any agent."""
        return place_of(self.summaries[0])

    @property
    def name(self) -> str:
        """Its short name, without its agent, which is beside it if there are several."""
        settings: Any = self.summaries[0].get("agent_settings") or {}
        return redacted_line(
            without_agent(_short_name(self.summaries[0]["id"]), settings.get("label"))
        )

    @property
    def verdict(self) -> str:
        """The verdict of the trial that is shown first."""
        return shortened(self.worst.verdict)

    @cached_property
    def counted(self) -> Trials:
        """The trials that count in means."""
        return counted_trials(self.summaries)

    @cached_property
    def score(self) -> float | None:
        """The mean score of the trials that count; ``None`` if these decide nothing."""
        return MEAN_SCORE.value([self.counted])

    @property
    def score_text(self) -> str:
        """The mean score with two digits."""
        return "n/a" if self.score is None else score_text(self.score)

    @property
    def turns(self) -> str:
        """The mean number of turns."""
        return self._mean_count("turns")

    @property
    def calls(self) -> str:
        """The mean number of calls."""
        return self._mean_count("tool_calls")

    def _mean_count(self, name: str) -> str:
        counts: Sequence[Any] = [trial["counts"] for trial in self.counted]
        mean = sum(count[name] for count in counts) / len(counts)
        return f"{mean:.0f}" if mean == int(mean) else f"{mean:.1f}"

    @property
    def spent(self) -> tuple[str, ...]:
        """Tokens, cost and seconds, in words."""
        return spent_words(self.summaries)

    @property
    def passed_text(self) -> str:
        """How many trials passed."""
        passed = sum(trial["outcome"] == "passed" for trial in self.summaries)
        return f"{passed} of {len(self.summaries)}"

    @cached_property
    def patterns(self) -> list[str]:
        """The error patterns in its trials."""
        calls = [t["error_patterns"]["calls"] for t in self.summaries if "error_patterns" in t]
        return [name for name in PATTERNS if any(counts.get(name) for counts in calls)]

    @property
    def about(self) -> list[str]:
        """The world, the augmentation and the categories."""
        summary = self.summaries[0]
        known = (summary["world"], summary.get("variant"), ", ".join(summary["categories"]))
        return [text for text in known if text]

    @property
    def trials_text(self) -> str:
        """Keys, numbers and outcomes of its trials for the script of the page."""
        ordered = sorted(self.trials, key=lambda trial: trial is not self.worst)
        records = ((trial.key, trial.summary) for trial in ordered)
        return " ".join(
            f"{key}:{record['trial']}:{outcome_words(record['outcome']).replace(' ', '_')}"
            for key, record in records
        )


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


MODES: Final = {
    "wrong report": "what the agent says in the end is false or lacks what was asked for",
    "wrong value": "something was changed, but to another value than the scenario expects",
    "minefield hit": "something happened that the scenario forbids",
}
"""What mistakes mean that no error pattern names."""


class Changed(NamedTuple):
    """The items that two arms played, the most changed first; ``left`` are not listed."""

    first: str = ""
    last: str = ""
    rows: Sequence[Mapping[str, Any]] = ()
    left: int = 0


class Overview:
    """What all trials together say."""

    def __init__(self, trials: Sequence[ShownTrial]) -> None:
        names = arm_names(trial.player for trial in trials)
        groups: dict[tuple[str, str], list[ShownTrial]] = {}
        for trial in trials:
            groups.setdefault((names[trial.player], trial.summary["id"]), []).append(trial)
        self.items = [Item(arm, tuple(of_item)) for (arm, _), of_item in groups.items()]
        self.items.sort(key=lambda item: (_WORST.index(verdict(item.summaries)), item.score or 0.0))
        self.arms = arms_of([(trial.player, trial.summary) for trial in trials])
        self._trials = trials
        self._names = names

    @property
    def verdict(self) -> str:
        """How many items did not pass, and why not."""
        outcomes = [item.outcome for item in self.items]
        names = [name for name in map(outcome_words, _WORST) if name in outcomes]
        parts = [f"{outcomes.count(name)} {name}" for name in names]
        return f"{pluralize(len(self.items), 'item')}: {', '.join(parts)}"

    def unread(self) -> list[str]:
        """Return the remark that passed items were not read, if there are any."""
        items = [item.summaries for item in self.items]
        return unread_remark(trials for trials in items if not trials[0].get("quarantine"))

    def who_played(self) -> tuple[list[str], list[Who]]:
        """Return the columns and rows of who played."""
        facts: dict[str, list[Facts]] = {arm.name: [] for arm in self.arms}
        for trial in self._trials:
            facts[self._names[trial.player]].append(trial.facts)
        return who_played(facts)

    def arms_tables(self) -> list[TitledTable]:
        """Return counts and means of each arm, and what was used, as in the summary."""
        played = [Total(arm.name, played_items(arm.records)) for arm in self.arms]
        used = [Total(arm.name, used_in(arm.records)) for arm in self.arms]
        tables = [_arms_table(played, SUMMARY_COLUMNS)]
        if any(total.items for total in used):
            tables.append(_arms_table(used, USAGE_COLUMNS))
        if any(robustness_table(arm.records).items for arm in self.arms):
            robust = _arms_table(played, ROBUSTNESS_COLUMNS)
            tables.append(robust._replace(title="robustness"))
        return tables

    def papers(self) -> list[TitledTable]:
        """Return the papers' tables, with a column for each arm."""
        return paper_tables(self.arms)

    def mistakes(self) -> list[str]:
        """Return the most frequent mistakes of all."""
        items = judged_items(record for arm in self.arms for record in arm.records)
        return most_frequent(mistakes(items), most=10)

    def groups(self) -> Iterator[Group]:
        """Yield the scores by category, augmentation and world, if there are several."""
        tables = [summary_table(arm.records) for arm in self.arms]
        categories = [[*table.parts, Total(ALL_SCENARIOS, table.items)] for table in tables]
        worlds = [grouped(t.items, lambda trials: [trials[0]["world"]]) for t in tables]
        yield from _group("category", categories)
        yield from _group("augmentation", [by_variant(table.items) for table in tables])
        if len({total.name for totals in worlds for total in totals}) > 1:
            yield from _group("world", worlds)

    def pairs(self) -> list[tuple[Item, Item]]:
        """Return the items that the first arm and the last both played, if there are two."""
        if len(self.arms) < 2:  # noqa: PLR2004  # one has nothing to be compared with
            return []
        first, last = self.arms[0].name, self.arms[-1].name
        before = {item.place: item for item in self.items if item.arm == first}
        pairs = [(before.get(item.place), item) for item in self.items if item.arm == last]
        return [(old, new) for old, new in pairs if old is not None]

    def changed(self) -> Changed:
        """Return how the items changed from the first arm to the last, if there are two."""
        pairs = self.pairs()
        if not pairs:
            return Changed()
        first, last = self.arms[0].name, self.arms[-1].name
        rows = [row for old, new in pairs if (row := _change(old, new))]
        rows.sort(key=lambda row: (-row["size"], row["name"]))
        return Changed(first, last, rows[:_MOST_CHANGED], max(0, len(rows) - _MOST_CHANGED))


def _arms_table(totals: Sequence[Total[Any]], columns: Sequence[ReportColumn[Any]]) -> TitledTable:
    headings = ReportTable("agent", columns, ()).headings
    return TitledTable("who played", headings, [figure_row(total, columns) for total in totals])


def _group(title: str, totals: Sequence[Sequence[Total[Trials]]]) -> Iterator[Group]:
    arms = [{total.name: _bar(total) for total in of_arm} for of_arm in totals]
    names = dict.fromkeys(name for bars in arms for name in bars)
    if names:
        yield Group(title, [(name, [bars.get(name) for bars in arms]) for name in names])


def _bar(total: Total[Trials]) -> Bar | None:
    scored = [trials for trials in total.items if all(record["scores"] for record in trials)]
    mean = item_mean(scored, lambda record: (record["scores"] or {})["score"])
    return None if mean is None else Bar(mean, *mean_interval(mean, len(scored)), len(scored))


def _change(old: Item, new: Item) -> dict[str, Any] | None:
    """Return a row of the items that changed, or ``None`` if nothing differs."""
    change = None if old.score is None or new.score is None else new.score - old.score
    is_flip = old.outcome != new.outcome
    parting = first_difference(old.trials[0].checksums, new.trials[0].checksums)
    if not change and not is_flip and parting is None:
        return None
    return {
        "first": old,
        "last": new,
        "name": new.name,
        "change": "" if change is None else f"{change:+.2f}",
        "parting": "nowhere" if parting is None else f"[{parting}]",
        "size": abs(change or 0.0) + is_flip,
    }


def item_name(summary: Summary) -> str:
    """Return the short name of an item: that of its scenario, with what stands in brackets."""
    return redacted_line(_short_name(summary["id"]))


def _short_name(identifier: str) -> str:
    return identifier.partition("::")[2] or identifier
