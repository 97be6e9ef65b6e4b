from __future__ import annotations

import re
from collections import Counter
from datetime import date
from functools import partial
from typing import Any

import pytest
from lookups import call_in
from rows import every

from pytest_toolsandbox.builtin.queries.data_files import data_of
from pytest_toolsandbox.builtin.queries.patent import world

DATA = data_of("patent")
PATENTS = DATA["patents"]
NUMBERS = {patent["publication_number"]: patent for patent in PATENTS}
SULFIDE = "US30104226B2"

call = partial(call_in, world)


def numbers(result: dict[str, Any], key: str = "patents") -> list[str]:
    return [row["publication_number"] for row in result[key]]


def test_the_tools() -> None:
    assert {name: list(tool.parameters) for name, tool in world.tools.items()} == {
        "search_patents": [
            "query",
            "assignee_id",
            "inventor_id",
            "classification",
            "country",
            "status",
            "filed_from",
            "filed_to",
            "sort",
            "page",
        ],
        "get_patent": ["publication_number"],
        "get_patent_claims": ["publication_number", "claim_type"],
        "get_patent_citations": ["publication_number", "direction", "category"],
        "get_patent_legal_events": ["application_number", "event_code"],
        "search_assignees": ["name", "country", "kind"],
        "search_inventors": ["name", "country", "assignee_id"],
    }


@every(
    ("arguments", "found"),
    [
        ({"query": "sulfide"}, ["EP9004226B1", SULFIDE]),
        ({"query": "SULFIDE dendrites", "country": "US"}, [SULFIDE]),
        ({"query": "sulf"}, ["EP9004226B1", SULFIDE]),
        ({"query": "ulfide"}, []),
        ({"query": "sulfide robot"}, []),
        ({"assignee_id": "as-0610"}, ["US30270419B2", "EP9058812B1"]),
        (
            {"assignee_id": "as-0610", "sort": "filing_date_asc"},
            ["EP9058812B1", "US30270419B2"],
        ),
        ({"inventor_id": "iv-2082", "country": "EP"}, ["EP9099003B1"]),
        ({"inventor_id": "iv-2081", "status": "pending"}, ["US30355018A1"]),
        ({"classification": "g02b3", "country": "US"}, ["US30318820B2", "US30190357B2"]),
        ({"classification": "B33Y80/00", "status": "granted"}, ["JP9688125B2", "US30215507B2"]),
        ({"filed_from": "2016-03-14", "filed_to": "2016-03-14"}, [SULFIDE]),
        ({"filed_from": "2016-03-15", "filed_to": "2016-07-17"}, []),
        ({"country": "JP", "filed_to": "2020-10-18"}, ["JP9604410B2"]),
        (
            {"query": "battery", "assignee_id": "as-0422", "country": "US", "status": "granted"},
            ["US30140938B2"],
        ),
    ],
)
def test_all_filters_must_hold(arguments: dict[str, Any], found: list[str]) -> None:
    result = call("search_patents", **arguments)
    assert numbers(result) == found
    assert result["total"] == len(found)


def test_a_search_has_pages_of_five() -> None:
    pages = [call("search_patents", country="US", page=page) for page in (1, 2, 3, 4, 5)]
    assert [len(page["patents"]) for page in pages] == [5, 5, 5, 2, 0]
    assert {page["total"] for page in pages} == {17}
    assert len({number for page in pages for number in numbers(page)}) == 17
    dates = [row["filing_date"] for page in pages for row in page["patents"]]
    assert dates == sorted(dates, reverse=True)


def test_a_hit() -> None:
    assert call("search_patents", query="gripper", status="expired")["patents"] == [
        {
            "publication_number": "US30128774B2",
            "title": "Gripper with vacuum fingertips for soft fruit",
            "assignee": "Brackwater Robotics",
            "filing_date": "2016-11-02",
            "status": "expired",
        }
    ]


def test_a_patent() -> None:
    assert call("get_patent", publication_number="EP9140938A1") == {
        "publication_number": "EP9140938A1",
        "application_number": "EP18914093",
        "title": "Battery management system that learns the resistance of its cells",
        "abstract": (
            "A controller estimates the internal resistance of every cell from charging pulses "
            "and balances the pack before a cell fails."
        ),
        "status": "withdrawn",
        "country": "EP",
        "filing_date": "2018-01-19",
        "grant_date": None,
        "classifications": ["H02J7/0013"],
        "assignee_id": "as-0422",
        "assignee": "Quillon Power Systems",
        "inventors": [
            {"inventor_id": "iv-2114", "name": "Adaeze Whitcombe"},
            {"inventor_id": "iv-2119", "name": "Carl Imhoff"},
        ],
        "family_id": "F-5602",
        "family_members": ["US30140938B2"],
    }


