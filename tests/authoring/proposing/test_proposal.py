"""What is proposed from conversations: what they have in common, and nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import pytest

from pytest_toolsandbox.authoring.proof.mutants import mutants
from pytest_toolsandbox.authoring.proof.played_solution import played, solved
from pytest_toolsandbox.authoring.proof.proof import Survivor
from pytest_toolsandbox.authoring.proposing.conversations import Conversation
from pytest_toolsandbox.authoring.proposing.facts import FactFinder
from pytest_toolsandbox.authoring.proposing.proposal import Proposal, propose, read_document
from pytest_toolsandbox.authoring.proposing.survivors import killing_lines
from pytest_toolsandbox.language.yaml12 import read_yaml, write_yaml
from pytest_toolsandbox.protocols import read_file

ADA = {"person_id": "ada", "name": "Ada Obi", "phone_number": "+14155550123"}
STUB: dict[str, Any] = {"world": "phone", "state": {"contact": {"added": [ADA]}}}
TEXT = {"phone_number": "$search_contacts[0].phone_number", "content": "I'm late."}
BY_NAME = {"search_contacts": {"name": "Ada"}}
SEND = "send_message_with_phone_number"
SENT = [{SEND: TEXT}, {"say": "Ada knows."}]
LATE = "Text Ada that I'm late."


def proposed(
    opening: str, good: Sequence[list[Any]], bad: Sequence[list[Any]] = (), **stub: Any
) -> tuple[Proposal, dict[str, Any]]:
    """Propose a scenario from steps of agents; return it with its keys."""
    document = {**STUB, **stub, "user": {"opening": opening}}
    scripts = {f"s{n}": steps for n, steps in enumerate([*good, *bad])}
    whole = {**document, "milestones": {"m": {"says": {"regex": "."}}}, "solutions": scripts}
    (scenario,) = read_file(write_yaml(whole).encode(), "example", "example.yaml")
    conversations = [
        Conversation(name, scenario, played(scenario, steps))
        for name, steps in scenario.solutions.items()
    ]
    count = len(good)
    proposal = propose(document, "example", conversations[:count], conversations[count:])
    keys, _ = read_yaml(proposal.text.encode(), "example.yaml")
    return proposal, keys


def test_a_look_up_counts_if_nobody_has_said_its_value() -> None:
    proposal, keys = proposed(LATE, [[BY_NAME, *SENT]])
    assert keys["milestones"]["search_contacts"]["call"] == "search_contacts"
    assert (proposal.failing, proposal.proof.findings, proposal.proof.survivors) == ([], [], [])
    number = {SEND: {**TEXT, "phone_number": "+14155550123"}}
    _, keys = proposed("Text +14155550123 that I'm late.", [[BY_NAME, number, {"say": "Sent."}]])
    assert [*keys["milestones"]] == ["done"]
    assert keys["solutions"]["s0"][0] == number, "a look-up that tells nothing new is left out"


def test_conversations_with_the_same_calls_show_no_other_arguments() -> None:
    say = {"say": "I've told Ada."}
    _, keys = proposed(LATE, [[BY_NAME, *SENT], [BY_NAME, *SENT[:1], say]])
    assert keys["milestones"]["search_contacts"]["call"] == "search_contacts"
    wifi: dict[str, Any] = {"get_wifi_status": {}}
    _, keys = proposed(LATE, [[BY_NAME, *SENT], [wifi, BY_NAME, *SENT]])
    assert keys["milestones"]["search_contacts"]["call"] == BY_NAME


def test_settings_are_wanted_or_on_the_way() -> None:
    off = {"setting": {"cellular": False}, **STUB["state"]}
    turned_on = {"set_cellular_service_status": {"on": True}}
    _, keys = proposed(LATE, [[turned_on, BY_NAME, *SENT]], state=off)
    assert keys["guardrails"] == {"all_but": ["setting.cellular"]}
    assert "setting" not in keys["milestones"]["done"]["state"]
    _, keys = proposed("Turn off wifi.", [[{"set_wifi_status": {"on": False}}, {"say": "Done."}]])
    assert keys["milestones"]["done"]["state"]["setting"]["wifi"] is False
    assert keys["protected"] == ["contact", "messaging", "reminder"]


def test_look_ups_of_several_conversations_are_alternatives() -> None:
    row = {
        "sender_phone_number": "+14155550123",
        "recipient_phone_number": "+14155550100",
        "content": "Where are you? Ada",
        "creation_timestamp": {"at": "now-1d"},
    }
    number = "$search_messages[0].sender_phone_number"
    by_text = [{"search_messages": {"content": "Ada"}}, {SEND: {**TEXT, "phone_number": number}}]
    state = {**STUB["state"], "messaging": {"added": [row]}}
    good = [[BY_NAME, *SENT], [*by_text, {"say": "Sent."}]]
    proposal, keys = proposed(LATE, good, state=state)
    look_up, _ = keys["milestones"].values()
    assert look_up["call"] == {"any_of": ["search_contacts", "search_messages"]}
    assert (proposal.failing, proposal.proof.findings) == ([], [])


def test_what_only_bad_conversations_do_is_a_minefield() -> None:
    wrong = [BY_NAME, {SEND: {**TEXT, "phone_number": "+14155550111"}}, {"say": "Ada knows."}]
    failing = [BY_NAME, {"remove_contact": {"person_id": "bob"}}, *SENT]
    proposal, keys = proposed(LATE, [[BY_NAME, *SENT]], [wrong, failing])
    assert keys["minefields"] == {
        f"wrong_{SEND}": {"call": {SEND: {"phone_number": "+14155550111"}}},
        "wrong_remove_contact": {"tried": "remove_contact"},
    }
    assert (proposal.failing, proposal.passing) == ([], [])
    assert keys["counterexamples"] == {"s1": wrong}


def test_an_order_that_a_conversation_contradicts_is_not_asked_for() -> None:
    clock: dict[str, Any] = {"get_current_timestamp": {}}
    at = {"content": "Call", "reminder_timestamp": {"at": "tomorrow 09:00"}}
    remind, say = {"add_reminder": at}, {"say": "You'll hear from me."}
    proposal, keys = proposed("Remind me to call.", [[clock, remind, say], [remind, clock, say]])
    assert proposal.failing == []
    assert [*keys["milestones"]] == ["done"]


def test_a_survivor_has_the_line_that_kills_it() -> None:
    document = {
        **STUB,
        "user": {"opening": "Turn off wifi, and text Ada."},
        "milestones": {"done": {"says": {"regex": "."}, "guardrails": "none"}},
        "guardrails": "none",
        "solutions": {"s": [{"set_wifi_status": {"on": False}}, BY_NAME, *SENT]},
        "counterexamples": {"c": ""},
    }
    read = partial(read_document, name="example")
    scenario = read(document)
    (steps,) = scenario.solutions.values()
    survivors = [
        Survivor(mutant.kind, mutant.what, "")
        for mutant in mutants(solved(scenario, steps))
        if mutant.kind == "call dropped"
    ]
    assert killing_lines(document, read, survivors, [played(scenario, steps)]) == [
        "state: {setting: {wifi: false}}",
        "ends_as: {solution: s, tables: [messaging]}",
    ]


@pytest.mark.parametrize(
    ("texts", "finder", "matchers"),
    [
        (["Call +1 415 555 0123."], FactFinder(), [{"regex": r"555\D*0123"}]),
        (["It is 37 days ago."], FactFinder(), [{"mentions": 37}]),
        (["2 of 37 came.", "Thirty-seven came."], FactFinder(), [{"mentions": 37}]),
        (["On Friday at 17:00.", "At 5 pm, Friday."], FactFinder(),
         [{"mentions": ["Friday", "17:00"]}]),
        (["To Ada today."], FactFinder(), []),
        (["To Ada today."], FactFinder(wanted="today"), [{"mentions": "today"}]),
        (["So Ada came.", "I saw Ada."], FactFinder(), [{"mentions": "Ada"}]),
        (["So Ada came.", "I saw Ada."], FactFinder(known="Ada"), []),
        (["About 10 km."], FactFinder(measured=[9.979]), [{"number": {"to": 10, "within": 0.3}}]),
        (["14 °C", "14.4 °C"], FactFinder(measured=[14.4]),
         [{"number": {"to": 14, "within": 0.42}}]),
        (["5 km", "9 km"], FactFinder(), []),
    ],
)  # fmt: skip
def test_facts_that_texts_have_in_common(
    texts: list[str], finder: FactFinder, matchers: list[Any]
) -> None:
    assert finder.common(texts).matchers == matchers
