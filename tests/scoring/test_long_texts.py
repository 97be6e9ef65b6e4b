"""Of what an agent says at great length, beginning and end are read."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest
from pantry import played, scenario
from rows import every

from pytest_toolsandbox import Trajectory
from pytest_toolsandbox.output.pages.shared_sections import TOO_LONG, with_findings
from pytest_toolsandbox.records.record import Record
from pytest_toolsandbox.records.writing import ran_out
from pytest_toolsandbox.scoring.judging import judge, read_in_part
from pytest_toolsandbox.text.formatting import READ_LIMIT, beginning_and_end
from pytest_toolsandbox.users.turns import turn_of

DOCS = Path(__file__).parents[2] / "docs/scores.md"
MEGABYTES = 9_000_000
PIECES = ("x", "so ", "12 ", "?!", "It is so. ", "Ada Bell, ", "- a:\n", "at 5 pm ", "Ü½ ", " 'a")
TALK = scenario("milestones: {told: {says: {mentions: tea}}}\ncounterexamples: {a: [say: No.]}")
QUERY = scenario(
    "query: How much rice is there?\nanswer: {mentions: rice}\n"
    "solutions: {a: [{list_items: {}}, {finish: {answer: rice}}]}"
)


HALF = READ_LIMIT // 2


def saying(text: str) -> Trajectory:
    """Return a conversation in which the agent says this."""
    trajectory = played(TALK, "a")
    messages = tuple(
        replace(one, content=text) if one.content == "No." else one for one in trajectory.messages
    )
    return replace(trajectory, messages=messages)


def answering(text: str) -> Trajectory:
    trajectory = played(QUERY)
    messages = tuple(
        replace(one, trace=replace(one.trace, arguments={"answer": text}))
        if one.trace and one.trace.tool_name == "finish"
        else one
        for one in trajectory.messages
    )
    return replace(trajectory, messages=messages)


@every("piece", PIECES)
def test_readers_see_no_more_than_the_budget(piece: str) -> None:
    text = piece * (MEGABYTES // len(piece))
    read = beginning_and_end(text)
    assert HALF < len(read) <= READ_LIMIT + len("\n\n")
    start, end = read.split("\n\n")
    assert text.startswith(start)
    assert text.endswith(end)
    assert read in [one.content for one in read_in_part(saying(text)).messages]


def test_a_text_within_the_budget_is_read_whole() -> None:
    trajectory = saying("x" * READ_LIMIT)
    assert read_in_part(trajectory) is trajectory


def test_sentences_and_words_are_kept_whole() -> None:
    sentences = beginning_and_end("I did not send it to Ada. " * READ_LIMIT).split("\n\n")
    assert [one[:5] for one in sentences] == ["I did"] * 2
    assert [one.rstrip()[-4:] for one in sentences] == ["Ada."] * 2
    words = beginning_and_end("12345 " * READ_LIMIT)
    assert set(words.split()) == {"12345"}


@pytest.mark.parametrize(("before", "after"), [(0, READ_LIMIT), (READ_LIMIT, 0)])
def test_what_stands_at_an_end_counts(before: int, after: int) -> None:
    assert judge(TALK, saying(f"{'so ' * before}There is tea. {'so ' * after}")).passed


def test_what_stands_in_the_middle_does_not_and_the_record_says_so() -> None:
    trajectory = saying(f"{'so ' * READ_LIMIT}There is tea. {'so ' * READ_LIMIT}")
    judgement = judge(TALK, trajectory)
    assert not judgement.passed
    assert ran_out(TALK, trajectory, judgement.result) == ["texts"]


def test_an_answer_is_a_text_too() -> None:
    trajectory = answering(f"{'so ' * READ_LIMIT}rice {'so ' * READ_LIMIT}")
    judgement = judge(QUERY, trajectory)
    assert not judgement.passed
    assert ran_out(QUERY, trajectory, judgement.result) == ["texts"]
    assert judge(QUERY, answering("rice")).passed


def test_the_page_says_so_below_the_message() -> None:
    trajectory = saying("so " * READ_LIMIT)
    (at,) = (i for i, one in enumerate(trajectory.messages) if len(one.content) > READ_LIMIT)
    record = {"messages": list(trajectory.messages), "findings": [], "ran_out": ["texts"]}
    notes = with_findings(cast("Record", record), {})
    assert {index: [one.words for one in some] for index, some in notes.items()} == {at: [TOO_LONG]}
    assert f"^ {TOO_LONG}" in DOCS.read_text(encoding="utf-8")


def test_the_scripted_user_reads_no_more() -> None:
    text = "It is so. " * READ_LIMIT
    assert turn_of(text) == turn_of(beginning_and_end(text))
    assert turn_of(f"{text}Shall I send it? {text}") == turn_of(text) != turn_of(f"{text}Shall I?")
