"""Plays the same conversations with this package and with three others, against one server.

``--inspect-ai``, ``--deepeval`` and ``--pytest-agent-eval`` are the Pythons of environments that
have these: ``inspect-ai`` and ``deepeval`` with ``openai``. Each is used as its documentation
shows: an agent with one tool talks to a server as to OpenAI, and what it did is
checked without a model. ``deepeval`` has no agents, so its conversations are held with the client
of OpenAI, and checked afterwards.

The server is that of ``throughput.py``. Measured are whole processes, start included: seconds to
the first request, CPU time for each call, seconds, and the peak of memory. Byte code is written by
a first run that nothing measures.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
SCENARIO = """\
world: phone
tools: [get_current_timestamp]
user: {opening: Wait for me.}
max_messages: 100
milestones:
  looked: {call: {get_current_timestamp: {}}}
  told: {says: {mentions: [done]}}
solutions: {only: [{get_current_timestamp: {}}, {say: It is done.}]}
"""
INSPECT_AI = """\
import sys
from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.scorer import includes
from inspect_ai.solver import generate, use_tools
from inspect_ai.tool import tool


@tool
def get_current_timestamp():
    async def execute() -> str:
        "Return the current time."
        return "1"

    return execute


count, at_a_time = map(int, sys.argv[1:])
samples = [Sample(input="Wait for me.", target="done") for _ in range(count)]
solver = [use_tools(get_current_timestamp()), generate()]
task = Task(dataset=samples, solver=solver, scorer=includes())
log, = eval(
    task, model="openai/stub", max_connections=at_a_time, max_samples=at_a_time, display="none",
    log_dir="logs", model_args={"responses_api": False},
)
print(sum(sample.scores["includes"].value == "C" for sample in log.samples), "passed")
"""
DEEPEVAL = """\
import asyncio, sys
from deepeval import evaluate
from deepeval.evaluate import AsyncConfig, DisplayConfig
from deepeval.metrics import ToolCorrectnessMetric
from deepeval.test_case import LLMTestCase, ToolCall
from openai import AsyncOpenAI

TOOLS = [{"type": "function", "function": {
    "name": "get_current_timestamp", "description": "Return the current time.",
    "parameters": {"type": "object", "properties": {}},
}}]


async def hold(client, limit):
    messages, called = [{"role": "user", "content": "Wait for me."}], []
    async with limit:
        while True:
            reply = await client.chat.completions.create(
                model="stub", messages=messages, tools=TOOLS
            )
            message = reply.choices[0].message
            if not message.tool_calls:
                break
            messages.append(message.model_dump(exclude_none=True))
            for call in message.tool_calls:
                called.append(ToolCall(name=call.function.name))
                messages.append({"role": "tool", "tool_call_id": call.id, "content": "1"})
    return LLMTestCase(
        input="Wait for me.", actual_output=message.content, tools_called=called,
        expected_tools=[ToolCall(name="get_current_timestamp")],
    )


async def hold_all(count, at_a_time):
    client, limit = AsyncOpenAI(), asyncio.Semaphore(at_a_time)
    return await asyncio.gather(*(hold(client, limit) for _ in range(count)))


count, at_a_time = map(int, sys.argv[1:])
result = evaluate(
    asyncio.run(hold_all(count, at_a_time)), [ToolCorrectnessMetric()],
    async_config=AsyncConfig(max_concurrent=at_a_time, throttle_value=0),
    display_config=DisplayConfig(show_indicator=False, print_results=False),
)
print(sum(test.success for test in result.test_results), "passed")
"""
AGENT_EVAL_CONFTEST = """\
import pytest
from pydantic_ai import Agent
from pytest_agent_eval.adapters.pydantic_ai import PydanticAIAdapter


@pytest.fixture
def llm_eval_agent():
    agent = Agent("openai-chat:stub")

    @agent.tool_plain
    def get_current_timestamp() -> str:
        "Return the current time."
        return "1"

    return PydanticAIAdapter(agent)
"""
AGENT_EVAL_SETTINGS = """\
[tool.agent_eval]
threshold = 1.0
runs = 1
yaml_dirs = ["evals"]
"""
AGENT_EVAL_TRANSCRIPT = """\
id: wait_{number}
turns:
  - user: Wait for me.
    expect: {{reply_contains_any: [done], tool_calls_include: [get_current_timestamp]}}
