"""What talks to models, in a process in which nothing else has prepared anything."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from model_server import ModelServer, body, calls, fault

from pytest_toolsandbox.models import model_agent

PROGRAM = """
import logging
import sys

hosts = set()
def watch(event, arguments):
    if event == "socket.getaddrinfo":
        hosts.add(arguments[0])
    if event == "socket.connect":
        hosts.add(arguments[1][0])
sys.addaudithook(watch)

from pytest_toolsandbox.matchers.embedding import EmbedderError
from pytest_toolsandbox.models.embedders import resolve_embedder
from pytest_toolsandbox.models.errors import AgentError
from pytest_toolsandbox.models.model_agent import ModelAgent

client = sys.argv[1]
embed = resolve_embedder(f"{client}openai/stub")
agent = ModelAgent(f"{client}openai/stub")
messages = [{"role": "user", "content": "Hello"}]
tools = [{"type": "function", "function": {"name": "find", "parameters": {"type": "object"}}}]

def chat():
    print(agent(messages, tools)["tool_calls"][0]["function"]["name"])
    try:
        agent(messages, tools)
    except AgentError as error:
        print(error)

def compare():
    print(embed(["a"]))
    try:
        embed(["a"])
    except EmbedderError as error:
        print(error)

def imported():
    print("litellm" in sys.modules, "httpx" in sys.modules)

imported()
chat()
compare()
imported()
if client:
    logging.getLogger("LiteLLM").error("A word of its own")
print(*hosts)
"""
REJECTED = "openai/stub: the provider rejects the request (400): Oops; check"
CHAT = ("find", f"{REJECTED} the parameters")
COMPARE = ("[[1.0]]", f"{REJECTED} that it is an embedding model")


def test_where_warnings_are_errors(model_server: ModelServer, tmp_path: Path, client: str) -> None:
    """No import before its time, no stranger called, and nothing said but the answers."""
    vector = body({"data": [{"embedding": [1.0], "index": 0}], "model": "stub"})
    model_server.will(calls(("find", {})), fault(400, "Oops"), vector, fault(400, "Oops"))
    other_variables = {name: value for name, value in os.environ.items() if "LITELLM" not in name}
    variables = {
        "OPENAI_BASE_URL": model_server.url,
        "OPENAI_API_KEY": "sk-testkey-0123456789",
        "NO_PROXY": "127.0.0.1",
        "PYTHONPATH": str(Path(model_agent.__file__).parents[2]),
    }
    ran = subprocess.run(
        [sys.executable, "-W", "error", "-c", PROGRAM, client],
        cwd=tmp_path,
        env=other_variables | variables,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.stderr == ""
    lines = ran.stdout.replace(f"{client}openai/stub:", "openai/stub:").splitlines()
    has_litellm = str(bool(client))
    assert lines == ["False False", *CHAT, *COMPARE, f"{has_litellm} True", "127.0.0.1"]
