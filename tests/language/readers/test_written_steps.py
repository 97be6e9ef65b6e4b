"""One step that stands for several calls."""

from __future__ import annotations

import pytest

from pytest_toolsandbox.language.loading import read_file
from pytest_toolsandbox.language.mistakes import ScenarioError
from pytest_toolsandbox.language.steps import ParallelStep, Step, ToolStep

TEXT = """
world: phone
query: Which numbers have they?
answer: 12
solutions:
  plain:
    - {step}
    - say: "12"
counterexamples:
  other: {{search_contacts: {change}}}
"""


def read(step: str, change: str = "{name: Cy}") -> tuple[tuple[Step, ...], tuple[Step, ...]]:
    (scenario,) = read_file(TEXT.format(step=step, change=change).encode(), "a", "a.yaml")
    return scenario.solutions["plain"][:-1], scenario.counterexamples["other"][:-1]


def search(name: str) -> ToolStep:
    return ToolStep("search_contacts", {"name": name, "relationship": "friend"})


BOTH = "search_contacts: {name: {each: [Ada, Bo]}, relationship: friend}"


def test_a_call_for_each_value() -> None:
    assert read(BOTH)[0] == (search("Ada"), search("Bo"))


def test_at_once() -> None:
    assert read(f"parallel: [{{{BOTH}}}]")[0] == (ParallelStep((search("Ada"), search("Bo"))),)


def test_in_an_alternative() -> None:
    assert read(f"one_of: [{{{BOTH}}}, {{search_contacts: {{}}}}]")[0] == (
        search("Ada"),
        search("Bo"),
    )


def test_a_change_is_made_in_the_last_of_them() -> None:
    assert read(BOTH)[1] == (search("Ada"), search("Cy"))


def test_a_change_may_have_several() -> None:
    changed = read(BOTH, "{name: {each: [Cy, Di]}}")[1]
    assert changed == (search("Ada"), search("Cy"), search("Di"))


@pytest.mark.parametrize(
    ("step", "mistake"),
    [
        (
            "search_contacts: {name: {each: [Ada]}}",
            (
                "plain[0].search_contacts.name.each: expected a list of two values or more, found "
                "a list of 1"
            ),
        ),
        (
            "search_contacts: {name: {each: Ada}}",
            (
                "plain[0].search_contacts.name.each: expected a list of two values or more, found "
                "the text 'Ada'"
            ),
        ),
        (
            "search_contacts: {name: {each: [Ada, Bo]}, relationship: {each: [a, b]}}",
            "plain[0].search_contacts: one argument of a step can be each, not more",
        ),
        (
            "search_contacts: {name: {each: [Ada, 5]}}",
            "plain[0].search_contacts.name: ",
        ),
    ],
)
def test_mistakes(step: str, mistake: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        read(step)
    assert f": solutions.{mistake}" in str(caught.value)
