from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, strategies as st
from rows import every

from pytest_toolsandbox.builtin.office import world
from pytest_toolsandbox.scoring.error_patterns.accepted_calls import ground_truth_accepted
from pytest_toolsandbox.scoring.tooltalk.evaluate_calls import (
    CallCounts,
    CallErrors,
    CallEvaluation,
    evaluate_calls,
)
from pytest_toolsandbox.scoring.tooltalk.matching import match_calls
from pytest_toolsandbox.scoring.tooltalk.rules import PUBLISHED_CODE, TURNWISE, Call, CallProtocol

Matching = tuple[int | None, ...]

GRAPHS = st.integers(0, 5).flatmap(
    lambda truths: st.lists(
        st.lists(st.integers(0, max(truths - 1, 0)), unique=True, max_size=truths), max_size=6
    )
)


def all_matchings(agreeing: Sequence[Sequence[int]]) -> Iterator[Matching]:
    if not agreeing:
        yield ()
        return
    for rest in all_matchings(agreeing[:-1]):
        yield (*rest, None)
        yield from ((*rest, truth) for truth in agreeing[-1] if truth not in rest)


@given(GRAPHS)
def test_of_the_largest_matchings_the_first_is_chosen(agreeing: list[list[int]]) -> None:
    """Predictions that are served come before the truths that they get."""

    def rank(matching: Matching) -> tuple[int, list[bool], list[int]]:
        truths = [truth for truth in matching if truth is not None]
        return -len(truths), [truth is None for truth in matching], truths

    assert match_calls(agreeing) == min(all_matchings(agreeing), key=rank)


def test_many_calls_are_matched() -> None:
    """In the last row, the last call is served only if each of the others moves on by one."""
    assert match_calls([[place % 10, 3] for place in range(600)]) == (*range(10), *[None] * 590)
    assert match_calls([range(100)] * 101) == (*range(100), None)
    agreeing = [[place, place + 1] for place in range(40)] + [[0]]
    assert match_calls(agreeing) == (*range(1, 41), 0)


def judged(
    predictions: list[Call], truths: list[Call], protocol: CallProtocol = TURNWISE
) -> CallEvaluation:
    return evaluate_calls(predictions, truths, world.tools, protocol)


def marks(result: CallEvaluation) -> tuple[list[int | None], list[int | None]]:
    return [call.match for call in result.predictions], [
        call.match for call in result.ground_truths
    ]


def modify(event: str = "1", **new: Any) -> Call:
    return Call("ModifyEvent", {"event_id": event, **new}, {"status": "success"}, None, "token")


def events(*identifiers: str, **arguments: str) -> Call:
    rows = [{"event_id": identifier} for identifier in identifiers]
    return Call("QueryCalendar", arguments, {"events": rows}, None, "token")


ROOM = modify(new_location="Room Birch")
NAME = modify(new_name="Review")
BOTH = modify(new_location="Room Birch", new_name="Review")


def test_modifications_of_one_thing_are_one_call() -> None:
    result = judged([ROOM, NAME], [BOTH])
    assert result.passed
    assert marks(result) == ([0, 0], [0])
    assert result.counts == CallCounts(1, 1, 1, 2, 2, 0)
    assert not judged([ROOM, NAME], [BOTH], PUBLISHED_CODE).passed
    split = judged([BOTH], [NAME, ROOM])
    assert split.passed
    assert marks(split) == ([0], [0, 0])
    assert (split.counts.precision, split.counts.recall) == (1, 1)


def test_attendees_as_they_were_are_no_change() -> None:
    repeated = modify(new_location="Room Birch", new_attendees=["bob", "cy"])
    assert judged([repeated], [ROOM]).passed
    assert not judged([replace(repeated, unasked=("new_attendees",))], [ROOM]).passed


@every(
    "predictions",
    [
        [ROOM],
        [ROOM, ROOM, NAME],
        [modify(new_location="Room Alder"), BOTH],
        [ROOM, replace(NAME, turn=1)],
        [ROOM, replace(NAME, session="other")],
        [ROOM, replace(NAME, error="No.", result=None)],
        [ROOM, modify("2", new_name="Review")],
        [replace(ROOM, arguments=None), NAME],
        [replace(ROOM, arguments={"new_location": "Room Birch"}), NAME],
    ],
)
def test_others_are_not(predictions: list[Call]) -> None:
    assert not judged(predictions, [BOTH]).passed


