"""Scripts that are written as what is different from the first solution."""

from __future__ import annotations

import pytest
from rows import every

from pytest_toolsandbox.language.mistakes import ScenarioError
from pytest_toolsandbox.language.roles import ParallelStep, SayStep, Step, ToolStep
from pytest_toolsandbox.protocols import read_file

WIFI = ToolStep("get_wifi_status", {})
SENT = ToolStep(
    "send_message_with_phone_number", {"phone_number": "+14155550123", "content": "Hello"}
)
BYE = ToolStep(SENT.tool, {**SENT.arguments, "content": "Bye"})


def both(name: str, **of_wifi: object) -> ParallelStep:
    search = ToolStep("search_contacts", {"name": name, "relationship": "friend"})
    return ParallelStep((search, ToolStep("get_wifi_status", of_wifi)))


FIRST: tuple[Step, ...] = (
    *(ToolStep("search_contacts", {"name": "Ada"}), both("Bo"), SayStep("Shall I?")),
    *(SENT, SayStep("Done.")),
)


def read(script: str) -> tuple[Step, ...]:
    text = f"""
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
counterexamples:
  other: {script}
"""
    (scenario,) = read_file(text.encode(), "a", "a.yaml")
    return scenario.counterexamples["other"]


@every(
    ("script", "place", "instead"),
    [
        ("{say: No.}", 4, (SayStep("No."),)),
        ("{send_message_with_phone_number: {content: Bye}}", 3, (BYE,)),
        ("{search_contacts: {name: Cy}}", 1, (both("Cy"),)),
        ("{get_wifi_status: {loud: true}}", 1, (both("Bo", loud=True),)),
        # other steps in its place
        ("{send_message_with_phone_number: []}", 3, ()),
        ("{say: [get_wifi_status: {}, say: On.]}", 4, (WIFI, SayStep("On."))),
        ("{search_contacts: [fly: {}]}", 1, (ParallelStep((ToolStep("fly", {}), WIFI)),)),
        ("{search_contacts: [], get_wifi_status: []}", 1, ()),
    ],
)
def test_the_last_such_step_is_another(script: str, place: int, instead: tuple[Step, ...]) -> None:
    assert read(script) == (*FIRST[:place], *instead, *FIRST[place + 1 :])


def test_several_steps_are_others() -> None:
    script = "{say: No., send_message_with_phone_number: {content: Bye}}"
    assert read(script) == (*FIRST[:3], BYE, SayStep("No."))
    # What follows takes values from the calls before.
    taken = read("{say: {from: {call: search_contacts, path: '[0].name'}}}")
    assert isinstance(taken[-1], SayStep)


@every(
    ("script", "mistake"),
    [
        (
            "{fly: {}}",
            ("11: counterexamples.other.fly: the first solution has no such step; write all "
            "steps of 'other' as a list"),
        ),
        ("{say: 5}", "16: counterexamples.other.say: expected text, found the number 5"),
        (
            "{get_wifi_status: [Ada]}",
            ("10: counterexamples.other.parallel[1]: expected one tool with its arguments, "
            "parallel or say; found the text 'Ada'"),
        ),
        (
            "{}",
            ("10: counterexamples.other: expected a list of steps, or a mapping of "
            "what differs from the first solution; found an empty mapping"),
        ),
    ],
)  # fmt: skip
def test_mistakes_are_located(script: str, mistake: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        read(script)
    assert str(caught.value) == f"a.yaml:15:{mistake}"


@every(
    ("solution", "change", "mistake"),
    [
        ("[say: x]", "{say: []}", r"5:22: counterexamples\.b: no step of the first sol"),
        ("{say: x}", "[say: x]", r"solutions\.a: expected a list of steps, or a mapping of what"),
    ],
)
def test_mistakes_of_whole_scripts(solution: str, change: str, mistake: str) -> None:
    text = (
        f"world: phone\nuser: {{opening: Hi}}\nsolutions: {{a: {solution}}}\n"
        f"protected: [contact]\ncounterexamples: {{b: {change}}}\n"
    )
    with pytest.raises(ScenarioError, match=mistake):
        read_file(text.encode(), "a", "a.yaml")
