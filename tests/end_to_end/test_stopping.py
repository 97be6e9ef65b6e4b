"""A run that is stopped ends at once, and keeps what is finished."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import defaultdict
from pathlib import Path

import pytest
from desk import LIGHT, Suite
from warm import COLD

TABLE = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in (Path(__file__).parents[2] / "docs/concurrency.md").read_text().splitlines()
    if line.count("|") == 5 and line.endswith((" 1 |", " 2 |"))
]
"""The rows of *What is kept*: what stops the run, while what goes on, what is kept, the status."""
STOPS = {
    "Ctrl-C": "signal.raise_signal(signal.SIGINT)",
    "SIGTERM": "signal.raise_signal(signal.SIGTERM)",
    "`pytest.exit`": "pytest.exit('enough')",
    "its worker dies": "os._exit(9)",
    "`--sandbox-max-time`": "now[0] += 100",
    "an item's timeout": "pytest.fail('Timeout (>1.0s) from pytest-timeout.')",
}
OPTIONS = {
    "its worker dies": ["-n1", "--sandbox-concurrency=1"],
    "`-x`": ["-x", "--sandbox-concurrency=4"],
    "`--maxfail`": ["--maxfail=1", "--sandbox-concurrency=4"],
    "a spent budget": ["--sandbox-max-tokens=1"],
    "`--sandbox-max-time`": ["--sandbox-max-time=50"],
}
STOPPED = """
import os, signal, threading, time
from collections import Counter
from types import SimpleNamespace
import pytest
from pytest_toolsandbox import Opinion
from pytest_toolsandbox.models import usage as budget
from pytest_toolsandbox.output import junit
from pytest_toolsandbox.runs.playing import Playing
from pytest_toolsandbox.scoring import judging

now, reached, over, is_asked = [time.monotonic()], Counter(), threading.Event(), threading.Event()
budget.time = SimpleNamespace(monotonic=lambda: now[0])
judge_by_rules, item_properties, go_on = judging.judge, junit.item_properties, Playing._go_on


def at(moment):
    reached[moment] += 1
    if (moment, reached[moment]) == ("{moment}", {place}):
        {stop}


def agent(messages, tools):
    if messages[-1]["role"] != "user":
        return "The lamp is on now."
    opening = messages[-1]["content"]
    if {ahead} and opening == "first":
        (over if "{moment}" == "it is over" else is_asked).wait(300)
        return "No."
    if {ahead} and "{moment}" == "its agent is asked":
        is_asked.set()
    if {ahead} and (opening == "third" or is_asked.is_set()):
        time.sleep(600)
    at("its agent is asked")
    at("the second of its trials is played")
    function = {{"name": "switch_lamp", "arguments": '{{"on": true}}'}}
    usage = {{"input_tokens": 5 * ("budget" in "{cause}"), "output_tokens": 0}}
    return {{"content": None, "tool_calls": [{{"id": "1", "function": function}}], "usage": usage}}


def judge(question):
    at("a judge is asked about it")
    return Opinion("right")


def judge_later(*arguments):
    at("rules judge it")
    return judge_by_rules(*arguments)


def write_later(records):
    at("its record is written")
    return item_properties(records)


def note(self, last=None):
    go_on(self, last)
    if self.over.done() and self.job.scenario.name == "second":
        over.set()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport(item, call):
    report = yield
    if call.when == "call":
        at("its report is made")
    return report


