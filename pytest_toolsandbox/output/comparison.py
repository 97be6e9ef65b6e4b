"""What changed between two samples, as parts that text and Markdown write alike."""

from __future__ import annotations

import difflib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from math import fsum
from typing import Any, Final, NamedTuple

from pytest_toolsandbox.gate.comparing import Pairing
from pytest_toolsandbox.gate.permutation import FALSE_SHARE
from pytest_toolsandbox.gate.played import COSTS
from pytest_toolsandbox.gate.rates import Interval
from pytest_toolsandbox.gate.samples import Estimate, Run, Sample, estimates
from pytest_toolsandbox.gate.verdict import Change, Verdict
from pytest_toolsandbox.text.formatting import pluralize, truncate

from .tables import Cells

MOST_FINDINGS: Final = 8
_COST_FORMS: Final = {"cost": ".4f", "tokens": ".0f"}
_COST_NAMES: Final = {
    "tool_calls": "tool calls",
    "cost": "cost, US dollars",
    "latency": "latency, seconds",
}
_DIFF_LINES: Final = 40


class Part(NamedTuple):
    """A table with its title; the first of its ``rows`` are the headings.

    ``words`` is how many columns are words, which stand to the left; without any the last one is.
    What may be luck is shown in less detail.
    """

    title: str
    rows: Sequence[Cells]
    words: int = 1
    is_luck: bool = False


def changed_scenarios(verdict: Verdict) -> Iterator[Part]:
    """Yield the scenarios that broke or were mended, and those where it may be luck."""
    for worse, changes in ((True, verdict.broken), (False, verdict.mended)):
        name, way = ("broke", "less") if worse else ("were mended", "more")
        luck = f"up to {FALSE_SHARE:.0%} of this list may be luck"
        parts = (
            (f"scenarios that {name} ({luck})", True),
            (f"passed {way} often; each alone may be luck", False),
        )
        for title, is_sure in parts:
            if ones := [one for one in changes if one.is_sure is is_sure]:
                yield Part(title, _change_rows(ones), 0, is_luck=not is_sure)


def _change_rows(changes: Sequence[Change]) -> list[Cells]:
    further = ("further",) if any(one.further for one in changes) else ()
    headings = ("before", "now", *further, "p", "parts at", "scenario")
    return [headings, *(_change_row(one, has_further=bool(further)) for one in changes)]


def _change_row(one: Change, *, has_further: bool) -> Cells:
    stratum, asked = one.stratum, one.further
    before, now = (stratum.passed_before, stratum.trials_before), (stratum.passed, stratum.trials)
    again = [f"{asked.passed}/{asked.trials}" if asked else ""] if has_further else []
    apart = "" if one.parts_at is None else f"[{one.parts_at}]"
    name = f"{one.id} (critical)" if one.is_critical else one.id
    return "{}/{}".format(*before), "{}/{}".format(*now), *again, chance(one.chance), apart, name


def changed_groups(verdict: Verdict) -> Iterator[Part]:
    """Yield the categories, augmentations and worlds that pass less often."""
    rows = [
        (one.name, str(one.scenarios), f"{one.drop:+.3f}", chance(one.chance))
        for one in verdict.groups
        if one.drop > 0
    ]
    if rows:
        yield Part("passes less often", [("", "scenarios", "drop", "p (Holm)"), *rows])


def changed_costs(pairing: Pairing) -> Iterator[Part]:
    """Yield what a trial took before and now, as far as both are known."""
    rows = []
    for name in COSTS:
        before, now = (
            _mean_cost(side.runs, name) for side in (pairing.baseline, pairing.candidate)
        )
        if before is not None and now is not None:
            share = f"{now / before - 1:+.0%}" if before else ""
            figures = (_written_cost(name, before), _written_cost(name, now), share)
            rows.append((_COST_NAMES.get(name, name), *figures))
    if rows:
        yield Part("what a trial took", [("", "before", "now", "change"), *rows])


def _written_cost(name: str, value: float | None) -> str:
    return "n/a" if value is None else format(value, _COST_FORMS.get(name, ".1f"))


def _mean_cost(runs: Sequence[Run], name: str) -> float | None:
    known = [(run.costs[name], run.trials) for run in runs if name in run.costs]  # type: ignore[literal-required]  # it is one of its names
    trials = sum(count for _, count in known)
    return fsum(value * count for value, count in known) / trials if trials else None


def changed_findings(pairing: Pairing) -> Iterator[Part]:
    """Yield the mistakes that are now made more often or less, in 100 trials."""
    before, now = (_findings(side.runs) for side in (pairing.baseline, pairing.candidate))

    def rank(words: str) -> tuple[float, str]:
        return -abs(now[words] - before[words]), words

    changed = [words for words in {*before, *now} if abs(now[words] - before[words]) >= 1]
    rows = [(w, f"{before[w]:.0f}", f"{now[w]:.0f}") for w in sorted(changed, key=rank)]
    if rows:
        headings = ("", "before", "now")
        yield Part("mistakes in 100 trials", [headings, *rows[:MOST_FINDINGS]])


