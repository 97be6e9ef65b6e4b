from __future__ import annotations

import re
from collections import Counter
from datetime import date
from functools import partial
from typing import Any

import pytest
from lookups import call_in

from pytest_toolsandbox.builtin.queries.data_files import data_of
from pytest_toolsandbox.builtin.queries.patent import world

DATA = data_of("patent")
PATENTS = DATA["patents"]
NUMBERS = {patent["publication_number"]: patent for patent in PATENTS}
SULFIDE = "US30104226B2"

call = partial(call_in, world)


def numbers(result: dict[str, Any], key: str = "patents") -> list[str]:
    return [row["publication_number"] for row in result[key]]


def test_a_search_has_pages_of_five() -> None:
    pages = [call("search_patents", country="US", page=page) for page in (1, 2, 3, 4, 5)]
    assert [len(page["patents"]) for page in pages] == [5, 5, 5, 2, 0]
    assert {page["total"] for page in pages} == {17}
    assert len({number for page in pages for number in numbers(page)}) == 17
    dates = [row["filing_date"] for page in pages for row in page["patents"]]
    assert dates == sorted(dates, reverse=True)


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
