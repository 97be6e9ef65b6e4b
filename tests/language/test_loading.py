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


def queries(manner: str, keys: str = "", step: str = "relationship: sister") -> list[Scenario]:
    text = f"""
world: phone
scenarios:
  first:
    query: Which number has my sister?
    answer: 12
    solutions: {{plain: [search_contacts: {{{step}}}, say: It is 12.]}}
  retold:
    query: My sister's number, please.
    manner: {manner}
    base: first
    {keys}
"""
    return read_file(text.encode(), "a", "a.yaml")


def test_a_query_takes_its_answer_and_solutions_from_its_base() -> None:
    for manner in ("sentences", "irrelevance"):
        first, retold = queries(manner)
        assert retold.solutions == first.solutions != {}
        assert retold.task_as(Query).answer == first.task_as(Query).answer
    _, retold = queries("irrelevance", "solutions: {own: [say: 'It is 12, and no taxi.']}")
    assert list(retold.solutions) == ["own"]
    with pytest.raises(ScenarioError, match=r"^a.yaml:8:3: retold.answer: this key is missing$"):
        queries("constraints")
    with pytest.raises(ScenarioError) as caught:
        queries("sentences", step="kinship: sister")
    assert {str(mistake).partition(" ")[0] for mistake in caught.value.mistakes} == {"7:43:"}


def merge(defaults: Any, scenario_keys: Any) -> Any:
    """Merge as a file does in which these stand."""
    text = yaml.safe_dump({**defaults, "scenarios": {"easy": scenario_keys}})
    document, places = read_yaml(text.encode(), "f.yaml")
    return merged(document, places, "easy")[0]


@every(
    ("defaults", "scenario_keys", "result"),
    [
        ({}, {"a": 1}, {"a": 1}),
        ({"a": 1}, None, {"a": 1}),
        ({"a": 1}, {"b": 2}, {"a": 1, "b": 2}),
        # Mappings merge, at every depth.
        ({"a": {"b": 1, "c": 2}}, {"a": {"c": 3, "d": 4}}, {"a": {"b": 1, "c": 3, "d": 4}}),
        ({"a": {"b": {"c": 1}}}, {"a": {"b": {"d": 2}}}, {"a": {"b": {"c": 1, "d": 2}}}),
        # null deletes what is a default, and is itself where there is none.
        ({"a": {"b": 1, "c": 2}}, {"a": {"b": None}}, {"a": {"c": 2}}),
        ({"a": 1}, {"b": {"c": None}}, {"a": 1, "b": {"c": None}}),
    ],
)
def test_merging(defaults: dict[str, Any], scenario_keys: Any, result: dict[str, Any]) -> None:
    assert merge(defaults, scenario_keys) == result


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
    value, easy = merged(document, places, "easy")
    assert easy.values == {
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
    assert (easy.keys[("a", "y")], easy.keys[("a", "z")]) == ((1, 11), (5, 15))
    # What comes from the defaults is known.
    assert easy.shared == {("a", "y"), ("a", "y", 0)}
    _, hard = merged(document, places, "hard")
    assert hard.shared == set(hard.values) - {()}
    # The document stays as it is.
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
def test_merging_keeps_its_laws(defaults: dict[str, Any], scenario_keys: dict[str, Any]) -> None:
    result = merge(defaults, scenario_keys)
    for key in {*defaults, *scenario_keys}:
        if key not in scenario_keys:
            assert result[key] == defaults[key]
        elif scenario_keys[key] is None and key in defaults:
            assert key not in result
        elif isinstance(scenario_keys[key], dict) and isinstance(defaults.get(key), dict):
            assert result[key] == merge(defaults[key], scenario_keys[key])
        else:
            assert result[key] == scenario_keys[key]
    assert merge(defaults, {}) == defaults
    assert merge({}, scenario_keys) == scenario_keys
