"""A comparison of two samples in words and tables: the verdict, and what changed.

``comparison_forms`` writes these as text, Markdown, JSON and properties of JUnit XML.
"""

from __future__ import annotations

import difflib
import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from math import fsum
from statistics import fmean
from typing import Final, Literal

from pytest_toolsandbox.gate.pairing import Pairing
from pytest_toolsandbox.gate.permutation import FALSE_SHARE, Stratum
from pytest_toolsandbox.gate.plan import Remedy
from pytest_toolsandbox.gate.played import COSTS
from pytest_toolsandbox.gate.rates import Interval, Passes
from pytest_toolsandbox.gate.samples import Estimate, Run, Sample, estimates, pass_hat
from pytest_toolsandbox.gate.verdict import MOST_TRIALS, Change, Verdict
from pytest_toolsandbox.text.formatting import join_words, pluralize, truncate

from .tables import Cells, TitledTable

_MOST_FINDINGS: Final = 8
_COST_FORMS: Final = {"cost": ".4f", "tokens": ".0f"}
_COST_NAMES: Final = {
    "tool_calls": "tool calls",
    "cost": "cost, US dollars",
    "latency": "latency, seconds",
}
_DIFF_LINES: Final = 40
_MOST_NAMED: Final = 3


def verdict_sentence(verdict: Verdict) -> str:
    """Return the verdict and why; for an inconclusive one also what would decide."""
    if verdict.broken_critical:
        return f"{verdict.kind}: critical and broken: {', '.join(verdict.broken_critical)}"
    sentence = f"{verdict.kind}: {verdict.why}"
    if verdict.kind == "inconclusive" and verdict.strata and verdict.why.endswith("to tell"):
        return f"{sentence}; {_needed_trials(verdict)}"
    return sentence


def _needed_trials(verdict: Verdict) -> str:
    needed = verdict.needed
    if needed is None:
        text = f"even {MOST_TRIALS} trials of each scenario would not decide"
        if (plan := verdict.needed_plan) is None:
            return f"{text}; widen the margin"
        trials = pluralize(plan.trials, "trial")
        enough = f"about {plan.scenarios} scenarios like these would, with {trials} of each"
        return f"{text}; {enough}, or a wider margin"
    cost = "" if needed.cost is None else f", which cost about {needed.cost:.2f} US dollars more"
    return f"{pluralize(needed.trials, 'trial')} of each scenario would probably decide{cost}"


def remedy_words(remedy: Remedy, trials: int) -> str:
    """Return what would tell "no worse", in words: a margin, trials, or scenarios."""
    known = remedy_parts(remedy, trials)
    return f"{join_words(known, 'or')} would do" if known else "no margin or suite would do"


def remedy_parts(remedy: Remedy, trials: int) -> list[str]:
    """Return each margin, number of trials or of scenarios that would tell "no worse"."""
    parts = [
        "" if remedy.margin is None else f"--sandbox-margin={remedy.margin:g}",
        "" if remedy.trials is None else f"--sandbox-trials={remedy.trials}",
        ""
        if remedy.scenarios is None
        else f"about {remedy.scenarios} scenarios like these with {pluralize(trials, 'trial')}",
    ]
    return [*filter(None, parts)]


def verdict_figures(verdict: Verdict) -> Iterator[str]:
    """Yield the rates, the drop with its interval, its chances, and what was compared."""
    if not verdict.strata:
        return
    before, now = pass_rates(verdict.strata)
    drop = verdict.pairing.model.observed
    is_drop = drop >= 0
    low, high = sorted(bound if is_drop else -bound for bound in verdict.interval)
    yield (
        f"pass rate {now:.3f}, baseline {before:.3f}: {'drop' if is_drop else 'rise'} "
        f"{abs(drop):.3f}, 95% interval {low:.3f} to {high:.3f}"
    )
    marks = {verdict.deciding: " <- decides"}
    margin = f"{verdict.largest_drop:.3f} or more is excluded"
    yield f"is the drop below the margin of {verdict.margin:g}? {margin}{marks.get('margin', '')}"
    side: Literal["worse", "better"] = "worse" if is_drop else "better"
    here = _chance(getattr(verdict.pairing.tails, side))
    there = _chance(getattr(verdict.tails_of_others, side))
    level = f"{side} at {verdict.level_of_worse(verdict.levels):g} or less"
    yield f"is it {side} on these scenarios? p {here}, {level}{marks.get(side, '')}"
    yield f"is it {side} on scenarios like these? p {there}"
    if (scores := verdict.scores) is not None:
        luck = _chance(scores.tails.worse if scores.now <= scores.before else scores.tails.better)
        yield f"mean score {scores.now:.3f}, baseline {scores.before:.3f}: p {luck}"
    yield from _all_passed(verdict.strata)
    strata = verdict.strata
    numbers = ([s.trials_before for s in strata], [s.trials for s in strata])
    each = " and ".join(
        str(min(sizes)) if min(sizes) == max(sizes) else f"{min(sizes)} to {max(sizes)}"
        for sizes in numbers
    )
    yield f"{pluralize(len(strata), 'scenario')} compared; trials of each: {each}"


