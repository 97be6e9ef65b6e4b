"""What a query has from the one that it was made from."""

from __future__ import annotations

import pytest

from pytest_toolsandbox.language.mistakes import ScenarioError
from pytest_toolsandbox.language.scenario import Scenario
from pytest_toolsandbox.language.tasks import Query
from pytest_toolsandbox.protocols import read_file

FILE = """
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


def read(manner: str, own: str = "", step: str = STEP) -> list[Scenario]:
    text = FILE.format(manner=manner, own=own, step=step)
    return read_file(text.encode(), "a", "a.yaml")


@pytest.mark.parametrize("manner", ["sentences", "irrelevance"])
def test_answer_and_solutions_are_those_of_the_base(manner: str) -> None:
    first, retold = read(manner)
    assert retold.solutions == first.solutions != {}
    assert retold.task_as(Query).answer == first.task_as(Query).answer


def test_its_own_are_taken_where_they_are_given() -> None:
    _, retold = read("irrelevance", "solutions: {own: [say: 'It is 12, and no taxi.']}")
    assert list(retold.solutions) == ["own"]


def test_another_question_has_its_own_answer() -> None:
    with pytest.raises(ScenarioError) as caught:
        read("constraints")
    assert str(caught.value) == "a.yaml:8:3: retold.answer: this key is missing"


def test_a_mistake_is_shown_where_it_stands() -> None:
    with pytest.raises(ScenarioError) as caught:
        read("sentences", step="search_kontacts: {}")
    assert {str(one).partition(" ")[0] for one in caught.value.mistakes} == {"7:25:"}
