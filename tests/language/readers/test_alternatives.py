"""Solutions some steps of which have alternatives."""

from __future__ import annotations

import pytest

from pytest_toolsandbox.language.loading import read_file
from pytest_toolsandbox.language.mistakes import ScenarioError
from pytest_toolsandbox.language.steps import SayStep, calls_of

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


@pytest.mark.parametrize(
    ("lines", "mistake"),
    [
        (
            ["one_of: [{say: Hi}]"],
            "a.yaml:7:15: solutions.plain[0].one_of: expected a list of two alternatives or more, ",
        ),
        (
            ["one_of: [{get_wifi_status: {}}, []]", "say: '12'"],
            "a.yaml:7:39: solutions.plain[0].one_of[1]: expected at least one step",
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
            "a.yaml:12:7: solutions.plain[5]: with this there are more than 32 ways; write fewer",
        ),
        (
            [TWO],
            "a.yaml:7:5: solutions.plain: end it with finish or say",
        ),
    ],
)
def test_mistakes(lines: list[str], mistake: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        read(*lines)
    assert mistake in str(caught.value)
    assert len({str(one) for one in caught.value.mistakes}) == len(caught.value.mistakes)
