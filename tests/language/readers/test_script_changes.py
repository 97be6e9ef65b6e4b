"""Scripts that are written as what is different from the first solution."""

from __future__ import annotations

import pytest

from pytest_toolsandbox.language.mistakes import ScenarioError
from pytest_toolsandbox.language.roles import ParallelStep, SayStep, Step, ToolStep
from pytest_toolsandbox.protocols import read_file

TEXT = """
world: phone
user: {{opening: Hi}}
protected: [contact]
solutions:
  first:
    - search_contacts: {{name: Ada}}
    - parallel:
        - search_contacts: {{name: Bo, relationship: friend}}
        - get_wifi_status:
    - say: Shall I?
    - send_message_with_phone_number: {{phone_number: "+14155550123", content: Hello}}
    - say: Done.
{section}:
  {script}
"""
WIFI = ToolStep("get_wifi_status", {})
TOLD = SayStep("Done.")
SENT = ToolStep(
    "send_message_with_phone_number", {"phone_number": "+14155550123", "content": "Hello"}
)
FIRST: tuple[Step, ...] = (
    ToolStep("search_contacts", {"name": "Ada"}),
    ParallelStep((ToolStep("search_contacts", {"name": "Bo", "relationship": "friend"}), WIFI)),
    SayStep("Shall I?"),
    SENT,
    TOLD,
)


def read(script: str, section: str = "counterexamples") -> tuple[Step, ...]:
    text = TEXT.format(script=script, section=section)
    (scenario,) = read_file(text.encode(), "a", "a.yaml")
    return scenario.counterexamples["other"]


def problems(script: str) -> list[str]:
    with pytest.raises(ScenarioError) as caught:
        read(script)
    return str(caught.value).splitlines()


@pytest.mark.parametrize(
    ("script", "place", "step"),
    [
        ("{say: No.}", 4, SayStep("No.")),
        (
            "{send_message_with_phone_number: {content: Bye}}",
            3,
            ToolStep(SENT.tool, {**SENT.arguments, "content": "Bye"}),
        ),
        (
            "{search_contacts: {name: Cy}}",
            1,
            ParallelStep(
                (
                    ToolStep("search_contacts", {"name": "Cy", "relationship": "friend"}),
                    ToolStep("get_wifi_status", {}),
                )
            ),
        ),
        (
            "{get_wifi_status: {loud: true}}",
            1,
            ParallelStep(
                (
                    ToolStep("search_contacts", {"name": "Bo", "relationship": "friend"}),
                    ToolStep("get_wifi_status", {"loud": True}),
                )
            ),
        ),
    ],
)
def test_the_last_such_step_is_another(script: str, place: int, step: Step) -> None:
    assert read(f"other: {script}") == (*FIRST[:place], step, *FIRST[place + 1 :])


def test_several_steps_are_others() -> None:
    script = "other: {say: No., send_message_with_phone_number: {content: Bye}}"
    sent = ToolStep(SENT.tool, {**SENT.arguments, "content": "Bye"})
    assert read(script) == (*FIRST[:3], sent, SayStep("No."))


@pytest.mark.parametrize(
    ("script", "place", "instead"),
    [
        ("{send_message_with_phone_number: []}", 3, ()),
        ("{say: [get_wifi_status: {}, say: On.]}", 4, (WIFI, SayStep("On."))),
        ("{search_contacts: [fly: {}]}", 1, (ParallelStep((ToolStep("fly", {}), WIFI)),)),
        ("{search_contacts: [], get_wifi_status: []}", 1, ()),
    ],
)
def test_other_steps_stand_in_its_place(script: str, place: int, instead: tuple[Step, ...]) -> None:
    assert read(f"other: {script}") == (*FIRST[:place], *instead, *FIRST[place + 1 :])


def test_what_follows_takes_values_from_the_calls_before() -> None:
    script = "other: {say: {from: {call: search_contacts, path: '[0].name'}}}"
    assert isinstance(read(script)[-1], SayStep)


@pytest.mark.parametrize(
    ("script", "mistake"),
    [
        (
            "{fly: {}}",
            (
                "11: counterexamples.other.fly: the first solution has no such step; write all "
                "steps of 'other' as a list"
            ),
        ),
        ("{say: 5}", "16: counterexamples.other.say: expected text, found the number 5"),
        (
            "{get_wifi_status: [Ada]}",
            (
                "10: counterexamples.other.parallel[1]: expected one tool with its arguments, "
                "parallel or say; found the text 'Ada'"
            ),
        ),
        (
            "{}",
            (
                "10: counterexamples.other: expected a list of steps, or a mapping of "
                "what differs from the first solution; found an empty mapping"
            ),
        ),
    ],
)
def test_mistakes_are_located(script: str, mistake: str) -> None:
    assert problems(f"other: {script}") == [f"a.yaml:15:{mistake}"]


def test_something_of_the_first_solution_is_left() -> None:
    text = (
        "world: phone\nuser: {opening: Hi}\nsolutions: {a: [say: x]}\nprotected: [contact]\n"
        "counterexamples: {b: {say: []}}\n"
    )
    with pytest.raises(ScenarioError, match=r"5:22: counterexamples\.b: no step of the first sol"):
        read_file(text.encode(), "a", "a.yaml")


def test_the_first_solution_is_a_list() -> None:
    text = "world: phone\nuser: {opening: Hi}\nsolutions: {a: {say: x}}\nprotected: [contact]\n"
    with pytest.raises(
        ScenarioError, match=r"solutions\.a: expected a list of steps, or a mapping of what"
    ):
        read_file(text.encode(), "a", "a.yaml")
