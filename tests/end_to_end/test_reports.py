"""Summary, JUnit XML and records: the same from one process and from several."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import version
from typing import Any

import pytest
import yaml
from desk import LIGHT, SWITCHING, Suite

from pytest_toolsandbox.language.error_patterns import PATTERNS
from pytest_toolsandbox.output.junit import item_properties, suite_properties
from pytest_toolsandbox.output.terminal import all_tables

MANY = (
    LIGHT
    + """
scenarios:
  right: {categories: [state_dependency, single_tool_call]}
  half: {counterexamples: {says_nothing: [{switch_lamp: {on: true}}, {say: Anything else}]}}
  wrong: {categories: [state_dependency]}
  mined: {minefields: {talks: {says: {mentions: ["on"]}}}}
  known: {marks: [xfail]}
  skipped: {marks: [skip]}
  broken: {categories: [canonicalization]}
"""
)
AGENT = """
@pytest.fixture
def agent(request):
    name = request.node.name
    if name == "broken":
        return lambda messages, tools: 1 / 0
    def agent(messages, tools):
        if name in ("wrong", "known"):
            return "No."
        if name == "half" and messages[-1]["role"] != "user":
            return "It is dark."
        return switching(messages, tools)
    return agent
"""
OPTIONS = (
    *("--sandbox-results=out/results.jsonl", "--sandbox-overwrite", "--junitxml=junit.xml"),
    "--sandbox-min-score=0.9",
)


def summary(result: pytest.RunResult) -> list[str]:
    """Return the tables of the summary, without who played and the command that plays again."""
    lines = result.outlines
    titles = [i for i, line in enumerate(lines) if line.startswith("===")]
    start = next(i for i in titles if "= toolsandbox =" in lines[i])
    end = next(i for i in titles if i > start)
    shown = lines[start + 2 : end]
    return (
        shown[: shown.index("play a failure again:")] if "play a failure again:" in shown else shown
    )


@pytest.fixture
def many(suite: Suite) -> Suite:
    suite.conftest(SWITCHING + AGENT)
    suite.write("many.scenario.yaml", MANY)
    return suite


def shown(properties: Mapping[str, object]) -> dict[str, str]:
    return {name: str(value) for name, value in properties.items()}


def test_reports_of_one_process_and_of_several(many: Suite) -> None:
    """Values are those of the records; the tables themselves are pinned in ``tests/output``."""
    records = []
    for run, option in ((many.run, "-n0"), (many.run_apart, "-n2")):
        result = run(option, *OPTIONS)
        result.assert_outcomes(passed=1, failed=3, errors=1, skipped=1, xfailed=1)
        assert result.ret == pytest.ExitCode.TESTS_FAILED
        recorded: Any = many.records("out/results.jsonl")
        missed = "min-score: all scenarios reached 0.3000, less than 0.9"
        assert summary(result) == [*all_tables(recorded), missed]
        items = {record["scenario"]: shown(item_properties([record])) for record in recorded}
        assert many.junit() == (shown(suite_properties(recorded)), {"skipped": {}, **items})
        records.append(recorded)
    for record in (*records[0], *records[1]):
        record.pop("duration", None)  # a wall time
    assert records[0] == records[1]
    assert {record["scenario"]: record["outcome"] for record in records[0]} == {
        "broken": "error",
        "half": "failed",
        "known": "failed",
        "mined": "failed",
        "right": "passed",
        "wrong": "failed",
    }


AUGMENTED = (
    LIGHT
    + """
scenarios:
  hall: {}
  attic: {categories: [single_tool_call, state_dependency, dusty]}
"""
)
AGENT_OF_VARIANTS = """
@pytest.fixture
def agent(agent, sandbox_augmentation, request):
    if sandbox_augmentation == "all_tools_available":
        return lambda messages, tools: "No."
    if sandbox_augmentation == "tool_name_scrambled" and "attic" in request.node.name:
        return lambda messages, tools: 1 / 0
    return agent
