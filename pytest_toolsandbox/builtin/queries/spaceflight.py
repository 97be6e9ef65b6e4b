"""The world ``queries.spaceflight``: articles, blogs and reports, and what they are about."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, Literal

from pytest_toolsandbox.worlds.tool import CallComparison, tool

from .data_files import data_of
from .records import Entry, allows, day, find_record, mentions, shown, whole, within
from .world import look_up_world

MOST_ROWS: Final = 10
"""The most rows of a list."""

EventType = Literal[
    "announcement", "docking", "landing", "orbit_insertion", "spacewalk", "static_fire"
]
MissionType = Literal["cargo", "crew", "interplanetary", "lunar", "satellite", "test"]
LaunchStatus = Literal["failure", "partial_failure", "scheduled", "success"]
ByPublication = Literal["published_at", "-published_at"]


@tool(
    "spaceflight",
    comparison=CallComparison(arguments={"news_site": "set", "news_site_exclude": "set"}),
)
def list_articles(
    search: str | None = None,
    title_contains: str | None = None,
    summary_contains: str | None = None,
    news_site: list[str] | None = None,
    news_site_exclude: list[str] | None = None,
    published_at_gte: str | None = None,
    published_at_lte: str | None = None,
    launch_id: str | None = None,
    event_id: int | None = None,
    is_featured: bool | None = None,
    ordering: ByPublication = "-published_at",
    limit: int = 5,
    offset: int = 0,
) -> dict[str, Any]:
    """List news articles; all filters that are given must hold.

    Args:
        search: Words that the title or the summary must have.
        title_contains: Words that the title must have.
        summary_contains: Words that the summary must have.
        news_site: Only articles of these news sites, by their full names.
        news_site_exclude: No articles of these news sites, by their full names.
        published_at_gte: First day of publication, as YYYY-MM-DD.
        published_at_lte: Last day of publication, as YYYY-MM-DD.
        launch_id: Only articles about this launch, such as lch-1000.
        event_id: Only articles about this event.
        is_featured: Only articles that are featured, or only those that are not.
        ordering: published_at for the oldest first, -published_at for the newest first.
        limit: How many articles to return, from 1 to 10.
        offset: How many articles to skip.

    Returns:
        The total count, and the articles with article_id, title, news_site and published_at.
    """
    sites = _known_sites("articles", "news_site", news_site)
    excluded = _known_sites("articles", "news_site_exclude", news_site_exclude)
    in_time = _in_time("published_at", published_at_gte, published_at_lte)
    matches = [
        article
        for article in _written("articles", search, title_contains, summary_contains)
        if (sites is None or article["news_site"] in sites)
        and (excluded is None or article["news_site"] not in excluded)
        and in_time(article)
        and _is_about(article, launch_id, event_id)
        and allows(is_featured, article["is_featured"])
    ]
    fields = ("article_id", "title", "news_site", "published_at")
    return _listed(matches, fields, ordering, limit, offset)


@tool("spaceflight")
def get_article(article_id: int) -> dict[str, Any]:
    """Get one news article with its summary, its authors and what it is about.

    Args:
        article_id: Identifier of the article.

    Returns:
        The article, with the identifiers of its launches and events.
    """
    return _shown_record("articles", "article_id", article_id)


@tool("spaceflight", comparison=CallComparison(arguments={"news_site": "set"}))
def list_blogs(
    search: str | None = None,
    title_contains: str | None = None,
    summary_contains: str | None = None,
    news_site: list[str] | None = None,
    published_at_gte: str | None = None,
    published_at_lte: str | None = None,
    launch_id: str | None = None,
    event_id: int | None = None,
    ordering: ByPublication = "-published_at",
    limit: int = 5,
    offset: int = 0,
) -> dict[str, Any]:
    """List blog posts; all filters that are given must hold.

    Args:
        search: Words that the title or the summary must have.
        title_contains: Words that the title must have.
        summary_contains: Words that the summary must have.
        news_site: Only posts of these blogs, by their full names.
        published_at_gte: First day of publication, as YYYY-MM-DD.
        published_at_lte: Last day of publication, as YYYY-MM-DD.
        launch_id: Only posts about this launch, such as lch-1000.
        event_id: Only posts about this event.
        ordering: published_at for the oldest first, -published_at for the newest first.
        limit: How many posts to return, from 1 to 10.
        offset: How many posts to skip.

    Returns:
        The total count, and the posts with blog_id, title, news_site and published_at.
    """
    sites = _known_sites("blogs", "news_site", news_site)
    in_time = _in_time("published_at", published_at_gte, published_at_lte)
    matches = [
        blog
        for blog in _written("blogs", search, title_contains, summary_contains)
        if (sites is None or blog["news_site"] in sites)
        and in_time(blog)
        and _is_about(blog, launch_id, event_id)
    ]
    fields = ("blog_id", "title", "news_site", "published_at")
    return _listed(matches, fields, ordering, limit, offset)


@tool("spaceflight")
def get_blog(blog_id: int) -> dict[str, Any]:
    """Get one blog post with its summary and what it is about.

    Args:
        blog_id: Identifier of the post.

    Returns:
        The post, with the identifiers of its launches and events.
    """
    return _shown_record("blogs", "blog_id", blog_id)


@tool("spaceflight", comparison=CallComparison(arguments={"news_site": "set"}))
def list_reports(
    search: str | None = None,
    title_contains: str | None = None,
    summary_contains: str | None = None,
    news_site: list[str] | None = None,
    published_at_gte: str | None = None,
    published_at_lte: str | None = None,
    ordering: ByPublication = "-published_at",
    limit: int = 5,
    offset: int = 0,
) -> dict[str, Any]:
    """List official reports; all filters that are given must hold.

    Args:
        search: Words that the title or the summary must have.
        title_contains: Words that the title must have.
        summary_contains: Words that the summary must have.
        news_site: Only reports of these publishers, by their full names.
        published_at_gte: First day of publication, as YYYY-MM-DD.
        published_at_lte: Last day of publication, as YYYY-MM-DD.
        ordering: published_at for the oldest first, -published_at for the newest first.
        limit: How many reports to return, from 1 to 10.
        offset: How many reports to skip.

    Returns:
        The total count, and the reports with report_id, title, news_site and published_at.
    """
    sites = _known_sites("reports", "news_site", news_site)
    in_time = _in_time("published_at", published_at_gte, published_at_lte)
    matches = [
        report
        for report in _written("reports", search, title_contains, summary_contains)
        if (sites is None or report["news_site"] in sites) and in_time(report)
    ]
    fields = ("report_id", "title", "news_site", "published_at")
    return _listed(matches, fields, ordering, limit, offset)


@tool("spaceflight")
def get_report(report_id: int) -> dict[str, Any]:
    """Get one official report with its summary and its length.

    Args:
        report_id: Identifier of the report.

    Returns:
        The report.
    """
    return _shown_record("reports", "report_id", report_id)


@tool("spaceflight")
def list_launches(
    search: str | None = None,
    provider: str | None = None,
    rocket: str | None = None,
    mission_type: MissionType | None = None,
    status: LaunchStatus | None = None,
    net_gte: str | None = None,
    net_lte: str | None = None,
    ordering: Literal["net", "-net"] = "-net",
    limit: int = 5,
    offset: int = 0,
) -> dict[str, Any]:
    """List launches, past and to come; all filters that are given must hold.

    Args:
        search: Words that the name of the launch must have.
        provider: Full name of the organisation that launches.
        rocket: Full name of the rocket.
        mission_type: Kind of mission.
        status: How the launch went, or scheduled for one to come.
        net_gte: First day of the launch, as YYYY-MM-DD.
        net_lte: Last day of the launch, as YYYY-MM-DD.
        ordering: net for the earliest first, -net for the latest first.
        limit: How many launches to return, from 1 to 10.
        offset: How many launches to skip.

    Returns:
        The total count, and the launches with launch_id, name, net and status.
    """
    _check_known("launches", "provider", provider)
    _check_known("launches", "rocket", rocket)
    in_time = _in_time("net", net_gte, net_lte)
    matches = [
        launch
        for launch in _records("launches")
        if mentions(search, launch["name"])
        and allows(provider, launch["provider"])
        and allows(rocket, launch["rocket"])
        and allows(mission_type, launch["mission_type"])
        and allows(status, launch["status"])
        and in_time(launch)
    ]
    return _listed(matches, ("launch_id", "name", "net", "status"), ordering, limit, offset)


@tool("spaceflight")
def get_launch(launch_id: str) -> dict[str, Any]:
    """Get one launch with its rocket, pad, orbit and payload.

    Args:
        launch_id: Identifier of the launch, such as lch-1000.

    Returns:
        The launch; net is its time in UTC.
    """
    return _shown_record("launches", "launch_id", launch_id)


@tool("spaceflight")
def list_events(
    search: str | None = None,
    event_type: EventType | None = None,
    launch_id: str | None = None,
    date_gte: str | None = None,
    date_lte: str | None = None,
    ordering: Literal["date", "-date"] = "-date",
    limit: int = 5,
    offset: int = 0,
) -> dict[str, Any]:
    """List events other than launches; all filters that are given must hold.

    Args:
        search: Words that the name or the description must have.
        event_type: Kind of event.
        launch_id: Only events of the mission of this launch, such as lch-1000.
        date_gte: First day of the event, as YYYY-MM-DD.
        date_lte: Last day of the event, as YYYY-MM-DD.
        ordering: date for the earliest first, -date for the latest first.
        limit: How many events to return, from 1 to 10.
        offset: How many events to skip.

    Returns:
        The total count, and the events with event_id, name, event_type and date.
    """
    in_time = _in_time("date", date_gte, date_lte)
    matches = [
        event
        for event in _records("events")
        if mentions(search, event["name"], event["description"])
        and allows(event_type, event["event_type"])
        and _is_about(event, launch_id, None)
        and in_time(event)
    ]
    return _listed(matches, ("event_id", "name", "event_type", "date"), ordering, limit, offset)


@tool("spaceflight")
def get_event(event_id: int) -> dict[str, Any]:
    """Get one event with its place, its duration and its description.

    Args:
        event_id: Identifier of the event.

    Returns:
        The event, with the identifiers of its launches.
    """
    return _shown_record("events", "event_id", event_id)


def _records(kind: str) -> Sequence[Entry]:
    records: Sequence[Entry] = data_of("spaceflight")[kind]
    return records


def _shown_record(kind: str, field: str, identifier: str | int) -> dict[str, Any]:
    record = find_record(_records(kind), field, identifier, field.removesuffix("_id"))
    return shown(record, *record)


def _written(
    kind: str, search: str | None, title: str | None, summary: str | None
) -> Sequence[Entry]:
    """Return the texts of a kind that have the words."""
    return [
        record
        for record in _records(kind)
        if mentions(search, record["title"], record["summary"])
        and mentions(title, record["title"])
        and mentions(summary, record["summary"])
    ]


def _in_time(field: str, first: str | None, last: str | None) -> Callable[[Entry], bool]:
    """Return whether the day in ``field`` of a record is in a span that may be open."""
    start, end = day(f"{field}_gte", first), day(f"{field}_lte", last)
    return lambda record: within(record[field], start, end)


def _is_about(record: Entry, launch_id: str | None, event_id: int | None) -> bool:
    return (launch_id is None or launch_id in record["launch_ids"]) and (
        event_id is None or event_id in record["event_ids"]
    )


def _known_sites(kind: str, name: str, sites: list[str] | None) -> list[str] | None:
    """Return the sites that an argument gives. Raises ``ValueError`` for one without texts."""
    known = sorted({record["news_site"] for record in _records(kind)})
    for site in sites or ():
        if site not in known:
            raise ValueError(f"{name} of {kind} can be {', '.join(known)}, not {site!r}")
    return sites


def _check_known(kind: str, field: str, value: str | None) -> None:
    known = sorted({record[field] for record in _records(kind)})
    if value is not None and value not in known:
        raise ValueError(f"{field} of {kind} can be {', '.join(known)}, not {value!r}")


def _listed(
    records: Sequence[Entry], fields: Sequence[str], ordering: str, limit: int, offset: int
) -> dict[str, Any]:
    """Return the rows from ``offset`` on, in the order of a field, and how many there are."""
    whole("limit", limit, 1, MOST_ROWS)
    whole("offset", offset, 0)
    field = ordering.removeprefix("-")
    ordered = sorted(records, key=lambda record: str(record[field]), reverse=ordering != field)
    rows = ordered[offset : offset + limit]
    return {"count": len(records), "results": [shown(record, *fields) for record in rows]}


world = look_up_world(
    name="queries.spaceflight",
    toolset=(
        list_articles,
        get_article,
        list_blogs,
        get_blog,
        list_reports,
        get_report,
        list_launches,
        get_launch,
        list_events,
        get_event,
    ),
    summary="Articles, blogs and reports on spaceflight, and the launches and events in them.",
)
