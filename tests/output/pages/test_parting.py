"""Where trials part."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from pantry import scenario

from pytest_toolsandbox import Trial, play_trial
from pytest_toolsandbox.output.pages.record_view import parting_lines

OPEN = "milestones: {told: {says: {mentions: [open]}}}"


def trial(number: int, *says: str) -> Trial:
    left = list(says)
    agent: Callable[..., Any] = lambda _messages, _tools: left.pop(0)  # noqa: E731
    return play_trial(scenario(OPEN), agent, number=number)


def test_trials_that_say_the_same_do_not_part() -> None:
    assert parting_lines([trial(1, "It is open."), trial(2, "It is open.")]) == []


def test_they_part_from_the_first_that_passed() -> None:
    trials = [trial(1, "No."), trial(2, "It is open."), trial(3, "It is open."), trial(4, "No.")]
    assert parting_lines(trials) == [
        "trial 2 and trials 1, 4 part at [2]",
        "  trial 2      agent -> user         It is open.",
        "  trials 1, 4  agent -> user         No.",
    ]


def test_each_way_is_told_and_not_too_many() -> None:
    trials = [trial(number, f"No {number}.") for number in range(1, 7)]
    lines = parting_lines(trials)
    assert [line for line in lines if "part at" in line] == [
        f"trial 1 and trial {number} part at [2]" for number in (2, 3, 4)
    ]
    assert lines[-1] == "and 2 more ways"


def test_one_that_ends_earlier() -> None:
    short, long = trial(1, "No."), trial(2, "No.")
    more = replace(long.trajectory, messages=(*long.trajectory.messages, *long.trajectory.messages))
    assert parting_lines([short, replace(long, trajectory=more)])[:2] == [
        "trial 1 and trial 2 part at [5]",
        "  trial 1  nothing more",
    ]
