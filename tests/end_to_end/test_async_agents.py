"""Asynchronous agents whose client lives as long as the session."""

from __future__ import annotations

import pytest
from desk import LIGHT, Suite

CONFTEST = """
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


@pytest.mark.parametrize("options", [(), ("-n2",)])
def test_a_client_outlives_conversations(suite: Suite, options: tuple[str, ...]) -> None:
    suite.conftest(CONFTEST)
    suite.write("light.scenario.yaml", f"scenarios: {{a: {{}}, b: {{}}, c: {{}}}}\n{LIGHT}")
    result = suite.run_apart("-Werror", "-s", *options)
    result.assert_outcomes(passed=3)
    if not options:
        result.stdout.fnmatch_lines(["*connected 1"])


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