judging.judge, junit.item_properties, Playing._go_on = judge_later, write_later, note
"""
THREE = f"""scenarios:
  first: {{user: {{opening: first}}}}
  second: {{user: {{opening: second}}}}
  third: {{user: {{opening: third}}}}
{LIGHT.replace("user: {opening: Turn on the light.}", "")}"""
KEPT = {
    "nothing": [("not_run", None)],
    "the first trial": [("passed", None)],
    "its record": [("passed", None)],
    "the conversation, unjudged": [("error", True)],
    "a record of the error": [("error", None)],
}


@pytest.mark.parametrize(
    ("cause", "moment", "kept", "status"),
    [(cause, *row) for causes, *row in TABLE for cause in causes.split(", ")],
)
def test_what_is_kept(suite: Suite, cause: str, moment: str, kept: str, status: str) -> None:
    """The run is stopped in the second of three items; by a budget, in the first."""
    is_ahead, is_spent = cause in ("`-x`", "`--maxfail`"), "budget" in cause or "max-time" in cause
    is_second_trial = moment.startswith("the second")
    code = STOPPED.format(
        cause=cause,
        moment=moment,
        place=1 if is_spent or is_ahead else 4 if is_second_trial else 2,
        stop="is_asked.set(), time.sleep(600)" if is_ahead else STOPS.get(cause, "pass"),
        ahead=is_ahead,
    )
    suite.conftest(code)
    suite.write("three.scenario.yaml", THREE)
    options = [*OPTIONS.get(cause, ["--sandbox-concurrency=1"]), "--sandbox-results=results.jsonl"]
    options += ["--sandbox-trials=2"] * is_second_trial
    options += ["--sandbox-judge=conftest:judge"] * ("judge is asked" in moment)
    result = suite.run_apart("--agent=conftest:agent", *options)
    assert str(int(result.ret)) == status
    records: dict[str, list[tuple[str, bool | None]]] = defaultdict(list)
    for record in suite.records():
        records[record["scenario"]].append((record["outcome"], record.get("unjudged")))
    whole, nothing = [("passed", None)], [("not_run", None)]
    if is_spent:
        assert records == {"first": KEPT[kept], "second": nothing, "third": nothing}
        return
    assert records["first"] == ([("failed", None)] if is_ahead else whole * (1 + is_second_trial))
    assert records["second"] == KEPT[kept]
    assert records["third"] == (whole if "worker" in cause or "timeout" in cause else nothing)
    if is_ahead:
        result.assert_outcomes(failed=1)
    if is_second_trial:
        left = "1 of 3 items not run, 1 unfinished (1 trial)"
        line = f"the run was stopped; {left}; --sandbox-resume=results.jsonl plays the rest"
        assert line in result.outlines


AGENTS = """
import asyncio, pathlib, time
from pytest_toolsandbox.runs.playing import Playing
over, go_on = [], Playing._go_on


def goes_on(self, last=None):
    go_on(self, last)
    over.extend([self] if self.over.done() else [])


Playing._go_on = goes_on


def hangs():
    while not over:
        time.sleep(0.05)
    pathlib.Path("hangs").touch()
    time.sleep(600)


def plain(messages, tools):
    if messages[-1]["content"] == "Please.": hangs()
    return "No."


async def asynchronous(messages, tools):
    if messages[-1]["content"] == "Please.": await asyncio.to_thread(hangs)
    return "No."
"""
STOPPING = """

def stops(messages, tools):
    while messages[-1]["content"] == "Please." and len(over) < 3:
        time.sleep(0.05)
    if messages[-1]["content"] == "Please.":
        raise KeyboardInterrupt
    return "No."
"""
IMPORTING = """
import atexit, threading
importing = threading.Event()
atexit.register(print, "the end")


class Client:
    def __init__(self):
        self.itself = self  # so that it is cleared away after what ``atexit`` knows of

    def __del__(self):
        import endless


clients = [Client()]
atexit.register(clients.clear)


def agent(messages, tools):
    if messages[-1]["content"] != "Please.":
        import endless
    importing.wait(60)
    return "No."