def _all_passed(strata: Sequence[Stratum]) -> Iterator[str]:
    """Yield the probabilities that all of k trials pass, if each scenario has several."""
    k = min(min(stratum.trials_before, stratum.trials) for stratum in strata)
    if k > 1:
        before, now = (
            fmean(pass_hat(Passes(*counts), k) for counts in side)
            for side in (
                [(stratum.passed_before, stratum.trials_before) for stratum in strata],
                [(stratum.passed, stratum.trials) for stratum in strata],
            )
        )
        yield f"pass^{k} {now:.3f}, baseline {before:.3f}"


def not_compared(verdict: Verdict) -> Iterator[str]:
    """Yield what was not compared, and why."""
    pairing = verdict.pairing
    for names, why in (
        (pairing.changed, "another task or world than in the baseline"),
        (pairing.new, "not in the baseline"),
        (pairing.quarantined, "in quarantine"),
    ):
        if names:
            left = len(names) - _MOST_NAMED
            shown = [*names[:_MOST_NAMED], *[f"{left} more"] * (left > 0)]
            yield f"not compared, since {why}: {join_words(shown, 'and')}"
    if pairing.missing:
        yield f"{pairing.missing:.1%} of the trials are missing"
    if pairing.absent:
        what = "sample" if pairing.candidate.is_part else "run"
        yield f"{pluralize(len(pairing.absent), 'scenario')} of the baseline not in this {what}"


def pass_rates(strata: Sequence[Stratum]) -> tuple[float, float]:
    """Return the mean pass rates before and now, in which each scenario counts the same."""
    before = sum(stratum.passed_before / stratum.trials_before for stratum in strata)
    now = sum(stratum.passed / stratum.trials for stratum in strata)
    return before / len(strata), now / len(strata)


def comparison_tables(verdict: Verdict) -> Iterator[TitledTable]:
    """Yield all tables below a verdict, the most telling first."""
    pairing = verdict.pairing
    yield from scenario_tables(verdict)
    yield from changed_findings(pairing)
    yield from changed_costs(pairing)
    yield from changed_setup(pairing)
    yield from estimate_tables(pairing.candidate)


def scenario_tables(verdict: Verdict) -> Iterator[TitledTable]:
    """Yield the scenarios that broke or were mended, and groups that pass less often."""
    if not verdict.strata:
        return
    for worse, changes in ((True, verdict.broken), (False, verdict.mended)):
        name, way = ("broke", "less") if worse else ("were mended", "more")
        luck = f"up to {FALSE_SHARE:.0%} of this list may be luck"
        for title, is_sure in (
            (f"scenarios that {name} ({luck})", True),
            (f"passed {way} often; each alone may be luck", False),
        ):
            if shown := [change for change in changes if change.is_sure is is_sure]:
                yield _change_table(title, shown, may_be_luck=not is_sure)
    rows = [
        (group.name, str(group.scenarios), f"{group.drop:+.3f}", _chance(group.chance))
        for group in verdict.groups
        if group.drop > 0
    ]
    if rows:
        yield TitledTable("passes less often", ("", "scenarios", "drop", "p (Holm)"), rows)


def _change_table(title: str, changes: Sequence[Change], *, may_be_luck: bool) -> TitledTable:
    further = ("further",) if any(change.further for change in changes) else ()
    headings = ("before", "now", *further, "p", "parts at", "scenario")
    rows = []
    for change in changes:
        stratum, later = change.stratum, change.further
        again = f"{later.passed}/{later.trials}" if later else ""
        rows.append(
            (
                f"{stratum.passed_before}/{stratum.trials_before}",
                f"{stratum.passed}/{stratum.trials}",
                *([again] if further else []),
                _chance(change.chance),
                "" if change.parts_at is None else f"[{change.parts_at}]",
                f"{change.id} (critical)" if change.is_critical else change.id,
            )
        )
    return TitledTable(title, headings, rows, words=0, may_be_luck=may_be_luck)


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
    """Yield the mistakes that are now made more often or less, in 100 trials."""
    before, now = (_finding_rates(side.runs) for side in (pairing.baseline, pairing.candidate))

    def rank(words: str) -> tuple[float, str]:
        return -abs(now.get(words, 0) - before.get(words, 0)), words

    changed = [words for words in {*before, *now} if rank(words)[0] <= -1]
    rows = [
        (words, f"{before.get(words, 0):.0f}", f"{now.get(words, 0):.0f}")
        for words in sorted(changed, key=rank)
    ]
    if rows:
        headings = ("", "before", "now")
        yield TitledTable("mistakes in 100 trials", headings, rows[:_MOST_FINDINGS])


def _finding_rates(runs: Sequence[Run]) -> dict[str, float]:
    trials = sum(run.trials for run in runs) or 1
    counts: Counter[str] = Counter()
    for run in runs:
        counts.update(run.findings)
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
        yield TitledTable("mistakes in 100 trials, by part", ("", *codes), mistakes)


def _estimate_row(row: Estimate) -> Cells:
    intervals = (_format_interval(row.suite), _format_interval(row.similar))
    shares = (f"{row.score:.3f}", f"{row.always:.3f}", f"{row.ever:.3f}")
    return row.name, str(row.scenarios), f"{row.rate:.3f}", *intervals, *shares, str(row.flips)


def _format_interval(interval: Interval | None) -> str:
    return "n/a" if interval is None else f"{interval.low:.3f} to {interval.high:.3f}"


def _chance(value: float) -> str:
    """Return a chance so that a small one is not shown as 0."""
    return f"{value:.3f}" if value >= 0.0005 else "<0.001"  # noqa: PLR2004  # where .3f says 0.000
