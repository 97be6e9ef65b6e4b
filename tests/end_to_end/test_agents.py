"""Which agent is tested: what ``--agent`` and its ini twins can name, and which prompt it gets."""

from __future__ import annotations

import pytest
from desk import LIGHT, Suite, section

MODULE = """
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
RESULTS = "--sandbox-results=results.jsonl"


@pytest.fixture
def two(light: Suite) -> Suite:
    """A folder with two scenarios, and a module of agents."""
    light.write("mine.py", MODULE)
    light.write("dark.scenario.yaml", LIGHT)
    return light


def test_agents_of_all_kinds(two: Suite) -> None:
    passing = ["oracle", *(f"mine:{name}" for name in ("asynchronous", "build", "Talker", "turn"))]
    failing, erring = "counterexample:does_nothing", "mine:lit.__name__"
    two.conftest("def pytest_unconfigure():\n    import mine\n    print('made', len(mine.made))\n")
    options = [f"--agent={agent}" for agent in (*passing, failing, erring)]
    result = two.run(*options, RESULTS, "-s")
    result.assert_outcomes(passed=10, failed=2, errors=2)
    outcomes = {(record["agent"], record["outcome"]) for record in two.records()}
    assert outcomes == {(failing, "failed"), (erring, "error"), *((p, "passed") for p in passing)}
    assert "[ 2] agent -> user         No." in section(result, f"light[{failing}]")
    result.stdout.fnmatch_lines("made 2")  # a factory makes one for each scenario


def test_a_session_scoped_fixture_returns_a_factory(two: Suite) -> None:
    two.conftest(
        "import mine, pytest\n\n@pytest.fixture(scope='session')\ndef agent():\n"
        "    return lambda: mine.Talker()\n"
    )
    two.run("--sandbox-call-format=text").assert_outcomes(passed=2)


def test_calls_of_other_tools_are_reported(two: Suite) -> None:
    result = two.run("--agent=mine:outside", RESULTS, "light.scenario.yaml")
    page = section(result, "light")
    assert page.endswith("\n\ncalls of tools that are not the scenario's\n  shell 2")
    line = "calls of tools that are no scenario's, which nothing here sees: shell 2"
    result.stdout.fnmatch_lines([line])
    assert two.records()[0]["other_calls"] == {"shell": 2}


def test_invalid_agents_are_errors_of_one_line(light: Suite) -> None:
    light.ini("sandbox_aliases = house = openai/our-model")
    light.write("mine.py", MODULE)
    for agent, start in (
        ("oracel", "there is no such agent; did you mean 'oracle'? (allowed: oracle[:NAME], *"),
        ("counterexample:no", "scenario 'light': unknown counterexample 'no' *"),
        ("mine:bild", "mine has no 'bild'; did you mean 'build'?"),
    ):
        result = light.run(f"--agent={agent}", RESULTS, "--sandbox-overwrite", "-rE")
        result.assert_outcomes(errors=1)
        (record,) = light.records()
        assert record["outcome"] == "error"
        assert section(result, "ERROR at setup of light") == record["reason"]
        result.stdout.fnmatch_lines([line := f"--agent={agent}: {start}".replace("[:", "[[]:")])
        assert (", house, " in record["reason"]) == (agent == "oracel")
        result.stdout.fnmatch_lines([f"ERROR *{line[:30]}*"])


def test_scripts_are_those_of_scenarios(suite: Suite) -> None:
    suite.write("light.scenario.yaml", "{world: desk, user: {opening: Hello}, protected: [note]}")
    suite.write("test_mine.py", "def test(agent): agent([], [])")
    result = suite.run("--agent=oracle")
    result.assert_outcomes(errors=1, failed=1)
    assert section(result, "ERROR at setup of light") == (
        "--agent=oracle: scenario 'light' has no solutions for the oracle; write some"
    )
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


PROMPTED = """
@pytest.fixture
def agent():
    return lambda messages, tools: messages[0]["content"]
"""
GIVEN = "--sandbox-prompt=given.txt"


@pytest.mark.parametrize(
    ("arguments", "ini", "prompts"),
    [
        ([], [], ("You act for the user", "Own.")),
        ([GIVEN], [], ("Given.", "Given.")),
        ([], ["sandbox_prompt = given.txt"], ("Given.", "Own.")),
    ],
)
def test_the_system_prompt(
    suite: Suite, arguments: list[str], ini: list[str], prompts: tuple[str, str]
) -> None:
    suite.conftest(PROMPTED)
    suite.ini(*ini)
    suite.write("given.txt", "Given.\n")
    suite.write("a.scenario.yaml", LIGHT)
    suite.write("b.scenario.yaml", f"{LIGHT}\nprompt: Own.")
    suite.run(RESULTS, *arguments)
    for record, prompt in zip(suite.records(), prompts, strict=True):
        system, _, heard = (message["content"] for message in record["messages"][:3])
        assert system.startswith(prompt)
        assert heard == system


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
    result = suite.run("--agent=oracle", GIVEN)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: --sandbox-prompt: {line}"])


CONNECTED = """
import asyncio
import socketserver
import threading

from pytest_toolsandbox import run_coroutine


class Answers(socketserver.StreamRequestHandler):
    def handle(self):
        for line in self.rfile:
            self.wfile.write(line)


class Client:
    connection = None
    connected = 0

    async def echo(self, text):
        if self.connection is None:
            Client.connected += 1
            self.connection = await asyncio.open_connection(*server.server_address)
        reader, writer = self.connection
        writer.write(f"{text}\\n".encode())
        return (await reader.readline()).decode().strip()

    async def close(self):
        writer = self.connection[1]
        writer.close()
        await writer.wait_closed()


server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Answers)
server.daemon_threads = True
threading.Thread(target=server.serve_forever, daemon=True).start()


@pytest.fixture(scope="module")
def agent():
    client = Client()

    async def agent(messages, tools):
        answer = await client.echo("The lamp is on.")
        if messages[-1]["role"] == "tool":
            return answer
        function = {"name": "switch_lamp", "arguments": '{"on": true}'}
        return {"content": None, "tool_calls": [{"id": "1", "function": function}]}

    yield agent
    run_coroutine(client.close())
    print("connected", Client.connected)


def pytest_unconfigure():
    server.shutdown()
    server.server_close()
"""


def test_an_asynchronous_client_outlives_conversations(suite: Suite) -> None:
    suite.conftest(CONNECTED)
    suite.write("light.scenario.yaml", f"scenarios: {{a: {{}}, b: {{}}, c: {{}}}}\n{LIGHT}")
    result = suite.run_apart("-Werror", "-s")
    result.assert_outcomes(passed=3)
    result.stdout.fnmatch_lines(["*connected 1"])
    suite.run_apart("-Werror", "-s", "-n2").assert_outcomes(passed=3)


def test_nothing_waits_for_agents_that_hang(suite: Suite) -> None:
    suite.conftest(
        "import asyncio, threading\n"
        "@pytest.fixture(params=['waits', 'blocks'])\n"
        "def agent(request):\n"
        "    async def agent(messages, tools):\n"
        "        if request.param == 'blocks':\n"
        "            threading.Event().wait()\n"
        "        await asyncio.Event().wait()\n"
        "    return agent\n"
    )
    suite.write("light.scenario.yaml", f"timeout: 0.1\n{LIGHT}")
    result = suite.run_apart("-Werror")
    result.assert_outcomes(errors=2)
    result.stderr.no_fnmatch_line("*")