"""
ENDLESS = "import mine, time; mine.importing.set(); time.sleep(600)"
NAMES = ("first", "second", "third", "fourth")
HANGING = ("first", "second", "third")
"""All but the next after the first, which a worker is given with it."""
RESULTS = "--sandbox-results=results.jsonl"
LONGEST = 300.0
"""Half of the seconds for which agents hang: a run that waited for them would not have ended."""


@pytest.fixture
def four(suite: Suite) -> Suite:
    suite.write("mine.py", AGENTS)
    for name in NAMES:
        hangs = LIGHT.replace("Turn on the light.", "Please.")
        suite.write(f"{name}.scenario.yaml", hangs if name in HANGING else LIGHT)
    return suite


def started(*options: str, python: str | None = None) -> subprocess.Popen[str]:
    """Start a run that Ctrl-C reaches also where this one ignores it, as in a background job.

    It is no worker, also where this one is.
    """
    mine = {name: text for name, text in os.environ.items() if "PYTEST_XDIST" not in name}
    plugins = ("-p", "pytest_toolsandbox.plugin", "-p", "xdist.plugin", "-p", "no:cacheprovider")
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    run = subprocess.Popen(
        [python or sys.executable, "-m", "pytest", *plugins, *options, RESULTS],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**mine, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
    )
    signal.signal(signal.SIGINT, before)
    return run


def wait_for(path: Path, run: subprocess.Popen[str]) -> None:
    while not path.exists() and run.poll() is None:
        time.sleep(0.05)


def wait_for_end(pid: int) -> None:
    """Wait until a process is gone, or would be if its next of kin asked how it ended."""
    about, deadline = Path(f"/proc/{pid}/stat"), time.monotonic() + LONGEST
    while time.monotonic() < deadline:
        try:
            os.kill(pid, 0)
            if about.exists() and about.read_text().rpartition(")")[2].split()[0] == "Z":
                return
        except (ProcessLookupError, FileNotFoundError):
            return
        time.sleep(0.05)
    pytest.fail(f"process {pid} is left")


@pytest.mark.parametrize(
    ("agent", "workers", "sent"),
    [("plain", "-n0", signal.SIGINT), ("asynchronous", "-n1", signal.SIGTERM)],
)
def test_whatever_agents_do(four: Suite, agent: str, workers: str, sent: signal.Signals) -> None:
    """Both hang, the one on a thread of ours, the other on one that Python waits for.

    What others said ahead of the first, which hangs, is told. SIGTERM does not reach the worker.
    """
    run = started(f"--agent=mine:{agent}", workers, "--sandbox-concurrency=4", python=COLD)
    wait_for(four.path / "hangs", run)
    run.send_signal(sent)
    printed, _ = run.communicate(timeout=LONGEST)
    assert run.returncode == pytest.ExitCode.INTERRUPTED
    outcomes = {record["scenario"]: record["outcome"] for record in four.records()}
    assert outcomes == {name: "not_run" if name in HANGING else "failed" for name in NAMES}
    assert (
        "the run was stopped; 3 of 4 items not run; --sandbox-resume=results.jsonl plays the rest"
    ) in printed
    location = next(line for line in printed.splitlines() if ": KeyboardInterrupt" in line)
    assert "pytest_toolsandbox" not in location


STUBBORN = """
import itertools, pathlib, time
asked = itertools.count()


def agent(messages, tools):
    while next(asked):
        pathlib.Path("hangs").touch()
        try:
            time.sleep(600)
        except BaseException:
            pass
    return "No."


def locked(messages, tools):
    while next(asked):
        pathlib.Path("hangs").touch()
        sum(itertools.repeat(1))  # keeps Python's lock
    return "No."
"""
PATIENT = """
from xdist.workermanage import NodeManager

NodeManager.EXIT_TIMEOUT = 600  # after which pytest-xdist kills workers itself
"""
IN_TWO = [("-n0", signal.SIGINT), ("-n0", signal.SIGTERM), ("-n1", signal.SIGTERM)]


@pytest.mark.parametrize(("workers", "sent"), IN_TWO)
def test_an_agent_on_the_main_thread_that_nothing_interrupts(
    four: Suite, workers: str, sent: signal.Signals
) -> None:
    """It swallows all in its second conversation; the first one is kept."""
    four.conftest(PATIENT)
    four.write("mine.py", STUBBORN)
    run = started("--agent=mine:agent", workers, "--sandbox-concurrency=1", "--sandbox-trials=2")
    wait_for(four.path / "hangs", run)
    run.send_signal(sent)
    printed, _ = run.communicate(timeout=LONGEST)
    assert run.returncode == pytest.ExitCode.INTERRUPTED
    outcomes = {record["scenario"]: record["outcome"] for record in four.records()}
    assert outcomes == {name: "failed" if name == "first" else "not_run" for name in NAMES}
    assert "the run was stopped; 3 of 4 items not run" in printed
    assert ("mine.py:10: KeyboardInterrupt" in printed) == (workers == "-n0")
    assert "all scenarios" in printed


ENDLESS_END = """
import atexit, os, time

