"""The calls that are accepted, which may be others than those of the solutions."""

from __future__ import annotations

import pytest
from pantry import played, scenario

from pytest_toolsandbox.agents.scripted import scripted
from pytest_toolsandbox.conversation.play import ask
from pytest_toolsandbox.language.roles import ToolStep
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.scoring.error_patterns.accepted_calls import accepted_calls
from pytest_toolsandbox.scoring.error_patterns.patterns import AcceptedCall, AcceptedSolution
from pytest_toolsandbox.scoring.judging import judge
from pytest_toolsandbox.worlds.world import find_world, known_worlds


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
    return [finding.words for finding in judge(both, played(both, "made")).patterns.findings]


def test_accepted_calls_are_those_of_the_solution_with_their_values() -> None:
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
    solutions = accepted_calls(several, played(several, "none"))
    assert [[call.tool for call in solution] for solution in solutions] == [
        ["list_items"],
        ["weigh"],
        [],
    ]


@pytest.mark.parametrize(
    ("note", "found"),
    [("Bought at the market, on Friday", []), ("Something else", ["IAV note for add_item"])],
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


def test_a_value_from_a_missing_look_up_is_no_second_finding() -> None:
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
    assert [finding.words for finding in patterns.findings][: len(found)] == found
    assert bool(patterns.findings) is bool(found)


def test_a_repeated_look_up_is_the_same_look_up() -> None:
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
    assert [finding.words for finding in judgement.patterns.findings] == found


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
    assert [finding.words for finding in patterns.findings] == found


LISTED = '[{search_contacts: {name: Katherine Lindqvist}}, {finish: {answer: "+14155550111"}}]'


def found(question: str, made: str, solution: str = LISTED) -> list[str]:
    scene = scenario(
        f"world: phone\nquery: {question}\nanswer: '+14155550111'\nsolutions: {{one: {solution}}}\n"
        f"counterexamples: {{made: [{made}, {{finish: {{answer: '+14155550111'}}}}]}}"
    )
    trajectory = ask(scene, scripted(scene, scene.counterexamples["made"]))
    return [finding.words for finding in judge(scene, trajectory).patterns.findings]


@pytest.mark.parametrize(
    ("question", "made", "findings"),
    [
        ("What is my sister's number?", "{search_contacts: {name: Kat}}", []),
        ("What is my sister's number?", "{search_contacts: {is_self: false}}", []),
        (
            "What is Katherine's number?",
            "{search_contacts: {is_self: false}}",
            ["IAV name for search_contacts (missing)", "IAV is_self for search_contacts"],
        ),
        (
            "What is my sister's number?",
            "{search_contacts: {name: Ada}}",
            ["IAV name for search_contacts"],
        ),
    ],
)
def test_more_is_as_good_unless_it_was_asked_for(
    question: str, made: str, findings: list[str]
) -> None:
    assert found(question, made) == findings


def test_one_look_up_may_stand_for_several() -> None:
    both = LISTED.replace("[", "[{search_contacts: {relationship: coworker}}, ", 1)
    assert found("Which number is it?", "{search_contacts: {is_self: false}}", both) == []
    assert found("Which coworker is it?", "{search_contacts: {is_self: false}}", both) != []


ONE_WAY = (
    "[{search_countries: {official_language: Quintaran}}, "
    "{get_country_indicator: {country_code: PAS, indicator: gdp_per_capita, "
    "start_year: 2020, end_year: 2021}}, {get_city_indicator: {city_id: "
    "'$search_countries.results[1].capital_city_id', indicator: population}}, "
    "{finish: {answer: 14006}}]"
)


def found_of_data(question: str, made: str) -> list[str]:
    """Return what is found of other calls than those of one way to the answer."""
    scene = scenario(
        f"world: queries.data\nquery: {question}\nanswer: 14006\nsolutions: {{one: {ONE_WAY}}}\n"
        f"counterexamples: {{made: [{made}, {{finish: {{answer: 14006}}}}]}}"
    )
    trajectory = ask(scene, scripted(scene, scene.counterexamples["made"]))
    return [finding.words for finding in judge(scene, trajectory).patterns.findings]


GDP = "{get_country_indicator: {country_code: PAS, indicator: gdp_per_capita"
CITY = "{get_city_indicator: {city_id: PAS-02, indicator: population}}"
YEARS = f"{GDP}, start_year: {{each: [2020, 2021]}}, end_year: 2021}}}}"
"""A look-up of two years, of which the second is looked up once more."""
PARTS = f"{GDP}, start_year: 2020, end_year: 2020}}}}, {GDP}, start_year: 2021, end_year: 2021}}}}"
"""Two look-ups which together found what one of two years did."""


@pytest.mark.parametrize(
    ("made", "findings"),
    [
        (f"{{search_countries: {{official_language: Quintaran}}}}, {PARTS}, {CITY}", []),
        (
            (
                f"{{search_countries: {{official_language: Quintaran}}}}, "
                f"{GDP}, start_year: 2020, end_year: 2020}}}}, {CITY}"
            ),
            ["IAV end_year for get_country_indicator"],
        ),
        # Another tool told the identifier that the solution takes from the countries.
        (f"{{search_cities: {{country_codes: [PAS], is_capital: true}}}}, {YEARS}, {CITY}", []),
        # Nothing did: its own call for the city says no more than it knew.
        (f"{YEARS}, {CITY}", ["IAC search_countries"]),
    ],
)
def test_parts_and_other_tools_are_as_good(made: str, findings: list[str]) -> None:
    question = (
        "Where Quintaran is spoken, what was the GDP per capita of Pascaria in 2020 and 2021?"
    )
    assert found_of_data(question, made) == findings


def test_values_that_a_solution_lists_are_as_good() -> None:
    names = "{one_of: [Katherine, null]}"
    listed = (
        f"[{{search_contacts: {{relationship: sister, name: {names}}}}}, {{finish: {{answer: 1}}}}]"
    )
    scene = scenario(
        f"world: phone\nquery: What is Katherine's number?\nanswer: 1\nsolutions: {{one: {listed}}}"
    )
    for arguments, findings in (
        ({}, []),
        ({"name": "Katherine"}, []),
        ({"name": "Fred"}, ["IAV name for search_contacts"]),
    ):
        search = ToolStep("search_contacts", {"relationship": "sister", **arguments})
        steps = [search, ToolStep("finish", {"answer": 1})]
        trajectory = ask(scene, scripted(scene, steps))
        judged = judge(scene, trajectory).patterns.findings
        assert [finding.words for finding in judged] == findings
    assert [finding.expected for finding in judged] == ["'Katherine' or not given"]


@pytest.mark.parametrize(
    ("made", "findings"),
    [
        # A wider span of years has those that were asked for.
        (f"{GDP}, start_year: 2018, end_year: 2022}}}}", []),
        (f"{GDP}, start_year: 2021, end_year: 2022}}}}", ["IAV start_year", "IAV end_year"]),
        # One more of the countries that were found, before the right one.
        (
            (
                "{get_country_indicator: {country_code: MRV, indicator: gdp_per_capita}}, "
                f"{GDP}, start_year: 2020, end_year: 2021}}}}"
            ),
            [],
        ),
        # No tool and no question has told of this one.
        (
            (
                "{get_country_indicator: {country_code: LUS, indicator: gdp_per_capita}}, "
                f"{GDP}, start_year: 2020, end_year: 2021}}}}"
            ),
            ["IAV country_code", "IAV start_year", "IAV end_year"],
        ),
    ],
)
def test_wider_look_ups_and_further_ones_are_as_good(made: str, findings: list[str]) -> None:
    question = (
        "Where Quintaran is spoken, what was the GDP per capita of Pascaria in 2020 and 2021?"
    )
    run = f"{{search_countries: {{official_language: Quintaran}}}}, {made}, {CITY}"
    words = found_of_data(question, run)
    assert [finding.partition(" for ")[0] for finding in words] == findings


def test_another_search_that_told_what_is_taken_from_the_listed_one() -> None:
    listed = (
        "[{search_contacts: {relationship: sister}}, {search_contacts: {phone_number: "
        "'$search_contacts[0].phone_number'}}, {finish: {answer: '+14155550111'}}]"
    )
    made = "{search_contacts: {name: Katherine}}, {search_contacts: {phone_number: '+14155550111'}}"
    assert found("Which number has Katherine?", made, listed) == []


WORLDS = [name for name in known_worlds() if name.startswith("queries.")]


def test_every_list_is_declared() -> None:
    tools = [tool for name in WORLDS for tool in find_world(name).tools.values()]
    lists = {
        f"{tool.name}.{name}": tool.comparison.arguments.get(name)
        for tool in tools
        for name, parameter in tool.parameters.items()
        if parameter.shown.get("type") == "array"
    }
    assert len(lists) > 9
    assert set(lists.values()) == {"set"}


@pytest.mark.parametrize("again", ["[18, 28]", "[28, 18]"])
def test_other_orders_are_the_same_call(again: str) -> None:
    scene = scenario(
        "world: queries.movies\nquery: Which one?\nanswer: none\n"
        f"solutions: {{one: [{{discover_movies: {{genre_ids: {again}}}}}, {{say: none}}]}}\n"
        "counterexamples: {made: [{discover_movies: {genre_ids: [28, 18]}},"
        f" {{discover_movies: {{genre_ids: {again}}}}}, {{say: some}}]}}"
    )
    findings = judge(scene, played(scene, "made")).patterns.findings
    assert [finding.words for finding in findings] == ["RAC discover_movies"]
