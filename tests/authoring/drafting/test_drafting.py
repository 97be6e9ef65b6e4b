"""What is asked of a model, what is read in its reply, and which tasks are nearly the same."""

from __future__ import annotations

import json
from collections import Counter
from random import Random
from typing import Any

import pytest
from drafting_model import TEXT_SISTER, WIFI
from rows import every

from pytest_toolsandbox.authoring.drafting.assignments import assignments
from pytest_toolsandbox.authoring.drafting.draft import DraftError, read_draft
from pytest_toolsandbox.authoring.drafting.duplicates import Task, near_duplicate
from pytest_toolsandbox.authoring.drafting.linked_rows import sampled
from pytest_toolsandbox.authoring.drafting.question import drafts_in
from pytest_toolsandbox.authoring.drafting.sample import ROWS, description
from pytest_toolsandbox.authoring.drafting.solving import Change
from pytest_toolsandbox.worlds.world import find_world

TWO = json.dumps({"drafts": [TEXT_SISTER, WIFI]}, indent=1)


@every(
    ("reply", "names"),
    [
        (TWO, ["text my sister", "Wifi off!"]),
        (f"Here they are:\n```json\n{TWO}\n```\nHave fun {{with}} them!",
         ["text my sister", "Wifi off!"]),
        (json.dumps([TEXT_SISTER, WIFI]), ["text my sister", "Wifi off!"]),
        (f"{json.dumps(WIFI)}\n{json.dumps(TEXT_SISTER)}", ["Wifi off!", "text my sister"]),
        (TWO[:-40], ["text my sister"]),
        (TWO.replace('"opening"', "opening", 1), ["Wifi off!"]),
        (json.dumps({"drafts": [WIFI, "a text", None, {"name": "no opening"}]}), ["Wifi off!"]),
        ('{"drafts": []}', []),
        ("I'd rather not.", []),
        ("{" * 100_000, []),
        ("", []),
    ],
)  # fmt: skip
def test_drafts_are_read_in_any_reply(reply: str, names: list[str]) -> None:
    assert [draft["name"] for draft in drafts_in(reply)] == names


def test_a_draft_becomes_the_beginning_of_a_scenario() -> None:
    content = {
        **TEXT_SISTER,
        "replies": [{"about": ["who", "which (one)"], "say": "Kat."}, "At\x00 six.\n"],
        "state": {"setting": {"wifi": False}, "contact": {"added": [{"name": "A\ud800da",
                  "phone_number": "+14155550123"}]}},
    }  # fmt: skip
    draft = read_draft(content, find_world("phone"), {"text_my_sister"})
    assert draft.name == "text_my_sister_2"
    assert draft.document["user"]["replies"] == [
        {"when": r"\b(?:who|which \(one\))[^?]*\?", "say": "Kat."},
        {"say": "At six."},
    ]
    assert draft.scenario.start["contact"].rows[-1]["name"] == "A\N{REPLACEMENT CHARACTER}da"
    simulated = read_draft(content, find_world("phone"), (), with_script=False)
    assert simulated.document["user"]["knows"] == {"fact_1": "Kat.", "fact_2": "At six."}
    assert "agrees" not in simulated.document["user"]


@every(
    ("changed", "reason"),
    [
        ({"opening": ""}, "opening: it is empty"),
        ({"opening": 5}, "opening: expected a text, found the number 5"),
        ({"name": ["a"]}, "name: expected a text, found a list"),
        ({"tools": ["search_contact"]},
         "unknown tool 'search_contact'; did you mean 'search_contacts'?"),
        ({"tools": "search_contacts"}, "tools: expected a list of names, found the text"),
        ({"tools": [{}]}, "unknown tool '{}'"),
        ({"replies": {"who": "Kat"}}, "replies: expected a list of at most 10, found a mapping"),
        ({"replies": [7]}, "replies: expected what the user says, found the number 7"),
        ({"replies": [{"about": "who"}]}, "say: it is missing"),
        ({"replies": [{"say": "Kat", "about": [1]}]}, "replies: expected words under about"),
        ({"state": {"contacts": {"added": []}}},
         "state.contacts: unknown table 'contacts'; did you mean 'contact'?"),
        ({"state": {"setting": {"wlan": False}}}, "unknown column 'wlan' of setting"),
        ({"state": {"setting": {"wifi": "off"}}},
         "state.setting.wifi: expected true or false, found the text 'off'"),
        ({"state": {"contact": {"removed": [{"name": "Nobody"}]}}}, "state.contact.removed[0]"),
        ({"state": [1]}, "state: expected"),
    ],
)  # fmt: skip
def test_what_does_not_fit_the_world_has_a_reason(changed: dict[str, Any], reason: str) -> None:
    with pytest.raises(DraftError) as caught:
        read_draft({**TEXT_SISTER, **changed}, find_world("phone"), ())
    assert reason in str(caught.value)