"""


class Program(NamedTuple):
    """A package to be measured: its Python, and the arguments that play the conversations."""

    name: str
    python: str
    arguments: Sequence[str]


class Taken(NamedTuple):
    """What a run took: to the first request (s), CPU time (s), in all (s), and memory (MB)."""

    first: float
    cpu: float
    seconds: float
    peak: float


def main() -> int:
    """Measure this package, and those whose Pythons are given."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    for name in ("inspect-ai", "deepeval", "pytest-agent-eval"):
        parser.add_argument(f"--{name}", metavar="PYTHON", help=f"where {name} is installed")
    parser.add_argument("--conversations", type=int, default=500)
    parser.add_argument("--at-a-time", type=int, default=64, help="but pytest-agent-eval one")
    parser.add_argument("--calls", type=int, default=8, help="requests of each conversation")
    parser.add_argument("--delay", type=float, default=0.2, help="seconds of each request")
    options = parser.parse_args()
    count, at_a_time = options.conversations, options.at_a_time
    ours = [
        *(
            "-m",
            "pytest",
            "-q",
            "--agent=openai/stub",
            "-p",
            "no:cacheprovider",
            "waits.scenario.yaml",
        ),
        f"--sandbox-concurrency={at_a_time}",
    ]
    numbers = (str(count), str(at_a_time))
    programs = [Program("pytest-toolsandbox", sys.executable, ours)]
    if options.inspect_ai:
        programs.append(Program("inspect-ai", options.inspect_ai, ("with_inspect_ai.py", *numbers)))
    if options.deepeval:
        programs.append(Program("deepeval", options.deepeval, ("with_deepeval.py", *numbers)))
    if options.pytest_agent_eval:
        theirs = ("-m", "pytest", "-q", "--agent-eval-live", "evals")
        programs.append(Program("pytest-agent-eval", options.pytest_agent_eval, theirs))
    print(
        f"{count} conversations of {options.calls} requests of {options.delay} s, {at_a_time} at a "
        "time\n                     first request  CPU ms a call  seconds  peak MB"
    )
    for program in programs:
        with tempfile.TemporaryDirectory() as folder:
            write_suites(Path(folder), 1)
            played(program, Path(folder), 1, options.calls, 0.0)
            write_suites(Path(folder), count)
            taken = played(program, Path(folder), count, options.calls, options.delay)
        calls = count * options.calls
        print(
            f"{program.name:19}  {taken.first:11.2f} s  {1000 * taken.cpu / calls:13.2f}  "
            f"{taken.seconds:7.1f}  {taken.peak:7.0f}",
            flush=True,
        )
    return 0


def write_suites(folder: Path, count: int) -> None:
    """Write ``count`` conversations as each package wants them."""
    names = "".join(f"  c{number}:\n" for number in range(count))
    (folder / "waits.scenario.yaml").write_text(f"scenarios:\n{names}{SCENARIO}")
    (folder / "with_inspect_ai.py").write_text(INSPECT_AI)
    (folder / "with_deepeval.py").write_text(DEEPEVAL)
    (folder / "pyproject.toml").write_text(AGENT_EVAL_SETTINGS)
    evals = folder / "evals"
    evals.mkdir(exist_ok=True)
    (evals / "conftest.py").write_text(AGENT_EVAL_CONFTEST)
    for number in range(count):
        (evals / f"wait_{number}.yaml").write_text(AGENT_EVAL_TRANSCRIPT.format(number=number))


def played(program: Program, folder: Path, count: int, calls: int, delay: float) -> Taken:
    """Play all conversations with a program; ends this one unless all of them pass."""
    served = [sys.executable, str(ROOT / "benchmarks" / "throughput.py"), "--serve"]
    with subprocess.Popen(
        [*served, str(calls), str(delay)], stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None
        url = f"http://127.0.0.1:{server.stdout.readline().strip()}/v1"
        environment = {**os.environ, "OPENAI_BASE_URL": url, "OPENAI_API_KEY": "none"}
        environment |= {"DEEPEVAL_TELEMETRY_OPT_OUT": "YES", "CI": "true"}
        if program.python == sys.executable:
            environment["PYTHONPATH"] = str(ROOT)
        arguments = list(program.arguments)
        if count == 1 and arguments[-2].isdigit():
            arguments[-2:] = ["1", "1"]
        began, moment = time.perf_counter(), time.time()
        run = subprocess.Popen(
            [program.python, *arguments],
            cwd=folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        assert run.stdout is not None
        printed = run.stdout.read()
        _, status, used = os.wait4(run.pid, 0)
        seconds = time.perf_counter() - began
        run.returncode = os.waitstatus_to_exitcode(status)
        server.terminate()
        first = float(server.stdout.readline() or "nan") - moment
    if f"{count} passed" not in printed:
        raise SystemExit(f"{program.name}: not all conversations passed\n{printed[-3000:]}")
    return Taken(first, used.ru_utime + used.ru_stime, seconds, used.ru_maxrss / 1024)


if __name__ == "__main__":
    sys.exit(main())
