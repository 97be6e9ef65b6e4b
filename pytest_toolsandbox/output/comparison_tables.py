"""What changed between two samples, in tables.

``comparison_forms`` writes these as text, Markdown and JSON.
"""

from __future__ import annotations

import difflib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import fsum
from typing import Final, NamedTuple

from pytest_toolsandbox.gate.pairing import Pairing
from pytest_toolsandbox.gate.permutation import FALSE_SHARE
from pytest_toolsandbox.gate.played import COSTS
from pytest_toolsandbox.gate.rates import Interval
from pytest_toolsandbox.gate.samples import Estimate, Run, Sample, estimates
from pytest_toolsandbox.gate.verdict import Change, GroupChange, Verdict
from pytest_toolsandbox.language.failure_modes import FAILURE_MODES, kind_of
from pytest_toolsandbox.text.formatting import pluralize, truncate

from .tables import Cells, TitledTable, chance_text

_MOST_FINDINGS: Final = 8
_COST_FORMS: Final = {"cost": ".4f", "tokens": ".0f"}
_COST_NAMES: Final = {
    "tool_calls": "tool calls",
    "cost": "cost, US dollars",
    "latency": "latency, seconds",
}
_DIFF_LINES: Final = 40
_SCENARIO: Final = "scenario"
"""The heading of the last column of a table of scenarios."""
CRITICAL: Final = " (critical)"
"""What follows the id of a critical scenario."""


def comparison_tables(verdict: Verdict) -> Iterator[TitledTable]:
    """Yield all tables below a verdict, the most telling first."""
    pairing = verdict.pairing
    yield from telling_tables(verdict)
    yield from changed_costs(pairing)
    yield from changed_setup(pairing)
    yield from estimate_tables(pairing.candidate)


def telling_tables(verdict: Verdict) -> list[TitledTable]:
    """Return what changed, the most telling table first: what broke, and where it got worse."""
    if not verdict.strata:
        return []
    sure = [(worse, [c for c in changes if c.is_sure]) for worse, changes in _by_side(verdict)]
    lucky = [(worse, [c for c in changes if not c.is_sure]) for worse, changes in _by_side(verdict)]
    luck = f"up to {FALSE_SHARE:.0%} of this list may be luck"
    broke, mended = (
        _change_table(f"scenarios that {'broke' if worse else 'were mended'} ({luck})", changes)
        for worse, changes in sure
    )
    less, more = (
        _change_table(
            f"passed {'less' if worse else 'more'} often; each alone may be luck",
            changes,
            may_be_luck=True,
        )
        for worse, changes in lucky
    )
    tables = [broke, *changed_findings(verdict.pairing), _group_table(verdict), less, mended, more]
    return [table for table in tables if table.rows]


def _by_side(verdict: Verdict) -> list[tuple[bool, Sequence[Change]]]:
    return [(True, verdict.broken), (False, verdict.mended)]


def _group_table(verdict: Verdict) -> TitledTable:
    rows = [
        (group.name, str(group.scenarios), f"{group.drop:.3f}", chance_text(group.chance))
        for group in fallen_groups(verdict)
    ]
    return TitledTable("passes less often", ("", "scenarios", "drop", "p (Holm)"), rows)


def fallen_groups(verdict: Verdict) -> list[GroupChange]:
    """Return the groups whose pass rate fell, the least likely by chance first.

    Of groups with the same p in a table, the one with more failures is first. A large drop of a few
    scenarios says less.
    """

    def rank(group: GroupChange) -> tuple[float, int, float, str]:
        return round(group.chance, 3), -group.failures, -group.drop, group.name

    return sorted((group for group in verdict.groups if group.drop > 0), key=rank)


def _change_table(
    title: str, changes: Sequence[Change], *, may_be_luck: bool = False
) -> TitledTable:
    further = ("further",) if any(change.further for change in changes) else ()
    headings = ("before", "now", *further, "p", "parts at", _SCENARIO)
    rows = []
    for change in changes:
        stratum, later = change.stratum, change.further
        again = f"{later.passed}/{later.trials}" if later else ""
        rows.append(
            (
                f"{stratum.passed_before}/{stratum.trials_before}",
                f"{stratum.passed}/{stratum.trials}",
                *([again] if further else []),
                chance_text(change.chance),
                "" if change.parts_at is None else f"[{change.parts_at}]",
                f"{change.id}{CRITICAL}" if change.is_critical else change.id,
            )
        )
    return TitledTable(title, headings, rows, words=0, may_be_luck=may_be_luck)


