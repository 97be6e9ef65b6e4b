"""Steps of solutions: one call per value, implicit calls, and alternatives."""

from __future__ import annotations

import pytest
from rows import every

from pytest_toolsandbox.language.mistakes import ScenarioError
from pytest_toolsandbox.language.roles import ParallelStep, SayStep, Step, ToolStep, calls_of
from pytest_toolsandbox.protocols import read_file


def read(step: str, change: str = "{name: Cy}") -> tuple[tuple[Step, ...], tuple[Step, ...]]:
    text = f"""
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
    (scenario,) = read_file(text.encode(), "a", "a.yaml")
    return scenario.solutions["plain"][:-1], scenario.counterexamples["other"][:-1]


def search(name: str) -> ToolStep:
    return ToolStep("search_contacts", {"name": name, "relationship": "friend"})


BOTH = "search_contacts: {name: {each: [Ada, Bo]}, relationship: friend}"


def test_a_call_for_each_value() -> None:
    both = (search("Ada"), search("Bo"))
    assert read(BOTH)[0] == both
    assert read(f"parallel: [{{{BOTH}}}]")[0] == (ParallelStep(both),)
    assert read(f"one_of: [{{{BOTH}}}, {{search_contacts: {{}}}}]")[0] == both
    # A change is made in the last of them.
    assert read(BOTH)[1] == (search("Ada"), search("Cy"))
    changed = read(BOTH, "{name: {each: [Cy, Di]}}")[1]
    assert changed == (search("Ada"), search("Cy"), search("Di"))


@every(
    ("step", "mistake"),
    [
        (
            "search_contacts: {name: {each: [Ada]}}",
            ".name.each: expected a list of two values or more, found a list of 1",
        ),
        (
            "search_contacts: {name: {each: Ada}}",
            ".name.each: expected a list of two values or more, found the text 'Ada'",
        ),
        (
            "search_contacts: {name: {each: [Ada, Bo]}, relationship: {each: [a, b]}}",
            ": only one argument of a step can use each",
        ),
        ("search_contacts: {name: {each: [Ada, 5]}}", ".name: "),
    ],
)
def test_mistakes_in_each(step: str, mistake: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        read(step)
    assert f": solutions.plain[0].search_contacts{mistake}" in str(caught.value)


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


@every(
    ("steps", "change", "tools"),
    [
        (SEARCHED, f"[{SHIFTED}]", [READ, SHIFT]),
        (SEARCHED, f"{{search_contacts: [{SHIFTED}]}}", [READ, SHIFT]),
        # It may leave out that the clock is read.
        (SHIFTED, f"{{{READ}: [], shift_timestamp: {{timestamp: 5}}}}", [SHIFT]),
    ],
)
def test_a_counterexample_reads_the_clock_as_well(
    steps: str, change: str, tools: list[str]
) -> None:
    assert scripts(steps, change)[1] == tools


def test_a_text_is_all_that_is_said() -> None:
    text = CLOCK.format(steps=SHIFTED, change="I can't: it is late.".join('""'))
    (scenario,) = read_file(text.replace("[" + SHIFTED + "]", "No.").encode(), "a", "a.yaml")
    assert scenario.solutions == {"plain": (SayStep("No."),)}
    assert scenario.counterexamples == {"other": (SayStep("I can't: it is late."),)}


@every(
    ("steps", "change", "mistake"),
    [
        (
            "say: $search_contacts",
            "[say: No.]",
            "no step before this one calls search_contacts; call it first",
        ),
        (
            "say: $get_curent_timestamp",
            "[say: No.]",
            (
                "unknown earlier call 'get_curent_timestamp'; did you mean "
                "'get_current_timestamp'? (allowed: get_current_timestamp)"
            ),
        ),
        (
            "say: $search_contact",
            "[say: No.]",
            "unknown tool 'search_contact'; did you mean 'search_contacts'?",
        ),
        (
            "say: $get_current_location",
            "[say: No.]",
            "the agent is not offered get_current_location; check tools and withheld",
        ),
        # What is left out is not called again.
        (SHIFTED, f"{{{READ}: []}}", f"no step before this one calls {READ}; call it first"),
    ],
)
def test_only_what_is_offered_and_has_no_arguments_is_called(
    steps: str, change: str, mistake: str
) -> None:
    with pytest.raises(ScenarioError) as caught:
        scripts(steps, change)
    assert str(caught.value).endswith(mistake)


def with_alternatives(*lines: str) -> dict[str, tuple[Step, ...]]:
    """Return the solutions that these steps make."""
    steps = "\n".join(f"    - {line}" for line in lines)
    text = f"""
