"""``toolsandbox import chat``: conversations of other programs, which scenarios then judge."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from command_line import Run

from pytest_toolsandbox.records.reading import read_records

SCENARIOS = """
world: phone
tools: [get_wifi_status, set_wifi_status]
state: {setting: {wifi: false}}
scenarios:
  turns_on:
    summary: The wifi is off, and the user wants it on.
    user: {opening: Please turn on the wifi.}
    milestones: {wifi_on: {state: {setting: {wifi: true}}}}
    solutions: {right: [set_wifi_status: {on: true}, say: It is on.]}
  asks:
    summary: The user asks whether the wifi is on.
    guardrails: none
    user: {opening: Is the wifi on?}
    milestones: {told: {guardrails: none, says: {contains: "off"}}}
    solutions: {right: [get_wifi_status: {}, say: It is off.]}
"""


def chat(opening: str, tool: str, arguments: dict[str, Any], result: str, end: str) -> str:
    function = {"name": tool, "arguments": json.dumps(arguments)}
    messages = [
        {"role": "user", "content": opening},
        {"role": "assistant", "content": "", "tool_calls": [{"id": "c", "function": function}]},
        {"role": "tool", "tool_call_id": "c", "content": result},
        {"role": "assistant", "content": end},
    ]
    return json.dumps({"model": "small", "messages": messages})


TURNS_ON = chat("Please turn on the wifi.", "set_wifi_status", {"on": True}, "null", "It is on.")
LOOKS_ONLY = chat("Please turn on the wifi.", "get_wifi_status", {}, "false", "It is on.")
OTHER_WORLD = chat("Please turn on the wifi.", "get_wifi_status", {}, "true", "It is on.")
ASKS = chat("Is the wifi on?", "get_wifi_status", {}, "true", "It is off today.")

FOUR = """\
traces.records.jsonl: 4 records of 2 scenarios
traces.jsonl:3: message 3: get_wifi_status answered 'true', and the world answers 'false'
traces.jsonl:4: message 3: get_wifi_status answered 'true', and the world answers 'false'
2 conversations of another world: its state is unknown from the first difference on
next: pytest scenarios --sandbox-rejudge=traces.records.jsonl
"""
ONE_OF_THREE = """\
r.jsonl: 1 record of 1 scenario
traces.jsonl:3: message 3: get_wifi_status answered 'true', and the world answers 'false'
1 conversation of another world: its state is unknown from the first difference on
traces.jsonl:1: no scenario begins with 'Hello?'; {how}
traces.jsonl:2: this is not JSON: {json}
left out: 2 conversations
next: pytest scenarios --sandbox-rejudge=r.jsonl
""".format(
    how='name it with --scenario, or in a field "scenario" of the trace',
    json="Expecting property name enclosed in double quotes: line 1 column 2 (char 1)",
)


@pytest.fixture
def traces(pytester: pytest.Pytester) -> Path:
    """The path of a file of conversations; the current folder is its own, and has scenarios."""
    folder = pytester.path
    (folder / "scenarios").mkdir()
    (folder / "scenarios/wifi.scenario.yaml").write_text(SCENARIOS, encoding="utf-8")
    return folder / "traces.jsonl"


def test_records_are_judged_by_scenarios(traces: Path, run: Run, pytester: pytest.Pytester) -> None:
    lines = [TURNS_ON, LOOKS_ONLY, OTHER_WORLD, ASKS]
    traces.write_text("\n".join(lines), encoding="utf-8")
    assert run("import", "chat", "traces.jsonl", "scenarios") == (
        0,
        FOUR,
        "",
    )
    stored = read_records(traces.with_suffix(".records.jsonl")).records
    name = "scenarios/wifi.scenario.yaml::turns_on"
    assert {number: r["outcome"] for number, r in stored[name].items()} == dict.fromkeys(
        (1, 2, 3), "error"
    )
    result = pytester.runpytest_inprocess(
        *("scenarios", "--sandbox-rejudge=traces.records.jsonl", "-p", "no:cacheprovider")
    )
    result.assert_outcomes(errors=1, passed=1)
    result.stdout.fnmatch_lines(
        [
            "1 of 3 trials could not be scored*; trial 3: the state is unknown from message 3 on*",
            "*^ get_wifi_status answered 'true', and the world answers 'false'",
            "trial 2: missed wifi_on*",
            "agent imported (small), *",
        ]
    )
    result.stdout.no_fnmatch_line("judge: *")


def test_a_scenario_is_proposed_from_an_imported_conversation(traces: Path, run: Run) -> None:
    traces.write_text(f"{TURNS_ON}\n{OTHER_WORLD}", encoding="utf-8")
    run("import", "chat", "traces.jsonl", "scenarios")
    proposed = run("propose", "traces.records.jsonl")
    assert proposed.status == 0
    assert "state: {setting: {wifi: true, " in proposed.out
    assert "conversation_2: left out, because it was in another world" in proposed.err
    assert "turns_on: 7 of 7 mutants died" in proposed.err


def test_what_is_left_out_is_listed(traces: Path, run: Run) -> None:
    bad = json.dumps({"messages": [{"role": "user", "content": "Hello?"}]})
    traces.write_text(f"{bad}\n{{\n{ASKS}", encoding="utf-8")
    assert run("import", "chat", "traces.jsonl", "scenarios", "--out=r.jsonl") == (
        1,
        ONE_OF_THREE,
        "",
    )


def test_a_named_scenario_may_begin_with_other_words(
    traces: Path, run: Run, pytester: pytest.Pytester
) -> None:
    traces.write_text(TURNS_ON.replace("Please", "Hey,"), encoding="utf-8")
    assert run("import", "chat", "traces.jsonl", "--scenario=turns_on").status == 0
    result = pytester.runpytest_inprocess(
        *("scenarios", "--sandbox-rejudge=traces.records.jsonl", "-p", "no:cacheprovider")
    )
    result.assert_outcomes(passed=1, skipped=1)


def test_the_page_shows_what_is_printed() -> None:
    page = Path(__file__).parents[2].joinpath("docs/import-traces.md").read_text(encoding="utf-8")
    command = "$ toolsandbox import chat traces.jsonl scenarios"
    assert f"{command}\n{FOUR}" in page
    assert f"{command} --out=r.jsonl\n{ONE_OF_THREE}" in page


def test_nothing_is_written_without_a_record(traces: Path, run: Run) -> None:
    traces.write_text("{", encoding="utf-8")
    printed = run("import", "chat", "traces.jsonl", "scenarios")
    assert printed.lines[-1] == "traces.records.jsonl was not written: there is no record"
    assert not traces.with_suffix(".records.jsonl").exists()


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["absent.jsonl", "scenarios"], "absent.jsonl: cannot be read: No such file or directory"),
        (["traces.jsonl", "empty"], "without scenarios, nothing can be judged; name their files"),
        (["traces.jsonl", "--out=traces.jsonl"], "cannot write to traces.jsonl: it is read, too"),
    ],
)
def test_what_cannot_be_imported(
    arguments: list[str], problem: str, traces: Path, run: Run
) -> None:
    traces.write_text(ASKS, encoding="utf-8")
    (traces.parent / "empty").mkdir()
    printed = run("import", "chat", *arguments)
    assert printed.status == 1
    assert printed.err.startswith(problem)
