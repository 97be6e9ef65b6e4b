"""The calls that are accepted, which may be others than those of the solutions."""

from __future__ import annotations

from dataclasses import replace

from pantry import played, scenario
from rows import every

from pytest_toolsandbox.agents.scripted import scripted
from pytest_toolsandbox.conversation.play import ask
from pytest_toolsandbox.language.roles import ToolStep
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.scoring.error_patterns.accepted_calls import accepted_calls
from pytest_toolsandbox.scoring.error_patterns.patterns import AcceptedCall
from pytest_toolsandbox.scoring.judging import judge
from pytest_toolsandbox.worlds.world import find_world, known_worlds


def fares(scene: Scenario) -> list[str]:
    """Return what is found in the counterexample of a scenario."""
    return [finding.words for finding in judge(scene, played(scene, "made")).patterns.findings]


def findings(solution: str, made: str, head: str = "") -> list[str]:
    """Return what is found in a conversation in which no milestone is reached."""
    return fares(
        scenario(
            f"{head}milestones: {{done: {{says: {{exact: Never.}}}}}}\n"
            f"solutions: {{one: {solution}}}\ncounterexamples: {{made: {made}}}"
        )
    )


PHONE = "world: phone\nprotected: [contact]\n"


def test_accepted_calls_are_those_of_each_solution_with_their_values() -> None:
    several = scenario(
        "milestones: {done: {says: {exact: Never.}}}\n"
        "solutions:\n"
        "  one: [{remove_item: {name: salt}}, {parallel: [{list_items: {}}, {open_door: {}}]},"
        " say: Hi]\n"
        "  other: [{weigh: {name: rice}}]\n"
        "  ends_early: [say: Done., {list_items: {}}]\n"
    )
    assert list(accepted_calls(several, played(several, "ends_early"))) == [
        (
            AcceptedCall("remove_item", {"name": "salt"}),
            AcceptedCall("list_items", {}),
            AcceptedCall("open_door", {}, fails=True),
        ),
        (AcceptedCall("weigh", {"name": "rice"}),),
        (),
    ]


def test_they_are_found_once_for_what_was_done_in_all_variants() -> None:
    several = scenario(
        "milestones: {done: {says: {exact: Never.}}}\nsolutions: {one: [{list_items: {}}, say: Hi]}"
    )
    made, same = played(several, "one"), played(several, "one")
    once = accepted_calls(several, made)
    assert accepted_calls(replace(several, variant="all_tools_available"), same) is once
    assert accepted_calls(replace(several, solutions=dict(several.solutions)), made) is not once


TEA = "[{add_item: {name: tea, note: %s}}, say: Done.]"
AMOUNT = "[{set_amount: {name: %s, amount: 2}}, say: Hi]"
FOLLOWING = (
    "[{list_items: {}}, {remove_item: {name: {from: {call: list_items, path: '[0].name'}}}}]"
)


@every(
    ("solution", "made", "expected"),
    [
        (FOLLOWING, "[{list_items: {}}, {remove_item: {name: rice}}, say: Hi]", []),
        (
            FOLLOWING,
            "[{list_items: {}}, {remove_item: {name: salt}}, say: Hi]",
            ["IAV name for remove_item"],
        ),
        # Another state was looked at, from which another value follows.
        (
            FOLLOWING,
            (
                "[{set_amount: {name: rice, amount: 5}}, {remove_item: {name: rice}},"
                " {list_items: {}}, {remove_item: {name: salt}}, say: Hi]"
            ),
            [],
        ),
        # Nothing was looked up: that is what is missing, whatever was removed.
        (FOLLOWING, "[{remove_item: {name: salt}}, say: Hi]", ["IAC list_items"]),
        # Free texts need only be alike.
        (TEA % "Bought at the market on Friday", TEA % "'Bought at the market, on Friday'", []),
        (TEA % "Bought at the market on Friday", TEA % "Something else", ["IAV note for add_item"]),
        # A look-up that found nothing tells nothing.
        (AMOUNT % "tea", AMOUNT % "sugar", ["IAV name for set_amount"]),
    ],
)
def test_values_that_follow_from_what_was_found(
    solution: str, made: str, expected: list[str]
) -> None:
    assert findings(solution, made) == expected