world: phone
query: Which number has she?
answer: 12
solutions:
  plain:
{steps}
  last: {{say: 'Her number is 12, then.'}}
"""
    (scenario,) = read_file(text.encode(), "a", "a.yaml")
    return dict(scenario.solutions)


def solutions_of(*lines: str) -> dict[str, list[str]]:
    return {
        name: [
            str(step.text) if isinstance(step, SayStep) else calls_of(step)[0].tool
            for step in script
        ]
        for name, script in with_alternatives(*lines).items()
    }


def test_every_mixture_is_a_solution() -> None:
    longer = "[{get_cellular_service_status: {}}, {get_wifi_status: {}}]"
    wifi_first = f"one_of: [{{get_wifi_status: {{}}}}, {longer}]"
    other = "one_of: [{say: '12'}, {say: It is 12.}]"
    assert solutions_of(wifi_first, other) == {
        "plain": ["get_wifi_status", "12"],
        "plain (2)": ["get_wifi_status", "It is 12."],
        "plain (3)": ["get_cellular_service_status", "get_wifi_status", "12"],
        "plain (4)": ["get_cellular_service_status", "get_wifi_status", "It is 12."],
        "last": ["get_wifi_status", "Her number is 12, then."],
    }


def test_steps_may_be_left_out_and_an_argument_may_have_several_values() -> None:
    ways = solutions_of("one_of: [{get_wifi_status: {}}, []]", "say: '12'")
    assert (ways["plain"], ways["plain (2)"]) == (["get_wifi_status", "12"], ["12"])
    line = "search_contacts: {name: {one_of: [null, Ada, Bo]}, relationship: friend}"
    (call,) = calls_of(with_alternatives(line, "say: '12'")["plain"][0])
    assert (call.arguments, call.alternatives) == (
        {"relationship": "friend"},
        {"name": ("Ada", "Bo")},
    )


STATUS = "one_of: [{get_wifi_status: {}}, {get_location_service_status: {}}]"


@every(
    ("steps", "place", "mistake"),
    [
        (
            ["search_contacts: {name: {one_of: [Ada]}}", "say: '12'"],
            "7:40: solutions.plain[0].search_contacts.name.one_of",
            "expected a list of two values or more, found a list of 1",
        ),
        (
            ["search_contacts: {}", "search_contacts: {name: {one_of: [A, $search_contacts]}}"],
            "8:44: solutions.plain[1].search_contacts.name.one_of[1]",
            "alternatives for an argument are plain values; write the step with one_of",
        ),
        (
            ["search_contacts: {is_self: {one_of: [true, Ada]}}", "say: '12'"],
            "7:34: solutions.plain[0].search_contacts.is_self",
            "expected true or false, found the text 'Ada'",
        ),
        (
            ["one_of: [{say: Hi}]"],
            "7:15: solutions.plain[0].one_of",
            "expected a list of two alternatives or more, ",
        ),
        (
            ["one_of: [{get_wifi_status: {}}, {get_wifi: {}}]", "say: '12'"],
            "7:40: solutions.plain[0].one_of[1].get_wifi",
            "unknown tool 'get_wifi'; ",
        ),
        (
            [*[STATUS] * 6, "say: '12'"],
            "12:7: solutions.plain[5]",
            "the solution has more than 32 ways; use fewer alternatives",
        ),
        ([STATUS], "7:5: solutions.plain", "the last step must be finish or say"),
    ],
)
def test_mistakes_in_alternatives(steps: list[str], place: str, mistake: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        with_alternatives(*steps)
    assert f"a.yaml:{place}: {mistake}" in str(caught.value)
    mistakes = [str(problem) for problem in caught.value.mistakes]
    assert len(set(mistakes)) == len(mistakes)