def short_names(ids: Iterable[str]) -> dict[str, str]:
    """Return the ids of scenarios → their names without the file, where these are unique."""
    known = [*ids]
    counts = Counter(_short_name(name) for name in known)
    return {name: _short_name(name) for name in known if counts[_short_name(name)] == 1}


def _short_name(identifier: str) -> str:
    return identifier.partition("::")[2] or identifier


def with_names(table: TitledTable, names: Mapping[str, str]) -> TitledTable:
    """Return a table of scenarios with other names of these; other tables stay as they are."""
    if table.headings[-1] != _SCENARIO:
        return table
    rows = []
    for *figures, identifier in table.rows:
        name, critical, mark = identifier.partition(CRITICAL)
        rows.append((*figures, f"{names.get(name, name)}{critical}{mark}"))
    return table._replace(rows=rows)


def changed_costs(pairing: Pairing) -> Iterator[TitledTable]:
    """Yield what a trial took before and now, as far as both are known."""
    rows = []
    for name in COSTS:
        before, now = (
            _mean_cost(side.runs, name) for side in (pairing.baseline, pairing.candidate)
        )
        if before is not None and now is not None:
            share = f"{now / before - 1:+.0%}" if before else ""
            figures = (_format_cost(name, before), _format_cost(name, now), share)
            rows.append((_COST_NAMES.get(name, name), *figures))
    if rows:
        yield TitledTable("what a trial took", ("", "before", "now", "change"), rows)


def _format_cost(name: str, value: float | None) -> str:
    return "n/a" if value is None else format(value, _COST_FORMS.get(name, ".1f"))


def _mean_cost(runs: Sequence[Run], name: str) -> float | None:
    known = [(run.costs[name], run.trials) for run in runs if name in run.costs]  # type: ignore[literal-required]  # it is one of its names
    trials = sum(count for _, count in known)
    return fsum(value * count for value, count in known) / trials if trials else None


def changed_findings(pairing: Pairing) -> Iterator[TitledTable]:
    """Yield the mistakes that are now made more often or less, per 100 trials."""
    rows = [
        (change.words, f"{change.before:.0f}", f"{change.now:.0f}")
        for change in changed_mistakes(pairing)
    ]
    if rows:
        headings = ("", "before", "now")
        yield TitledTable("mistakes per 100 trials", headings, rows[:_MOST_FINDINGS])


class ChangedMistake(NamedTuple):
    """A mistake in a few words, and how often it is made per 100 trials."""

    words: str
    before: float
    now: float


def changed_mistakes(pairing: Pairing) -> list[ChangedMistake]:
    """Return the mistakes whose rate changed by 1 in 100 or more, the largest change first.

    Of equal changes, that of calls comes first, which often brings the others about.
    """
    sides = pairing.baseline.runs, pairing.candidate.runs
    before, now = map(_finding_rates, sides)
    failures_before, failures_now = map(_failure_rates, sides)
    if failures_before is not None and failures_now is not None:
        before, now = before | failures_before, now | failures_now
    changes = [
        ChangedMistake(words, before.get(words, 0.0), now.get(words, 0.0))
        for words in {*before, *now}
    ]

    def rank(change: ChangedMistake) -> tuple[float, bool, str]:
        size = abs(change.now - change.before)
        return -round(size, 6), kind_of(change.words) in FAILURE_MODES, change.words

    return sorted((c for c in changes if abs(c.now - c.before) >= 1), key=rank)


def _finding_rates(runs: Sequence[Run]) -> dict[str, float]:
    return _rates(runs, [run.findings for run in runs])


def _failure_rates(runs: Sequence[Run]) -> dict[str, float] | None:
    """Return the rates over the runs that have counted them, ``None`` if none has."""
    known = [run for run in runs if run.failure_modes is not None]
    return _rates(known, [run.failure_modes or {} for run in known]) if known else None


def _rates(runs: Sequence[Run], counted: Iterable[Mapping[str, int]]) -> dict[str, float]:
    trials = sum(run.trials for run in runs) or 1
    counts: Counter[str] = Counter()
    for count in counted:
        counts.update(count)
    return {words: 100 * count / trials for words, count in counts.items()}


