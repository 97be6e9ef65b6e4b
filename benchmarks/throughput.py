"""Measures concurrent conversations against a model that only waits.

The model is a server in a process of its own: it answers each request after a delay, with a call
of a tool until the last request of a conversation, which it answers with a text. The ideal is what
waiting alone takes: calls times delay, for each round of as many conversations as are held at a
time; the last round may be smaller. Measured is a whole run of pytest, its start and collection
included; its CPU time and memory are those of its process alone, without the server's. The first
request is measured from the start of the process. On a busy machine the CPU time is what counts.
Byte code is written by a first run that nothing measures.

The last row is litellm without anything of ours: as many threads ask it the same. What it needs
itself nobody who asks through it can do without: it is the ceiling of the row "litellm".

``--scale 0.1`` plays a tenth of the conversations. ``--only plain`` plays the row of that name.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[1]
PATHS = os.pathsep.join(map(str, (ROOT, ROOT / "benchmarks")))
SCENARIO = """\
world: phone
categories: [single_tool_call]
user: {opening: Wait for me.}
max_messages: 100
milestones: {told: {says: {mentions: [done]}}}
"""
AGENTS = """
import asyncio, http.client, json, os, threading

PORT = int(os.environ["THROUGHPUT_PORT"])
PATH = "/v1/chat/completions"
own, free = threading.local(), []


def plain(messages, tools):
    if not hasattr(own, "connection"):
        own.connection = http.client.HTTPConnection("127.0.0.1", PORT)
    own.connection.request("POST", PATH, json.dumps({"messages": messages, "tools": tools}))
    return json.loads(own.connection.getresponse().read())["choices"][0]["message"]


async def waiting(messages, tools):
    reader, writer = free.pop() if free else await asyncio.open_connection("127.0.0.1", PORT)
    body = json.dumps({"messages": messages, "tools": tools}).encode()
    writer.write(b"POST / HTTP/1.1\\r\\nContent-Length: %d\\r\\n\\r\\n" % len(body) + body)
    head = await reader.readuntil(b"\\r\\n\\r\\n")
    length = int(head.lower().partition(b"content-length:")[2].partition(b"\\r\\n")[0])
    reply = json.loads(await reader.readexactly(length))
    free.append((reader, writer))
    return reply["choices"][0]["message"]