@pytest.mark.parametrize(
    ("claim_type", "found"),
    [("all", [1, 2, 3, 4, 5]), ("independent", [1, 5]), ("dependent", [2, 3, 4])],
)
def test_claims(claim_type: str, found: list[int]) -> None:
    result = call("get_patent_claims", publication_number="US30140938B2", claim_type=claim_type)
    assert [claim["claim_number"] for claim in result["claims"]] == found
    assert result["total"] == len(found)
    depends = {1: None, 2: 1, 3: 1, 4: 3, 5: None}
    assert all(claim["depends_on"] == depends[claim["claim_number"]] for claim in result["claims"])


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({}, {"US30190357B2": "X", "US30233651B2": "Y"}),
        ({"category": "X"}, {"US30190357B2": "X"}),
        ({"category": "A"}, {}),
        ({"direction": "forward"}, {}),
    ],
)
def test_citations(arguments: dict[str, Any], found: dict[str, str]) -> None:
    result = call("get_patent_citations", publication_number="US30318820B2", **arguments)
    assert {row["publication_number"]: row["category"] for row in result["citations"]} == found
    assert result["total"] == len(found)


def test_citations_forward_are_in_the_order_of_filing() -> None:
    result = call("get_patent_citations", publication_number=SULFIDE, direction="forward")
    assert numbers(result, "citations") == ["US30140938B2", "US30287710B2", "US30355018A1"]


def test_legal_events_are_in_order() -> None:
    result = call("get_patent_legal_events", application_number="EP16940226")
    assert [(event["date"], event["code"]) for event in result["events"]] == [
        ("2016-09-12", "FILED"),
        ("2020-02-19", "GRANT"),
        ("2020-11-18", "OPPO"),
        ("2022-06-01", "OREJ"),
    ]


def test_legal_events_of_a_code() -> None:
    result = call("get_patent_legal_events", application_number="39/349962", event_code="REPLY")
    assert result["events"] == [
        {"date": "2024-02-20", "code": "REPLY", "description": "Applicant's reply received"}
    ]
    result = call("get_patent_legal_events", application_number="39/349962", event_code="GRANT")
    assert result["events"] == []


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({"name": "brackwater"}, ["as-0593", "as-0610"]),
        ({"name": "Brackwater", "country": "GB"}, ["as-0610"]),
        ({"name": "", "kind": "university"}, ["as-0734"]),
        ({"name": "Unheard"}, []),
    ],
)
def test_assignees(arguments: dict[str, Any], found: list[str]) -> None:
    assert [row["assignee_id"] for row in call("search_assignees", **arguments)] == found


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({"name": "Mira Solberg"}, ["iv-2081", "iv-2082"]),
        ({"name": "Mira Solberg", "assignee_id": "as-0734"}, ["iv-2082"]),
        ({"name": "Mira Solberg", "country": "NO"}, ["iv-2081"]),
        ({"name": "Owen Tallis"}, ["iv-2314", "iv-2318"]),
        ({"name": "Owen Tallis", "country": "JP"}, []),
    ],
)
def test_inventors(arguments: dict[str, Any], found: list[str]) -> None:
    assert [row["inventor_id"] for row in call("search_inventors", **arguments)] == found


@every(
    ("tool", "arguments", "error"),
    [
        (
            "get_patent",
            {"publication_number": "39/104226"},
            "NoDataError: there is no patent with publication_number '39/104226'",
        ),
        (
            "get_patent_claims",
            {"publication_number": "US1"},
            "NoDataError: there is no patent with publication_number 'US1'",
        ),
        (
            "get_patent_citations",
            {"publication_number": "US1"},
            "NoDataError: there is no patent with publication_number 'US1'",
        ),
        (
            "get_patent_legal_events",
            {"application_number": SULFIDE},
            "NoDataError: there is no application with application_number 'US30104226B2'",
        ),
        (
            "search_patents",
            {"assignee_id": "iv-2081"},
            "NoDataError: there is no assignee with assignee_id 'iv-2081'",
        ),
        (
            "search_patents",
            {"inventor_id": "Mira Solberg"},
            "NoDataError: there is no inventor with inventor_id 'Mira Solberg'",
        ),
        (
            "search_inventors",
            {"name": "Mira", "assignee_id": "as-1"},
            "NoDataError: there is no assignee with assignee_id 'as-1'",
        ),
        (
            "search_patents",
            {"filed_from": "2016"},
            "ValueError: filed_from must be a date such as 2024-03-31, not '2016'",
        ),
        (
            "search_patents",
            {"filed_to": "20160314"},
            "ValueError: filed_to must be a date such as 2024-03-31, not '20160314'",
        ),
        ("search_patents", {"page": 0}, "ValueError: page must be 1 or more, not 0"),
        (
            "search_patents",
            {"page": "1"},
            "TypeError: Parameter 'page' is of type 'string', but expected 'integer'.",
        ),
        (
            "search_patents",
            {"country": "GB"},
            (
                "TypeError: Parameter 'country' is not valid: country: "
                "expected 'EP', 'JP', 'US' or null, found 'GB'"
            ),
        ),
        (
            "search_assignees",
            {},
            "TypeError: missing a required argument: 'name'",
        ),
    ],
)
def test_errors(tool: str, arguments: dict[str, Any], error: str) -> None:
    with pytest.raises(Exception) as caught:  # noqa: PT011  # its type is part of the text
        call(tool, **arguments)
    assert f"{caught.type.__name__}: {caught.value}" == error


