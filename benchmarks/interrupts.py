"""Interrupts runs at random moments, again and again, and checks what they lose or leave.

Half of the runs have one process, half of them two workers; half are interrupted as by Ctrl-C,
which reaches all processes of a terminal, half by SIGTERM, which reaches the first one alone. The
model is a server in a process of its own; half of the agents are functions that ask it, half are
programs. One conversation hangs, and one swallows all that is raised in it. Rules take long.

Of each run there must be: a summary, a record of each item and of each conversation that was over,
judged or unjudged, no torn line, no process and no connection that is left. The exit status is 1
where one of these is missing. Seconds are from the interrupt to the end, on a busy machine many.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[1]
SCENARIO = """\
world: phone
categories: [single_tool_call]
milestones: {told: {says: {mentions: [done]}}}
"""
ASKED = """
import http.client, json, os, sys, threading, time

own = threading.local()


def agent(messages, tools):
    name = next(one["content"] for one in messages if one["role"] == "user").split()[-1]
    while name == "c9":
        time.sleep(600)
    while name == "c10":
        try:
            time.sleep(600)
        except BaseException:
            pass
    if not hasattr(own, "connection"):
        own.connection = http.client.HTTPConnection("127.0.0.1", int(os.environ["MODEL_PORT"]))
    own.connection.request("POST", "/v1/chat/completions", json.dumps({"messages": messages}))
    return json.loads(own.connection.getresponse().read())["choices"][0]["message"]


if __name__ == "__main__":  # a program that is an agent
    for line in sys.stdin:
        messages = [{"role": "user", "content": json.loads(line)["turn"]}]
        while not messages[-1]["content"].endswith("done."):
            messages.append(agent(messages, []))
            messages[-1]["content"] = messages[-1]["content"] or "I go on."
        print(json.dumps({"reply": messages[-1]["content"]}), flush=True)
"""
SLOW_RULES = """
import pathlib, time
from pytest_toolsandbox.scoring import judging

judge_by_rules = judging.judge


def judge(scenario, *arguments):
    with pathlib.Path("over.txt").open("a") as file:
        file.write(f"{scenario.name} {time.time()}\\n")
    ends = time.thread_time() + RULES
    while time.thread_time() < ends:
        pass
    return judge_by_rules(scenario, *arguments)


