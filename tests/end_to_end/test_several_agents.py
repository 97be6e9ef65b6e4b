"""Several agents and prompts in one run: each plays every scenario, as an item of its own."""

from __future__ import annotations

import re

import pytest
from desk import LIGHT, SWITCHING, Suite

from pytest_toolsandbox.__main__ import main

AGENTS = (
    SWITCHING
    + """
import threading

meeting = threading.Barrier(4)


def refusing(messages, tools):
    return "No."


def meeting_one(messages, tools):
    if messages[-1]["role"] != "tool":
        meeting.wait(300)
    return switching(messages, tools)


def meeting_other(messages, tools):
    return meeting_one(messages, tools)


def echoing(messages, tools):
    return messages[0]["content"][:9]
"""
)
TWO = ("--agent=mine:switching", "--agent=mine:refusing")
BOTH = {"[mine:switching]": "passed", "[mine:refusing]": "failed"}
BY_ANOTHER = """def agent(which): import mine; return getattr(mine, which)
@pytest.fixture(scope="session")
def which(sandbox_agent): return sandbox_agent[5:]
"""
RESULTS = "--sandbox-results=results.jsonl"
IDS = ("light.scenario.yaml::light[mine:switching]", "light.scenario.yaml::light[mine:refusing]")


@pytest.fixture
def light(suite: Suite) -> Suite:
    suite.write("mine.py", AGENTS)
    suite.write("light.scenario.yaml", LIGHT)
    return suite


def test_each_agent_plays_every_scenario_with_each_prompt(light: Suite) -> None:
    light.write("brief.txt", "Be brief.")
    light.write("other/brief.txt", "Be so brief.")
    light.write("long.md", "Take your time.")
    prompts = [f"--sandbox-prompt={name}" for name in ("brief.txt", "long.md")]
    result = light.run(*TWO, *prompts, RESULTS, "--junitxml=junit.xml")
    result.assert_outcomes(passed=2, failed=2)
    result.stdout.fnmatch_lines(
        [
            "mine:refusing * 2 * 0 * 2 * 0 *",
            "mine:switching * 2 * 2 * 0 * 0 *",
            "",
            "[[]brief[]] * 2 * 1 * 1 *",
            "[[]long[]] * 2 * 1 * 1 *",
            "",
            "mine:refusing [[]brief[]] * 1 * 0 *",
            "mine:refusing [[]long[]] * 1 * 0 *",
            "mine:switching [[]brief[]] * 1 * 1 *",
            "mine:switching [[]long[]] * 1 * 1 *",
        ],
        consecutive=True,
    )
    records = {record["id"].partition("::")[2]: record for record in light.records()}
    assert {*records} == {
        f"light[mine:{agent}-{prompt}]"
        for agent in ("switching", "refusing")
        for prompt in ("brief", "long")
    }
    first = records["light[mine:switching-brief]"]
    settings = first["agent_settings"]
    assert (first["agent"], settings["label"]) == ("mine:switching", "mine:switching")
    assert settings["parameter"] == "brief"
    assert len({record["prompt_digest"] for record in records.values()}) == 2
    assert light.junit()[0]["toolsandbox.agent.mine:switching.passed"] == "2"


def test_prompts_alone_and_a_scenario_with_its_own(light: Suite) -> None:
    light.write("own.scenario.yaml", f"prompt: Own words.\n{LIGHT}")
    light.write("a/short.txt", "Be short.")
    light.write("b/short.txt", "Be shorter.")
    light.ini("sandbox_prompt =", "  a/short.txt", "  b/short.txt")
    light.run("--agent=mine:echoing", RESULTS).assert_outcomes(failed=3)
    openings = {record["id"]: record["messages"][2]["content"] for record in light.records()}
    assert openings == {
        "light.scenario.yaml::light[a/short.txt]": "Be short.",
        "light.scenario.yaml::light[b/short.txt]": "Be shorte",
        "own.scenario.yaml::own": "Own words",
    }


