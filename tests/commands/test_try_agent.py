"""What the command shows of an agent, and what it finds wrong."""

from __future__ import annotations

import json
import re
import shlex
import sys
import textwrap
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest
from command_line import Run
from model_server import ModelServer, Request, Response, calls, text

from pytest_toolsandbox.authoring.proof.proof import prove
from pytest_toolsandbox.commands.try_agent import READING, SCENARIO
from pytest_toolsandbox.protocols import read_file

AGENTS = """
def call(name, arguments):
    function = {"name": name, "arguments": arguments}
    call = {"id": "1", "type": "function", "function": function}
    return {"role": "assistant", "content": None, "tool_calls": [call]}

def making(name, arguments, said="Done."):
    def agent(messages, tools):
        return said if messages[-1]["role"] == "tool" else call(name, arguments)
    return agent

documented = making("set_wifi_status", '{"on": "yes"}', "set_wifi_status(on=True)")
wrong_tool = making("set_wifi", '{"on": true}')
wrong_argument = making("set_wifi_status", '{"state": true}')
no_json = making("set_wifi_status", "{on: true}")
async def returns_nothing(messages, tools):
    return None
def idle(messages, tools):
    return "The wifi is on."
def written(messages, tools):
    if messages[-1]["content"].startswith("Observation"):
        return "Done."
    return 'Action: set_wifi_status with Action Input: {"on": true}'
def in_words(messages, tools):
    return "[set_wifi_status(on=True)]"
finds = making("search_contacts", '{"name": "Ada Okafor"}')
def reads(messages, tools):
    last = messages[-1]
    if last["role"] == "tool":
        return "Your " + last["content"].partition('"relationship": "')[2].partition('"')[0]
    return finds(messages, tools)
def breaks(messages, tools):
    if messages[-1]["role"] == "tool":
        raise RuntimeError("tool messages are not supported")
    return finds(messages, tools)
def unreadable(messages, tools):
    return "Action: set the wifi, with on"
class Talker:
    closed = []
    def run_turn(self, message, toolbox):
        return "It is on: " + toolbox.call("set_wifi_status", {"on": True})
    def close(self):
        self.closed.append(1)
"""


Tried = Callable[..., tuple[int, list[str]]]


