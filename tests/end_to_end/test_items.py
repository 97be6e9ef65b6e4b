"""A scenario is an item like any other: real fixtures, overriding, parameters."""

from __future__ import annotations

from desk import LIGHT, Suite


def test_passes_and_fails_with_an_agent(suite: Suite) -> None:
    suite.write("scenarios/desk/light.yaml", LIGHT)
    suite.write("other.scenario.yml", f"scenarios: {{one: {{}}, two: {{}}}}\n{LIGHT}")
    suite.run("--agent=oracle").assert_outcomes(passed=3)
    suite.run("--agent=counterexample").assert_outcomes(failed=3)
    result = suite.run("--agent=oracle", "--collect-only", "-q")
    assert result.outlines[:3] == [
        "other.scenario.yml::one",
        "other.scenario.yml::two",
        "scenarios/desk/light.yaml::light",
    ]


def test_the_summary_is_shown_where_scenarios_are_listed(light: Suite) -> None:
    light.write("other.scenario.yaml", f"summary: Let there be light.\n{LIGHT}")
    result = light.run("--collect-only", "-v")
    result.stdout.fnmatch_lines(
        [
            "*<ScenarioFile light.scenario.yaml>",
            "*<ScenarioItem light>",
            "*<ScenarioFile other.scenario.yaml>",
            "*<ScenarioItem other>",
            "*Let there be light.",
        ],
        consecutive=True,
    )


def test_beside_python_tests(light: Suite) -> None:
    light.write("test_python.py", "def test(agent): assert agent([], []) == 'On.'")
    light.conftest("@pytest.fixture\ndef agent(): return lambda messages, tools: 'On.'")
    light.run().assert_outcomes(passed=1, failed=1)


def test_without_an_agent_it_is_skipped_with_the_reason(light: Suite) -> None:
    result = light.run("-rs")
    result.assert_outcomes(skipped=1)
    result.stdout.fnmatch_lines(
        "SKIPPED * no agent: give --agent=NAME, or define a fixture named 'agent' in a conftest.py"
    )
    result.stdout.fnmatch_lines("1 scenario skipped without an agent: give --agent=NAME")


AGENT_BELOW = """
import pytest

@pytest.fixture
def agent(agent):
    def better(messages, tools):
        if messages[-1]["role"] == "tool":
            return "The lamp is on."
        return agent(messages, tools)
    return better
"""


def test_agent_is_overridden_below_a_conftest(light: Suite) -> None:
    light.write("deep/light.scenario.yaml", LIGHT)
    light.write("deep/conftest.py", AGENT_BELOW)
    result = light.run("--agent=counterexample", "-v")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines("deep/light.scenario.yaml::light PASSED*")


SCOPES = """
order = []

def scoped(scope):
    @pytest.fixture(scope=scope)
    def fixture(request):
        order.append(scope)
        yield request.node.name
        order.append(f"end of {scope}")
    return fixture

session, package, module, cls = map(scoped, ("session", "package", "module", "class"))

@pytest.fixture
def agent(agent, session, package, module, cls, tmp_path, monkeypatch):
    assert module == "light.scenario.yaml"
    order.append("agent")
    yield agent
    order.append("end of agent")

def pytest_unconfigure():
    print(order)
"""


def test_fixtures_of_every_scope(suite: Suite) -> None:
    suite.conftest(SCOPES)
    suite.write("light.scenario.yaml", f"scenarios: {{one: {{}}, two: {{}}}}\n{LIGHT}")
    result = suite.run("--agent=oracle", "-s")
    result.assert_outcomes(passed=2)
    agent = ["agent", "end of agent"]
    per_item = ["class", *agent, "end of class"]
    start, end = ["session", "package", "module"], ["end of module", "end of package"]
    order = str([*start, *per_item, *per_item, *end, "end of session"])
    assert order in result.stdout.str()


PARAMETRIZED = """
@pytest.fixture(params=["says", "does"], scope="module")
def agent(request):
    def agent(messages, tools):
        if request.param == "says" or messages[-1]["role"] == "tool":
            return "The lamp is on."
        call = {"id": "1", "function": {"name": "switch_lamp", "arguments": '{"on": true}'}}
        return {"content": None, "tool_calls": [call]}
    return agent
"""


def test_parametrized_agent(light: Suite) -> None:
    light.conftest(PARAMETRIZED)
    result = light.run("-v", "--sandbox-results=results.jsonl")
    result.stdout.fnmatch_lines(
        ["light.scenario.yaml::light?says? FAILED*", "light.scenario.yaml::light?does? PASSED*"]
    )
    assert [record["id"] for record in light.records()] == [
        "light.scenario.yaml::light[does]",
        "light.scenario.yaml::light[says]",
    ]
    settings = [record["agent_settings"] for record in light.records()]
    assert [setting["parameter"] for setting in settings] == ["does", "says"]
    assert {setting["type"] for setting in settings} == {"conftest:agent.<locals>.agent"}
    result.stdout.fnmatch_lines(
        ["?does?                1     1     0*", "?says?                1     0     1*"]
    )
    light.run("-k", "does").assert_outcomes(passed=1, deselected=1)
    light.run("light.scenario.yaml::light[does]").assert_outcomes(passed=1)


def test_what_the_agent_logs_stands_below_the_page(light: Suite) -> None:
    light.conftest(
        "import logging\n"
        "@pytest.fixture\n"
        "def agent(agent):\n"
        "    def logged(messages, tools):\n"
        "        logging.getLogger('mine').warning('asked')\n"
        "        return agent(messages, tools)\n"
        "    return logged\n"
    )
    result = light.run("--agent=counterexample")
    result.stdout.fnmatch_lines(
        ["missed user_told*", "*Captured log setup*", "WARNING *mine*asked"]
    )


def test_a_plan_plays_nothing(light: Suite) -> None:
    light.conftest("@pytest.fixture\ndef agent(): return lambda messages, tools: 1 / 0")
    for option in ("--setup-plan", "--setup-only"):
        result = light.run(option)
        result.assert_outcomes()
        result.stdout.fnmatch_lines("*SETUP    F agent*")
        result.stdout.no_fnmatch_line("*= toolsandbox =*")


def test_ini_says_which_files_hold_scenarios(suite: Suite) -> None:
    suite.ini("scenario_files =", "  *.story", "  checks/*.yaml")
    for path in ("a.story", "checks/b.yaml", "c.scenario.yaml", "scenarios/d.yaml"):
        suite.write(path, LIGHT)
    result = suite.run("--agent=oracle", "--collect-only", "-q")
    assert result.outlines[:3] == ["a.story::a.story", "checks/b.yaml::b", ""]
