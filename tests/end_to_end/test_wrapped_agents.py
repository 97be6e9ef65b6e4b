"""``wrap_agent`` around every kind of agent: in the documentation, and in our own conftest.py."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from desk import LIGHT, Suite, section

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "own-agents.md").read_text(encoding="utf-8")
SHOWN = PAGE.partition("### Around every reply")[2].partition("```python")[2].partition("```")[0]
OURS = (ROOT / "conftest.py").read_text(encoding="utf-8").partition("import annotations")[2]

CLIENT = '''
import json, sys, urllib.request

def answered(line):
    """Switch the lamp over MCP, and return the reply."""
    asked = json.loads(line)
    call = {"name": "switch_lamp", "arguments": {"on": True}}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
    urllib.request.urlopen(asked["mcp"], json.dumps(body).encode()).close()
    return json.dumps({"reply": "The lamp is on."})
'''
PROGRAM = f"""{CLIENT}
for line in sys.stdin:
    print(answered(line), flush=True)
"""
MODULE = """
closed = []

def lit(messages, tools):
    if messages[-1]["role"] == "tool":
        return "The lamp is on."
    call = {"id": "1", "function": {"name": "switch_lamp", "arguments": '{"on": true}'}}
    return {"content": None, "tool_calls": [call]}

async def asynchronous(messages, tools):
    return lit(messages, tools)

def build():
    return lit

class Replying:
    def __call__(self, messages, tools):
        return lit(messages, tools)

class Talker:
    def run_turn(self, message, toolbox):
        assert toolbox.call("switch_lamp", {"on": True}) == "null"
        return "The lamp is on."

    def close(self):
        closed.append(self)

shared = Talker()

async def turn(message, toolbox):
    await toolbox.call_async("switch_lamp", {"on": True})
    return "The lamp is on."
"""
IN_PYTHON = ("lit", "asynchronous", "build", "Replying", "Talker", "shared", "turn")
SHAPES = {
    **dict.fromkeys(("lit", "asynchronous", "build", "Replying"), "replies"),
    "Talker": "factory",
    "shared": "turns",
    "turn": "turns",
}


@pytest.fixture
def service() -> Iterator[str]:
    """The address of a service on this machine that switches the lamp."""
    code: dict[str, object] = {}
    exec(CLIENT, code)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            line = self.rfile.read(int(self.headers["Content-Length"]))
            body = code["answered"](line).encode()  # type: ignore[operator]  # a function above
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Print nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/turn"
        server.shutdown()


@pytest.mark.parametrize("conftest", [SHOWN, OURS], ids=["shown", "ours"])
def test_agents_of_all_kinds_are_themselves(suite: Suite, service: str, conftest: str) -> None:
    suite.write("light.scenario.yaml", LIGHT)
    suite.write("mine.py", MODULE)
    program = suite.write("program.py", PROGRAM)
    suite.conftest(
        f"{conftest}\ndef pytest_unconfigure():\n    import mine\n    print(mine.closed)"
    )
    agents = ["oracle", f"cmd:{sys.executable} {program}", service]
    agents += [f"mine:{name}" for name in IN_PYTHON]
    options = [f"--agent={agent}" for agent in agents]
    suite.run(*options, "--sandbox-results=results.jsonl").assert_outcomes(passed=len(agents))
    records = {record["agent"]: record["agent_settings"] for record in suite.records()}
    assert records.keys() == set(agents)
    for name, shape in SHAPES.items():
        assert records[f"mine:{name}"]["shape"] == shape
        assert records[f"mine:{name}"]["type"].startswith("mine:")
    assert records[service]["type"].endswith(":Service")


def test_it_is_recorded_and_not_needed_again(light: Suite) -> None:
    light.conftest(SHOWN)
    module = light.write("mine.py", MODULE)
    light.run("--agent=mine:Talker", "--sandbox-record=all").assert_outcomes(passed=1)
    module.unlink()
    options = ("--sandbox-record=replay", "--sandbox-results=results.jsonl")
    light.run("--agent=mine:Talker", *options).assert_outcomes(passed=1)
    assert light.records()[0]["agent_settings"]["type"] == "mine:Talker"
    assert light.records()[0]["agent_settings"]["shape"] == "factory"


def test_what_is_logged_is_shown(light: Suite) -> None:
    light.conftest(SHOWN)
    result = light.run("--agent=counterexample:does_nothing", "--log-level=INFO")
    result.stdout.fnmatch_lines(
        ["INFO*the agent sees 2 messages and 3 tools", "INFO*the agent replied: No."]
    )


def test_an_error_of_the_wrapper_is_an_error_of_the_item(light: Suite) -> None:
    light.conftest(
        "from pytest_toolsandbox import wrap_agent\n"
        "@pytest.fixture\n"
        "def agent(agent): return wrap_agent(agent, after=lambda messages, reply: reply.none)\n"
    )
    result = light.run("--agent=oracle")
    result.assert_outcomes(errors=1)
    assert "AttributeError" in section(result, "ERROR at conversation of light")
