"""Who is tested: what ``--agent`` and its ini twins can name."""

from __future__ import annotations

import pytest
from desk import LIGHT, Suite, section

MODULE = """
from functools import partial

def lit(messages, tools):
    if messages[-1]["role"] == "tool":
        return "The lamp is on."
    call = {"id": "1", "function": {"name": "switch_lamp", "arguments": '{"on": true}'}}
    return {"content": None, "tool_calls": [call]}

async def asynchronous(messages, tools):
    return lit(messages, tools)

made = []

def build():
    made.append(1)
    return lit

class Agent:
    def __call__(self, messages, tools):
        return lit(messages, tools)

class Talker:
    def run_turn(self, message, toolbox):
        assert toolbox.call("switch_lamp", {"on": True}) == "null"
        return "The lamp is on."

async def turn(message, toolbox):
    await toolbox.call_async("switch_lamp", {"on": True})
    return "The lamp is on."

def outside(message, toolbox):
    toolbox.other_calls["shell"] += 2
    return "It is on."

"""


@pytest.mark.parametrize(
    ("option", "outcome"),
    [
        ("oracle", "passed"),
        ("counterexample:does_nothing", "failed"),
        ("mine:lit", "passed"),
        ("mine:asynchronous", "passed"),
        ("mine:build", "passed"),
        ("mine:Agent", "passed"),
        ("mine:Talker", "passed"),
        ("mine:turn", "passed"),
        ("mine:Agent.__name__", "errors"),
    ],
)
def test_agents(light: Suite, option: str, outcome: str) -> None:
    light.write("mine.py", MODULE)
    result = light.run(f"--agent={option}", "--sandbox-results=results.jsonl")
    result.assert_outcomes(**{outcome: 1})
    (record,) = light.records()
    assert record["agent"] == option


def test_a_session_scoped_fixture_returns_a_factory(light: Suite) -> None:
    light.write("mine.py", MODULE)
    light.write("dark.scenario.yaml", (light.path / "light.scenario.yaml").read_bytes())
    light.conftest(
        "import mine, pytest\n\n@pytest.fixture(scope='session')\ndef agent():\n"
        "    return lambda: mine.Talker()\n"
    )
    light.run("--sandbox-call-format=text").assert_outcomes(passed=2)


def test_calls_of_other_tools_are_reported(light: Suite) -> None:
    light.write("mine.py", MODULE)
    result = light.run("--agent=mine:outside", "--sandbox-results=results.jsonl")
    page = section(result, "light")
    assert page.endswith("\n\ncalls of tools that are not the scenario's\n  shell 2")
    told = "calls of tools that are no scenario's, which nothing here sees: shell 2"
    result.stdout.fnmatch_lines([told])
    (record,) = light.records()
    assert record["other_calls"] == {"shell": 2}


def test_the_named_counterexample_is_played(light: Suite) -> None:
    page = section(light.run("--agent=counterexample:does_nothing"), "light")
    assert "[ 2] agent -> user         No." in page


def test_a_factory_makes_an_agent_for_each_scenario(light: Suite) -> None:
    light.write("mine.py", MODULE)
    light.write("dark.scenario.yaml", (light.path / "light.scenario.yaml").read_bytes())
    light.conftest(
        "def pytest_unconfigure():\n    import mine\n    print('made', len(mine.made))\n"
    )
    light.run("--agent=mine:build", "-s").stdout.fnmatch_lines("made 2")


@pytest.mark.parametrize(
    ("option", "line"),
    [
        (
            "oracel",
            (
                "oracel: there is no such agent; did you mean 'oracle'? (allowed: oracle[:NAME], "
                "counterexample[:NAME], unhelpful, human, claude, gemini, gpt, house, "
                "provider/model, module:attribute, claude-code, codex, cmd:PROGRAM, http://HOST/PATH)"
            ),
        ),
        (
            "counterexample:says_nothin",
            (
                "counterexample:says_nothin: scenario 'light': unknown counterexample "
                "'says_nothin'; did you mean 'says_nothing'? (allowed: says_nothing, does_nothing)"
            ),
        ),
        ("mine:bild", "mine:bild: mine has no 'bild'; did you mean 'build'?"),
    ],
)
def test_mistakes_are_errors_of_one_line(light: Suite, option: str, line: str) -> None:
    light.ini("sandbox_aliases = house = openai/our-model")
    light.write("mine.py", MODULE)
    result = light.run(f"--agent={option}", "--sandbox-results=results.jsonl")
    result.assert_outcomes(errors=1)
    assert section(result, "ERROR at setup of light") == f"--agent={line}"
    (record,) = light.records()
    assert record["outcome"] == "error"
    assert record["reason"] == f"--agent={line}"