if "PYTEST_XDIST_WORKER" in os.environ:
    atexit.register(time.sleep, 600)
"""


@pytest.mark.parametrize(("agent", "end"), [("locked", ""), ("agent", ENDLESS_END)])
def test_a_worker_that_does_not_end_is_killed(four: Suite, agent: str, end: str) -> None:
    """One hears of nothing, the other one waits at its very end."""
    four.conftest(PATIENT + end)
    four.write("mine.py", STUBBORN.replace("except BaseException", "except ValueError"))
    run = started(f"--agent=mine:{agent}", "-n1", "--sandbox-concurrency=1")
    wait_for(four.path / "hangs", run)
    run.send_signal(signal.SIGTERM)
    printed, _ = run.communicate(timeout=LONGEST)
    assert run.returncode == pytest.ExitCode.INTERRUPTED
    assert "the run was stopped; 3 of 4 items not run" in printed
    assert len(four.records()) == len(NAMES)


TEARING_DOWN = """
import os, pathlib, time


@pytest.fixture(scope="session", autouse=True)
def connection():
    yield
    if os.environ.get("PYTEST_XDIST_WORKER") == "gw0":
        time.sleep(4)  # longer than the controller waits for the other one
        pathlib.Path("torn_down").touch()
"""
ONE_DEAF = """
import itertools, os, pathlib, time


def agent(messages, tools):
    worker = os.environ["PYTEST_XDIST_WORKER"]
    pathlib.Path(worker).touch()
    if worker == "gw0":
        time.sleep(600)
    sum(itertools.repeat(1))  # keeps Python's lock
"""


def test_a_worker_that_tears_down_is_not_killed(four: Suite) -> None:
    """The other one hears of nothing, and is."""
    four.conftest(PATIENT + TEARING_DOWN)
    four.write("mine.py", ONE_DEAF)
    run = started("--agent=mine:agent", "-n2", "--sandbox-concurrency=1")
    for name in ("gw0", "gw1"):
        wait_for(four.path / name, run)
    run.send_signal(signal.SIGTERM)
    printed, _ = run.communicate(timeout=LONGEST)
    assert "the run was stopped; 4 of 4 items not run" in printed
    assert (four.path / "torn_down").exists()


TWICE = """
import ctypes, itertools, signal
sent, in_c = itertools.count(), getattr(ctypes.PyDLL(None), "raise")


def twice():
    if not next(sent):
        list(map(in_c, [signal.SIGINT] * 2))  # Python hears of nothing between two of a list


"""


def test_ctrl_c_that_comes_twice(four: Suite) -> None:
    """As from a terminal and from a wrapper that hands it on: it is one."""
    four.write("mine.py", TWICE + AGENTS.replace("time.sleep(600)", "twice(); time.sleep(600)"))
    run = started("--agent=mine:plain", "--sandbox-concurrency=4")
    printed, _ = run.communicate(timeout=LONGEST)
    assert run.returncode == pytest.ExitCode.INTERRUPTED
    outcomes = {record["scenario"]: record["outcome"] for record in four.records()}
    assert outcomes == {name: "not_run" if name in HANGING else "failed" for name in NAMES}
    assert "the run was stopped; 3 of 4 items not run" in printed


def test_a_python_without_ctypes(four: Suite) -> None:
    """As one that was built where libffi is missing: Ctrl-C needs none of it."""
    four.write("_ctypes.py", "raise ImportError")
    run = started("--agent=oracle", python=COLD)
    printed, _ = run.communicate(timeout=LONGEST)
    assert run.returncode == pytest.ExitCode.OK, printed


WORKERS = """
import os, pathlib, signal
from pytest_toolsandbox.plugin import stopping

stopping._ANSWER = 600
os.environ.setdefault("CONTROLLER", str(os.getpid()))


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session):
    if {again} and os.environ.get("PYTEST_XDIST_WORKER") == "gw1":
        os.kill(int(os.environ["CONTROLLER"]), signal.SIGINT)
        signal.pause()


