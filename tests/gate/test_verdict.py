"""Verdicts of two samples, and the sequential plan: when it stops and what it spends."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import replace

import pytest
from gate_samples import SCRIPTED, sample, trial

from pytest_toolsandbox.gate.pairing import IncomparableError, pair
from pytest_toolsandbox.gate.permutation import Stratum
from pytest_toolsandbox.gate.played import Conditions
from pytest_toolsandbox.gate.samples import sample_of
from pytest_toolsandbox.gate.verdict import (
    CONFIRMING,
    FIXED,
    LOOKS,
    SPENT,
    Verdict,
    concluded,
    judged,
    looked,
    next_look,
    spent_until,
    to_confirm,
    usual_margin,
)
from pytest_toolsandbox.output.verdict_words import verdict_sentence

TEN = "+" * 10


def suite(marks: str, size: int = 40) -> dict[str, str]:
    return {f"s{number:03}": marks for number in range(size)}


def verdict(
    before: Mapping[str, str], after: Mapping[str, str], margin: float | None = None
) -> Verdict:
    return judged(pair(sample(before), sample(after)), margin)


def test_nothing_fell_and_enough_was_played() -> None:
    assert verdict(suite(TEN), suite("+++")).kind == "no worse"


@pytest.mark.parametrize(("size", "kind"), [(70, "inconclusive"), (75, "no worse")])
def test_no_worse_is_said_at_less_than_five_percent(size: int, kind: str) -> None:
    """At 5 % it would be said of 68 scenarios, too."""
    judgement = verdict(suite("+", size), suite("+", size), margin=0.05)
    assert judgement.kind == kind


def test_much_fell() -> None:
    judgement = verdict(suite(TEN), suite("+++") | {f"s{n:03}": "---" for n in range(6)})
    assert judgement.kind == "worse"
    assert [change.id for change in judgement.broken if change.is_sure] == [
        f"s{n:03}" for n in range(6)
    ]
    assert judgement.mended == []


def test_what_broke_alike_is_ordered_by_its_score() -> None:
    scores = {"s000": 0.8, "s001": 0.2, "s002": 0.5}
    now = sample_of([trial(name, False, score=score) for name, score in scores.items()], "", "")
    judgement = judged(pair(sample(suite("+", 3)), now))
    assert [change.id for change in judgement.broken] == ["s001", "s002", "s000"]


def test_much_rose() -> None:
    judgement = verdict(suite("-" * 10), suite("---") | {f"s{n:03}": "+++" for n in range(6)})
    assert judgement.kind == "better"
    assert len([change for change in judgement.mended if change.is_sure]) == 6


def test_a_few_trials_say_nothing_and_how_many_would() -> None:
    judgement = verdict(suite("++++", 10), suite("+", 10))
    assert (judgement.kind, judgement.why) == ("inconclusive", "the trials are too few to tell")
    assert judgement.needed is not None
    assert judgement.needed.trials > 1
    assert judgement.needed.cost is None


def test_how_many_scenarios_would_decide_if_no_trials_do() -> None:
    mixed = {f"s{n}": "++++++++--" if n % 2 else "++++++++++" for n in range(6)}
    judgement = verdict(mixed, {f"s{n}": "++-++" for n in range(6)})
    assert (judgement.kind, judgement.needed) == ("inconclusive", None)
    assert judgement.needed_plan is not None
    assert (judgement.needed_plan.trials, judgement.needed_plan.scenarios > 6) == (5, True)
    text = (
        f"about {judgement.needed_plan.scenarios} scenarios like these would, with 5 trials of each"
    )
    assert verdict_sentence(judgement).endswith(f"; {text}, or a wider margin")


def test_what_the_further_trials_cost_where_it_is_known() -> None:
    candidate = sample(suite("+", 10), cost={"cost": 0.02})
    judgement = judged(pair(sample(suite("++++", 10)), candidate))
    assert judgement.needed is not None
    assert judgement.needed.cost == pytest.approx((judgement.needed.trials - 1) * 10 * 0.02)


def test_a_drop_that_is_sure_and_smaller_than_the_margin_is_no_worse() -> None:
    before = suite(TEN, 150)
    after = suite(TEN, 150) | {f"s{n:03}": "+" * 7 + "---" for n in range(5)}
    assert verdict(before, after, margin=0.0).kind == "worse"
    assert verdict(before, after, margin=0.05).kind == "no worse"


@pytest.mark.parametrize(("lost", "kind"), [(5, "inconclusive"), (4, "worse")])
def test_above_a_tenth_missing_nothing_is_concluded(lost: int, kind: str) -> None:
    after = suite("---") | {f"s{n:03}": "???" for n in range(lost)}
    assert verdict(suite(TEN), after).kind == kind


def test_scenarios_that_should_have_been_played_are_missing() -> None:
    half = suite("---", 20)
    judgement = judged(pair(sample(suite(TEN)), sample(half), expected=list(suite(""))))
    assert (judgement.kind, judgement.why) == ("inconclusive", "50% of the trials are missing")
    assert judged(pair(sample(suite(TEN)), sample(half))).kind == "worse"  # a selection


def test_nothing_in_common() -> None:
    judgement = verdict(suite(TEN), {"other": "+++"})
    assert (judgement.kind, judgement.why) == ("inconclusive", "no scenario can be compared")
    assert judgement.pairing.new == ["other"]


def test_items_of_several_agents_have_other_names_than_those_of_one() -> None:
    judgement = verdict({"a.yaml::x": "+++"}, {"a.yaml::x[b]": "+++", "a.yaml::x[c]": "+"})
    names = "an item is named x[b] here, and x in the baseline"
    assert judgement.why.startswith(f"no scenario can be compared; {names}; ")


def test_a_scenario_with_another_task_drops_out_alone() -> None:
    trials = [trial(f"s{n:03}", n > 0, digest="d2" if n == 0 else "d1") for n in range(40)] * 3
    judgement = judged(pair(sample(suite(TEN)), sample_of(trials)))
    assert judgement.pairing.changed == ["s000"]
    assert (judgement.kind, len(judgement.strata)) == ("no worse", 39)


def test_a_scenario_in_quarantine_gates_nothing() -> None:
    trials = [trial(f"s{n:03}", n > 9, quarantined=n < 10) for n in range(40)] * 3
    judgement = judged(pair(sample(suite(TEN)), sample_of(trials)))
    assert (judgement.kind, len(judgement.strata)) == ("no worse", 30)
    assert len(judgement.pairing.quarantined) == 10


def critical(marks: str, names: int, margin: float = 0.1) -> Verdict:
    trials = [
        trial(f"s{n:03}", mark == "+", critical=n < names)
        for n in range(40)
        for mark in (marks if n == 0 else "+++")
    ]
    return judged(pair(sample(suite(TEN)), sample_of(trials)), margin)


def test_a_critical_scenario_gates_alone() -> None:
    assert critical("---", 0).kind == "no worse"
    judgement = critical("---", 1)
    assert (judgement.kind, judgement.broken_critical) == ("worse", ["s000"])


def test_many_critical_scenarios_need_more_each() -> None:
    assert critical("---", 20).broken_critical == []


@pytest.mark.parametrize(
    ("other", "text"),
    [
        (Conditions("gpt", "native", "feedback off"), "the user: gpt here, scripted there"),
        (Conditions("scripted", "text", "feedback off"), "calls: text here, native there"),
        (
            Conditions("scripted", "native", "feedback on"),
            "feedback: feedback on here, feedback off there",
        ),
        (SCRIPTED._replace(judge="openai/gpt"), "the judge: openai/gpt here, none there"),
    ],
)
def test_other_conditions_are_no_baseline(other: Conditions, text: str) -> None:
    with pytest.raises(IncomparableError) as caught:
        pair(sample(suite(TEN)), sample(suite("+"), conditions=other))
    assert str(caught.value) == text


def test_a_part_of_the_conditions_can_be_compared() -> None:
    mixed = [trial("a", True), trial("b", True, conditions=SCRIPTED._replace(call_format="text"))]
    assert pair(sample_of(mixed), sample({"a": "+"})).strata.keys() == {"a"}


def test_graded_scores_may_fall_where_no_more_scenarios_fail() -> None:
    before = sample(suite("---"), score=0.9)
    judgement = judged(pair(before, sample(suite("---"), score=0.4)), margin=0.2)
    assert judgement.kind == "no worse"
    assert judgement.scores is not None
    assert (judgement.scores.before, judgement.scores.now) == pytest.approx((0.9, 0.4))
    assert judgement.scores.tails.worse < 0.001
    assert verdict(suite(TEN), suite("+")).scores is None


def test_where_conversations_part() -> None:
    old = sample({"a": "+++"}, path="aaaabbbbcccc")
    judgement = judged(pair(old, sample({"a": "-"}, path="aaaabbbbdddd")))
    assert [change.parts_at for change in judgement.broken] == [2]


def test_categories_are_corrected_for_their_number() -> None:
    trials = [
        trial(f"s{n:03}", n > 4, categories=("hard",) if n < 8 else ("easy",))
        for n in range(40)
        for _ in range(3)
    ]
    judgement = judged(pair(sample(suite(TEN)), sample_of(trials)))
    hard = {group.name: group for group in judgement.groups}["hard"]
    assert (hard.scenarios, hard.drop) == (8, 5 / 8)
    assert hard.chance < 0.001


def test_the_margin_is_smaller_for_many_scenarios() -> None:
    assert [usual_margin(count) for count in (3, 199, 200)] == [0.05, 0.05, 0.03]


def test_neither_order_nor_the_split_in_runs_changes_it() -> None:
    trials = [trial(f"s{n:03}", n % 7 > 0) for n in range(40)] * 3
    whole = judged(pair(sample(suite(TEN)), sample_of(trials)))
    other = judged(pair(sample(suite(TEN)), sample_of(trials[::-1])))
    plain = {field.name for field in dataclasses.fields(Verdict)} - {"pairing"}
    assert [getattr(whole, name) for name in plain] == [getattr(other, name) for name in plain]
    assert (whole.pairing.tails, whole.interval, whole.broken) == (
        other.pairing.tails,
        other.interval,
        other.broken,
    )


TEN_PLAN = {f"s{number:03}": "+" * 10 for number in range(129)}


def test_what_is_spent_on_worse_is_one_in_twenty_in_all() -> None:
    assert sum(levels.worse for levels in SPENT) == pytest.approx(0.05)
    assert len(LOOKS) == len(SPENT)


def test_between_two_looks_the_last_one_counts() -> None:
    assert [[*spent_until(trials)] for trials in (0, 1, 2, 4, 5, 9)] == [
        *([1], [1], [1, 2], [1, 2, 3]),
        *([1, 2, 3, 5], [1, 2, 3, 5]),
    ]
    assert [*spent_until(5).values()] == [*SPENT]


def test_after_the_first_look_the_interval_is_that_of_a_single_verdict() -> None:
    """A run that went on was neither clearly worse nor clearly as good: its interval knows that."""
    doubtful = TEN_PLAN | {f"s{n:03}": "+++++-----" for n in range(60)}
    after = {name: "--+" if name < "s050" else "+++" for name in TEN_PLAN}
    pairing = pair(sample(doubtful), sample(after))
    plain = judged(pairing).interval
    assert looked(pairing, 1).interval == plain
    later = looked(pairing, 3).interval
    assert later != plain
    assert later.low < pairing.model.observed < later.high


def test_it_goes_on_until_it_is_decided_or_at_its_end() -> None:
    doubtful = TEN_PLAN | {f"s{n:03}": "+++++-----" for n in range(40)}
    outcomes = {name: "-" if name < "s022" else "+" for name in TEN_PLAN}
    verdict = looked(pair(sample(doubtful), sample(outcomes)), 1)
    assert verdict.kind == "inconclusive"
    assert [next_look(verdict, trials) for trials in (1, 2, 3, 5)] == [2, 3, 5, None]


def test_it_stops_where_it_is_decided() -> None:
    verdict = looked(pair(sample(TEN_PLAN), sample(dict.fromkeys(TEN_PLAN, "+"))), 1)
    assert (verdict.kind, next_look(verdict, 1)) == ("no worse", None)
    assert next_look(looked(pair(sample(TEN_PLAN), sample({"other": "+"})), 1), 1) is None


def test_a_look_asks_for_more_than_a_single_verdict() -> None:
    few = TEN_PLAN | {f"s{n:03}": "+++++-----" for n in range(40)}
    now = {name: "-" if name < "s027" else "+" for name in TEN_PLAN}
    pairing = pair(sample(few), sample(now))
    assert 0.005 < judged(pairing).pairing.tails.worse < 0.05
    assert (judged(pairing).kind, looked(pairing, 1).kind) == ("worse", "inconclusive")


def test_what_was_played_in_rounds_is_concluded_as_its_last_look_was() -> None:
    baseline, now = sample(TEN_PLAN), sample(dict.fromkeys(TEN_PLAN, "+-"))
    pairing = pair(baseline, replace(now, rounds=2))
    assert concluded(pairing).levels == looked(pairing, 2).levels == SPENT[1]
    assert concluded(pair(baseline, now)).levels == FIXED


WORSE = {name: "-" if name < "s050" else "+" for name in TEN_PLAN}


def test_where_the_suite_got_worse_those_are_asked_again_that_may_be_luck() -> None:
    """Of 50 that seem broken as many as cost one trial of each scenario; of none that is sure."""
    verdict = looked(pair(sample(TEN_PLAN), sample(WORSE)), 1)
    assert (verdict.kind, any(change.is_sure for change in verdict.broken)) == ("worse", True)
    assert to_confirm(verdict) == []
    doubtful = TEN_PLAN | {f"s{n:03}": "+++++++++-" for n in range(50)}
    verdict = looked(pair(sample(doubtful), sample(WORSE)), 1)
    assert (verdict.kind, any(change.is_sure for change in verdict.broken)) == ("worse", False)
    asked = to_confirm(verdict)
    assert asked == [f"s{number:03}" for number in range(129 // CONFIRMING)]


@pytest.mark.parametrize("before", ["+", "++"])
def test_nothing_is_asked_again_that_could_not_be_told(before: str) -> None:
    """Five failures beside a single pass come in one of six cases."""
    suite = dict.fromkeys(TEN_PLAN, before)
    verdict = looked(pair(sample(suite), sample(WORSE)), 1)
    assert verdict.kind == "worse"
    assert len(to_confirm(verdict)) == (0 if before == "+" else 129 // CONFIRMING)


def test_nothing_is_asked_again_where_the_suite_is_not_worse() -> None:
    now = dict.fromkeys(TEN_PLAN, "+") | {"s000": "-"}
    verdict = looked(pair(sample(TEN_PLAN), sample(now)), 1)
    assert (verdict.kind, [change.id for change in verdict.broken]) == ("no worse", ["s000"])
    assert to_confirm(verdict) == []


def test_further_trials_tell_which_broke_and_change_nothing_else() -> None:
    doubtful = TEN_PLAN | {f"s{n:03}": "+++++++++-" for n in range(50)}
    plain = looked(pair(sample(doubtful), sample(WORSE)), 1)
    marks = {"s000": "-----", "s001": "--+++"}
    played = [trial(name, mark == "+") for name, marks in WORSE.items() for mark in marks]
    played += [
        trial(name, mark == "+", confirms=True, is_added=True)
        for name, each in marks.items()
        for mark in each
    ]
    judgement = concluded(pair(sample(doubtful), sample_of(played)))
    assert [change.id for change in judgement.broken if change.is_sure] == ["s000"]
    assert judgement.broken[0].further == Stratum(9, 10, 0, 5)
    assert judgement.strata == plain.strata
    assert (judgement.kind, judgement.levels, judgement.pairing.tails) == (
        plain.kind,
        plain.levels,
        plain.pairing.tails,
    )
    assert judgement.pairing.candidate.runs == plain.pairing.candidate.runs