@every(
    ("solution", "made", "expected"),
    [
        ("", "{relationship: sister}", []),
        ("", "{name: Katherine Lindqvist}", []),
        ("", "{phone_number: '+14155550111'}", []),
        ("", "{name: Kat}", ["IAV name for search_contacts"]),
        # A repeated look-up is the same look-up, whatever another solution looks up.
        (
            (
                "both: [{search_contacts: {relationship: sister}},"
                " {search_contacts: {name: Katherine Lindqvist}}, say: Never.], "
            ),
            "{relationship: sister}}, {search_contacts: {relationship: sister}",
            ["RAC search_contacts"],
        ),
    ],
)
def test_a_look_up_that_found_the_same(solution: str, made: str, expected: list[str]) -> None:
    scene = scenario(
        f"{PHONE}milestones: {{done: {{says: {{exact: Never.}}}}}}\n"
        f"solutions: {{{solution}one: [search_contacts: {{relationship: sister}}, say: Never.]}}\n"
        f"counterexamples: {{made: [{{search_contacts: {made}}}, say: Hi]}}"
    )
    words = fares(scene)
    assert words[: len(expected)] == expected
    assert bool(words) is bool(expected)


def test_a_call_that_changed_the_world_is_no_look_up() -> None:
    """Sending fails before there is cellular service, so the reminder is added first."""
    at_once = (
        "[parallel: [set_cellular_service_status: {on: true},"
        " add_reminder: {content: %s, reminder_timestamp: 1748768400},"
        " send_message_with_phone_number: {phone_number: '+14155550111', content: Hi}], say: Hi]"
    )
    head = f"{PHONE}state: {{setting: {{cellular: false}}}}\n"
    words = findings(at_once % "Water the fig tree", at_once % "Pay rent", head)
    assert words == ["IAV content for add_reminder"]


@every(
    ("solution", "expected"),
    [
        ("[close_door: {}, open_door: {}, close_door: {}, say: Done.]", []),
        ("[close_door: {}, say: Done.]", ["RAC close_door"]),
    ],
)
def test_a_conversation_that_passed_repeats_what_no_solution_does(
    solution: str, expected: list[str]
) -> None:
    scene = scenario(
        "guardrails: none\nmilestones: {done: {state: {door: {open: false}}}}\n"
        f"solutions: {{one: {solution}}}\n"
        "counterexamples: {made: [close_door: {}, open_door: {}, close_door: {}, say: Done.]}"
    )
    assert judge(scene, played(scene, "made")).passed
    assert fares(scene) == expected


@every(
    ("conclusion", "expected"),
    [
        ("finish: {answer: rice}", ["IAV name for weigh"]),
        ("say: Rice.", ["IAV name for weigh"]),
        ("weigh: {name: flour}", ["IAV name for weigh", "IAC finish"]),
    ],
)
def test_a_solution_that_ends_in_words_is_as_close_as_one_that_finishes(
    conclusion: str, expected: list[str]
) -> None:
    scene = scenario(
        "query: What is there most of?\nanswer: rice\nmax_calls: 2\n"
        "solutions:\n"
        "  adds: [{add_item: {name: tea, amount: 2}}, {finish: {answer: rice}}]\n"
        "  weighs: [{weigh: {name: rice}}, say: Rice.]\n"
        f"counterexamples: {{made: [{{weigh: {{name: salt}}}}, {conclusion}]}}"
    )
    assert judge(scene, played(scene, "made")).patterns.closest == 1
    assert fares(scene) == expected


LISTED = '[{search_contacts: {name: Katherine Lindqvist}}, {finish: {answer: "+14155550111"}}]'


def findings_for(question: str, made: str, solution: str = LISTED) -> list[str]:
    return fares(
        scenario(
            f"world: phone\nquery: {question}\nanswer: '+14155550111'\n"
            f"solutions: {{one: {solution}}}\n"
            f"counterexamples: {{made: [{made}, {{finish: {{answer: '+14155550111'}}}}]}}"
        )
    )


def test_more_is_as_good_unless_it_was_asked_for() -> None:
    everybody = "{search_contacts: {is_self: false}}"
    sister = "What is my sister's number?"
    assert (
        findings_for(sister, "{search_contacts: {name: Kat}}")
        == findings_for(sister, everybody)
        == []
    )
    other = "{search_contacts: {name: Ada}}"
    assert findings_for(sister, other) == ["IAV name for search_contacts"]
    missing = ["IAV name for search_contacts (missing)", "IAV is_self for search_contacts"]
    assert findings_for("What is Katherine's number?", everybody) == missing
    # One look-up may stand for several.
    both = LISTED.replace("[", "[{search_contacts: {relationship: coworker}}, ", 1)
    assert findings_for("Which number is it?", everybody, both) == []
    assert findings_for("Which coworker is it?", everybody, both) != []
    # Another search told what is taken from the listed one.
    listed = (
        "[{search_contacts: {relationship: sister}}, {search_contacts: {phone_number: "
        "'$search_contacts[0].phone_number'}}, {finish: {answer: '+14155550111'}}]"
    )
    made = "{search_contacts: {name: Katherine}}, {search_contacts: {phone_number: '+14155550111'}}"
    assert findings_for("Which number has Katherine?", made, listed) == []