def pytest_runtest_logstart():
    if name := os.environ.get("PYTEST_XDIST_WORKER"):
        pathlib.Path(name + ".new").write_text(str(os.getpid()))
        pathlib.Path(name + ".new").rename(name)
"""


@pytest.mark.parametrize("again", [False, True])
def test_a_worker_that_is_stopped_stops_the_run(four: Suite, again: bool) -> None:
    """The other one hangs. Ctrl-C ends the run where they take their time."""
    four.conftest(WORKERS.format(again=again))
    run = started("--agent=mine:plain", "-n2", "--sandbox-concurrency=1")
    pids = []
    for name in ("gw0", "gw1"):
        wait_for(four.path / name, run)
        pids.append(int((four.path / name).read_text()))
    os.kill(pids[0], signal.SIGTERM)
    printed, _ = run.communicate(timeout=LONGEST)
    assert run.returncode == pytest.ExitCode.INTERRUPTED, printed
    assert "replacing" not in printed
    assert "KeyboardInterrupt" in printed
    assert {record["outcome"] for record in four.records()} <= {"not_run", "failed"}
    assert len(four.records()) == len(NAMES)
    for pid in pids:
        wait_for_end(pid)


TELLING = """
@pytest.hookimpl(wrapper=True)
def pytest_runtest_logreport(report):
    is_it = report.when == "call" and report.nodeid.endswith("::first")
    if is_it and {before}:
        raise KeyboardInterrupt
    yield
    if is_it:
        raise KeyboardInterrupt
"""


@pytest.mark.parametrize("before", [True, False])
def test_ctrl_c_while_a_report_is_told(four: Suite, before: bool) -> None:
    """Its records are on the way then; they are written, and once."""
    four.conftest(TELLING.format(before=before))
    four.run_apart("--agent=unhelpful", "--sandbox-results=results.jsonl")
    outcomes = [(record["scenario"], record["outcome"]) for record in four.records()]
    assert outcomes == [
        (name, "failed" if name == "first" else "not_run") for name in sorted(NAMES)
    ]


WHILE_KEPT = """
import signal
from pytest_toolsandbox.output import junit

made = junit.item_properties


def interrupted(records):
    junit.item_properties = made
    signal.raise_signal(signal.SIGINT)
    return made(records)


junit.item_properties = interrupted
"""


def test_ctrl_c_while_a_record_is_made(four: Suite) -> None:
    four.conftest(WHILE_KEPT)
    four.run_apart("--agent=unhelpful", "--sandbox-results=results.jsonl")
    outcomes = {record["scenario"]: record["outcome"] for record in four.records()}
    assert outcomes == {name: "failed" if name == "first" else "not_run" for name in NAMES}


BEFORE_KEPT = """
import signal
from pytest_toolsandbox.plugin.playing.items import ScenarioItem

keep = ScenarioItem.keep_finished


def interrupted(self):
    ScenarioItem.keep_finished = keep
    signal.raise_signal(signal.SIGINT)
    keep(self)


ScenarioItem.keep_finished = interrupted
"""


def test_ctrl_c_before_a_record_is_made(four: Suite) -> None:
    four.conftest(BEFORE_KEPT)
    four.run_apart("--agent=unhelpful", "--sandbox-results=results.jsonl")
    outcomes = {record["scenario"]: record["outcome"] for record in four.records()}
    assert outcomes == {name: "failed" if name == "first" else "not_run" for name in NAMES}


IN_HAND = """
import signal, time
from xdist.dsession import DSession

hear = DSession.worker_testreport


def interrupted(self, node, rep):
    if rep.nodeid.endswith("::first") and rep.when == "call":
        while "runtest_protocol_complete" not in dict(list(self.queue.queue)):
            time.sleep(0.05)
        for _ in range({times}):
            signal.raise_signal(signal.{sent})
    hear(self, node, rep)


DSession.worker_testreport = interrupted
"""
HALVED = """
import signal
from execnet.gateway_base import Popen2IO

