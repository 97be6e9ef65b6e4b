"""Steps of solutions: one call per value, implicit calls, and alternatives."""

from __future__ import annotations

import pytest
from rows import every

from pytest_toolsandbox.language.mistakes import ScenarioError
from pytest_toolsandbox.language.roles import ParallelStep, SayStep, Step, ToolStep, calls_of
from pytest_toolsandbox.protocols import read_file

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
            "plain[0].search_contacts: only one argument of a step can use each",
        ),
        ("search_contacts: {name: {each: [Ada, 5]}}", "plain[0].search_contacts.name: "),
    ],
)
def test_mistakes_in_each(step: str, mistake: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        read(step)
    assert f": solutions.{mistake}" in str(caught.value)


CLOCK = """
world: phone
tools: [get_current_timestamp, shift_timestamp, search_contacts]
user: {{opening: When is that?, goal: Know when that is.}}
protected: [contact]
solutions: {{plain: [{steps}]}}
counterexamples: {{other: {change}}}
"""
READ, SHIFT = "get_current_timestamp", "shift_timestamp"
SHIFTED = "shift_timestamp: {timestamp: $get_current_timestamp, days: 1}"
SEARCHED = "search_contacts: {name: Ada}"


def scripts(steps: str, change: str = "[say: No.]") -> tuple[list[list[str]], list[str]]:
    """Return the tools that each way of the solution calls, and those of the counterexample."""
    text = CLOCK.format(steps=steps, change=change)
    (scenario,) = read_file(text.encode(), "a", "a.yaml")

    def tools(script: tuple[Step, ...]) -> list[str]:
        return [call.tool for step in script for call in calls_of(step)]

    return [*map(tools, scenario.solutions.values())], tools(scenario.counterexamples["other"])


@every(
    ("steps", "ways"),
    [
        (SHIFTED, [[READ, SHIFT]]),
        (f"{SHIFTED}, {SHIFTED}", [[READ, SHIFT, SHIFT]]),
        (f"{READ}: {{}}, {SHIFTED}", [[READ, SHIFT]]),
        (f"parallel: [{READ}: {{}}, {SEARCHED}], {SHIFTED}", [[READ, "search_contacts", SHIFT]]),
        (f"parallel: [{SHIFTED}, {SEARCHED}]", [[READ, SHIFT, "search_contacts"]]),
        (f"say: {{from: {{call: {READ}, format: 'It is {{:.0f}}.'}}}}", [[READ]]),
        (f"say: $${READ}", [[]]),
        (
            f"one_of: [{SHIFTED}, {SEARCHED}], {SHIFTED}",
            [[READ, SHIFT, SHIFT], ["search_contacts", READ, SHIFT]],
        ),
    ],
)
def test_what_takes_the_time_reads_the_clock(steps: str, ways: list[list[str]]) -> None:
    assert scripts(steps)[0] == ways


def test_a_counterexample_reads_the_clock_as_well() -> None:
    assert scripts(SEARCHED, f"[{SHIFTED}]")[1] == [READ, SHIFT]


def test_a_text_is_all_that_is_said() -> None:
    text = CLOCK.format(steps=SHIFTED, change="I can't: it is late.".join('""'))
    (scenario,) = read_file(text.replace("[" + SHIFTED + "]", "No.").encode(), "a", "a.yaml")
    assert scenario.solutions == {"plain": (SayStep("No."),)}
    assert scenario.counterexamples == {"other": (SayStep("I can't: it is late."),)}


def test_what_is_changed_reads_the_clock_as_well() -> None:
    assert scripts(SEARCHED, f"{{search_contacts: [{SHIFTED}]}}")[1] == [READ, SHIFT]


def test_a_counterexample_may_leave_out_that_the_clock_is_read() -> None:
    change = f"{{{READ}: [], shift_timestamp: {{timestamp: 5}}}}"
    assert scripts(SHIFTED, change)[1] == [SHIFT]


def test_what_is_left_out_is_not_called_again() -> None:
    with pytest.raises(ScenarioError, match=f"no step before this one calls {READ}; call it first"):
        scripts(SHIFTED, f"{{{READ}: []}}")


@every(
    ("steps", "mistake"),
    [
        ("say: $search_contacts", "no step before this one calls search_contacts; call it first"),
        (
            "say: $get_curent_timestamp",
            (
                "unknown earlier call 'get_curent_timestamp'; did you mean "
                "'get_current_timestamp'? (allowed: get_current_timestamp)"
            ),
        ),
        ("say: $search_contact", "unknown tool 'search_contact'; did you mean 'search_contacts'?"),
        (
            "say: $get_current_location",
            "the agent is not offered get_current_location; check tools and withheld",
        ),
    ],
)
def test_only_what_is_offered_and_has_no_arguments_is_called(steps: str, mistake: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        scripts(steps)
    assert str(caught.value).endswith(mistake)


ALTERNATIVES = """
world: phone
query: Which number has she?
answer: 12
solutions:
  plain:
{document}
  last: {{say: 'Her number is 12, then.'}}
"""
TWO = "one_of: [{get_wifi_status: {}}, {get_location_service_status: {}}]"


def document(*lines: str) -> str:
    return ALTERNATIVES.format(document="\n".join(f"    - {line}" for line in lines))


def solutions_of(*lines: str) -> dict[str, list[str]]:
    (scenario,) = read_file(document(*lines).encode(), "a", "a.yaml")
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
    assert solutions_of(one, other) == {
        "plain": ["get_wifi_status", "12"],
        "plain (2)": ["get_wifi_status", "It is 12."],
        "plain (3)": ["get_cellular_service_status", "get_wifi_status", "12"],
        "plain (4)": ["get_cellular_service_status", "get_wifi_status", "It is 12."],
        "last": ["get_wifi_status", "Her number is 12, then."],
    }


def test_steps_may_be_left_out() -> None:
    ways = solutions_of("one_of: [{get_wifi_status: {}}, []]", "say: '12'")
    assert (ways["plain"], ways["plain (2)"]) == (["get_wifi_status", "12"], ["12"])


def test_an_argument_may_have_several_values() -> None:
    line = "search_contacts: {name: {one_of: [null, Ada, Bo]}, relationship: friend}"
    (scenario,) = read_file(document(line, "say: '12'").encode(), "a", "a.yaml")
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
        ([TWO], "a.yaml:7:5: solutions.plain: the last step must be finish or say"),
    ],
)
def test_mistakes_in_alternatives(lines: list[str], mistake: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        solutions_of(*lines)
    assert mistake in str(caught.value)
    assert len({str(one) for one in caught.value.mistakes}) == len(caught.value.mistakes)