def test_agents_play_at_the_same_time(light: Suite) -> None:
    light.write("more.scenario.yaml", LIGHT)
    both = ("--agent=mine:meeting_one", "--agent=mine:meeting_other")
    result = light.run(*both, "--sandbox-concurrency=4", "-v")
    result.assert_outcomes(passed=4)
    order = re.findall(r"(\w+\[mine:\w+\]) PASSED", result.stdout.str())
    assert order == [f"{n}[mine:meeting_{w}]" for w in ("one", "other") for n in ("light", "more")]


@pytest.mark.parametrize(
    ("fixture", "names"),
    [
        ("def agent(agent): return agent", BOTH),
        ("def agent(request): return request.getfixturevalue('agent')", BOTH),
        ("def agent(): import mine; return mine.refusing", {"": "failed"}),
        ("def agent(sandbox_agent): import mine; return getattr(mine, sandbox_agent[5:])", BOTH),
        (BY_ANOTHER, BOTH),
    ],
)
def test_a_fixture_wraps_each_or_stands_for_all(
    light: Suite, fixture: str, names: dict[str, str]
) -> None:
    light.conftest(f"import pytest\n@pytest.fixture(scope='session')\n{fixture}")
    light.run(*TWO, RESULTS)
    records = light.records()
    outcomes = {f"light{name}": outcome for name, outcome in names.items()}
    assert {record["id"].partition("::")[2]: record["outcome"] for record in records} == outcomes
    if "sandbox_agent" in fixture:
        parameters = {
            (record["agent"], record["agent_settings"]["parameter"]) for record in records
        }
        assert parameters == {("fixture", "mine:switching"), ("fixture", "mine:refusing")}


def test_a_fixture_reads_its_own_parameters(light: Suite) -> None:
    light.conftest(
        "import pytest, mine\n"
        "@pytest.fixture(scope='session', params=['switching', 'refusing'])\n"
        "def agent(request): return getattr(mine, request.param)"
    )
    result = light.run("--agent=oracle", "--agent=unhelpful")
    result.assert_outcomes(passed=1, failed=1)
    text = "the fixture 'agent' of a conftest.py played 2 items, not --agent=oracle, unhelpful"
    result.stdout.fnmatch_lines([text])


def test_a_test_of_ones_own_is_given_each(light: Suite) -> None:
    light.write("test_own.py", "def test_own(agent): assert agent([], []) != 'No.'")
    result = light.run("--agent=mine:echoing", "--agent=mine:refusing", "test_own.py")
    result.assert_outcomes(failed=2)


def test_cassettes_are_those_of_each_agent_alone(light: Suite) -> None:
    light.run(*TWO, "--sandbox-record=new").assert_outcomes(passed=1, failed=1)
    light.write("mine.py", "switching = refusing = None")
    light.run("--agent=mine:switching", "--sandbox-record=replay").assert_outcomes(passed=1)


def test_a_run_goes_on_with_what_each_lacks(light: Suite) -> None:
    light.run(*TWO, RESULTS)
    lines = (light.path / "results.jsonl").read_text().splitlines(keepends=True)
    light.write("results.jsonl", lines[0])
    result = light.run(*TWO, "--sandbox-resume=results.jsonl")
    result.stdout.fnmatch_lines(["resume: 1 item not played, but told from *"])
    assert sorted(record["id"] for record in light.records()) == sorted(IDS)


def test_shards_are_merged_and_a_baseline_compares_each_agent_with_itself(light: Suite) -> None:
    for number in (1, 2):
        light.run(*TWO, f"--sandbox-shard={number}/2", f"--sandbox-results={number}.jsonl")
    first, other, both, baseline = (
        str(light.path / f"{name}.jsonl") for name in ("1", "2", "both", "baseline")
    )
    assert main(["merge", first, other, "-o", both]) == 0
    assert main(["baseline", "add", both, "--file", baseline]) == 0
    light.write("mine.py", AGENTS.replace('"No."', "switching(messages, tools)"))
    result = light.run(*TWO, f"--sandbox-baseline={baseline}")
    result.stdout.fnmatch_lines(["* 0/1 * 1/1 * light[[]mine:refusing[]]", "baseline: *"])


def test_the_brief_plays_an_agent_again_alone(light: Suite) -> None:
    light.run(*TWO, "--sandbox-brief=brief.md")
    text = (light.path / "brief.md").read_text()
    assert "    pytest light.scenario.yaml::light --agent=mine:refusing\n" in text