def test_an_account_is_modified_likewise() -> None:
    def update(**new: str) -> Call:
        arguments = {"password": "a", **new}
        return Call("UpdateAccountInformation", arguments, {"status": "success"}, None, "token")

    parts = [update(new_email="a@b.c"), update(new_phone_number="218-555-0100")]
    assert judged(parts, [update(new_phone_number="218-555-0100", new_email="a@b.c")]).passed


def test_a_look_up_serves_all_that_ask_for_what_it_found() -> None:
    truths = [events("1"), events("2"), events("3")]
    result = judged([events("1", "2", "4")], truths)
    assert marks(result) == ([0], [0, 0, None])
    assert (result.counts.matches, result.counts.predictions) == (2, 2)
    assert marks(judged([events("1", "2")], truths[:2], PUBLISHED_CODE))[1] == [0, None]


def test_several_look_ups_together_find_what_was_asked_for() -> None:
    result = judged([events("1"), events("2")], [events("2", "1")])
    assert marks(result) == ([None, None], [0])
    assert result.passed
    assert not judged([events("1"), events("2")], [events("2", "3")]).passed
    other = replace(events("2"), session="other")
    assert not judged([events("1"), other], [events("2", "1")]).passed
    failed = replace(events(), result=None, error="No.")
    assert judged([failed, events("1"), events("2")], [events("2", "1")]).passed
    first, two, both, other_rows = (
        replace(events(), result=[{"event_id": identifier} for identifier in identifiers])
        for identifiers in ("1", "2", "21", "23")
    )
    assert judged([first, two], [both]).passed
    assert not judged([first, two], [other_rows]).passed
    assert not judged([events("1"), two], [both]).passed


def test_what_returns_no_rows_is_not_put_together() -> None:
    users = [Call("QueryUser", {}, {"users": [{"username": name}]}, None, "t") for name in "ab"]
    both = replace(users[0], result={"users": [{"username": "a"}, {"username": "b"}]})
    assert not judged(users, [both]).passed
    odd = replace(events(), result=[])
    assert not judged([odd, events("2")], [events("1")]).passed
    assert not judged([], [events("1")]).passed


def test_further_look_ups_do_not_count() -> None:
    calls = [events("9"), Call("Unknown", {}, error="No such tool."), ROOM]
    result = judged(calls, [ROOM])
    assert result.counts == CallCounts(2, 1, 1, 1, 1, 0)
    assert result.plugins == {"Calendar": CallCounts(1, 1, 1, 1, 1, 0)}
    assert judged(calls, [ROOM], PUBLISHED_CODE).counts.predictions == 3
    wrong = [events("9"), modify(new_location="Room Alder")]
    assert judged(wrong, [ROOM]).errors == CallErrors(bad_call=1)
    assert judged(wrong, [ROOM], PUBLISHED_CODE).errors == CallErrors(bad_planning=1)


@pytest.mark.parametrize(
    ("predictions", "truths", "accepted"),
    [
        ([ROOM, NAME], [BOTH], [ROOM, NAME]),
        ([BOTH], [NAME, ROOM], [BOTH]),
        ([ROOM], [BOTH], [BOTH]),
        ([events("1", "2", when="week")], [events("1"), events("2")], [events(when="week")]),
        (
            [events("1", when="a"), events("2", when="b")],
            [events("1", "2")],
            [events(when="a"), events(when="b")],
        ),
        ([events("9"), ROOM, events("8")], [ROOM], [ROOM, events()]),
        ([events("9", when="a")], [events("1")], [events()]),
        ([replace(events("9"), error="No.", result=None), ROOM], [ROOM], [ROOM]),
    ],
)
def test_error_patterns_compare_with_the_calls_that_made_it(
    predictions: list[Call], truths: list[Call], accepted: list[Call]
) -> None:
    (solution,) = ground_truth_accepted(judged(predictions, truths))
    assert [(call.tool, call.arguments) for call in solution] == [
        (call.tool, call.arguments) for call in accepted
    ]


def test_another_look_up_with_the_same_fields_serves_as_well() -> None:
    account = {"username": "ada", "email": "ada@a.example"}
    truth = Call("GetAccountInformation", {}, {"user": account}, None, "token")
    prediction = Call(
        "QueryUser", {"username": "ada"}, {"users": [{"name": "Ada", **account}]}, turn=1
    )
    other = replace(prediction, result={"users": [{"username": "ada", "email": "b@b.example"}]})
    assert marks(judged([other, prediction], [truth])) == ([None, None], [1])
    assert judged([prediction], [truth]).passed
    assert not judged([prediction], [truth], PUBLISHED_CODE).passed
    assert not judged([other], [truth]).passed