def _findings(runs: Sequence[Run]) -> Counter[str]:
    trials = sum(run.trials for run in runs) or 1
    found: Counter[str] = Counter()
    for run in runs:
        found.update(run.findings)
    rates: Counter[str] = Counter()
    for words, count in found.items():
        rates[words] = 100 * count / trials  # type: ignore[assignment]  # a share
    return rates


def changed_setup(pairing: Pairing) -> Iterator[Part]:
    """Yield what differs in how the two were played."""
    rows = [
        *_of_runs(pairing, "agent", lambda run: run.agents),
        *_of_settings(pairing),
        *_of_digests(pairing, "prompt", lambda side, name: side.scenarios[name].prompt),
        *_of_digests(pairing, "tools", lambda side, name: side.scenarios[name].tools),
    ]
    if rows:
        yield Part("what differs in how it was played", [("", "before", "now"), *rows], words=3)


def _of_runs(
    pairing: Pairing, name: str, values: Callable[[Run], Iterable[str]]
) -> Iterator[Cells]:
    before, now = (
        ", ".join(sorted({one for run in side.runs for one in values(run)}))
        for side in (pairing.baseline, pairing.candidate)
    )
    if before != now:
        yield name, truncate(before), truncate(now)


def _of_settings(pairing: Pairing) -> Iterator[Cells]:
    sides = (pairing.baseline, pairing.candidate)
    known = [[json.loads(one) for run in side.runs for one in run.settings] for side in sides]
    names = sorted({name for side in known for one in side for name in one} - {"name"})
    for name in names:
        before, now = (
            ", ".join(sorted({json.dumps(one.get(name), sort_keys=True) for one in side}))
            for side in known
        )
        if before != now:
            yield name, truncate(before), truncate(now)


def _of_digests(
    pairing: Pairing, name: str, digest: Callable[[Sample, str], str]
) -> Iterator[Cells]:
    pairs = [(digest(pairing.baseline, s), digest(pairing.candidate, s)) for s in pairing.strata]
    changed = [(old, new) for old, new in pairs if old and new and old != new]
    if changed:
        where = f"in {pluralize(len(changed), 'scenario')}"
        kinds = len(set(changed))
        shown = changed[0] if kinds == 1 else (f"{kinds} kinds", "others")
        yield f"{name} ({where})", *shown


def prompt_diff(pairing: Pairing) -> list[str]:
    """Return the first changed system prompt as a diff, where both texts are known."""
    old, new = pairing.baseline.prompts, pairing.candidate.prompts
    for name in pairing.strata:
        before = pairing.baseline.scenarios[name].prompt
        now = pairing.candidate.scenarios[name].prompt
        if before != now and before in old and now in new:
            texts = (old[before].splitlines(), new[now].splitlines())
            lines = list(difflib.unified_diff(*texts, "before", "now", lineterm="", n=1))
            more = len(lines) - _DIFF_LINES
            return lines[:_DIFF_LINES] + (
                [f"and {pluralize(more, 'line')} more"] if more > 0 else []
            )
    return []


def estimate_parts(sample: Sample) -> Iterator[Part]:
    """Yield what is known of a sample alone: rows for each category, augmentation, world, all."""
    found = estimates(sample)
    yield _rates(found)
    if names := [name for name in COSTS if any(name in one.costs for one in found)]:
        headings = ("", *(_COST_NAMES.get(name, name) for name in names))
        yield Part("what a trial took, by part", [headings, *(_taken(o, names) for o in found)])
    if codes := found[-1].patterns if found else ():
        rows = [(o.name, *(f"{100 * o.patterns.get(c, 0):.0f}" for c in codes)) for o in found]
        yield Part("mistakes in 100 trials, by part", [("", *codes), *rows])


def _taken(one: Estimate, names: Sequence[str]) -> Cells:
    costs: Any = one.costs
    return one.name, *(_written_cost(name, costs.get(name)) for name in names)


def _rates(found: Sequence[Estimate]) -> Part:
    k = found[-1].trials if found else 1
    headings = (
        *("", "scenarios", "pass rate", "these scenarios", "scenarios like these", "score"),
        *(f"pass^{k}", f"pass@{k}", "flips"),
    )
    return Part("estimates", [headings, *map(_estimate_row, found)])


def _estimate_row(one: Estimate) -> Cells:
    intervals = (written_interval(one.suite), written_interval(one.others))
    shares = (f"{one.score:.3f}", f"{one.always:.3f}", f"{one.ever:.3f}")
    return one.name, str(one.scenarios), f"{one.rate:.3f}", *intervals, *shares, str(one.flips)


def written_interval(interval: Interval | None) -> str:
    """Write an interval as ``0.61 to 0.73``."""
    return "n/a" if interval is None else f"{interval.low:.3f} to {interval.high:.3f}"


def chance(value: float) -> str:
    """Write a chance so that a small one is not 0."""
    return f"{value:.3f}" if value >= 0.0005 else "<0.001"  # noqa: PLR2004  # where .3f says 0.000
