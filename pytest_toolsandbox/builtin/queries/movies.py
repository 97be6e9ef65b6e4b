"""The world ``queries.movies``: movies, their cast and crew, and where to watch them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from pytest_toolsandbox.worlds.tool import CallComparison, tool

from .data_files import data_of
from .records import Entry, allows, find_record, mentions, page_of, shown, whole
from .world import look_up_world

SEARCH_PAGE = 5
DISCOVER_PAGE = 8
CREDITS_PAGE = 10
MOST_CAST = 10

Region = Literal["US", "GB", "DE", "FR", "JP", "BR"]
Department = Literal["Directing", "Writing", "Sound", "Camera", "Editing", "Production"]
MovieOrder = Literal[
    "release_date.asc", "release_date.desc", "vote_average.asc", "vote_average.desc", "title.asc"
]


@tool("movies")
def search_movies(query: str, year: int | None = None, page: int = 1) -> dict[str, Any]:
    """Search movies by title.

    Args:
        query: Words of the title, in any order and in upper or lower case.
        year: The year of the first release, with four digits.
        page: The page of the results, from 1; there are 5 movies on a page.

    Returns:
        A page of movies in alphabetical order, each with movie_id, title and release_date.
    """
    matches = [
        movie
        for movie in _movies()
        if mentions(query, movie["title"]) and allows(year, _year(movie))
    ]
    ordered = sorted(matches, key=lambda movie: (movie["title"], movie["release_date"]))
    fields = ("movie_id", "title", "release_date")
    return _page("page", page, SEARCH_PAGE, [shown(movie, *fields) for movie in ordered])


@tool("movies", comparison=CallComparison(arguments={"genre_ids": "set"}))
def discover_movies(
    genre_ids: list[int] | None = None,
    release_year_from: int | None = None,
    release_year_to: int | None = None,
    min_vote_average: float | None = None,
    original_language: str | None = None,
    sort_by: MovieOrder = "vote_average.desc",
    page_num: int = 1,
) -> dict[str, Any]:
    """List the movies that meet all of the given conditions, without searching by title.

    Args:
        genre_ids: Identifiers of genres, as list_genres gives them; a movie must have all of them.
        release_year_from: The earliest year of release, which is included.
        release_year_to: The latest year of release, which is included.
        min_vote_average: The lowest average vote, from 0 to 10.
        original_language: The ISO 639-1 code of the language the movie was made in, such as en.
        sort_by: What to order the movies by, and in which direction.
        page_num: The page of the results, from 1; there are 8 movies on a page.

    Returns:
        A page of movies, each with movie_id, title, release_date and vote_average.

    Raises:
        NoDataError: If there is no such genre.
    """
    genres = {
        find_record(_data()["genres"], "genre_id", number, "genre")["genre_id"]
        for number in genre_ids or ()
    }
    language = original_language and original_language.lower()
    matches = [
        movie
        for movie in _movies()
        if genres <= set(movie["genre_ids"])
        and (release_year_from is None or release_year_from <= _year(movie))
        and (release_year_to is None or _year(movie) <= release_year_to)
        and (min_vote_average is None or min_vote_average <= movie["vote_average"])
        and allows(language, movie["original_language"])
    ]
    fields = ("movie_id", "title", "release_date", "vote_average")
    rows = [shown(movie, *fields) for movie in _ordered(matches, sort_by)]
    return _page("page_num", page_num, DISCOVER_PAGE, rows)


@tool("movies")
def list_genres() -> list[dict[str, Any]]:
    """List the genres of movies.

    Returns:
        The genres in alphabetical order, each with genre_id and name.
    """
    return [shown(genre, "genre_id", "name") for genre in _data()["genres"]]


@tool("movies")
def get_movie_details(movie_id: int) -> dict[str, Any]:
    """Look up what is known of a movie, except for its people and where it was or is shown.

    Args:
        movie_id: The movie's identifier, a whole number.

    Returns:
        The movie, with title, overview, release_date, runtime in minutes, genres, budget and
        revenue in US dollars, vote_average, vote_count and more.

    Raises:
        NoDataError: If there is no such movie.
    """
    movie = _movie(movie_id)
    names = {genre["genre_id"]: genre["name"] for genre in _data()["genres"]}
    return {
        **shown(movie, "movie_id", "title", "overview", "release_date", "runtime"),
        "genres": [names[number] for number in movie["genre_ids"]],
        **shown(movie, "original_language", "production_countries", "production_company"),
        **shown(movie, "budget", "revenue", "vote_average", "vote_count"),
    }


@tool("movies")
def get_movie_cast(movie_id: int, max_results: int = MOST_CAST) -> list[dict[str, Any]]:
    """List the actors of a movie, without the people behind the camera.

    Args:
        movie_id: The movie's identifier, a whole number.
        max_results: How many actors to list at most, from 1 to 10.

    Returns:
        The actors in the order of the credits, each with order, which begins with 1, person_id,
        name and character.

    Raises:
        NoDataError: If there is no such movie.
        ValueError: If max_results is out of range.
    """
    cast = _movie(movie_id)["cast"][: whole("max_results", max_results, 1, MOST_CAST)]
    return [
        {"order": order, **_named(role["person_id"]), **shown(role, "character")}
        for order, role in enumerate(cast, 1)
    ]


@tool("movies")
def get_movie_crew(movie_id: int, department: Department | None = None) -> list[dict[str, Any]]:
    """List the people behind the camera of a movie, without its actors.

    Args:
        movie_id: The movie's identifier, a whole number.
        department: Only the people of this department.

    Returns:
        The people, each with person_id, name, department and job. Who has several jobs is listed
        for each of them.

    Raises:
        NoDataError: If there is no such movie.
    """
    return [
        {**_named(job["person_id"]), **shown(job, "department", "job")}
        for job in _movie(movie_id)["crew"]
        if allows(department, job["department"])
    ]


@tool("movies")
def get_movie_release_dates(movie_id: int, region: Region | None = None) -> list[dict[str, Any]]:
    """List when a movie came to the cinemas of the regions, and for which ages.

    Args:
        movie_id: The movie's identifier, a whole number.
        region: Only the release in this region, an ISO 3166-1 code.

    Returns:
        The releases, each with region, release_date and certification.

    Raises:
        NoDataError: If there is no such movie.
    """
    return [
        shown(release, "region", "release_date", "certification")
        for release in _movie(movie_id)["releases"]
        if allows(region, release["region"])
    ]


@tool("movies")
def get_watch_providers(
    movie_id: int, region: Region, offer_type: Literal["stream", "rent", "buy"] | None = None
) -> dict[str, Any]:
    """Look up where a movie can be watched at home in a region.

    Args:
        movie_id: The movie's identifier, a whole number.
        region: The region, an ISO 3166-1 code.
        offer_type: Only offers of this kind: stream is part of a subscription, rent and buy cost
            what the offer says.

    Returns:
        The region and its currency, and for each kind of offer a list: the names of the providers
        for stream, provider and price for rent and buy.

    Raises:
        NoDataError: If there is no such movie.
    """
    offers = _movie(movie_id)["providers"].get(region, {})
    kinds = [kind for kind in ("stream", "rent", "buy") if allows(offer_type, kind)]
    listed = {"stream": [], "rent": [], "buy": [], **offers}
    return {"region": region, "currency": _data()["currencies"][region], **shown(listed, *kinds)}


@tool("movies")
def search_people(query: str, page: int = 1) -> dict[str, Any]:
    """Search the people who made movies or act in them, by name.

    Args:
        query: Words of the name, in any order and in upper or lower case.
        page: The page of the results, from 1; there are 5 people on a page.

    Returns:
        A page of people in alphabetical order, each with person_id, name and
        known_for_department.
    """
    matches = [person for person in _people() if mentions(query, person["name"])]
    ordered = sorted(matches, key=lambda person: str(person["name"]))
    fields = ("person_id", "name", "known_for_department")
    return _page("page", page, SEARCH_PAGE, [shown(person, *fields) for person in ordered])


@tool("movies")
def get_person_details(person_id: str) -> dict[str, Any]:
    """Look up what is known of a person, except for the movies.

    Args:
        person_id: The person's identifier, such as pe01234.

    Returns:
        The person, with name, known_for_department, birthday, place_of_birth, died, which is null
        for the living, and award_wins.

    Raises:
        NoDataError: If there is no such person.
    """
    fields = ("person_id", "name", "known_for_department", "birthday", "place_of_birth")
    return shown(_person(person_id), *fields, "died", "award_wins")


@tool("movies")
def get_person_credits(
    person_id: str, credit_type: Literal["cast", "crew"], page: int = 1
) -> dict[str, Any]:
    """List the movies of a person.

    Args:
        person_id: The person's identifier, such as pe01234.
        credit_type: cast for the movies that the person acts in, crew for those that the person
            had any other job in.
        page: The page of the results, from 1; there are 10 credits on a page.

    Returns:
        A page of credits, newest movie first, each with movie_id, title and release_date, and with
        character for cast or department and job for crew.

    Raises:
        NoDataError: If there is no such person.
    """
    person = _person(person_id)
    fields = ("character",) if credit_type == "cast" else ("department", "job")
    credited = [
        {**shown(movie, "movie_id", "title", "release_date"), **shown(role, *fields)}
        for movie in _ordered(_movies(), "release_date.desc")
        for role in movie[credit_type]
        if role["person_id"] == person["person_id"]
    ]
    return _page("page", page, CREDITS_PAGE, credited)


def _data() -> dict[str, Any]:
    return data_of("movies")


def _movies() -> Sequence[Entry]:
    movies: Sequence[Entry] = _data()["movies"]
    return movies


def _people() -> Sequence[Entry]:
    people: Sequence[Entry] = _data()["people"]
    return people


def _movie(movie_id: int) -> Entry:
    return find_record(_movies(), "movie_id", movie_id, "movie")


def _person(person_id: str) -> Entry:
    return find_record(_people(), "person_id", person_id, "person")


def _named(person_id: str) -> dict[str, Any]:
    return shown(_person(person_id), "person_id", "name")


def _year(movie: Entry) -> int:
    return int(movie["release_date"][:4])


def _ordered(movies: Sequence[Entry], order: MovieOrder) -> list[Entry]:
    """Return movies in an order; those that are equal in it by their identifiers."""
    field, _, direction = order.partition(".")
    by_identifier = sorted(movies, key=lambda movie: int(movie["movie_id"]))
    return sorted(by_identifier, key=lambda movie: movie[field], reverse=direction == "desc")


def _page(name: str, page: int, size: int, rows: Sequence[Any]) -> dict[str, Any]:
    """Return a page of rows, with how many pages and rows there are; ``name`` is that of page."""
    return {
        name: whole(name, page, 1),
        "total_pages": -(-len(rows) // size),
        "total_results": len(rows),
        "results": page_of(rows, page, size),
    }


world = look_up_world(
    name="queries.movies",
    toolset=(
        search_movies,
        discover_movies,
        list_genres,
        get_movie_details,
        get_movie_cast,
        get_movie_crew,
        get_movie_release_dates,
        get_watch_providers,
        search_people,
        get_person_details,
        get_person_credits,
    ),
    summary="Movies, the people who made them, and where they can be watched.",
)
