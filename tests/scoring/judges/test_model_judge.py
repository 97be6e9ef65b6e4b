"""The verdict of several votes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest
from rows import every

from pytest_toolsandbox.models.errors import JudgeError, ProviderError
from pytest_toolsandbox.scoring.judges.model_judge import ModelJudge, majority
from pytest_toolsandbox.scoring.results import CriterionOpinion, Opinion

RIGHT = Opinion("right")
FALSE = Opinion("false", "blue", "It is red.")
INCOMPLETE = Opinion("incomplete", why="It says nothing.")
LOST = JudgeError("no verdict")


def voted(answers: Sequence[Opinion | Exception]) -> Opinion:
    left = list(answers)

    def ask() -> Opinion:
        answer = left.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    opinion = majority(ask, len(answers))
    assert left == []
    return opinion


@every(
    ("opinions", "verdict", "why", "votes"),
    [
        ([FALSE], "false", FALSE.why, {}),
        ([RIGHT, RIGHT, RIGHT], "right", "", {"right": 3}),
        ([FALSE, RIGHT, RIGHT], "right", "", {"right": 2, "false": 1}),
        ([RIGHT, FALSE, FALSE], "false", FALSE.why, {"right": 1, "false": 2}),
        ([RIGHT, INCOMPLETE, FALSE], "incomplete", INCOMPLETE.why,
         {"right": 1, "false": 1, "incomplete": 1}),
        ([RIGHT, FALSE, FALSE, INCOMPLETE, RIGHT], "false", FALSE.why,
         {"right": 2, "false": 2, "incomplete": 1}),
        ([LOST, RIGHT, RIGHT], "right", "", {"right": 2}),
    ],
)  # fmt: skip
def test_the_majority_decides(
    opinions: Sequence[Opinion | Exception], verdict: str, why: str, votes: Mapping[str, int]
) -> None:
    opinion = voted(opinions)
    assert (opinion.verdict, opinion.why, opinion.votes) == (verdict, why, votes)


def test_without_a_majority_there_is_no_verdict() -> None:
    with pytest.raises(JudgeError, match="no verdict"):
        voted([RIGHT, FALSE, LOST])


def test_an_outage_ends_the_vote() -> None:
    with pytest.raises(ProviderError):
        voted([RIGHT, ProviderError("down"), RIGHT])


def about(*met: bool) -> Opinion:
    criteria = (
        CriterionOpinion(name, is_met, why=f"{is_met}")
        for name, is_met in zip("ab", met, strict=True)
    )
    return Opinion("right", criteria=tuple(criteria))


def test_each_criterion_has_a_majority_of_its_own() -> None:
    opinion = voted([about(True, False), about(True, True), about(False, False)])
    assert [(criterion.criterion, criterion.met) for criterion in opinion.criteria] == [
        ("a", True),
        ("b", False),
    ]
    assert not opinion.passed
    assert opinion.fault == "not met: b (False)"
    with pytest.raises(JudgeError):
        voted([about(True, False), about(True, True), LOST])


@pytest.mark.parametrize("votes", [0, 2, -1, True, "3", 1.0])
def test_votes_are_an_odd_number(votes: object) -> None:
    with pytest.raises((TypeError, ValueError), match="expected an odd number, such as 3"):
        ModelJudge("openai/a", votes=votes)  # type: ignore[arg-type]  # that is what is tested
