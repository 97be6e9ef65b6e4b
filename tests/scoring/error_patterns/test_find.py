"""What is found in a conversation, pattern by pattern."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Literal

import pantry
import pytest
from pantry import scenario
from replies import Reply, Written, conversation_of, written
from rows import every

from pytest_toolsandbox.conversation.messages import Trajectory
from pytest_toolsandbox.language.error_patterns import PATTERNS
from pytest_toolsandbox.language.roles import Role
from pytest_toolsandbox.matchers import Reading, read
from pytest_toolsandbox.scoring.error_patterns import alignment as comparisons
from pytest_toolsandbox.scoring.error_patterns.alignment import wrong_arguments
from pytest_toolsandbox.scoring.error_patterns.attempts import WrongArgument
from pytest_toolsandbox.scoring.error_patterns.find import error_patterns
from pytest_toolsandbox.scoring.error_patterns.patterns import (
    FREE,
    AcceptedCall,
    AcceptedSolution,
    ErrorPatterns,
    Finding,
    OneOf,
    SolutionErrors,
)
from pytest_toolsandbox.worlds.context import Context
from pytest_toolsandbox.worlds.state import Table
from pytest_toolsandbox.worlds.tool import CallComparison, tool
from pytest_toolsandbox.worlds.world import register_world


@tool("talk")
def finish(answer: str) -> None:
    """Return an answer and finish the task.

    Args:
        answer: The answer.

    """
    del answer


@tool("items")
def sort_items(order: Literal["up", "down"] = "up") -> None:
    """Sort what there is.

    Args:
        order: In which order.

    """
    del order


@tool("items")
def search_items(context: Context, name: str = "", note: str = "") -> list[dict[str, Any]]:
    """Find what is called so.

    Args:
        name: A part of its name.
        note: A part of its note.

    """
    rows = context.rows("item")
    return [dict(row) for row in rows if name in row["name"] and note in (row["note"] or "")]


@tool("items", comparison=CallComparison(arguments={"tags": "set"}))
def tag_items(tags: list[str], limit: float = 5) -> None:
    """Give all items tags.

    Args:
        tags: The tags, in any order.
        limit: To how many items.

    """
    del tags, limit


@tool("items")
def rank_items(names: list[str]) -> None:
    """Say in which order the items are to be used.

    Args:
        names: Their names, the first one first.

    """
    del names


TOOLSET = [*pantry.world.toolset, finish, sort_items, search_items, tag_items, rank_items]
register_world(replace(pantry.world, name="pantry_to_finish", toolset=TOOLSET))

SCENE = scenario(
    """
    world: pantry_to_finish
    tools:
      - open_door
      - close_door
      - add_item
      - set_amount
      - list_items
      - weigh
      - finish
      - sort_items
      - search_items
      - tag_items
      - rank_items
    milestones: {done: {state: {door: {open: true}}}}
    """
)

CLOSE, OPEN, LIST = written("close_door"), written("open_door"), written("list_items")
RICE, SALT = written("weigh", name="rice"), written("weigh", name="salt")
TEA = written("add_item", name="tea")
DONE = written("finish", answer="2.47 kg")


def accepted(*calls: Written | AcceptedCall) -> AcceptedSolution:
    """Return a solution in which these calls are made."""
    return tuple(
        call
        if isinstance(call, AcceptedCall)
        else AcceptedCall(call.name, json.loads(call.arguments))
        for call in calls
    )


def findings_of(
    replies: Sequence[Any], *solutions: AcceptedSolution, turns_apart: bool = False
) -> list[str]:
    """Return what is found in a conversation, in words."""
    return words_of(conversation_of(SCENE, *replies), *solutions, turns_apart=turns_apart)


def words_of(
    trajectory: Trajectory, *solutions: AcceptedSolution, turns_apart: bool = False
) -> list[str]:
    judged = error_patterns(trajectory, SCENE.tool_views, solutions, turns_apart=turns_apart)
    return [finding.words for finding in judged.findings]


def where_calls_are_asked_for(trajectory: Trajectory) -> Trajectory:
    """Return a conversation in which what the agent says goes to the execution environment."""
    messages = (
        replace(message, recipient=Role.EXECUTION_ENVIRONMENT)
        if message.sender is Role.AGENT
        else message
        for message in trajectory.messages
    )
    return replace(trajectory, messages=tuple(messages))


def raw(name: str, arguments: str) -> Written:
    return Written(name, arguments)


# Format, names and types, as a call stands for one of the solution or for none.


@every(
    ("call", "words"),
    [
        (raw("weigh", '{"name": "rice"'), "IFE weigh"),
        (raw("weigh", "{'name': 'rice'}"), "IFE weigh"),
        (raw("weigh", '"{\\"name\\": \\"rice\\"}"'), "IFE weigh"),
        (raw("weigh", "null"), "IAV name for weigh (missing)"),
        (raw("", '{"name": "rice"}'), "IFE no call"),
        (raw("", "rice"), "IFE no call"),
        (raw("", "{}"), "IFE no call"),
        (raw("kilograms_of", '{"q": "rice"'), "IFE kilograms_of"),
        (raw("wiegh", '{"name": "rice"}'), "IFN wiegh"),
        (raw("kilograms_of", '{"name": "rice"}'), "IFN kilograms_of"),
        (raw("kilograms_of", '{"q": "rice"}'), "IFN kilograms_of"),
        (raw("wigh", "{"), "IFE wigh"),
        (written("weigh", item="rice"), "IAN item for weigh"),
        (written("weigh", name="rice", unit="kg"), "IAN unit for weigh"),
        (written("weigh", name=3), "IAT name for weigh"),
        (written("weigh", name=None), "IAT name for weigh"),
        (written("weigh", name=["rice"]), "IAT name for weigh"),
        (written("weigh", name="salt"), "IAV name for weigh"),
        (written("weigh"), "IAV name for weigh (missing)"),
    ],
)
def test_one_fault_is_one_finding(call: Written, words: str) -> None:
    solution = accepted(LIST, RICE, CLOSE)
    for replies in (
        [LIST, call, CLOSE],
        [(LIST, call, CLOSE)],
        [(call, LIST), CLOSE],
        [call, (LIST, CLOSE)],
    ):
        assert findings_of(replies, solution) == [words]


@every(
    "faulty",
    [
        raw("weigh", "rice"),
        written("weight", name="rice"),
        written("weigh", item="rice"),
        written("weigh", name=1),
        written("weigh"),
    ],
)
def test_a_fault_that_is_corrected_is_still_one(faulty: Written) -> None:
    assert len(findings_of([faulty, RICE], accepted(RICE))) == 1
    assert len(findings_of([(faulty, RICE)], accepted(RICE))) == 1


@pytest.mark.parametrize("tool", [LIST, RICE, OPEN])
@pytest.mark.parametrize("invented", [written("book_flight", to="Oslo"), written("book_flight")])
def test_an_invented_call_covers_no_call_of_the_solution(invented: Written, tool: Written) -> None:
    assert findings_of([invented], accepted(tool)) == ["IFN book_flight", f"IAC {tool.name}"]


def test_each_fault_of_a_conversation_is_found() -> None:
    calls: list[Reply | Written] = [written("weight", name="rice"), written("weigh", item="rice")]
    words = ["IFN weight", "IAN item for weigh"]
    assert findings_of([*calls, RICE], accepted(RICE)) == words
    assert findings_of([*calls, SALT], accepted(RICE)) == [*words, "IAV name for weigh"]
    assert findings_of([RICE, written("unheard_of", x=1)], accepted(RICE)) == ["IFN unheard_of"]
    missing = ["IAV name for weigh (missing)"]
    assert (
        findings_of([RICE, written("weigh")], accepted(RICE))
        == findings_of([written("weigh")])
        == missing
    )


@every(
    ("replies", "words"),
    [
        ([SALT, RICE], ["IAV name for weigh"]),
        ([written("weigh", name="flour"), RICE], ["IAV name for weigh"]),
        ([SALT, written("weigh", name="oats"), RICE], ["IAV name for weigh"] * 2),
        ([SALT, written("weigh", item="rice")], ["IAV name for weigh", "IAN item for weigh"]),
        ([written("add_item", name="tea", amount=2), TEA], ["IAV add_item (not asked for)"]),
        ([CLOSE, written("add_item", name="oats"), OPEN, TEA], ["IAV name for add_item"]),
        # What is looked up afterwards, or before the user said more, was none.
        ([RICE, SALT], []),
        ([SALT, "Which one?", RICE], []),
        # Another way to look, and one that finds more, are none.
        ([written("search_items", note="coarse"), written("search_items", name="salt")], []),
        ([written("search_items", name="ri"), written("search_items", name="rice")], []),
        (
            [written("search_items", name="tea"), written("search_items", name="rice")],
            ["IAV name for search_items"],
        ),
    ],
)
def test_a_wrong_value_that_is_corrected_later_is_a_finding(
    replies: list[Reply | Written], words: list[str]
) -> None:
    last = replies[-1]
    right = {"weigh": RICE, "add_item": TEA}
    assert isinstance(last, Written)
    assert findings_of(replies, accepted(right.get(last.name, last))) == words


@every(
    ("call", "words"),
    [
        (written("add_item", name="tea", amont=1, nota="x"), ["IAN amont", "IAN nota"]),
        (written("add_item", name=3, amount="1"), ["IAT name", "IAT amount"]),
        (written("add_item", name="tea", nota="x", amount="1"), ["IAN nota", "IAT amount"]),
        (written("add_item", name="oats", nota="x"), ["IAN nota", "IAV name"]),
        (written("add_item", name="oats", amount="1"), ["IAT amount", "IAV name"]),
        (written("add_item", amount="1"), ["IAT amount", "IAV name (missing)"]),
        (written("add_item", nam="tea", amount=2), ["IAN nam", "IAV amount"]),
        (written("add_items", name="oats"), ["IFN add_items", "IAV name"]),
        # The right name is missing since another one was given.
        (written("add_item", nam="tea"), ["IAN nam"]),
        (written("add_item", name="tea", amount=True), ["IAT amount"]),
    ],
)
def test_two_faults_of_one_call_are_two_findings(call: Written, words: list[str]) -> None:
    for calls in ([call], [call, TEA]):
        in_short = [
            text.replace(f" for {call.name}", "") for text in findings_of(calls, accepted(TEA))
        ]
        assert in_short == words


# Texts where calls had to be written in a text.


@every(
    ("replies", "words"),
    [
        ([RICE, DONE, "Done."], ["IFE no call"]),
        ([RICE, "It is 2.47 kg."], ["IFE no call"]),
        (["Action: wei", DONE, "Done."], ["IFE no call", "IFE no call"]),
        (["I use weigh(rice).", DONE, "Done."], ["IFE no call", "IFE no call"]),
        (["It is light.", "Very light."], ["IFE no call", "IFE no call", "IAC weigh"]),
        ([DONE, "I could not use weigh."], ["IFE no call"]),
        ([DONE, "I will not."], ["IFE no call", "IAC weigh"]),
    ],
)
def test_a_text_is_a_format_error_where_a_call_was_asked_for(
    replies: list[Reply | Written], words: list[str]
) -> None:
    asked = where_calls_are_asked_for(conversation_of(SCENE, *replies))
    assert words_of(asked, accepted(RICE, DONE)) == words


@every(
    ("replies", "words"),
    [
        (["Action: weigh\nAction Input: rice", RICE, "It is 2.47 kg."], ["IFE no call"]),
        (['{"name": "weigh", "arguments": {"name": "rice"}}'], ["IFE no call"]),
        (["<tool_call>list_items</tool_call>"], ["IFE no call", "IAC weigh"]),
        (["```\nweigh(name='rice')\n```", "It is 2.47 kg."], ["IFE no call"]),
        (["I could call weigh(name='rice') for you."], ["IAC weigh"]),
        (["Let me see.", RICE, "It is 2.47 kg."], []),
    ],
)
def test_a_call_that_is_written_as_text_where_calls_are_native(
    replies: list[Reply | Written], words: list[str]
) -> None:
    assert findings_of(replies, accepted(RICE)) == words


@pytest.mark.parametrize("text", ["Action: weigh with", "Action of some kind"])
def test_what_goes_to_the_execution_environment_must_be_a_call(text: str) -> None:
    trajectory = conversation_of(SCENE, text, "Done.")
    first = replace(trajectory.messages[2], recipient=Role.EXECUTION_ENVIRONMENT)
    messages = (*trajectory.messages[:2], first, *trajectory.messages[3:])
    sent = replace(trajectory, messages=messages)
    (finding,) = error_patterns(sent, SCENE.tool_views, [accepted(RICE)]).findings
    assert finding == Finding("IFE", 2, None, "", expected="a function call", found=text)


def test_messages_of_the_history_are_no_findings() -> None:
    trajectory = where_calls_are_asked_for(conversation_of(SCENE, "Let me see.", RICE))
    assert words_of(trajectory) == ["IFE no call"] * 2
    by_user_last = sorted(trajectory.messages, key=lambda message: message.sender is Role.USER)
    assert words_of(replace(trajectory, messages=tuple(by_user_last))) == []


# Repetitions.


@every(
    ("replies", "words"),
    [
        ([RICE, RICE], ["RAC weigh"]),
        ([(RICE, RICE)], ["RAC weigh"]),
        ([RICE, RICE, RICE], ["RAC weigh", "RAC weigh"]),
        ([LIST, RICE, LIST], ["RAC list_items"]),
        ([RICE, raw("weigh", ' { "name" : "rice" } ')], ["RAC weigh"]),
        ([RICE, SALT], []),
        ([written("weight", name="rice")] * 2, ["IFN weight", "IFN weight"]),
        ([written("weigh")] * 2, ["IAV name for weigh (missing)", "RAC weigh"]),
        ([RICE, "Shall I go on?", RICE], ["RAC weigh"]),
        # A change that a look-up does not read tells it nothing; one that it reads does.
        ([LIST, CLOSE, LIST], ["RAC list_items"]),
        ([LIST, CLOSE, OPEN, LIST], ["RAC list_items"]),
        ([RICE, CLOSE, RICE], ["RAC weigh"]),
        ([LIST, TEA, LIST], []),
        ([(LIST, TEA, LIST)], []),
        ([RICE, TEA, RICE], []),
        ([LIST, (CLOSE, LIST)], ["RAC list_items"]),
        # To change the world twice is to do it twice, whatever else was done in between.
        ([TEA, TEA], ["RAC add_item"]),
        ([TEA, LIST, TEA], ["RAC add_item"]),
        ([(TEA, TEA)], ["RAC add_item"]),
        ([CLOSE, OPEN, CLOSE], ["RAC close_door"]),
        ([CLOSE, CLOSE], ["RAC close_door"]),
        # A call that failed did nothing; in another state it may come through.
        ([OPEN, OPEN], ["RAC open_door"]),
        ([OPEN, CLOSE, LIST, TEA], []),
        ([CLOSE, TEA, OPEN, TEA], []),
        ([CLOSE, TEA, TEA], ["RAC add_item"]),
        ([CLOSE, TEA, RICE, TEA], ["RAC add_item"]),
        ([CLOSE, TEA, written("add_item", name="tea", amount=1.0, note=None)], ["RAC add_item"]),
        # Parallel calls count in the order in which they ran: adding first fails if it is closed.
        ([RICE, (RICE, TEA)], ["RAC weigh"]),
        ([RICE, (TEA, RICE, CLOSE)], ["RAC weigh"]),
        ([RICE, (CLOSE, TEA, RICE)], ["RAC weigh"]),
        ([LIST, (TEA, LIST)], []),
        # Where order counts, other orders are other calls.
        ([written("rank_items", names=["a", "b"]), written("rank_items", names=["b", "a"])], []),
    ],
)
def test_the_same_call_in_the_same_state_is_a_repetition(
    replies: list[Reply | Written], words: list[str]
) -> None:
    assert findings_of(replies) == words


@every(
    ("replies", "solutions", "words"),
    [
        ([LIST, LIST], [(LIST, LIST)], []),
        ([LIST, LIST, LIST], [(LIST, LIST)], ["RAC list_items"]),
        ([LIST, LIST, TEA, LIST], [(LIST, TEA, LIST)], ["RAC list_items"]),
        ([TEA, TEA], [(TEA, TEA)], []),
        ([TEA, TEA], [(TEA,), (TEA, RICE, TEA)], ["RAC add_item"]),
        ([TEA, RICE, TEA], [(TEA,), (TEA, RICE, TEA)], []),
        ([TEA, TEA, TEA], [(TEA, TEA)], ["RAC add_item"]),
    ],
)
def test_a_repetition_in_the_solution_is_no_finding(
    replies: list[Reply | Written], solutions: list[tuple[Written, ...]], words: list[str]
) -> None:
    assert findings_of(replies, *(accepted(*calls) for calls in solutions)) == words


@pytest.mark.parametrize("count", [1, 2, 3])
def test_a_repetition_stands_for_no_other_call(count: int) -> None:
    expected = ["RAC weigh"] * count
    assert findings_of([RICE, *[RICE] * count], accepted(RICE, SALT)) == [*expected, "IAC weigh"]
    assert findings_of([SALT, *[SALT] * count], accepted(RICE)) == ["IAV name for weigh", *expected]
    oats = written("weigh", name="oats")
    assert findings_of([RICE, *[RICE] * count, oats], accepted(RICE, SALT)) == [
        *expected,
        "IAV name for weigh",
    ]


@every(
    ("call", "other"),
    [
        (written("sort_items"), written("sort_items", order="up")),
        (written("tag_items", tags=["a"]), written("tag_items", tags=["a"], limit=5)),
        (written("tag_items", tags=["a", "b"]), written("tag_items", tags=["b", "a"])),
        (written("tag_items", tags=["a", "b"]), written("tag_items", limit=5, tags=["b", "a"])),
        (written("tag_items", tags=["a"], limit=2), written("tag_items", tags=["a"], limit=2.0)),
    ],
)
def test_the_same_call_in_other_words(call: Written, other: Written) -> None:
    assert findings_of([call, other]) == findings_of([other, call]) == [f"RAC {call.name}"]
    assert findings_of([call], accepted(other)) == findings_of([other], accepted(call)) == []


def test_a_call_of_an_earlier_turn_is_not_repeated_in_a_replay() -> None:
    replies = [RICE, "It is 2.47 kg.", RICE, RICE]
    assert findings_of(replies, turns_apart=True) == ["RAC weigh"]
    assert findings_of(replies) == ["RAC weigh", "RAC weigh"]


# Values and missing calls against the solutions.


@every(
    ("replies", "words"),
    [
        ([], ["IAC list_items", "IAC add_item"]),
        ([LIST], ["IAC add_item"]),
        ([TEA], ["IAC list_items"]),
        ([LIST, TEA], []),
        ([TEA, LIST], []),
        ([(LIST, TEA)], []),
        ([OPEN, LIST, (SALT, RICE), TEA], []),
        ([LIST, RICE, SALT, TEA], []),
        ([LIST, written("add_item", name="tea", amount=1)], []),
        ([LIST, written("add_item", amount=1.0, name="tea", note=None)], []),
        ([LIST, written("add_item", name="tea", amount=True)], ["IAT amount for add_item"]),
        ([LIST, written("add_item", name="tea", amount=2)], ["IAV amount for add_item"]),
        (
            [LIST, written("add_item", name="oats", amount=2)],
            ["IAV name for add_item", "IAV amount for add_item"],
        ),
        ([LIST, written("set_amount", name="tea", amount=1)], ["IAC add_item"]),
    ],
)
def test_values_and_missing_calls(replies: list[Reply | Written], words: list[str]) -> None:
    assert findings_of([*replies, "Done."], accepted(LIST, TEA)) == words


def test_what_changes_the_world_beside_the_solution_was_not_asked_for() -> None:
    oats = written("add_item", name="oats", amount=2)
    wrong = ["IAV add_item (not asked for)"]
    assert (
        findings_of([oats, TEA], accepted(TEA)) == findings_of([TEA, oats], accepted(TEA)) == wrong
    )
    three = written("add_item", name="oats", amount=3)
    assert findings_of([oats, TEA], accepted(TEA, three)) == ["IAV amount for add_item"]
    assert findings_of([oats, RICE], accepted(RICE)) == []  # a tool that the solution does without
    assert findings_of([TEA, CLOSE, oats], accepted(TEA)) == []  # it failed
    first, second = (written("rank_items", names=names) for names in (["a", "b"], ["b", "a"]))
    assert findings_of([first], accepted(second)) == ["IAV names for rank_items"]


def test_an_argument_may_be_free_or_whatever_a_matcher_takes() -> None:
    free = AcceptedCall("add_item", {"name": "tea", "amount": FREE, "note": FREE})
    assert findings_of([written("add_item", name="tea", amount=5, note="green")], (free,)) == []
    assert findings_of([TEA], (free,)) == []
    free = AcceptedCall("add_item", {"name": FREE})
    assert findings_of([written("add_item")], (free,)) == ["IAV name for add_item (missing)"]
    near = AcceptedCall("add_item", {"name": read({"any_of": ["tea", "Tea"]}, Reading())})
    assert findings_of([written("add_item", name="Tea")], (near,)) == []
    (finding,) = _judged([written("add_item", name="Tee")], (near,)).findings
    assert (finding.argument, finding.found) == ("name", "Tee")
    assert finding.expected == "any of ['tea'; 'Tea']"


def test_a_value_that_the_tool_does_not_take_is_wrong_by_itself() -> None:
    around = written("sort_items", order="around")
    (finding,) = _judged([around]).findings
    assert finding.words == "IAV order for sort_items"
    assert finding.found == "around"
    assert finding.expected == (
        "Parameter 'order' is not valid: order: 'around' is not one of ['up', 'down']"
    )
    (finding,) = _judged([around], accepted(written("sort_items", order="down"))).findings
    assert (finding.words, finding.expected) == ("IAV order for sort_items", "'down'")
    free = AcceptedCall("sort_items", {"order": FREE})
    assert findings_of([around], (free,)) == ["IAV order for sort_items"]
    assert findings_of([written("sort_items", order=1)], (free,)) == ["IAT order for sort_items"]


@every(
    ("replies", "solution", "words"),
    [
        ([CLOSE, TEA, OPEN, TEA], [TEA], []),
        ([TEA, CLOSE], [TEA], []),
        ([CLOSE, TEA], [TEA], ["IAC add_item"]),
        ([CLOSE, TEA, OPEN], [TEA], ["IAC add_item"]),
        ([CLOSE, RICE, TEA, RICE], [TEA], ["IAC add_item", "RAC weigh"]),
        # one that fails in the solution is made when it fails
        ([OPEN, RICE], [AcceptedCall("open_door", fails=True), RICE], []),
        ([OPEN, RICE], [OPEN, RICE], ["IAC open_door"]),
    ],
)
def test_a_call_that_failed_for_the_state_is_only_made_when_it_comes_through(
    replies: list[Reply | Written], solution: list[Written | AcceptedCall], words: list[str]
) -> None:
    assert findings_of(replies, accepted(*solution)) == words


def test_a_call_that_fails_for_another_fault_is_no_finding_of_its_own() -> None:
    closed = Table([{"open": False, "code": None}])
    scene = replace(SCENE, start=SCENE.start.with_table("door", closed))
    for replies, words in (
        ([TEA], "IAC open_door"),
        ([TEA, OPEN], "IAC add_item"),
        ([written("open_doors"), TEA], "IFN open_doors"),
    ):
        judged = error_patterns(
            conversation_of(scene, *replies), scene.tool_views, [accepted(OPEN, TEA)]
        )
        assert [finding.words for finding in judged.findings] == [words]


# Several solutions.


def _judged(replies: Sequence[Reply | Written], *solutions: AcceptedSolution) -> ErrorPatterns:
    return error_patterns(conversation_of(SCENE, *replies), SCENE.tool_views, solutions)


def test_findings_are_those_against_the_closest_solution() -> None:
    for replies, closest in (([LIST, RICE], 0), ([RICE, LIST], 0), ([SALT], 1), ([LIST], 2)):
        judged = _judged([*replies, "No."], accepted(LIST, RICE), accepted(SALT), accepted())
        assert (judged.closest, judged.findings) == (closest, ())
    solutions = [accepted(LIST, RICE, TEA), accepted(LIST, SALT, TEA), ()]
    judged = _judged([LIST, SALT], *solutions)
    assert judged.solutions == (SolutionErrors(1, 1), SolutionErrors(1, 0), SolutionErrors(0, 0))
    assert judged.closest == 2
    judged = _judged([LIST, SALT], *solutions[:2])
    assert judged.closest == 1
    assert judged.scores() == {**dict.fromkeys(PATTERNS, 1.0), "IAC": 14 / 15}
    assert (judged.lowest_scores(4)["IAV"], judged.lowest_scores(4)["IAC"]) == (0.75, 0.75)


def test_of_equally_close_solutions_it_is_the_one_that_more_calls_agree_with() -> None:
    wrong = written("weigh", name="oats")
    assert _judged([LIST, wrong], accepted(LIST, TEA), accepted(LIST, RICE)).closest == 1
    assert _judged([LIST, RICE], accepted(LIST, SALT), accepted(LIST, RICE, TEA)).closest == 1
    assert _judged([LIST, wrong], accepted(LIST, SALT), accepted(LIST, RICE)).closest == 0


# Scores and what a finding says.


def test_scores_count_calls_and_end_at_nothing() -> None:
    twice = written("add_item", name="oats", amount=2)
    judged = _judged([twice, *[written("weight")] * 3], accepted(TEA))
    assert judged.calls == {**dict.fromkeys(PATTERNS, 0), "IFN": 3, "IAV": 1}
    assert len(judged.findings) == 5
    assert judged.scores(4)["IAV"] == 0.75
    assert judged.scores()["IFN"] == 0.8
    assert judged.scores(2)["IFN"] == 0.0


def test_without_solutions_there_are_no_scores_of_values_and_missing_calls() -> None:
    judged = _judged([RICE, RICE])
    assert judged.closest is None
    assert judged.scores() == judged.lowest_scores()
    scores: dict[str, float | None] = dict.fromkeys(PATTERNS, 1.0)
    assert judged.scores() == {**scores, "RAC": 14 / 15, "IAV": None, "IAC": None}


def test_a_finding_says_where_and_what() -> None:
    trajectory = conversation_of(
        SCENE, RICE, written("add_item", name="tea", nota="green"), (LIST, RICE)
    )
    solution = accepted(RICE, TEA, DONE)
    ian, rac, iac = error_patterns(trajectory, SCENE.tool_views, [solution]).findings
    named, repeated = trajectory.messages[4].call, trajectory.messages[7].call
    names = ("nota", "name, amount, note", "nota")
    assert ian == Finding("IAN", 4, named, "add_item", *names, nearest="note")
    why = "no call that was made before and tells or changes nothing more"
    assert rac == Finding("RAC", 7, repeated, "weigh", None, why)
    why = "finish(answer='2.47 kg')"
    assert iac == Finding("IAC", None, None, "finish", expected=why, given=False)
    trajectory = conversation_of(SCENE, CLOSE, TEA)
    (failed,) = error_patterns(trajectory, SCENE.tool_views, [accepted(TEA)]).findings
    call, why = trajectory.messages[4].call, "add_item(name='tea')"
    assert failed == Finding("IAC", 4, call, "add_item", expected=why, found="a call that failed")


def test_invented_names_are_shown_in_one_printable_line() -> None:
    calls = [Written("\x1b[31mred\n\x00", "{}"), written("weigh", **{"": 1, "name": "rice"})]
    judged = _judged([*calls, "Hi"])
    assert [finding.words for finding in judged.findings] == [
        r"IFN \x1b[31mred \x00",
        "IAN '' for weigh",
    ]


def test_a_finding_of_a_wrong_value_says_what_was_expected() -> None:
    judged = _judged([written("add_item", name="tea", note="x")], accepted(TEA))
    (finding,) = judged.findings
    assert (finding.expected, finding.found, finding.given) == ("null", "x", True)
    (finding,) = _judged([written("set_amount", name="tea")]).findings
    assert (finding.expected, finding.found, finding.given) == ("a value", None, False)


def test_findings_are_in_the_terms_of_the_agent() -> None:
    scene = replace(SCENE, scrambled="argument_name")
    (name, wrong), solution = ("argument_1", "oats"), accepted(TEA)
    trajectory = conversation_of(scene, written("add_item", **{name: wrong}))
    (finding,) = error_patterns(trajectory, scene.tool_views, [solution]).findings
    assert finding.words == "IAV argument_1 for add_item"
    trajectory = conversation_of(scene, written("add_item", name="tea"))
    (finding,) = error_patterns(trajectory, scene.tool_views, [solution]).findings
    assert finding.words == "IAN name for add_item"
    scene = replace(SCENE, scrambled="tool_name")
    shown = scene.world.shown("tool_name")["add_item"].name
    judged = error_patterns(
        conversation_of(scene, written(shown, name="tea")), scene.tool_views, [solution]
    )
    assert judged.findings == ()
    (finding,) = error_patterns(
        conversation_of(scene, "Done."), scene.tool_views, [solution]
    ).findings
    assert finding.words == f"IAC {shown}"
    (finding,) = error_patterns(conversation_of(scene, TEA), scene.tool_views, [solution]).findings
    assert finding.words == "IFN add_item"


def test_a_tool_of_the_solution_that_is_not_offered_is_a_call_that_is_missing() -> None:
    hidden = AcceptedCall("unknown", {"depth": 3})
    (finding,) = _judged(["Done."], (hidden,)).findings
    assert (finding.words, finding.expected) == ("IAC unknown", "unknown(depth=3)")
    assert findings_of([written("unknown", depth=3)], (hidden,)) == ["IFN unknown"]


def test_a_call_that_was_cut_off_is_judged_all_the_same() -> None:
    trajectory = conversation_of(SCENE, RICE, written("weigh", unit="kg"))
    cut = Trajectory(trajectory.messages[:5], trajectory.states[:5], trajectory.start)
    assert cut.messages[-1].call is not None
    judged = error_patterns(cut, SCENE.tool_views, [accepted(RICE)])
    assert [finding.words for finding in judged.findings] == ["IAN unit for weigh"]


def test_what_solutions_have_in_common_is_compared_once(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[object] = []

    def counted(*call: Any) -> Iterator[WrongArgument]:
        compared.append(call)
        return wrong_arguments(*call)

    monkeypatch.setattr(comparisons, "wrong_arguments", counted)
    adding = [written("add_item", name=f"tea {number}") for number in range(10)]
    one_of = [AcceptedCall("add_item", {"name": name}) for name in (OneOf(("a", "b")), ["a", "b"])]
    solutions = [accepted(*adding[first:], *one_of) for first in range(5)]
    assert findings_of(list(adding), *solutions) == ["IAC add_item"] * 2
    assert len(compared) == 10 * (10 + 2)
