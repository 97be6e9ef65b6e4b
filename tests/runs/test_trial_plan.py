"""Which trials are played, and when no more are."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, strategies as st

from pytest_toolsandbox.records.record import Outcome
from pytest_toolsandbox.records.trials import verdict
from pytest_toolsandbox.runs.job import PassRule, TrialPlan

OUTCOMES: st.SearchStrategy[list[Outcome]] = st.lists(
    st.sampled_from(["passed", "failed"]), min_size=9, max_size=9
)
PLANS = st.integers(1, 9).flatmap(
    lambda trials: st.builds(TrialPlan, st.just(trials), st.integers(1, trials), st.just(True))
)


def played(plan: TrialPlan, comes: Sequence[Outcome], *, together: bool) -> list[Outcome]:
    """Return the outcomes of the trials that are played, whose outcomes would be ``comes``."""
    outcomes: list[Outcome] = []
    left = list(range(plan.trials))
    while numbers := plan.next_trials(outcomes, left):
        now = numbers if together else numbers[:1]
        outcomes += [comes[number] for number in now]
        left = left[len(now) :]
    return outcomes


def outcome_of(plan: TrialPlan, outcomes: Sequence[Outcome]) -> Outcome:
    of_trials = {"planned": plan.trials, "needed": plan.needed}
    return verdict([{"outcome": outcome, "of_trials": of_trials} for outcome in outcomes])


@given(PLANS, OUTCOMES)
def test_what_is_spared_changes_no_verdict(plan: TrialPlan, comes: list[Outcome]) -> None:
    one_by_one = played(plan, comes, together=False)
    assert outcome_of(plan, one_by_one) == outcome_of(plan, comes[: plan.trials])
    for length in range(len(one_by_one)):  # each could still decide it
        ends: tuple[Outcome, ...] = ("passed", "failed")
        ended = [(one_by_one[:length] + [end] * 9)[: plan.trials] for end in ends]
        assert [outcome_of(plan, outcomes) for outcomes in ended] == ["passed", "failed"]
    assert played(plan, comes, together=True) == one_by_one


def test_all_are_played_where_that_is_wanted() -> None:
    plan = TrialPlan(3, 3)
    assert played(plan, ["failed"] * 3, together=True) == ["failed"] * 3


@pytest.mark.parametrize(
    ("plan", "comes", "count"),
    [
        (TrialPlan(5, 5, stops_early=True), ["passed", "failed"], 2),
        (TrialPlan(5, 1, stops_early=True), ["failed", "passed"], 2),
        (TrialPlan(5, 3, stops_early=True), ["passed"] * 3, 3),
        (TrialPlan(5, 3, stops_early=True), ["passed", "failed"] * 3, 5),
        (TrialPlan(3, 3, stops_early=True), ["error", "passed", "failed"], 3),
        (TrialPlan(3, 3, stops_early=True), ["error", "failed"], 2),
        (TrialPlan(3, 2, stops_early=True), ["error", "error", "passed"], 2),  # it stays open
    ],
)
def test_how_many_are_played(plan: TrialPlan, comes: list[Outcome], count: int) -> None:
    assert len(played(plan, comes, together=False)) == count


@pytest.mark.parametrize(
    ("rule", "needed"), [("all", 4), ("any", 1), ("majority", 3), (2, 2), (5, 5)]
)
def test_how_many_must_pass(rule: PassRule, needed: int) -> None:
    assert TrialPlan.by(rule, 4) == TrialPlan(4, needed)


def test_a_majority_is_more_than_half() -> None:
    plans = [TrialPlan.by("majority", trials) for trials in (1, 2, 3, 4, 5)]
    assert [plan.needed for plan in plans] == [1, 2, 2, 3, 3]
