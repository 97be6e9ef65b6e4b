"""The world ``queries.patent``: patents with their claims, citations and events."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any, Final, Literal

from pytest_toolsandbox.worlds.tool import tool

from .data_files import data_of
from .records import Entry, allows, day, find_record, mentions, page_of, shown, within
from .world import look_up_world

PAGE_SIZE: Final = 5
"""Patents on a page of a search."""

Country = Literal["EP", "JP", "US"]
Status = Literal["expired", "granted", "pending", "withdrawn"]
Order = Literal["filing_date_asc", "filing_date_desc"]


@tool("patent")
def search_patents(
    query: str | None = None,
    assignee_id: str | None = None,
    inventor_id: str | None = None,
    classification: str | None = None,
    country: Country | None = None,
    status: Status | None = None,
    filed_from: str | None = None,
    filed_to: str | None = None,
    sort: Order = "filing_date_desc",
    page: int = 1,
) -> dict[str, Any]:
    """Search patents and published applications; all filters that are given must hold.

    Args:
        query: Words that the title or the abstract must have; the beginning of a word will do.
        assignee_id: Identifier of the owner, such as as-0100.
        inventor_id: Identifier of one of the inventors, such as iv-1000.
        classification: Beginning of one of the classification symbols, such as H01M or A01G7/045.
        country: Code of the office that published it.
        status: Legal status.
        filed_from: Earliest filing date, as YYYY-MM-DD.
        filed_to: Latest filing date, as YYYY-MM-DD.
        sort: Order of the results.
        page: Number of the page, from 1 on; a page has five patents.

    Returns:
        The total number, the page, and the patents on it, each with its publication number.
    """
    if assignee_id is not None:
        find_record(_assignees(), "assignee_id", assignee_id, "assignee")
    if inventor_id is not None:
        find_record(_inventors(), "inventor_id", inventor_id, "inventor")
    first, last = day("filed_from", filed_from), day("filed_to", filed_to)
    matches = [
        patent
        for patent in _patents()
        if mentions(query, patent["title"], patent["abstract"])
        and allows(assignee_id, patent["assignee_id"])
        and (inventor_id is None or inventor_id in patent["inventor_ids"])
        and _is_classified(patent, classification)
        and allows(country, _country(patent))
        and allows(status, patent["status"])
        and within(patent["filing_date"], first, last)
    ]
    matches.sort(key=_filing_date, reverse=sort == "filing_date_desc")
    return {
        "total": len(matches),
        "page": page,
        "patents": [_brief(patent) for patent in page_of(matches, page, PAGE_SIZE)],
    }


@tool("patent")
def get_patent(publication_number: str) -> dict[str, Any]:
    """Get the bibliographic data of a patent: owner, inventors, dates, classification, family.

    Args:
        publication_number: Publication number with country and kind code, such as US30000001B2.

    Returns:
        The data, with the application number and the identifiers of owner and inventors.
    """
    patent = _patent(publication_number)
    family = [
        member["publication_number"]
        for member in _patents()
        if member["family_id"] == patent["family_id"] and member is not patent
    ]
    inventors = [
        shown(
            find_record(_inventors(), "inventor_id", identifier, "inventor"), "inventor_id", "name"
        )
        for identifier in patent["inventor_ids"]
    ]
    return {
        **shown(patent, "publication_number", "application_number", "title", "abstract", "status"),
        "country": _country(patent),
        **shown(patent, "filing_date", "grant_date", "classifications", "assignee_id"),
        "assignee": _owner(patent),
        "inventors": inventors,
        **shown(patent, "family_id"),
        "family_members": family,
    }


@tool("patent")
def get_patent_claims(
    publication_number: str,
    claim_type: Literal["all", "dependent", "independent"] = "all",
) -> dict[str, Any]:
    """Get the claims of a patent.

    Args:
        publication_number: Publication number with country and kind code, such as US30000001B2.
        claim_type: Which claims: those that stand for themselves, those that depend on another
            claim, or all.

    Returns:
        How many claims there are of that type, and each with its number, the claim it depends on
        if any, and its text.
    """
    claims = [
        {"claim_number": number, "depends_on": claim.get("depends_on"), "text": claim["text"]}
        for number, claim in enumerate(_patent(publication_number)["claims"], start=1)
        if claim_type == "all" or (claim_type == "dependent") == ("depends_on" in claim)
    ]
    return {"publication_number": publication_number, "total": len(claims), "claims": claims}


@tool("patent")
def get_patent_citations(
    publication_number: str,
    direction: Literal["backward", "forward"] = "backward",
    category: Literal["A", "X", "Y"] | None = None,
) -> dict[str, Any]:
    """Get the citations of a patent: what it cites, or what cites it.

    Args:
        publication_number: Publication number with country and kind code, such as US30000001B2.
        direction: backward for the patents that it cites, forward for those that cite it.
        category: Only citations of this category: X and Y speak against the citing patent, alone or
            with another document; A is background.

    Returns:
        How many citations there are, and the other patent of each with its title and the category.
    """
    patent = _patent(publication_number)
    if direction == "backward":
        pairs = [(_patent(number), cited_as) for number, cited_as in patent["cites"].items()]
    else:
        pairs = [
            (citing, citing["cites"][publication_number])
            for citing in sorted(_patents(), key=_filing_date)
            if publication_number in citing["cites"]
        ]
    citations = [
        {**shown(other, "publication_number", "title", "filing_date"), "category": cited_as}
        for other, cited_as in pairs
        if allows(category, cited_as)
    ]
    return {"publication_number": publication_number, "total": len(citations)} | {
        "citations": citations
    }


@tool("patent")
def get_patent_legal_events(
    application_number: str,
    event_code: str | None = None,
) -> dict[str, Any]:
    """Get the legal events of an application, from its filing on, oldest first.

    Args:
        application_number: Application number, such as 39/000001, EP15900001 or JP2015-900001; not
            the publication number.
        event_code: Only events of this code, such as FILED, EXAM, GRANT, OPPO, ASSIGN, FEE or
            LAPSE.

    Returns:
        The events, each with date, code and description.
    """
    patent = find_record(_patents(), "application_number", application_number, "application")
    events = [
        {"date": patent["filing_date"], "code": "FILED", "description": "Application filed"},
        *(shown(event, "date", "code", "description") for event in patent["events"]),
    ]
    if patent["grant_date"] is not None:
        granted = {"code": "GRANT", "description": "Patent granted"}
        events.append({"date": patent["grant_date"], **granted})
    chosen = [event for event in events if allows(event_code, event["code"])]
    chosen.sort(key=lambda event: str(event["date"]))
    return {"application_number": application_number, "total": len(chosen), "events": chosen}


@tool("patent")
def search_assignees(
    name: str,
    country: str | None = None,
    kind: Literal["company", "university"] | None = None,
) -> list[dict[str, Any]]:
    """Find the owners of patents by name.

    Args:
        name: Words of the owner's name; the beginning of a word will do.
        country: Code of the country where the owner is, with two letters.
        kind: Only owners of this kind.

    Returns:
        The owners, each with assignee_id, name, kind, country and city.
    """
    return [
        shown(assignee, "assignee_id", "name", "kind", "country", "city")
        for assignee in _assignees()
        if mentions(name, assignee["name"])
        and allows(country, assignee["country"])
        and allows(kind, assignee["kind"])
    ]


@tool("patent")
def search_inventors(
    name: str,
    country: str | None = None,
    assignee_id: str | None = None,
) -> list[dict[str, Any]]:
    """Find inventors by name.

    Args:
        name: Words of the inventor's name; the beginning of a word will do.
        country: Code of the country where the inventor lives, with two letters.
        assignee_id: Identifier of the owner that the inventor works for, such as as-0100.

    Returns:
        The inventors, each with inventor_id, name, country and assignee_id.
    """
    if assignee_id is not None:
        find_record(_assignees(), "assignee_id", assignee_id, "assignee")
    return [
        shown(inventor, "inventor_id", "name", "country", "assignee_id")
        for inventor in _inventors()
        if mentions(name, inventor["name"])
        and allows(country, inventor["country"])
        and allows(assignee_id, inventor["assignee_id"])
    ]


def _patents() -> Sequence[Entry]:
    patents: Sequence[Entry] = data_of("patent")["patents"]
    return patents


def _assignees() -> Sequence[Entry]:
    assignees: Sequence[Entry] = data_of("patent")["assignees"]
    return assignees


def _inventors() -> Sequence[Entry]:
    inventors: Sequence[Entry] = data_of("patent")["inventors"]
    return inventors


def _patent(publication_number: str) -> Entry:
    return find_record(_patents(), "publication_number", publication_number, "patent")


def _country(patent: Entry) -> str:
    return str(patent["publication_number"][:2])


def _filing_date(patent: Entry) -> date:
    return date.fromisoformat(patent["filing_date"])


def _owner(patent: Entry) -> str:
    return str(find_record(_assignees(), "assignee_id", patent["assignee_id"], "assignee")["name"])


def _is_classified(patent: Entry, symbol: str | None) -> bool:
    return symbol is None or any(
        classification.startswith(symbol.upper()) for classification in patent["classifications"]
    )


def _brief(patent: Entry) -> dict[str, Any]:
    return {
        **shown(patent, "publication_number", "title"),
        "assignee": _owner(patent),
        **shown(patent, "filing_date", "status"),
    }


world = look_up_world(
    name="queries.patent",
    toolset=(
        search_patents,
        get_patent,
        get_patent_claims,
        get_patent_citations,
        get_patent_legal_events,
        search_assignees,
        search_inventors,
    ),
    summary="Patents with their owners, inventors, claims, citations and legal events.",
)