judging.judge = judge
"""
AGENTS = ("asked:agent", f"cmd:{sys.executable} -S asked.py")
CONVERSATIONS, CALLS, DELAY, AT_A_TIME = 40, 3, 0.15, 8
LONGEST = 60.0
"""Seconds after which a run is taken to hang."""
RULES = 0.1
"""Seconds of computing that rules take, of all threads of a process one at a time."""


class Seen(NamedTuple):
    """What came of an interrupt: how long the run took to end, and what is wrong."""

    seconds: float
    records: int
    over: int
    unjudged: int
    wrong: list[str]


def main() -> int:
    """Interrupt, look, and judge."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--interrupts", type=int, default=100, help="how often")
    count, moments = parser.parse_args().interrupts, random.Random(14)  # noqa: S311  # no secret
    script = ROOT / "benchmarks" / "throughput.py"
    command = [sys.executable, str(script), "--serve", str(CALLS), str(DELAY)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        port = int(server.stdout.readline())
        seen: dict[str, list[Seen]] = {}
        for turn in range(count):
            workers, agent = ("-n0", "-n2")[turn % 2], AGENTS[turn // 4 % 2]
            sent = (signal.SIGINT, signal.SIGTERM)[turn // 2 % 2]
            one = interrupted(workers, sent, agent, moments.uniform(0.0, 6.0), port)
            how = f"{workers} {sent.name:7} {agent.partition(':')[0]}"
            seen.setdefault(how, []).append(one)
            for what in one.wrong:
                print(f"interrupt {turn}: {how}: {what}", flush=True)
        server.terminate()
    print("                    runs  records  over  unjudged  median s  longest s  wrong")
    for how, those in sorted(seen.items()):
        times, records = [one.seconds for one in those], sum(one.records for one in those)
        over, unjudged = (sum(getattr(one, name) for one in those) for name in ("over", "unjudged"))
        bad = sum(bool(one.wrong) for one in those)
        print(
            f"{how:18} {len(those):5} {records:8} {over:5} {unjudged:9} "
            f"{median(times):9.1f} {max(times):10.1f} {bad:6}"
        )
    return int(any(one.wrong for those in seen.values() for one in those))


def interrupted(workers: str, sent: signal.Signals, agent: str, after: float, port: int) -> Seen:
    """Start a run, interrupt it so many seconds after its first conversation began, and look."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        run = started(folder, port, workers, agent)
        while not _connections(port) and run.poll() is None:
            time.sleep(0.05)
        time.sleep(after)
        began, wall = time.monotonic(), time.time()
        if run.poll() is not None:
            raise SystemExit(f"the run ended by itself: {run.communicate()[0][-2000:]}")
        (os.killpg if sent is signal.SIGINT else os.kill)(run.pid, sent)
        try:
            printed, _ = run.communicate(timeout=LONGEST)
        except subprocess.TimeoutExpired:
            run.send_signal(signal.SIGABRT)  # pytest prints where it stands
            time.sleep(1)
            with suppress(ProcessLookupError):
                os.killpg(run.pid, signal.SIGKILL)
            printed, _ = run.communicate()
        seconds = time.monotonic() - began
        over = sum(moment < wall for moment in _over(folder).values())
        lines = (folder / "results.jsonl").read_bytes().split(b"\n")
        wrong = [*_wrong_records(lines, folder, wall), *_wrong_end(run.returncode, printed)]
        time.sleep(0.3)  # for the kernel, which takes away what belonged to them
        left = [*_processes_of(folder)]
        wrong += [f"left: {len(left)} processes: {left}"] if left else []
        wrong += [f"left: {count} connections"] if (count := _connections(port)) else []
        for process, _ in left:
            os.kill(process, signal.SIGKILL)
    unjudged = sum(b'"unjudged": true' in line for line in lines)
    return Seen(seconds, len(lines) - 1, over, unjudged, wrong)


def started(folder: Path, port: int, workers: str, agent: str) -> subprocess.Popen[str]:
    """Start a run of pytest in a session of its own, as a terminal does."""
    opening = "  c{0}: {{user: {{opening: Wait for me c{0}}}}}\n"
    names = "".join(opening.format(number) for number in range(CONVERSATIONS))
    (folder / "waits.scenario.yaml").write_text(f"scenarios:\n{names}{SCENARIO}")
    (folder / "asked.py").write_text(ASKED)
    (folder / "conftest.py").write_text(SLOW_RULES.replace("RULES", str(RULES)))
    options = [
        f"--agent={agent}",
        f"--sandbox-concurrency={AT_A_TIME}",
        "--sandbox-results=results.jsonl",
        workers,
    ]
    options += ["-p", "pytest_toolsandbox.plugin", "-p", "xdist.plugin", "-p", "no:cacheprovider"]
    own = {"MODEL_PORT": str(port), "PYTHONPATH": f"{ROOT}{os.pathsep}{folder}"}
    own |= {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}  # others take their own time to end
    environment = {**os.environ, **own}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # it would be compiled in every run
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    run = subprocess.Popen(  # which would ignore Ctrl-C where this one does, as in the background
        [sys.executable, "-m", "pytest", *options],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    signal.signal(signal.SIGINT, before)
    return run


def _wrong_records(lines: list[bytes], folder: Path, interrupt: float) -> Iterator[str]:
    try:
        records = [json.loads(line) for line in lines[:-1]]
    except ValueError:
        yield "a torn line"
        return
    kept = {record["scenario"]: _what(record) for record in records}
    if lines[-1] or len(kept) != len(records) or len(records) != CONVERSATIONS:
        yield f"{len(records)} records of {len(kept)} items"
    for name, moment in _over(folder).items():
        if moment < interrupt and kept.get(name) not in ("passed", "unjudged"):
            yield f"{name} was over {interrupt - moment:.3f} s before; {kept.get(name)}"


def _what(record: dict[str, Any]) -> str:
    return "unjudged" if record.get("unjudged") else record["outcome"]


def _over(folder: Path) -> dict[str, float]:
    """Return when each conversation was over that was."""
    file = folder / "over.txt"
    lines = file.read_text().splitlines() if file.exists() else ()
    return {name: float(moment) for name, moment in map(str.split, lines)}


def _wrong_end(status: int, printed: str) -> Iterator[str]:
    if status != 2:  # noqa: PLR2004  # pytest's own, of what was interrupted
        yield f"status {status}: {printed[-1500:]}"
    if " not run" not in printed or "seconds" in printed[-80:] or " in " not in printed[-80:]:
        yield f"no summary: {printed[-1500:]}"


def _processes_of(folder: Path) -> Iterator[tuple[int, str]]:
    """Yield the processes that run in a folder: all that a run has started."""
    for place in Path("/proc").glob("[0-9]*"):
        try:
            if (place / "cwd").readlink() == folder.resolve():
                command = (place / "cmdline").read_bytes().replace(b"\0", b" ")
                if command:  # else it has ended, and its parent does not look
                    yield int(place.name), command.decode()[:80]
        except OSError:  # gone meanwhile
            continue


def _connections(port: int) -> int:
    """Return how many connections to the server are established."""
    rows = Path("/proc/net/tcp").read_text().splitlines()[1:]
    return sum(row.split()[2].endswith(f":{port:04X}") and row.split()[3] == "01" for row in rows)


if __name__ == "__main__":
    sys.exit(main())
