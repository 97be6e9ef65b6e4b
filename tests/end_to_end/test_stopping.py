"""A run that is stopped ends at once, and keeps what is finished."""

from __future__ import annotations

import os
import signal
import subprocess
import time

import pytest
from desk import LIGHT, Suite
from warm import COLD

AGENTS = """
import asyncio, pathlib, time
from pytest_toolsandbox.runs.playing import Playing
over, go_on = [], Playing._go_on


def told(self, last=None):
    go_on(self, last)
    over.extend([self] if self.over.done() else [])


Playing._go_on = told


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
LONGEST = 20.0
"""Seconds in which a run has to end: two, and those of a machine that does other things too."""


@pytest.fixture
def four(suite: Suite) -> Suite:
    suite.write("mine.py", AGENTS)
    for name in NAMES:
        hangs = LIGHT.replace("Turn on the light.", "Please.")
        suite.write(f"{name}.scenario.yaml", hangs if name in HANGING else LIGHT)
    return suite


@pytest.mark.parametrize(
    ("agent", "workers", "sent"),
    [("plain", "-n0", signal.SIGINT), ("asynchronous", "-n1", signal.SIGTERM)],
)
def test_whatever_agents_do(four: Suite, agent: str, workers: str, sent: signal.Signals) -> None:
    """Both hang, the one on a thread of ours, the other on one that Python waits for.

    What others said ahead of the first, which hangs, is told. SIGTERM does not reach the worker.
    """
    options = (
        f"--agent=mine:{agent}",
        workers,
        "--sandbox-concurrency=4",
        "--sandbox-results=results.jsonl",
    )
    plugins = ("-p", "pytest_toolsandbox.plugin", "-p", "xdist.plugin", "-p", "no:cacheprovider")
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    run = subprocess.Popen(  # which would ignore Ctrl-C where this one does, as in a background job
        [COLD, "-m", "pytest", *plugins, *options],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
    )
    signal.signal(signal.SIGINT, before)
    while not (four.path / "hangs").exists() and run.poll() is None:
        time.sleep(0.05)
    began = time.monotonic()
    run.send_signal(sent)
    printed, _ = run.communicate(timeout=LONGEST)
    assert time.monotonic() - began < LONGEST
    assert run.returncode == pytest.ExitCode.INTERRUPTED
    outcomes = {record["scenario"]: record["outcome"] for record in four.records()}
    assert outcomes == {name: "not_run" if name in HANGING else "failed" for name in NAMES}
    assert "the run was stopped; 3 of 4 items not run" in printed
    assert "KeyboardInterrupt" in printed


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
