"""Plays many conversations at once with worlds of MCP servers, over stdio and over HTTP.

``python benchmarks/mcp_worlds.py [CONVERSATIONS]`` first makes calls on as many threads (64), each
with a world of its own: half of the calls cancel an order, half list all of them. It prints the CPU
time of this process for a call, with all that belongs to it: reading the tables after it, and its
share of the start of the server. Then runs of pytest play as many conversations, and are stopped in
the middle: not at all, by Ctrl-C, and by killing their worker. The exit status is 1 if a
conversation sees what another one changed, if a server or one of its children is left, or if a call
takes more than 1 ms.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from pytest_toolsandbox import World, WorldError, mcp_world
from pytest_toolsandbox.worlds.live.ending import end_servers
from pytest_toolsandbox.worlds.live.kept_file import pulling
from pytest_toolsandbox.worlds.schema_tool import ToolError

TESTS = Path(__file__).parents[1] / "tests"
SERVER = str(TESTS / "hostile_server.py")
ORDERS, CALLS, MOST = 3, 20, 1.0
"""Orders of a server, calls of a conversation, and the limit of a call in ms of CPU."""
TABLES = {"orders": {"tool": "list_orders", "key": "order_id"}}
SCENARIO = """\
world:
  name: shop
  mcp:
    command: {command}
    tables: {{orders: {{tool: list_orders, key: order_id}}}}
user: {{opening: Cancel A-1.}}
milestones: {{cancelled: {{state: {{orders: {{includes: [{{status: cancelled}}]}}}}}}}}
solutions: {{directly: [{{child: {{}}}}, {{cancel_order: {{order_id: A-1}}}}, {{say: Done.}}]}}
"""
AGENT = """
import os, pathlib, time

def agent(messages, tools):
    names = [call["function"]["name"] for m in messages for call in m.get("tool_calls") or ()]
    if len(names) < 2:
        name, arguments = (("child", "{}"), ("cancel_order", '{"order_id": "A-1"}'))[len(names)]
        function = {"name": name, "arguments": arguments}
        return {"content": None, "tool_calls": [{"id": str(len(names)), "function": function}]}
    open(os.environ["REACHED"], "a").write(".")
    end = time.monotonic() + 120
    while not os.path.exists(os.environ["REACHED"] + ".go") and time.monotonic() < end:
        time.sleep(0.05)
    return "Done."
"""


def main() -> int:
    """Measure, and return the exit status."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 64
    problems: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        marker = Path(folder).name
        command = ["python", "-IS", SERVER, "stdio", marker]
        problems += calls("stdio", _world(folder, command=command), count)
        problems += left("the calls over stdio", marker)
        with listening(folder) as url:
            headers = {"X-Shop": "${conversation}"}
            problems += calls("HTTP", _world(folder, url=url, headers=headers), count)
        for stop in ("nothing", "Ctrl-C", "a killed worker"):
            problems += run(Path(folder), stop, command, count)
            problems += left(f"a run that {stop} stopped", marker)
    print(*problems or ["no state is shared, and no process is left"], sep="\n")
    return int(bool(problems))


def _world(folder: str, **settings: object) -> World:
    here = Path(folder)
    with pulling():
        return mcp_world(name="shop", here=here, tables=TABLES, **settings)  # type: ignore[arg-type]


