"""A look-up that found more than the listed one is as good, if it kept to the question."""

from __future__ import annotations

import pytest
from pantry import scenario

from pytest_toolsandbox.agents.scripted import scripted
from pytest_toolsandbox.conversation.play import ask
from pytest_toolsandbox.language.roles import ToolStep
from pytest_toolsandbox.scoring.judging import judge

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
    for given, findings in (
        ({}, []),
        ({"name": "Katherine"}, []),
        ({"name": "Fred"}, ["IAV name for search_contacts"]),
    ):
        search = ToolStep("search_contacts", {"relationship": "sister", **given})
        steps = [search, ToolStep("finish", {"answer": 1})]
        trajectory = ask(scene, scripted(scene, steps))
        found = judge(scene, trajectory).patterns.findings
        assert [one.words for one in found] == findings
    assert [one.expected for one in found] == ["'Katherine' or not given"]


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
    found = found_of_data(question, run)
    assert [one.partition(" for ")[0] for one in found] == findings


def test_another_search_that_told_what_is_taken_from_the_listed_one() -> None:
    listed = (
        "[{search_contacts: {relationship: sister}}, {search_contacts: {phone_number: "
        "'$search_contacts[0].phone_number'}}, {finish: {answer: '+14155550111'}}]"
    )
    made = "{search_contacts: {name: Katherine}}, {search_contacts: {phone_number: '+14155550111'}}"
    assert found("Which number has Katherine?", made, listed) == []
