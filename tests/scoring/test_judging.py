"""A conversation is judged by the protocol of its scenario, and its findings stand beside that."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import cast

from pantry import played, scenario
from replayed import Taking, call, recorded
from rows import every

from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.conversation.play import converse
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.output.pages.shared_sections import TOO_LONG, with_findings
from pytest_toolsandbox.records.record import Record
from pytest_toolsandbox.records.writing import ran_out
from pytest_toolsandbox.scoring.judging import Judgement, judge, read_in_part
from pytest_toolsandbox.scoring.queries import QueryEvaluation
from pytest_toolsandbox.scoring.results import Evaluation
from pytest_toolsandbox.scoring.tooltalk.evaluate_calls import CallEvaluation
from pytest_toolsandbox.text.formatting import READ_LIMIT, beginning_and_end
from pytest_toolsandbox.users.turns import turn_of
from pytest_toolsandbox.users.user import scripted_user

TALK = scenario(
    """
    milestones:
      there: {state: {item: {includes: [{name: tea, amount: 2}]}}}
    solutions:
      added:
        - list_items: {}
        - add_item: {name: tea, amount: 2}
        - say: Done.
    counterexamples:
      other_amount:
        - list_items: {}
        - add_item: {name: tea, amount: 3}
        - say: Done.
      by_another_way:
        - add_item: {name: tea, amount: 1}
        - set_amount: {name: tea, amount: 2}
        - weigh: {weight: tea}
        - say: Done.
    """
)
QUERY = scenario(
    """
    query: How much rice is there?
    answer: 2.0
    forbidden: [RAC]
    solutions:
      looked: [{list_items: {}}, {finish: {answer: "2.0"}}]
    counterexamples:
      twice: [{list_items: {}}, {list_items: {}}, {finish: {answer: "2.0"}}]
      guessed: [{finish: {answer: "2.0"}}]
      wrong: [{list_items: {}}, {finish: {answer: "3"}}]
      said: [{list_items: {}}, say: "2.0"]
    """
)


def words(judgement: Judgement) -> list[str]:
    return [finding.words for finding in judgement.patterns.findings]


def judged(scene: Scenario, name: str) -> Judgement:
    return judge(scene, played(scene, name))


@every(
    ("name", "passed", "expected"),
    [
        ("added", True, []),
        ("other_amount", False, ["IAV amount for add_item"]),
        # It passed, so what it did is right, and nothing is missing; what no tool knows is wrong.
        ("by_another_way", True, ["IAN weight for weigh"]),
    ],
)
def test_milestones(name: str, expected: list[str], *, passed: bool) -> None:
    judgement = judged(TALK, name)
    assert isinstance(judgement.result, Evaluation)
    assert judgement.passed is judgement.result.passed is passed
    assert words(judgement) == expected


@every(
    ("name", "passed", "expected"),
    [
        ("looked", True, []),
        ("twice", False, ["RAC list_items"]),
        ("guessed", False, ["IAC list_items"]),
        ("wrong", False, []),
        ("said", True, []),
    ],
)
def test_queries(name: str, expected: list[str], *, passed: bool) -> None:
    judgement = judged(QUERY, name)
    assert isinstance(judgement.result, QueryEvaluation)
    assert judgement.passed is judgement.result.passed is passed
    assert words(judgement)[: None if passed else len(expected)] == expected


def test_recorded_conversations() -> None:
    scene = recorded()
    alarm, find = call("AddAlarm", time="18:30:00"), call("FindAlarms", start_range="18:00:00")
    agent = Taking([alarm], [find, find], [call("SendMessage", receiver="bob", text="Hi")])
    judgement = judge(scene, converse(scene, agent, scripted_user(scene)))
    assert isinstance(judgement.result, CallEvaluation)
    assert not judgement.passed
    assert words(judgement) == ["RAC FindAlarms", "IAN text for SendMessage"]
    # The same call in another turn is no repetition.
    sent = call("SendMessage", receiver="bob", message="I am on my way")
    made = converse(scene, Taking([alarm], [find], [find, sent]), scripted_user(scene))
    assert words(judge(scene, made)) == []


LONG_TALK = scenario(
    "milestones: {told: {says: {mentions: tea}}}\ncounterexamples: {a: [say: No.]}"
)
LONG_QUERY = scenario(
    "query: How much rice is there?\nanswer: {mentions: rice}\n"
    "solutions: {a: [{list_items: {}}, {finish: {answer: rice}}]}"
)


def saying(text: str) -> Trajectory:
    """Return a conversation in which the agent says this."""
    trajectory = played(LONG_TALK, "a")
    messages = tuple(
        replace(message, content=text) if message.content == "No." else message
        for message in trajectory.messages
    )
    return replace(trajectory, messages=messages)


def answering(text: str) -> Trajectory:
    trajectory = played(LONG_QUERY)
    messages = tuple(
        replace(message, trace=replace(message.trace, arguments={"answer": text}))
        if message.trace and message.trace.tool_name == "finish"
        else message
        for message in trajectory.messages
    )
    return replace(trajectory, messages=messages)


@every(
    "piece",
    ["x", "so ", "12 ", "?!", "It is so. ", "Ada Bell, ", "- a:\n", "at 5 pm ", "Ü½ ", " 'a"],
)
def test_readers_see_no_more_than_the_budget(piece: str) -> None:
    text = piece * (9_000_000 // len(piece))
    read = beginning_and_end(text)
    assert READ_LIMIT // 2 < len(read) <= READ_LIMIT + len("\n\n")
    start, end = read.split("\n\n")
    assert text.startswith(start)
    assert text.endswith(end)
    assert read in [message.content for message in read_in_part(saying(text)).messages]
    whole = saying("x" * READ_LIMIT)
    assert read_in_part(whole) is whole


def test_sentences_and_words_are_kept_whole() -> None:
    sentences = beginning_and_end("I did not send it to Ada. " * READ_LIMIT).split("\n\n")
    assert [sentence[:5] for sentence in sentences] == ["I did"] * 2
    assert [sentence.rstrip()[-4:] for sentence in sentences] == ["Ada."] * 2
    words = beginning_and_end("12345 " * READ_LIMIT)
    assert set(words.split()) == {"12345"}


def test_what_stands_in_the_middle_does_not_and_the_record_says_so() -> None:
    around = "so " * READ_LIMIT
    for scene, trajectory in (
        (LONG_TALK, saying(f"{around}There is tea. {around}")),
        (LONG_QUERY, answering(f"{around}rice {around}")),
    ):
        judgement = judge(scene, trajectory)
        assert not judgement.passed
        assert ran_out(scene, trajectory, judgement.result) == ["texts"]
    assert judge(LONG_TALK, saying(f"There is tea. {around}")).passed
    assert judge(LONG_TALK, saying(f"{around}There is tea. ")).passed
    assert judge(LONG_QUERY, answering("rice")).passed


def test_the_page_says_so_below_the_message() -> None:
    trajectory = saying("so " * READ_LIMIT)
    (at,) = (
        i for i, message in enumerate(trajectory.messages) if len(message.content) > READ_LIMIT
    )
    record = {"messages": list(trajectory.messages), "findings": [], "ran_out": ["texts"]}
    notes = with_findings(cast("Record", record), {})
    assert {index: [note.words for note in some] for index, some in notes.items()} == {
        at: [TOO_LONG]
    }
    page = Path(__file__).parents[2] / "docs/scores.md"
    assert f"^ {TOO_LONG}" in page.read_text(encoding="utf-8")


def test_the_scripted_user_reads_no_more() -> None:
    text = "It is so. " * READ_LIMIT
    assert turn_of(text) == turn_of(beginning_and_end(text))
    assert turn_of(f"{text}Shall I send it? {text}") == turn_of(text) != turn_of(f"{text}Shall I?")
