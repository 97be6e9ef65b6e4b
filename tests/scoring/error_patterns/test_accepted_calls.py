"""The calls that are accepted, which may be others than those of the solutions."""

from __future__ import annotations

import pytest
from pantry import played, scenario

from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.scoring.error_patterns.accepted_calls import accepted_calls
from pytest_toolsandbox.scoring.error_patterns.patterns import AcceptedCall, AcceptedSolution
from pytest_toolsandbox.scoring.judging import judge


def scene(solution: str, made: str = "[say: Done.]") -> Scenario:
    """Return a scenario with a solution, and a conversation in which it was not reached."""
    return scenario(
        f"milestones: {{done: {{says: {{exact: Never.}}}}}}\n"
        f"solutions: {{one: {solution}}}\ncounterexamples: {{made: {made}}}"
    )


def accepted(solution: str, made: str = "[say: Done.]") -> AcceptedSolution:
    both = scene(solution, made)
    (only,) = accepted_calls(both, played(both, "made"))
    return only


def findings(solution: str, made: str) -> list[str]:
    both = scene(solution, made)
    return [one.words for one in judge(both, played(both, "made")).patterns.findings]


def test_they_are_those_of_the_solution_with_their_values() -> None:
    both = "[{remove_item: {name: salt}}, {parallel: [{list_items: {}}, {open_door: {}}]}, say: Hi]"
    assert accepted(both) == (
        AcceptedCall("remove_item", {"name": "salt"}),
        AcceptedCall("list_items", {}),
        AcceptedCall("open_door", {}, fails=True),
    )


def test_a_solution_that_ends_early_has_the_calls_that_it_made() -> None:
    assert accepted("[say: Done., {list_items: {}}]") == ()


def test_every_solution_has_its_own() -> None:
    several = scenario(
        "milestones: {done: {says: {exact: Never.}}}\n"
        "solutions: {one: [{list_items: {}}], other: [{weigh: {name: rice}}], none: [say: Hi]}"
    )
    found = accepted_calls(several, played(several, "none"))
    assert [[call.tool for call in one] for one in found] == [["list_items"], ["weigh"], []]


@pytest.mark.parametrize(
    ("note", "found"),
    [
        ("Bought at the market, on Friday", []),
        ("Something else", ["IAV note for add_item"]),
    ],
)
def test_free_texts_need_be_alike_only(note: str, found: list[str]) -> None:
    solution = "[{add_item: {name: tea, note: Bought at the market on Friday}}]"
    made = f"[{{add_item: {{name: tea, note: '{note}'}}}}, say: Done.]"
    assert findings(solution, made) == found


FOLLOWING = (
    "[{list_items: {}}, {remove_item: {name: {from: {call: list_items, path: '[0].name'}}}}]"
)


@pytest.mark.parametrize(
    ("made", "found"),
    [
        ("[{list_items: {}}, {remove_item: {name: rice}}, say: Hi]", []),
        ("[{list_items: {}}, {remove_item: {name: salt}}, say: Hi]", ["IAV name for remove_item"]),
        # Another state was looked at, from which another value follows.
        (
            (
                "[{set_amount: {name: rice, amount: 5}}, {remove_item: {name: rice}},"
                " {list_items: {}}, {remove_item: {name: salt}}, say: Hi]"
            ),
            [],
        ),
        # Nothing was looked up: that is what is missing, whatever was removed.
        ("[{remove_item: {name: salt}}, say: Hi]", ["IAC list_items"]),
    ],
)
def test_values_that_follow_from_what_was_found(made: str, found: list[str]) -> None:
    assert findings(FOLLOWING, made) == found


def test_a_value_that_follows_is_told_once() -> None:
    scene = scenario(
        "protected: [item]\nmilestones: {done: {says: {exact: Never.}}}\n"
        f"solutions: {{one: {FOLLOWING}}}\n"
        "counterexamples: {made: [{list_items: {}}, {remove_item: {name: salt}}, say: Hi]}"
    )
    (finding,) = judge(scene, played(scene, "made")).patterns.findings
    assert finding.expected == "'rice'"