"""


@pytest.mark.parametrize("option", ["-n0", "-n2"])
def test_means_of_augmentations(suite: Suite, option: str) -> None:
    suite.conftest(AGENT_OF_VARIANTS)
    suite.write("lamps.scenario.yaml", AUGMENTED)
    names = "tool_name_scrambled,no_distraction_tools,all_tools_available"
    result = suite.run_apart(
        *(option, "--agent=oracle", f"--sandbox-augment={names}", "--junitxml=junit.xml"),
        *("--sandbox-min-score=all_tools_available=0.5", "--sandbox-results=results.jsonl"),
    )
    records: Any = suite.records()
    missed = "min-score: all_tools_available reached 0.0000, less than 0.5"
    assert summary(result) == [*all_tables(records), missed]
    properties, cases = suite.junit()
    assert properties == shown(suite_properties(records))
    assert properties["toolsandbox.variant.tool_name_scrambled.errors"] == "1"
    assert {name: case["variant"] for name, case in cases.items()} == {
        record["id"].partition("::")[2]: record["variant"] for record in records
    }


RECORD = """
record: 3
protocol: milestones
id: light.scenario.yaml::light
scenario: light
variant: null
trial: 1
summary: ""
categories: [single_tool_call, single_user_turn]
tags: []
world: desk
now: "2025-03-14T16:00:00+00:00"
tools: [switch_lamp, write_note, read_notes]
agent: counterexample
agent_settings:
  name: counterexample
  type: pytest_toolsandbox.agents.scripted:ScriptedAgent
  parameter: null
  shape: replies
cause: null
time_zone: UTC
limits: {max_messages: 30, max_calls: 15, timeout: 600}
ran_out: []
no_error_patterns: null
api_similarity: 0.0
user: scripted
feedback: false
call_format: native
outcome: failed
reason: null
scores: {score: 0.5, milestone_score: 0.5, minefield_score: 0.0}
counts: {turns: 4, messages: 7, tool_calls: 1}
milestones:
- name: light_on
  snapshot: 3
  similarity: 1.0
  reached: true
  constraints:
  - label: state.lamp
    similarity: 1.0
    reached: true
    is_guardrail: false
    unread: false
    differences: []
  nearest: null
  asks: [{label: state.lamp, expected: "{on: true}", columns: ["on"]}]
  after: []
minefields: []
protected: []
side_effects: []
exact: true
findings: []
tool_calls: [{request: 2, answer: 3, batch: 0, order: 0}]
untried_orders: []
closest_solution: [{expected: switch_lamp(on=true), message: 2}]
snapshots:
- message: 3
  changes: {lamp: {added: [{"on": true}], removed: [{"on": false}]}}
"""
NEAREST = """
snapshot: 4
constraints:
- label: says
  similarity: 0.0
  reached: false
  is_guardrail: false
  unread: false
  differences:
  - where: says
    expected: mentions on
    found: Anything else
    similarity: 0.0
    note: "missing: on"
    threshold: 1.0
broken: []
"""
PATTERNS_OF_RECORD = {
    "max_calls": 15,
    "compared_with": "solutions",
    "calls": dict.fromkeys(PATTERNS, 0),
    "scores": dict.fromkeys(PATTERNS, 1.0),
    "lowest_scores": dict.fromkeys(PATTERNS, 1.0),
    "solutions": [{"missing": 0, "wrong": 0}],
    "closest": 0,
    "words": [],
}


def test_a_record(light: Suite) -> None:
    light.run("--agent=counterexample", "--sandbox-results=results.jsonl")
    (record,) = light.records()
    digests = {f"{what}_digest" for what in ("scenario", "task", "prompt", "tools", "world")}
    expected = {**yaml.safe_load(RECORD), "error_patterns": PATTERNS_OF_RECORD}
    expected["failure_modes"] = ["wrong report"]
    assert record.keys() == expected.keys() | digests | {"start", "messages"}
    assert record["milestones"].pop()["nearest"] == yaml.safe_load(NEAREST)
    assert {name: record[name] for name in expected} == expected
    assert record["messages"][3] == {
        "sender": "execution_environment",
        "recipient": "agent",
        "visible_to": ["execution_environment", "agent"],
        "content": "null",
        "call": {"identifier": "call-0-0", "name": "switch_lamp", "arguments": '{"on": true}'},
        "trace": {
            "tool_name": "switch_lamp",
            "arguments": {"on": True},
            "result": None,
            "reads": ["lamp"],
        },
        "error": None,
    }


def test_a_record_has_all_of_a_finding(light: Suite) -> None:
    light.run("--agent=counterexample:does_nothing", "--sandbox-results=results.jsonl")
    (record,) = light.records()
    assert record["findings"] == [
        {
            "pattern": "IAC",
            "message": None,
            "call": None,
            "function": "switch_lamp",
            "argument": None,
            "expected": "switch_lamp(on=true)",
            "found": None,
            "given": False,
            "nearest": None,
            "words": "IAC switch_lamp",
        }
    ]
    assert record["error_patterns"]["words"] == ["IAC switch_lamp"]


WATCHING = """
from pathlib import Path