write = Popen2IO.write


def interrupted(self, data):
    if b"toolsandbox" in data and b"records" in data:
        Popen2IO.write = write
        write(self, data[:100])
        signal.raise_signal(signal.SIGINT)
        data = data[100:]
    write(self, data)


Popen2IO.write = interrupted
"""


@pytest.mark.parametrize(
    "place",
    [
        IN_HAND.format(sent="SIGINT", times=1),
        IN_HAND.format(sent="SIGTERM", times=2),
        HALVED,
    ],
)
def test_ctrl_c_while_a_report_of_a_worker_is_on_its_way(four: Suite, place: str) -> None:
    """Pytest-xdist has it in hand, and the worker has done with its item; or half of it is sent."""
    four.conftest(place)
    four.write("mine.py", STUBBORN)
    options = ("--agent=mine:agent", "-n1", "--sandbox-concurrency=1")
    result = four.run_apart(*options, "--sandbox-results=results.jsonl")
    assert result.ret == pytest.ExitCode.INTERRUPTED
    outcomes = {record["scenario"]: record["outcome"] for record in four.records()}
    assert outcomes == {name: "failed" if name == "first" else "not_run" for name in NAMES}


NOTED_LATE = """
import pathlib, time
from pytest_toolsandbox.runs import playing

go_on, judged = playing.Playing._go_on, []


def late(self, last=None):
    if last:
        judged.append(last)
        if len(judged) == 4:
            pathlib.Path("hangs").touch()
        time.sleep(600)
    go_on(self, last)


playing.Playing._go_on = late


def agent(messages, tools):
    return "No."
"""


def test_conversations_that_are_judged_and_not_yet_noted(four: Suite) -> None:
    four.write("mine.py", NOTED_LATE)
    run = started("--agent=mine:agent", "--sandbox-concurrency=4")
    wait_for(four.path / "hangs", run)
    run.send_signal(signal.SIGTERM)
    printed, _ = run.communicate(timeout=LONGEST)
    assert run.returncode == pytest.ExitCode.INTERRUPTED, printed
    assert [record["outcome"] for record in four.records()] == ["failed"] * len(NAMES)


TIMED_OUT = """
import os, signal, time
import pytest
from pytest_toolsandbox.scoring import judging

judge_by_rules, judged = judging.judge, []


def judge(scenario, *arguments):
    if scenario.name == "first":
        while len(judged) < 3:  # the main thread waits by then, and holds no lock
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGUSR1)
        time.sleep(600)
    result = judge_by_rules(scenario, *arguments)
    judged.append(scenario.name)
    return result


def time_out(*_):
    pytest.fail("Timeout (>1.0s) from pytest-timeout.")


judging.judge = judge
signal.signal(signal.SIGUSR1, time_out)
"""


def test_an_items_timeout_while_rules_judge_on_another_thread(four: Suite) -> None:
    four.conftest(TIMED_OUT)
    four.write("mine.py", 'def agent(messages, tools): return "No."')
    options = ("--sandbox-concurrency=4", "--sandbox-results=results.jsonl")
    result = four.run_apart("--agent=mine:agent", *options)
    result.assert_outcomes(failed=3, errors=1)
    first, *other_records = four.records()
    reason = "Timeout (>1.0s) from pytest-timeout."
    assert (first["reason"], first["cause"], first["unjudged"]) == (reason, "judge", True)
    assert {record["outcome"] for record in other_records} == {"failed"}


INTERRUPTED_START = """
import pytest
from pytest_toolsandbox.runs.playing import Playing

begin, begun = Playing.begin, []


def interrupted(self):
    begun.append(self)
    if len(begun) != 2:
        return begin(self)
    {before}
    pytest.fail("Timeout (>1.0s) from pytest-timeout.")