ONE_WAY = (
    "[{search_countries: {official_language: Quintaran}}, "
    "{get_country_indicator: {country_code: PAS, indicator: gdp_per_capita, "
    "start_year: 2020, end_year: 2021}}, {get_city_indicator: {city_id: "
    "'$search_countries.results[1].capital_city_id', indicator: population}}, "
    "{finish: {answer: 14006}}]"
)
SPOKEN = "{search_countries: {official_language: Quintaran}}"
GDP = "{get_country_indicator: {country_code: PAS, indicator: gdp_per_capita"
YEARS = f"{GDP}, start_year: {{each: [2020, 2021]}}, end_year: 2021}}}}"
"""A look-up of two years, of which the second is looked up once more."""
PARTS = f"{GDP}, start_year: 2020, end_year: 2020}}}}, {GDP}, start_year: 2021, end_year: 2021}}}}"
"""Two look-ups which together found what one of two years did."""
OF_OTHER = "{get_country_indicator: {country_code: %s, indicator: gdp_per_capita}}"


@every(
    ("made", "expected"),
    [
        (f"{SPOKEN}, {PARTS}", []),
        (f"{SPOKEN}, {GDP}, start_year: 2020, end_year: 2020}}}}", ["IAV end_year"]),
        # Another tool told the identifier that the solution takes from the countries.
        (f"{{search_cities: {{country_codes: [PAS], is_capital: true}}}}, {YEARS}", []),
        # Nothing did: its own call for the city says no more than it knew.
        (YEARS, ["IAC search_countries"]),
        # A wider span of years has those that were asked for.
        (f"{SPOKEN}, {GDP}, start_year: 2018, end_year: 2022}}}}", []),
        (
            f"{SPOKEN}, {GDP}, start_year: 2021, end_year: 2022}}}}",
            ["IAV start_year", "IAV end_year"],
        ),
        # One more of the countries that were found, before the right one.
        (f"{SPOKEN}, {OF_OTHER % 'MRV'}, {GDP}, start_year: 2020, end_year: 2021}}}}", []),
        # No tool and no question has told of this one.
        (
            f"{SPOKEN}, {OF_OTHER % 'LUS'}, {GDP}, start_year: 2020, end_year: 2021}}}}",
            ["IAV country_code", "IAV start_year (missing)", "IAV end_year (missing)"],
        ),
    ],
)
def test_parts_wider_look_ups_and_other_tools_are_as_good(made: str, expected: list[str]) -> None:
    scene = scenario(
        "world: queries.data\nquery: Where Quintaran is spoken, what was the GDP per capita of "
        f"Pascaria in 2020 and 2021?\nanswer: 14006\nsolutions: {{one: {ONE_WAY}}}\n"
        f"counterexamples: {{made: [{made}, {{get_city_indicator: {{city_id: PAS-02, "
        "indicator: population}}, {finish: {answer: 14006}}]}"
    )
    words = fares(scene)
    assert [finding.replace(" for get_country_indicator", "") for finding in words] == expected


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


def test_every_list_is_declared() -> None:
    worlds = [find_world(name) for name in known_worlds() if name.startswith("queries.")]
    lists = {
        f"{tool.name}.{name}": tool.comparison.arguments.get(name)
        for world in worlds
        for tool in world.tools.values()
        for name, parameter in tool.parameters.items()
        if parameter.shown.get("type") == "array"
    }
    assert len(lists) > 9
    assert set(lists.values()) == {"set"}


@every("again", ["[18, 28]", "[28, 18]"])
def test_other_orders_are_the_same_call(again: str) -> None:
    scene = scenario(
        "world: queries.movies\nquery: Which one?\nanswer: none\n"
        f"solutions: {{one: [{{discover_movies: {{genre_ids: {again}}}}}, {{say: none}}]}}\n"
        "counterexamples: {made: [{discover_movies: {genre_ids: [28, 18]}},"
        f" {{discover_movies: {{genre_ids: {again}}}}}, {{say: some}}]}}"
    )
    assert fares(scene) == ["RAC discover_movies"]