def test_what_is_done_with_a_result_does_not_change_the_data() -> None:
    call("get_patent", publication_number=SULFIDE)["classifications"].clear()
    call("get_patent_claims", publication_number=SULFIDE)["claims"].clear()
    assert call("get_patent", publication_number=SULFIDE)["classifications"] == [
        "H01M10/0562",
        "H01M10/052",
    ]
    assert call("get_patent_claims", publication_number=SULFIDE)["total"] == 4


@pytest.mark.parametrize(
    ("kind", "field"),
    [
        ("patents", "publication_number"),
        ("patents", "application_number"),
        ("assignees", "assignee_id"),
        ("assignees", "name"),
        ("inventors", "inventor_id"),
    ],
)
def test_identifiers_are_unique(kind: str, field: str) -> None:
    assert not [value for value, n in Counter(row[field] for row in DATA[kind]).items() if n > 1]


def test_identifiers_have_their_form() -> None:
    for number, patent in NUMBERS.items():
        pending = patent["status"] in {"pending", "withdrawn"}
        kind = "A1" if pending else "B[12]"
        assert re.fullmatch(rf"(US30\d{{6}}|EP9\d{{6}}|JP96\d{{5}}){kind}", number)
        application = {"US": r"39/\d{6}", "EP": r"EP\d{8}", "JP": r"JP20\d\d-\d{6}"}[number[:2]]
        assert re.fullmatch(application, patent["application_number"])
        assert re.fullmatch(r"F-\d{4}", patent["family_id"])


def test_references_resolve() -> None:
    assignees = {row["assignee_id"] for row in DATA["assignees"]}
    inventors = {row["inventor_id"]: row for row in DATA["inventors"]}
    assert {row["assignee_id"] for row in DATA["inventors"]} <= assignees
    for patent in PATENTS:
        assert patent["assignee_id"] in assignees
        for identifier in patent["inventor_ids"]:
            assert inventors[identifier]["assignee_id"] == patent["assignee_id"]
        for number, category in patent["cites"].items():
            assert NUMBERS[number]["filing_date"] < patent["filing_date"]
            assert category in {"A", "X", "Y"}
        for number, claim in enumerate(patent["claims"], start=1):
            assert 1 <= claim.get("depends_on", 0) < number or "depends_on" not in claim


def test_dates_are_in_order() -> None:
    for patent in PATENTS:
        filed = date.fromisoformat(patent["filing_date"])
        days = [filed, *(date.fromisoformat(event["date"]) for event in patent["events"])]
        assert days == sorted(days)
        assert (patent["grant_date"] is None) == (patent["status"] in {"pending", "withdrawn"})
        if patent["grant_date"] is not None:
            assert filed < date.fromisoformat(patent["grant_date"])
        assert max(days) < world.now.date()


def test_families_are_of_one_owner_and_of_distinct_countries() -> None:
    for family in {patent["family_id"] for patent in PATENTS}:
        members = [patent for patent in PATENTS if patent["family_id"] == family]
        assert len({patent["assignee_id"] for patent in members}) == 1
        countries = [patent["publication_number"][:2] for patent in members]
        assert len(set(countries)) == len(countries)


def test_ends_are_told_by_events() -> None:
    ends = {"expired": "LAPSE", "withdrawn": "WITHDR"}
    for patent in PATENTS:
        codes = [event["code"] for event in patent["events"]]
        for status, code in ends.items():
            assert (code in codes) == (patent["status"] == status)