Playing.begin = interrupted
"""


@pytest.mark.parametrize("before", ["pass", "begin(self)"])
def test_an_items_timeout_while_another_item_is_started(four: Suite, before: str) -> None:
    """The signal arrives before the conversation is submitted, or right after."""
    four.conftest(INTERRUPTED_START.format(before=before))
    four.write("mine.py", 'def agent(messages, tools): return "No."')
    options = ("--sandbox-concurrency=4", "--sandbox-results=results.jsonl")
    result = four.run_apart("--agent=mine:agent", *options)
    result.assert_outcomes(failed=3, errors=1)
    assert sorted(record["outcome"] for record in four.records()) == ["error", *["failed"] * 3]


BROKEN = """
def pytest_runtest_logfinish():
    raise RuntimeError("release unlocked lock")
"""
WAITING = """

def agent(messages, tools):
    while messages[-1]["content"] == "Please." and len(over) < 3:
        time.sleep(0.05)
    return "No."
"""


def test_an_internal_error(four: Suite) -> None:
    """As Ctrl-C becomes in a worker, in a lock of Python's. What was played ahead is told."""
    four.conftest(BROKEN)
    four.write("mine.py", AGENTS + WAITING)
    for name in HANGING[1:]:
        four.write(f"{name}.scenario.yaml", LIGHT)
    options = ("--agent=mine:agent", "--sandbox-concurrency=4")
    result = four.run_apart(*options, "--sandbox-results=results.jsonl")
    assert result.ret == pytest.ExitCode.INTERNAL_ERROR
    assert [record["outcome"] for record in four.records()] == ["failed"] * len(NAMES)


def test_ctrl_c_again_before_pytest_noted_the_first(four: Suite) -> None:
    """What was finished is told as after one alone."""
    four.conftest("def pytest_keyboard_interrupt(): raise KeyboardInterrupt")
    four.write("mine.py", AGENTS + STOPPING)
    for name in HANGING[1:]:
        four.write(f"{name}.scenario.yaml", LIGHT)
    options = ("--agent=mine:stops", "--sandbox-concurrency=4", "--sandbox-results=results.jsonl")
    result = four.run_apart(*options)
    assert result.ret == pytest.ExitCode.INTERRUPTED
    outcomes = [(record["scenario"], record["outcome"]) for record in four.records()]
    assert sorted(outcomes) == sorted(
        (name, "not_run" if name == "first" else "failed") for name in NAMES
    )


def test_an_import_of_a_conversation_that_is_left_behind(four: Suite) -> None:
    """Client libraries import when they are first asked, and again where they are cleared away."""
    four.write("mine.py", IMPORTING)
    four.write("endless.py", ENDLESS)
    four.write("first.scenario.yaml", LIGHT.replace("Turn on the light.", "Please."))
    options = ("--agent=mine:agent", "--sandbox-concurrency=4", "-x")
    plugins = ("-p", "pytest_toolsandbox.plugin", "-p", "no:cacheprovider")
    run = subprocess.run(
        [COLD, "-m", "pytest", *plugins, *options],
        stdout=subprocess.PIPE,
        text=True,
        timeout=LONGEST,
        check=False,
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
    )
    assert run.returncode == pytest.ExitCode.TESTS_FAILED
    assert "1 failed" in run.stdout
    assert run.stdout.endswith("the end\n")


JUDGED = """
import pathlib, time
from pytest_toolsandbox import Opinion


def noted(name):
    with open(name, "a") as file:
        file.write("x")
    return len(pathlib.Path(name).read_text())


def agent(messages, tools):
    if messages[-1]["role"] != "user":
        return "The lamp is on now."
    noted("played")
    function = {"name": "switch_lamp", "arguments": '{"on": true}'}
    return {"content": None, "tool_calls": [{"id": "1", "function": function}]}


def judge(question):
    if not pathlib.Path("answers").exists():
        if noted("asked") == COUNT:
            pathlib.Path("hangs").touch()
        time.sleep(600)
    return Opinion("right")
"""
RULES = """

from pytest_toolsandbox.scoring import judging

judge_by_rules = judging.judge


def judge_later(*arguments):
    judge(None)
    return judge_by_rules(*arguments)


judging.judge = judge_later
"""
JUDGE = "--sandbox-judge=mine:judge"
AT_ONCE = [
    ("-n0", 1, signal.SIGINT),
    ("-n0", 16, signal.SIGINT),
    ("-n2", 16, signal.SIGTERM),
]


