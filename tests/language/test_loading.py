"""Defaults of a file, and keys that a query takes from its base."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import given, settings, strategies as st
from rows import every

from pytest_toolsandbox.language.loading import merged
from pytest_toolsandbox.language.mistakes import ScenarioError
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.tasks import Query
from pytest_toolsandbox.language.yaml12 import read_yaml
from pytest_toolsandbox.protocols import read_file

QUERIES = """
world: phone
scenarios:
  first:
    query: Which number has my sister?
    answer: 12
    solutions: {{plain: [{step}, say: It is 12.]}}
  retold:
    query: My sister's number, please.
    manner: {manner}
    base: first
    {own}
"""
STEP = "search_contacts: {relationship: sister}"


def queries(manner: str, own: str = "", step: str = STEP) -> list[Scenario]:
    text = QUERIES.format(manner=manner, own=own, step=step)
    return read_file(text.encode(), "a", "a.yaml")


@pytest.mark.parametrize("manner", ["sentences", "irrelevance"])
def test_answer_and_solutions_are_those_of_the_base(manner: str) -> None:
    first, retold = queries(manner)
    assert retold.solutions == first.solutions != {}
    assert retold.task_as(Query).answer == first.task_as(Query).answer


def test_its_own_are_taken_where_they_are_given() -> None:
    _, retold = queries("irrelevance", "solutions: {own: [say: 'It is 12, and no taxi.']}")
    assert list(retold.solutions) == ["own"]


def test_another_question_has_its_own_answer() -> None:
    with pytest.raises(ScenarioError) as caught:
        queries("constraints")
    assert str(caught.value) == "a.yaml:8:3: retold.answer: this key is missing"


def test_a_mistake_is_shown_where_it_stands() -> None:
    with pytest.raises(ScenarioError) as caught:
        queries("sentences", step="search_kontacts: {}")
    assert {str(one).partition(" ")[0] for one in caught.value.mistakes} == {"7:25:"}


def merge(defaults: Any, own: Any) -> Any:
    """Merge as a file does in which these stand."""
    text = yaml.safe_dump({**defaults, "scenarios": {"easy": own}})
    document, places = read_yaml(text.encode(), "f.yaml")
    return merged(document, places, "easy")[0]


MERGED: list[tuple[dict[str, Any], Any, dict[str, Any]]] = [
    ({}, {"a": 1}, {"a": 1}),
    ({"a": 1}, None, {"a": 1}),
    ({"a": 1}, {}, {"a": 1}),
    ({"a": 1}, {"a": 2}, {"a": 2}),
    ({"a": 1}, {"b": 2}, {"a": 1, "b": 2}),
    # Mappings merge, at every depth.
    ({"a": {"b": 1, "c": 2}}, {"a": {"c": 3, "d": 4}}, {"a": {"b": 1, "c": 3, "d": 4}}),
    ({"a": {"b": {"c": 1}}}, {"a": {"b": {"d": 2}}}, {"a": {"b": {"c": 1, "d": 2}}}),
    # Lists and scalars replace.
    ({"a": [1, 2]}, {"a": [3]}, {"a": [3]}),
    ({"a": [{"b": 1}]}, {"a": [{"c": 2}]}, {"a": [{"c": 2}]}),
    ({"a": {"b": 1}}, {"a": "text"}, {"a": "text"}),
    ({"a": "text"}, {"a": {"b": 1}}, {"a": {"b": 1}}),
    ({"a": [1]}, {"a": {"b": 1}}, {"a": {"b": 1}}),
    ({"a": {"b": 1}}, {"a": {}}, {"a": {"b": 1}}),
    ({"a": {"b": 1}}, {"a": []}, {"a": []}),
    # null deletes what is a default, and is itself where there is none.
    ({"a": 1, "b": 2}, {"a": None}, {"b": 2}),
    ({"a": {"b": 1, "c": 2}}, {"a": {"b": None}}, {"a": {"c": 2}}),
    ({"a": {"b": 1}}, {"a": None}, {}),
    ({"a": [1]}, {"a": None}, {}),
    ({}, {"a": None}, {"a": None}),
    ({"a": None}, {"a": None}, {}),
    ({"a": None}, {"a": {"b": 1}}, {"a": {"b": 1}}),
    ({"a": None}, {}, {"a": None}),
    ({"a": 1}, {"b": {"c": None}}, {"a": 1, "b": {"c": None}}),
]  # fmt: skip


@every(("defaults", "own", "result"), MERGED)
def test_merging(defaults: dict[str, Any], own: Any, result: dict[str, Any]) -> None:
    assert merge(defaults, own) == result


def test_defaults_come_first_and_what_replaces_one_takes_its_place() -> None:
    text = "a: {x: 1, y: 2}\nb: 3\nscenarios:\n  easy:\n    c: 4\n    a: {z: 5, x: 6}\n    d: 7\n"
    document, places = read_yaml(text.encode(), "f.yaml")
    value, _ = merged(document, places, "easy")
    assert list(value) == ["a", "b", "c", "d"]
    assert list(value["a"]) == ["x", "y", "z"]


TEXT = """\
a: {x: 1, y: [2]}
b: {p: 3}
scenarios:
  easy:
    a: {x: 4, z: 5}
    b: null
    c: [{d: 6}]
  hard:
"""


def test_every_value_stands_where_it_was_written() -> None:
    document, places = read_yaml(TEXT.encode(), "f.yaml")
    _, found = merged(document, places, "easy")
    assert found.values == {
        (): (4, 3),
        ("a",): (5, 8),
        ("a", "x"): (5, 12),
        ("a", "y"): (1, 14),
        ("a", "y", 0): (1, 15),
        ("a", "z"): (5, 18),
        ("c",): (7, 8),
        ("c", 0): (7, 9),
        ("c", 0, "d"): (7, 13),
    }
    assert found.keys[("a", "y")] == (1, 11)
    assert found.keys[("a", "z")] == (5, 15)


def test_what_comes_from_the_defaults_is_known() -> None:
    document, places = read_yaml(TEXT.encode(), "f.yaml")
    _, easy = merged(document, places, "easy")
    assert easy.shared == {("a", "y"), ("a", "y", 0)}
    _, hard = merged(document, places, "hard")
    assert hard.shared == set(hard.values) - {()}


def test_the_document_stays_as_it_is() -> None:
    document, places = read_yaml(TEXT.encode(), "f.yaml")
    value, _ = merged(document, places, "easy")
    value["a"]["y"].append("more")
    assert document == read_yaml(TEXT.encode(), "f.yaml")[0]


KEYS = st.text("abc", min_size=1, max_size=1)
VALUES = st.recursive(
    st.none() | st.integers(0, 3),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=10,
)
MAPPINGS = st.dictionaries(KEYS, VALUES, max_size=3)


@given(MAPPINGS, MAPPINGS)
@settings(max_examples=300, deadline=None)
def test_merging_keeps_its_laws(defaults: dict[str, Any], own: dict[str, Any]) -> None:
    result = merge(defaults, own)
    for key in {*defaults, *own}:
        if key not in own:
            assert result[key] == defaults[key]
        elif own[key] is None and key in defaults:
            assert key not in result
        elif not (isinstance(own[key], dict) and isinstance(defaults.get(key), dict)):
            assert result[key] == own[key]
    assert merge(defaults, {}) == defaults
    assert merge({}, own) == own