def changed_setup(pairing: Pairing) -> Iterator[TitledTable]:
    """Yield what differs in how the two samples were played."""
    rows = [
        *_changed_agents(pairing),
        *_changed_settings(pairing),
        *_changed_digests(pairing, "prompt", lambda side, name: side.scenarios[name].prompt),
        *_changed_digests(pairing, "tools", lambda side, name: side.scenarios[name].tools),
    ]
    if rows:
        title = "what differs in how it was played"
        yield TitledTable(title, ("", "before", "now"), rows, words=3)


def _changed_agents(pairing: Pairing) -> Iterator[Cells]:
    before, now = (
        ", ".join(sorted({agent for run in side.runs for agent in run.agents}))
        for side in (pairing.baseline, pairing.candidate)
    )
    if before != now:
        yield "agent", truncate(before), truncate(now)


def _changed_settings(pairing: Pairing) -> Iterator[Cells]:
    sides = [
        [json.loads(settings) for run in side.runs for settings in run.settings]
        for side in (pairing.baseline, pairing.candidate)
    ]
    names = {name for side in sides for settings in side for name in settings}
    for name in sorted(names - {"name"}):
        before, now = (
            ", ".join(sorted({json.dumps(each.get(name), sort_keys=True) for each in side}))
            for side in sides
        )
        if before != now:
            yield name, truncate(before), truncate(now)


def _changed_digests(
    pairing: Pairing, name: str, digest: Callable[[Sample, str], str]
) -> Iterator[Cells]:
    pairs = [(digest(pairing.baseline, s), digest(pairing.candidate, s)) for s in pairing.strata]
    changed = [(old, new) for old, new in pairs if old and new and old != new]
    if changed:
        kinds = len(set(changed))
        shown = changed[0] if kinds == 1 else (f"{kinds} kinds", "others")
        yield f"{name} (in {pluralize(len(changed), 'scenario')})", *shown


def prompt_diff(pairing: Pairing) -> list[str]:
    """Return the first changed system prompt as a diff, where both texts are known."""
    old, new = pairing.baseline.prompts, pairing.candidate.prompts
    for name in pairing.strata:
        before = pairing.baseline.scenarios[name].prompt
        now = pairing.candidate.scenarios[name].prompt
        if before != now and before in old and now in new:
            texts = (old[before].splitlines(), new[now].splitlines())
            lines = list(difflib.unified_diff(*texts, "before", "now", lineterm="", n=1))
            left = len(lines) - _DIFF_LINES
            return [*lines[:_DIFF_LINES], *[f"and {pluralize(left, 'line')} more"] * (left > 0)]
    return []


def estimate_tables(sample: Sample) -> Iterator[TitledTable]:
    """Yield what is known of a sample alone: rows for each category, augmentation, world, all."""
    rows = estimates(sample)
    k = rows[-1].trials if rows else 1
    headings: Cells = (
        *("", "scenarios", "pass rate", "these scenarios", "scenarios like these", "score"),
        *(f"pass^{k}", f"pass@{k}", "flips"),
    )
    yield TitledTable("estimates", headings, [_estimate_row(row) for row in rows])
    if names := [name for name in COSTS if any(name in row.costs for row in rows)]:
        headings = ("", *(_COST_NAMES.get(name, name) for name in names))
        costs = [(row.name, *(_format_cost(n, row.costs.get(n)) for n in names)) for row in rows]  # type: ignore[arg-type]  # they are its names
        yield TitledTable("what a trial took, by part", headings, costs)
    if codes := rows[-1].patterns if rows else ():
        mistakes = [(r.name, *(f"{100 * r.patterns.get(c, 0):.0f}" for c in codes)) for r in rows]
        yield TitledTable("mistakes per 100 trials, by part", ("", *codes), mistakes)


def _estimate_row(row: Estimate) -> Cells:
    intervals = (_format_interval(row.suite), _format_interval(row.similar))
    shares = (f"{row.score:.3f}", f"{row.always:.3f}", f"{row.ever:.3f}")
    return row.name, str(row.scenarios), f"{row.rate:.3f}", *intervals, *shares, str(row.flips)


def _format_interval(interval: Interval | None) -> str:
    return "n/a" if interval is None else f"{interval.low:.3f} to {interval.high:.3f}"
