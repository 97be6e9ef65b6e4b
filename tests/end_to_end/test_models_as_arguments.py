"""Arguments that are models of pydantic: what is left out of them, and what is wrong in them."""

from __future__ import annotations

import json

import pytest
from desk import Suite, section

WORLD = """
import dataclasses
from datetime import date
from enum import Enum
from typing import Annotated, Literal

from pydantic import BaseModel, Field
from pytest_toolsandbox.worlds.world import find_world


class Kind(Enum):
    SAW = "saw"
    LATHE = "lathe"


class Slot(BaseModel):
    day: date
    start_hour: Annotated[int, Field(ge=8, le=20)]
    hours: int = 1


@tool("desk", action=True)
def book(
    context: Context,
    slot: Slot,
    kind: Kind | None = None,
    then: list[Slot] | None = None,
    way: Literal["email", "sms"] | None = None,
) -> str:
    \"\"\"Book a machine.\"\"\"
    context.add("note", {"text": f"{slot.day} {slot.start_hour} {slot.hours}", "title": None})
    return "booked"


@tool("desk")
def find_day(context: Context) -> str:
    \"\"\"Find a day.\"\"\"
    return "2026-04-18"


desk = find_world("desk")
register_world(dataclasses.replace(desk, toolset=[*desk.toolset, book, find_day]))


def agent(messages, tools):
    import json
    from pathlib import Path

    calls = json.loads(Path("calls.json").read_text())
    done = sum(one["role"] == "assistant" for one in messages)
    if done >= len(calls):
        return "It is booked."
    name = "book" if calls[done] else "find_day"
    call = {"name": name, "arguments": json.dumps(calls[done])}
    return {"tool_calls": [{"id": str(done), "type": "function", "function": call}]}
"""
SCENARIO = """
world: desk
user: {opening: Book the saw.}
milestones: {booked: {call: {book: {slot: EXPECTED}}}, told: {says: {contains: booked}}}
solutions: {s: [{book: {slot: WRITTEN}}, {say: It is booked.}]}
"""
SHORT = '{day: "2026-04-18", start_hour: 11}'
WHOLE = '{day: "2026-04-18", start_hour: 11, hours: 1}'
LONG = '{day: "2026-04-18", start_hour: 11, hours: 2}'


@pytest.fixture
def shop(suite: Suite) -> Suite:
    suite.conftest(WORLD)
    return suite


def played(shop: Suite, expected: str, written: str, *calls: object) -> pytest.RunResult:
    text = SCENARIO.replace("EXPECTED", expected).replace("WRITTEN", written)
    shop.write("a.scenario.yaml", text)
    shop.write("calls.json", json.dumps(calls))
    return shop.run("--agent=conftest:agent")


SLOT = {"day": "2026-04-18", "start_hour": 11}


@pytest.mark.parametrize(("expected", "written"), [(SHORT, WHOLE), (WHOLE, SHORT)])
def test_omitted_settings_have_their_defaults(shop: Suite, expected: str, written: str) -> None:
    for slot in (SLOT, SLOT | {"hours": 1}):
        result = played(shop, expected, written, {"slot": slot})
        result.assert_outcomes(passed=1)
        assert "most frequent" not in result.stdout.str()


def test_other_values_of_a_model_are_no_default(shop: Suite) -> None:
    result = played(shop, f"{{any_of: [{LONG}]}}", LONG, {"slot": SLOT})
    result.assert_outcomes(failed=1)
    page = section(result, "a")
    assert (
        "IAV slot for book: expected {day: '2026-04-18', start_hour: 11, hours: 2}, "
        "found {day: '2026-04-18', start_hour: 11}"
    ) in page


def test_so_it_is_where_a_result_is_in_it(shop: Suite) -> None:
    """Where the scenario passes, its calls are right anyway: here the agent says too little."""
    text = SCENARIO.replace("EXPECTED", SHORT).replace("booked}}", "the saw}}")
    step = '{find_day: {}}, {book: {slot: {day: "$find_day", start_hour: 11}}}'
    shop.write("a.scenario.yaml", text.replace("{book: {slot: WRITTEN}}", step))
    for slot in (SLOT, SLOT | {"hours": 1}):
        shop.write("calls.json", json.dumps([{}, {"slot": slot}]))
        result = shop.run("--agent=conftest:agent")
        result.assert_outcomes(failed=1)
        assert "error patterns: none, but a wrong report" in section(result, "a")


def test_a_repetition_may_omit_defaults(shop: Suite) -> None:
    result = played(shop, SHORT, SHORT, {"slot": SLOT}, {"slot": {"hours": 1, **SLOT}})
    assert "1\u00d7 RAC book" in result.stdout.str()


def test_the_page_says_where_in_an_argument_something_is_wrong(shop: Suite) -> None:
    late = {"slot": SLOT, "then": [{"day": "2026-04-18"}]}
    page = section(played(shop, SHORT, SHORT, {"slot": SLOT | {"start_hour": "9"}}, late), "a")
    assert "IAT slot for book: expected integer at slot.start_hour, found '9'" in page
    assert "Parameter 'then' is not valid: then[0]: 'start_hour' is a required property" in page


MISTAKES = """
world: desk
user: {opening: Book the saw.}
milestones:
  booked: {call: {book: {slot: {day: "2026-04-18", start_hour: 9, hors: 2}}}}
  either: {call: {book: {then: {any_of: [[{day: "2026-04-18", start: 9}], null]}}}}
  tried: {tried: {book: {kind: drill}}}
solutions:
  s:
    - book: {slot: {day: "2026-04-18", start_hour: 30}, kind: drill}
    - book: {slot: 5, kind: [saw]}
    - book: {slot: {day: "2026-04-18", start_hour: $book.hour, hors: 2}}
counterexamples:
  c: [{book: {slot: {strat_hour: 9}}}]
"""


def test_mistakes_in_a_model_have_their_place(shop: Suite) -> None:
    shop.write("a.scenario.yaml", MISTAKES)
    result = shop.run("--agent=oracle")
    page = section(result, "ERROR collecting a.scenario.yaml").splitlines()
    hours = "unknown key 'hors' of slot; did you mean 'hours'? (allowed: day, start_hour, hours)"
    expected = "expected 'saw', 'lathe' or null"
    assert [line.removeprefix("a.scenario.yaml:") for line in page] == [
        f"5:67: milestones.booked.call.book.slot.hors: {hours}",
        "6:43: milestones.either.call.book.then.any_of[0][0]: 'start_hour' is a required property",
        (
            "6:63: milestones.either.call.book.then.any_of[0][0].start: unknown key 'start' of "
            "then[0]; did you mean 'start_hour'? (allowed: day, start_hour, hours)"
        ),
        f"7:32: milestones.tried.tried.book.kind: {expected}, found the text 'drill'",
        "10:52: solutions.s[0].book.slot.start_hour: 30 is greater than the maximum of 20",
        f"10:63: solutions.s[0].book.kind: {expected}, found the text 'drill'",
        "11:20: solutions.s[1].book.slot: expected a mapping, found the number 5",
        f"11:29: solutions.s[1].book.kind: {expected}, found a list of 1",
        f"12:64: solutions.s[2].book.slot.hors: {hours}",
    ]