def pytest_runtest_logreport(report):
    if report.when == "teardown":
        print(report.nodeid, len(Path("results.jsonl").read_text().splitlines()))
"""


def test_records_are_written_as_items_finish(suite: Suite) -> None:
    suite.conftest(WATCHING)
    suite.write("light.scenario.yaml", f"trials: 2\nscenarios: {{one: , two: }}\n{LIGHT}")
    result = suite.run("--agent=oracle", "--sandbox-results=results.jsonl", "-s")
    result.stdout.fnmatch_lines(["*::one 2", "*::two 4"])


STOP = """
def stop(messages, tools): raise KeyboardInterrupt
"""
IN_PLAY = """
@pytest.fixture
def agent(agent, request): return stop if request.node.name == "two" else agent
"""
IN_CODE_WITHOUT_A_LINE = """
stop.__code__ = stop.__code__.replace(co_linetable=b"")

@pytest.fixture
def agent(agent, request):
    if request.node.name == "two": stop([], [])
    return agent
"""


@pytest.mark.parametrize("agent", [IN_PLAY, IN_CODE_WITHOUT_A_LINE])
def test_what_is_over_is_written_when_the_run_is_interrupted(suite: Suite, agent: str) -> None:
    suite.conftest(f"{STOP}{agent}")
    suite.write("light.scenario.yaml", f"scenarios: {{one: , two: , three: }}\n{LIGHT}")
    result = suite.run_apart("--agent=oracle", "--sandbox-results=results.jsonl")
    assert result.ret == pytest.ExitCode.INTERRUPTED
    assert "Traceback" not in result.stdout.str() + result.stderr.str()
    outcomes = {record["scenario"]: record["outcome"] for record in suite.records()}
    assert outcomes == {"one": "passed", "two": "not_run", "three": "not_run"}
    result.stdout.fnmatch_lines("all scenarios * 1 * 1 * 0 * 0 * 1.000*")


def test_records_lie_where_pytest_was_started_or_beside_the_ini_file(
    light: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    light.ini("sandbox_results = of_the_ini.jsonl")
    light.write("below/light.scenario.yaml", LIGHT)
    monkeypatch.chdir(light.path / "below")
    result = light.run("--agent=oracle", "-q", "light.scenario.yaml")
    result.stdout.fnmatch_lines(["*= toolsandbox =*", "all scenarios * 1.000*"])
    assert len(light.records("of_the_ini.jsonl")) == 1
    light.run("--agent=oracle", "--sandbox-results=given.jsonl", "light.scenario.yaml")
    assert len(light.records("below/given.jsonl")) == 1


STRANGE = """
@pytest.fixture
def agent():
    def agent(messages, tools):
        if len(messages) > 2:
            return "\\ud83d \\u2028 \\x00 \\u2713"
        arguments = '{"text": "\\\\ud83d", "title": "\\\\u0000"}'
        call = {"id": "1", "function": {"name": "write_note", "arguments": arguments}}
        return {"content": None, "tool_calls": [call]}
    return agent
"""


@pytest.mark.parametrize("option", ["-n0", "-n1"])
def test_strange_texts_reach_every_report(light: Suite, option: str) -> None:
    light.conftest(STRANGE)
    options = ("--sandbox-results=results.jsonl", "--junitxml=junit.xml")
    result = light.run_apart(option, *options)
    result.assert_outcomes(failed=1)
    (record,) = light.records()
    assert record["messages"][-3]["content"] == "\ufffd \u2028 \x00 \u2713"
    assert light.junit()[1]["light"]["score"] == "0.0"
    assert len((light.path / "results.jsonl").read_bytes().splitlines()) == 1


RERUNS = """
@pytest.fixture
def agent(agent, request):
    count = getattr(request.node, "execution_count", 1)
    def agent_of_the_day(messages, tools):
        if request.node.name == "raises" and count < 3:
            raise AgentError("closed")
        if request.node.name == "fails" and count < 3:
            return "Not today."
        return agent(messages, tools)
    return agent_of_the_day