@pytest.mark.parametrize("by", ["rules", "a judge"])
@pytest.mark.parametrize(("workers", "held", "sent"), AT_ONCE)
def test_a_conversation_that_is_being_judged(
    four: Suite, workers: str, held: int, sent: signal.Signals, by: str
) -> None:
    """It is kept, and judged later: by a run that goes on, and where it is judged again."""
    asked = min(held, len(NAMES))
    four.write("mine.py", JUDGED.replace("COUNT", str(asked)) + RULES * (by == "rules"))
    judge = (JUDGE,) * (by == "a judge")
    agent = ("--agent=mine:agent", *judge)
    run = started(*agent, workers, f"--sandbox-concurrency={held}")
    wait_for(four.path / "hangs", run)
    run.send_signal(sent)
    printed, _ = run.communicate(timeout=LONGEST)
    assert run.returncode == pytest.ExitCode.INTERRUPTED, printed
    over = [record for record in four.records() if record["outcome"] != "not_run"]
    reason = "the run was stopped before the conversation was judged"
    assert [(record["cause"], record["unjudged"], record["reason"]) for record in over] == (
        [("judge", True, reason)] * asked
    )
    assert len(four.records()) == len(NAMES)
    assert f"{asked} conversation{'s' * (asked > 1)} could not be judged" in printed

    four.write("answers", "")
    rejudged = four.run_apart("--sandbox-rejudge=results.jsonl", *judge)
    rejudged.assert_outcomes(passed=asked, skipped=len(NAMES) - asked)
    four.run_apart(*agent, "--sandbox-resume=results.jsonl").assert_outcomes(passed=len(NAMES))
    assert (four.path / "played").read_text() == "x" * len(NAMES)


AGAIN = """
import os, signal, time
import pytest
from pytest_toolsandbox.plugin.stopping import WorkersStopped

last_events, sent = WorkersStopped.last_events, []


def interrupted(self, gone):
    for event in last_events(self, gone):
        if event[0] == "testreport" and not sent:
            sent.append(event)
            signal.raise_signal(signal.SIGINT)
        yield event


WorkersStopped.last_events = interrupted


@pytest.fixture(scope="session", autouse=True)
def connection():
    yield
    time.sleep(600)
"""


def test_ctrl_c_again_while_workers_send_their_records(four: Suite) -> None:
    """All of them are kept, and the fixtures of workers are not waited for."""
    four.conftest(PATIENT + AGAIN)
    four.write("mine.py", JUDGED.replace("COUNT", "4"))
    run = started("--agent=mine:agent", JUDGE, "-n2", "--sandbox-concurrency=16")
    wait_for(four.path / "hangs", run)
    run.send_signal(signal.SIGINT)
    printed, _ = run.communicate(timeout=LONGEST)
    assert run.returncode == pytest.ExitCode.INTERRUPTED, printed
    assert [record["unjudged"] for record in four.records()] == [True] * len(NAMES)
    assert "4 conversations could not be judged" in printed


ASYNC_JUDGE = """
from pytest_toolsandbox import Opinion


async def judge(question):
    while question.scenario.name == "first":
        await asyncio.sleep(0.05)
        if len(over) == 3:
            pathlib.Path("hangs").touch()
    return Opinion("right")
"""


def test_what_is_judged_again(four: Suite) -> None:
    """The judge is asked of all at the same time, and waits with the first, whose turn it is."""
    four.write("talks.py", JUDGED)
    four.run_apart("--agent=talks:agent", "--sandbox-results=played.jsonl")
    four.write("mine.py", AGENTS + ASYNC_JUDGE)
    run = started("--sandbox-rejudge=played.jsonl", JUDGE)
    wait_for(four.path / "hangs", run)
    run.send_signal(signal.SIGINT)
    printed, _ = run.communicate(timeout=LONGEST)
    assert run.returncode == pytest.ExitCode.INTERRUPTED, printed
    outcomes = {record["scenario"]: record["outcome"] for record in four.records()}
    assert outcomes == {name: "error" if name == "first" else "passed" for name in NAMES}
    assert "Traceback" not in printed
