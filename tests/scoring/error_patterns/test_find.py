"""What is found in a conversation, pattern by pattern."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Literal

import pantry
import pytest
from pantry import scenario
from replies import Reply, Written, told, written
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
    return tuple(call if isinstance(call, AcceptedCall) else _accepted(call) for call in calls)


def _accepted(call: Written) -> AcceptedCall:
    return AcceptedCall(call.name, json.loads(call.arguments))


def found(
    replies: list[Reply | Written], *solutions: AcceptedSolution, turns_apart: bool = False
) -> list[str]:
    """Return what is found in a conversation, in words."""
    return words_of(told(SCENE, *replies), *solutions, turns_apart=turns_apart)


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


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (raw("weigh", '{"name": "rice"'), "IFE weigh"),
        (raw("weigh", "{'name': 'rice'}"), "IFE weigh"),
        (raw("weigh", '"{\\"name\\": \\"rice\\"}"'), "IFE weigh"),
        (raw("weigh", "null"), "IFE weigh"),
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
@pytest.mark.parametrize(
    "around",
    [
        lambda call: [LIST, call, CLOSE],
        lambda call: [(LIST, call, CLOSE)],
        lambda call: [(call, LIST), CLOSE],
        lambda call: [call, (LIST, CLOSE)],
    ],
    ids=["one by one", "all at once", "two at once, first", "before two at once"],
)
def test_one_fault_is_one_finding(call: Written, words: str, around: Any) -> None:
    solution = accepted(LIST, RICE, CLOSE)
    assert found(around(call), solution) == [words]


@pytest.mark.parametrize("corrected", [lambda *calls: [*calls], lambda *calls: [tuple(calls)]])
@pytest.mark.parametrize(
    "faulty",
    [
        raw("weigh", "rice"),
        written("weight", name="rice"),
        written("weigh", item="rice"),
        written("weigh", name=1),
        written("weigh"),
    ],
)
def test_a_fault_that_is_corrected_is_still_one(faulty: Written, corrected: Any) -> None:
    assert len(found(corrected(faulty, RICE), accepted(RICE))) == 1


def test_a_fault_for_which_the_solution_has_no_call_is_one() -> None:
    assert found([RICE, written("unheard_of", x=1)], accepted(RICE)) == ["IFN unheard_of"]
    assert found([RICE, written("weigh")], accepted(RICE)) == ["IAV name for weigh (missing)"]
    assert found([written("weigh")]) == ["IAV name for weigh (missing)"]


@pytest.mark.parametrize("tool", [LIST, RICE, OPEN])
@pytest.mark.parametrize("invented", [written("book_flight", to="Oslo"), written("book_flight")])
def test_an_invented_call_covers_no_call_of_the_solution(invented: Written, tool: Written) -> None:
    assert found([invented], accepted(tool)) == ["IFN book_flight", f"IAC {tool.name}"]


def test_each_fault_of_a_conversation_is_found() -> None:
    calls: list[Reply | Written] = [written("weight", name="rice"), written("weigh", item="rice")]
    assert found([*calls, RICE], accepted(RICE)) == ["IFN weight", "IAN item for weigh"]
    assert found([*calls, SALT], accepted(RICE)) == [
        "IFN weight",
        "IAN item for weigh",
        "IAV name for weigh",
    ]


TEA_TWICE = written("add_item", name="tea", amount=2)


@every(
    ("replies", "words"),
    [
        ([SALT, RICE], ["IAV name for weigh"]),
        ([written("weigh", name="flour"), RICE], ["IAV name for weigh"]),
        ([SALT, written("weigh", name="oats"), RICE], ["IAV name for weigh"] * 2),
        ([SALT, written("weigh", item="rice")], ["IAV name for weigh", "IAN item for weigh"]),
        ([TEA_TWICE, TEA], ["IAV amount for add_item"]),
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
    assert found(replies, accepted(right.get(last.name, last))) == words


@pytest.mark.parametrize(
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
@pytest.mark.parametrize("corrected", [False, True])
def test_two_faults_of_one_call_are_two_findings(
    call: Written, words: list[str], corrected: bool
) -> None:
    calls: list[Reply | Written] = [call, TEA] if corrected else [call]
    assert found(calls, accepted(TEA)) == [_whole(short, call.name) for short in words]


def _whole(words: str, tool: str) -> str:
    """Return the words of a finding, which stand here without the tool of its argument."""
    pattern, name, *missing = words.split()
    return words if name == tool else " ".join([pattern, name, "for", tool, *missing])


# Texts where calls had to be written in a text.


@pytest.mark.parametrize(
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
    asked = where_calls_are_asked_for(told(SCENE, *replies))
    assert words_of(asked, accepted(RICE, DONE)) == words


@pytest.mark.parametrize(
    ("replies", "words"),
    [
        (["Action: weigh\nAction Input: rice", RICE, "It is 2.47 kg."], ["IFE no call"]),
        (['{"name": "weigh", "arguments": {"name": "rice"}}'], ["IFE no call"]),
        (["<tool_call>list_items</tool_call>"], ["IFE no call", "IAC weigh"]),
        (["```\nweigh(name='rice')\n```", "It is 2.47 kg."], ["IFE no call"]),
        (["I could call weigh(name='rice') for you."], ["IAC weigh"]),
    ],
)
def test_a_call_that_is_written_as_text_where_calls_are_native(
    replies: list[Reply | Written], words: list[str]
) -> None:
    assert found(replies, accepted(RICE)) == words


def test_a_text_is_no_finding_if_calls_are_native() -> None:
    assert found(["Let me see.", RICE, "It is 2.47 kg."], accepted(RICE)) == []


@pytest.mark.parametrize("text", ["Action: weigh with", "Action of some kind"])
def test_what_goes_to_the_execution_environment_must_be_a_call(text: str) -> None:
    trajectory = told(SCENE, text, "Done.")
    first = replace(trajectory.messages[2], recipient=Role.EXECUTION_ENVIRONMENT)
    messages = (*trajectory.messages[:2], first, *trajectory.messages[3:])
    sent = replace(trajectory, messages=messages)
    (finding,) = error_patterns(sent, SCENE.tool_views, [accepted(RICE)]).findings
    assert finding == Finding("IFE", 2, None, "", expected="a function call", found=text)


def test_messages_of_the_history_are_no_findings() -> None:
    trajectory = where_calls_are_asked_for(told(SCENE, "Let me see.", RICE))
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
        ([LIST, TEA, LIST], []),
        ([(LIST, TEA, LIST)], []),
        ([LIST, CLOSE, OPEN, LIST], ["RAC list_items"]),
        ([OPEN, OPEN], ["RAC open_door"]),
        ([CLOSE, TEA, OPEN, TEA], []),
        ([CLOSE, TEA, TEA], ["RAC add_item"]),
        ([CLOSE, TEA, written("add_item", name="tea", amount=1.0, note=None)], ["RAC add_item"]),
        ([written("weight", name="rice")] * 2, ["IFN weight", "IFN weight"]),
        ([written("weigh")] * 2, ["IAV name for weigh (missing)", "RAC weigh"]),
        ([RICE, "Shall I go on?", RICE], ["RAC weigh"]),
    ],
)
def test_the_same_call_in_the_same_state_is_a_repetition(
    replies: list[Reply | Written], words: list[str]
) -> None:
    assert found(replies) == words


def test_a_repetition_in_the_solution_is_no_finding() -> None:
    assert found([LIST, LIST], accepted(LIST, LIST)) == []
    assert found([LIST, LIST, LIST], accepted(LIST, LIST)) == ["RAC list_items"]
    assert found([LIST, LIST, TEA, LIST], accepted(LIST, TEA, LIST)) == ["RAC list_items"]


@pytest.mark.parametrize("count", [1, 2, 3])
def test_a_repetition_stands_for_no_other_call(count: int) -> None:
    expected = ["RAC weigh"] * count
    assert found([RICE, *[RICE] * count], accepted(RICE, SALT)) == [*expected, "IAC weigh"]
    assert found([SALT, *[SALT] * count], accepted(RICE)) == ["IAV name for weigh", *expected]
    oats = written("weigh", name="oats")
    assert found([RICE, *[RICE] * count, oats], accepted(RICE, SALT)) == [
        *expected,
        "IAV name for weigh",
    ]


@every(
    ("replies", "words"),
    [
        ([OPEN, CLOSE, LIST, TEA], []),
        # A change that a look-up does not read tells it nothing; one that it reads does.
        ([LIST, CLOSE, LIST], ["RAC list_items"]),
        ([RICE, CLOSE, RICE], ["RAC weigh"]),
        ([LIST, TEA, LIST], []),
        ([RICE, TEA, RICE], []),
        ([LIST, (CLOSE, LIST)], ["RAC list_items"]),
        # To change the world twice is to do it twice, whatever else was done in between.
        ([TEA, TEA], ["RAC add_item"]),
        ([TEA, LIST, TEA], ["RAC add_item"]),
        ([(TEA, TEA)], ["RAC add_item"]),
        ([CLOSE, OPEN, CLOSE], ["RAC close_door"]),
        ([CLOSE, CLOSE], ["RAC close_door"]),
        # A call that failed did nothing; in another state it may come through.
        ([CLOSE, TEA, OPEN, TEA], []),
        ([CLOSE, TEA, RICE, TEA], ["RAC add_item"]),
    ],
)
def test_a_call_that_returns_and_changes_nothing_new_is_a_repetition(
    replies: list[Reply | Written], words: list[str]
) -> None:
    assert found(replies) == words


def test_a_change_that_the_solution_makes_twice_is_no_repetition() -> None:
    assert found([TEA, TEA], accepted(TEA, TEA)) == []
    assert found([TEA, TEA], accepted(TEA), accepted(TEA, RICE, TEA)) == ["RAC add_item"]
    assert found([TEA, RICE, TEA], accepted(TEA), accepted(TEA, RICE, TEA)) == []
    assert found([TEA, TEA, TEA], accepted(TEA, TEA)) == ["RAC add_item"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (written("sort_items"), written("sort_items", order="up")),
        (written("tag_items", tags=["a"]), written("tag_items", tags=["a"], limit=5)),
        (written("tag_items", tags=["a", "b"]), written("tag_items", tags=["b", "a"])),
        (written("tag_items", tags=["a", "b"]), written("tag_items", limit=5, tags=["b", "a"])),
        (written("tag_items", tags=["a"], limit=2), written("tag_items", tags=["a"], limit=2.0)),
    ],
)
def test_the_same_call_in_other_words(one: Written, other: Written) -> None:
    (first, second) = ([one, other], [other, one])
    assert found([*first]) == found([*second]) == [f"RAC {one.name}"] * (one.name != "")
    assert found([one], accepted(other)) == found([other], accepted(one)) == []


def test_where_order_counts_other_orders_differ() -> None:
    ranks = [written("rank_items", names=names) for names in (["rice", "salt"], ["salt", "rice"])]
    assert found([*ranks]) == []
    assert found([ranks[0]], accepted(ranks[1])) == ["IAV names for rank_items"]


def test_a_call_of_an_earlier_turn_is_not_repeated_in_a_replay() -> None:
    replies: list[Reply | Written] = [RICE, "It is 2.47 kg.", RICE, RICE]
    assert found(replies, turns_apart=True) == ["RAC weigh"]
    assert found(replies) == ["RAC weigh", "RAC weigh"]


def test_parallel_calls_count_in_the_order_in_which_they_ran() -> None:
    """The door is closed before tea is added, since that fails then."""
    assert found([RICE, (RICE, TEA)]) == ["RAC weigh"]
    assert found([RICE, (TEA, RICE, CLOSE)]) == ["RAC weigh"]
    assert found([RICE, (CLOSE, TEA, RICE)]) == ["RAC weigh"]
    assert found([LIST, (TEA, LIST)]) == []


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
        ([LIST, RICE, TEA], []),
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
    assert found([*replies, "Done."], accepted(LIST, TEA)) == words


def test_what_is_looked_up_beside_the_solution_is_no_error() -> None:
    assert found([RICE, SALT], accepted(RICE)) == found([(SALT, RICE)], accepted(RICE)) == []
    assert found([OPEN, LIST, RICE], accepted(RICE)) == []


def test_what_changes_the_world_beside_the_solution_has_a_wrong_value() -> None:
    oats = written("add_item", name="oats", amount=2)
    wrong = ["IAV name for add_item", "IAV amount for add_item"]
    assert found([oats, TEA], accepted(TEA)) == wrong
    assert found([TEA, oats], accepted(TEA)) == wrong
    assert (
        found([oats, TEA], accepted(TEA, written("add_item", name="oats", amount=3))) == wrong[1:]
    )
    assert found([oats, RICE], accepted(RICE)) == []  # a tool that the solution does without
    assert found([TEA, CLOSE, oats], accepted(TEA)) == []  # it failed


def test_an_argument_may_be_free_or_whatever_a_matcher_takes() -> None:
    free = AcceptedCall("add_item", {"name": "tea", "amount": FREE, "note": FREE})
    assert found([written("add_item", name="tea", amount=5, note="green")], (free,)) == []
    assert found([TEA], (free,)) == []
    near = AcceptedCall("add_item", {"name": read({"any_of": ["tea", "Tea"]}, Reading())})
    assert found([written("add_item", name="Tea")], (near,)) == []
    (finding,) = _judged([written("add_item", name="Tee")], (near,)).findings
    assert (finding.argument, finding.expected, finding.found) == (
        "name",
        "any of ['tea'; 'Tea']",
        "Tee",
    )


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
    assert found([around], (free,)) == ["IAV order for sort_items"]
    assert found([written("sort_items", order=1)], (free,)) == ["IAT order for sort_items"]


def test_a_missing_argument_is_missing_even_where_it_is_free() -> None:
    free = AcceptedCall("add_item", {"name": FREE})
    assert found([written("add_item")], (free,)) == ["IAV name for add_item (missing)"]


@pytest.mark.parametrize(
    ("replies", "words"),
    [
        ([CLOSE, TEA, OPEN, TEA], []),
        ([TEA, CLOSE], []),
        ([CLOSE, TEA], ["IAC add_item"]),
        ([CLOSE, TEA, OPEN], ["IAC add_item"]),
        ([CLOSE, RICE, TEA, RICE], ["IAC add_item", "RAC weigh"]),
    ],
)
def test_a_call_that_failed_for_the_state_is_only_made_when_it_comes_through(
    replies: list[Reply | Written], words: list[str]
) -> None:
    assert found(replies, accepted(TEA)) == words


def test_a_call_that_fails_for_another_fault_is_no_finding_of_its_own() -> None:
    scene = replace(
        SCENE, start=SCENE.start.with_table("door", Table([{"open": False, "code": None}]))
    )
    solution = accepted(OPEN, TEA)
    for replies in ([TEA], [TEA, OPEN]):
        judged = error_patterns(told(scene, *replies), scene.tool_views, [solution])
        assert len(judged.findings) == 1
        assert judged.findings[0].pattern == "IAC"
    judged = error_patterns(told(scene, written("open_doors"), TEA), scene.tool_views, [solution])
    assert [finding.words for finding in judged.findings] == ["IFN open_doors"]


def test_a_call_that_fails_in_the_solution_is_made_when_it_fails() -> None:
    failing = AcceptedCall("open_door", fails=True)
    assert found([OPEN, RICE], accepted(failing, RICE)) == []
    assert found([OPEN, RICE], accepted(OPEN, RICE)) == ["IAC open_door"]


# Several solutions.

OTHER_WAYS = (accepted(LIST, RICE), accepted(SALT), accepted())


def _judged(replies: list[Reply | Written], *solutions: AcceptedSolution) -> ErrorPatterns:
    return error_patterns(told(SCENE, *replies), SCENE.tool_views, solutions)


@pytest.mark.parametrize(
    ("replies", "closest"),
    [([LIST, RICE], 0), ([RICE, LIST], 0), ([SALT], 1), ([LIST], 2), (["No."], 2)],
)
def test_findings_are_those_against_the_closest_solution(
    replies: list[Reply | Written], closest: int
) -> None:
    judged = _judged(replies, *OTHER_WAYS)
    assert judged.closest == closest
    assert judged.findings == ()


def test_errors_are_counted_against_each_solution() -> None:
    judged = _judged([LIST, SALT], accepted(LIST, RICE, TEA), accepted(LIST, SALT, TEA), ())
    assert judged.solutions == (SolutionErrors(1, 1), SolutionErrors(1, 0), SolutionErrors(0, 0))
    assert judged.closest == 2
    judged = _judged([LIST, SALT], accepted(LIST, RICE, TEA), accepted(LIST, SALT, TEA))
    assert judged.closest == 1
    assert judged.scores() == {**dict.fromkeys(PATTERNS, 1.0), "IAC": 14 / 15}
    assert judged.lowest_scores(4)["IAV"] == 0.75
    assert judged.lowest_scores(4)["IAC"] == 0.75


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
    trajectory = told(SCENE, RICE, written("add_item", name="tea", nota="green"), (LIST, RICE))
    solution = accepted(RICE, TEA, DONE)
    ian, rac, iac = error_patterns(trajectory, SCENE.tool_views, [solution]).findings
    assert ian == Finding(
        "IAN",
        4,
        trajectory.messages[4].call,
        "add_item",
        "nota",
        "name, amount, note",
        "nota",
        nearest="note",
    )
    assert rac == Finding(
        "RAC",
        7,
        trajectory.messages[7].call,
        "weigh",
        None,
        "no call that was made before and tells or changes nothing more",
    )
    assert iac == Finding(
        "IAC", None, None, "finish", expected="finish(answer='2.47 kg')", given=False
    )


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


def test_a_call_that_failed_is_a_finding_at_its_message() -> None:
    trajectory = told(SCENE, CLOSE, TEA)
    (finding,) = error_patterns(trajectory, SCENE.tool_views, [accepted(TEA)]).findings
    assert finding == Finding(
        "IAC",
        4,
        trajectory.messages[4].call,
        "add_item",
        expected="add_item(name='tea')",
        found="a call that failed",
    )


def test_findings_are_in_the_terms_of_the_agent() -> None:
    scene = replace(SCENE, scrambled="argument_name")
    (name, wrong), solution = ("argument_1", "oats"), accepted(TEA)
    trajectory = told(scene, written("add_item", **{name: wrong}))
    (finding,) = error_patterns(trajectory, scene.tool_views, [solution]).findings
    assert finding.words == "IAV argument_1 for add_item"
    trajectory = told(scene, written("add_item", name="tea"))
    (finding,) = error_patterns(trajectory, scene.tool_views, [solution]).findings
    assert finding.words == "IAN name for add_item"
    scene = replace(SCENE, scrambled="tool_name")
    shown = scene.world.shown("tool_name")["add_item"].name
    judged = error_patterns(told(scene, written(shown, name="tea")), scene.tool_views, [solution])
    assert judged.findings == ()
    (finding,) = error_patterns(told(scene, "Done."), scene.tool_views, [solution]).findings
    assert finding.words == f"IAC {shown}"
    (finding,) = error_patterns(told(scene, TEA), scene.tool_views, [solution]).findings
    assert finding.words == "IFN add_item"


def test_a_tool_of_the_solution_that_is_not_offered_is_a_call_that_is_missing() -> None:
    hidden = AcceptedCall("unknown", {"depth": 3})
    (finding,) = _judged(["Done."], (hidden,)).findings
    assert (finding.words, finding.expected) == ("IAC unknown", "unknown(depth=3)")
    assert found([written("unknown", depth=3)], (hidden,)) == ["IFN unknown"]


def test_a_call_that_was_cut_off_is_judged_all_the_same() -> None:
    trajectory = told(SCENE, RICE, written("weigh", unit="kg"))
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
    assert found(list(adding), *solutions) == ["IAC add_item"] * 2
    assert len(compared) == 10 * (10 + 2)
