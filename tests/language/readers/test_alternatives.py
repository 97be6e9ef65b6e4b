"""Solutions some steps of which have alternatives."""

from __future__ import annotations

import pytest

from pytest_toolsandbox.language.mistakes import ScenarioError
from pytest_toolsandbox.language.roles import SayStep, calls_of
from pytest_toolsandbox.protocols import read_file

TEXT = """
world: phone
query: Which number has she?
answer: 12
solutions:
  plain:
{steps}
  last: {{say: 'Her number is 12, then.'}}
"""
TWO = "one_of: [{get_wifi_status: {}}, {get_location_service_status: {}}]"


def steps(*lines: str) -> str:
    return TEXT.format(steps="\n".join(f"    - {line}" for line in lines))


def read(*lines: str) -> dict[str, list[str]]:
    (scenario,) = read_file(steps(*lines).encode(), "a", "a.yaml")
    return {
        name: [
            str(step.text) if isinstance(step, SayStep) else calls_of(step)[0].tool
            for step in script
        ]
        for name, script in scenario.solutions.items()
    }


def test_every_mixture_is_a_solution() -> None:
    longer = "[{get_cellular_service_status: {}}, {get_wifi_status: {}}]"
    one = f"one_of: [{{get_wifi_status: {{}}}}, {longer}]"
    other = "one_of: [{say: '12'}, {say: It is 12.}]"
    assert read(one, other) == {
        "plain": ["get_wifi_status", "12"],
        "plain (2)": ["get_wifi_status", "It is 12."],
        "plain (3)": ["get_cellular_service_status", "get_wifi_status", "12"],
        "plain (4)": ["get_cellular_service_status", "get_wifi_status", "It is 12."],
        "last": ["get_wifi_status", "Her number is 12, then."],
    }


def test_steps_may_be_left_out() -> None:
    ways = read("one_of: [{get_wifi_status: {}}, []]", "say: '12'")
    assert (ways["plain"], ways["plain (2)"]) == (["get_wifi_status", "12"], ["12"])


def test_an_argument_may_have_several_values() -> None:
    line = "search_contacts: {name: {one_of: [null, Ada, Bo]}, relationship: friend}"
    (scenario,) = read_file(steps(line, "say: '12'").encode(), "a", "a.yaml")
    (call,) = calls_of(scenario.solutions["plain"][0])
    assert (call.arguments, call.others) == ({"relationship": "friend"}, {"name": ("Ada", "Bo")})


@pytest.mark.parametrize(
    ("lines", "mistake"),
    [
        (
            ["search_contacts: {name: {one_of: [Ada]}}", "say: '12'"],
            (
                "a.yaml:7:40: solutions.plain[0].search_contacts.name.one_of: expected a list of "
                "two values or more, found a list of 1"
            ),
        ),
        (
            [
                "search_contacts: {}",
                "search_contacts: {name: {one_of: [Ada, '$search_contacts[0].name']}}",
                "say: '12'",
            ],
            (
                "a.yaml:8:46: solutions.plain[1].search_contacts.name.one_of[1]: alternatives for "
                "an argument are plain values; write the step with one_of"
            ),
        ),
        (
            ["search_contacts: {is_self: {one_of: [true, Ada]}}", "say: '12'"],
            (
                "a.yaml:7:34: solutions.plain[0].search_contacts.is_self: expected true or false, "
                "found the text 'Ada'"
            ),
        ),
        (
            ["one_of: [{say: Hi}]"],
            "a.yaml:7:15: solutions.plain[0].one_of: expected a list of two alternatives or more, ",
        ),
        (
            ["one_of: [{get_wifi_status: {}}, {get_wifi: {}}]", "say: '12'"],
            "a.yaml:7:40: solutions.plain[0].one_of[1].get_wifi: unknown tool 'get_wifi'; ",
        ),
        (
            [
                *["one_of: [{get_wifi_status: {}}, {get_location_service_status: {}}]"] * 6,
                "say: '12'",
            ],
            (
                "a.yaml:12:7: solutions.plain[5]: "
                "the solution has more than 32 ways; use fewer alternatives"
            ),
        ),
        (
            [TWO],
            "a.yaml:7:5: solutions.plain: the last step must be finish or say",
        ),
    ],
)
def test_mistakes(lines: list[str], mistake: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        read(*lines)
    assert mistake in str(caught.value)
    assert len({str(one) for one in caught.value.mistakes}) == len(caught.value.mistakes)