@pytest.fixture(autouse=True)
def tried(folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> Tried:
    """A function: try an agent of the module; return the status and the lines."""
    monkeypatch.syspath_prepend(folder)
    module = f"tried_{folder.name.replace('-', '_')}"
    (folder / f"{module}.py").write_text(AGENTS)

    def tried(agent: str, *options: str) -> tuple[int, list[str]]:
        name = agent if agent == "oracle" else f"{module}:{agent}"
        words = [option.replace("mine:", f"{module}:") for option in options]
        status, out, _ = run("try-agent", name, *words)
        return status, out.replace(module, "mine").splitlines()

    return tried


def test_what_is_sent_and_what_comes_back(tried: Tried) -> None:
    status, lines = tried("documented")
    assert status == 1
    page = (Path(__file__).parents[2] / "docs" / "agents.md").read_text(encoding="utf-8")
    shown = re.search(r"\$ toolsandbox try-agent .*?\n(.*?)```", page, re.DOTALL)
    assert shown is not None
    assert lines == shown[1].replace("my_app.agent:agent", "mine:documented").splitlines()


TOOLS = "the tools are get_wifi_status, set_wifi_status"
IN_WORDS = "'[set_wifi_status(on=True)]': this is a call in the words of the reply"
TEXT = ("--call-format", "text")


@pytest.mark.parametrize(
    ("agent", "options", "problem"),
    [
        ("wrong_tool", (), f"set_wifi(on=True): there is no tool 'set_wifi'; {TOOLS}…"),
        (
            "wrong_argument",
            (),
            "set_wifi_status(state=True): there is no argument 'state'; there are…",
        ),
        ("no_json", (), "set_wifi_status({on: true}): the arguments are not a JSON object (…"),
        ("returns_nothing", (), "the agent returned None; expected text or an assistant message…"),
        ("idle", (), "no tool was called; does the agent hand the tools on to its model?…"),
        (
            "unreadable",
            TEXT,
            "'Action: set the wifi, with on': a call should be here, and none can be read",
        ),
        ("in_words", (), f"{IN_WORDS}; return it in tool_calls, or try --call-format text"),
        ("in_words", TEXT, f"{IN_WORDS}; write it as 'Action: NAME with Action Input: {{JSON}}'"),
    ],
)
def test_what_is_malformed(
    agent: str, options: tuple[str, ...], problem: str, tried: Tried
) -> None:
    """A problem that ends with three dots is the beginning of a line."""
    status, lines = tried(agent, *options)
    first, *further = [line for line in lines if line.startswith("malformed")]
    assert (status, {*further}) == (1, {first} if agent == "unreadable" else set())
    expected = f"malformed  {problem}"
    assert first.startswith(expected[:-1]) if problem.endswith("…") else first == expected


@pytest.mark.parametrize(
    ("agent", "options", "shape"),
    [
        ("oracle", (), "replies to messages"),
        ("oracle", TEXT, "replies to messages"),
        ("written", TEXT, "replies to messages"),
        ("Talker", (), "is made for each conversation"),
        ("Talker", TEXT, "is made for each conversation"),
    ],
)
def test_agents_that_are_well(
    agent: str, options: tuple[str, ...], shape: str, tried: Tried
) -> None:
    status, lines = tried(agent, *options)
    assert (status, lines[0].partition(", which ")[2]) == (0, shape)
    assert lines[-2:] == ["malformed  nothing", "outcome    passed: it can play scenarios"]


PROGRAM = """
import json, sys, urllib.request
for line in sys.stdin:
    asked = {"jsonrpc": "2.0", "id": 7, "method": "tools/call"}
    asked["params"] = {"name": "set_wifi_status", "arguments": {"on": True}}
    url = json.loads(line)["mcp"]
    urllib.request.urlopen(url, json.dumps(asked).encode()).read()
    print('{"reply": "It is on.",   "mood": "good"}', flush=True)
"""


def test_what_a_program_reads_and_writes_is_shown_as_it_is(folder: Path, run: Run) -> None:
    (folder / "talker.py").write_text(PROGRAM)
    printed = run("try-agent", f"cmd:{shlex.quote(sys.executable)} talker.py")
    assert printed.status == 0
    passed = [line for line in printed.lines if re.match(r"(stdin|MCP|200|stdout) ", line)]
    assert [line.partition(" ")[0] for line in passed] == ["stdin", "MCP", "200", "stdout"]
    turn, asked, answered, reply = (line.partition(" ")[2].strip() for line in passed)
    assert turn.startswith('{"turn": "Please turn on the wifi.", "mcp": "http://127.0.0.1:')
    assert json.loads(asked)["params"]["name"] == "set_wifi_status"
    assert json.loads(answered)["result"]["content"] == [{"type": "text", "text": "null"}]
    assert reply == '{"reply": "It is on.", "mood": "good"}'


@pytest.mark.parametrize("status", [200, 404])
def test_what_a_service_answers_is_shown_as_it_is(status: int, run: Run) -> None:
    with ModelServer([Response(status, b'{"repply": "Hi"}')]) as server:
        printed = run("try-agent", server.url)
    lines = printed.lines
    assert printed.status == 1
    assert any(line.startswith('POST       {"conversation": "') for line in lines)
    assert f'{status}        {{"repply": "Hi"}}' in lines


@pytest.mark.skipif(find_spec("httpx") is None, reason="needs httpx")
@pytest.mark.parametrize("thoughts", ["<think>Wifi.</think>", "Wifi.</think>", ""])
def test_thoughts_in_the_content_name_the_setting_of_the_server(
    run: Run, monkeypatch: pytest.MonkeyPatch, thoughts: str
) -> None:
    def answer(request: Request) -> Response:
        if request.body["messages"][-1]["role"] == "user":
            return calls(("set_wifi_status", {"on": True}))
        return text(f"{thoughts}The wifi is on.")

    with ModelServer(answer) as server:
        server.replace_openai(monkeypatch)
        printed = run("try-agent", "openai/stub")
    remarks = [line for line in printed.lines if line.startswith("remark ")]
    assert printed.status == 0
    assert len(remarks) == bool(thoughts)
    assert all("--reasoning-parser of vLLM and SGLang" in line for line in remarks)


def test_unknown_agents(folder: Path, run: Run) -> None:
    """An alias of the ini file is known, and so its nearest name is proposed: no model is asked."""
    problem = "try-agent: nowhere:agent: there is no module nowhere, neither installed nor"
    status, _, errors = run("try-agent", "nowhere:agent")
    assert (status, errors[: len(problem)]) == (1, problem)
    (folder / "pytest.ini").write_text("[pytest]\nsandbox_aliases =\n    house = a/b\n")
    status, _, errors = run("try-agent", "hous")
    assert (status, "there is no such agent; did you mean 'house'?" in errors) == (1, True)


def test_which_agents_call_tools_and_read_results(tried: Tried) -> None:
    names = ("oracle", "unhelpful", "mine:finds", "mine:reads", "mine:wrong_tool", "mine:breaks")
    status, lines = tried(*names)
    assert (status, lines[0]) == (1, "model features (ToolSandbox, table 10)")
    assert [line.split() for line in lines[1:8]] == [
        ["calls", "tools", "reads", "results"],
        ["oracle", "yes", "yes"],
        ["unhelpful", "no", "no"],
        ["mine:finds", "yes", "no"],
        ["mine:reads", "yes", "yes"],
        ["mine:wrong_tool", "no", "no"],
        ["mine:breaks", "yes", "no"],
    ]
    assert lines[8].startswith("error      mine:breaks: ")
    assert "RuntimeError: tool messages are not supported" in lines[8]
    status, lines = tried("reads", "--table")
    assert (status, lines[-1].split()) == (0, ["mine:reads", "yes", "yes"])


@pytest.mark.parametrize("text", [SCENARIO, READING])
def test_its_scenarios_are_sound(text: str) -> None:
    (scenario,) = read_file(textwrap.dedent(text).encode(), "try-agent", "try-agent")
    assert prove(scenario).findings == []
