"""What the command shows of an agent, and what it finds wrong."""

from __future__ import annotations

import json
import re
import shlex
import sys
import textwrap
from pathlib import Path

import pytest
from model_server import ModelServer, Response

from pytest_toolsandbox.__main__ import main
from pytest_toolsandbox.authoring.proof.proof import prove
from pytest_toolsandbox.commands.try_agent import SCENARIO
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
def unreadable(messages, tools):
    return "Action: set the wifi, with on"
class Talker:
    closed = []
    def run_turn(self, message, toolbox):
        return "It is on: " + toolbox.call("set_wifi_status", {"on": True})
    def close(self):
        self.closed.append(1)
"""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    name = f"tried_{tmp_path.name.replace('-', '_')}"
    (tmp_path / f"{name}.py").write_text(AGENTS)
    monkeypatch.setattr(f"{__name__}.MODULE", name)
    return tmp_path


MODULE = ""


def tried(agent: str, capsys: pytest.CaptureFixture[str], *options: str) -> tuple[int, list[str]]:
    name = f"{MODULE}:{agent}" if agent != "oracle" else agent
    status = main(["try-agent", name, *options])
    return status, capsys.readouterr().out.replace(MODULE, "mine").splitlines()


def test_what_is_sent_and_what_comes_back(capsys: pytest.CaptureFixture[str]) -> None:
    status, lines = tried("documented", capsys)
    assert status == 1
    page = (Path(__file__).parents[2] / "docs" / "agents.md").read_text(encoding="utf-8")
    shown = re.search(r"\$ toolsandbox try-agent .*?\n(.*?)```", page, re.DOTALL)
    assert shown is not None
    assert lines == shown[1].replace("my_app.agent:agent", "mine:documented").splitlines()


NAMELESS = "the tools are get_wifi_status, set_wifi_status"


@pytest.mark.parametrize(
    ("agent", "told"),
    [
        ("wrong_tool", f"set_wifi(on=True): there is no tool 'set_wifi'; {NAMELESS}"),
        ("wrong_argument", "set_wifi_status(state=True): there is no argument 'state'; there are"),
        ("no_json", "set_wifi_status({on: true}): the arguments are not a JSON object ("),
        ("returns_nothing", "the agent returned None; expected text or an assistant message"),
        ("idle", "no tool was called; does the agent hand the tools on to its model?"),
    ],
)
def test_what_is_malformed(agent: str, told: str, capsys: pytest.CaptureFixture[str]) -> None:
    status, lines = tried(agent, capsys)
    found = [line for line in lines if line.startswith("malformed")]
    assert status == 1
    assert len(found) == 1
    assert found[0].startswith(f"malformed  {told}")


@pytest.mark.parametrize(
    ("agent", "options", "shape"),
    [
        ("oracle", (), "replies to messages"),
        ("oracle", ("--call-format", "text"), "replies to messages"),
        ("written", ("--call-format", "text"), "replies to messages"),
        ("Talker", (), "is made for each conversation"),
        ("Talker", ("--call-format", "text"), "is made for each conversation"),
    ],
)
def test_agents_that_are_well(
    agent: str, options: tuple[str, ...], shape: str, capsys: pytest.CaptureFixture[str]
) -> None:
    status, lines = tried(agent, capsys, *options)
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


def test_what_a_program_reads_and_writes_is_shown_as_it_is(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "talker.py").write_text(PROGRAM)
    assert main(["try-agent", f"cmd:{shlex.quote(sys.executable)} talker.py"]) == 0
    lines = capsys.readouterr().out.splitlines()
    passed = [line for line in lines if re.match(r"(stdin|MCP|200|stdout) ", line)]
    assert [line.partition(" ")[0] for line in passed] == ["stdin", "MCP", "200", "stdout"]
    told, asked, answered, said = (line.partition(" ")[2].strip() for line in passed)
    assert told.startswith('{"turn": "Please turn on the wifi.", "mcp": "http://127.0.0.1:')
    assert json.loads(asked)["params"]["name"] == "set_wifi_status"
    assert json.loads(answered)["result"]["content"] == [{"type": "text", "text": "null"}]
    assert said == '{"reply": "It is on.", "mood": "good"}'


@pytest.mark.parametrize("status", [200, 404])
def test_what_a_service_answers_is_shown_as_it_is(
    status: int, capsys: pytest.CaptureFixture[str]
) -> None:
    with ModelServer([Response(status, b'{"repply": "Hi"}')]) as server:
        assert main(["try-agent", server.url]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert any(line.startswith('POST       {"conversation": "') for line in lines)
    assert f'{status}        {{"repply": "Hi"}}' in lines


def test_a_call_that_cannot_be_read(capsys: pytest.CaptureFixture[str]) -> None:
    status, lines = tried("unreadable", capsys, "--call-format", "text")
    assert status == 1
    told = "'Action: set the wifi, with on': a call should be here, and none can be read"
    assert f"malformed  {told}" in lines


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ((), "return it in tool_calls, or try --call-format text"),
        (
            ("--call-format", "text"),
            "write it as 'Action: NAME with Action Input: {JSON}'",
        ),
    ],
)
def test_a_call_in_words_that_nobody_reads(
    options: tuple[str, ...], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    status, lines = tried("in_words", capsys, *options)
    assert status == 1
    found = "malformed  '[set_wifi_status(on=True)]': this is a call in the words of the reply"
    assert f"{found}; {told}" in lines


def test_an_agent_that_is_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["try-agent", "nowhere:agent"]) == 1
    told = "try-agent: nowhere:agent: there is no module nowhere, neither installed nor"
    assert capsys.readouterr().err.startswith(told)


def test_an_alias_of_the_ini_file(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It is known, and so the next one is not: no model has to be asked for that."""
    (here / "pytest.ini").write_text("[pytest]\nsandbox_aliases =\n    house = a/b\n")
    assert main(["try-agent", "hous"]) == 1
    assert "there is no such agent; did you mean 'house'?" in capsys.readouterr().err


def test_its_scenario_is_sound() -> None:
    (scenario,) = read_file(textwrap.dedent(SCENARIO).encode(), "try-agent", "try-agent")
    assert prove(scenario).findings == []