@pytest.mark.parametrize("option", ["oracle", "counterexample"])
def test_a_scenario_without_a_script_cannot_be_played_by_one(suite: Suite, option: str) -> None:
    suite.write(
        "light.scenario.yaml",
        "{world: desk, user: {opening: Hello}, protected: [note]}",
    )
    result = suite.run(f"--agent={option}")
    result.assert_outcomes(errors=1)
    assert section(result, "ERROR at setup of light") in (
        "--agent=oracle: scenario 'light' has no solutions for the oracle; write some",
        "--agent=counterexample: scenario 'light' has no counterexamples",
    )


def test_only_scenarios_have_scripts(suite: Suite) -> None:
    suite.write("test_mine.py", "def test(agent): agent([], [])")
    result = suite.run("--agent=oracle")
    result.assert_outcomes(failed=1)
    line = "--agent=oracle plays a script of a scenario, and there is no scenario"
    assert f"AgentError: {line}" in result.stdout.str()


def test_ini_names_the_agent_and_the_command_line_another_one(light: Suite) -> None:
    light.ini("sandbox_agent = oracle")
    light.run().assert_outcomes(passed=1)
    light.run("--agent=counterexample").assert_outcomes(failed=1)


def test_a_fixture_that_replaces_the_named_agent_is_reported(light: Suite) -> None:
    light.conftest("@pytest.fixture\ndef agent(): return lambda messages, tools: 'No.'")
    line = "the fixture 'agent' of a conftest.py played 1 item, not --agent=oracle"
    assert line in light.run("--agent=oracle").stdout.str()
    assert line[:30] not in light.run().stdout.str()
    light.conftest("@pytest.fixture\ndef agent(agent): return agent")
    assert line[:30] not in light.run("--agent=oracle").stdout.str()


def test_the_short_summary_explains_a_wrong_option(light: Suite) -> None:
    result = light.run("--agent=nobody", "-rE")
    (line,) = (line for line in result.outlines if line.startswith("ERROR light"))
    assert line.startswith("ERROR light.scenario.yaml::light - --agent=nobody: there is no")


PROMPTED = """
@pytest.fixture
def agent():
    def told(messages, tools):
        return messages[0]["content"]

    return told
"""


@pytest.mark.parametrize(
    ("arguments", "ini", "own", "prompt"),
    [
        ((), (), "", "You act for the user"),
        ((), (), "prompt: Own.", "Own."),
        (("--sandbox-prompt=given.txt",), (), "", "Given."),
        (("--sandbox-prompt=given.txt",), (), "prompt: Own.", "Given."),
        ((), ("sandbox_prompt = given.txt",), "", "Given."),
        ((), ("sandbox_prompt = given.txt",), "prompt: Own.", "Own."),
    ],
)
def test_the_system_prompt(
    suite: Suite, arguments: tuple[str, ...], ini: tuple[str, ...], own: str, prompt: str
) -> None:
    suite.conftest(PROMPTED)
    suite.ini(*ini)
    suite.write("given.txt", "Given.\n")
    suite.write("told.scenario.yaml", f"{LIGHT}\n{own}")
    suite.run("told.scenario.yaml", "--sandbox-results=results.jsonl", *arguments)
    (record,) = suite.records()
    assert record["messages"][0]["content"].startswith(prompt)
    assert record["messages"][2]["content"] == record["messages"][0]["content"]


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (None, "there is no file given.txt"),
        (b" \n", "given.txt is empty"),
        (b"\xff", "given.txt cannot be read: it is not text in UTF-8"),
    ],
)
def test_a_prompt_that_cannot_be_read(suite: Suite, content: bytes | None, line: str) -> None:
    if content is not None:
        suite.write("given.txt", content)
    result = suite.run("--agent=oracle", "--sandbox-prompt=given.txt")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: --sandbox-prompt: {line}"])