def task(opening: str, *calls: tuple[str, str], changed: str = "", world: str = "phone") -> Task:
    changes: Counter[Change] = Counter([("added", changed, ())] if changed else [])
    return Task(opening, world, opening, [*calls], changes)


SEND = task("Text Ada that I'll be late today.", ("send", "ada"), changed="messaging")
ASK = task("Is the wifi on?", ("get_wifi", ""))


@every(
    ("other", "why"),
    [
        (task("Text Ada that I'll be late tomorrow.", ("send", "ada 2"), changed="messaging"),
         "and an opening like it (0.88)"),
        (task("Let Ada know of my delay.", ("send", "ada"), changed="messaging"),
         "makes the same calls"),
        (task("Text Ada that I'll be late today.", ("mail", "ada"), changed="messaging"), ""),
        (task("Text Ada that I'll be late today.", ("send", "ada 2"), changed="contact"), ""),
        (task("Have Bob know when we meet.", ("send", "bob"), changed="messaging"), ""),
        (task("Is wifi on?", ("get_wifi", ""), world="office"), ""),
        (Task("c", "phone", "Is the wifi turned on?", None, None), "and an opening like it"),
        (Task("c", "phone", "Who am I?", None, None), ""),
    ],
)  # fmt: skip
def test_near_duplicates_have_like_openings_or_the_same_calls(other: Task, why: str) -> None:
    reason = near_duplicate(other, [ASK, SEND])
    assert why in reason
    assert bool(reason) is bool(why)


def test_assignments_are_seeded_and_begin_with_what_is_not_covered() -> None:
    phone = find_world("phone")
    chosen = assignments(phone, 40, 1)
    assert chosen == assignments(phone, 40, 1)
    assert chosen != assignments(phone, 40, 2)
    assert {each.tools[0] for each in chosen} == {*phone.agent_tools}
    covered = [*phone.agent_tools]
    covered.remove("get_wifi_status")
    first, *_ = assignments(phone, 2, 1, covered)
    assert first.tools[0] == "get_wifi_status"
    assert "uses get_wifi_status, possibly with" in first.text


def test_a_world_is_described_within_a_budget() -> None:
    store = find_world("store")
    text = description(store, ["get_order"], Random(0))
    assert text == description(store, ["get_order"], Random(0))
    rows = [line for line in text.splitlines() if line.startswith('{"')]
    assert 0.9 * ROWS < sum(map(len, rows)) <= ROWS
    assert "## new_note: 0 rows" in text
    small = description(find_world("queries.tools"), [], Random(0))
    assert "## " not in small, "it has no tables"


def test_rows_come_with_those_that_they_refer_to() -> None:
    people = [{"id": f"p{n}"} for n in range(9)]
    orders = [{"number": f"o{n}", "person": f"p{n}"} for n in range(9)]
    places = [*sampled({"people": people, "orders": orders}, Random(3))]
    assert sorted(places) == [(table, n) for table in ("orders", "people") for n in range(9)]
    assert {table for table, _ in places[:2]} == {"people", "orders"}
    firsts = {n for _, n in places[:2]}
    pairs = [(places[n][1], places[n + 1][1]) for n in range(2, 16, 2)]
    assert sum(a == b for a, b in pairs if {a, b}.isdisjoint(firsts)) >= 6