"""
ALONE = "alone"
LONGEST = 1 << 26
FIRST = 0.7
"""Seconds from the start of pytest to the first request, without litellm and workers."""


class Row(NamedTuple):
    """One measurement: who plays how many conversations, of how many calls of so many seconds."""

    name: str
    agent: str
    conversations: int
    calls: int
    delay: float
    at_a_time: int
    limit: float
    workers: int = 0

    @property
    def ideal(self) -> float:
        """The seconds that waiting alone takes."""
        return math.ceil(self.conversations / self.at_a_time) * self.calls * self.delay


ROWS = (
    Row("plain", "asked:plain", 500, 8, 0.2, 64, 1.15),
    Row("plain, -n 2", "asked:plain", 500, 8, 0.2, 64, 1.4, workers=2),
    Row("many", "asked:plain", 1000, 8, 1.0, 256, 1.15),
    Row("a model", "openai/stub", 512, 8, 1.0, 64, 1.15),
    Row("litellm", "litellm/openai/stub", 256, 8, 1.0, 64, 1.25),
    Row("asynchronous", "asked:waiting", 2000, 8, 1.0, 500, 1.2),
    Row("litellm alone", ALONE, 256, 8, 1.0, 64, math.inf),
)


def main() -> int:
    """Measure each row, print it, and judge."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--scale", type=float, default=1.0, help="share of the conversations")
    parser.add_argument("--only", choices=[row.name for row in ROWS], help="one row")
    parser.add_argument("--usual-garbage", action="store_true", help="let Python collect as usual")
    parser.add_argument("--serve", nargs=2, metavar=("CALLS", "DELAY"), help=argparse.SUPPRESS)
    parser.add_argument("--alone", nargs=2, metavar=("MANY", "THREADS"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.alone:
        print(f"{ask_alone(*map(int, given.alone))} passed")
        return 0
    if given.serve:
        asyncio.run(serve(int(given.serve[0]), float(given.serve[1])))
        return 0
    if given.usual_garbage:
        os.environ["PYTEST_ADDOPTS"] = "-p usual_garbage"
    print("                ideal  measured  ratio  limit  CPU ms a call  peak MB  first request")
    with tempfile.TemporaryDirectory() as folder:
        _played(ROWS[0]._replace(conversations=1, delay=0.0), Path(folder))
    ratios = [measured(row, given.scale) for row in ROWS if given.only in (None, row.name)]
    return int(not all(ratios))


def measured(row: Row, scale: float) -> bool:
    """Play a row, print what it took, and return whether that is within its limit."""
    row = row._replace(conversations=max(row.at_a_time, round(row.conversations * scale)))
    with tempfile.TemporaryDirectory() as folder:
        seconds, cpu, peak, first = _played(row, Path(folder))
    ratio, calls = seconds / row.ideal, row.conversations * row.calls
    print(
        f"{row.name:14} {row.ideal:6.1f}  {seconds:8.1f}  {ratio:5.2f}  {row.limit:5.2f}  "
        f"{1000 * cpu / calls:13.2f}  {peak:7.0f}  {first:11.2f} s",
        flush=True,
    )
    is_light = not row.workers and "litellm" not in row.name
    return ratio <= row.limit and (first <= FIRST or not is_light)


def _played(row: Row, folder: Path) -> tuple[float, float, float, float]:
    """Return seconds, seconds of CPU time and MB of a run, and seconds to its first request."""
    names = "".join(f"  c{number}:\n" for number in range(row.conversations))
    (folder / "waits.scenario.yaml").write_text(f"scenarios:\n{names}{SCENARIO}")
    (folder / "asked.py").write_text(AGENTS)
    command = [sys.executable, __file__, "--serve", str(row.calls), str(row.delay)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        port = server.stdout.readline().strip()
        own = {"THROUGHPUT_PORT": port, "OPENAI_BASE_URL": f"http://127.0.0.1:{port}/v1"}
        environment = {**os.environ, **own, "OPENAI_API_KEY": "none", "PYTHONPATH": PATHS}
        environment |= {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}  # others take their own time
        environment.pop("PYTHONDONTWRITEBYTECODE", None)  # it would be compiled in every run
        options = [f"--agent={row.agent}", f"--sandbox-concurrency={row.at_a_time}"]
        plugins = ["-p", "pytest_toolsandbox.plugin", "-p", "no:cacheprovider", "-q", "--no-header"]
        if row.workers:
            options += ["-p", "xdist", "-n", str(row.workers)]
        how = ["-m", "pytest", *plugins, *options]
        if row.agent == ALONE:
            how = [__file__, "--alone", str(row.conversations), str(row.at_a_time)]
        began, moment = time.perf_counter(), time.time()
        run = subprocess.Popen(  # wait4 tells its time and memory
            [sys.executable, *how],
            cwd=folder,
            env=environment,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert run.stdout is not None
        printed = run.stdout.read()
        _, status, used = os.wait4(run.pid, 0)
        seconds = time.perf_counter() - began
        run.returncode = os.waitstatus_to_exitcode(status)
        server.terminate()
        first = float(server.stdout.readline() or math.nan) - moment
    if f"{row.conversations} passed" not in printed:
        raise SystemExit(f"{row.name}: not all conversations passed\n{printed[-2000:]}")
    return seconds, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, first


def ask_alone(conversations: int, at_a_time: int) -> int:
    """Hold the conversations of the scenario file here with litellm; return how many ended."""
    from pytest_toolsandbox.models.litellm_client import load_litellm
    from pytest_toolsandbox.protocols import load_file

    scenario, litellm = load_file("waits.scenario.yaml")[0], load_litellm()
    opening = {"role": "user", "content": "Wait for me."}

    def hold(_: int) -> str:
        said: list[dict[str, Any]] = [opening]
        while not said[-1]["content"] or said[-1]["role"] != "assistant":
            tools = json.loads(scenario.tool_schemas_as_json)  # it rewrites what it is given
            reply = litellm.completion(model="openai/stub", messages=said, tools=tools)
            said.append(reply.choices[0].message.model_dump())
            calls = said[-1].get("tool_calls") or ()
            said += [{"role": "tool", "tool_call_id": one["id"], "content": "1"} for one in calls]
        return str(said[-1]["content"])

    with ThreadPoolExecutor(at_a_time) as threads:
        return sum(text == "It is done." for text in threads.map(hold, range(conversations)))


async def serve(calls: int, delay: float) -> None:
    """Answer requests until the process is ended.

    The first line that is printed is the port, the second the moment of the first request.
    """
    has_begun = False

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal has_begun
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                if not has_begun:
                    has_begun = True
                    print(time.time(), flush=True)
                length = int(head.lower().partition(b"content-length:")[2].split(b"\r\n")[0])
                body = await reader.readexactly(length)
                await asyncio.sleep(delay)
                reply = json.dumps(_completion(body.count(b'"assistant"') + 1, calls)).encode()
                start = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                writer.write(start + b"Content-Length: %d\r\n\r\n" % len(reply) + reply)
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0, limit=LONGEST, backlog=1024)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


def _completion(number: int, calls: int) -> dict[str, Any]:
    """Return the reply to a request of a conversation: a call, and in the end a text."""
    message: dict[str, Any] = {"role": "assistant", "content": "It is done."}
    if number < calls:
        function = {"name": "get_current_timestamp", "arguments": "{}"}
        call = {"id": f"call_{number}", "type": "function", "function": function}
        message = {"role": "assistant", "content": None, "tool_calls": [call]}
    reason = "stop" if number >= calls else "tool_calls"
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": "stub",
        "choices": [{"index": 0, "message": message, "finish_reason": reason}],
        "usage": {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10},
    }


if __name__ == "__main__":
    sys.exit(main())