@pytest.mark.parametrize(
    ("made", "found"),
    [
        ("[{search_contacts: {relationship: sister}}, say: Hi]", []),
        ("[{search_contacts: {name: Katherine Lindqvist}}, say: Hi]", []),
        ("[{search_contacts: {phone_number: '+14155550111'}}, say: Hi]", []),
        ("[{search_contacts: {name: Kat}}, say: Hi]", ["IAV name for search_contacts"]),
    ],
)
def test_a_look_up_that_found_the_same(made: str, found: list[str]) -> None:
    phone = scenario(
        "world: phone\nprotected: [contact]\nmilestones: {done: {says: {exact: Never.}}}\n"
        "solutions: {one: [{search_contacts: {relationship: sister}}, say: Never.]}\n"
        f"counterexamples: {{made: {made}}}"
    )
    patterns = judge(phone, played(phone, "made")).patterns
    assert [one.words for one in patterns.findings][: len(found)] == found
    assert bool(patterns.findings) is bool(found)


def test_a_look_up_that_was_made_again_is_no_other_one() -> None:
    sister, by_name = "{relationship: sister}", "{name: Katherine Lindqvist}"
    phone = scenario(
        "world: phone\nprotected: [contact]\nmilestones: {done: {says: {exact: Never.}}}\n"
        "solutions:\n"
        f"  both: [{{search_contacts: {sister}}}, {{search_contacts: {by_name}}}, say: Never.]\n"
        f"  one: [{{search_contacts: {sister}}}, say: Never.]\n"
        "counterexamples:\n"
        f"  made: [{{search_contacts: {sister}}}, {{search_contacts: {sister}}}, say: Hi]"
    )
    (finding,) = judge(phone, played(phone, "made")).patterns.findings
    assert finding.words == "RAC search_contacts"


def test_a_call_that_changed_the_world_is_no_look_up() -> None:
    """Sending fails before there is cellular service, so the reminder is added first."""
    at_once = (
        "[parallel: [set_cellular_service_status: {{on: true}},"
        " add_reminder: {{content: {content}, reminder_timestamp: 1748768400}},"
        " send_message_with_phone_number: {{phone_number: '+14155550111', content: Hi}}], say: Hi]"
    )
    phone = scenario(
        "world: phone\nprotected: [contact]\nstate: {setting: {cellular: false}}\n"
        "milestones: {done: {says: {exact: Never.}}}\n"
        f"solutions: {{one: {at_once.format(content='Water the fig tree')}}}\n"
        f"counterexamples: {{made: {at_once.format(content='Pay rent')}}}"
    )
    (finding,) = judge(phone, played(phone, "made")).patterns.findings
    assert finding.words == "IAV content for add_reminder"


@pytest.mark.parametrize(
    ("solution", "found"),
    [
        ("[close_door: {}, open_door: {}, close_door: {}, say: Done.]", []),
        ("[close_door: {}, say: Done.]", ["RAC close_door"]),
    ],
)
def test_a_conversation_that_passed_repeats_what_no_solution_does(
    solution: str, found: list[str]
) -> None:
    scene = scenario(
        "guardrails: none\nmilestones: {done: {state: {door: {open: false}}}}\n"
        f"solutions: {{one: {solution}}}\n"
        "counterexamples: {made: [close_door: {}, open_door: {}, close_door: {}, say: Done.]}"
    )
    judgement = judge(scene, played(scene, "made"))
    assert judgement.passed
    assert [one.words for one in judgement.patterns.findings] == found


def test_a_look_up_that_found_nothing_tells_nothing() -> None:
    nothing = "[{set_amount: {name: tea, amount: 2}}, say: Hi]"
    assert findings(nothing, nothing.replace("tea", "sugar")) == ["IAV name for set_amount"]


@pytest.mark.parametrize(
    ("conclusion", "found"),
    [
        ("finish: {answer: rice}", ["IAV name for weigh"]),
        ("say: Rice.", ["IAV name for weigh"]),
        ("weigh: {name: flour}", ["IAV name for weigh", "IAC finish"]),
    ],
)
def test_a_solution_that_ends_in_words_is_as_close_as_one_that_finishes(
    conclusion: str, found: list[str]
) -> None:
    scene = scenario(
        "query: What is there most of?\nanswer: rice\nmax_calls: 2\n"
        "solutions:\n"
        "  adds: [{add_item: {name: tea, amount: 2}}, {finish: {answer: rice}}]\n"
        "  weighs: [{weigh: {name: rice}}, say: Rice.]\n"
        f"counterexamples: {{made: [{{weigh: {{name: salt}}}}, {conclusion}]}}"
    )
    patterns = judge(scene, played(scene, "made")).patterns
    assert patterns.closest == 1
    assert [one.words for one in patterns.findings] == found
