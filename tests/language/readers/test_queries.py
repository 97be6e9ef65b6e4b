"""Files of queries, and what comes out of them."""

from __future__ import annotations

import pytest
from room import load, load_one

from pytest_toolsandbox.language.mistakes import ScenarioError
from pytest_toolsandbox.language.roles import SayStep, ToolStep
from pytest_toolsandbox.language.tasks import Query
from pytest_toolsandbox.worlds import world as worlds
from pytest_toolsandbox.worlds.tool import tool
from pytest_toolsandbox.worlds.world import World

PLAIN = "world: room\nquery: How many notes are there?\nanswer: two\n"


def test_what_is_left_out() -> None:
    scene = load_one(PLAIN)
    assert (
        scene.task.user_script.opening == scene.task_as(Query).text == "How many notes are there?"
    )
    query = scene.task_as(Query)
    assert (query.manner, query.base, query.forbidden) == (None, None, ())
    assert (scene.max_calls, scene.max_messages) == (15, 30)
    assert (scene.feedback, scene.gives_feedback, scene.call_format) == (None, True, "native")


def test_all_of_it() -> None:
    full, other = load(
        "world: room\nanswer: two\nscenarios:\n"
        "  one: {query: How many?, max_calls: 4, feedback: off}\n"
        "  other:\n"
        "    {query: How many red ones?, manner: constraints, base: one, max_calls: 4,\n"
        "     forbidden: [IFN, IAC, IFN], max_messages: 5, call_format: text}\n"
    )
    assert (full.max_calls, full.max_messages, full.gives_feedback) == (4, 8, False)
    assert (other.task_as(Query).manner, other.task_as(Query).base) == ("constraints", "one")
    assert other.task_as(Query).forbidden == ("IFN", "IAC")
    assert (other.max_messages, other.call_format) == (5, "text")


def test_finish_is_offered_and_needed_tools_are_those_of_the_solutions() -> None:
    scene = load_one(
        f"{PLAIN}solutions:\n"
        "  one:\n"
        "    - find_notes: {}\n"
        "    - finish: {answer: {from: {call: find_notes, path: '[0].kind'}}}\n"
        "  other: [say: two]\n"
        "counterexamples:\n"
        "  wrong: [{count_notes: {}}, {finish: {answer: 3}}]\n"
    )
    assert list(scene.tool_views) == ["switch_lamp", "write_note", "find_notes", "finish"]
    assert scene.needed_tools == ("find_notes",)
    find, finish = scene.solutions["one"]
    assert isinstance(find, ToolStep)
    assert isinstance(finish, ToolStep)
    assert (find.tool, finish.tool) == ("find_notes", "finish")
    assert scene.solutions["other"] == (SayStep("two"),)
    assert scene.counterexamples["wrong"][1] == ToolStep("finish", {"answer": 3})


def test_feedback_and_form_of_other_protocols() -> None:
    text = "world: room\nuser: {opening: Hi}\nprotected: [note]\n"
    assert not load_one(text).gives_feedback
    assert load_one(f"{text}feedback: on\ncall_format: text\nmax_calls: 3").gives_feedback


def test_a_world_that_has_a_finish_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    @tool("race")
    def finish() -> None:
        """Reach the end."""

    race = World("race", worlds._registered["room"].now, {}, (finish,), lambda _: {})
    monkeypatch.setitem(worlds._registered, "race", race)
    with pytest.raises(ScenarioError, match="the world 'race' has a tool finish, but"):
        load_one("world: race\nquery: Hi\nanswer: two")


ROWS = (
    f"{PLAIN}finish: {{kind: string, count: integer, weight: number, found: boolean}}\n"
    "solutions: {one: [finish: {answer: [{kind: red, count: 2, weight: 1, found: true}]}]}\n"
)


def test_an_answer_of_rows() -> None:
    (answer,) = (
        load_one(ROWS).tool_views["finish"].schema["function"]["parameters"]["$defs"].values()
    )
    types = {name: schema["type"] for name, schema in answer["properties"].items()}
    assert types == {"kind": "string", "count": "integer", "weight": "number", "found": "boolean"}
    assert answer["required"] == list(types)


def test_a_row_that_is_none() -> None:
    with pytest.raises(ScenarioError, match=r"answer\[0\]: 'count' is a required"):
        load_one(ROWS.replace("count: 2, ", ""))
    with pytest.raises(ScenarioError, match=r"finish\.kind: .* 'text'"):
        load_one(ROWS.replace("kind: string", "kind: text"))
