from __future__ import annotations

import json
from datetime import date
from functools import partial
from typing import Any, get_args

import pytest
from lookups import call_in
from rows import every

from pytest_toolsandbox.builtin.queries.data_files import data_of
from pytest_toolsandbox.builtin.queries.movies import Department, Region, world

DATA = data_of("movies")
MOVIES, PEOPLE = DATA["movies"], DATA["people"]
ORCHARD, NEW_ORCHARD = 4711, 4488

call = partial(call_in, world)


def person(name: str) -> str:
    (found,) = [person["person_id"] for person in PEOPLE if person["name"] == name]
    return str(found)


def test_a_search_may_ask_for_a_year() -> None:
    found = call("search_movies", query="glass orchard", year=2024)["results"]
    assert [movie["movie_id"] for movie in found] == [NEW_ORCHARD]


def test_the_pages_of_a_search_have_every_movie_once() -> None:
    first = call("search_movies", query="the")
    pages = [call("search_movies", query="the", page=page + 1) for page in range(5)]
    found = [movie["movie_id"] for page in pages for movie in page["results"]]
    assert (first["total_pages"], len(first["results"])) == (5, 5)
    assert len(found) == len(set(found)) == first["total_results"]
    assert call("search_movies", query="the", page=6)["results"] == []


def test_the_best_rated_movies_come_first_on_the_first_page() -> None:
    first, last = call("discover_movies"), call("discover_movies", page_num=6)
    votes = [movie["vote_average"] for movie in first["results"] + last["results"]]
    assert (first["page_num"], first["total_pages"], first["total_results"]) == (1, 6, 48)
    assert votes == sorted(votes, reverse=True)
    assert len(votes) == 16


def test_genres_are_listed_in_alphabetical_order() -> None:
    names = [genre["name"] for genre in call("list_genres")]
    assert names == sorted(names)
    assert {"genre_id": 38, "name": "Horror"} in call("list_genres")


def test_details_name_the_genres_and_no_people() -> None:
    details = call("get_movie_details", movie_id=ORCHARD)
    assert details["genres"] == ["Drama"]
    assert (details["runtime"], details["vote_average"]) == (133, 8.2)
    assert not {"cast", "crew", "releases", "providers", "genre_ids"} & details.keys()


def test_the_cast_is_in_the_order_of_the_credits() -> None:
    cast = call("get_movie_cast", movie_id=ORCHARD)
    assert [role["order"] for role in cast] == list(range(1, len(cast) + 1))
    assert cast[0].keys() == {"order", "person_id", "name", "character"}
    assert call("get_movie_cast", movie_id=ORCHARD, max_results=2) == cast[:2]


def test_releases_may_be_of_one_region() -> None:
    releases = call("get_movie_release_dates", movie_id=NEW_ORCHARD)
    assert releases
    for release in releases:
        only = call("get_movie_release_dates", movie_id=NEW_ORCHARD, region=release["region"])
        assert only == [release]


def test_names_that_are_alike_are_both_found() -> None:
    found = call("search_people", query="Daniel Osterhart")["results"]
    assert [row["name"] for row in found] == ["Daniel Osterhart", "Daniela Osterhart"]


def test_a_person_may_be_dead() -> None:
    details = call("get_person_details", person_id=person("Bastien Ferrolay"))
    assert (details["birthday"], details["died"]) == ("1948-01-17", "2021-08-02")
    assert call("get_person_details", person_id=person("Greta Hollunder"))["died"] is None


@pytest.mark.parametrize(
    ("tool", "arguments", "problem"),
    [
        ("get_movie_details", {"movie_id": "4711"}, "of type 'string', but expected 'integer'"),
        ("get_watch_providers", {"movie_id": 4711, "region": "UK"}, "'UK' is not one of"),
        ("discover_movies", {"page": 2}, "unexpected keyword argument 'page'"),
    ],
)
def test_arguments_are_checked(tool: str, arguments: dict[str, Any], problem: str) -> None:
    with pytest.raises(TypeError, match=problem):
        world.tools[tool].bind(arguments)


def test_results_are_copies() -> None:
    call("get_movie_details", movie_id=ORCHARD)["production_countries"].clear()
    offers = call("get_watch_providers", movie_id=ORCHARD, region="US")
    for kind in ("stream", "rent", "buy"):
        offers[kind].clear()
    assert call("get_movie_details", movie_id=ORCHARD)["production_countries"]
    again = call("get_watch_providers", movie_id=ORCHARD, region="US")
    assert any(again[kind] for kind in ("stream", "rent", "buy"))
    json.dumps(again)


@pytest.mark.parametrize(("kind", "field"), [("movies", "movie_id"), ("people", "person_id")])
def test_identifiers_are_unique(kind: str, field: str) -> None:
    identifiers = [record[field] for record in DATA[kind]]
    assert len(set(identifiers)) == len(identifiers)


@every("movie", MOVIES, ids=lambda movie: str(movie["movie_id"]))
def test_a_movie_is_sound(movie: dict[str, Any]) -> None:
    people = {person["person_id"]: person for person in PEOPLE}
    released = date.fromisoformat(movie["release_date"])
    assert {*movie["genre_ids"]} <= {genre["genre_id"] for genre in DATA["genres"]}
    assert len({role["person_id"] for role in movie["cast"]}) == len(movie["cast"])
    for role in [*movie["cast"], *movie["crew"]]:
        assert date.fromisoformat(people[role["person_id"]]["birthday"]) < released
    assert [job["job"] for job in movie["crew"]].count("Director") == 1
    assert {job["department"] for job in movie["crew"]} == {*get_args(Department)}
    assert min(release["release_date"] for release in movie["releases"]) == str(released)
    regions = [release["region"] for release in movie["releases"]]
    assert len(set(regions)) == len(regions)
    assert {*regions, *movie["providers"]} <= {*get_args(Region)} == DATA["currencies"].keys()


def test_everybody_has_a_credit() -> None:
    credited = {role["person_id"] for movie in MOVIES for role in [*movie["cast"], *movie["crew"]]}
    assert credited == {person["person_id"] for person in PEOPLE}
