"""What the charts of the HTML report show, each with its table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import ceil
from typing import Final, NamedTuple

from pytest_toolsandbox.language.error_patterns import PATTERNS
from pytest_toolsandbox.output.error_table import (
    BY_COLUMN,
    ERROR_COLUMNS,
    irrelevance_table,
    judged_items,
)
from pytest_toolsandbox.output.tables import Cells, TitledTable
from pytest_toolsandbox.output.totals import (
    MEAN_SCORE,
    Items,
    by_feedback,
    mean,
    mean_interval,
    passed,
)
from pytest_toolsandbox.output.usage_table import sum_of_known
from pytest_toolsandbox.records.record import Summary
from pytest_toolsandbox.records.trials import played_items
from pytest_toolsandbox.text.formatting import truncate

from .charts import NEUTRAL, SHAPES, Dot, Estimate, bars, changes, dots, histogram, lines
from .overview import Item, Overview

_MOST_CHANGES: Final = 25
_MOST_DOTS: Final = 1000
_MOST_BINS: Final = 12
_FEWEST: Final = 2
"""Items or groups of which a chart tells more than a number."""
_TENTHS: Final = ("0", ".1", ".2", ".3", ".4", ".5", ".6", ".7", ".8", ".9", "1")
"""Each bin of scores begins there; the last has those of exactly 1."""


class Figure(NamedTuple):
    """A chart as SVG, what it shows, and its numbers."""

    title: str
    says: str
    svg: str
    table: TitledTable


class Night(NamedTuple):
    """A run in a trend: its date, and the records of each agent with its prompt."""

    date: str
    records: Mapping[str, Sequence[Summary]]


def figures(overview: Overview, nights: Sequence[Night] = ()) -> list[Figure]:
    """Return the charts that there are numbers for."""
    makers = (
        _by_category(overview),
        _paired(overview),
        _scores(overview),
        _turns(overview),
        _cost(overview),
        _feedback(overview),
        _irrelevance(overview),
        _similarity(overview),
    )
    shown = [figure for figures in makers for figure in figures]
    return [*(_trend(overview, nights) if len(nights) >= _FEWEST else ()), *shown]


def _by_category(overview: Overview) -> Iterator[Figure]:
    names = [arm.name for arm in overview.arms[:SHAPES]]
    for group in overview.groups():
        if group.title == "category" and len(group.rows) > _FEWEST:  # the last is of all
            rows = [
                (name, [bar and Estimate(*bar[:3]) for bar in of_arms[:SHAPES]])
                for name, of_arms in group.rows
            ]
            yield _bar_figure(
                "Score by category", "Mean scores, from 0 to 1, with 95 % intervals.", rows, names
            )


def _bar_figure(
    title: str,
    says: str,
    rows: Sequence[tuple[str, Sequence[Estimate | None]]],
    names: Sequence[str],
    marks: Sequence[int] = range(SHAPES),
) -> Figure:
    table = TitledTable(
        title, ("", *names), [(name, *map(_written, of_row)) for name, of_row in rows]
    )
    return Figure(title, says, bars(title, rows, names, marks), table)


def _written(estimate: Estimate | None) -> str:
    if estimate is None:
        return "n/a"
    return f"{estimate.mean:.3f} ({estimate.low:.2f} to {estimate.high:.2f})"


def _estimated(value: float | None, count: int) -> Estimate | None:
    return None if value is None else Estimate(value, *mean_interval(value, count))


def _paired(overview: Overview) -> Iterator[Figure]:
    pairs = [
        (new.name, old.score, new.score)
        for old, new in overview.pairs()
        if old.score is not None and new.score is not None
    ]
    moved = sorted((p for p in pairs if p[1] != p[2]), key=lambda p: (-abs(p[2] - p[1]), p[0]))
    if not moved:
        return
    rose = sum(now > before for _, before, now in moved)
    names = [overview.arms[0].name, overview.arms[-1].name]
    says = (
        f"Of {len(pairs)} items, {rose} scored more, {len(moved) - rose} less, the others the same."
    )
    shown = moved[:_MOST_CHANGES]
    if len(moved) > len(shown):
        says += f" These {len(shown)} changed most."
    title = f"Scores with {names[0]} and with {names[1]}"
    rows = [(name, f"{b:.2f}", f"{now:.2f}", f"{now - b:+.2f}") for name, b, now in shown]
    table = TitledTable(title, ("item", *names, "change"), rows)
    yield Figure(
        title, says, changes(title, shown, names, (0, min(len(overview.arms), SHAPES) - 1)), table
    )


def _scores(overview: Overview) -> Iterator[Figure]:
    counts = {
        name: _binned([int(s * 10 + 1e-9) for item in items if (s := item.score) is not None], 11)
        for name, items in _items_by_arm(overview).items()
    }
    yield from _histogram("Scores", "How many items have which mean score.", _TENTHS, counts)


def _turns(overview: Overview) -> Iterator[Figure]:
    turns = {
        name: [round(mean(t["counts"]["turns"] for t in item.counted) or 0) for item in items]
        for name, items in _items_by_arm(overview).items()
    }
    most = max((n for of_arm in turns.values() for n in of_arm), default=0)
    width = max(1, ceil((most + 1) / _MOST_BINS))
    bins = [str(at * width) for at in range(most // width + 1)]
    counts = {
        name: _binned([n // width for n in values], len(bins)) for name, values in turns.items()
    }
    says = "How many items took how many turns; each bar begins at its number."
    yield from _histogram("Turns", says, bins, counts)


def _items_by_arm(overview: Overview) -> dict[str, list[Item]]:
    arms: dict[str, list[Item]] = {arm.name: [] for arm in overview.arms[:SHAPES]}
    for item in overview.items:
        if item.arm in arms:
            arms[item.arm].append(item)
    return arms


def _marks(overview: Overview, names: Iterable[str]) -> Sequence[int]:
    """Return the places of these agents among all, by which charts colour them."""
    arms, listed = [arm.name for arm in overview.arms[:SHAPES]], [*names]
    return [arms.index(name) for name in listed] if {*listed} <= {*arms} else range(SHAPES)


def _binned(places: Sequence[int], count: int) -> list[int]:
    return [places.count(at) for at in range(count)]


def _histogram(
    title: str, says: str, bins: Sequence[str], counts: Mapping[str, Sequence[int]]
) -> Iterator[Figure]:
    if sum(map(sum, counts.values())) < _FEWEST:
        return
    rows = [
        (name, *(str(of_arm[at]) for of_arm in counts.values())) for at, name in enumerate(bins)
    ]
    yield Figure(
        title, says, histogram(title, bins, counts), TitledTable(title, ("from", *counts), rows)
    )


def _cost(overview: Overview) -> Iterator[Figure]:
    """Yield the cost of an item against its score: of each arm, or of each item of the only one."""
    title, unit = "Cost and score", "US dollars for an item"
    points: dict[str, list[Dot]] = {}
    for name, items in _items_by_arm(overview).items():
        of_items = [
            Dot(cost, item.score, item.name)
            for item in items
            if item.score is not None and (cost := _cost_of(item)) is not None
        ]
        if not of_items:
            continue
        if len(overview.arms) == 1:
            points[name] = of_items[:_MOST_DOTS]
        else:
            score = mean(dot.y for dot in of_items) or 0.0
            interval = mean_interval(score, len(of_items))
            cost = mean(dot.x for dot in of_items) or 0.0
            points[name] = [Dot(cost, score, name, *interval)]
    if sum(map(len, points.values())) < _FEWEST:
        return
    rows = [
        (dot.label, f"{dot.x:.4f}", f"{dot.y:.3f}") for of_arm in points.values() for dot in of_arm
    ]
    table = TitledTable(title, ("", unit, "score"), rows)
    yield Figure(
        title,
        "The best place is at the top left.",
        dots(title, unit, "score", points, _marks(overview, points)),
        table,
    )


def _cost_of(item: Item) -> float | None:
    """Return the mean cost of a trial, of all who asked a model."""
    used = [usage for trial in item.counted for usage in trial.get("usage", {}).values()]
    cost = sum_of_known(usage["cost"] for usage in used) if used else None
    return None if cost is None else cost / len(item.counted)


def _feedback(overview: Overview) -> Iterator[Figure]:
    columns = {column.name: column for column in ERROR_COLUMNS}
    for arm in overview.arms[:SHAPES]:
        both = by_feedback(judged_items(arm.records), lambda trials: trials[0])
        if len(both) < _FEWEST:
            continue
        title = f"Error patterns with and without feedback: {arm.name}"
        rows = [
            (
                f"{name} {PATTERNS[name].name}",
                [_estimated(columns[name].value(t.items), len(t.items)) for t in both],
            )
            for name in BY_COLUMN
        ]
        says = "1 is without errors of that kind (SpecTool, figure 4)."
        yield _bar_figure(title, says, rows, [total.name for total in both], NEUTRAL)


def _irrelevance(overview: Overview) -> Iterator[Figure]:
    rows = []
    for arm in overview.arms:
        table = irrelevance_table(judged_items(arm.records))
        if table.items:
            values = [column.value(table.items) for column in table.columns[1:]]
            rows.append((arm.name, [_estimated(value, len(table.items)) for value in values]))
    if rows:
        title = "Correct function names, without and with something irrelevant in the query"
        says = "The mean score of IFN; 1 is without errors (SpecTool, figure 5)."
        yield _bar_figure(title, says, rows, ["without", "with"], NEUTRAL)


def _similarity(overview: Overview) -> Iterator[Figure]:
    """Yield the accuracy in each world against how alike the names of its tools are."""
    points: dict[str, list[Dot]] = {}
    rows: list[Cells] = []
    for name, items in _items_by_arm(overview).items():
        worlds: dict[str, list[Item]] = {}
        for item in items:
            worlds.setdefault(item.summaries[0]["world"], []).append(item)
        for world, members in sorted(worlds.items()):
            alike = mean(item.trials[0].similarity for item in members)
            scored = [item.counted for item in members if item.score is not None]
            if alike is not None and scored:
                share = passed(scored) / len(scored)
                interval = mean_interval(share, len(scored))
                points.setdefault(name, []).append(Dot(alike, share, world, *interval))
                rows.append((name, world, f"{alike:.3f}", f"{share:.3f}", str(len(scored))))
    if len({dot.x for of_arm in points.values() for dot in of_arm}) <= _FEWEST:
        return
    title = "Similar names of tools and accuracy"
    says = "The share of items that passed in each world (SpecTool, figure 3)."
    table = TitledTable(title, ("agent", "world", "similarity of names", "passed", "items"), rows)
    yield Figure(
        title,
        says,
        dots(title, "mean similarity of names", "passed", points, _marks(overview, points)),
        table,
    )


def _trend(overview: Overview, nights: Sequence[Night]) -> Iterator[Figure]:
    names = list(dict.fromkeys(name for night in nights for name in night.records))[:SHAPES]
    items = [
        {name: played_items(night.records.get(name, ())) for name in names} for night in nights
    ]
    for title, figure in (
        ("Pass rate over time", _pass_rate),
        ("Mean score over time", _mean_score),
    ):
        series = {name: [figure(of_night[name]) for of_night in items] for name in names}
        rows = [
            (night.date, *(_written(series[name][at]) for name in names))
            for at, night in enumerate(nights)
        ]
        labels = [truncate(night.date, 10, "") for night in nights]
        says = "With 95 % intervals, over the items of each run, which need not be the same."
        table = TitledTable(title, ("run", *names), rows)
        yield Figure(title, says, lines(title, labels, series, _marks(overview, names)), table)


def _pass_rate(items: Items) -> Estimate | None:
    return _estimated(passed(items) / len(items), len(items)) if items else None


def _mean_score(items: Items) -> Estimate | None:
    return _estimated(MEAN_SCORE.value(items), len(items)) if items else None
