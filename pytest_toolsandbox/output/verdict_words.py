"""A verdict in words: the sentence, its figures, where the pass rate fell, what is not compared."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import fmean
from typing import Final, Literal

from pytest_toolsandbox.gate.permutation import Stratum
from pytest_toolsandbox.gate.plan import Remedy
from pytest_toolsandbox.gate.rates import Passes
from pytest_toolsandbox.gate.samples import pass_hat
from pytest_toolsandbox.gate.verdict import MOST_TRIALS, Verdict
from pytest_toolsandbox.text.formatting import join_words, one_line, pluralize

from .comparison_tables import changed_mistakes, fallen_groups, short_names
from .error_table import spelled_out
from .tables import chance_text

_MOST_NAMED: Final = 3
_LONGEST_NAME: Final = 60
_LEAST: Final = 0.001
"""The smallest drop with three digits."""
_LIKELY: Final = 0.2
"""A group whose p is larger is not named: its drop may well be luck."""


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
    question = f"is the drop below the margin of {verdict.margin:g}?"
    yield f"{question} {_margin_answer(verdict)}{marks.get('margin', '')}"
    side: Literal["worse", "better"] = "worse" if is_drop else "better"
    here = chance_text(getattr(verdict.pairing.tails, side))
    there = chance_text(getattr(verdict.tails_of_others, side))
    level = f"{side} at {verdict.level_of_worse(verdict.levels):g} or less"
    yield f"is it {side} on these scenarios? p {here}, {level}{marks.get(side, '')}"
    yield f"is it {side} on scenarios like these? p {there}"
    if (scores := verdict.scores) is not None:
        luck = chance_text(
            scores.tails.worse if scores.now <= scores.before else scores.tails.better
        )
        yield f"mean score {scores.now:.3f}, baseline {scores.before:.3f}: p {luck}"
    yield from _all_passed(verdict.strata)
    strata = verdict.strata
    numbers = ([s.trials_before for s in strata], [s.trials for s in strata])
    each = " and ".join(
        str(min(sizes)) if min(sizes) == max(sizes) else f"{min(sizes)} to {max(sizes)}"
        for sizes in numbers
    )
    yield f"{pluralize(len(strata), 'scenario')} compared; trials of each: {each}"


def _margin_answer(verdict: Verdict) -> str:
    """Return whether the drop is below the margin, and how large it may be."""
    if verdict.is_below_margin:
        return f"yes: it is below {max(verdict.largest_drop, _LEAST):.3f}"
    answer = "not certain" if verdict.is_below_margin is None else "no"
    if verdict.largest_drop <= verdict.margin:
        return f"{answer}: trials are missing"
    return f"{answer}: it may be up to {verdict.largest_drop:.3f}"


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
        yield f"pass^{k} {now:.3f}, baseline {before:.3f}: all {k} trials pass"


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


def where_it_fell(verdict: Verdict) -> list[str]:
    """Return what fell most if it is worse, which mistake grew most, how many broke, and some."""
    if not verdict.strata or verdict.kind != "worse":
        return []
    telling = [group for group in fallen_groups(verdict)[:1] if group.chance <= _LIKELY]
    parts = [f"{group.name} fell most clearly, by {group.drop:.3f}" for group in telling]
    grown = [change for change in changed_mistakes(verdict.pairing) if change.now > change.before]
    changes = [f"{c.words} {c.before:.0f} -> {c.now:.0f} per 100 trials" for c in grown[:1]]
    parts += spelled_out(changes)
    broke = sum(change.is_sure for change in verdict.broken)
    less = len(verdict.broken) - broke
    ids = [change.id for change in verdict.broken]
    short = short_names(ids)
    names = ", ".join(one_line(short.get(name, name), _LONGEST_NAME) for name in ids[:_MOST_NAMED])
    named = [f"among them {names}" if len(ids) > _MOST_NAMED else names] if names else []
    if not broke:
        count = f"{pluralize(less, 'scenario')} passed less often; each alone may be luck"
        return [*parts, count, *named]
    rest = [f"{less} passed less often"] if less else []
    return [*parts, ", ".join([f"{pluralize(broke, 'scenario')} broke", *rest]), *named]