"""


@pytest.mark.parametrize("option", ["-n0", "-n1"])
def test_only_the_last_run_of_an_item_counts(suite: Suite, option: str) -> None:
    suite.conftest(RERUNS)
    suite.write("many.scenario.yaml", f"scenarios: {{fails: , raises: , right: }}\n{LIGHT}")
    result = suite.run_apart(
        *("-p", "pytest_rerunfailures", "--reruns=2", option, "--agent=oracle"),
        *("--sandbox-results=results.jsonl", "--junitxml=junit.xml"),
    )
    result.assert_outcomes(passed=3)
    result.stdout.fnmatch_lines(["all scenarios * 3 * 3 * 0 * 0 * 1.000*", "*3 passed, 4 rerun*"])
    records = suite.records()
    assert [record["id"].partition("::")[2] for record in records] == ["fails", "raises", "right"]
    assert {record["outcome"] for record in records} == {"passed"}
    properties, cases = suite.junit()
    assert properties["toolsandbox.scenarios"] == "3"
    assert [case["score"] for case in cases.values()] == ["1.0"] * 3


@pytest.mark.skipif(
    int(version("pytest-rerunfailures").partition(".")[0]) < 16,
    reason="before 16, pytest-rerunfailures matches texts of errors, and no classes",
)
@pytest.mark.parametrize("embeds", [False, True], ids=["an agent", "an embedder"])
def test_outages_alone_can_be_rerun(suite: Suite, embeds: bool) -> None:
    """As the documentation shows it: a failed score is none that a rerun may mend."""
    outage = 'ProviderError("down (503)")'
    error = f"EmbedderError() from {outage}" if embeds else outage
    imports = (
        "from pytest_toolsandbox.matchers.embedding import EmbedderError\n"
        "from pytest_toolsandbox.models.errors import ProviderError\n"
    )
    suite.conftest(imports + RERUNS.replace('AgentError("closed")', error))
    suite.write("many.scenario.yaml", f"scenarios: {{fails: , raises: , right: }}\n{LIGHT}")
    once = ("--reruns=2", "--only-rerun", "ProviderError")
    result = suite.run_apart("-p", "pytest_rerunfailures", *once, "--agent=oracle")
    result.stdout.fnmatch_lines("*1 failed, 2 passed, 2 rerun*")


def test_a_rerun_that_ends_in_an_error_has_no_score(suite: Suite) -> None:
    suite.conftest(RERUNS.replace("count < 3", "count > 1").replace('"fails" and', '"raises" and'))
    suite.write("raises.scenario.yaml", LIGHT.replace('["on"]', '["off"]'))
    result = suite.run_apart(
        *("-p", "pytest_rerunfailures", "--reruns=1", "--agent=oracle", "--junitxml=junit.xml"),
        "--sandbox-results=results.jsonl",
    )
    result.stdout.fnmatch_lines("*1 error, 1 rerun*")
    assert [record["outcome"] for record in suite.records()] == ["error"]
    properties, cases = suite.junit()
    assert "toolsandbox.score" not in properties
    assert "score" not in cases["raises"]


@pytest.mark.parametrize("processes", [(), ("-n1",)])
@pytest.mark.parametrize("stop", ["raise KeyboardInterrupt", "pytest.exit('enough')"])
def test_finished_trials_of_an_item_that_is_interrupted_are_written(
    suite: Suite, stop: str, processes: tuple[str, ...]
) -> None:
    suite.conftest(
        "import pytest\n"
        "@pytest.fixture\n"
        "def agent():\n"
        "    replies = iter(['One.', 'Two.'])\n"
        "    def talk(messages, tools):\n"
        "        for reply in replies: return reply\n"
        f"        {stop}\n"
        "    return talk\n"
    )
    suite.write("light.scenario.yaml", f"{LIGHT}trials: 5\n")
    result = suite.run_apart("--sandbox-results=results.jsonl", *processes)
    assert result.ret == pytest.ExitCode.INTERRUPTED
    assert [(record["trial"], record["outcome"]) for record in suite.records()] == [
        (1, "failed"),
        (2, "failed"),
    ]
    result.stdout.fnmatch_lines("all scenarios * 1 * 0 * 1 *")