def calls(transport: str, world: World, count: int) -> list[str]:
    """Make calls on many threads, print what they cost, and return what went wrong."""
    problems: list[str] = []
    start = world.start(world.now)  # read before the time is taken

    def converse(number: int) -> None:
        running, state, cancelled = world.open(world.now), start, set()
        try:
            for place in range(CALLS):
                name = f"A-{(number + place // 2) % ORDERS}"
                arguments = {"order_id": name} if place % 2 == 0 else {}
                tool = world.tools["cancel_order" if arguments else "list_orders"]
                fork = running.fork(state, str(place))
                with suppress(ToolError):  # an order that is cancelled already
                    fork.call(tool, arguments)
                state = fork.snapshot()
                cancelled |= {name} if arguments else set()
                shown = {r["order_id"] for r in state["orders"] if r["status"] == "cancelled"}
                if shown != cancelled:
                    problems.append(f"{transport}: {number} has {shown}, not {cancelled}")
        except WorldError as error:
            problems.append(f"{transport}: {error}")
        finally:
            running.close()

    began, spent = time.perf_counter(), time.process_time()
    threads = [threading.Thread(target=converse, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    end_servers()
    wall = time.perf_counter() - began
    each = (time.process_time() - spent) / count / CALLS * 1000
    print(
        f"{transport}: {count} conversations at once, {CALLS} calls each: {each:.2f} ms of CPU "
        f"a call, {wall:.1f} s in all"
    )
    return problems + ([f"{transport}: a call takes {each:.2f} ms"] if each > MOST else [])


@contextmanager
def listening(folder: str) -> Iterator[str]:
    """Start a server over HTTP, and yield its address."""
    file = Path(folder, "port")
    with subprocess.Popen([sys.executable, "-IS", SERVER, "http", str(file)]) as process:
        try:
            while not file.exists():
                time.sleep(0.01)
            yield f"http://127.0.0.1:{file.read_text()}/mcp"
        finally:
            process.kill()


def run(folder: Path, stop: str, command: list[str], count: int) -> list[str]:
    """Run pytest, and stop it when all conversations are in the middle."""
    file, reached = folder / "cancel.scenario.yaml", folder / "reached"
    file.write_text(SCENARIO.format(command=json.dumps(command)))
    (folder / "waiting_agent.py").write_text(AGENT)
    for old in (reached, Path(f"{reached}.go")):
        old.unlink(missing_ok=True)
    subprocess.run(
        [sys.executable, "-m", "pytest_toolsandbox", "worlds", "pull", str(folder)],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    words = ["-m", "pytest", "-q", "-n1", "-p", "no:cacheprovider", "--agent=waiting_agent:agent"]
    words += [f"--sandbox-trials={count}", f"--sandbox-concurrency={count}", str(file)]
    environment = {**os.environ, "REACHED": str(reached), "PYTHONPATH": str(folder)}
    output = (folder / "output").open("wb")
    with subprocess.Popen(
        [sys.executable, *words], cwd=folder, env=environment, stdout=output, start_new_session=True
    ) as process:
        end = time.monotonic() + 300
        while _size(reached) < count and process.poll() is None and time.monotonic() < end:
            time.sleep(0.05)
        at_once = _size(reached)
        if stop == "Ctrl-C":
            os.killpg(process.pid, signal.SIGINT)
        elif stop == "a killed worker":
            for worker in _children(process.pid):
                os.kill(worker, signal.SIGKILL)
        Path(f"{reached}.go").touch()
        process.wait()
    output.close()
    print(
        f"pytest, stopped by {stop}: {at_once} conversations at once, status {process.returncode}"
    )
    text = (folder / "output").read_text()
    is_right = at_once == count and (stop != "nothing" or process.returncode == 0)
    return [] if is_right else [f"stopped by {stop}: {at_once} were reached\n{text[-2000:]}"]


def _size(file: Path) -> int:
    return file.stat().st_size if file.exists() else 0


def _children(number: int) -> list[int]:
    return [
        int(text)
        for task in Path(f"/proc/{number}/task").iterdir()
        for text in (task / "children").read_text().split()
    ]


def left(after: str, marker: str) -> list[str]:
    """Return the processes that are left of servers, after ten seconds at most."""
    end = time.monotonic() + 10
    while (found := _servers(marker)) and time.monotonic() < end:
        time.sleep(0.05)
    return [f"left after {after}: {text}" for text in found]


def _servers(marker: str) -> list[str]:
    """Return the commands of servers and of their children, which end with a number of seconds."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            words = (process / "cmdline").read_bytes().split(b"\0")
            is_server = marker.encode() in words
            if is_server or words[:2] == [b"sleep", b"600"]:
                found.append(b" ".join(words).decode(errors="replace"))
    return found


if __name__ == "__main__":
    sys.exit(main())
