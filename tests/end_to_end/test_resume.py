"""A run that goes on after a stop."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from desk import LIGHT, Suite, section

RESULTS = "--sandbox-results=results.jsonl"
RESUME = "--sandbox-resume=results.jsonl"
SCENARIOS = f"""
scenarios: {{one: , two: {{trials: 3}}, three: , four: }}
{LIGHT}
"""
AGENT = """
from pathlib import Path

@pytest.fixture
def agent(agent, request):
    name = request.node.name
    def played(messages, tools):
        if len(messages) == 2:
            with Path("played.txt").open("a") as file:
                file.write(f"{{name}} ")
        if name == "three":
            return "No."
        {stops}
        return agent(messages, tools)
    return played
"""
"""It fails ``three``, and may be stopped."""
STOPS = """
        if name == "two" and Path("played.txt").read_text().count("two") == 2:
            raise KeyboardInterrupt
"""


WALL_TIMES = ("duration", "usage")
"""What no two runs have alike."""


def records(suite: Suite, name: str = "results.jsonl") -> list[dict[str, Any]]:
    """Return what a run has written, but for how long it took."""
    return [
        {field: value for field, value in record.items() if field not in WALL_TIMES}
        for record in suite.records(name)
    ]


def prepared(suite: Suite, stops: str = "") -> Suite:
    suite.write("many.scenario.yaml", SCENARIOS)
    suite.conftest(AGENT.format(stops=stops.strip()))
    return suite


def played(suite: Suite) -> list[str]:
    """Return which conversations were held since it was asked last."""
    file = suite.path / "played.txt"
    names = file.read_text().split() if file.exists() else []
    file.unlink(missing_ok=True)
    return names


def whole(suite: Suite) -> Sequence[object]:
    """Return the records of a run that nothing stops."""
    prepared(suite).run("--agent=oracle", "--sandbox-results=whole.jsonl")
    played(suite)
    return records(suite, "whole.jsonl")


def stopped(suite: Suite) -> Sequence[object]:
    expected = whole(suite)
    prepared(suite, STOPS).run_apart("--agent=oracle", RESULTS)
    assert played(suite) == ["one", "two", "two"]
    outcomes = [record["outcome"] for record in records(suite)]
    assert sorted(outcomes) == ["not_run", "not_run", "passed", "passed"]
    with (suite.path / "results.jsonl").open("a") as file:
        file.write('{"record": 2, "id": "many.sc')  # as a kill leaves it
    prepared(suite)
    return expected


def test_what_is_finished_is_not_played_again(suite: Suite) -> None:
    expected = stopped(suite)
    result = suite.run("--agent=oracle", RESUME, "--junitxml=junit.xml")
    result.assert_outcomes(passed=3, failed=1)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert played(suite) == ["two", "two", "three", "four"]
    assert records(suite) == expected
    result.stdout.fnmatch_lines(
        [
            "all scenarios * 4 * 3 * 1 * 0 * 0.750 *",
            f"resume: 1 item not played, but told from {suite.path}/results.jsonl",
            "1 stored record cannot be used: *results.jsonl:5: torn: the run was stopped while *",
        ]
    )
    lines = (suite.path / "results.jsonl").read_text().splitlines()
    assert len(lines) == len(expected)  # nothing torn is left


def test_after_a_kill(suite: Suite) -> None:
    expected = whole(suite)
    killed = AGENT.format(stops="").replace('return "No."', "import os; os.kill(os.getpid(), 9)")
    suite.conftest(killed)
    suite.run_apart("--agent=oracle", RESULTS)
    assert [record["scenario"] for record in records(suite)] == ["one", "two", "two", "two"]
    played(suite)
    prepared(suite).run("--agent=oracle", RESUME)
    assert played(suite) == ["three", "four"]
    assert records(suite) == expected


def test_a_run_that_is_whole_is_told_again(suite: Suite) -> None:
    expected = whole(suite)
    result = suite.run("--agent=oracle", "--sandbox-resume=whole.jsonl", "--junitxml=junit.xml")
    result.assert_outcomes(passed=3, failed=1)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert played(suite) == []
    assert records(suite, "whole.jsonl") == expected
    assert section(result, "three").startswith("missed light_on")
    _, cases = suite.junit()
    assert cases["three"]["score"] == "0.0"


def test_another_file_becomes_whole_with_workers_too(suite: Suite) -> None:
    expected = stopped(suite)
    before = (suite.path / "results.jsonl").read_bytes()
    suite.run("--agent=oracle", RESUME, "--sandbox-results=new.jsonl")
    assert records(suite, "new.jsonl") == expected
    assert (suite.path / "results.jsonl").read_bytes() == before
    played(suite)
    result = suite.run_apart("--agent=oracle", RESUME, "-n2")
    result.assert_outcomes(passed=3, failed=1)
    assert sorted(played(suite)) == ["four", "three", "two", "two"]
    assert records(suite) == expected


def test_errors_are_played_again(suite: Suite) -> None:
    expected = whole(suite)
    prepared(suite, "if name != 'one': raise AgentError('closed')").run("--agent=oracle", RESULTS)
    played(suite)
    assert [record["outcome"] for record in records(suite)].count("error") == 4
    prepared(suite).run("--agent=oracle", RESUME).assert_outcomes(passed=3, failed=1)
    assert "one" not in played(suite)
    assert records(suite) == expected


def test_an_error_takes_no_finished_trial_away(suite: Suite) -> None:
    expected = whole(suite)
    suite.conftest("@pytest.fixture\ndef agent():\n    raise OSError('closed')")
    run = suite.run("--agent=oracle", "--sandbox-resume=whole.jsonl")
    run.assert_outcomes(errors=4)
    assert records(suite, "whole.jsonl") == expected


def test_a_scenario_that_is_new_or_changed_is_played(suite: Suite) -> None:
    whole(suite)
    text = (suite.path / "many.scenario.yaml").read_text()
    changed = text.replace("four:", "four: {user: {opening: 'Light, please.'}}, five:")
    suite.write("many.scenario.yaml", changed)
    result = suite.run("--agent=oracle", "--sandbox-resume=whole.jsonl")
    result.assert_outcomes(passed=4, failed=1)
    assert played(suite) == ["four", "five"]
    lines = [line for line in result.outlines if line.startswith("resume: ")]
    assert lines == [
        f"resume: 3 items not played, but told from {suite.path}/whole.jsonl",
        "resume: 1 item played again, whose scenario, tools or world are others now",
    ]
    assert len(records(suite, "whole.jsonl")) == 7


REMEDY = "give the same options, or play all without --sandbox-resume"


@pytest.mark.parametrize(
    ("option", "change"),
    [
        ("--sandbox-feedback=on", "feedback was false, is true"),
        ("--agent=unhelpful", "agent_settings.name was 'oracle', is 'unhelpful'"),
        ("--sandbox-prompt=prompt.txt", "prompt_digest is another one"),
        ("--sandbox-call-format=text", "call_format was 'native', is 'text'"),
        ("--sandbox-user=desk_user:told", "user was 'scripted', is 'desk_user:told'"),
    ],
)
@pytest.mark.parametrize("workers", ["-n0", "-n1"])
def test_another_configuration_is_refused(
    suite: Suite, option: str, change: str, workers: str
) -> None:
    expected = whole(suite)
    if option.startswith("--agent"):
        suite.conftest("")
    suite.write("prompt.txt", "You are a lamp.")
    suite.write("desk_user.py", "def told(messages):\n    return 'Well?'")
    run = suite.run_apart if workers == "-n1" or "user" in option else suite.run
    agent = () if option.startswith("--agent") else ("--agent=oracle",)
    result = run("--sandbox-resume=whole.jsonl", *agent, option, workers)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    path = suite.path / "whole.jsonl"
    text = f"--sandbox-resume: {path} is of another configuration: {change} "
    (line,) = [line for line in result.errlines if line.startswith("ERROR")]
    assert line == f"ERROR: {text}(many.scenario.yaml::one); {REMEDY}"
    assert played(suite) == []
    assert records(suite, "whole.jsonl") == expected


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_without_an_earlier_run_everything_is_played(suite: Suite, workers: str) -> None:
    prepared(suite)
    command = ("--agent=oracle", RESUME, workers)
    result = suite.run_apart(*command)
    result.assert_outcomes(passed=3, failed=1)
    path = suite.path / "results.jsonl"
    lines = [line for line in result.outlines if line.startswith("resume: ")]
    assert lines == [f"resume: {path} had no records, so everything was played"]
    assert len(records(suite)) == 6
    played(suite)
    suite.run_apart(*command)
    assert played(suite) == []


def test_contradictory_options_and_a_file_without_records(suite: Suite) -> None:
    whole(suite)
    suite.write("empty.jsonl", "\n")
    nothing = "it has no records; was the run that should write them stopped?"
    for name, options, text in [
        ("whole", ["--sandbox-rejudge=whole.jsonl"], "--sandbox-rejudge plays nothing; give one"),
        (
            "whole",
            ["--sandbox-overwrite"],
            "--sandbox-overwrite would replace the file; leave it out",
        ),
        ("empty", [], f"{suite.path}/empty.jsonl: {nothing}"),
    ]:
        result = suite.run("--agent=oracle", f"--sandbox-resume={name}.jsonl", *options)
        assert result.errlines[0] == f"ERROR: --sandbox-resume: {text}"


def test_the_shard_is_that_of_today(suite: Suite) -> None:
    whole(suite)
    shard = ("--sandbox-shard=1/2", "--sandbox-results=1.jsonl")
    suite.run("--agent=oracle", "--sandbox-resume=whole.jsonl", *shard)
    assert played(suite) == []
    assert {json.dumps(record["shard"]["number"]) for record in records(suite, "1.jsonl")} == {"1"}


REPLIES = "def replies(messages, tools):\n    return 'No.'"
CALLED = "def replies(messages, tools):\n    raise RuntimeError('called')"


def test_what_is_replayed_can_be_resumed(suite: Suite) -> None:
    suite.write("many.scenario.yaml", SCENARIOS)
    suite.write("mine.py", REPLIES)
    mine = ("--agent=mine:replies", "-p", "no:cacheprovider")
    suite.run_apart(*mine, RESULTS, "--sandbox-record=new").assert_outcomes(failed=4)
    expected = records(suite)
    path = suite.path / "results.jsonl"
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:3]))
    suite.write("mine.py", CALLED)
    suite.run_apart(*mine, RESUME, "--sandbox-record=replay").assert_outcomes(failed=4)
    assert records(suite) == expected
